//! The accessibility tree as the server writes it: XML, whose attributes lie in namespaces of three systems.
//!
//! Invariants: a tree of more than [`NODES_MAX`] nodes is none; no declaration of entities is read; the walk keeps its own
//! stack, so no depth of a tree ends the process.

use roxmltree::{Document, Node as Xml, ParsingOptions};

use super::role::{clips, of};
use waldo_desktop::window::{Window, shown_title};
use waldo_devices::geometry::{Physical, Rect};
use waldo_http::OperatingSystem;

pub(crate) const NODES_MAX: usize = 50_000;
const PARSED_MAX: u32 = 150_000;

/// What is on the screen, as programs tell it.
#[derive(Debug, Default)]
pub(crate) struct AccessibilityTree {
    /// Bottom to top, as far as that is told: the one with the keyboard lies above others, popups above all.
    pub(crate) windows: Vec<Window>,
    pub(crate) nodes: Vec<TreeNode>,
}

#[derive(Clone, Debug)]
pub(crate) struct TreeNode {
    /// Its kind, in small letters, as [`of`] takes it.
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) states: Vec<String>,
    pub(crate) bounds: Rect<Physical>,
    /// What it lies within, where that cuts it off.
    pub(crate) clip: Option<Rect<Physical>>,
    pub(crate) window: Option<u32>,
}

impl TreeNode {
    pub(crate) fn has(&self, state: &str) -> bool {
        self.states.iter().any(|known| known == state)
    }
}

struct WalkStep<'a, 'i> {
    node: Xml<'a, 'i>,
    program: String,
    window: Option<u32>,
    clip: Option<Rect<Physical>>,
}

pub(crate) fn read(xml: &str, system: OperatingSystem) -> Result<AccessibilityTree, String> {
    let options = ParsingOptions { nodes_limit: PARSED_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(xml, options).map_err(|error| error.to_string())?;
    let mut tree = AccessibilityTree::default();
    let mut popups = Vec::new();
    let root = document.root_element();
    let mut steps = vec![WalkStep { node: root, program: String::new(), window: None, clip: None }];
    let mut count = 0;
    while let Some(WalkStep { node, mut program, mut window, mut clip }) = steps.pop() {
        count += 1;
        if count > NODES_MAX {
            return Err(format!("it has more than {NODES_MAX} nodes"));
        }
        let kind = kind(node, system);
        let depth_of_windows = if system == OperatingSystem::Linux { 2 } else { 1 };
        let depth = node.ancestors().take(5).count() - 2;
        if kind == "application" || (system == OperatingSystem::Mac && depth == 1) {
            program = named(node);
        }
        let seen = object(node, kind, system);
        if let Some(seen) = &seen {
            if depth == depth_of_windows {
                let own = own_window(node, seen, &program, system, tree.windows.len() + popups.len());
                window = Some(own.id);
                clip = Some(seen.bounds);
                if own.override_redirect { popups.push(own) } else { tree.windows.push(own) }
            }
            if clips(&seen.kind) {
                clip = Some(clip.and_then(|clip| clip.intersect(&seen.bounds)).unwrap_or(seen.bounds));
            }
        }
        let children: Vec<Xml<'_, '_>> = node.children().filter(Xml::is_element).collect();
        let within = children.into_iter().rev();
        steps.extend(within.map(|node| WalkStep { node, program: program.clone(), window, clip }));
        if let Some(mut seen) = seen.filter(|seen| of(system, &seen.kind).is_some()) {
            seen.window = window;
            seen.clip = clip.filter(|_| depth > depth_of_windows);
            tree.nodes.push(seen);
        }
    }
    // Nobody tells which window lies above which; the one that has the keyboard is in front.
    tree.windows.sort_by_key(|window| window.focused);
    tree.windows.extend(popups);
    Ok(tree)
}

fn attribute<'a>(node: Xml<'a, '_>, namespace: &str, name: &str) -> Option<&'a str> {
    let found = node.attributes().find(|attribute| {
        attribute.name() == name && attribute.namespace().is_some_and(|uri| uri.ends_with(namespace))
    });
    found.map(|attribute| attribute.value())
}

fn named(node: Xml<'_, '_>) -> String {
    node.attribute("name").unwrap_or_default().to_owned()
}

/// Its kind, as [`of`] takes it.
fn kind(node: Xml<'_, '_>, system: OperatingSystem) -> String {
    let tag = node.tag_name().name().to_lowercase();
    match system {
        OperatingSystem::Linux => tag,
        OperatingSystem::Windows => {
            let friendly = attribute(node, "/ns/class", "friendly_class_name").map(str::to_lowercase);
            let wrapper = attribute(node, "/ns/class", "class").and_then(|class| {
                let name = class.trim_end_matches("'>").rsplit('.').next()?.strip_suffix("Wrapper")?;
                (!matches!(name, "UIA" | "Base" | "Hwnd")).then(|| name.to_lowercase())
            });
            let known = |kind: &String| of(system, kind).is_some();
            wrapper.filter(known).or_else(|| friendly.filter(known)).unwrap_or(tag)
        }
        OperatingSystem::Mac => {
            let role = attribute(node, "/ns/role", "AXSubrole").and_then(|role| role.strip_prefix("AX"));
            let role = role.map(str::to_lowercase).filter(|role| of(system, role).is_some());
            let own = attribute(node, "/ns/role", "AXRole").and_then(|role| role.strip_prefix("AX"));
            role.or_else(|| own.map(str::to_lowercase)).unwrap_or_else(|| tag.replace('_', ""))
        }
    }
}

/// `(12, 34)`.
fn pair(text: &str) -> Option<(f64, f64)> {
    let (a, b) = text.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && n.abs() < 1e6);
    Some((number(a)?, number(b)?))
}

