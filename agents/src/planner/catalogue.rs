//! Which of the types of actions (`specs`) a device has, and what the prompt says of them in its words.

use serde_json::{Value, json};
use waldo_devices::{Capability, DeviceInfo, Platform};
use waldo_prompts::planner::{ActionDoc, Parameter};

use super::specs::{On, SPECS};
use crate::appagent::machine;

/// Whether a device has the action of this type. Whether there are secrets, and whether scripts may play the
/// page, is not the device's matter.
pub fn offered(device: &DeviceInfo, name: &str) -> bool {
    SPECS.iter().filter(|s| s.name == name).any(|s| has(device, s.on))
}

fn has(device: &DeviceInfo, on: On) -> bool {
    let can = |what: Capability| device.capabilities.contains(&what);
    match on {
        On::Any | On::Secrets => true,
        On::Needs(what) => can(what),
        On::MouseOrTouch => can(Capability::Mouse) || can(Capability::Touch),
        On::Touch => can(Capability::Touch) || !can(Capability::Mouse),
        On::Widgets => device.platform == Platform::Web,
    }
}

/// What a prompt says of a device's actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actions {
    /// What can be done to the screen.
    pub screen: Vec<ActionDoc>,
    /// What touches nothing.
    pub special: Vec<ActionDoc>,
    /// Examples as JSON.
    pub examples: Vec<String>,
}

impl Actions {
    /// The types in order.
    pub fn names(&self) -> Vec<String> {
        self.screen.iter().chain(&self.special).map(|a| a.name.clone()).collect()
    }
}

/// What there is beside the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras<'a> {
    /// Names of secrets.
    pub secrets: &'a [String],
    /// Whether scripts may play the page that is shown.
    pub widgets: bool,
}

/// The actions of a device, in its words, with what there is beside it.
pub fn actions(device: &DeviceInfo, extras: Extras<'_>) -> Actions {
    let Extras { secrets, widgets } = extras;
    let word = Words::of(device);
    let mut out = Actions { screen: Vec::new(), special: Vec::new(), examples: Vec::new() };
    for s in SPECS.iter().filter(|s| has(device, s.on)) {
        if s.on == On::Secrets && secrets.is_empty() || s.on == On::Widgets && !widgets {
            continue;
        }
        let mut purpose = word.fit(s.purpose);
        if s.on == On::Secrets {
            purpose.push_str(&format!(" The names are: {}.", secrets.join(", ")));
        }
        let parameters = s
            .parameters
            .iter()
            .map(|(name, what)| Parameter { name: (*name).to_owned(), what: word.fit(what) })
            .collect();
        let doc = ActionDoc { name: s.name.to_owned(), purpose, parameters };
        if s.special {
            out.special.push(doc)
        } else {
            out.screen.push(doc)
        }
        out.examples.extend(s.examples.iter().map(|(what, with)| example(s.name, &word.fit(what), with)));
    }
    out
}

fn example(name: &str, description: &str, parameters: &str) -> String {
    let mut shown = json!({ "type": name, "description": description });
    if let Ok(Value::Object(parameters)) = serde_json::from_str(parameters)
        && !parameters.is_empty()
    {
        shown["parameters"] = Value::Object(parameters);
    }
    serde_json::to_string_pretty(&shown).unwrap_or_default()
}

/// The words of a device.
pub(crate) struct Words {
    /// The device with its article.
    pub(crate) machine: &'static str,
    /// How pressing is called.
    pub(crate) verb: &'static str,
}

impl Words {
    pub(crate) fn of(device: &DeviceInfo) -> Self {
        Self {
            machine: machine(device.platform),
            verb: if device.capabilities.contains(&Capability::Mouse) { "Click" } else { "Tap" },
        }
    }

    /// A text in the words of the device.
    fn fit(&self, text: &str) -> String {
        let text = match text.strip_prefix("Press the ") {
            Some(rest) => format!("{} the {rest}", self.verb),
            None => text.to_owned(),
        };
        if self.verb == "Tap" { text.replace("Double click", "Double tap") } else { text }
    }
}

