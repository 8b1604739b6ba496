//! What the planner says of actions beside the catalogue: its own, and examples of how it writes them.

use waldo_devices::Tool;

/// What is known of an action that is no tool.
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) special: bool,
    pub(super) purpose: &'static str,
    pub(super) parameters: &'static [(&'static str, &'static str)],
    /// Description and parameters of an example.
    pub(super) example: (&'static str, &'static str),
}

/// Hands a widget to scripts, in browsers whose page they may play.
pub(super) const WIDGET: Spec = Spec {
    name: "widget",
    special: false,
    purpose: "Hands a control that is hard to set with single actions (one that is slid, turned, paged through or dragged into place) to a helper. The helper tries it out with a script: it looks at every state, compares, and stays at the best. It takes one turn of yours, and then you are told how it went; look yourself whether it did what you wanted.",
    parameters: &[
        (
            "goal",
            "text: a whole sentence that says which state the control is to be in; the helper knows nothing of the task",
        ),
        ("element_description", "text: the control, where there is more than one"),
    ],
    example: (
        "Set the volume to a quarter with its slider.",
        r#"{"goal": "Move the handle until the label beside the slider says 25 %.", "element_description": "the slider 'Volume'"}"#,
    ),
};

pub(super) const EXTRACT: Spec = Spec {
    name: "extract_data",
    special: true,
    purpose: "Notes something that the screen shows, for a later step or for the answer. It takes a turn.",
    parameters: &[("description", "text: what it is"), ("data", "text or JSON: the data")],
    example: (
        "Note the name and the price of the first lamp.",
        r#"{"description": "first lamp in the results", "data": {"name": "Nordlys", "price": "49.00"}}"#,
    ),
};

pub(super) const FINISH: Spec = Spec {
    name: "finish",
    special: true,
    purpose: "Ends the task. Before it, see to it that what was entered is saved or sent, and that nothing that you started is still running. Failure is for a task that cannot be done here, or not by you.",
    parameters: &[
        ("status", "text: success or failure"),
        (
            "answer",
            "text: the answer, where the task asks for something to be told, in as few words as it wants; left out otherwise",
        ),
    ],
    example: ("The task asks for the price, which was found.", r#"{"status": "success", "answer": "49.00"}"#),
};

/// Parameters that the planner is told of in other words than the catalogue's.
pub(super) const WORDS: [(Tool, &str, &str); 3] = [
    (
        Tool::Key,
        "key",
        "text: characters and names of keys with blanks between them, such as Ctrl, Shift, Alt, Super, Enter, Tab, Escape, Backspace, Delete, Home, End, Space, Arrowleft, Arrowup, Arrowright, Arrowdown, Pageup, Pagedown, F5",
    ),
    (
        Tool::Scroll,
        "element_description",
        "text: what is to be scrolled, so that the locator can find it; 'the whole page' for the page",
    ),
    (Tool::Wait, "seconds", "number from 0 to 10; 2 where it is left out"),
];

/// Examples: the tool, the description and the parameters.
pub(super) const EXAMPLES: [(Tool, &str, &str); 7] = [
    (Tool::Tap, "Press the 'Last name' field in the section 'Passenger' to put the cursor there.", "{}"),
    (Tool::Type, "Type the last name into the focused field.", r#"{"text": "Møller"}"#),
    (
        Tool::Scroll,
        "Scroll down in the list of orders to see later ones.",
        r#"{"element_description": "the list of orders", "direction": "down", "distance": 6}"#,
    ),
    (
        Tool::Drag,
        "Move the card 'Paint the fence' into the column 'Done'.",
        r#"{"start_description": "the card 'Paint the fence' in the column 'To do'", "end_description": "the column 'Done'"}"#,
    ),
    (Tool::Key, "Press Ctrl A to select everything in the field.", r#"{"key": "Ctrl A"}"#),
    (Tool::Select, "Choose Norway in the 'Country' list.", r#"{"option": "Norway"}"#),
    (Tool::Shell, "Count the files in the folder 'Documents'.", r#"{"command": "ls Documents | wc -l"}"#),
];
