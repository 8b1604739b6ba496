//! The screens of an app as an exploration came to know them, and the ways between them.
//!
//! Two observations are of one screen when they are at the same place (address without origin, query and
//! fragment on the web, the app's name elsewhere; with or without a dialog) and share at least [`ALIKE`] of
//! their elements' keys. So a list that grew is the same screen, another tab is not.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use waldo_devices::{Affordance, Element};

use crate::agent::View;
use crate::appagent::docs::{Slot, place};

/// The share of common keys that makes two observations one screen.
const ALIKE: f64 = 0.6;

/// A screen's number, from 1 in the order in which they were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScreenId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphScreen {
    pub id: ScreenId,
    pub place: String,
    /// Its title when it was last seen: untrusted text.
    pub title: String,
    /// Its heading when it was last seen, for screens that share a title: untrusted text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// What is on it, and what can be done to each to learn what it does.
    pub elements: BTreeMap<String, Vec<Slot>>,
    /// What was tried here and did nothing, or nothing that could be told.
    #[serde(default, deserialize_with = "useless")]
    pub useless: BTreeSet<(String, Slot)>,
    /// Elements that must not be touched, with the reason.
    #[serde(default, deserialize_with = "barred")]
    pub barred: BTreeMap<String, String>,
    /// Where elements are on the picture that is kept of it: left, top, right and bottom in thousandths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, [u16; 4]>,
}

impl GraphScreen {
    /// Whether the picture that is kept shows what it holds now.
    pub fn is_pictured(&self) -> bool {
        self.at.len() == self.elements.len() && self.elements.keys().all(|key| self.at.contains_key(key))
    }
}

/// Reads what was useless. Folders of before actions were told apart hold elements: nothing was of use to them.
fn useless<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeSet<(String, Slot)>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum GraphEntry {
        Action(String, Slot),
        Element(String),
    }
    let all = Vec::<GraphEntry>::deserialize(from)?;
    let actions = all.into_iter().flat_map(|entry| match entry {
        GraphEntry::Action(key, slot) => vec![(key, slot)],
        GraphEntry::Element(key) => Slot::ALL.map(|slot| (key.clone(), slot)).to_vec(),
    });
    Ok(actions.collect())
}

/// Reads what must not be touched. Folders of before reasons were kept hold elements alone.
fn barred<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum StoredGraph {
        Reasons(BTreeMap<String, String>),
        Elements(BTreeSet<String>),
    }
    Ok(match StoredGraph::deserialize(from)? {
        StoredGraph::Reasons(reasons) => reasons,
        StoredGraph::Elements(keys) => keys.into_iter().map(|key| (key, String::new())).collect(),
    })
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    pub from: ScreenId,
    /// By a tap on the element of this key, by something else done to it (see [`super::Tried::way`]), or by a call
    /// without an element such as `back()`.
    pub by: String,
    pub to: ScreenId,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Graph {
    pub screens: Vec<GraphScreen>,
    /// Without doubles.
    pub edges: BTreeSet<Edge>,
    /// Elements of which a model said, looking back, that they pay, send or delete something.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub sensitive: BTreeSet<String>,
}

/// What trying an element can teach. Holding is never required, selecting and dragging have no slot.
pub fn lessons(element: &Element) -> Vec<Slot> {
    let mut slots = Vec::new();
    if element.can(Affordance::Click) {
        slots.push(Slot::Tap);
    }
    if element.can(Affordance::Edit) && !element.states.readonly {
        slots.push(Slot::Text);
    }
    if element.can(Affordance::Scroll) && slots.is_empty() {
        slots.push(Slot::VSwipe);
    }
    slots
}

/// The least number of elements that make a series.
const SERIES: usize = 8;
/// How many of a series are tried.
const SAMPLES: usize = 2;

