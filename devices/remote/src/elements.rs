//! From a tree and a picture to elements.

use image::RgbImage;

use super::role::{ElementUse, of};
use super::tree::{AccessibilityTree, TreeNode};
use waldo_desktop::bare::fill_bare;
use waldo_desktop::silent::fill_silent;
use waldo_desktop::visible::see;
use waldo_devices::{Element, Physical, Rect, Secrets, States, StaticText};
use waldo_http::OperatingSystem;

const NAME_MAX: usize = 200;
const TEXT_MAX: usize = 2_000;

pub(crate) struct VisibleElements {
    pub(crate) elements: Vec<Element>,
    pub(crate) texts: Vec<StaticText>,
    pub(crate) truncated: usize,
    pub(crate) texts_left_out: usize,
}

/// The elements of a tree on a picture, `cap` at most; what programs do not tell is found in the picture.
pub(crate) fn found(
    tree: &AccessibilityTree,
    picture: &RgbImage,
    system: OperatingSystem,
    cap: usize,
    secrets: &Secrets,
) -> VisibleElements {
    let screen = Rect::new(0.0, 0.0, f64::from(picture.width()), f64::from(picture.height()));
    let mut out =
        VisibleElements { elements: Vec::new(), texts: Vec::new(), truncated: 0, texts_left_out: 0 };
    for (at, node) in tree.nodes.iter().enumerate() {
        let Some((role, what)) = of(system, &node.kind) else { continue };
        let Some(seen) = visible(node, tree, &screen) else { continue };
        if what == ElementUse::Text {
            if out.texts.len() >= cap {
                out.texts_left_out += 1;
                continue;
            }
            let text = secrets.brief(if node.name.is_empty() { &node.text } else { &node.name }, TEXT_MAX);
            if !text.is_empty() {
                out.texts.push(StaticText { text, bounds: seen.bounds, before: out.elements.len() });
            }
            continue;
        }
        if out.elements.len() >= cap {
            out.truncated += 1;
            continue;
        }
        out.elements.push(element(at, node, role, what, &seen, secrets));
    }
    let told = |id: u32| out.elements.iter().any(|element| window_of(tree, element) == Some(id));
    let silent: Vec<u32> = tree.windows.iter().map(|window| window.id).filter(|id| !told(*id)).collect();
    let left = cap.saturating_sub(out.elements.len());
    let (more, dropped) = fill_silent(picture, &tree.windows, &silent, 1.0, left);
    out.truncated += dropped;
    let left = left.saturating_sub(more.len());
    let (bare, dropped) = fill_bare(picture, &tree.windows, &silent, &out.elements, 1.0, left);
    out.truncated += dropped;
    out.elements.extend(more);
    out.elements.extend(bare);
    out
}

fn window_of(tree: &AccessibilityTree, element: &Element) -> Option<u32> {
    let at: usize = element.handle.0.strip_prefix('n')?.parse().ok()?;
    tree.nodes.get(at)?.window
}

fn visible(
    node: &TreeNode,
    tree: &AccessibilityTree,
    screen: &Rect<Physical>,
) -> Option<waldo_desktop::visible::VisibleArea> {
    let clip = match &node.clip {
        Some(clip) => clip.intersect(screen)?,
        None => *screen,
    };
    let own = tree.windows.iter().position(|window| Some(window.id) == node.window);
    let above: Vec<Rect<Physical>> = match own {
        None => Vec::new(),
        // Of windows that lie side by side nobody tells the order: only the front one and popups cover for certain.
        Some(own) => tree.windows[own + 1..]
            .iter()
            .filter(|window| !window.minimised && (window.focused || window.override_redirect))
            .map(|window| window.frame)
            .collect(),
    };
    see(&node.bounds, &clip, &above)
}

fn element(
    at: usize,
    node: &TreeNode,
    role: &str,
    what: ElementUse,
    seen: &waldo_desktop::visible::VisibleArea,
    secrets: &Secrets,
) -> Element {
    let is_password = node.kind.contains("password") || node.kind == "securetextfield";
    let editable = what != ElementUse::Edit || !node.has("read-only") && !node.has("read_only");
    let value = match what {
        _ if is_password => (!node.text.is_empty()).then(|| "•".repeat(node.text.chars().count().min(20))),
        ElementUse::Edit | ElementUse::Slide => {
            (!node.text.is_empty()).then(|| secrets.brief(&node.text, NAME_MAX))
        }
        ElementUse::Act | ElementUse::Text => None,
    };
    let name = match (node.name.is_empty(), what) {
        (true, ElementUse::Act) => &node.text,
        _ => &node.name,
    };
    let can_be = |able: &[&str], is: &str| able.iter().any(|state| node.has(state)).then(|| node.has(is));
    let checks = matches!(role, "checkbox" | "radio" | "menuitemcheckbox" | "menuitemradio");
    Element {
        name: secrets.brief(name, NAME_MAX),
        value,
        states: States {
            focused: node.has("focused"),
            disabled: !(node.has("enabled") || node.has("sensitive")),
            readonly: !editable,
            checked: if checks { Some(node.has("checked")) } else { can_be(&["checkable"], "checked") },
            selected: can_be(&["selectable"], "selected"),
            expanded: can_be(&["expandable"], "expanded"),
            ..States::default()
        },
        affordances: what.affordances(),
        hit: seen.hit(),
        ..Element::at(format!("n{at}"), role, seen.bounds)
    }
}
