//! The screens of the page: their names, what stands where, and what leads to which.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use waldo_agents::appagent::Slot;
use waldo_agents::appagent::learn::{Graph, GraphScreen, ScreenId};
use waldo_tasks::docs::{DocsStore, ElementDoc};

pub struct KnownScreens<'a> {
    store: &'a DocsStore,
    graph: &'a Graph,
    names: BTreeMap<ScreenId, String>,
}

/// The end of an element's address on the page.
pub fn anchor(key: &str) -> String {
    format!("e{}", HEXLOWER.encode(&Sha256::digest(key)[..5]))
}

impl<'a> KnownScreens<'a> {
    pub fn of(store: &'a DocsStore, graph: &'a Graph) -> Self {
        let names = names(graph);
        Self { store, graph, names }
    }

    fn name(&self, id: ScreenId) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// Where an element leads: address on the page, and name.
    pub fn leads(&self, doc: &ElementDoc) -> Vec<Value> {
        let mut to: Vec<ScreenId> = Vec::new();
        for edge in &self.graph.edges {
            if !to.contains(&edge.to) && self.store.own(&edge.by).is_some_and(|d| d.key == doc.key) {
                to.push(edge.to);
            }
        }
        to.into_iter().map(|id| json!({ "id": id.0, "name": self.name(id) })).collect()
    }

    /// A section for each screen, and for what is on none of them; `card` makes an element's part of it.
    pub fn sections(&self, docs: &[&ElementDoc], card: &dyn Fn(&ElementDoc) -> Value) -> Vec<Value> {
        let mut placed: BTreeSet<&str> = BTreeSet::new();
        let mut by_screen: BTreeMap<ScreenId, Vec<&ElementDoc>> = BTreeMap::new();
        let mut sections = Vec::new();
        for screen in &self.graph.screens {
            for doc in self.on(screen) {
                if placed.insert(&doc.key) {
                    by_screen.entry(screen.id).or_default().push(doc);
                }
            }
        }
        // What a screen showed once: with the first screen of the place.
        for doc in docs.iter().filter(|doc| !placed.contains(doc.key.as_str())) {
            let of = |s: &&GraphScreen| doc.seen.iter().any(|seen| seen.place == s.place);
            if let Some(screen) = self.graph.screens.iter().find(of) {
                by_screen.entry(screen.id).or_default().push(doc);
            }
        }
        placed.extend(by_screen.values().flatten().map(|doc| doc.key.as_str()));
        for screen in &self.graph.screens {
            let own = by_screen.remove(&screen.id).unwrap_or_default();
            sections.push(self.section(screen, own.into_iter().map(card).collect()));
        }
        let rest = docs.iter().copied().filter(|doc| !placed.contains(doc.key.as_str()));
        let mut others: Vec<(String, String, Vec<Value>)> = Vec::new();
        for doc in rest {
            let (place, title) =
                doc.seen.first().map_or((String::new(), String::from("Not seen yet: imported")), |seen| {
                    (seen.place.clone(), seen.title.clone())
                });
            match others.iter_mut().find(|(p, ..)| *p == place) {
                Some((.., cards)) => cards.push(card(doc)),
                None => others.push((place, title, vec![card(doc)])),
            }
        }
        others.sort_by_key(|(place, ..)| place.is_empty());
        for (n, (place, title, cards)) in others.into_iter().enumerate() {
            let name = if title.is_empty() { place.clone() } else { title };
            sections
                .push(json!({ "id": format!("other-{n}"), "name": name, "place": place, "elements": cards }));
        }
        sections
    }

