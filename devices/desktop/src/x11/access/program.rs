//! The objects of one program: what it lists, and what it does not.
//!
//! Programs keep a list of their objects, which one call gives. Lists have gaps: a browser's lacks pages
//! that came later, an office program's the parts that another toolkit draws, some are empty. A gap
//! shows in a number of children that is larger than the children listed; only gaps are walked.

use std::collections::VecDeque;
use std::sync::Arc;

use super::asked;
use super::bus::{Bus, BusFault};
use super::cache;
use super::node::{AccessNode, ObjectKey, ObjectTree, ROOT};
use super::page;
use super::walk;
use waldo_devices::device::Deadline;

/// Gaps within gaps that are followed.
const ROUNDS: usize = 6;
/// Gaps that are filled in one round; a program with more is read from above by what is most.
const GAPS: usize = 200;

pub(super) async fn read(bus: &Bus, name: &Arc<str>, deadline: Deadline) -> Result<ObjectTree, BusFault> {
    let root = ObjectKey::new(Arc::clone(name), ROOT);
    asked::toolkit(bus, name, deadline).await;
    let (listed, tops) =
        futures::join!(cache::read(bus, name, deadline), walk::children(bus, &root, deadline));
    let mut tree = match listed {
        Ok(tree) => tree,
        // Without a list the walk is all there is; without an answer there is nothing to walk either.
        Err(BusFault::Gone(reason)) => return Err(BusFault::Gone(reason)),
        Err(BusFault::Late) => {
            tops?;
            return Err(BusFault::Late);
        }
        Err(fault) => {
            tracing::debug!(name = &**name, ?fault, "a program lists no objects");
            ObjectTree::default()
        }
    };
    let tops: VecDeque<_> = walk::seeds(None, tops?).collect();
    walk::run(bus, &mut tree, tops, deadline).await?;
    let mut asked = vec![false; tree.nodes.len()];
    for _ in 0..ROUNDS {
        asked.resize(tree.nodes.len(), false);
        let open = tree.walk(|node| node.states.is_showing());
        let pages: Vec<usize> =
            open.iter().copied().filter(|at| !asked[*at] && is_unread_page(&tree.nodes[*at])).collect();
        let gaps: Vec<usize> = open
            .into_iter()
            .filter(|at| !asked[*at] && tree.nodes[*at].has_gap() && !pages.contains(at))
            .take(GAPS)
            .collect();
        if (gaps.is_empty() && pages.is_empty()) || deadline.passed() {
            break;
        }
        for at in gaps.iter().chain(&pages) {
            asked[*at] = true;
        }
        for page in pages {
            page::read(bus, &mut tree, page, deadline).await?;
        }
        walk::fill(bus, &mut tree, &gaps, deadline).await?;
    }
    Ok(tree)
}

fn is_unread_page(node: &AccessNode) -> bool {
    walk::is_page(node) && node.children.is_empty() && node.child_count > 0
}
