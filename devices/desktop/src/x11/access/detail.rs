//! What a list of objects leaves out: where they are, what they hold, what labels them.
//!
//! Invariant: only named objects are asked, each question once, [`WIDTH`] at a time.

use std::collections::{HashMap, HashSet};

use futures::StreamExt as _;
use zbus::zvariant::OwnedObjectPath;

use super::bus::{Bus, BusFault, Result};
use super::node::{Iface, NAME_MAX, ObjectKey, ObjectTree};
use super::walk::ACCESSIBLE;
use waldo_devices::secrets::{MASK, brief};
use waldo_devices::{Deadline, Physical, Rect};

/// Questions under way at once.
const WIDTH: usize = 24;
/// The longest text that is asked for, in characters.
const TEXT_MAX: i32 = 400;
/// The longest text that is looked through for what must not be shown, in characters.
const SEARCHED_MAX: i32 = 1_000_000;
pub(super) const SCREEN: u32 = 0;
/// What a program calls the label of a thing.
const LABELLED_BY: u32 = 2;

pub(super) async fn extents(
    bus: &Bus,
    tree: &mut ObjectTree,
    places: &[usize],
    deadline: Deadline,
) -> Result<()> {
    let asked = places.iter().map(|place| (*place, tree.nodes[*place].key.clone())).collect::<Vec<_>>();
    let mut answers = futures::stream::iter(asked)
        .map(|(place, key)| async move { (place, extents_of(bus, &key, deadline).await) })
        .buffer_unordered(WIDTH);
    let (mut late, mut found) = (0, Vec::with_capacity(places.len()));
    while let Some((place, answer)) = answers.next().await {
        match answer {
            Ok(rect) => found.push((place, rect)),
            Err(BusFault::Gone(reason)) => return Err(BusFault::Gone(reason)),
            Err(BusFault::Late) => late += 1,
            Err(BusFault::Refused(_) | BusFault::Odd(_)) => {}
        }
        if late >= 3 || deadline.passed() {
            break;
        }
    }
    drop(answers);
    tree.missing += late;
    for (place, rect) in found {
        tree.nodes[place].extents = Some(rect);
    }
    Ok(())
}

pub(super) async fn extents_of(bus: &Bus, key: &ObjectKey, deadline: Deadline) -> Result<Rect<Physical>> {
    let answer = bus.call(key, Iface::Component.name(), "GetExtents", &SCREEN, deadline).await?;
    let (x, y, w, h) = answer.body().deserialize::<(i32, i32, i32, i32)>()?;
    Ok(Rect::new(x.into(), y.into(), w.into(), h.into()))
}

/// What is to be asked of an object beside its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DetailQuery {
    Text,
    /// How long its text is, which stays hidden.
    Length,
    Number,
    Selected,
}

pub(super) async fn values(
    bus: &Bus,
    tree: &mut ObjectTree,
    asks: Vec<(usize, DetailQuery)>,
    deadline: Deadline,
) -> Result<()> {
    let texts: HashSet<usize> =
        asks.iter().filter(|(_, ask)| *ask == DetailQuery::Text).map(|(place, _)| *place).collect();
    let asks: Vec<_> =
        asks.into_iter().map(|(place, ask)| (place, tree.nodes[place].key.clone(), ask)).collect();
    let answers: Vec<_> = futures::stream::iter(asks)
        .map(|(place, key, ask)| async move { (place, value_of(bus, &key, ask, deadline).await) })
        .buffer_unordered(WIDTH)
        .collect()
        .await;
    for (place, answer) in answers {
        match answer {
            Ok(value) => tree.nodes[place].value = Some(value),
            Err(BusFault::Gone(reason)) => return Err(BusFault::Gone(reason)),
            // What could not be looked through may show anything.
            Err(BusFault::Late) if bus.hides() && texts.contains(&place) => {
                tree.nodes[place].value = Some(MASK.to_owned());
            }
            Err(_) => {}
        }
    }
    Ok(())
}

/// How much of a text is asked for where `shown` characters are told: all, when it may hold a secret.
pub(super) fn most(bus: &Bus, shown: i32) -> i32 {
    if bus.hides() { SEARCHED_MAX } else { shown }
}

