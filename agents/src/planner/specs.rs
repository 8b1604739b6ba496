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

/// Examples, each in a line: the type, the description and the parameters, with tabs between them.
pub(super) const EXAMPLES: &str = include_str!("specs/examples.tsv");

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
pub(super) const UPSTREAM_EXAMPLES: &str = include_str!("specs/upstream_examples.tsv");
pub(super) const UPSTREAM_OWN: &str = include_str!("specs/upstream_own.tsv");
/// What upstream has its planner keep in mind in every turn.
pub(super) const UPSTREAM_REMINDERS: &str = include_str!("specs/upstream_reminders.txt");
