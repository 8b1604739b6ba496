//! Numbers of elements that stay from one screen to the next.
//!
//! A client acts on what it was told of a change, without looking again, so a number must not pass from one element to
//! another. Handles of drivers hold for one observation; what is the same element is told by what it is and what stands
//! around it.
//!
//! Invariant: a number is given once. An element keeps it while there is no doubt that it is the same one; what is in
//! doubt gets a new number, and the old one is refused from then on.

use std::collections::HashMap;

use waldo_agents::View;
use waldo_devices::{Element, Tag, Tagged};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ElementIdentity {
    frame: u32,
    role: String,
    name: String,
    id: Option<String>,
    uid: Option<String>,
}

impl ElementIdentity {
    fn of(element: &Element) -> Self {
        Self {
            frame: element.frame,
            role: element.role.as_str().to_owned(),
            name: element.name.clone(),
            id: element.id.clone(),
            uid: element.uid.clone(),
        }
    }
}

/// The words that stand before and after an element in the order of reading.
type Neighbours = (String, String);

#[derive(Clone, Debug)]
struct KnownElement {
    identity: ElementIdentity,
    around: Neighbours,
    tag: Tag,
}

#[derive(Debug, Default)]
pub struct Numbers {
    /// The highest number that was given so far.
    pub given: u32,
    location: String,
    known: Vec<KnownElement>,
}

impl Numbers {
    /// The tags of a view with their lasting numbers, in the view's order.
    pub fn number(&mut self, view: &View) -> Vec<Tagged> {
        let seen = &view.observation;
        let location = page_of(&seen.context.location);
        if self.location != location {
            // Another page has other elements, whatever they are called.
            self.known.clear();
            self.location = location;
        }
        let around = around(view);
        let now: Vec<(usize, ElementIdentity, Neighbours)> = view
            .tagged
            .iter()
            .filter_map(|t| {
                let element = seen.elements.get(t.element)?;
                Some((
                    t.element,
                    ElementIdentity::of(element),
                    around.get(t.element).cloned().unwrap_or_default(),
                ))
            })
            .collect();
        let mut tags: Vec<Option<Tag>> = vec![None; now.len()];
        let alone = pairs(
            group(self.known.iter().map(|k| k.identity.clone())),
            &group(now.iter().map(|(_, identity, _)| identity.clone())),
            |old, new| old == 1 && new == 1,
        );
        let same_place = pairs(
            group(self.known.iter().map(|k| (k.identity.clone(), k.around.clone()))),
            &group(now.iter().map(|(_, identity, around)| (identity.clone(), around.clone()))),
            |old, new| old == new,
        );
        for (old, new) in alone.into_iter().chain(same_place) {
            if let (Some(slot), Some(known)) = (tags.get_mut(new), self.known.get(old)) {
                slot.get_or_insert(known.tag);
            }
        }
        let mut numbered = Vec::with_capacity(now.len());
        let mut known = Vec::with_capacity(now.len());
        for ((element, identity, around), tag) in now.into_iter().zip(tags) {
            let tag = tag.unwrap_or_else(|| {
                self.given = self.given.saturating_add(1);
                Tag(self.given)
            });
            numbered.push(Tagged { tag, element });
            known.push(KnownElement { identity, around, tag });
        }
        self.known = known;
        numbered
    }
}

/// The page of an address, whatever part of it is shown.
fn page_of(location: &str) -> String {
    location.split('#').next().unwrap_or_default().to_owned()
}

fn group<K: Eq + std::hash::Hash>(keys: impl Iterator<Item = K>) -> HashMap<K, Vec<usize>> {
    let mut groups: HashMap<K, Vec<usize>> = HashMap::new();
    for (at, key) in keys.enumerate() {
        groups.entry(key).or_default().push(at);
    }
    groups
}

/// The places of old and new that belong together: those of groups whose sizes leave no doubt, in order.
fn pairs<K: Eq + std::hash::Hash>(
    old: HashMap<K, Vec<usize>>,
    new: &HashMap<K, Vec<usize>>,
    sure: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for (key, places) in old {
        if let Some(now) = new.get(&key).filter(|now| sure(places.len(), now.len())) {
            all.extend(places.into_iter().zip(now.iter().copied()));
        }
    }
    all
}

