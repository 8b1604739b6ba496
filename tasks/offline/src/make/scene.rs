//! What can be asked about a screen: elements with a name of their own, what can be read, what lies beside what.

use std::collections::{HashMap, HashSet};

use waldo_devices::{Affordance, Element, Physical, Rect, Source};

use super::screens::Screen;
use crate::places::ItemKind;

/// The longest name that is asked for, in characters.
const LONGEST: usize = 48;
/// The least side of an element, in logical units.
const LEAST: f64 = 8.0;
/// The largest share of a screen that an element may have.
const SHARE: f64 = 0.15;
/// How far apart neighbours are at the most, in logical units.
const NEAR: f64 = 90.0;
/// What a character takes of a line at the least, in logical units.
const CHARACTER: f64 = 4.5;

/// A role in words for people, and what an element of it is for.
pub(crate) struct RoleWords {
    role: &'static str,
    pub noun: &'static str,
    pub purpose: &'static str,
    shows: Option<ItemKind>,
}

const fn row(
    role: &'static str,
    noun: &'static str,
    purpose: &'static str,
    shows: Option<ItemKind>,
) -> RoleWords {
    RoleWords { role, noun, purpose, shows }
}

const ICON: Option<ItemKind> = Some(ItemKind::Icon);
const TEXT: Option<ItemKind> = Some(ItemKind::Text);

static ROLES: [RoleWords; 17] = [
    row("button", "button", "What is pressed to do something", None),
    row("link", "link", "What leads to another page", None),
    row("textbox", "text field", "Where something can be typed", TEXT),
    row("searchbox", "search field", "Where a search is typed", TEXT),
    row("spinbutton", "number field", "Where a number is set", TEXT),
    row("combobox", "drop-down list", "Where one of several values is chosen", TEXT),
    row("checkbox", "checkbox", "What is ticked or cleared", ICON),
    row("radio", "radio button", "What is chosen in place of others", ICON),
    row("switch", "switch", "What is turned on or off", ICON),
    row("slider", "slider", "What is moved to set a value", ICON),
    row("tab", "tab", "What brings another tab to the front", None),
    row("menuitem", "menu entry", "What opens a menu or gives a command", None),
    row("option", "option", "What is chosen from a list", None),
    row("listitem", "list entry", "The entry of a list", None),
    row("treeitem", "tree entry", "The entry of a tree", None),
    row("cell", "cell", "The cell of a table", TEXT),
    row("img", "picture", "The picture", ICON),
];

#[derive(Clone)]
pub(crate) struct Thing<'s> {
    pub index: usize,
    pub element: &'s Element,
    pub name: String,
    pub words: &'static RoleWords,
    pub kind: ItemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Right,
    Below,
    Left,
    Above,
}

impl Side {
    pub const ALL: [Self; 4] = [Self::Right, Self::Below, Self::Left, Self::Above];

    /// In words, before what it is a side of.
    pub fn words(self) -> &'static str {
        match self {
            Self::Right => "directly to the right of",
            Self::Below => "directly below",
            Self::Left => "directly to the left of",
            Self::Above => "directly above",
        }
    }

    /// How far `other` lies from `from` on this side; `None` where it lies elsewhere.
    fn gap(self, from: &Rect<Physical>, other: &Rect<Physical>) -> Option<f64> {
        let across = |a: [f64; 2], b: [f64; 2]| {
            let common = a[1].min(b[1]) - a[0].max(b[0]);
            common >= 0.5 * (a[1] - a[0]).min(b[1] - b[0])
        };
        let rows = |r: &Rect<Physical>| [r.y, r.bottom()];
        let columns = |r: &Rect<Physical>| [r.x, r.right()];
        let (beside, gap) = match self {
            Self::Right => (across(rows(from), rows(other)), other.x - from.right()),
            Self::Left => (across(rows(from), rows(other)), from.x - other.right()),
            Self::Below => (across(columns(from), columns(other)), other.y - from.bottom()),
            Self::Above => (across(columns(from), columns(other)), from.y - other.bottom()),
        };
        (beside && gap >= -2.0).then_some(gap)
    }
}

pub struct Scene<'s> {
    pub screen: &'s Screen,
    /// Elements that can be asked for: each has a name that nothing else has.
    pub things: Vec<Thing<'s>>,
    /// All that can be read, lower case.
    all: String,
}