/// What an object holds, cleaned and cut.
pub(super) async fn value_of(
    bus: &Bus,
    key: &ObjectKey,
    ask: DetailQuery,
    deadline: Deadline,
) -> Result<String> {
    match ask {
        DetailQuery::Text => {
            let text = text(bus, key, most(bus, TEXT_MAX), deadline).await?;
            let searched = text.chars().count() < usize::try_from(SEARCHED_MAX).unwrap_or(usize::MAX);
            let told = bus.brief(&text);
            Ok(if searched || told.contains(MASK) { told } else { format!("{told} {MASK}") })
        }
        DetailQuery::Length => {
            let count = length(bus, key, deadline).await?;
            Ok("•".repeat(usize::try_from(count.clamp(0, 32)).unwrap_or_default()))
        }
        DetailQuery::Number => {
            let value = bus.property(key, Iface::Value.name(), "CurrentValue", deadline).await?;
            let value = f64::try_from(value).map_err(|error| BusFault::Odd(error.to_string()))?;
            // Steps of widgets leave noise behind the sixth place.
            Ok(format!("{}", (value * 1e6).round() / 1e6))
        }
        DetailQuery::Selected => {
            let answer = bus.call(key, Iface::Selection.name(), "GetSelectedChild", &0i32, deadline).await?;
            let (name, path) = answer.body().deserialize::<(String, OwnedObjectPath)>()?;
            let child = ObjectKey::new(name, path.as_str());
            if child.is_null() {
                return Err(BusFault::Odd("nothing is selected".to_owned()));
            }
            self::name(bus, &child, deadline).await
        }
    }
}

/// The text of an object, `most` characters of it.
pub(super) async fn text(bus: &Bus, key: &ObjectKey, most: i32, deadline: Deadline) -> Result<String> {
    // Not every toolkit takes an end beyond the end.
    let count = length(bus, key, deadline).await?.min(most);
    if count <= 0 {
        return Ok(String::new());
    }
    let answer = bus.call(key, Iface::Text.name(), "GetText", &(0i32, count), deadline).await?;
    Ok(answer.body().deserialize::<String>()?)
}

async fn length(bus: &Bus, key: &ObjectKey, deadline: Deadline) -> Result<i32> {
    let count = bus.property(key, Iface::Text.name(), "CharacterCount", deadline).await?;
    i32::try_from(count).map_err(|error| BusFault::Odd(error.to_string()))
}

pub(super) async fn name(bus: &Bus, key: &ObjectKey, deadline: Deadline) -> Result<String> {
    let name = bus.property(key, ACCESSIBLE, "Name", deadline).await?;
    Ok(bus.name_of(&key.bus, &String::try_from(name).unwrap_or_default()))
}

pub(super) async fn labels(
    bus: &Bus,
    tree: &ObjectTree,
    places: &[usize],
    deadline: Deadline,
) -> Result<HashMap<usize, String>> {
    let known: HashMap<&ObjectKey, &str> =
        tree.nodes.iter().filter(|node| !node.name.is_empty()).map(|node| (&node.key, &*node.name)).collect();
    let known = &known;
    let asked: Vec<(usize, ObjectKey)> =
        places.iter().map(|place| (*place, tree.nodes[*place].key.clone())).collect();
    let answers: Vec<_> = futures::stream::iter(asked)
        .map(|(place, key)| async move { (place, label_of(bus, &key, known, deadline).await) })
        .buffer_unordered(WIDTH)
        .collect()
        .await;
    let mut names = HashMap::new();
    for (place, answer) in answers {
        match answer {
            Ok(name) if !name.is_empty() => drop(names.insert(place, name)),
            Err(BusFault::Gone(reason)) => return Err(BusFault::Gone(reason)),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(names)
}

async fn label_of(
    bus: &Bus,
    key: &ObjectKey,
    known: &HashMap<&ObjectKey, &str>,
    deadline: Deadline,
) -> Result<String> {
    let answer = bus.call(key, ACCESSIBLE, "GetRelationSet", &(), deadline).await?;
    let relations = answer.body().deserialize::<Vec<(u32, Vec<(String, OwnedObjectPath)>)>>()?;
    let mut words = Vec::new();
    for (name, path) in
        relations.into_iter().filter(|(kind, _)| *kind == LABELLED_BY).flat_map(|(_, to)| to).take(4)
    {
        let label = ObjectKey::new(name, path.as_str());
        words.push(match known.get(&label) {
            Some(name) => (*name).to_owned(),
            None => self::name(bus, &label, deadline).await.unwrap_or_default(),
        });
    }
    Ok(brief(&words.join(" "), NAME_MAX))
}
