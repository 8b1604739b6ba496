//! From nodes to the contract's elements.

use super::appagent::uid;
use super::hit;
use super::parse::{DumpNode, UiDump};
use super::role::{is_editable, is_slider, role};
use waldo_devices::element::{Affordance, Element, ElementRef, Source, States};
use waldo_devices::geometry::{Native, Physical, Point, Rect, ScaledPicture};
use waldo_devices::secrets::brief;

const NAME_MAX: usize = 200;

#[derive(Clone, Copy, Debug)]
pub struct TreeView {
    /// The screen; the tree counts in native pixels.
    pub screen: ScaledPicture,
    pub keyboard_top: Option<Point<Native>>,
    /// The most elements; the rest is counted.
    pub cap: usize,
    /// A number that goes into each handle: handles of other observations are told apart by it.
    pub generation: u64,
}

/// The elements of a dump in document order, and how many were left out because of the cap.
pub fn tree_elements(tree: &UiDump, view: &TreeView) -> (Vec<Element>, usize) {
    let mut told = vec![false; tree.nodes.len()];
    let seen: Vec<Option<Rect<Physical>>> = tree.nodes.iter().map(|node| visible(node, view)).collect();
    let mut places = Vec::new();
    let mut names = Vec::new();
    for (place, node) in tree.nodes.iter().enumerate() {
        if seen[place].is_none() {
            continue;
        }
        let acts = !affordances(node).is_empty();
        let own = own_name(node);
        if acts {
            let takes_name = own.is_empty() && (node.clickable || node.long_clickable || node.checkable);
            let name =
                if takes_name { name_below(tree, place, &seen, &mut told) } else { brief(own, NAME_MAX) };
            places.push(place);
            names.push(name);
        } else if !own.is_empty() && !told[place] {
            places.push(place);
            names.push(brief(own, NAME_MAX));
        }
    }
    let dropped = places.len().saturating_sub(view.cap);
    places.truncate(view.cap);
    // Nodes that take a tap away from what lies under them.
    let takers: Vec<(usize, &Rect<Physical>)> = places
        .iter()
        .filter(|p| takes_taps(&tree.nodes[**p]))
        .filter_map(|p| Some((*p, seen[*p].as_ref()?)))
        .collect();
    let elements = places
        .iter()
        .zip(names)
        .filter_map(|(place, name)| {
            let bounds = seen[*place]?;
            let after = takers.partition_point(|(p, _)| p <= place);
            let above = takers[after..].iter().map(|(_, rect)| *rect).filter(|rect| **rect != bounds);
            let hit = hit::point(&bounds, above);
            Some(element(tree, *place, name, bounds, hit, view.generation))
        })
        .collect();
    (elements, dropped)
}

/// The element of a node that [`tree_elements`] does not list.
pub(super) fn bare(tree: &UiDump, place: usize, bounds: Rect<Physical>, generation: u64) -> Element {
    let name = tree.nodes.get(place).map(|node| brief(own_name(node), NAME_MAX)).unwrap_or_default();
    element(tree, place, name, bounds, bounds.center(), generation)
}

fn element(
    tree: &UiDump,
    place: usize,
    name: String,
    bounds: Rect<Physical>,
    hit: Point<Physical>,
    generation: u64,
) -> Element {
    let node = &tree.nodes[place];
    let editable = is_editable(node);
    let value = if editable {
        let text = if node.text == node.hint && !node.hint.is_empty() { "" } else { node.text.as_str() };
        Some(if node.password { "•".repeat(text.chars().count().min(32)) } else { brief(text, NAME_MAX) })
    } else if is_slider(node) && !node.text.is_empty() {
        Some(brief(&node.text, NAME_MAX))
    } else {
        None
    };
    Element {
        handle: ElementRef(format!("{generation}:{place}")),
        role: role(node),
        name,
        value,
        states: States {
            focused: node.focused,
            disabled: !node.enabled,
            checked: node.checkable.then_some(node.checked),
            selected: node.selected.then_some(true),
            ..States::default()
        },
        affordances: affordances(node),
        bounds,
        hit,
        options: Vec::new(),
        frame: 0,
        uid: Some(uid(tree, node)),
        id: made_name(node),
        source: Source::Tree,
    }
}

fn visible(node: &DumpNode, view: &TreeView) -> Option<Rect<Physical>> {
    let b = node.bounds?;
    let [x1, y1, x2, y2] = [b.x1, b.y1, b.x2, b.y2].map(f64::from);
    let mut screen = view.screen.geometry().screen();
    if let Some(top) = view.keyboard_top {
        screen.h = screen.h.min(view.screen.from_native(top).y - screen.y).max(0.0);
    }
    if x2 <= x1 || y2 <= y1 {
        return None;
    }
    view.screen.rect_from_native(Rect::new(x1, y1, x2 - x1, y2 - y1)).intersect(&screen)
}

fn affordances(node: &DumpNode) -> Vec<Affordance> {
    let mut can = Vec::new();
    if is_slider(node) && (node.focusable || node.clickable) {
        can.push(Affordance::Drag);
    }
    if node.clickable || node.long_clickable || node.checkable {
        can.push(Affordance::Click);
    }
    if is_editable(node) {
        can.push(Affordance::Edit);
    }
    if node.scrollable {
        can.push(Affordance::Scroll);
    }
    can
}

fn takes_taps(node: &DumpNode) -> bool {
    node.clickable || node.long_clickable || node.checkable || is_editable(node)
}

