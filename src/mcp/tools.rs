//! The list of tools: actions from the catalogue, as far as the device can, and what a client asks besides.
//!
//! Invariant: the list depends on flags and device alone; nothing of a screen is in it.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Value, json};
use waldo_agents::Choice;
use waldo_devices::catalogue::{Param, ParamKind};
use waldo_devices::{Capability, DeviceInfo, Tool};

use super::args::{self, Answer, Reason};
use super::hints;

/// How many tools are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ToolSet {
    /// Those that are often needed, and more_tools, which lists the others.
    #[default]
    Common,
    /// Every one that the device has.
    All,
    /// The ten that most tasks need.
    Core,
}

/// Tools at the most of [`ToolSet::Core`].
const CORE: usize = 10;
/// The tools of [`ToolSet::Core`], the most needed first; a device has some of them.
const CORE_TOOLS: [&str; 14] = [
    "observe", "tap", "fill", "open", "key", "type", "swipe", "scroll", "wait_for", "back", "select", "home",
    "delegate", "tap_at",
];

/// Tools that [`ToolSet::Common`] lists on demand alone.
const RARE: [&str; 11] = [
    "console",
    "devices",
    "drag_path",
    "extract",
    "hover",
    "mouse_down",
    "mouse_up",
    "network",
    "pinch",
    "rotate",
    "screenshot",
];

/// Actions that others say as well: `key`, `wait_for`, `tap_at` with its clicks and buttons, `fill` with nothing. Swipes
/// and long presses are a finger's.
fn is_hidden(tool: Tool, device: &DeviceInfo) -> bool {
    let can = |what: Capability| device.capabilities.contains(&what);
    match tool {
        Tool::Wait => true,
        Tool::Enter | Tool::Clear => can(Capability::Keyboard),
        Tool::DoubleTap | Tool::TripleTap | Tool::RightTap | Tool::LongPress | Tool::Swipe => {
            can(Capability::Mouse)
        }
        _ => false,
    }
}

/// What else decides which tools there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolExtras {
    pub secrets: bool,
    /// Whether flags name files to upload.
    pub uploads: bool,
    pub shell: bool,
    pub docs: bool,
    /// Whether flags name an agent that goals can be handed to.
    pub delegate: bool,
    pub scored: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    Action(Tool),
    Observe,
    WaitFor,
    Read,
    Screenshot,
    /// What the console of the page shows.
    Console,
    /// What the pages asked the network for.
    Network,
    /// A JSON schema that is filled from the screen.
    Extract,
    /// The tools that are not listed yet.
    More,
    Devices,
    Docs,
    /// A goal for one of waldo's agents.
    Delegate,
    End(EpisodeEnd),
}

/// How a client ends an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpisodeEnd {
    Finish,
    Infeasible,
    GiveUp,
}

impl EpisodeEnd {
    const ALL: [(Self, &str, &str); 3] = [
        (
            Self::Finish,
            "finish",
            "Ends the episode: the goal is reached. With the answer, where the goal asks for one.",
        ),
        (Self::Infeasible, "infeasible", "Ends the episode: the goal cannot be reached here."),
        (Self::GiveUp, "give_up", "Ends the episode without claiming anything."),
    ];

    /// What its one parameter is called, and whether it may be left out.
    const fn parameter(self) -> (&'static str, bool) {
        match self {
            Self::Finish => ("answer", true),
            Self::Infeasible | Self::GiveUp => ("reason", false),
        }
    }

    /// The agent's choice that a call comes to.
    pub fn choice(self, arguments: JsonObject) -> Result<Choice, String> {
        Ok(match self {
            Self::Finish => Choice::Finish { answer: args::read::<Answer>("finish", arguments)?.answer },
            Self::Infeasible => {
                Choice::Infeasible { reason: args::read::<Reason>("infeasible", arguments)?.reason }
            }
            Self::GiveUp => Choice::GiveUp { reason: args::read::<Reason>("give_up", arguments)?.reason },
        })
    }
}

