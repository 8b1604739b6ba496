//! The list of tools: actions from the catalogue, as far as the device can, and what a client asks besides.
//!
//! Invariant: the list depends on flags and device alone; nothing of a screen is in it.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Value, json};
use waldo_devices::catalogue::{Param, ParamKind};
use waldo_devices::{Capability, DeviceInfo, Tool};

use super::hints;

/// How many tools are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ToolSet {
    /// Every one that the device has.
    #[default]
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
    /// Whether flags name secrets.
    pub secrets: bool,
    /// Whether flags name files to upload.
    pub uploads: bool,
    /// Whether flags allow shell commands.
    pub shell: bool,
    /// Whether flags give documentation.
    pub docs: bool,
    /// Whether flags name an agent that goals can be handed to.
    pub delegate: bool,
}

/// What a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// An action of the device.
    Action(Tool),
    /// The screen.
    Observe,
    /// Waiting for something.
    WaitFor,
    /// The text of the page.
    Read,
    /// The bare picture.
    Screenshot,
    /// What the device is.
    Devices,
    /// What documentation says of the screen.
    Docs,
    /// A goal for one of waldo's agents.
    Delegate,
}

/// A tool as it is offered.
#[derive(Clone, Debug)]
pub struct Offered {
    /// What it is.
    pub kind: ToolKind,
    /// As it is listed.
    pub listed: Listed,
}

/// The tools of a session.
pub fn offered(device: &DeviceInfo, set: ToolSet, extras: ToolExtras) -> Vec<Offered> {
    let mut all = questions(extras);
    let fits = |tool: &Tool| match tool {
        Tool::TypeSecret => extras.secrets,
        Tool::Upload => extras.uploads,
        Tool::Shell => extras.shell,
        _ => true,
    };
    let actions = Tool::ALL.iter().copied().filter(|tool| tool.offered(device) && !is_hidden(*tool, device));
    all.extend(actions.filter(fits).map(|tool| action(tool, device)));
    if set == ToolSet::Core {
        let rank = |offered: &Offered| CORE_TOOLS.iter().position(|name| *name == offered.listed.name);
        all.retain(|offered| rank(offered).is_some());
        all.sort_by_key(rank);
        all.truncate(CORE);
    }
    all
}

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
        spec.params.iter().map(|param| (param.name.to_owned(), schema(param))).collect();
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
    Offered { kind: ToolKind::Action(tool), listed }
}

/// A parameter's schema. Elements go by their numbers; what says itself has no description.
fn schema(param: &Param) -> Value {
    let mut schema = match param.kind {
        ParamKind::PlaceWithin => json!({ "type": "object", "properties": {
            "element": { "type": "integer" }, "x": { "type": "number" }, "y": { "type": "number" } },
            "description": "x and y in percent of it" }),
        kind if kind.is_target() => json!({ "type": "integer" }),
        ParamKind::Keys => json!({ "type": "string", "description": "such as Enter or ctrl+a" }),
        ParamKind::Address => json!({ "type": "string", "description": "or a path of this site" }),
        ParamKind::Reply
        | ParamKind::Direction
        | ParamKind::Distance
        | ParamKind::Side
        | ParamKind::Clicks
        | ParamKind::Button
        | ParamKind::Text
        | ParamKind::Modifiers
        | ParamKind::Path
        | ParamKind::Whole(..)
        | ParamKind::Tab
        | ParamKind::Files => {
            let mut schema = param.schema();
            if let Some(map) = schema.as_object_mut() {
                map.remove("description");
            }
            schema
        }
        _ => param.schema(),
    };
    if param.kind == ParamKind::Path {
        schema = json!({ "type": "array", "items": { "type": "array", "items": { "type": "number" } } });
    }
    schema
}

fn object(properties: JsonObject, required: &[&str]) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Arc::new(schema)
}

/// The tools that ask and do not act.
fn questions(extras: ToolExtras) -> Vec<Offered> {
    let question = |kind: ToolKind, name: &'static str, words: &'static str, properties: Value| {
        let properties = properties.as_object().cloned().unwrap_or_default();
        let listed = Listed::new(name, words, object(properties, &[]))
            .with_annotations(ToolAnnotations::new().read_only(true));
        Offered { kind, listed }
    };
    let mut all = vec![
        question(
            ToolKind::Observe,
            "observe",
            "Lists what is on the screen: [number] role \"name\" (states) value. Numbers stay while an element stays; \
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
        all.push(Offered { kind: ToolKind::Delegate, listed });
    }
    all
}

#[cfg(test)]
mod tests {
    use waldo_devices::{Geometry, Platform};

    use super::*;

    const EVERYTHING: ToolExtras =
        ToolExtras { secrets: true, uploads: true, shell: true, docs: true, delegate: true };

    fn device(platform: Platform) -> DeviceInfo {
        let capabilities = platform.capabilities().to_vec();
        DeviceInfo {
            platform,
            product: String::new(),
            geometry: Geometry::new(100.0, 100.0, 1.0),
            capabilities,
        }
    }

    fn tokens(tools: &[Offered]) -> usize {
        let listed: Vec<&Listed> = tools.iter().map(|t| &t.listed).collect();
        let text = serde_json::to_string(&listed).unwrap();
        tiktoken_rs::o200k_base().unwrap().encode_ordinary(&text).len()
    }

    #[test]
    fn the_lists_are_short() {
        for platform in [Platform::Web, Platform::Android, Platform::Desktop] {
            let device = device(platform);
            let all = offered(&device, ToolSet::All, EVERYTHING);
            let core = offered(&device, ToolSet::Core, EVERYTHING);
            eprintln!(
                "{}: {} tools of {} tokens, core {} of {}",
                platform.as_str(),
                all.len(),
                tokens(&all),
                core.len(),
                tokens(&core)
            );
            assert!(tokens(&all) <= 3_000, "{}", tokens(&all));
            assert!(core.len() <= CORE && tokens(&core) <= 1_200, "{}", tokens(&core));
            let mut names: Vec<_> = all.iter().map(|t| t.listed.name.clone()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all.len(), "two tools of one name");
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
