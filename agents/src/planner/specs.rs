//! The types of actions: where each exists, and the words and examples that a prompt has for it.

use waldo_devices::Capability;

/// Where an action exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    /// On every device.
    Any,
    /// Where the device can.
    Needs(Capability),
    /// Where there is a mouse or a finger that can press twice.
    MouseOrTouch,
    /// Where fingers press and hold.
    Touch,
    /// Where there are secrets to type.
    Secrets,
    /// In browsers, where the page may be played by scripts.
    Widgets,
}

/// What is known of one type of action.
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) on: On,
    pub(super) special: bool,
    pub(super) purpose: &'static str,
    pub(super) parameters: &'static [(&'static str, &'static str)],
    /// Description and parameters of examples.
    pub(super) examples: &'static [(&'static str, &'static str)],
}

const fn spec(
    name: &'static str,
    on: On,
    purpose: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    examples: &'static [(&'static str, &'static str)],
) -> Spec {
    Spec { name, on, special: false, purpose, parameters, examples }
}

const fn special(
    name: &'static str,
    purpose: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    examples: &'static [(&'static str, &'static str)],
) -> Spec {
    Spec { name, on: On::Any, special: true, purpose, parameters, examples }
}

const MOUSE: On = On::Needs(Capability::Mouse);
const KEYS: On = On::Needs(Capability::Keyboard);
const PLACES: On = On::Needs(Capability::Navigation);
const WINDOWS: On = On::Needs(Capability::Windows);
const TABS: On = On::Needs(Capability::Tabs);

