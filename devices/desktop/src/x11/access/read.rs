//! One reading of the whole screen: all programs at once, then one list.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::protocol::{Role, State};
use futures::FutureExt as _;

use super::super::windows::Window;
use super::bus::{Bus, BusFault, Result};
use super::detail::{self, DetailQuery};
use super::elements::{self, Stack};
use super::matching::{self, Owner};
use super::node::{AccessNode, Iface, ObjectTree};
use super::roles::{self, ObjectUse};
use super::{AccessReading, BusName, menus, program, table, walk};
use waldo_devices::{Deadline, Element, Physical, Rect};

/// The longest that one program may take for all it is asked, where it answers each question.
const PER_PROGRAM: Duration = Duration::from_secs(8);

/// A reading without the bus.
pub(super) fn blind(windows: &[Window], screen: Rect<Physical>, why: String) -> AccessReading {
    let stack = Stack::new(windows, screen);
    let silent =
        windows.iter().rev().filter(|window| stack.shows(window.id)).map(|window| window.id).collect();
    AccessReading { silent, lost: Some(why), ..AccessReading::default() }
}

struct ProgramPart {
    elements: Vec<(u32, Element)>,
    missing: usize,
}

pub(super) async fn screen(
    bus: &Bus,
    windows: &[Window],
    screen: Rect<Physical>,
    cap: usize,
    deadline: Deadline,
) -> Result<AccessReading> {
    let stack = Stack::new(windows, screen);
    let visible: Vec<&Window> = windows.iter().rev().filter(|window| stack.shows(window.id)).collect();
    let programs = programs(bus, &visible, windows, deadline).await?;
    let stack = &stack;
    let parts = futures::future::join_all(programs.iter().map(|(name, owner)| {
        let within = deadline.at_most(PER_PROGRAM);
        // Boxed: the compiler cannot tell otherwise that the whole may move between threads.
        async move { part(bus, name, *owner, windows, stack, within).await }.boxed()
    }))
    .await;
    let mut truncated = 0;
    let mut by_window: HashMap<u32, Vec<Element>> = HashMap::new();
    for (part, (name, _)) in parts.into_iter().zip(&programs) {
        match part {
            Ok(part) => {
                truncated += part.missing;
                for (window, element) in part.elements {
                    by_window.entry(window).or_default().push(element);
                }
            }
            Err(BusFault::Gone(why)) => return Err(BusFault::Gone(why)),
            Err(fault) => {
                tracing::debug!(name = &**name, ?fault, "a program was left out");
                truncated += 1;
            }
        }
    }
    let silent: Vec<&Window> = visible.iter().copied().filter(|w| !by_window.contains_key(&w.id)).collect();
    let speaks = |w: &&&Window| w.pid.is_some() && programs.iter().any(|(_, owner)| owner.pid == w.pid);
    let unsaid = silent.iter().filter(speaks).filter(|w| !w.override_redirect).map(|w| w.id).collect();
    let silent = silent.iter().map(|w| w.id).collect();
    let all: Vec<Element> =
        visible.iter().filter_map(|window| by_window.remove(&window.id)).flatten().collect();
    let (elements, dropped) = cut(all, cap);
    Ok(AccessReading { elements, truncated: truncated + dropped, silent, unsaid, lost: None })
}

/// The first `cap` elements; what can be used goes before what only says something.
fn cut(all: Vec<Element>, cap: usize) -> (Vec<Element>, usize) {
    if all.len() <= cap {
        return (all, 0);
    }
    let dropped = all.len() - cap;
    let acting = all.iter().filter(|e| !e.affordances.is_empty()).count();
    let (mut acts, mut says) = (cap.min(acting), cap.saturating_sub(acting));
    let kept = all.into_iter().filter(|element| {
        let left = if element.affordances.is_empty() { &mut says } else { &mut acts };
        let keeps = *left > 0;
        *left -= usize::from(keeps);
        keeps
    });
    (kept.collect(), dropped)
}