/// What is there to be learnt of each tagged element of a view. Of the numbers on a dial or a keypad, which are of one
/// kind and size, two stand for all.
fn lessons_of(view: &View) -> Vec<Vec<Slot>> {
    let mut series: BTreeMap<(String, i64, i64), Vec<usize>> = BTreeMap::new();
    let elements: Vec<Option<&Element>> =
        view.tagged.iter().map(|t| view.observation.elements.get(t.element)).collect();
    for (at, element) in elements.iter().enumerate().filter_map(|(at, e)| Some((at, (*e)?))) {
        if is_number(&element.name) && element.can(Affordance::Click) && !element.can(Affordance::Edit) {
            #[expect(clippy::cast_possible_truncation, reason = "sizes of a screen")]
            let [w, h] = [element.bounds.w, element.bounds.h].map(|side| side.round() as i64);
            series.entry((element.role.as_str().to_owned(), w, h)).or_default().push(at);
        }
    }
    let like: BTreeSet<usize> = series
        .into_values()
        .filter(|s| s.len() >= SERIES)
        .flat_map(|s| s.into_iter().skip(SAMPLES))
        .collect();
    let of = |(at, element): (usize, &Option<&Element>)| match element {
        Some(element) if !like.contains(&at) => lessons(element),
        _ => Vec::new(),
    };
    elements.iter().enumerate().map(of).collect()
}

/// Whether a name is a number, perhaps with its unit: `7`, `9 o'clock`, `25 minutes`.
fn is_number(name: &str) -> bool {
    let mut words = name.split_whitespace();
    let first = words.next().unwrap_or_default();
    !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit()) && words.count() <= 1
}

/// What stands at the top of a view: its first heading, or on a phone the first text that cannot be used.
fn heading(view: &View) -> String {
    let o = &view.observation;
    let near = o.geometry.physical.h * 0.15;
    let used = |at: usize| view.tagged.iter().any(|t| t.element == at);
    let top = |(at, e): &(usize, &Element)| {
        e.role.as_str() == "text" && e.uid.is_some() && e.bounds.center().y < near && !used(*at)
    };
    let headed = o.elements.iter().find(|e| e.role.as_str() == "heading");
    let found = headed.or_else(|| o.elements.iter().enumerate().find(top).map(|(_, e)| e));
    found.map(|e| e.name.trim().chars().take(60).collect()).unwrap_or_default()
}

