//! From objects to the contract's elements.
//!
//! Invariants: what is covered, off the screen or scrolled away is left out; a hit point lies on the
//! object and under no other window; words that an element has in its name are not told again.

use std::collections::HashMap;

use super::protocol::{Role, State};

use super::super::windows::Window;
use super::node::{AccessNode, NAME_MAX, ObjectTree};
use super::roles::{self, ObjectUse};
use crate::visible::{VisibleArea, fragments, pixel, see};
use waldo_devices::screen_text::clean;
use waldo_devices::secrets::brief;
use waldo_devices::{Affordance, Element, Physical, Point, Rect, Source, States};

/// The least side of an element, in pixels.
const LEAST: f64 = 3.0;
/// The longest path that an element is known by, in characters.
const UID_MAX: usize = 300;
/// The least side of a place beside an inner element, in pixels.
const BESIDE: f64 = 6.0;
/// How far from the left of an expander its arrow is, in pixels.
const EXPANDER: f64 = 8.0;
/// How far to the left of a field its label may end, in pixels.
const LABEL_REACH: f64 = 260.0;

pub(super) struct Stack<'a> {
    windows: &'a [Window],
    screen: Rect<Physical>,
}

impl<'a> Stack<'a> {
    pub(super) fn new(windows: &'a [Window], screen: Rect<Physical>) -> Self {
        Self { windows, screen }
    }

    /// The visible part of the screen that a window may draw on, and what lies above it.
    pub(super) fn view(&self, id: u32) -> Option<(Rect<Physical>, Vec<Rect<Physical>>)> {
        let at = self.windows.iter().position(|window| window.id == id && !window.minimised)?;
        let clip = self.windows[at].frame.intersect(&self.screen)?;
        let above =
            self.windows[at + 1..].iter().filter(|window| !window.minimised).map(|w| w.frame).collect();
        Some((clip, above))
    }

    /// Whether anything of a window can be seen.
    pub(super) fn shows(&self, id: u32) -> bool {
        self.view(id).is_some_and(|(clip, above)| {
            fragments(&clip, &above).iter().any(|part| part.w >= LEAST && part.h >= LEAST)
        })
    }
}

struct Candidate {
    place: usize,
    element: Element,
    kind: ObjectUse,
    fragment: Rect<Physical>,
}

/// The clip that holds for what lies below each node.
fn clips(tree: &ObjectTree, open: &[usize]) -> Vec<Option<Rect<Physical>>> {
    let mut clips: Vec<Option<Rect<Physical>>> = vec![None; tree.nodes.len()];
    for place in open {
        let node = &tree.nodes[*place];
        let inherited = node.parent.filter(|parent| tree.nodes[*parent].window == node.window);
        let inherited = inherited.and_then(|parent| clips[parent]);
        clips[*place] = match node.place().filter(|_| roles::clips(node.role)) {
            Some(own) => match inherited {
                // Nothing shows through two holes that do not meet.
                Some(outer) => Some(outer.intersect(&own).unwrap_or_default()),
                None => Some(own),
            },
            // A bar without height is drawn by somebody else.
            None if node.role == Role::MenuBar && node.extents.is_some() => Some(Rect::default()),
            None => inherited,
        };
    }
    clips
}

/// The elements of one program, window by window in document order.
pub(super) fn collect(
    tree: &ObjectTree,
    open: &[usize],
    labels: &HashMap<usize, String>,
    stack: &Stack<'_>,
    program: &str,
) -> Vec<(u32, Element)> {
    let clips = clips(tree, open);
    let mut views = HashMap::new();
    let mut found: Vec<Candidate> = Vec::new();
    for place in open.iter().copied() {
        let node = &tree.nodes[place];
        let (Some((role, kind)), Some(window), Some(rect)) = (roles::kind(node), node.window, node.place())
        else {
            continue;
        };
        if !is_wanted(tree, place, kind) {
            continue;
        }
        let Some((clip, above)) = views.entry(window).or_insert_with(|| stack.view(window)) else { continue };
        let parent = node.parent.filter(|parent| tree.nodes[*parent].window == node.window);
        let clip = match parent.and_then(|parent| clips[parent]) {
            Some(inner) => clip.intersect(&inner),
            None => Some(*clip),
        };
        let Some(seen) = clip.and_then(|clip| see(&rect, &clip, above)) else { continue };
        if seen.bounds.w < LEAST || seen.bounds.h < LEAST {
            continue;
        }
        let element = Element {
            handle: node.key.handle(),
            role: waldo_devices::element::Role::new(role),
            name: own_name(tree, place, labels),
            value: value(node, role),
            states: states(node, kind),
            affordances: kind.affordances().to_vec(),
            bounds: seen.bounds,
            hit: press_at(node, &seen),
            options: Vec::new(),
            frame: 0,
            uid: Some(uid(tree, place, program)),
            id: None,
            source: Source::Tree,
        };
        found.push(Candidate { place, element, kind, fragment: seen.fragment });
    }
    borrow_names(tree, &mut found);
    drop_twins(tree, &mut found);
    drop_echoes(tree, &mut found);
    aim(tree, &mut found);
    found.into_iter().filter_map(|f| tree.nodes[f.place].window.map(|window| (window, f.element))).collect()
}

