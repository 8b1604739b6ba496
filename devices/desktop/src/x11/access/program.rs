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
    // A program that hangs does not even tell its windows; one that does is waited for longer, since a busy machine
    // takes its time over a long list.
    let (listed, tops) = futures::try_join!(
        async { Ok(cache::read(bus, name, deadline).await) },
        walk::children(bus, &root, deadline)
    )?;
    let mut tree = match listed {
        Ok(tree) => tree,
        // Without a list the walk is all there is.
        Err(fault @ (BusFault::Gone(_) | BusFault::Late)) => return Err(fault),
        Err(fault) => {
            tracing::debug!(name = &**name, ?fault, "a program lists no objects");
            ObjectTree::default()
        }
    };
    let tops: VecDeque<_> = walk::seeds(None, tops).collect();
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
