//! What programs tell assistive technology, whole and as data: for checks, never for an agent.
//!
//! Invariants: only what is drawn is listed; a program that hangs or lies costs its own objects and no
//! others; depth, width and lengths of texts have bounds.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::protocol::{Role, State};
use futures::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};

use super::bus::{Bus, BusFault, Result};
use super::node::{AccessNode, Iface, ObjectKey, ObjectTree, ROOT};
use super::walk::{self, ACCESSIBLE};
use super::{BusName, detail, program};
use waldo_devices::JsonMembers as _;
use waldo_devices::device::Deadline;

/// The longest that one program may take for all it is asked.
const PER_PROGRAM: Duration = Duration::from_secs(15);
/// Questions under way at once.
const WIDTH: usize = 24;
/// The longest text that is told, in characters.
const TEXT_MAX: i32 = 200_000;
/// Levels below a program that are told.
const DEPTH: usize = 50;
const CHILDREN: usize = 1024;

pub(super) async fn programs(bus: &Bus, deadline: Deadline) -> Result<Value> {
    let names = walk::registered(bus, deadline).await?;
    let read = names.iter().map(|name| {
        let within = deadline.at_most(PER_PROGRAM);
        async move { one(bus, name, within).await }.boxed()
    });
    let mut all = Vec::new();
    for (found, name) in futures::future::join_all(read).await.into_iter().zip(&names) {
        match found {
            Ok(found) => all.push(found),
            Err(BusFault::Gone(why)) => return Err(BusFault::Gone(why)),
            Err(fault) => tracing::debug!(name = &**name, ?fault, "a program was left out"),
        }
    }
    Ok(Value::Array(all))
}

async fn one(bus: &Bus, name: &BusName, deadline: Deadline) -> Result<Value> {
    let root = ObjectKey::new(name.clone(), ROOT);
    let called = bus.property(&root, ACCESSIBLE, "Name", deadline).await?;
    let mut tree = program::read(bus, name, deadline).await?;
    let open = tree.walk(|node| node.states.is_showing());
    let placed: Vec<usize> =
        open.iter().copied().filter(|at| tree.nodes[*at].ifaces.has(Iface::Component)).collect();
    detail::extents(bus, &mut tree, &placed, deadline).await?;
    let tree = &tree;
    let more: HashMap<usize, Value> = futures::stream::iter(open.iter().copied())
        .map(|at| async move { (at, more(bus, &tree.nodes[at], deadline).await) })
        .buffer_unordered(WIDTH)
        .collect()
        .await;
    let children: Vec<Value> =
        tree.tops.iter().filter_map(|top| exported(tree, *top, &more, DEPTH)).take(CHILDREN).collect();
    Ok(json!({ "name": String::try_from(called).unwrap_or_default(), "children": children }))
}

/// What only the object itself can say.
async fn more(bus: &Bus, node: &AccessNode, deadline: Deadline) -> Value {
    let key = &node.key;
    let mut all = json!({});
    if let Ok(answer) = bus.call(key, ACCESSIBLE, "GetAttributes", &(), deadline).await
        && let Ok(found) = answer.body().deserialize::<BTreeMap<String, String>>()
        && !found.is_empty()
    {
        all["attributes"] = json!(found);
    }
    // What is typed into it stays hidden.
    if node.ifaces.has(Iface::Text)
        && node.role != Role::PasswordText
        && let Ok(text) = detail::text(bus, key, TEXT_MAX, deadline).await
    {
        all["text"] = text.into();
    }
    if node.ifaces.has(Iface::Value) {
        let mut numbers = json!({});
        for (name, property) in [
            ("value", "CurrentValue"),
            ("min", "MinimumValue"),
            ("max", "MaximumValue"),
            ("step", "MinimumIncrement"),
        ] {
            if let Ok(found) = bus.property(key, Iface::Value.name(), property, deadline).await
                && let Ok(number) = f64::try_from(found)
            {
                numbers[name] = number.into();
            }
        }
        all["value"] = numbers;
    }
    if node.ifaces.has(Iface::Action)
        && let Ok(answer) = bus.call(key, Iface::Action.name(), "GetActions", &(), deadline).await
        && let Ok(found) = answer.body().deserialize::<Vec<(String, String, String)>>()
    {
        let actions = found
            .into_iter()
            .map(|(name, about, keys)| json!({ "name": name, "description": about, "keys": keys }));
        all["actions"] = actions.collect();
    }
    all
}

/// An object with what lies below it; nothing for what is not drawn.
fn exported(tree: &ObjectTree, at: usize, more: &HashMap<usize, Value>, depth: usize) -> Option<Value> {
    let node = &tree.nodes[at];
    let mut all = more.get(&at)?.clone();
    all["role"] = node.role.name().into();
    all["name"] = node.name.clone().into();
    all["description"] = node.description.clone().into();
    let states = State::ALL.iter().filter(|state| node.states.has(**state));
    all["states"] = states.map(|state| state.name()).collect();
    all.put_some("box", node.extents.map(|rect| json!([rect.x, rect.y, rect.w, rect.h])));
    for (name, face) in [("image", Iface::Image), ("selection", Iface::Selection)] {
        if node.ifaces.has(face) {
            all[name] = true.into();
        }
    }
    if depth > 1 {
        let below = node.children.iter().filter_map(|child| exported(tree, *child, more, depth - 1));
        let below: Vec<Value> = below.take(CHILDREN).collect();
        all.put_filled("children", below);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::super::node::StateBits;
    use super::*;

    #[test]
    fn only_what_is_drawn_is_told() {
        let key = |path: &str| ObjectKey::new(":1.2", path);
        let node = |path: &str, bits: u64| AccessNode::new(key(path), Role::Panel, StateBits(bits));
        let shown = State::Showing.bit() | State::Visible.bit();
        let tree = ObjectTree::link(
            vec![node("/w", shown), node("/a", 0), node("/b", shown)],
            &[Some(key(ROOT)), Some(key("/w")), Some(key("/w"))],
        );
        let more = HashMap::from([(0, json!({})), (2, json!({ "text": "x" }))]);
        let told = exported(&tree, 0, &more, DEPTH).unwrap();
        assert_eq!(told["states"], json!(["showing", "visible"]));
        assert_eq!(told["children"].as_array().unwrap().len(), 1);
        assert_eq!(told["children"][0]["text"], "x");
    }
}