fn object(node: Xml<'_, '_>, kind: String, system: OperatingSystem) -> Option<TreeNode> {
    let (x, y) = pair(attribute(node, "/ns/component", "screencoord")?)?;
    let (w, h) = pair(attribute(node, "/ns/component", "size")?)?;
    if w <= 0.0 || h <= 0.0 {
        return None;
    }
    let states: Vec<String> = node
        .attributes()
        .filter(|attribute| {
            attribute.namespace().is_some_and(|uri| uri.ends_with("/ns/state"))
                && matches!(attribute.value(), "true" | "True" | "1")
        })
        .map(|attribute| attribute.name().trim_start_matches("AX").to_lowercase())
        .collect();
    let drawn = match system {
        // The server tells a box only of what is showing and visible.
        OperatingSystem::Linux => true,
        OperatingSystem::Windows => states.iter().any(|state| state == "visible"),
        OperatingSystem::Mac => true,
    };
    let text: String = node.children().filter(Xml::is_text).filter_map(|text| text.text()).collect();
    let title = || {
        let words = ["AXTitle", "AXDescription", "AXHelp"].into_iter();
        words.filter_map(|key| attribute(node, "/ns/attributes", key)).find(|word| !word.is_empty())
    };
    let name = match system {
        OperatingSystem::Mac => title().map(str::to_owned).unwrap_or_else(|| named(node)),
        OperatingSystem::Linux | OperatingSystem::Windows => named(node),
    };
    let bounds = Rect::new(x, y, w, h);
    drawn.then_some(TreeNode { kind, name, text, states, bounds, clip: None, window: None })
}

fn own_window(
    node: Xml<'_, '_>,
    seen: &TreeNode,
    program: &str,
    system: OperatingSystem,
    at: usize,
) -> Window {
    let program = if system == OperatingSystem::Windows { seen.kind.clone() } else { program.to_owned() };
    let popup = system == OperatingSystem::Linux
        && matches!(seen.kind.as_str(), "window" | "menu" | "tool-tip" | "popup-menu");
    // A number that stays the same while the window does: of program, title and place among those of the same.
    let twins = node
        .prev_siblings()
        .skip(1)
        .filter(|other| other.attribute("name") == node.attribute("name"))
        .count();
    let id = format!("{program}\n{}\n{twins}", seen.name)
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let id = if id == 0 { u32::try_from(at).unwrap_or(1).max(1) } else { id };
    Window {
        id,
        outer: id,
        pid: None,
        program: shown_title(&program),
        class: seen.kind.clone(),
        title: shown_title(&seen.name),
        frame: seen.bounds,
        client: seen.bounds,
        override_redirect: popup,
        splash: false,
        focused: ["active", "has_keyboard_focus", "keyboard_focused", "focused"]
            .iter()
            .any(|state| seen.has(state)),
        minimised: seen.has("iconified") || seen.has("minimized"),
    }
}