/// Where an object is pressed: in its middle, unless its toolkit reacts elsewhere alone.
fn press_at(node: &AccessNode, seen: &VisibleArea) -> Point<Physical> {
    let middle = seen.hit();
    let from_left = match node.role {
        // GTK gives an expander the width of its box, and reacts on the arrow and the words at its left.
        Role::ToggleButton if node.has(State::Expandable) => EXPANDER,
        // The right part of a number's field is its buttons, for one more and one less.
        Role::SpinButton => seen.bounds.w * 0.2,
        _ => return middle,
    };
    let at = Point::new((seen.bounds.x + from_left).floor(), middle.y);
    if at.x < middle.x && seen.fragment.contains(at) { at } else { middle }
}

fn is_wanted(tree: &ObjectTree, place: usize, kind: ObjectUse) -> bool {
    let node = &tree.nodes[place];
    let parent = node.parent.map(|parent| &tree.nodes[parent]);
    match node.role {
        // What scrolls says so itself.
        Role::ScrollBar => parent.is_none_or(|parent| parent.role != Role::ScrollPane),
        Role::ScrollPane => node.children.iter().any(|child| {
            tree.nodes[*child].role == Role::ScrollBar && tree.nodes[*child].states.is_showing()
        }),
        _ => kind != ObjectUse::Text || !node.name.is_empty() || node.value.is_some(),
    }
}

fn own_name(tree: &ObjectTree, place: usize, labels: &HashMap<usize, String>) -> String {
    let node = &tree.nodes[place];
    if !node.lasting_name().is_empty() {
        return node.name.clone();
    }
    if let Some(label) = labels.get(&place) {
        return label.clone();
    }
    if !node.description.is_empty() {
        return node.description.clone();
    }
    // Toolkits wrap a button that has a tooltip into a box that tells it.
    let wrapper = node.parent.map(|parent| &tree.nodes[parent]);
    match wrapper {
        Some(parent) if parent.children.len() == 1 && matches!(parent.role, Role::Panel | Role::Filler) => {
            if parent.description.is_empty() {
                parent.name.clone()
            } else {
                parent.description.clone()
            }
        }
        _ => String::new(),
    }
}

fn value(node: &AccessNode, role: &str) -> Option<String> {
    match role {
        "textbox" | "combobox" | "spinbutton" | "slider" | "progressbar" | "meter" | "cell" | "terminal"
        | "scrollbar" => node.value.clone(),
        _ => None,
    }
}

fn states(node: &AccessNode, kind: ObjectUse) -> States {
    let has = |state| node.has(state);
    States {
        focused: has(State::Focused),
        disabled: kind != ObjectUse::Text && !node.states.is_usable(),
        readonly: has(State::ReadOnly)
            || (matches!(node.role, Role::Entry | Role::Text | Role::PasswordText)
                && kind == ObjectUse::Act
                && !has(State::Editable)),
        required: has(State::Required),
        invalid: has(State::InvalidEntry),
        checked: roles::is_checkable(node).then(|| has(State::Checked) || has(State::Pressed)),
        selected: roles::is_selectable(node).then(|| has(State::Selected)),
        expanded: has(State::Expandable).then(|| has(State::Expanded)),
    }
}