#[derive(Clone, Debug)]
pub struct Offered {
    pub kind: ToolKind,
    pub listed: Listed,
    pub is_rare: bool,
}

impl Offered {
    fn new(kind: ToolKind, listed: Listed) -> Self {
        Self { kind, listed, is_rare: false }
    }
}

pub fn offered(device: &DeviceInfo, set: ToolSet, extras: ToolExtras) -> Vec<Offered> {
    let mut all = questions(device, extras);
    let fits = |tool: &Tool| match tool {
        Tool::TypeSecret => extras.secrets,
        Tool::Upload => extras.uploads || extras.scored,
        Tool::Shell => extras.shell || extras.scored,
        _ => true,
    };
    // Time passes in a scored episode by a step alone.
    let hidden = |tool: Tool| is_hidden(tool, device) && !(extras.scored && tool == Tool::Wait);
    let actions = Tool::ALL.iter().copied().filter(|tool| tool.offered(device) && !hidden(*tool));
    all.extend(actions.filter(fits).map(|tool| action(tool, device)));
    if set == ToolSet::Core {
        let rank = |offered: &Offered| CORE_TOOLS.iter().position(|name| *name == offered.listed.name);
        all.retain(|offered| rank(offered).is_some());
        all.sort_by_key(rank);
        all.truncate(CORE);
    }
    if set == ToolSet::Common {
        let mut rare = Vec::new();
        for tool in &mut all {
            tool.is_rare = RARE.contains(&tool.listed.name.as_ref());
            if tool.is_rare {
                rare.push(tool.listed.name.to_string());
            }
        }
        if !rare.is_empty() {
            let words = format!("Lists the tools that are seldom needed: {}.", rare.join(", "));
            let listed = Listed::new(MORE_TOOLS, words, object(JsonObject::new(), &[]))
                .with_annotations(ToolAnnotations::new().read_only(true));
            all.push(Offered::new(ToolKind::More, listed));
        }
    }
    all
}

pub const MORE_TOOLS: &str = "more_tools";

/// The name that a tool of the catalogue has here: what opens pages and what opens apps is one.
pub fn name_of(tool: Tool) -> &'static str {
    match tool {
        Tool::Navigate | Tool::OpenApp => "open",
        other => other.name(),
    }
}

fn action(tool: Tool, device: &DeviceInfo) -> Offered {
    let spec = tool.spec();
    let properties: JsonObject =
        spec.params.iter().map(|param| (param.name.to_owned(), schema(tool, param))).collect();
    let required: Vec<&str> = spec.params.iter().filter(|p| !p.optional).map(|p| p.name).collect();
    let words = match tool {
        Tool::TapAt => {
            "Presses a place within an element: with double or triple clicks, another button, or keys held (ctrl+shift)."
        }
        Tool::DragPath => {
            "Presses within an element, follows the places, in percent of its width and height, and lets go."
        }
        _ => spec.sentence,
    };
    let mut listed =
        Listed::new(name_of(tool), words.replace("{it}", "an element"), object(properties, &required));
    listed.annotations = hints::annotations(tool, device);
    Offered::new(ToolKind::Action(tool), listed)
}

