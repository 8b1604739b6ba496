//! Finding an element of a recorded screen on the present one.
//!
//! In this order, each step only where those before found nothing: the same role and name at the same place among its like;
//! the same identifier of its makers or uid; the same place in a list of the same roles, where words alone have changed; what
//! is most like it in name, neighbours, order, size and place; what looks most like
//! it. The last two want a clear winner: of two that are about as good neither is taken.

use std::collections::BTreeMap;

use image::imageops::{FilterType, crop_imm, resize};
use image::{GrayImage, RgbImage};
use serde::Serialize;
use waldo_devices::{Element, labels};

use super::Recorded;
use crate::agent::View;

/// How an element was found again; later ones are less certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Role, name and place among its like are the same.
    Same,
    Uid,
    Structure,
    Picture,
    Agent,
}

impl How {
    pub fn words(self) -> &'static str {
        match self {
            Self::Same => "as it was",
            Self::Uid => "by its identifier",
            Self::Structure => "by its kind, words and neighbours",
            Self::Picture => "by its picture",
            Self::Agent => "by an agent",
        }
    }
}

#[derive(Clone, Debug)]
pub struct FoundElement {
    pub element: Element,
    pub how: How,
}

pub struct ReplayScreen<'a> {
    elements: &'a [Element],
    png: Option<&'a [u8]>,
    /// Its size, in the pixels of bounds.
    width: f64,
    height: f64,
}

impl<'a> ReplayScreen<'a> {
    pub fn of(view: &'a View) -> Self {
        let size = view.observation.geometry.physical;
        let png = (!view.png.is_empty()).then(|| &*view.png);
        Self { elements: &view.observation.elements, png, width: size.w, height: size.h }
    }

    pub fn recorded(recorded: &'a Recorded) -> Self {
        let edge = |f: fn(&Element) -> f64| recorded.elements.iter().map(f).fold(1.0, f64::max);
        Self {
            elements: &recorded.elements,
            png: recorded.picture.as_deref(),
            width: edge(|e| e.bounds.x + e.bounds.w),
            height: edge(|e| e.bounds.y + e.bounds.h),
        }
    }

    fn picture(&self) -> Option<RgbImage> {
        labels::decode(self.png?).ok()
    }
}

/// What is likeness enough, from 0 to 1, and how far ahead of the next it has to be.
const ENOUGH: f64 = 0.55;
const AHEAD: f64 = 0.1;
/// What two names have in common at least of which one has become the other.
const KIN: f64 = 0.3;
/// The same of pictures: what has a name shows it mostly, and others show theirs in much the same way.
const LOOKS: f64 = 0.86;
const LOOKS_NAMED: f64 = 0.95;
const LOOKS_AHEAD: f64 = 0.03;
/// The side of the squares that pictures are compared in.
const SIDE: u32 = 24;

/// The element of `now` that `element`, which is one of `before`, has become.
pub(crate) fn counterpart(
    element: &Element,
    before: &ReplayScreen<'_>,
    now: &ReplayScreen<'_>,
) -> Option<FoundElement> {
    let found = |element: &Element, how| Some(FoundElement { element: element.clone(), how });
    if let Some(same) = same(element, before.elements, now.elements) {
        return found(same, How::Same);
    }
    if let Some(known) = identified(element, before.elements, now.elements) {
        return found(known, How::Uid);
    }
    if let Some(like) = reworded(element, before.elements, now.elements) {
        return found(like, How::Structure);
    }
    if let Some(like) = twin(element, before, now).or_else(|| most_like(element, before, now)) {
        return found(like, How::Structure);
    }
    looking_like(element, before, now).and_then(|like| found(like, How::Picture))
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn same<'a>(element: &Element, before: &[Element], now: &'a [Element]) -> Option<&'a Element> {
    // What has no name is not known by its place among others that have none: a new one before it would take its part.
    let like = |e: &&Element| e.role == element.role && e.name == element.name;
    let (old, new) = (before.iter().filter(like).count(), now.iter().filter(like).count());
    if element.name.is_empty() && (old != new || !stands(before, now)) {
        return None;
    }
    let place = before.iter().filter(like).position(|e| e.handle == element.handle)?;
    now.iter().filter(like).nth(place)
}

/// Whether as many elements of each role are there as were.
fn stands(before: &[Element], now: &[Element]) -> bool {
    let counted = |elements: &[Element]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        elements.iter().for_each(|e| *counts.entry(e.role.as_str().to_owned()).or_default() += 1);
        counts
    };
    counted(before) == counted(now)
}

fn identified<'a>(element: &Element, before: &[Element], now: &'a [Element]) -> Option<&'a Element> {
    let by = |key: fn(&Element) -> Option<&String>| {
        let own = key(element)?;
        let has = |e: &&Element| key(e) == Some(own) && e.role == element.role;
        // One that several share says nothing.
        let mut there = now.iter().filter(has);
        let only = there.next().filter(|_| there.next().is_none())?;
        (before.iter().filter(has).count() == 1).then_some(only)
    };
    // A uid is a class, a size and a place among siblings: others of the same size have it after a shift.
    let known = by(|e| e.id.as_ref());
    known.or_else(|| by(|e| e.uid.as_ref()).filter(|e| element.name.is_empty() && e.name.is_empty()))
}