impl Graph {
    /// The screen of a view whose tagged elements have `keys`; a new one when none is alike.
    pub fn visit(&mut self, view: &View, keys: &[String]) -> ScreenId {
        let place = place(view);
        let mut elements: BTreeMap<String, Vec<Slot>> = BTreeMap::new();
        for (lessons, key) in lessons_of(view).into_iter().zip(keys) {
            elements.entry(key.clone()).or_insert(lessons);
        }
        let title: String = view.observation.context.title.chars().take(80).collect();
        let best = self
            .screens
            .iter_mut()
            .filter(|s| s.place == place)
            .map(|s| (alike(&s.elements, &elements), s))
            .filter(|(share, _)| *share >= ALIKE)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, screen)) = best {
            screen.title = title;
            screen.heading = heading(view);
            // What is not there now may come back with another content; what is there, is.
            screen.elements = elements;
            return screen.id;
        }
        let id = ScreenId(u32::try_from(self.screens.len()).unwrap_or(u32::MAX).saturating_add(1));
        self.screens.push(GraphScreen {
            id,
            place,
            title,
            heading: heading(view),
            elements,
            useless: BTreeSet::new(),
            barred: BTreeMap::new(),
            at: BTreeMap::new(),
        });
        id
    }

    pub fn screen(&self, id: ScreenId) -> Option<&GraphScreen> {
        self.screens.iter().find(|s| s.id == id)
    }

    pub fn screen_mut(&mut self, id: ScreenId) -> Option<&mut GraphScreen> {
        self.screens.iter_mut().find(|s| s.id == id)
    }

    /// Keeps a way: it leads where it led last. A way from a screen to itself is none.
    pub fn link(&mut self, from: ScreenId, by: &str, to: ScreenId) {
        self.edges.retain(|e| e.from != from || e.by != by);
        if from != to {
            self.edges.insert(Edge { from, by: by.to_owned(), to });
        }
    }

    pub fn leads(&self, from: ScreenId, by: &str) -> Option<ScreenId> {
        self.edges.iter().find(|e| e.from == from && e.by == by).map(|e| e.to)
    }

    /// The elements of a screen that are still to be tried, with what to try.
    pub fn pending(&self, id: ScreenId, known: &dyn Fn(&str, Slot) -> bool) -> Vec<(&str, Slot)> {
        let Some(screen) = self.screen(id) else { return Vec::new() };
        screen
            .elements
            .iter()
            .filter(|(key, _)| !screen.barred.contains_key(*key))
            .flat_map(|(key, slots)| slots.iter().map(move |slot| (key, *slot)))
            .filter(|(key, slot)| !screen.useless.contains(&((*key).clone(), *slot)) && !known(key, *slot))
            .map(|(key, slot)| (key.as_str(), slot))
            .collect()
    }

    /// Whether nothing is left to try on any screen.
    pub fn is_complete(&self, known: &dyn Fn(&str, Slot) -> bool) -> bool {
        self.screens.iter().all(|s| self.pending(s.id, known).is_empty())
    }

    /// Ways from a screen to screens where something is left: the first step, what is left there, and how
    /// many steps it takes. The shortest way for each first step, the nearest first.
    pub fn ways(&self, from: ScreenId, known: &dyn Fn(&str, Slot) -> bool) -> Vec<(String, usize, usize)> {
        let mut seen = BTreeSet::from([from]);
        let mut queue: VecDeque<(ScreenId, Option<String>, usize)> = VecDeque::from([(from, None, 0)]);
        let mut found: Vec<(String, usize, usize)> = Vec::new();
        while let Some((at, first, steps)) = queue.pop_front() {
            for edge in self.edges.iter().filter(|e| e.from == at) {
                if !seen.insert(edge.to) {
                    continue;
                }
                let first = first.clone().unwrap_or_else(|| edge.by.clone());
                let left = self.pending(edge.to, known).len();
                if left > 0 && !found.iter().any(|(by, _, _)| *by == first) {
                    found.push((first.clone(), left, steps + 1));
                }
                queue.push_back((edge.to, Some(first), steps + 1));
            }
        }
        found
    }

    /// Whether a screen that leads here, at once or over others, has something left.
    pub fn left_behind(&self, here: ScreenId, known: &dyn Fn(&str, Slot) -> bool) -> bool {
        let mut seen = BTreeSet::from([here]);
        let mut queue = vec![here];
        while let Some(at) = queue.pop() {
            for edge in self.edges.iter().filter(|e| e.to == at) {
                if seen.insert(edge.from) {
                    if !self.pending(edge.from, known).is_empty() {
                        return true;
                    }
                    queue.push(edge.from);
                }
            }
        }
        false
    }
}