/// A parameter's schema. Elements go by their numbers; what says itself has no description.
fn schema(tool: Tool, param: &Param) -> Value {
    // Where nothing has a number there is still a way to reach it.
    let by_place = matches!(tool, Tool::Hover | Tool::Drag | Tool::Scroll | Tool::MouseDown | Tool::MouseUp);
    match param.kind {
        ParamKind::PlaceWithin => json!({ "type": "object", "properties": {
            "element": { "type": "integer" }, "x": { "type": "number" }, "y": { "type": "number" } },
            "description": "x and y in percent of it; of the screen in pixels without it" }),
        kind if kind.is_target() && by_place => {
            json!({ "type": ["integer", "object"], "description": "or {x, y} in pixels of the screen" })
        }
        kind if kind.is_target() => json!({ "type": "integer" }),
        ParamKind::Keys => json!({ "type": "string", "description": "such as Enter or ctrl+a" }),
        ParamKind::Address => json!({ "type": "string", "description": "or a path of this site" }),
        ParamKind::Path => {
            json!({ "type": "array", "items": { "type": "array", "items": { "type": "number" } } })
        }
        ParamKind::Words | ParamKind::Name | ParamKind::Window | ParamKind::Seconds | ParamKind::Object => {
            param.schema()
        }
        _ => {
            let mut schema = param.schema();
            if let Some(map) = schema.as_object_mut() {
                map.remove("description");
            }
            schema
        }
    }
}

pub fn object(properties: JsonObject, required: &[&str]) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Arc::new(schema)
}

fn questions(device: &DeviceInfo, extras: ToolExtras) -> Vec<Offered> {
    let question = |kind: ToolKind, name: &'static str, words: &'static str, properties: Value| {
        let properties = properties.as_object().cloned().unwrap_or_default();
        let listed = Listed::new(name, words, object(properties, &[]))
            .with_annotations(ToolAnnotations::new().read_only(true));
        Offered::new(kind, listed)
    };
    let mut all = vec![
        question(
            ToolKind::Observe,
            "observe",
            "Lists what is on the screen: number role \"name\" (states) value. Numbers stay while an element stays; \
             actions tell what changed, so observe again only when that is not enough.",
            json!({ "picture": { "type": "boolean", "description": "add the picture with the numbers" },
                    "changes_only": { "type": "boolean", "description": "only what changed since you were told" } }),
        ),
        question(
            ToolKind::WaitFor,
            "wait_for",
            "Waits until the screen shows a text, or an element of that name, or is quiet.",
            json!({ "text": { "type": "string" }, "element": { "type": "string" },
                    "seconds": { "type": "number", "description": "at most, 10 by default, up to 30" } }),
        ),
        question(
            ToolKind::Read,
            "read",
            "The text of the whole page, 6,000 characters at a time.",
            json!({ "from": { "type": "integer", "description": "first character" } }),
        ),
        question(
            ToolKind::Screenshot,
            "screenshot",
            "The picture of the screen, without numbers.",
            json!({}),
        ),
        question(
            ToolKind::Devices,
            "devices",
            "What the device is, and what may be touched on it.",
            json!({}),
        ),
    ];
    if extras.scored {
        all.retain(|tool| !matches!(tool.kind, ToolKind::WaitFor | ToolKind::Read | ToolKind::Devices));
        all.extend(EpisodeEnd::ALL.map(|(end, name, words)| {
            let (parameter, optional) = end.parameter();
            let properties = JsonObject::from_iter([(parameter.to_owned(), json!({ "type": "string" }))]);
            let required: &[&str] = if optional { &[] } else { &[parameter] };
            Offered::new(ToolKind::End(end), Listed::new(name, words, object(properties, required)))
        }));
    } else {
        let words = "Fills a JSON schema from what is on the screen: labels with their values, or the rows of a table.";
        let mut extract =
            question(ToolKind::Extract, "extract", words, json!({ "schema": { "type": "object" } }));
        let listed = &mut extract.listed;
        listed.input_schema =
            object(listed.input_schema["properties"].as_object().cloned().unwrap_or_default(), &["schema"]);
        all.push(extract);
        if device.platform.has_pages() {
            let words = "What the console of the page shows, the last messages.";
            all.push(question(ToolKind::Console, "console", words, json!({})));
            let words = "The last requests of the pages, with status or error, and what the guard refused.";
            all.push(question(ToolKind::Network, "network", words, json!({})));
        }
    }
    if extras.docs {
        all.push(question(
            ToolKind::Docs,
            "docs",
            "What is documented about the elements on the screen.",
            json!({}),
        ));
    }
    if extras.delegate {
        let properties =
            json!({ "goal": { "type": "string", "description": "what is to be reached, in words" } });
        let properties = properties.as_object().cloned().unwrap_or_default();
        let words = "Hands a goal to an agent that works on this screen until it is done or its budget is used up. Its \
                     word is not checked: look at the screen afterwards.";
        let listed = Listed::new("delegate", words, object(properties, &["goal"]));
        all.push(Offered::new(ToolKind::Delegate, listed));
    }
    all
}

