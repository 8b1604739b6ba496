//! What is known about elements from earlier use.
//!
//! Documentation is keyed by what an element *is* across observations ([`keys`]), has AppAgent's five
//! slots ([`Slots`]), and comes in three layers of which the stronger wins ([`Layers`]). Everything here
//! is pure: the store on disk belongs to `waldo-tasks`.
//!
//! What is said of an element ([`Docs`]), layer by layer: its own documentation; else that of its uid alone,
//! which AppAgent's files are; else that of the uids that it stands for, those of twins that got no number
//! among them. Documentation that was written about another name is none of its own ([`differ`]), and what was written
//! about a uid without a name is nobody's where several elements of the screen have that uid, or where the element has a
//! row to be known by: it may have been written about any of them.

mod key;
mod layers;
mod library;
pub mod logs;
pub mod python;
mod row;
mod slots;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use waldo_devices::labels;
use waldo_prompts::appagent::Doc;

use crate::agent::View;
use crate::appagent::Mode;

pub use key::{differ, key_of, keys, named, place, row_of, split, title};
pub use layers::{Layers, TextLayer};
pub use library::Library;
pub use slots::{Slot, Slots, common};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementKnowledge {
    /// What AppAgent knows it by; others may share it.
    pub uid: String,
    /// The name that it bore; empty where it bore none or none was kept.
    pub name: String,
    /// Where waldo itself saw it, for what bore no name; empty for what was imported.
    pub places: Vec<String>,
    pub layers: Layers,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Docs(BTreeMap<String, ElementKnowledge>);

impl Docs {
    pub fn new(known: impl IntoIterator<Item = (String, ElementKnowledge)>) -> Self {
        Self(known.into_iter().filter(|(_, known)| !known.layers.is_empty()).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Every key and what is said about it, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, String)> {
        self.0.iter().map(|(key, known)| (key.as_str(), known.layers.merged().sentence()))
    }

    /// What is known about a view's tagged elements; under [`Mode::Compat`] what AppAgent finds, by the uid.
    pub fn of(&self, view: &View, mode: Mode) -> Vec<Doc> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut twins: HashMap<usize, Vec<usize>> = HashMap::new();
        if mode == Mode::Tolerant {
            for (left_out, kept) in labels::twins(&view.observation.elements, &view.tagged) {
                twins.entry(kept).or_default().push(left_out);
            }
        }
        let mut bearers: HashMap<&str, usize> = HashMap::new();
        for t in &view.tagged {
            let stands_for = std::iter::once(&t.element).chain(twins.get(&t.element).into_iter().flatten());
            let elements = stands_for.filter_map(|at| view.observation.elements.get(*at));
            let uids: BTreeSet<&str> = elements.filter_map(|e| e.uid.as_deref()).collect();
            uids.into_iter().for_each(|uid| *bearers.entry(uid).or_default() += 1);
        }
        // What was written about a uid without a name: of one element alone, and, where waldo wrote it, on its screen.
        let is_meant = |key: &str, known: &ElementKnowledge, wanted: &str| {
            let is_bare = known.name.trim().is_empty() && bearers.contains_key(key);
            let here = || known.places.contains(&place(view));
            let by_waldo = || row_of(wanted).is_none() && here();
            !is_bare || (bearers.get(key) == Some(&1) && (known.places.is_empty() || by_waldo()))
        };
        let told = |(at, key): (usize, String)| {
            let t = view.tagged.get(at)?;
            let slots = match mode {
                Mode::Compat => self.of_uid(&key),
                Mode::Tolerant => self.about(view, t.element, &key, twins.get(&t.element), &is_meant),
            };
            (!slots.is_empty()).then(|| (t.tag.0, slots.sentence()))
        };
        let mut docs: Vec<Doc> = Vec::new();
        for (tag, text) in keys(view, mode).into_iter().enumerate().filter_map(told) {
            // Rows of a list have the same note: it is said once. AppAgent says it for each.
            match docs.iter_mut().find(|doc| mode == Mode::Tolerant && doc.text == text) {
                Some(doc) => doc.tags.push(tag),
                None => docs.push(Doc { tags: vec![tag], text }),
            }
        }
        docs
    }

    fn about(
        &self,
        view: &View,
        element: usize,
        key: &str,
        twins: Option<&Vec<usize>>,
        is_meant: &dyn Fn(&str, &ElementKnowledge, &str) -> bool,
    ) -> Slots {
        let elements = &view.observation.elements;
        let name = elements.get(element).map_or("", |e| e.name.as_str());
        let stands_for = std::iter::once(&element).chain(twins.into_iter().flatten());
        let uids = stands_for.filter_map(|e| elements.get(*e)).filter_map(|e| e.uid.as_ref());
        let by_uid = uids
            .flat_map(|uid| [Some(named(uid, name)), Some(uid.clone())])
            .flatten()
            .filter_map(|key| self.0.get_key_value(&key))
            .filter(|(_, known)| !differ(&known.name, name));
        let found: Vec<&Layers> = self
            .0
            .get_key_value(key)
            .into_iter()
            .chain(by_uid)
            .filter(|(found, known)| is_meant(found, known, key))
            .map(|(_, known)| &known.layers)
            .collect();
        let mut slots = Slots::default();
        for slot in Slot::ALL {
            let of = |layer| found.iter().map(move |layers| layers.layer(layer).get(slot));
            if let Some(text) = TextLayer::ALL.into_iter().flat_map(of).find(|text| !text.is_empty()) {
                slots.set(slot, text);
            }
        }
        slots
    }

    fn of_uid(&self, uid: &str) -> Slots {
        let all = self.0.iter().filter(|(key, known)| *key == uid || known.uid == uid);
        common(all.map(|(_, known)| (known.name.as_str(), known.layers.merged())))
    }
}
