//! Actions and rules as the system prompt says them in short: a line an action, and nothing twice.
//!
//! What is said of an action comes from the catalogue and from `specs`. Here stands what needs no saying, because
//! the name or the sentence says it, and the few sentences that are put more briefly.

use waldo_devices::{Capability, DeviceInfo, Tool};
use waldo_prompts::planner::ActionDoc;

use super::act::name_of;
use super::catalogue::{Actions, DeviceWords};
use super::specs::{EXTRACT, FINISH, WIDGET};

/// Parameters that need no words beside their names and the action's sentence.
const EVIDENT: [(Tool, &[&str]); 12] = [
    (Tool::Type, &["text"]),
    (Tool::Drag, &["start_description", "end_description"]),
    (Tool::TapAt, &["clicks", "button", "modifiers"]),
    (Tool::Pinch, &["percent"]),
    (Tool::Fill, &["text"]),
    (Tool::Select, &["option"]),
    (Tool::NewTab, &["url"]),
    (Tool::SwitchTab, &["tab"]),
    (Tool::OpenApp, &["app"]),
    (Tool::TypeSecret, &["name"]),
    (Tool::SwitchScreen, &["screen"]),
    (Tool::Paste, &["text"]),
];

/// The same of the planner's own actions.
const OWN_EVIDENT: [(&str, &[&str]); 2] =
    [(EXTRACT.name, &["description", "data"]), (WIDGET.name, &["element_description"])];

/// Sentences that are said more briefly than elsewhere.
const SENTENCES: [(&str, &str); 4] = [
    (
        "click_at",
        "Presses a place within something. clicks: single, double or triple. button: left, right or middle. modifiers: keys held, of ctrl, alt, shift, meta, joined by +.",
    ),
    ("extract_data", "Notes something that the screen shows, in any JSON. It takes a turn."),
    (
        "widget",
        "Has a helper set a control that is hard to set by single actions (slid, turned, paged through, dragged into place), with a script, in one turn. Look yourself what came of it.",
    ),
    ("finish", "Ends the task."),
];

/// Words of parameters that are said more briefly than elsewhere.
const WORDS: [(&str, &str, &str); 5] = [
    ("scroll", "element_description", "what is scrolled, such as 'the whole page'"),
    ("scroll", "distance", "notches, 5 unless given; 6 are about a screenful"),
    ("wait", "seconds", "0 to 10, 2 unless given"),
    ("widget", "goal", "which state it is to be in, in a sentence; the helper does not know the task"),
    ("finish", "answer", "what the task asks to be told, in as few words as it wants"),
];

/// The actions whose examples are shown: those whose parameters are more than one text.
const SHOWN: [Tool; 4] = [Tool::Tap, Tool::Scroll, Tool::Drag, Tool::Key];

impl Actions {
    pub(super) fn in_short(&self) -> Self {
        let shorten = |docs: &[ActionDoc]| docs.iter().map(short).collect();
        let shown = |example: &&String| {
            let named = |name: &str| example.starts_with(&format!("{{\"type\":\"{name}\""));
            SHOWN.iter().any(|tool| named(name_of(*tool))) || named(EXTRACT.name) || named(FINISH.name)
        };
        Self {
            screen: shorten(&self.screen),
            special: shorten(&self.special),
            rare: shorten(&self.rare),
            examples: self.examples.iter().filter(shown).cloned().collect(),
        }
    }
}

pub(super) fn short(doc: &ActionDoc) -> ActionDoc {
    let mut doc = doc.clone();
    if let Some((_, sentence)) = SENTENCES.iter().find(|(name, _)| *name == doc.name) {
        (*sentence).clone_into(&mut doc.purpose);
    }
    let name = doc.name.clone();
    for parameter in &mut doc.parameters {
        let evident =
            EVIDENT.iter().any(|(tool, all)| name_of(*tool) == name && all.contains(&&*parameter.name))
                || OWN_EVIDENT.iter().any(|(own, all)| *own == name && all.contains(&&*parameter.name));
        let own = WORDS.iter().find(|(of, named, _)| *of == name && *named == parameter.name);
        parameter.what = match own {
            _ if evident => String::new(),
            Some((_, _, what)) => (*what).to_owned(),
            None => parameter.what.strip_prefix("text: ").unwrap_or(&parameter.what).to_owned(),
        };
    }
    doc
}

pub(super) fn rules(device: &DeviceInfo) -> Vec<String> {
    let can = |what: Capability| device.capabilities.contains(&what);
    let press = DeviceWords::of(device).verb.to_lowercase();
    let mut out = vec![
        "Stay in the programs or on the sites that are given, and leave a browser's address bar alone."
            .to_owned(),
        "Act only on what can be seen in full; scroll it into view first.".to_owned(),
    ];
    if can(Capability::Keyboard) {
        out.push(format!(
            "Put text into a field with fill. Where that fails, {press} it (a cursor does not always show), clear a value that is neither selected nor a grey hint, and type."
        ));
        out.push("A search field without button and suggestions takes Enter. Pageup and Pagedown are quicker than scrolling.".to_owned());
    } else {
        out.push(format!("Before you type, {press} the field, unless it surely has the focus."));
    }
    if can(Capability::Shell) {
        out.push("What a command changed may show only after the program is told to look again.".to_owned());
    }
    out.extend(
        [
            "Once a list of choices is open, choose before you do anything else. Drag a slider again that ended up elsewhere.",
            "Close banners, advertisements, offers to sign in and cookie questions that are in the way, unless the task is about them.",
            "Do what the task asks and nothing beside it, with exactly the values, colours and options that it names.",
            "Save changed files and settings; where the task gives no name or place, keep what is suggested.",
            "Cancel a question for a system password. Leave windows, tabs and apps open.",
            "Before you finish, see to it that what was entered has been taken (Enter, Tab, Save, Apply, leaving the field) and nothing that you started still runs. Finish with success only when the screen shows every part of the task done, with failure when it cannot be done here or you go round in circles.",
            "Never log out, lock, restart or switch off the device; a task that needs it ends in failure.",
        ]
        .map(str::to_owned),
    );
    out
}
