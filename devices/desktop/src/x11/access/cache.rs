//! All objects of a program in one call.
//!
//! Invariant: any answer gives a tree or a fault, never a panic: an item that makes no sense is left
//! out, names of any length are cut as they are read.

use std::collections::HashMap;
use std::sync::Arc;

use super::protocol::Role;
use zbus::zvariant::ObjectPath;

use super::bus::{Bus, BusFault};
use super::node::{AccessNode, Ifaces, ObjectKey, ObjectTree};
use waldo_devices::device::Deadline;

/// The most objects of one program that are kept.
const MOST: usize = 50_000;

type Ref<'a> = (&'a str, ObjectPath<'a>);
/// Object, program, parent, place, children, interfaces, name, role, description, states.
type CacheItem<'a> = (Ref<'a>, Ref<'a>, Ref<'a>, i32, i32, Vec<&'a str>, &'a str, u32, &'a str, Vec<u32>);
type OldItem<'a> = (Ref<'a>, Ref<'a>, Ref<'a>, Vec<Ref<'a>>, Vec<&'a str>, &'a str, u32, &'a str, Vec<u32>);

const SIGNATURE: &str = "a((so)(so)(so)iiassusau)";
const OLD_SIGNATURE: &str = "a((so)(so)(so)a(so)assusau)";

/// What the program behind `bus_name` keeps of its objects; empty when it keeps nothing.
pub(super) async fn read(bus: &Bus, bus_name: &Arc<str>, deadline: Deadline) -> Result<ObjectTree, BusFault> {
    let key = ObjectKey::new(Arc::clone(bus_name), "/org/a11y/atspi/cache");
    let answer = bus.call_within(&key, "org.a11y.atspi.Cache", "GetItems", &(), deadline).await?;
    let body = answer.body();
    let mut names = BusNames::new(bus, bus_name);
    match body.signature().to_string().as_str() {
        SIGNATURE => Ok(tree(body.deserialize::<Vec<CacheItem<'_>>>()?.into_iter().map(|item| {
            let (own, _, parent, index, children, ifaces, name, role, about, states) = item;
            let facts = ObjectFacts { own, parent, ifaces, name, role, about, states };
            names.node(facts, index, children)
        }))),
        OLD_SIGNATURE => Ok(tree(body.deserialize::<Vec<OldItem<'_>>>()?.into_iter().map(|item| {
            let (own, _, parent, children, ifaces, name, role, about, states) = item;
            let count = i32::try_from(children.len()).unwrap_or(i32::MAX);
            let facts = ObjectFacts { own, parent, ifaces, name, role, about, states };
            names.node(facts, -1, count)
        }))),
        other => Err(BusFault::Odd(format!("objects of the form {other}"))),
    }
}

fn tree(items: impl Iterator<Item = (AccessNode, Option<ObjectKey>)>) -> ObjectTree {
    let (mut nodes, mut parents) = (Vec::new(), Vec::new());
    let mut missing = 0;
    for (node, parent) in items {
        if nodes.len() >= MOST {
            missing += 1;
            continue;
        }
        nodes.push(node);
        parents.push(parent);
    }
    let mut tree = ObjectTree::link(nodes, &parents);
    tree.missing = missing;
    tree
}

struct ObjectFacts<'a> {
    own: Ref<'a>,
    parent: Ref<'a>,
    ifaces: Vec<&'a str>,
    name: &'a str,
    role: u32,
    about: &'a str,
    states: Vec<u32>,
}

struct BusNames<'a> {
    known: HashMap<String, Arc<str>>,
    bus: &'a Bus,
}

impl<'a> BusNames<'a> {
    fn new(bus: &'a Bus, own: &Arc<str>) -> Self {
        Self { known: HashMap::from([(own.to_string(), Arc::clone(own))]), bus }
    }

    fn key(&mut self, (name, path): &Ref<'_>) -> ObjectKey {
        let name = match self.known.get(*name) {
            Some(known) => Arc::clone(known),
            None => {
                let name: Arc<str> = Arc::from(*name);
                self.known.insert(name.to_string(), Arc::clone(&name));
                name
            }
        };
        ObjectKey { bus: name, path: Arc::from(path.as_str()) }
    }

    fn node(
        &mut self,
        facts: ObjectFacts<'_>,
        index: i32,
        child_count: i32,
    ) -> (AccessNode, Option<ObjectKey>) {
        let role = Role::of(facts.role);
        let states = self.bus.states(facts.own.0, &facts.states);
        let mut node = AccessNode::new(self.key(&facts.own), role, states);
        node.index = index;
        node.child_count = child_count;
        node.ifaces = Ifaces::of(facts.ifaces);
        // What is not drawn is not told either; entries of menus may be drawn without saying so.
        let is_entry =
            matches!(node.role, Role::Menu | Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem);
        if node.states.is_showing() || is_entry {
            node.name = self.bus.name_of(&node.key.bus, facts.name);
            node.pops_over = self.bus.pops_over(&node.key.bus, facts.name);
            node.description = self.bus.brief(facts.about);
        }
        (node, Some(self.key(&facts.parent)))
    }
}