#[cfg(test)]
mod tests {
    use waldo_devices::Platform;

    use super::*;
    use crate::mcp::screen::testing::device;

    const EVERYTHING: ToolExtras =
        ToolExtras { secrets: true, uploads: true, shell: true, docs: true, delegate: true, scored: false };

    fn tokens(tools: &[Offered]) -> usize {
        let listed: Vec<&Listed> = tools.iter().filter(|t| !t.is_rare).map(|t| &t.listed).collect();
        let text = serde_json::to_string(&listed).unwrap();
        tiktoken_rs::o200k_base().unwrap().encode_ordinary(&text).len()
    }

    #[test]
    fn the_lists_are_short() {
        for platform in [Platform::Web, Platform::Android, Platform::Desktop] {
            let device = device(platform);
            let all = offered(&device, ToolSet::All, EVERYTHING);
            let common = offered(&device, ToolSet::Common, EVERYTHING);
            let core = offered(&device, ToolSet::Core, EVERYTHING);
            eprintln!(
                "{}: {} tools of {} tokens, common {}, core {} of {}",
                platform.as_str(),
                all.len(),
                tokens(&all),
                tokens(&common),
                core.len(),
                tokens(&core)
            );
            assert!(tokens(&all) <= 3_000, "{}", tokens(&all));
            assert!(tokens(&common) < 1_600, "{}", tokens(&common));
            assert!(core.len() <= CORE && tokens(&core) <= 1_200, "{}", tokens(&core));
            let mut names = std::collections::HashSet::new();
            assert!(all.iter().all(|t| names.insert(&t.listed.name)), "two tools of one name");
        }
    }

    #[test]
    fn what_flags_do_not_give_is_not_offered() {
        let has = |tools: &[Offered], name: &str| tools.iter().any(|t| t.listed.name == name);
        let desktop = device(Platform::Desktop);
        let plain = offered(&desktop, ToolSet::All, ToolExtras::default());
        let rich = offered(&desktop, ToolSet::All, EVERYTHING);
        for name in ["type_secret", "shell", "docs"] {
            assert!(!has(&plain, name) && has(&rich, name), "{name}");
        }
        let scored = offered(&desktop, ToolSet::All, ToolExtras { scored: true, ..ToolExtras::default() });
        for name in ["finish", "infeasible", "give_up", "wait"] {
            assert!(!has(&rich, name) && has(&scored, name), "{name}");
        }
        assert!(has(&rich, "wait_for") && !has(&scored, "wait_for"));
        let web = device(Platform::Web);
        assert!(!has(&offered(&web, ToolSet::All, ToolExtras::default()), "upload"));
        assert!(has(&offered(&web, ToolSet::All, EVERYTHING), "upload"));
        assert!(has(&plain, "open") && has(&offered(&web, ToolSet::Core, ToolExtras::default()), "open"));
    }

    #[test]
    fn every_example_of_the_catalogue_fits_the_schema_that_is_listed() {
        let web = device(Platform::Web);
        for tool in offered(&web, ToolSet::All, EVERYTHING) {
            let ToolKind::Action(action) = tool.kind else { continue };
            let Some(example) = action.example() else { continue };
            let properties = tool.listed.input_schema["properties"].as_object().unwrap();
            for name in example.parameters().keys() {
                assert!(properties.contains_key(name), "{} has no {name}", tool.listed.name);
            }
        }
    }
}
