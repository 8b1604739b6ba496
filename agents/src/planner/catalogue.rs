//! Which of the actions a device has, and what the prompt says of them in its words.

use serde_json::{Value, json};
use waldo_devices::catalogue::ParamKind;
use waldo_devices::{Capability, DeviceInfo, Tool};
use waldo_prompts::planner::{ActionDoc, Parameter};

use super::act::{name_of, parameter, tools};
use super::specs::{
    EXAMPLES, EXTRACT, FINISH, ToolSpec, UPSTREAM, UPSTREAM_EXAMPLES, UPSTREAM_OWN, UPSTREAM_REMINDERS,
    WIDGET, WORDS,
};
use crate::agent::View;
use crate::appagent::{machine, rare, usable};

/// Whether a device has the action of this type. Whether there are secrets, and whether scripts may play the
/// page, is not the device's matter.
pub fn offered(device: &DeviceInfo, name: &str) -> bool {
    let own = [EXTRACT.name, FINISH.name].contains(&name);
    own || name == WIDGET.name && device.platform.has_pages()
        || tools().any(|tool| name_of(tool) == name && has(device, tool))
}

fn has(device: &DeviceInfo, tool: Tool) -> bool {
    // Under a mouse nothing is pressed and held.
    let by_mouse =
        device.capabilities.contains(&Capability::Mouse) && !device.capabilities.contains(&Capability::Touch);
    tool.offered(device) && !(by_mouse && tool == Tool::LongPress)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actions {
    pub screen: Vec<ActionDoc>,
    pub special: Vec<ActionDoc>,
    /// What can be done on few screens only: prompts name it where it can, after all that stays the same.
    pub rare: Vec<ActionDoc>,
    pub examples: Vec<String>,
}

/// Whether an action of this type can be used on few screens only.
fn rare_tool(name: &str) -> Option<Tool> {
    tools().find(|tool| rare(*tool) && name_of(*tool) == name)
}

impl Actions {
    /// Those of the rare ones that can be used on a screen.
    pub fn fitting(&self, view: &View) -> Vec<ActionDoc> {
        let fits =
            |doc: &&ActionDoc| rare_tool(&doc.name).is_some_and(|tool| usable(tool, &view.observation));
        self.rare.iter().filter(fits).cloned().collect()
    }

    pub fn named(&self, name: &str) -> Option<&ActionDoc> {
        self.screen.iter().chain(&self.rare).chain(&self.special).find(|doc| doc.name == name)
    }

    pub fn names(&self) -> Vec<String> {
        self.screen.iter().chain(&self.rare).chain(&self.special).map(|a| a.name.clone()).collect()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlannerExtras<'a> {
    pub secrets: &'a [String],
    /// Whether scripts may play the page that is shown.
    pub widgets: bool,
}

pub fn actions(device: &DeviceInfo, extras: PlannerExtras<'_>) -> Actions {
    let PlannerExtras { secrets, widgets } = extras;
    let word = DeviceWords::of(device);
    let mut out = Actions { screen: Vec::new(), special: Vec::new(), rare: Vec::new(), examples: Vec::new() };
    for tool in tools().filter(|tool| has(device, *tool)) {
        if tool == Tool::TypeSecret && secrets.is_empty() {
            continue;
        }
        let mut doc = documented(tool, &word);
        if tool == Tool::TypeSecret {
            doc.purpose.push_str(&format!(" The names are: {}.", secrets.join(", ")));
        }
        let list = match tool {
            Tool::Wait => &mut out.special,
            tool if rare(tool) => &mut out.rare,
            _ => &mut out.screen,
        };
        list.push(doc);
        out.examples.extend(examples(EXAMPLES, Some(name_of(tool)), &word));
    }
    for own in [WIDGET, EXTRACT, FINISH] {
        if own.name == WIDGET.name && !(widgets && offered(device, own.name)) {
            continue;
        }
        let list = if own.special { &mut out.special } else { &mut out.screen };
        list.push(own_action(&own));
        let (what, with) = own.example;
        out.examples.push(example(own.name, &word.fit(what), with));
    }
    out
}

/// The actions of the planner that this one is modelled on, as far as a device has them, with its examples.
pub(crate) fn upstream_actions(device: &DeviceInfo) -> Actions {
    let word = DeviceWords::of(device);
    let mut out = Actions { screen: Vec::new(), special: Vec::new(), rare: Vec::new(), examples: Vec::new() };
    for tool in UPSTREAM.into_iter().filter(|tool| has(device, *tool)) {
        let mut doc = documented(tool, &word);
        match tool {
            Tool::Wait => doc.parameters.clear(),
            Tool::Type => {
                doc.purpose.push_str(" The field has to have the focus; it may have to be pressed first.")
            }
            Tool::Key => {
                doc.purpose.push_str(" A key with a click is not such a combination: use two actions.")
            }
            _ => {}
        }
        let list = if tool == Tool::Wait { &mut out.special } else { &mut out.screen };
        list.push(doc);
        out.examples.extend(examples(UPSTREAM_EXAMPLES, Some(name_of(tool)), &word));
    }
    let (extract, mut finish) = (own_action(&EXTRACT), own_action(&FINISH));
    finish.parameters.retain(|parameter| parameter.name == "status");
    out.special.splice(0..0, [extract]);
    out.special.push(finish);
    out.examples.extend(examples(UPSTREAM_OWN, None, &word));
    out
}

fn own_action(own: &ToolSpec) -> ActionDoc {
    let parameter = |(name, what): &(&str, &str)| Parameter {
        name: (*name).into(),
        what: (*what).into(),
        optional: ["answer", "element_description"].contains(name),
    };
    ActionDoc {
        name: own.name.to_owned(),
        purpose: own.purpose.to_owned(),
        parameters: own.parameters.iter().map(parameter).collect(),
    }
}

fn documented(tool: Tool, word: &DeviceWords) -> ActionDoc {
    let spec = tool.spec();
    let mut parameters = Vec::new();
    for param in spec.params.iter().filter(|param| !param.seldom) {
        let name = parameter(tool, param);
        let own = WORDS.iter().find(|(of, named, _)| *of == tool && *named == name);
        let what = match (own, param.kind) {
            (Some((_, _, what)), _) => (*what).to_owned(),
            // What the description of the action says is not said twice.
            (None, _) if name == "element_description" => continue,
            (None, ParamKind::Whole(min, max)) => format!("whole number from {min} to {max}: {}", param.what),
            (None, ParamKind::Tab | ParamKind::Window) => format!("whole number: {}", param.what),
            (None, ParamKind::Object) => format!("object: {}", param.what),
            (None, kind) if kind.is_target() => format!("text: the place {}", param.what),
            (None, _) => format!("text: {}", param.what),
        };
        parameters.push(Parameter { name: name.to_owned(), what: word.fit(&what), optional: param.optional });
    }
    ActionDoc { name: name_of(tool).to_owned(), purpose: word.fit(&spec.says("something")), parameters }
}

/// The examples of a list, or those of one type in it.
fn examples(list: &str, of: Option<&str>, word: &DeviceWords) -> impl Iterator<Item = String> {
    list.lines().filter_map(move |line| {
        let (name, rest) = line.split_once('\t')?;
        let (what, with) = rest.split_once('\t')?;
        of.is_none_or(|of| of == name).then(|| example(name, &word.fit(what), with))
    })
}

fn example(name: &str, description: &str, parameters: &str) -> String {
    let mut shown = json!({ "type": name, "description": description });
    if let Ok(Value::Object(parameters)) = serde_json::from_str(parameters)
        && !parameters.is_empty()
    {
        shown["parameters"] = Value::Object(parameters);
    }
    shown.to_string()
}

pub(crate) struct DeviceWords {
    pub(crate) machine: &'static str,
    pub(crate) verb: &'static str,
}

impl DeviceWords {
    pub(crate) fn of(device: &DeviceInfo) -> Self {
        Self {
            machine: machine(device.platform),
            verb: if device.capabilities.contains(&Capability::Mouse) { "Click" } else { "Tap" },
        }
    }

    fn fit(&self, text: &str) -> String {
        let text = match text.strip_prefix("Press the ") {
            Some(rest) => format!("{} the {rest}", self.verb),
            None => text.to_owned(),
        };
        if self.verb == "Tap" { text.replace("Double click", "Double tap") } else { text }
    }
}

/// What upstream has its planner keep in mind, said again in every turn.
pub(crate) fn upstream_reminders() -> Vec<String> {
    UPSTREAM_REMINDERS.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appagent::testing::{device, phone, view};
    use crate::planner::brief::rules;
    use crate::planner::reply::read;

    fn all(secrets: &[String]) -> PlannerExtras<'_> {
        PlannerExtras { secrets, widgets: true }
    }

    #[test]
    fn widgets_are_offered_where_scripts_may_play_and_examples_say_no_list() {
        let offers =
            |device: &DeviceInfo, extras| actions(device, extras).names().contains(&"widget".to_owned());
        assert!(offers(&device(), all(&[])));
        assert!(!offers(&device(), PlannerExtras::default()));
        assert!(!offers(&phone(), all(&[])));
        assert!(offered(&device(), "widget") && !offered(&phone(), "widget"));
        // Half of what they once were.
        let length =
            actions(&device(), PlannerExtras::default()).examples.iter().map(String::len).sum::<usize>();
        assert!(length < 1369, "{length}");
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
        let with = |more: &[Capability]| {
            let capabilities =
                [&[Capability::Mouse, Capability::Keyboard, Capability::Clipboard], more].concat();
            DeviceInfo { platform: waldo_devices::Platform::Desktop, capabilities, ..device() }
        };
        let (closed, open) = (with(&[]), with(&[Capability::Shell]));
        for (device, shell) in [(&closed, false), (&open, true)] {
            let names = actions(device, all(&[])).names();
            assert!(names.iter().any(|n| n == "paste"));
            assert_eq!(names.iter().any(|n| n == "run_command"), shell);
            assert_eq!(offered(device, "run_command"), shell);
            assert_eq!(rules(device).iter().any(|r| r.contains("command")), shell);
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
        let (web, phone) =
            (actions(&device(), PlannerExtras::default()).names(), actions(&phone, all(&[])).names());
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

    #[test]
    fn what_few_screens_allow_is_told_on_these() {
        let all = actions(&device(), all(&[]));
        let mut seen = view().observation;
        seen.elements.retain(|e| !e.affordances.contains(&waldo_devices::Affordance::Upload));
        let two = seen.clone();
        seen.context.tabs.truncate(1);
        let shown = |seen| View::new(seen, waldo_devices::LabelStyle::Boxes).unwrap();
        assert_eq!(all.fitting(&shown(seen)), []);
        assert!(!all.screen.iter().chain(&all.special).any(|a| rare_tool(&a.name).is_some()));
        let view = shown(two);
        let names: Vec<String> = all.fitting(&view).into_iter().map(|a| a.name).collect();
        assert_eq!(names, ["switch_tab", "close_tab"]);
        assert!(all.names().contains(&"answer_dialog".to_owned()));
    }
}