/// The programs worth reading, that with the keyboard first.
async fn programs(
    bus: &Bus,
    visible: &[&Window],
    windows: &[Window],
    deadline: Deadline,
) -> Result<Vec<(BusName, Owner)>> {
    let names = walk::registered(bus, deadline).await?;
    let pids = futures::future::join_all(names.iter().map(|name| bus.pid(name, deadline).boxed())).await;
    let known: HashSet<u32> = windows.iter().filter_map(|window| window.pid).collect();
    let in_view: HashSet<u32> = visible.iter().filter_map(|window| window.pid).collect();
    // Only a window whose process nobody knows can belong to a program without windows.
    let strange = visible.iter().any(|window| window.pid.is_none());
    let focused = windows.iter().find(|window| window.focused).and_then(|window| window.pid);
    let mut found: Vec<(BusName, Owner)> = names
        .into_iter()
        .zip(pids)
        .filter_map(|(name, pid)| {
            let has_windows = pid.is_some_and(|pid| known.contains(&pid));
            let reads = if has_windows { pid.is_some_and(|pid| in_view.contains(&pid)) } else { strange };
            reads.then_some((name, Owner { pid, has_windows }))
        })
        .collect();
    found.sort_by_key(|(_, owner)| owner.pid.is_none() || owner.pid != focused);
    Ok(found)
}

async fn part(
    bus: &Bus,
    name: &BusName,
    owner: Owner,
    windows: &[Window],
    stack: &Stack<'_>,
    deadline: Deadline,
) -> Result<ProgramPart> {
    let mut tree = program::read(bus, &Arc::clone(name), deadline).await?;
    if bus.known_toolkit(name).is_some_and(|toolkit| toolkit.name == menus::TOOLKIT) {
        let popups = windows.iter().filter(|window| window.override_redirect && window.pid == owner.pid);
        let popups: Vec<_> = popups.map(|window| window.frame).collect();
        menus::open(bus, &mut tree, &popups, deadline).await?;
    }
    let open = tree.walk(|node| node.states.is_showing());
    let wanted: Vec<usize> = open.iter().copied().filter(|place| needs_place(&tree, *place)).collect();
    detail::extents(bus, &mut tree, &wanted, deadline).await?;
    tree.order_menus();
    matching::assign(&mut tree, windows, owner);
    matching::spread(&mut tree, &open, windows, owner);
    for place in open.iter().copied().filter(|place| is_large(&tree, *place)).collect::<Vec<_>>() {
        if let Some(view) = own_view(&tree, place, stack) {
            match table::read(bus, &mut tree, place, view, deadline).await {
                Ok(()) => {}
                Err(BusFault::Gone(why)) => return Err(BusFault::Gone(why)),
                Err(fault) => {
                    tracing::debug!(?fault, "a table was left out");
                    tree.missing += 1;
                }
            }
        }
    }
    let open = tree.walk(|node| node.states.is_showing());
    let asks = asks(&tree, &open, stack);
    detail::values(bus, &mut tree, asks, deadline).await?;
    if bus.known_toolkit(name).is_some_and(|toolkit| matches!(toolkit.name.as_str(), "gtk" | "gail")) {
        let combos = tree.nodes.iter_mut().filter(|node| node.role == Role::ComboBox);
        combos.for_each(|combo| combo.named_by_choice = true);
    }
    let fields: Vec<usize> = open.iter().copied().filter(|place| lacks_label(&tree.nodes[*place])).collect();
    let labels = detail::labels(bus, &tree, &fields, deadline).await?;
    let program = windows.iter().find(|w| w.pid.is_some() && w.pid == owner.pid).map(|w| w.program.as_str());
    let elements = elements::collect(&tree, &open, &labels, stack, program.unwrap_or_default());
    Ok(ProgramPart { elements, missing: tree.missing })
}

fn needs_place(tree: &ObjectTree, place: usize) -> bool {
    let node = &tree.nodes[place];
    let holds_graft = || node.children.iter().any(|child| tree.nodes[*child].is_seam());
    node.parent.is_none()
        || node.is_seam()
        || node.pops_over
        || roles::clips(node.role)
        || matches!(node.role, Role::PopupMenu | Role::Window | Role::ToolTip)
        || is_large(tree, place)
        || roles::kind(node).is_some_and(|(_, kind)| {
            kind != ObjectUse::Text
                || !node.name.is_empty()
                || node.ifaces.has(Iface::Text)
                || node.ifaces.has(Iface::Value)
        })
        || holds_graft()
}

