//! Entries of open menus of GTK 2, which never say that they are drawn. Those of a closed menu lie nowhere, or where they lay last.

use super::bus::{Bus, Result};
use super::detail;
use super::node::{AccessNode, ObjectTree, StateBits};
use super::protocol::{Role, State};
use waldo_devices::{Deadline, Physical, Rect};

pub(super) const TOOLKIT: &str = "gail";
/// The most entries that are asked for their places.
const MOST: usize = 600;
/// How much wider than its entries a menu may be on each side, in pixels.
const RIM: f64 = 8.0;

/// Whether it may be an entry that is drawn, and does not say so.
fn may_be_drawn(node: &AccessNode) -> bool {
    let is_entry = matches!(
        node.role,
        Role::Menu | Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem | Role::TearoffMenuItem
    );
    is_entry && node.has(State::Visible) && !node.states.is_showing()
}

/// Whether it fills the width of a popup.
fn lies_in(node: &AccessNode, popups: &[Rect<Physical>]) -> bool {
    let Some(at) = node.extents.filter(|at| at.area() > 0.0) else { return false };
    popups.iter().any(|popup| {
        let (left, right) = (at.x - popup.x, popup.right() - at.right());
        popup.contains(at.center()) && (0.0..=RIM).contains(&left) && (0.0..=RIM).contains(&right)
    })
}

/// Marks the entries of open menus as drawn, and asks for their places. `popups`: the program's popups on the screen.
pub(super) async fn open(
    bus: &Bus,
    tree: &mut ObjectTree,
    popups: &[Rect<Physical>],
    deadline: Deadline,
) -> Result<()> {
    let drawn = tree.walk(|node| node.states.is_showing());
    let mut menus: Vec<usize> =
        drawn.into_iter().filter(|at| matches!(tree.nodes[*at].role, Role::Menu | Role::PopupMenu)).collect();
    while !menus.is_empty() && !popups.is_empty() {
        let entries = |tree: &ObjectTree, menu: usize, most: usize| -> Vec<usize> {
            let children = tree.nodes[menu].children.iter().copied();
            children.filter(|at| may_be_drawn(&tree.nodes[*at])).take(most).collect()
        };
        // One entry tells whether its menu is open.
        let firsts: Vec<usize> = menus.iter().flat_map(|menu| entries(tree, *menu, 1)).collect();
        detail::extents(bus, tree, &firsts, deadline).await?;
        let opened = firsts.into_iter().filter(|at| lies_in(&tree.nodes[*at], popups));
        let opened: Vec<usize> = opened.filter_map(|at| tree.nodes[at].parent).collect();
        let shown: Vec<usize> = opened.iter().flat_map(|menu| entries(tree, *menu, MOST)).collect();
        detail::extents(bus, tree, &shown, deadline).await?;
        menus.clear();
        for at in shown {
            let node = &mut tree.nodes[at];
            if lies_in(node, popups) {
                node.states = StateBits(node.states.0 | State::Showing.bit());
                if node.role == Role::Menu {
                    menus.push(at);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::node::ObjectKey;
    use super::*;

    #[test]
    fn an_entry_is_open_where_it_fills_a_popup() {
        let popups = [Rect::new(100.0, 40.0, 200.0, 300.0)];
        let lies = |at: Rect<Physical>| {
            let mut node = AccessNode::new(
                ObjectKey::new(":1.1", "/n"),
                Role::MenuItem,
                StateBits(State::Visible.bit()),
            );
            assert!(may_be_drawn(&node));
            node.extents = Some(at);
            lies_in(&node, &popups)
        };
        assert!(lies(Rect::new(102.0, 60.0, 196.0, 25.0)));
        // Where it lay last, within another menu now.
        assert!(!lies(Rect::new(140.0, 60.0, 150.0, 25.0)));
        assert!(!lies(Rect::new(-2_147_483_648.0, -2_147_483_648.0, 1.0, 1.0)));
    }
}