/// Names for what has none: the words drawn within it, for fields the words beside it.
fn borrow_names(tree: &ObjectTree, found: &mut [Candidate]) {
    let words: Vec<(Option<u32>, Rect<Physical>, String)> = found
        .iter()
        .filter(|f| f.kind == ObjectUse::Text)
        .map(|f| {
            let node = &tree.nodes[f.place];
            let text = if f.element.name.is_empty() { node.value.clone() } else { None };
            (node.window, f.element.bounds, text.unwrap_or_else(|| f.element.name.clone()))
        })
        .filter(|(.., text)| !text.is_empty())
        .collect();
    for f in found.iter_mut() {
        let node = &tree.nodes[f.place];
        if f.kind == ObjectUse::Text && f.element.name.is_empty() {
            f.element.name = node.value.clone().unwrap_or_default();
        }
        if !f.element.name.is_empty() || matches!(f.kind, ObjectUse::Text | ObjectUse::Scroll) {
            continue;
        }
        let own = f.element.bounds;
        let here = words.iter().filter(|(window, ..)| *window == node.window);
        let is_field = matches!(f.kind, ObjectUse::Edit | ObjectUse::Slide)
            || matches!(node.role, Role::ComboBox | Role::Entry | Role::Text);
        if is_field {
            let level = |r: &Rect<Physical>| r.center().y >= own.y && r.center().y <= own.bottom();
            let beside = here
                .filter(|(_, r, _)| r.right() <= own.x + 2.0 && own.x - r.right() < LABEL_REACH && level(r))
                // Several lines of text are not a label.
                .filter(|_| own.h < 80.0)
                .max_by(|(_, a, _), (_, b, _)| a.right().total_cmp(&b.right()));
            f.element.name = match beside {
                Some((.., text)) => brief(text.trim_end_matches([':', ' ']), NAME_MAX),
                None => node.name.clone(),
            };
        } else {
            let inside: Vec<&str> = here
                .filter(|(_, r, _)| own.contains(r.center()) && r.area() <= own.area() * 1.05)
                .take(4)
                .map(|(.., text)| text.as_str())
                .collect();
            f.element.name = brief(&inside.join(", "), NAME_MAX);
        }
    }
}

/// Of a thing and what fills it only one is told: the one that says more, else the inner one.
fn drop_twins(tree: &ObjectTree, found: &mut Vec<Candidate>) {
    let at: HashMap<usize, usize> = found.iter().enumerate().map(|(n, f)| (f.place, n)).collect();
    let mut gone = vec![false; found.len()];
    for n in 0..found.len() {
        let inner = &found[n];
        if matches!(inner.kind, ObjectUse::Text | ObjectUse::Scroll) {
            continue;
        }
        let outer = tree.above(inner.place).filter_map(|place| at.get(&place).copied());
        let outer = outer.take(3).find(|o| {
            let o = &found[*o];
            // What an open menu holds hangs below it, and is drawn beside it.
            let filled = o.element.bounds.intersect(&inner.element.bounds).map_or(0.0, |both| both.area());
            !matches!(o.kind, ObjectUse::Text | ObjectUse::Scroll) && filled >= o.element.bounds.area() * 0.8
        });
        let Some(o) = outer else { continue };
        if gone[o] {
            continue;
        }
        let weight = |f: &Candidate| {
            let vague =
                ["generic", "listitem", "cell", "row", "img", "canvas"].contains(&f.element.role.as_str());
            (f.element.can(Affordance::Edit), !vague, !f.element.name.is_empty())
        };
        let (keep, lose) = if weight(&found[n]) >= weight(&found[o]) { (n, o) } else { (o, n) };
        gone[lose] = true;
        if found[keep].element.name.is_empty() {
            found[keep].element.name = found[lose].element.name.clone();
        }
    }
    let mut n = 0;
    found.retain(|_| {
        n += 1;
        !gone[n - 1]
    });
}