/// A node's own words. A text field's text is its value, not its name.
fn own_name(node: &DumpNode) -> &str {
    let hint_shown = !node.hint.is_empty();
    let texts: [&str; 3] = if is_editable(node) {
        [&node.content_desc, &node.hint, ""]
    } else {
        [&node.text, &node.content_desc, if hint_shown { &node.hint } else { "" }]
    };
    texts.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default()
}

/// What its makers call it: the resource id without its package; the description where a text is the name.
fn made_name(node: &DumpNode) -> Option<String> {
    let id = node.resource_id.rsplit_once('/').map_or(node.resource_id.as_str(), |(_, name)| name);
    let description = if node.text.trim().is_empty() { "" } else { node.content_desc.trim() };
    let both = [id, description].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let both = brief(&both, NAME_MAX);
    (!both.is_empty()).then_some(both)
}

/// The words of what lies below a node and does nothing by itself.
fn name_below(tree: &UiDump, place: usize, seen: &[Option<Rect<Physical>>], told: &mut [bool]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut length = 0;
    let below = tree.below(place);
    let mut at = below.start;
    while at < below.end && length < NAME_MAX {
        let node = &tree.nodes[at];
        if !affordances(node).is_empty() {
            // What can be used has a name of its own, and so has all below it.
            at = node.end.max(at + 1);
            continue;
        }
        let own = own_name(node);
        if !own.is_empty() && seen[at].is_some() {
            let part = brief(own, NAME_MAX);
            length += part.chars().count() + 2;
            if length <= NAME_MAX + 2 {
                told[at] = true;
            }
            parts.push(part);
        }
        at += 1;
    }
    brief(&parts.join(", "), NAME_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> TreeView {
        TreeView {
            screen: ScaledPicture::new((1080, 2400), (1080, 2400), 1.0),
            keyboard_top: None,
            cap: 1500,
            generation: 3,
        }
    }

    fn read(nodes: &str, view: &TreeView) -> Vec<Element> {
        tree_elements(&UiDump::parse(&format!("<hierarchy rotation=\"0\">{nodes}</hierarchy>")), view).0
    }

    #[test]
    fn a_row_takes_its_childrens_words_and_they_are_not_told_twice() {
        let seen = read(
            r#"<node index="0" class="android.widget.LinearLayout" clickable="true" bounds="[0,100][1080,300]">
               <node index="0" class="android.widget.TextView" text="Wi-Fi" bounds="[50,120][300,180]"/>
               <node index="1" class="android.widget.TextView" text="Connected" bounds="[50,200][300,260]"/>
               <node index="2" class="android.widget.Switch" text="" content-desc="Wi-Fi" checkable="true" checked="true" clickable="true" bounds="[400,120][680,280]"/></node>"#,
            &view(),
        );
        let names: Vec<_> =
            seen.iter().map(|e| (e.role.as_str(), e.name.as_str(), e.states.checked)).collect();
        assert_eq!(names, [("button", "Wi-Fi, Connected", None), ("switch", "Wi-Fi", Some(true))]);
        assert!(!seen[1].bounds.contains(seen[0].hit));
    }

    #[test]
    fn fields_have_values_and_what_is_off_the_screen_is_left_out() {
        let seen = read(
            r#"<node class="android.widget.EditText" text="anna" hint="Name" clickable="true" focusable="true" focused="true" bounds="[0,0][100,50]"/>
               <node class="android.widget.EditText" text="hunter2" password="true" bounds="[0,50][100,90]"/>
               <node class="android.widget.EditText" text="Search" hint="Search" bounds="[0,90][100,120]"/>"#,
            &view(),
        );
        assert_eq!((seen[0].name.as_str(), seen[0].value.as_deref()), ("Name", Some("anna")));
        assert!(seen[0].states.focused && seen[0].can(Affordance::Edit));
        assert_eq!(seen[1].value.as_deref(), Some("•••••••"));
        assert_eq!(seen[2].value.as_deref(), Some(""));
        let nodes = r#"<node class="android.widget.Button" text="In" clickable="true" bounds="[0,100][200,200]"/>
            <node class="android.widget.Button" text="Half" clickable="true" bounds="[-100,1400][100,1600]"/>
            <node class="android.widget.Button" text="Under" clickable="true" bounds="[0,1600][200,1700]"/>
            <node class="android.widget.Button" text="Out" clickable="true" bounds="[0,2400][200,2500]"/>
            <node class="android.widget.Button" text="Flat" clickable="true" bounds="[0,20][200,20]"/>
            <node class="android.widget.Button" text="Turned" clickable="true" bounds="[50,50][20,20]"/>"#;
        let seen = read(nodes, &TreeView { keyboard_top: Some(Point::new(0.0, 1500.0)), ..view() });
        let names: Vec<_> = seen.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["In", "Half"]);
        assert_eq!(seen[1].bounds, Rect::new(0.0, 1400.0, 100.0, 100.0));
        assert_eq!(read(nodes, &view()).len(), 3);
        let many: String = (0..50)
            .map(|i| {
                format!(
                    r#"<node class="B" clickable="true" text="{i}" bounds="[0,{}][9,{}]"/>"#,
                    i * 10,
                    i * 10 + 9
                )
            })
            .collect();
        let tree = UiDump::parse(&format!("<hierarchy>{many}</hierarchy>"));
        let (seen, dropped) = tree_elements(&tree, &TreeView { cap: 20, ..view() });
        assert_eq!((seen.len(), dropped), (20, 30));
    }
}