/// Whether another element had the name of `e` before: then it is that one.
fn is_another(e: &Element, element: &Element, before: &[Element]) -> bool {
    !e.name.is_empty()
        && e.name != element.name
        && before.iter().any(|old| old.role == e.role && old.name == e.name)
}

/// Elements that a screen has at least whose list of roles says something.
const MANY: usize = 4;

/// The element at its place where the list of roles is the same to the last: only words have changed.
fn reworded<'a>(element: &Element, before: &[Element], now: &'a [Element]) -> Option<&'a Element> {
    let stands = before.len() >= MANY
        && before.len() == now.len()
        && before.iter().zip(now).all(|(old, new)| old.role == new.role && old.frame == new.frame);
    let at = before.iter().position(|e| e.handle == element.handle).filter(|_| stands)?;
    now.get(at).filter(|e| !e.name.is_empty() && !e.states.disabled && !is_another(e, element, before))
}

/// How much two texts have in common, by pairs of letters, from 0 to 1.
fn alike(a: &str, b: &str) -> f64 {
    let pairs = |text: &str| {
        let letters: Vec<char> = format!(" {} ", fold(text)).chars().collect();
        letters.windows(2).map(|two| (two[0], two[1])).collect::<Vec<_>>()
    };
    let (a, mut b) = (pairs(a), pairs(b));
    let all = a.len() + b.len();
    let shared = a
        .iter()
        .filter(|pair| b.iter().position(|other| other == *pair).map(|at| b.swap_remove(at)).is_some());
    2.0 * shared.count() as f64 / all.max(1) as f64
}

/// The names before it, and those behind.
fn neighbours(element: &Element, all: &[Element]) -> [[Option<String>; 2]; 2] {
    let at = all.iter().position(|e| e.handle == element.handle);
    let near = |by: isize| {
        let other = all.get(at?.checked_add_signed(by)?)?;
        (!other.name.is_empty()).then(|| fold(&other.name))
    };
    [[near(-2), near(-1)], [near(1), near(2)]]
}

/// The place among the elements of its role, as a share.
fn order(element: &Element, all: &[Element]) -> f64 {
    let like: Vec<&Element> = all.iter().filter(|e| e.role == element.role).collect();
    let at = like.iter().position(|e| e.handle == element.handle).unwrap_or(0);
    at as f64 / (like.len().max(2) - 1) as f64
}

fn close(a: f64, b: f64) -> f64 {
    let (small, large) = (a.min(b).max(1.0), a.max(b).max(1.0));
    small / large
}

/// How many neighbours of `element` have names, and how many of these `other` has on the same side.
fn around(
    element: &Element,
    other: &Element,
    before: &ReplayScreen<'_>,
    now: &ReplayScreen<'_>,
) -> (usize, usize) {
    let (theirs, ours) = (neighbours(element, before.elements), neighbours(other, now.elements));
    let (mut known, mut kept) = (0, 0);
    for (theirs, ours) in theirs.iter().zip(&ours) {
        known += theirs.iter().flatten().count();
        kept +=
            theirs.iter().flatten().filter(|name| ours.iter().flatten().any(|other| other == *name)).count();
    }
    (known, kept)
}

/// Whether one can be what the other has become at all: a word is left of its name, or all around it has stayed. What has
/// the size and the place alone of something that is gone is something else.
fn is_kin(element: &Element, other: &Element, before: &ReplayScreen<'_>, now: &ReplayScreen<'_>) -> bool {
    if element.name.is_empty() || alike(&element.name, &other.name) >= KIN {
        return true;
    }
    let (known, kept) = around(element, other, before, now);
    known >= 2 && kept == known
}

fn likeness(element: &Element, other: &Element, before: &ReplayScreen<'_>, now: &ReplayScreen<'_>) -> f64 {
    let role = f64::from(u8::from(element.role == other.role));
    let named = !element.name.is_empty();
    let name = match (named, other.name.is_empty()) {
        (true, false) => alike(&element.name, &other.name),
        (false, true) => 0.5,
        _ => 0.0,
    };
    let (known, kept) = around(element, other, before, now);
    let around = if known == 0 { 0.5 } else { kept as f64 / known as f64 };
    let size = (close(element.bounds.w, other.bounds.w) + close(element.bounds.h, other.bounds.h)) / 2.0;
    let place = 1.0 - (order(element, before.elements) - order(other, now.elements)).abs();
    let way = {
        let part =
            |e: &Element, s: &ReplayScreen<'_>| (e.hit.x / s.width.max(1.0), e.hit.y / s.height.max(1.0));
        let ((ax, ay), (bx, by)) = (part(element, before), part(other, now));
        1.0 - ((ax - bx).abs() + (ay - by).abs()).min(1.0)
    };
    let frame = f64::from(u8::from(element.frame == other.frame && element.affordances == other.affordances));
    let weights = if named {
        [0.15, 0.35, 0.22, 0.08, 0.08, 0.07, 0.05]
    } else {
        [0.2, 0.1, 0.35, 0.12, 0.1, 0.08, 0.05]
    };
    [role, name, around, size, place, way, frame]
        .iter()
        .zip(weights)
        .map(|(part, weight)| part * weight)
        .sum()
}

