//! Objects of a program that it does not list, read one by one.
//!
//! Invariants: what is not drawn is not entered; no more than [`WIDTH`] questions are under way; three
//! silences in a row, the deadline or too many objects end the walk, and the tree says that it is not
//! whole. Children of what claims to have very many are never asked for.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::protocol::Role;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use zbus::zvariant::OwnedObjectPath;

use super::BusName;
use super::bus::{Bus, BusFault, Result};
use super::node::{AccessNode, Ifaces, ObjectKey, ObjectTree, ROOT};
use waldo_devices::device::Deadline;

/// Objects that are asked about at once; more gains nothing, since programs answer one at a time.
const WIDTH: usize = 12;
/// The most objects that are read.
const MOST: usize = 6000;
/// Silences in a row after which a program counts as hung.
const SILENCES: usize = 3;

pub(super) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";

struct ObjectAnswer {
    node: AccessNode,
    children: Vec<ObjectKey>,
}

pub(super) struct Seed {
    pub(super) key: ObjectKey,
    /// Its parent's place; `None` for a program's windows.
    pub(super) parent: Option<usize>,
    pub(super) index: i32,
}

/// What hangs below a parent, in order.
pub(super) fn seeds(parent: Option<usize>, keys: Vec<ObjectKey>) -> impl Iterator<Item = Seed> {
    keys.into_iter().zip(0..).map(move |(key, index)| Seed { key, parent, index })
}

/// Asks for the children of `gaps` (places of `tree`) and adds what the tree lacks.
pub(super) async fn fill(bus: &Bus, tree: &mut ObjectTree, gaps: &[usize], deadline: Deadline) -> Result<()> {
    let keys: Vec<_> = gaps.iter().map(|place| (*place, tree.nodes[*place].key.clone())).collect();
    let asked: Vec<_> = futures::stream::iter(keys)
        .map(|(place, key)| async move { (place, children(bus, &key, deadline).await) })
        .buffered(WIDTH)
        .collect()
        .await;
    let mut queue = VecDeque::new();
    for (place, children) in asked {
        match children {
            Ok(children) => queue.extend(seeds(Some(place), children)),
            Err(BusFault::Gone(reason)) => return Err(BusFault::Gone(reason)),
            Err(BusFault::Late) => tree.missing += 1,
            Err(_) => {}
        }
    }
    run(bus, tree, queue, deadline).await
}

/// Adds what `queue` names, and all below it. What the tree has already is hung where it belongs.
pub(super) async fn run(
    bus: &Bus,
    tree: &mut ObjectTree,
    mut queue: VecDeque<Seed>,
    deadline: Deadline,
) -> Result<()> {
    let mut places: HashMap<ObjectKey, usize> =
        tree.nodes.iter().enumerate().map(|(place, node)| (node.key.clone(), place)).collect();
    let mut under_way = FuturesUnordered::new();
    let mut silences = 0;
    let limit = tree.nodes.len() + MOST;
    loop {
        while under_way.len() < WIDTH {
            let Some(seed) = queue.pop_front() else { break };
            if seed.key.is_null() {
                continue;
            }
            match places.get(&seed.key) {
                Some(place) => {
                    if *place != usize::MAX {
                        tree.graft(*place, seed.parent, seed.index);
                    }
                }
                None => {
                    places.insert(seed.key.clone(), usize::MAX);
                    under_way.push(async move { (describe(bus, &seed.key, deadline).await, seed) });
                }
            }
        }
        let Some((answer, seed)) = under_way.next().await else { break };
        match answer {
            Ok(answer) => {
                silences = 0;
                let Some(ObjectAnswer { node, children }) = answer else { continue };
                let place = tree.nodes.len();
                places.insert(seed.key, place);
                tree.nodes.push(node);
                tree.graft(place, seed.parent, seed.index);
                queue.extend(seeds(Some(place), children));
            }
            Err(BusFault::Gone(reason)) => return Err(BusFault::Gone(reason)),
            Err(BusFault::Late) => {
                tree.missing += 1;
                silences += 1;
            }
            // Objects come and go while they are read.
            Err(BusFault::Refused(_) | BusFault::Odd(_)) => {}
        }
        if silences >= SILENCES || deadline.passed() || tree.nodes.len() >= limit {
            tree.missing += queue.len() + under_way.len();
            break;
        }
    }
    drop(under_way);
    tree.order();
    Ok(())
}

