//! Which of a program's objects is which window of the screen.
//!
//! No toolkit says it. The process narrows it down, the place decides, the title breaks ties. Invariant:
//! a window belongs to one object at most, and what belongs to no window is not on the screen.

use super::protocol::Role;

use super::super::windows::Window;
use super::node::{AccessNode, ObjectTree};
use waldo_devices::geometry::{Physical, Rect};

/// The largest sum of the distances of four edges at which a place counts as the same.
const NEAR: f64 = 200.0;
/// As [`NEAR`], where the process is not known.
const NEAR_STRANGER: f64 = 160.0;
/// By how much the best stranger must beat the next.
const LEAD: f64 = 24.0;
/// The widest frame and shadow that a program draws around its own area, on both sides together, in pixels.
const RIM: f64 = 120.0;
/// The widest shadow around a popup, on both sides together, in pixels.
const SHADOW: f64 = 40.0;
const TITLE: f64 = 150.0;

/// The program behind a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) pid: Option<u32>,
    pub(super) has_windows: bool,
}

/// Gives the windows of `tree` their numbers, and corrects programs that count from their own corner.
pub(super) fn assign(tree: &mut ObjectTree, windows: &[Window], owner: Owner) {
    let own: Vec<&Window> = windows
        .iter()
        .filter(|window| !window.minimised)
        .filter(|window| if owner.has_windows { window.pid == owner.pid } else { window.pid.is_none() })
        .collect();
    let tops: Vec<usize> =
        tree.tops.iter().copied().filter(|top| tree.nodes[*top].states.is_showing()).collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for top in &tops {
        for (n, window) in own.iter().enumerate() {
            pairs.push((cost(tree, *top, window), *top, n));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let alone = tops.len() == 1 && own.len() == 1 && owner.has_windows;
    let mut taken = vec![false; own.len()];
    for (n, (cost, top, window)) in pairs.iter().copied().enumerate() {
        if tree.nodes[top].window.is_some() || taken[window] {
            continue;
        }
        let near = if owner.has_windows {
            cost <= NEAR
        } else {
            // The best of a stranger's windows, and clearly so.
            let is_best = !pairs[..n].iter().any(|(_, other, _)| *other == top);
            let next = pairs[n + 1..].iter().find(|(_, other, _)| *other == top);
            is_best && cost <= NEAR_STRANGER && next.is_none_or(|next| next.0 - cost >= LEAD)
        };
        let titled = owner.has_windows && same_title(tree, top, own[window]);
        if near || alone || titled {
            taken[window] = true;
            tree.nodes[top].window = Some(own[window].id);
            tree.nodes[top].shift = shift(tree.nodes[top].extents, own[window]);
        }
    }
}

/// Hands the windows down to all objects; what is drawn in a popup gets the popup's.
pub(super) fn spread(tree: &mut ObjectTree, open: &[usize], windows: &[Window], owner: Owner) {
    let popups: Vec<&Window> = windows
        .iter()
        .rev()
        .filter(|window| window.override_redirect && !window.minimised && window.pid == owner.pid)
        .collect();
    for place in open {
        let node = &tree.nodes[*place];
        if let Some(parent) = node.parent {
            let above = &tree.nodes[parent];
            let shift = graft_shift(tree, *place, parent).or_else(|| pane_shift(node, above.window, windows));
            let mut shift = shift.unwrap_or(above.shift);
            let mut window = above.window;
            if node.pops_over {
                // One that is closed is on no window.
                let open = popover(node, &popups);
                (window, shift) = (open.map(|(popup, _)| popup), open.map_or(shift, |(_, by)| by));
            }
            let pops_up = matches!(above.role, Role::Menu | Role::PopupMenu | Role::ComboBox)
                || matches!(node.role, Role::PopupMenu | Role::ToolTip | Role::Window);
            if pops_up && let Some(at) = node.extents.filter(|e| e.area() > 0.0) {
                let middle = at.center();
                window = popups.iter().find(|popup| popup.frame.contains(middle)).map(|p| p.id).or(window);
            }
            let node = &mut tree.nodes[*place];
            node.shift = shift;
            node.window = node.window.or(window);
        }
    }
}

/// The popup that a popover is, and how far it is from where its program says: GTK 4 counts it from the window below,
/// as if it lay there, and draws a shadow around it.
fn popover(node: &AccessNode, popups: &[&Window]) -> Option<(u32, (f64, f64))> {
    let own = node.extents.filter(|e| e.area() > 0.0)?;
    popups.iter().find_map(|popup| {
        let (w, h) = (popup.client.w - own.w, popup.client.h - own.h);
        let fits = (0.0..=SHADOW).contains(&w) && (0.0..=SHADOW).contains(&h);
        let by = |window: f64, rim: f64, own: f64| window + (rim / 2.0).floor() - own;
        fits.then(|| (popup.id, (by(popup.client.x, w, own.x), by(popup.client.y, h, own.y))))
    })
}

/// Where another toolkit drew the child, both say how large it is; where the child is, only one knows.
fn graft_shift(tree: &ObjectTree, place: usize, parent: usize) -> Option<(f64, f64)> {
    let node = &tree.nodes[place];
    if !node.is_seam() {
        return None;
    }
    let (own, above) = (node.extents?, tree.nodes[parent].place()?);
    let same_size = (own.w - above.w).abs() < 1.5 && (own.h - above.h).abs() < 1.5;
    same_size.then_some((above.x - own.x, above.y - own.y))
}

/// LibreOffice counts its own part of a window from the window's corner, and leaves out the menu bar that its
/// toolkit draws above: it ends where the window does.
fn pane_shift(node: &AccessNode, window: Option<u32>, windows: &[Window]) -> Option<(f64, f64)> {
    let own = node.extents.filter(|e| node.role == Role::RootPane && e.area() > 0.0)?;
    let client = windows.iter().find(|w| Some(w.id) == window)?.client;
    let near = |a: f64, b: f64| (a - b).abs() < 1.5;
    let at_corner = near(own.x, client.x) && near(own.y, client.y) && near(own.w, client.w);
    let left = client.bottom() - own.bottom();
    (at_corner && left > 1.5).then_some((0.0, left))
}

/// What positions lack that a program counts from the corner of its window.
fn shift(extents: Option<Rect<Physical>>, window: &Window) -> (f64, f64) {
    let Some(e) = extents.filter(|e| e.area() > 0.0) else { return (0.0, 0.0) };
    let c = window.client;
    match rim(&e, &c) {
        // What the program draws around its own area lies on all sides.
        Some((w, h)) => (c.x + (w / 2.0).max(0.0).floor(), c.y + (h / 2.0).max(0.0).floor()),
        None => (0.0, 0.0),
    }
}

/// By how much a window is larger than an object that its program counts from the window's corner, as GTK 4 does,
/// which draws frame and shadow itself; `None` where it does not.
fn rim(own: &Rect<Physical>, client: &Rect<Physical>) -> Option<(f64, f64)> {
    let at_origin = own.x.abs() < 1.0 && own.y.abs() < 1.0;
    let (w, h) = (client.w - own.w, client.h - own.h);
    (at_origin && (-4.0..=RIM).contains(&w) && (-4.0..=RIM).contains(&h)).then_some((w, h))
}

fn cost(tree: &ObjectTree, top: usize, window: &Window) -> f64 {
    let bonus = if same_title(tree, top, window) { TITLE } else { 0.0 };
    let Some(e) = tree.nodes[top].extents.filter(|e| e.area() > 0.0) else { return 1e6 - bonus };
    let apart = |r: &Rect<Physical>| {
        (e.x - r.x).abs()
            + (e.y - r.y).abs()
            + (e.right() - r.right()).abs()
            + (e.bottom() - r.bottom()).abs()
    };
    let by_size = rim(&e, &window.client).map_or(f64::INFINITY, |(w, h)| w.abs() + h.abs() + LEAD);
    apart(&window.frame).min(apart(&window.client)).min(by_size) - bonus
}

fn same_title(tree: &ObjectTree, top: usize, window: &Window) -> bool {
    let name = &tree.nodes[top].name;
    !name.is_empty() && *name == waldo_devices::secrets::brief(&window.title, super::node::NAME_MAX)
}

#[cfg(test)]
mod tests {
    use super::super::node::{ObjectKey, StateBits};
    use super::super::protocol::State;
    use super::*;

    fn window(id: u32, pid: u32, title: &str, frame: Rect<Physical>) -> Window {
        let client = Rect::new(frame.x + 1.0, frame.y + 20.0, frame.w - 2.0, frame.h - 25.0);
        Window { id, outer: id, pid: Some(pid), title: title.to_owned(), frame, client, ..Window::default() }
    }

    fn top(name: &str, extents: Rect<Physical>) -> AccessNode {
        let states = StateBits(State::Showing.bit() | State::Visible.bit());
        let mut node =
            AccessNode::new(ObjectKey::new(":1.1", format!("/{name}{}", extents.x)), Role::Frame, states);
        node.name = name.to_owned();
        node.extents = Some(extents);
        node
    }

    fn assigned(tops: Vec<AccessNode>, windows: &[Window], owner: Owner) -> Vec<Option<u32>> {
        let mut tree = ObjectTree { tops: (0..tops.len()).collect(), nodes: tops, missing: 0 };
        assign(&mut tree, windows, owner);
        tree.nodes.iter().map(|node| node.window).collect()
    }

    const OWN: Owner = Owner { pid: Some(7), has_windows: true };

    #[test]
    fn place_decides_and_the_title_breaks_a_tie() {
        let big = Rect::new(10.0, 10.0, 900.0, 600.0);
        let dialog = Rect::new(200.0, 200.0, 300.0, 150.0);
        let windows = [window(1, 7, "Doc", big), window(2, 7, "Save", dialog), window(3, 8, "Other", dialog)];
        let tops = vec![top("", dialog), top("", Rect::new(600.0, 40.0, 90.0, 30.0)), top("", big)];
        assert_eq!(assigned(tops, &windows, OWN), [Some(2), None, Some(1)]);
        let same = Rect::new(10.0, 10.0, 900.0, 600.0);
        let windows = [window(1, 7, "A", same), window(2, 7, "B", same)];
        assert_eq!(assigned(vec![top("B", same), top("A", same)], &windows, OWN), [Some(2), Some(1)]);
        let same = Rect::new(10.0, 10.0, 900.0, 600.0);
        let mut windows = [window(1, 7, "A", same), window(2, 7, "B", same)];
        for window in &mut windows {
            window.pid = None;
        }
        let stranger = Owner { pid: Some(99), has_windows: false };
        assert_eq!(assigned(vec![top("", same)], &windows, stranger), [None]);
        assert_eq!(assigned(vec![top("", same)], &windows[..1], stranger), [Some(1)]);
    }

    #[test]
    fn a_program_that_counts_from_its_own_corner_is_corrected() {
        let windows = [window(1, 7, "A", Rect::new(300.0, 200.0, 402.0, 325.0))];
        let mut tree = ObjectTree {
            nodes: vec![top("A", Rect::new(0.0, 0.0, 400.0, 300.0))],
            tops: vec![0],
            missing: 0,
        };
        assign(&mut tree, &windows, OWN);
        assert_eq!((tree.nodes[0].window, tree.nodes[0].shift), (Some(1), (301.0, 220.0)));
        // What the program draws around its own area is part of the window.
        tree.nodes[0] = top("A", Rect::new(0.0, 0.0, 390.0, 290.0));
        assign(&mut tree, &windows, OWN);
        assert_eq!((tree.nodes[0].window, tree.nodes[0].shift), (Some(1), (306.0, 225.0)));
        // A popup is a window of its own, with a shadow.
        let mut popup = window(2, 7, "", Rect::new(520.0, 500.0, 100.0, 86.0));
        (popup.client, popup.override_redirect) = (popup.frame, true);
        let mut inner = AccessNode { pops_over: true, ..top("", Rect::new(30.0, 140.0, 100.0, 80.0)) };
        inner.parent = Some(0);
        tree.nodes.push(inner);
        tree.nodes[0].children.push(1);
        let open = tree.walk(|_| true);
        spread(&mut tree, &open, &[windows[0].clone(), popup], OWN);
        assert_eq!((tree.nodes[1].window, tree.nodes[1].shift), (Some(2), (490.0, 363.0)));
        tree.nodes[1].window = None;
        spread(&mut tree, &open, &windows, OWN);
        assert_eq!(tree.nodes[1].window, None, "a closed one lies nowhere");
    }

    #[test]
    fn what_another_toolkit_drew_lies_in_what_holds_it() {
        let frame = Rect::new(0.0, 0.0, 1280.0, 800.0);
        let windows = [window(1, 7, "A", frame)];
        let inner = |path: &str, extents, grafted| AccessNode {
            grafted,
            ..AccessNode { key: ObjectKey::new(":1.1", path), ..top("", extents) }
        };
        let mut tree = ObjectTree {
            nodes: vec![
                top("A", frame),
                inner("/holder", Rect::new(0.0, 44.0, 1280.0, 756.0), false),
                inner("/other", Rect::new(0.0, 19.0, 1280.0, 756.0), true),
                inner("/button", Rect::new(4.0, 99.0, 162.0, 34.0), false),
                inner("/native", Rect::new(4.0, 124.0, 162.0, 34.0), true),
            ],
            tops: vec![0],
            missing: 0,
        };
        for child in 1..5 {
            tree.nodes[child].parent = Some(child - 1);
            tree.nodes[child - 1].children.push(child);
        }
        assign(&mut tree, &windows, OWN);
        let open = tree.walk(|_| true);
        spread(&mut tree, &open, &windows, OWN);
        let shifts: Vec<_> = tree.nodes.iter().map(|node| node.shift.1).collect();
        assert_eq!(shifts, [0.0, 0.0, 25.0, 25.0, 0.0]);
        assert!(tree.nodes.iter().all(|node| node.window == Some(1)));
    }

    #[test]
    fn a_pane_below_a_menu_bar_ends_where_its_window_does() {
        let window = window(1, 7, "A", Rect::new(0.0, 0.0, 1280.0, 800.0));
        let client = window.client;
        let pane = Rect::new(client.x, client.y, client.w, client.h - 25.0);
        let mut node = top("A", pane);
        node.role = Role::RootPane;
        let windows = [window];
        assert_eq!(pane_shift(&node, Some(1), &windows), Some((0.0, 25.0)));
        assert_eq!(pane_shift(&node, Some(2), &windows), None);
        node.extents = Some(client);
        assert_eq!(pane_shift(&node, Some(1), &windows), None, "no menu bar");
        node.extents = Some(pane);
        node.role = Role::Panel;
        assert_eq!(pane_shift(&node, Some(1), &windows), None);
    }
}