fn alike(a: &BTreeMap<String, Vec<Slot>>, b: &BTreeMap<String, Vec<Slot>>) -> f64 {
    let common = a.keys().filter(|key| b.contains_key(*key)).count();
    let all = a.len() + b.len() - common;
    #[expect(clippy::cast_precision_loss, reason = "screens have few elements")]
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use waldo_devices::{LabelStyle, Picture, Tag};

    use super::*;
    use crate::appagent::Mode;
    use crate::appagent::docs::keys;
    use crate::appagent::learn::Tried;
    use crate::appagent::testing::{element, observation};

    fn view(place: &str, names: &[&str]) -> View {
        let row =
            |(i, n): (usize, &&str)| element("button", n, u32::try_from(i).unwrap(), &[Affordance::Click]);
        let mut o = observation(names.iter().enumerate().map(row).collect(), Picture::empty());
        o.context.location = format!("http://127.0.0.1:8080{place}?q=1#x");
        View::new(o, LabelStyle::default()).unwrap()
    }

    fn visit(graph: &mut Graph, view: &View) -> ScreenId {
        graph.visit(view, &keys(view, Mode::Tolerant))
    }

    #[test]
    fn screens_and_ways_are_told_apart_and_found_again() {
        let mut graph = Graph::default();
        let a = visit(&mut graph, &view("/a", &["One", "Two", "Three"]));
        assert_eq!(visit(&mut graph, &view("/a", &["One", "Two", "Three", "Four"])), a);
        let b = visit(&mut graph, &view("/a", &["Else", "Other"]));
        let c = visit(&mut graph, &view("/b", &["One", "Two", "Three"]));
        assert_eq!((a, b, c), (ScreenId(1), ScreenId(2), ScreenId(3)));
        assert_eq!(graph.screens[0].place, "/a");
        let mut graph = Graph::default();
        let (a, b) = (visit(&mut graph, &view("/a", &["Row"])), visit(&mut graph, &view("/b", &["Left"])));
        let by = |slot| Tried { tag: Tag(1), key: "button|Row".to_owned(), slot }.way();
        graph.link(a, &by(Slot::Tap), b);
        graph.link(a, &by(Slot::VSwipe), a);
        assert_eq!(graph.leads(a, "button|Row"), Some(b));
        assert_eq!(graph.ways(a, &|key, _| key == "button|Row"), [("button|Row".to_owned(), 1, 1)]);
        let hours: Vec<String> = (0..24).map(|hour| format!("{hour} o'clock")).collect();
        let mut names: Vec<&str> = hours.iter().map(String::as_str).collect();
        names.push("OK");
        let tried =
            |names: &[&str]| lessons_of(&view("/time", names)).iter().filter(|l| !l.is_empty()).count();
        assert_eq!(tried(&names), SAMPLES + 1);
        assert_eq!(tried(&names[..7]), 7, "a few do not make a series");
    }

    #[test]
    fn ways_lead_to_what_is_left() {
        let mut graph = Graph::default();
        let a = visit(&mut graph, &view("/a", &["Go"]));
        let b = visit(&mut graph, &view("/b", &["Further"]));
        let c = visit(&mut graph, &view("/c", &["Left", "Right"]));
        graph.link(a, "button|Go", b);
        graph.link(b, "button|Further", c);
        graph.link(c, "button|Left", c);
        let known = |key: &str, _: Slot| key == "button|Go" || key == "button|Further";
        assert!(!graph.is_complete(&known));
        assert_eq!(graph.ways(a, &known), [("button|Go".to_owned(), 2, 2)]);
        assert!(graph.pending(a, &known).is_empty() && graph.ways(c, &known).is_empty());
        let unknown = |key: &str, _: Slot| key != "button|Go";
        assert!(graph.left_behind(c, &unknown) && !graph.left_behind(a, &unknown));
        for s in ["button|Left", "button|Right"] {
            graph.screen_mut(c).unwrap().useless.insert((s.to_owned(), Slot::Tap));
        }
        assert!(graph.is_complete(&known));
        assert_eq!(graph.edges.len(), 2);
        // A way that leads elsewhere now, and one that leads nowhere any more.
        graph.link(a, "button|Go", c);
        assert_eq!((graph.leads(a, "button|Go"), graph.edges.len()), (Some(c), 2));
        graph.link(a, "button|Go", a);
        assert_eq!((graph.leads(a, "button|Go"), graph.edges.len()), (None, 1));
    }

    #[test]
    fn screens_of_before_actions_were_told_apart_are_read() {
        let mut graph = Graph::default();
        let a = visit(&mut graph, &view("/a", &["Row", "Other"]));
        graph.screen_mut(a).unwrap().useless.insert(("button|Other".to_owned(), Slot::Tap));
        let mut kept = serde_json::to_value(&graph).unwrap();
        assert_eq!(serde_json::from_value::<Graph>(kept.clone()).unwrap(), graph);
        kept["screens"][0]["useless"] = serde_json::json!(["button|Row"]);
        kept["screens"][0]["barred"] = serde_json::json!(["button|Gone"]);
        let read: Graph = serde_json::from_value(kept).unwrap();
        assert!(read.screens[0].barred.contains_key("button|Gone"));
        assert_eq!(read.screens[0].useless.len(), Slot::ALL.len());
        assert_eq!(read.pending(a, &|_, _| false), [("button|Other", Slot::Tap)]);
    }
}