/// What stands before and after each element: the nearest words that are not its own.
fn around(view: &View) -> Vec<Neighbours> {
    let seen = &view.observation;
    let mut order: Vec<(Option<usize>, &str)> = Vec::new();
    let mut texts = seen.texts.iter().peekable();
    for (at, element) in seen.elements.iter().enumerate() {
        while let Some(text) = texts.next_if(|text| text.before <= at) {
            order.push((None, &text.text));
        }
        order.push((Some(at), &element.name));
    }
    order.extend(texts.map(|text| (None, text.text.as_str())));
    let mut all: Vec<Neighbours> = vec![Neighbours::default(); seen.elements.len()];
    let mut nearest = |order: &mut dyn Iterator<Item = &(Option<usize>, &str)>, before: bool| {
        // The last words, and the last ones that differ from those.
        let (mut last, mut other) = ("", "");
        for (element, words) in order {
            if let Some(around) = element.and_then(|at| all.get_mut(at)) {
                let near = if last == *words { other } else { last };
                let slot = if before { &mut around.0 } else { &mut around.1 };
                near.clone_into(slot);
            }
            if !words.is_empty() && *words != last {
                (last, other) = (words, last);
            }
        }
    };
    nearest(&mut order.iter(), true);
    nearest(&mut order.iter().rev(), false);
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::screen::testing::view;

    fn numbers(numbers: &mut Numbers, view: &View) -> Vec<u32> {
        numbers.number(view).iter().map(|t| t.tag.0).collect()
    }

    #[test]
    fn an_element_keeps_its_number_and_a_new_one_gets_another() {
        let mut all = Numbers::default();
        let first = view("http://a.test/", &[("button", "Save"), ("link", "Help")], &[]);
        assert_eq!(numbers(&mut all, &first), [1, 2]);
        let more = view("http://a.test/#x", &[("alert", "Bad"), ("button", "Save"), ("link", "Help")], &[]);
        assert_eq!(numbers(&mut all, &more), [3, 1, 2]);
        // Gone, and another one of that kind later.
        let less = view("http://a.test/", &[("link", "Help")], &[]);
        assert_eq!(numbers(&mut all, &less), [2]);
        assert_eq!(numbers(&mut all, &first), [4, 2]);
        assert_eq!(all.given, 4);
    }

    #[test]
    fn twins_are_told_apart_by_what_stands_around_them() {
        let rows = |names: &[&str]| {
            let elements: Vec<(&str, &str)> = names.iter().map(|_| ("button", "Delete")).collect();
            let texts: Vec<(&str, usize)> = names.iter().enumerate().map(|(n, name)| (*name, n)).collect();
            view("http://a.test/", &elements, &texts)
        };
        let mut all = Numbers::default();
        assert_eq!(numbers(&mut all, &rows(&["Ann", "Bob", "Cy", "Di"])), [1, 2, 3, 4]);
        // Bob is gone: the others keep their own as far as their neighbours tell, none gets Bob's.
        let after = numbers(&mut all, &rows(&["Ann", "Cy", "Di"]));
        assert_eq!(after[2], 4);
        assert!(!after.contains(&2), "{after:?}");
        for (row, own) in [(0, 1), (1, 3)] {
            assert!(after[row] == own || after[row] > 4, "{after:?}");
        }
    }

    #[test]
    fn what_is_in_doubt_gets_a_new_number() {
        let mut all = Numbers::default();
        let plain = |n: usize| view("http://a.test/", &vec![("button", ""); n], &[]);
        assert_eq!(numbers(&mut all, &plain(3)), [1, 2, 3]);
        assert_eq!(numbers(&mut all, &plain(3)), [1, 2, 3]);
        assert_eq!(numbers(&mut all, &plain(2)), [4, 5]);
    }

    #[test]
    fn another_page_has_other_elements() {
        let mut all = Numbers::default();
        let on = |page: &str| view(page, &[("button", "Delete")], &[]);
        assert_eq!(numbers(&mut all, &on("http://a.test/1")), [1]);
        assert_eq!(numbers(&mut all, &on("http://a.test/2")), [2]);
        assert_eq!(json!(numbers(&mut all, &on("http://a.test/2#part"))), json!([2]));
    }
}