/// What to keep in mind on a device, said again in every turn.
pub(crate) fn reminders(device: &DeviceInfo) -> Vec<String> {
    let can = |what: Capability| device.capabilities.contains(&what);
    let press = Words::of(device).verb.to_lowercase();
    let mut out = vec![
        format!("One action a turn: never two things at once, such as to {press} and type."),
        "Act only on what can be seen in full. Whatever is hidden or cut off has to be scrolled into view first.".to_owned(),
        format!("Before you type, the field needs the focus; {press} it in a turn of its own. A cursor is not always to be seen in a field that has the focus."),
    ];
    if can(Capability::Keyboard) {
        out.push("A field that holds a value already, not only a grey hint, has to be emptied before you type, with the action clear, or with Ctrl A and then Backspace.".to_owned());
        out.push(
            "When a search field offers neither a button nor suggestions after typing, press Enter."
                .to_owned(),
        );
        out.push("To look through much content, Pageup and Pagedown are quicker than scrolling.".to_owned());
    }
    if can(Capability::Shell) {
        out.push(
            "What a command changed may show on the screen only after the program is told to look again."
                .to_owned(),
        );
    }
    out.push("Once a list of choices is open, choose one of them before you do anything else.".to_owned());
    out.push(
        "Close banners, advertisements, offers to sign in and questions about cookies that are in the way."
            .to_owned(),
    );
    out.push("When a slider did not end up where it should, drag it again.".to_owned());
    if can(Capability::Navigation) {
        out.push("There is no address bar; to go to an address, use open_url.".to_owned());
    }
    if can(Capability::Select) {
        out.push("Set a drop-down list with select_option rather than by opening it.".to_owned());
    }
    out.push("scroll needs a direction, finish needs a status.".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appagent::testing::{device, phone};
    use crate::planner::reply::read;

    fn all(secrets: &[String]) -> Extras<'_> {
        Extras { secrets, widgets: true }
    }

    #[test]
    fn widgets_are_offered_in_browsers_where_scripts_may_play_the_page() {
        let offers =
            |device: &DeviceInfo, extras| actions(device, extras).names().contains(&"widget".to_owned());
        assert!(offers(&device(), all(&[])));
        assert!(!offers(&device(), Extras::default()));
        assert!(!offers(&phone(), all(&[])));
        assert!(offered(&device(), "widget") && !offered(&phone(), "widget"));
    }

    #[test]
    fn every_example_can_be_read() {
        let secrets = ["pin".to_owned()];
        for device in [device(), phone()] {
            for example in actions(&device, all(&secrets)).examples {
                let reply = format!(
                    r#"{{"previous_action_result": "", "thought": "", "action_description": "", "update_memory": [], "action": {example}}}"#
                );
                let (read, repairs) = read(&reply).unwrap_or_else(|e| panic!("{e}: {example}"));
                assert_eq!(repairs, Vec::<String>::new(), "{example}");
                assert!(offered(&device, read.action.act.name()));
                let written: Value = serde_json::from_str(&example).unwrap();
                assert_eq!(read.action.json()["type"], written["type"]);
            }
        }
    }

    #[test]
    fn a_shell_is_offered_only_where_the_device_says_so() {
        let with = |more: &[Capability]| DeviceInfo {
            platform: waldo_devices::Platform::Desktop,
            capabilities: [&[Capability::Mouse, Capability::Keyboard, Capability::Clipboard], more].concat(),
            ..device()
        };
        let (closed, open) = (with(&[]), with(&[Capability::Shell]));
        for (device, shell) in [(&closed, false), (&open, true)] {
            let names = actions(device, all(&[])).names();
            assert!(names.iter().any(|n| n == "paste"));
            assert_eq!(names.iter().any(|n| n == "run_command"), shell);
            assert_eq!(offered(device, "run_command"), shell);
            assert_eq!(reminders(device).iter().any(|r| r.contains("command")), shell);
        }
        for example in actions(&open, all(&[]))
            .examples
            .iter()
            .filter(|e| e.contains("run_command") || e.contains("paste"))
        {
            let reply = format!(
                r#"{{"previous_action_result": "", "thought": "", "action_description": "", "update_memory": [], "action": {example}}}"#
            );
            assert_eq!(read(&reply).unwrap().1, Vec::<String>::new(), "{example}");
        }
    }

    #[test]
    fn a_phone_has_no_right_click_and_a_browser_has_tabs() {
        let phone = DeviceInfo { capabilities: vec![Capability::Touch], ..phone() };
        let (web, phone) = (actions(&device(), Extras::default()).names(), actions(&phone, all(&[])).names());
        for name in ["right_click", "mouse_move", "triple_click", "switch_tab", "select_option"] {
            assert!(web.iter().any(|n| n == name), "{name}");
            assert!(!phone.iter().any(|n| n == name), "{name}");
        }
        assert!(!web.iter().any(|n| n == "paste" || n == "run_command"));
        for name in ["long_press", "pinch"] {
            assert!(phone.iter().any(|n| n == name), "{name}");
        }
        assert!(!web.iter().any(|n| n == "pinch"));
        assert!(!web.iter().any(|n| n == "type_secret"));
        assert!(actions(&device(), all(&["pin".to_owned()])).names().iter().any(|n| n == "type_secret"));
    }
}