/// Whether it holds a page, of which only what can be seen is asked for.
pub(super) fn is_page(node: &AccessNode) -> bool {
    matches!(node.role, Role::DocumentWeb | Role::HtmlContainer)
}

/// What an object says of itself; `None` when it is not drawn.
async fn describe(bus: &Bus, key: &ObjectKey, deadline: Deadline) -> Result<Option<ObjectAnswer>> {
    let Some(node) = look(bus, key, deadline).await? else { return Ok(None) };
    let enter = node.may_be_entered() && !is_page(&node);
    let children = match enter {
        true => children(bus, key, deadline).await.or_else(|fault| match fault {
            BusFault::Gone(_) | BusFault::Late => Err(fault),
            BusFault::Refused(_) | BusFault::Odd(_) => Ok(Vec::new()),
        })?,
        false => Vec::new(),
    };
    Ok(Some(ObjectAnswer { node, children }))
}

/// An object without its surroundings; `None` when it is not drawn.
pub(super) async fn look(bus: &Bus, key: &ObjectKey, deadline: Deadline) -> Result<Option<AccessNode>> {
    let states = bus.call(key, ACCESSIBLE, "GetState", &(), deadline).await?;
    let states = bus.states(&key.bus, &states.body().deserialize::<Vec<u32>>()?);
    if !states.is_showing() {
        return Ok(None);
    }
    let (role, name, ifaces, count) = futures::join!(
        bus.call(key, ACCESSIBLE, "GetRole", &(), deadline),
        bus.property(key, ACCESSIBLE, "Name", deadline),
        bus.call(key, ACCESSIBLE, "GetInterfaces", &(), deadline),
        bus.property(key, ACCESSIBLE, "ChildCount", deadline),
    );
    let role = Role::of(role?.body().deserialize::<u32>()?);
    let mut node = AccessNode::new(key.clone(), role, states);
    let name = name.ok().and_then(|name| String::try_from(name).ok()).unwrap_or_default();
    node.name = bus.name_of(&key.bus, &name);
    node.pops_over = bus.pops_over(&key.bus, &name);
    if let Ok(answer) = ifaces {
        node.ifaces = Ifaces::of(answer.body().deserialize::<Vec<&str>>().unwrap_or_default());
    }
    node.child_count = count.ok().and_then(|count| i32::try_from(count).ok()).unwrap_or(-1);
    Ok(Some(node))
}

/// The programs that the registry lists, each once.
pub(super) async fn registered(bus: &Bus, deadline: Deadline) -> Result<Vec<BusName>> {
    let registry = ObjectKey::new("org.a11y.atspi.Registry", ROOT);
    let mut seen = HashSet::new();
    let keys = children(bus, &registry, deadline).await?.into_iter();
    Ok(keys.filter(|key| !key.is_null() && seen.insert(key.bus.clone())).map(|key| key.bus).collect())
}

pub(super) async fn children(bus: &Bus, key: &ObjectKey, deadline: Deadline) -> Result<Vec<ObjectKey>> {
    let answer = bus.call(key, ACCESSIBLE, "GetChildren", &(), deadline).await?;
    keys(&answer, key)
}

/// The objects that an answer names; `known` lends its name on the bus.
pub(super) fn keys(answer: &zbus::Message, known: &ObjectKey) -> Result<Vec<ObjectKey>> {
    let body = answer.body();
    let list = body.deserialize::<Vec<(String, OwnedObjectPath)>>()?;
    let mut names: HashMap<String, Arc<str>> =
        HashMap::from([(known.bus.to_string(), Arc::clone(&known.bus))]);
    Ok(list
        .into_iter()
        .map(|(name, path)| {
            let bus = names.entry(name).or_insert_with_key(|name| Arc::from(name.as_str()));
            ObjectKey::new(Arc::clone(bus), path.as_str())
        })
        .collect())
}