/// The best of several by a score, where it is good enough and clearly ahead.
fn winner<'a>(
    scored: impl Iterator<Item = (&'a Element, f64)>,
    enough: f64,
    ahead: f64,
) -> Option<&'a Element> {
    let mut all: Vec<(&Element, f64)> = scored.collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (best, score) = *all.first()?;
    let next = all.get(1).map_or(0.0, |(_, score)| *score);
    (score >= enough && score - next >= ahead).then_some(best)
}

fn most_like<'a>(
    element: &Element,
    before: &ReplayScreen<'_>,
    now: &ReplayScreen<'a>,
) -> Option<&'a Element> {
    // Who was there under this very name is another one.
    let taken = |e: &Element| is_another(e, element, before.elements);
    let free = now.elements.iter().filter(|e| e.role == element.role && !e.states.disabled && !taken(e));
    let best = winner(free.map(|e| (e, likeness(element, e, before, now))), ENOUGH, AHEAD);
    best.filter(|e| is_kin(element, e, before, now))
}

/// Of several that had one name the one at its place, where as many have another name now: all of them were renamed.
fn twin<'a>(element: &Element, before: &ReplayScreen<'_>, now: &ReplayScreen<'a>) -> Option<&'a Element> {
    let like = |e: &&Element| e.role == element.role && e.name == element.name;
    let many = before.elements.iter().filter(like).count();
    if element.name.is_empty() || many < 2 {
        return None;
    }
    let place = before.elements.iter().filter(like).position(|e| e.handle == element.handle)?;
    let known =
        |e: &Element| before.elements.iter().any(|old| old.role == element.role && old.name == e.name);
    let mut groups: BTreeMap<&str, Vec<&'a Element>> = BTreeMap::new();
    for e in now.elements.iter().filter(|e| e.role == element.role && !e.name.is_empty() && !known(e)) {
        groups.entry(&e.name).or_default().push(e);
    }
    let same = groups.values().filter(|group| group.len() == many);
    let scored = same.filter_map(|group| group.get(place)).map(|e| (*e, likeness(element, e, before, now)));
    winner(scored, ENOUGH, AHEAD)
}

fn small(picture: &RgbImage, element: &Element) -> Option<GrayImage> {
    let (wide, high) = picture.dimensions();
    let whole = |at: f64, most: u32| (at.max(0.0).round() as u32).min(most);
    let (x, y) = (whole(element.bounds.x, wide), whole(element.bounds.y, high));
    let (w, h) = (whole(element.bounds.w, wide - x), whole(element.bounds.h, high - y));
    if w < 4 || h < 4 {
        return None;
    }
    let part = crop_imm(picture, x, y, w, h).to_image();
    let grey = image::imageops::grayscale(&part);
    Some(resize(&grey, SIDE, SIDE, FilterType::Triangle))
}

/// How alike two pictures are, whatever their brightness: their correlation, from 0 to 1.
fn correlated(a: &GrayImage, b: &GrayImage) -> f64 {
    let values = |image: &GrayImage| {
        let mean = image.iter().map(|v| f64::from(*v)).sum::<f64>() / image.len().max(1) as f64;
        image.iter().map(|v| f64::from(*v) - mean).collect::<Vec<_>>()
    };
    let (a, b) = (values(a), values(b));
    let dot: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
    let (aa, bb) = (a.iter().map(|x| x * x).sum::<f64>(), b.iter().map(|x| x * x).sum::<f64>());
    if aa < 1.0 || bb < 1.0 { 0.0 } else { (dot / (aa * bb).sqrt()).max(0.0) }
}

fn looking_like<'a>(
    element: &Element,
    before: &ReplayScreen<'_>,
    now: &ReplayScreen<'a>,
) -> Option<&'a Element> {
    let (then, seen) = (before.picture()?, now.picture()?);
    let wanted = small(&then, element)?;
    let free = now.elements.iter().filter(|e| e.role == element.role && !e.states.disabled);
    let scored = free.filter_map(|e| {
        // Another shape is another thing.
        let shape = close(
            element.bounds.w / element.bounds.h.max(1.0) * 100.0,
            e.bounds.w / e.bounds.h.max(1.0) * 100.0,
        );
        (shape > 0.6).then_some(())?;
        Some((e, correlated(&wanted, &small(&seen, e)?)))
    });
    let enough = if element.name.is_empty() { LOOKS } else { LOOKS_NAMED };
    winner(scored, enough, LOOKS_AHEAD)
}
