//! From a tree, in points, to elements, in pixels of the picture.

use super::role::{ElementUse, of};
use super::tree::{PhoneNode, PhoneTree};
use waldo_devices::element::{Element, ElementRef, Role, Source, States};
use waldo_devices::geometry::{Physical, Rect, ScaledPicture};
use waldo_devices::observation::StaticText;
use waldo_devices::secrets::Secrets;

/// Characters of names and values.
const NAME_MAX: usize = 200;
/// Characters of a text.
const TEXT_MAX: usize = 2_000;

/// What can be seen.
#[derive(Debug, Default)]
pub(crate) struct VisibleElements {
    pub(crate) elements: Vec<Element>,
    pub(crate) texts: Vec<StaticText>,
    pub(crate) truncated: usize,
    pub(crate) texts_left_out: usize,
    /// Whether the app itself shows an alert, which its tree tells like all else.
    pub(crate) has_alert: bool,
    pub(crate) has_keyboard: bool,
}

/// The elements of a tree, `cap` at most. `generation` tells their handles from those of other observations.
pub(crate) fn found(
    tree: &PhoneTree,
    screen: &ScaledPicture,
    generation: u64,
    cap: usize,
    secrets: &Secrets,
) -> VisibleElements {
    let bounds = screen.geometry().screen();
    let mut out = VisibleElements::default();
    // Up to where nodes are a keyboard's, and up to where they are within the element of this name.
    let (mut keyboard, mut within, mut name) = (0, 0, String::new());
    for (at, node) in tree.nodes.iter().enumerate() {
        if !node.is_visible {
            continue;
        }
        match node.kind.as_str() {
            "Keyboard" => (keyboard, out.has_keyboard) = (node.end, true),
            "Alert" | "Sheet" => out.has_alert = true,
            _ => {}
        }
        // Letters are typed; what else a keyboard has (return, next) can be pressed.
        if at < keyboard && node.kind != "Button" {
            continue;
        }
        let Some((role, what)) = of(&node.kind) else { continue };
        let Some(seen) = visible(node, screen, &bounds) else { continue };
        if what == ElementUse::Text {
            let text = secrets.brief(words(node), TEXT_MAX);
            // The element around it may tell it already.
            if text.is_empty() || at < within && name.contains(&text) {
                continue;
            }
            match out.texts.len() >= cap {
                true => out.texts_left_out += 1,
                false => {
                    out.texts.push(StaticText { text, bounds: seen, before: out.elements.len() });
                }
            }
            continue;
        }
        if what == ElementUse::Thing && (!node.is_accessible || node.label.is_empty()) {
            continue;
        }
        if out.elements.len() >= cap {
            out.truncated += 1;
            continue;
        }
        let handle = ElementRef(format!("{generation}:{at}"));
        let element = element(handle, node, &below(tree, at), (role, what), seen, secrets);
        (within, name) = (node.end, element.name.clone());
        out.elements.push(element);
    }
    out
}

/// All that can be read, a line each.
pub(crate) fn texts(tree: &PhoneTree, secrets: &Secrets) -> String {
    let seen = tree.nodes.iter().filter(|node| node.is_visible && node.kind != "SecureTextField");
    let lines: Vec<&str> = seen.map(words).filter(|text| !text.is_empty()).collect();
    secrets.mask(lines.join("\n"))
}

fn words(node: &PhoneNode) -> &str {
    if node.label.is_empty() { &node.value } else { &node.label }
}

fn visible(node: &PhoneNode, screen: &ScaledPicture, bounds: &Rect<Physical>) -> Option<Rect<Physical>> {
    let rect = screen.rect_from_native(node.rect?).intersect(bounds)?;
    (rect.w >= 1.0 && rect.h >= 1.0).then_some(rect)
}

/// The texts below a node, joined.
fn below(tree: &PhoneTree, at: usize) -> String {
    let node = &tree.nodes[at];
    let texts =
        tree.nodes[at + 1..node.end].iter().filter(|below| below.is_visible && below.kind == "StaticText");
    let texts: Vec<&str> = texts.map(words).filter(|text| !text.is_empty()).take(20).collect();
    texts.join(", ")
}