/// All types, in the order of the prompt.
pub(super) const SPECS: [Spec; 34] = [
    spec(
        "click",
        On::Any,
        "Presses something once.",
        &[],
        &[("Press the 'Last name' field in the section 'Passenger' to put the cursor there.", "{}")],
    ),
    spec(
        "right_click",
        MOUSE,
        "Clicks something with the right button, which mostly opens a menu.",
        &[],
        &[],
    ),
    spec("double_click", On::MouseOrTouch, "Presses something twice in quick succession.", &[], &[]),
    spec("triple_click", MOUSE, "Clicks three times, which selects a paragraph or a whole field.", &[], &[]),
    spec("long_press", On::Touch, "Presses something and holds it for about a second.", &[], &[]),
    spec(
        "pinch",
        On::Needs(Capability::Touch),
        "Puts two fingers on something and moves them to so many percent of their distance: above 100 brings a picture or a map nearer, below 100 shows more of it.",
        &[("percent", "whole number from 10 to 1000: 200 doubles the size")],
        &[],
    ),
    spec(
        "type",
        On::Any,
        "Types text where the cursor is. A line break in the text presses Enter.",
        &[("text", "text: what to type, in any script")],
        &[("Type the last name into the focused field.", r#"{"text": "Møller"}"#)],
    ),
    spec(
        "scroll",
        On::Any,
        "Brings more of something into view.",
        &[
            (
                "element_description",
                "text: what is to be scrolled, so that the locator can find it; 'the whole page' for the page",
            ),
            ("direction", "text: up, down, left or right; down shows what lies further down"),
            (
                "distance",
                "whole number: how many notches of a wheel, 5 where it is left out; 6 are about a screenful",
            ),
        ],
        &[(
            "Scroll down in the list of orders to see later ones.",
            r#"{"element_description": "the list of orders", "direction": "down", "distance": 6}"#,
        )],
    ),
    spec(
        "drag",
        On::Any,
        "Presses in one place, moves to another and lets go there.",
        &[
            ("start_description", "text: the place where it begins"),
            ("end_description", "text: the place where it ends"),
        ],
        &[(
            "Move the card 'Paint the fence' into the column 'Done'.",
            r#"{"start_description": "the card 'Paint the fence' in the column 'To do'", "end_description": "the column 'Done'"}"#,
        )],
    ),
    spec("mouse_move", MOUSE, "Moves the pointer onto something and leaves it there.", &[], &[]),
    spec(
        "key_press",
        KEYS,
        "Presses a key, or several held together. Holding a key during a click is not possible.",
        &[(
            "key",
            "text: characters and names of keys with blanks between them, such as Ctrl, Shift, Alt, Super, Enter, Tab, Escape, Backspace, Delete, Home, End, Space, Arrowleft, Arrowup, Arrowright, Arrowdown, Pageup, Pagedown, F5",
        )],
        &[("Press Ctrl A to select everything in the field.", r#"{"key": "Ctrl A"}"#)],
    ),
    spec("clear", KEYS, "Empties a text field.", &[], &[]),
    spec(
        "select_option",
        On::Needs(Capability::Select),
        "Chooses an option of a drop-down list by its name, without opening the list.",
        &[("option", "text: the option's name")],
        &[("Choose Norway in the 'Country' list.", r#"{"option": "Norway"}"#)],
    ),
    spec(
        "upload_file",
        On::Needs(Capability::Upload),
        "Gives a file that the task names to a file field.",
        &[("file", "text: the file's name, without a path")],
        &[],
    ),
    spec(
        "type_secret",
        On::Secrets,
        "Types a secret where the cursor is. You know its name only, never its value.",
        &[("name", "text: its name")],
        &[],
    ),
    spec(
        "open_url",
        TABS,
        "Opens an address in place of what is shown.",
        &[("url", "text: an address, or a path of this site such as /help")],
        &[],
    ),
    spec("go_back", PLACES, "Goes back to where you were before.", &[], &[]),
    spec("go_forward", TABS, "Undoes going back.", &[], &[]),
    spec("reload", TABS, "Loads the page again.", &[], &[]),
    spec(
        "open_tab",
        TABS,
        "Opens a tab.",
        &[("url", "text: what to open in it; left out for an empty one")],
        &[],
    ),
    spec(
        "switch_tab",
        TABS,
        "Brings a tab to the front.",
        &[("tab", "whole number: its place, from 1")],
        &[],
    ),
    spec("close_tab", TABS, "Closes the tab in front.", &[], &[]),
    spec(
        "switch_window",
        WINDOWS,
        "Brings a window to the front and gives it the keyboard.",
        &[("window", "whole number: its place in the list of windows, from 1")],
        &[],
    ),
    spec(
        "close_window",
        WINDOWS,
        "Closes a window as its close button does.",
        &[("window", "whole number: its place in the list of windows, from 1")],
        &[],
    ),
    spec(
        "answer_dialog",
        On::Needs(Capability::Dialogs),
        "Answers the dialog that holds up the page.",
        &[("reply", "text: accept or dismiss"), ("text", "text: what to enter where the dialog asks for it")],
        &[],
    ),
    spec("press_home", On::Needs(Capability::SystemKeys), "Goes to the home screen.", &[], &[]),
    spec("show_recents", On::Needs(Capability::SystemKeys), "Lists the apps that were used last.", &[], &[]),
    spec(
        "open_app",
        On::Needs(Capability::Apps),
        "Starts an app, or brings it to the front.",
        &[("app", "text: the name that people know it by")],
        &[],
    ),
    spec(
        "paste",
        On::Needs(Capability::Clipboard),
        "Pastes text where the cursor is, through the clipboard: for much text, quicker than typing it. What the clipboard held is lost.",
        &[("text", "text: what to paste, in any script")],
        &[],
    ),
    spec(
        "run_command",
        On::Needs(Capability::Shell),
        "Runs a command line of the shell in the home folder, without showing it, and waits for its end. In the next turn you are told how it ended and what it printed.",
        &[("command", "text: the command line; nothing can be typed into it while it runs")],
        &[("Count the files in the folder 'Documents'.", r#"{"command": "ls Documents | wc -l"}"#)],
    ),
    spec(
        "widget",
        On::Widgets,
        "Hands a control that is hard to set with single actions (one that is slid, turned, paged through or dragged into place) to a helper. The helper tries it out with a script: it looks at every state, compares, and stays at the best. It takes one turn of yours, and then you are told how it went; look yourself whether it did what you wanted.",
        &[
            (
                "goal",
                "text: a whole sentence that says which state the control is to be in; the helper knows nothing of the task",
            ),
            ("element_description", "text: the control, where there is more than one"),
        ],
        &[(
            "Set the volume to a quarter with its slider.",
            r#"{"goal": "Move the handle until the label beside the slider says 25 %.", "element_description": "the slider 'Volume'"}"#,
        )],
    ),
    special(
        "extract_data",
        "Notes something that the screen shows, for a later step or for the answer. It takes a turn.",
        &[("description", "text: what it is"), ("data", "text or JSON: the data")],
        &[(
            "Note the name and the price of the first lamp.",
            r#"{"description": "first lamp in the results", "data": {"name": "Nordlys", "price": "49.00"}}"#,
        )],
    ),
    special(
        "wait",
        "Lets time pass while something is still going on.",
        &[("seconds", "number from 0 to 10; 2 where it is left out")],
        &[],
    ),
    special(
        "finish",
        "Ends the task. Before it, see to it that what was entered is saved or sent, and that nothing that you started is still running. Failure is for a task that cannot be done here, or not by you.",
        &[
            ("status", "text: success or failure"),
            (
                "answer",
                "text: the answer, where the task asks for something to be told, in as few words as it wants; left out otherwise",
            ),
        ],
        &[("The task asks for the price, which was found.", r#"{"status": "success", "answer": "49.00"}"#)],
    ),
];