    /// The documented elements of a screen, from top to bottom where that is known.
    fn on(&self, screen: &GraphScreen) -> Vec<&'a ElementDoc> {
        let mut keys: Vec<&String> = screen.elements.keys().collect();
        keys.sort_by_key(|key| screen.at.get(*key).map_or((u16::MAX, 0), |at| (at[1], at[0])));
        let mut found: Vec<&ElementDoc> = Vec::new();
        for doc in keys.into_iter().filter_map(|key| self.store.own(key)) {
            if !found.iter().any(|d| d.key == doc.key) {
                found.push(doc);
            }
        }
        found
    }

    fn section(&self, screen: &GraphScreen, cards: Vec<Value>) -> Value {
        let known = |key: &str, slot: Slot| self.store.knows(key, slot);
        let left: BTreeSet<&str> =
            self.graph.pending(screen.id, &known).into_iter().map(|(key, _)| key).collect();
        let frames: Vec<Value> = screen
            .at
            .iter()
            .map(|(key, [x1, y1, x2, y2])| {
                let doc = self.store.own(key);
                // What is left alone is shown as that, also where somebody described it.
                let (kind, says) = match (screen.barred.get(key), doc) {
                    (Some(why), _) => ("barred", left_alone(why)),
                    (None, Some(_)) => ("known", "described".to_owned()),
                    (None, None) if left.contains(key.as_str()) => ("left", "not tried yet".to_owned()),
                    (None, None) => ("nothing", "does nothing".to_owned()),
                };
                let [x, y, w, h] = [*x1, *y1, x2.saturating_sub(*x1), y2.saturating_sub(*y1)]
                    .map(|n| format!("{:.1}", f64::from(n) / 10.0));
                let label = doc.map_or_else(|| key.clone(), super::title);
                json!({
                    "x": x, "y": y, "w": w, "h": h, "kind": kind, "label": format!("{label} ({says})"),
                    "to": doc.map(|d| anchor(&d.key)),
                })
            })
            .collect();
        let picture = super::picture(&self.store.screen_picture_path(screen.id));
        let kept: Vec<Value> = screen
            .barred
            .iter()
            .filter(|(key, _)| screen.elements.contains_key(*key))
            .map(|(key, why)| {
                let doc = self.store.own(key);
                json!({
                    "label": doc.map_or_else(|| key.clone(), super::title), "why": why,
                    "to": doc.map(|d| anchor(&d.key)),
                })
            })
            .collect();
        let described = screen.elements.keys().filter(|key| self.store.own(key).is_some()).count();
        json!({
            "id": screen.id.0, "name": self.name(screen.id), "place": screen.place, "elements": cards,
            "all": screen.elements.len(), "described": described, "left": left.len(),
            "barred": kept.len(), "kept": kept, "frames": frames,
            "picture": picture.as_ref().map(|(src, _)| src), "wide": picture.is_some_and(|(_, shape)| shape > 1.0),
        })
    }
}

/// What is said of an element that must not be touched.
fn left_alone(why: &str) -> String {
    if why.is_empty() { "left alone".to_owned() } else { format!("left alone: {why}") }
}

/// What people call screens: the title of a page; of other screens the heading, for all windows of an app may
/// bear one title. The number goes with those that share both.
fn names(graph: &Graph) -> BTreeMap<ScreenId, String> {
    let shared = |s: &GraphScreen| graph.screens.iter().filter(|o| o.title == s.title).count() > 1;
    let own = |s: &GraphScreen| match (s.title.as_str(), s.heading.as_str()) {
        ("", "") => s.place.clone(),
        (title, "") => title.to_owned(),
        ("", heading) => heading.to_owned(),
        (title, heading) if title == heading => title.to_owned(),
        (_, heading) if !s.place.starts_with('/') => heading.to_owned(),
        (title, heading) if shared(s) => format!("{title}: {heading}"),
        (title, _) => title.to_owned(),
    };
    let plain: Vec<(ScreenId, String)> = graph.screens.iter().map(|s| (s.id, own(s))).collect();
    let twice = |name: &str| plain.iter().filter(|(_, n)| n == name).count() > 1;
    plain
        .iter()
        .map(|(id, name)| (*id, if twice(name) { format!("{name} ({})", id.0) } else { name.clone() }))
        .collect()
}