fn element(
    handle: ElementRef,
    node: &PhoneNode,
    below: &str,
    (role, what): (&str, ElementUse),
    bounds: Rect<Physical>,
    secrets: &Secrets,
) -> Element {
    let name = match (node.label.as_str(), what) {
        ("", ElementUse::Edit | ElementUse::Secret) => node.placeholder.as_str(),
        ("", ElementUse::Scroll) => "",
        ("", _) if !below.is_empty() => below,
        ("", _) => node.identifier.as_str(),
        (label, _) => label,
    };
    // A field that is empty tells its placeholder.
    let holds = !node.value.is_empty() && node.value != node.placeholder;
    let value = match what {
        ElementUse::Secret => holds.then(|| "•".repeat(node.value.chars().count().min(20))),
        ElementUse::Edit | ElementUse::Slide => holds.then(|| secrets.brief(&node.value, NAME_MAX)),
        _ => None,
    };
    let says = |word: &str| node.traits.split([',', ' ']).any(|own| own.eq_ignore_ascii_case(word));
    let is_on = matches!(node.value.as_str(), "1" | "true");
    let id = Some(&node.identifier).filter(|id| !id.is_empty());
    Element {
        handle,
        role: Role::new(role),
        name: secrets.brief(name, NAME_MAX),
        value,
        states: States {
            focused: node.is_focused,
            disabled: !node.is_enabled,
            checked: (what == ElementUse::Switch).then_some(is_on),
            selected: says("selected").then_some(true),
            ..States::default()
        },
        affordances: what.affordances(),
        bounds,
        hit: bounds.center(),
        options: Vec::new(),
        frame: 0,
        uid: id.map(|id| secrets.brief(&format!("{}/{id}", node.kind), NAME_MAX)),
        id: id.map(|id| secrets.brief(id, NAME_MAX)),
        source: Source::Tree,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_devices::geometry::Geometry;

    fn seen(children: &str) -> VisibleElements {
        let whole = format!(r#"{{"value": {{"type": "Application", "children": [{children}]}}}}"#);
        let tree = super::super::tree::read(whole.as_bytes()).unwrap();
        let screen = ScaledPicture::new((1170, 2532), (390, 844), 1.0);
        found(&tree, &screen, 7, 50, &Secrets::default())
    }

    fn node(kind: &str, more: &str) -> String {
        format!(
            r#"{{"type": "{kind}", "rect": {{"x": 10, "y": 100, "width": 100, "height": 44}}, {more} "isVisible": "1"}}"#
        )
    }

    #[test]
    fn points_become_pixels_and_what_is_out_of_view_is_left_out() {
        let screen = ScaledPicture::new((1170, 2532), (390, 844), 1.0);
        assert_eq!(screen.geometry(), Geometry::new(1170.0, 2532.0, 3.0));
        let all = seen(&node("Button", r#""label": "Buy","#));
        assert_eq!(all.elements[0].bounds, Rect::new(30.0, 300.0, 300.0, 132.0));
        assert_eq!(all.elements[0].handle.0, "7:1");
        for gone in [
            r#"{"type": "Button", "label": "x", "rect": {"x": 10, "y": 900, "width": 9, "height": 9}}"#,
            r#"{"type": "Button", "label": "x", "isVisible": "0", "rect": {"x": 1, "y": 9, "width": 9, "height": 9}}"#,
            r#"{"type": "Button", "label": "x"}"#,
        ] {
            assert!(seen(gone).elements.is_empty(), "{gone}");
        }
    }

    #[test]
    fn names_come_from_what_is_nearest_and_secure_fields_tell_nothing() {
        let cell = node(
            "Cell",
            r#""children": [{"type": "StaticText", "label": "Mia"}, {"type": "StaticText", "label": "Hello"}],"#,
        );
        let field = node(
            "TextField",
            r#""placeholderValue": "Your name", "value": "Your name", "rawIdentifier": "who","#,
        );
        let secret = node("SecureTextField", r#""label": "PIN", "value": "1234","#);
        let switch = node("Switch", r#""label": "Wi-Fi", "value": "1", "traits": "Button, Selected","#);
        let nothing = node("Other", r#""label": "layout", "isAccessible": "0","#);
        let all = seen(&[cell, field, secret, switch, nothing].join(","));
        let told: Vec<_> = all.elements.iter().map(|e| (e.name.as_str(), e.value.as_deref())).collect();
        let bullets = Some("••••");
        assert_eq!(told, [("Mia, Hello", None), ("Your name", None), ("PIN", bullets), ("Wi-Fi", None)]);
        assert!(all.texts.is_empty(), "the cell tells them");
        assert_eq!(all.elements[1].uid.as_deref(), Some("TextField/who"));
        assert_eq!(
            (all.elements[3].states.checked, all.elements[3].states.selected),
            (Some(true), Some(true))
        );
    }

    #[test]
    fn a_keyboards_letters_are_left_out_and_an_alert_is_told_of() {
        let key = node("Key", r#""label": "q","#);
        let next = node("Button", r#""label": "Return","#);
        let keyboard = node("Keyboard", &format!(r#""children": [{key}, {next}],"#));
        let all = seen(&[keyboard, node("Alert", ""), node("StaticText", r#""label": "Sure?","#)].join(","));
        assert_eq!(all.elements.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["Return"]);
        assert!(all.has_keyboard && all.has_alert);
        assert_eq!(all.texts[0].text, "Sure?");
        assert_eq!(all.texts[0].before, 1);
    }
}