impl<'s> Scene<'s> {
    pub fn of(screen: &'s Screen) -> Self {
        let mut read = HashSet::new();
        let mut names: HashMap<String, usize> = HashMap::new();
        for element in &screen.elements {
            let name = line(&element.name).to_lowercase();
            *names.entry(name.clone()).or_default() += 1;
            read.insert(name);
            read.extend(element.value.as_deref().map(|value| line(value).to_lowercase()));
        }
        read.extend(screen.texts.iter().map(|text| line(&text.text).to_lowercase()));
        let mut lines: Vec<&str> = read.iter().map(String::as_str).collect();
        lines.sort_unstable();
        let all = lines.join("\n");
        let elements = screen.elements.iter().enumerate();
        let mut things: Vec<Thing<'s>> =
            elements.filter_map(|(index, element)| thing(screen, index, element)).collect();
        things.retain(|thing| names.get(&thing.name.to_lowercase()) == Some(&1));
        let hits = screen.elements.iter().enumerate().filter(|(_, element)| touched(element));
        let hits: Vec<(usize, Rect<Physical>)> =
            hits.map(|(index, element)| (index, element.bounds)).collect();
        // What holds others is not one place.
        things.retain(|thing| {
            let own = thing.element.bounds;
            !hits.iter().any(|(index, other)| {
                *index != thing.index && own.contains(other.center()) && other.area() < own.area()
            })
        });
        Self { screen, things, all }
    }

    /// Whether a text can be read here, by itself or within another.
    pub fn shows(&self, text: &str) -> bool {
        self.all.contains(&line(text).to_lowercase())
    }

    pub fn names(&self) -> Vec<String> {
        self.things.iter().filter(|thing| thing.is_written()).map(|thing| thing.name.clone()).collect()
    }

    /// Which thing lies on a side of another, nearer than anything else that can be touched there.
    pub fn beside(&self, from: &Thing<'_>, side: Side) -> Option<&Thing<'s>> {
        let gap = |bounds: &Rect<Physical>| side.gap(&from.element.bounds, bounds);
        let others = self.screen.elements.iter().enumerate();
        let others = others.filter(|(index, element)| *index != from.index && touched(element));
        let mut there: Vec<(usize, f64)> =
            others.filter_map(|(index, element)| Some((index, gap(&element.bounds)?))).collect();
        there.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (nearest, least) = *there.first()?;
        let clear = there.get(1).is_none_or(|(_, second)| second - least >= 4.0 * self.screen.scale);
        let near = least <= NEAR * self.screen.scale;
        // What can be read between both would be what is nearest to the eye.
        let between = |bounds: &Rect<Physical>| gap(bounds).is_some_and(|gap| gap < least - 2.0);
        let words =
            self.screen.elements.iter().filter(|element| !touched(element) && !element.name.is_empty());
        let covered = self.screen.texts.iter().map(|text| &text.bounds).any(between)
            || words.map(|element| &element.bounds).any(between);
        (near && clear && !covered).then(|| self.things.iter().find(|thing| thing.index == nearest))?
    }
}

impl Thing<'_> {
    pub(crate) fn is_written(&self) -> bool {
        self.kind == ItemKind::Text && self.words.shows.is_none()
            || matches!(self.words.role, "checkbox" | "radio" | "switch")
    }
}

fn touched(element: &Element) -> bool {
    [Affordance::Click, Affordance::Edit, Affordance::Select].iter().any(|what| element.can(*what))
}

/// The element as something to be asked for, where it can be.
fn thing<'s>(screen: &Screen, index: usize, element: &'s Element) -> Option<Thing<'s>> {
    let words = ROLES.iter().find(|words| words.role == element.role.as_str())?;
    let name = line(&element.name);
    let (w, h) = (f64::from(screen.size[0]), f64::from(screen.size[1]));
    let bounds = element.bounds;
    let chars = name.chars().count();
    let fits = (2..=LONGEST).contains(&chars)
        && name.chars().any(char::is_alphabetic)
        && !name.contains('"')
        && element.source == Source::Tree
        && touched(element)
        && bounds.w.min(bounds.h) >= LEAST * screen.scale
        && bounds.area() <= SHARE * w * h
        && bounds.x >= 0.0
        && bounds.y >= 0.0
        && bounds.right() <= w
        && bounds.bottom() <= h;
    let written = chars as f64 * CHARACTER * screen.scale <= bounds.w;
    let kind = words.shows.unwrap_or(if written { ItemKind::Text } else { ItemKind::Icon });
    fits.then_some(Thing { index, element, name, words, kind })
}

pub fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