fn is_large(tree: &ObjectTree, place: usize) -> bool {
    let node = &tree.nodes[place];
    let container = matches!(node.role, Role::Table | Role::TreeTable | Role::Tree | Role::List);
    let is_item =
        |child: &usize| matches!(tree.nodes[*child].role, Role::TableCell | Role::ListItem | Role::TreeItem);
    container && node.child_count != 0 && !node.may_be_entered() && !node.children.iter().any(is_item)
}

/// The visible part of an object, in its program's own positions.
fn own_view(tree: &ObjectTree, place: usize, stack: &Stack<'_>) -> Option<Rect<Physical>> {
    let node = &tree.nodes[place];
    let (clip, _) = stack.view(node.window?)?;
    let mut view = node.place()?.intersect(&clip)?;
    for above in tree.above(place).map(|above| &tree.nodes[above]).filter(|above| roles::clips(above.role)) {
        if let Some(outer) = above.place() {
            view = view.intersect(&outer)?;
        }
    }
    Some(Rect::new(view.x - node.shift.0, view.y - node.shift.1, view.w, view.h))
}

fn asks(tree: &ObjectTree, open: &[usize], stack: &Stack<'_>) -> Vec<(usize, DetailQuery)> {
    let mut views = HashMap::new();
    open.iter()
        .copied()
        .filter(|place| {
            let node = &tree.nodes[*place];
            let (Some(window), Some(rect)) = (node.window, node.place()) else { return false };
            let view = views.entry(window).or_insert_with(|| stack.view(window).map(|(clip, _)| clip));
            view.is_some_and(|clip| clip.intersect(&rect).is_some())
        })
        .filter_map(|place| Some((place, ask(&tree.nodes[place])?)))
        .collect()
}

fn ask(node: &AccessNode) -> Option<DetailQuery> {
    if node.value.is_some() {
        return None;
    }
    let text = node.ifaces.has(Iface::Text);
    let number = node.ifaces.has(Iface::Value);
    match node.role {
        Role::PasswordText => text.then_some(DetailQuery::Length),
        Role::Entry | Role::Text | Role::Terminal | Role::Editbar | Role::DateEditor | Role::Autocomplete => {
            text.then_some(DetailQuery::Text)
        }
        Role::SpinButton if text => Some(DetailQuery::Text),
        Role::SpinButton
        | Role::Slider
        | Role::Dial
        | Role::ProgressBar
        | Role::LevelBar
        | Role::Rating
        | Role::ScrollBar => number.then_some(DetailQuery::Number),
        Role::ComboBox if node.has(State::Editable) && text => Some(DetailQuery::Text),
        Role::ComboBox => node.ifaces.has(Iface::Selection).then_some(DetailQuery::Selected),
        Role::Label | Role::Static | Role::Caption if node.name.is_empty() && text => Some(DetailQuery::Text),
        _ => None,
    }
}

fn lacks_label(node: &AccessNode) -> bool {
    node.lasting_name().is_empty()
        && node.extents.is_some_and(|e| e.area() > 0.0)
        && roles::kind(node).is_some_and(|(role, kind)| {
            matches!(kind, ObjectUse::Edit | ObjectUse::Slide)
                || matches!(role, "textbox" | "combobox" | "checkbox" | "radio" | "button")
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_devices::element::Affordance;

    #[test]
    fn the_cap_drops_words_before_buttons() {
        let element = |n: usize| Element {
            affordances: if n.is_multiple_of(2) { vec![Affordance::Click] } else { vec![] },
            ..Element::at(n.to_string(), "x", Rect::new(0.0, 0.0, 1.0, 1.0))
        };
        let kept = |cap| {
            let (kept, dropped) = cut((0..10).map(element).collect(), cap);
            (kept.into_iter().map(|e| e.handle.0).collect::<String>(), dropped)
        };
        assert_eq!(kept(10), ("0123456789".to_owned(), 0));
        assert_eq!(kept(7), ("0123468".to_owned(), 3));
        assert_eq!(kept(3), ("024".to_owned(), 7));
    }
}