/// Drops text that an element says in its name or holds in its value already, and text told twice.
fn drop_echoes(tree: &ObjectTree, found: &mut Vec<Candidate>) {
    let tellers: Vec<(Option<u32>, Rect<Physical>, bool, String)> = found
        .iter()
        .filter(|f| f.kind != ObjectUse::Scroll)
        .map(|f| {
            let said = format!("{}\n{}", f.element.name, f.element.value.as_deref().unwrap_or_default());
            (tree.nodes[f.place].window, f.element.bounds, f.kind != ObjectUse::Text, said)
        })
        .collect();
    let mut told: Vec<(Point<Physical>, String)> = Vec::new();
    found.retain(|f| {
        if f.kind != ObjectUse::Text || matches!(f.element.role.as_str(), "progressbar" | "meter") {
            return true;
        }
        let (name, bounds) = (f.element.name.as_str(), f.element.bounds);
        let middle = bounds.center();
        if name.trim().is_empty() || told.iter().any(|(at, text)| text == name && at.distance(middle) < 6.0) {
            return false;
        }
        let window = tree.nodes[f.place].window;
        let echo = tellers.iter().any(|(of, outer, acts, said)| {
            // Of two texts the larger holds the other.
            let holds = outer.contains(middle) && (*acts || outer.area() > bounds.area() + 1.0);
            *of == window && holds && said.contains(name)
        });
        if !echo {
            told.push((middle, name.to_owned()));
        }
        !echo
    });
}

/// Moves the hit points of what holds other things beside these.
fn aim(tree: &ObjectTree, found: &mut [Candidate]) {
    let acting: Vec<(usize, Option<u32>, Rect<Physical>)> = found
        .iter()
        .enumerate()
        .filter(|(_, f)| matches!(f.kind, ObjectUse::Act | ObjectUse::Edit | ObjectUse::Slide))
        .map(|(n, f)| (n, tree.nodes[f.place].window, f.element.bounds))
        .collect();
    for (n, f) in found.iter_mut().enumerate() {
        if !matches!(f.kind, ObjectUse::Act | ObjectUse::Edit) {
            continue;
        }
        let (own, hit, window) = (f.element.bounds, f.element.hit, tree.nodes[f.place].window);
        let inner = acting.iter().filter(|(other, of, bounds)| {
            *other != n
                && *of == window
                && bounds.area() < own.area() * 0.95
                && own.intersect(bounds).is_some()
        });
        let inner: Vec<Rect<Physical>> = inner.map(|(.., bounds)| *bounds).collect();
        if !inner.iter().any(|bounds| bounds.contains(hit)) {
            continue;
        }
        let free = fragments(&f.fragment, &inner);
        let best = free
            .iter()
            .filter(|part| part.w >= BESIDE && part.h >= BESIDE)
            .max_by(|a, b| a.area().total_cmp(&b.area()));
        if let Some(part) = best {
            f.element.hit = pixel(part);
        }
    }
}

/// What an element is known by whenever its program runs: the program and the named things above it.
/// The titles of windows do not count, since they name documents.
fn uid(tree: &ObjectTree, place: usize, program: &str) -> String {
    let mut parts = Vec::new();
    for at in std::iter::once(place).chain(tree.above(place)) {
        let node = &tree.nodes[at];
        let role = node.role.name().replace(' ', "-");
        let part = match node.parent {
            None => role,
            // What a box is called says where it is; one without a name says nothing.
            Some(_) if at != place && node.lasting_name().is_empty() => continue,
            Some(parent) if node.lasting_name().is_empty() => {
                let own = tree.nodes[parent].children.iter().filter(|c| tree.nodes[**c].role == node.role);
                let nth = own.take_while(|child| **child != at).count();
                format!("{role}#{nth}")
            }
            Some(_) => format!("{role}={}", clean(&node.name, 40)),
        };
        parts.push(part);
        if parts.len() >= 6 {
            break;
        }
    }
    parts.push(program.to_owned());
    parts.reverse();
    parts.join("/").chars().take(UID_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::super::node::{ObjectKey, StateBits};
    use super::*;

    #[test]
    fn expanders_and_fields_of_numbers_are_pressed_at_their_left() {
        let whole = Rect::new(100.0, 50.0, 120.0, 30.0);
        let press = |role: Role, states: u64, covered: &[Rect<Physical>]| {
            let node = AccessNode::new(ObjectKey::new(":1.1", "/n"), role, StateBits(states));
            press_at(&node, &see(&whole, &whole, covered).unwrap()).x
        };
        assert_eq!(press(Role::ToggleButton, State::Expandable.bit(), &[]), 108.0);
        assert_eq!(press(Role::SpinButton, 0, &[]), 124.0);
        assert_eq!(press(Role::ToggleButton, 0, &[]), 160.0);
        // Of what is partly covered it is the left of what is in view.
        assert_eq!(press(Role::SpinButton, 0, &[Rect::new(0.0, 0.0, 130.0, 100.0)]), 148.0);
    }
}
