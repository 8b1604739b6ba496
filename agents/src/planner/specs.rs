//! What the planner says of actions beside the catalogue: its own, and examples of how it writes them.

use waldo_devices::Tool;

/// What is known of an action that is not a tool.
pub(super) struct ToolSpec {
    pub(super) name: &'static str,
    pub(super) special: bool,
    pub(super) purpose: &'static str,
    pub(super) parameters: &'static [(&'static str, &'static str)],
    pub(super) example: (&'static str, &'static str),
}

/// Hands a widget to scripts, in browsers whose page they may play.
pub(super) const WIDGET: ToolSpec = ToolSpec {
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

pub(super) const EXTRACT: ToolSpec = ToolSpec {
    name: "extract_data",
    special: true,
    purpose: "Notes something that the screen shows, for a later step or for the answer. It takes a turn.",
    parameters: &[("description", "text: what it is"), ("data", "text or JSON: the data")],
    example: (
        "Note the name and the price of the first lamp.",
        r#"{"description": "first lamp in the results", "data": {"name": "Nordlys", "price": "49.00"}}"#,
    ),
};

pub(super) const FINISH: ToolSpec = ToolSpec {
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
        "text: characters and names of keys with blanks between them, of Ctrl, Shift, Alt, Super, Enter, Tab, Escape, Backspace, Delete, Insert, Home, End, Space, Arrowleft, Arrowup, Arrowright, Arrowdown, Pageup, Pagedown and F1 to F12; such as Ctrl A",
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

/// The tools of the planner that this one is modelled on, in its order.
pub(super) const UPSTREAM: [Tool; 10] = [
    Tool::Tap,
    Tool::RightTap,
    Tool::DoubleTap,
    Tool::TripleTap,
    Tool::Type,
    Tool::Scroll,
    Tool::Drag,
    Tool::Hover,
    Tool::Key,
    Tool::Wait,
];

/// Examples of all of these, as many as upstream has; those of its other actions are in [`UPSTREAM_OWN`].
pub(super) const UPSTREAM_EXAMPLES: [(Tool, &str, &str); 17] = [
    (Tool::Tap, "Press the 'Continue' button below the form.", "{}"),
    (Tool::Tap, "Press the 'X' icon at the right end of the search box.", "{}"),
    (Tool::Tap, "Press the 'Street' field to put the cursor there.", "{}"),
    (Tool::RightTap, "Right click the third row of the list of orders to open its menu.", "{}"),
    (Tool::DoubleTap, "Double click the icon of the drawing program to start it.", "{}"),
    (Tool::TripleTap, "Triple click the first paragraph to select all of it.", "{}"),
    (Tool::Type, "Type 'Ines' into the first name field.", r#"{"text": "Ines"}"#),
    (Tool::Type, "Type 'Duarte' into the last name field.", r#"{"text": "Duarte"}"#),
    (Tool::Type, "Type 'See you on Friday.' into the message box.", r#"{"text": "See you on Friday."}"#),
    (
        Tool::Scroll,
        "Scroll down in the list of orders to see later ones.",
        r#"{"element_description": "the list of orders", "direction": "down", "distance": 6}"#,
    ),
    (
        Tool::Scroll,
        "Scroll up to the beginning of the page.",
        r#"{"element_description": "the whole page", "direction": "up"}"#,
    ),
    (
        Tool::Drag,
        "Move the file plan.txt into the folder 'Archive'.",
        r#"{"start_description": "the file plan.txt", "end_description": "the folder 'Archive'"}"#,
    ),
    (
        Tool::Drag,
        "Move the photograph of the house into the box for uploads.",
        r#"{"start_description": "the photograph of the house", "end_description": "the box for uploads"}"#,
    ),
    (Tool::Hover, "Move the mouse to the 'Send' button.", "{}"),
    (Tool::Hover, "Rest the mouse on the gear icon.", "{}"),
    (Tool::Key, "Press Ctrl A to select everything in the field.", r#"{"key": "Ctrl A"}"#),
    (Tool::Key, "Press Pagedown to see more.", r#"{"key": "Pagedown"}"#),
];

/// Further examples of upstream's actions: the type, the description and the parameters.
pub(super) const UPSTREAM_OWN: [(&str, &str, &str); 4] = [
    ("wait", "Wait until the command that was started has ended.", "{}"),
    (
        "extract_data",
        "Note the name and the price of the first lamp.",
        r#"{"description": "first lamp in the results", "data": "Nordlys, 49.00"}"#,
    ),
    ("finish", "All of the task is done.", r#"{"status": "success"}"#),
    (
        "finish",
        "The name was typed and taken by pressing Tab, so the task is done.",
        r#"{"status": "success"}"#,
    ),
];

/// What upstream has its planner keep in mind in every turn.
pub(super) const UPSTREAM_REMINDERS: [&str; 13] = [
    "Work in the programs or on the sites that are given. The address bar of a browser is not to be used.",
    "Close banners, advertisements, offers to sign in and questions about cookies that are in the way.",
    "One action a turn: never press and type, press and drag, or type and press a key at once.",
    "Once a drop-down list or a box with choices is open, choose one of them, or press Enter to take the one that is suggested.",
    "A field that has the focus does not always show a cursor.",
    "Act only on what can be seen in full. Whatever is hidden or cut off has to be scrolled into view before it is pressed or typed into.",
    "Before you type, give the field the focus by pressing it; without, it takes no text.",
    "Where a field with the focus holds a value already (not a hint, which is grey), remove it first: by its X icon, by Ctrl A and then Backspace, or by Backspace alone where it is selected.",
    "When a search field offers neither a button nor suggestions after typing, press Enter.",
    "When a slider did not end up where it should, drag it again.",
    "Scroll, or press Pageup and Pagedown, which is quicker, to see more, above all where a table has rows or columns out of sight.",
    "scroll needs a direction, finish needs a status.",
    "Most of all: never type into or press what cannot be seen on the screen; bring it into view first.",
];
