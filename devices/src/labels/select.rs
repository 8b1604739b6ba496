//! Which elements get a number.
//!
//! Invariant: numbers run from 1 without gaps in document order, and no two of them lead to the same
//! place with the same effect.

use std::collections::HashMap;

use super::{Tag, Tagged};
use crate::element::{Affordance, Element};
use crate::geometry::{Physical, Rect};
use crate::word_list::word_list;

/// Edges and hit points this close (physical px) count as the same.
const NEAR: f64 = 2.0;
/// Side of a bucket of the duplicate search, in physical px; above `NEAR`.
const BUCKET: f64 = 8.0;

/// Roles that say nothing about what an element does; beside a twin that says more they give way.
const VAGUE_ROLES: [&str; 17] = word_list(
    "article cell figure generic grid gridcell group image img label LabelText list listitem none presentation \
     region row",
);

/// Numbers the elements that can be used: enabled, with an affordance and with non-empty bounds.
///
/// Of near-identical twins (a label over its own input, a link that fills a clickable row) only the one that
/// says more gets a number; twins that offer different things both keep theirs. At most `cap` elements are
/// numbered, the first ones in document order; of more, empty cells of tables go first.
pub fn select(elements: &[Element], cap: usize) -> Vec<Tagged> {
    let mut kept: Vec<Option<usize>> = Vec::new();
    let mut buckets: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (index, element) in elements.iter().enumerate().filter(|(_, e)| is_taggable(e)) {
        let mut survives = true;
        for slot in near_slots(&buckets, element) {
            let Some(other) = kept[slot] else { continue };
            match verdict(&elements[other], element) {
                TagVerdict::Both => {}
                TagVerdict::First => {
                    survives = false;
                    break;
                }
                TagVerdict::Second => kept[slot] = None,
            }
        }
        if survives {
            for key in keys(element) {
                buckets.entry(key).or_default().push(kept.len());
            }
            kept.push(Some(index));
        }
    }
    let mut kept: Vec<usize> = kept.into_iter().flatten().collect();
    let mut over = kept.len().saturating_sub(cap);
    if over > 0 {
        // A sheet shows hundreds of them, and its buttons may come after.
        let is_empty = |element: &Element| {
            element.role.as_str() == "cell" && element.value.as_ref().is_none_or(String::is_empty)
        };
        for at in (0..kept.len()).rev() {
            if over > 0 && is_empty(&elements[kept[at]]) {
                kept.remove(at);
                over -= 1;
            }
        }
    }
    (1..).zip(kept).take(cap).map(|(n, element)| Tagged { tag: Tag(n), element }).collect()
}

/// The elements that got no number because another one stands for them, each with that one, by place in the
/// list. What fell to the cap is not among them.
pub fn twins(elements: &[Element], tagged: &[Tagged]) -> Vec<(usize, usize)> {
    let numbered: Vec<usize> = tagged.iter().map(|t| t.element).collect();
    let left_out = elements.iter().enumerate().filter(|(at, e)| is_taggable(e) && !numbered.contains(at));
    let stands_for = |at: usize, element: &Element| {
        let stands = |kept: &Element| are_twins(kept, element) && covers(kept, element);
        numbered.iter().copied().find(|n| elements.get(*n).is_some_and(stands)).map(|kept| (at, kept))
    };
    left_out.filter_map(|(at, element)| stands_for(at, element)).collect()
}

/// Whether the element may get a number at all, twins aside.
pub(super) fn is_taggable(element: &Element) -> bool {
    !element.states.disabled && !element.affordances.is_empty() && is_visible(&element.bounds)
}

pub(super) fn is_visible(bounds: &Rect<Physical>) -> bool {
    bounds.x.is_finite() && bounds.y.is_finite() && bounds.area().is_finite() && bounds.area() > 0.0
}

enum TagVerdict {
    Both,
    First,
    Second,
}

/// Which of two elements, in document order, is worth a number.
fn verdict(first: &Element, second: &Element) -> TagVerdict {
    if !are_twins(first, second) {
        return TagVerdict::Both;
    }
    match (covers(first, second), covers(second, first)) {
        (false, false) => TagVerdict::Both,
        (true, false) => TagVerdict::First,
        (false, true) => TagVerdict::Second,
        // The later one lies deeper in the tree, hence closer to what is drawn.
        (true, true) if weight(second) >= weight(first) => TagVerdict::Second,
        (true, true) => TagVerdict::First,
    }
}

/// Whether a tap on either lands on the same thing.
fn are_twins(a: &Element, b: &Element) -> bool {
    if a.frame != b.frame {
        return false;
    }
    let same_bounds = near(a.bounds.x, b.bounds.x)
        && near(a.bounds.y, b.bounds.y)
        && near(a.bounds.right(), b.bounds.right())
        && near(a.bounds.bottom(), b.bounds.bottom());
    let same_hit = a.hit.distance(b.hit) <= NEAR;
    if !same_bounds && !same_hit {
        return false;
    }
    let (a_name, b_name) = (a.name.trim(), b.name.trim());
    let same_name = a_name == b_name && !a_name.is_empty();
    (same_bounds && (same_hit || same_name || a_name.is_empty() || b_name.is_empty()))
        || (same_hit && same_name)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= NEAR
}

/// Whether `keep` can do all that `drop` can.
fn covers(keep: &Element, drop: &Element) -> bool {
    drop.affordances.iter().all(|what| match what {
        Affordance::Click => {
            use Affordance::{Drop, Hover, Scroll};
            keep.affordances.iter().any(|k| !matches!(k, Scroll | Drop | Hover))
        }
        other => keep.can(*other),
    })
}

/// How much an element says about itself: a telling role first, then a name.
fn weight(element: &Element) -> (bool, bool) {
    let role = element.role.as_str();
    (!role.is_empty() && !VAGUE_ROLES.contains(&role), !element.name.trim().is_empty())
}

fn bucket(v: f64) -> i64 {
    (v / BUCKET).floor() as i64
}

/// The buckets an element is filed under: its top left corner and its hit point.
fn keys(element: &Element) -> Vec<(i64, i64)> {
    let corner = (bucket(element.bounds.x), bucket(element.bounds.y));
    let hit = (bucket(element.hit.x), bucket(element.hit.y));
    if corner == hit { vec![corner] } else { vec![corner, hit] }
}

/// The slots that may hold a twin, each once, in document order.
fn near_slots(buckets: &HashMap<(i64, i64), Vec<usize>>, element: &Element) -> Vec<usize> {
    let mut slots = Vec::new();
    for (x, y) in keys(element) {
        for dx in -1..=1 {
            for dy in -1..=1 {
                let key = (x.saturating_add(dx), y.saturating_add(dy));
                slots.extend(buckets.get(&key).into_iter().flatten().copied());
            }
        }
    }
    slots.sort_unstable();
    slots.dedup();
    slots
}

#[cfg(test)]
mod tests {
    use super::super::testing::{element, with};
    use super::*;
    use proptest::prelude::*;

    fn picked(elements: &[Element]) -> Vec<usize> {
        select(elements, 100).into_iter().map(|t| t.element).collect()
    }

    #[test]
    fn what_cannot_be_used_gets_no_number() {
        let mut off = element("button", "Off", 0.0, 0.0, 10.0, 10.0);
        off.states.disabled = true;
        let text = with(element("text", "Hello", 0.0, 20.0, 10.0, 10.0), &[]);
        let flat = element("button", "Flat", 0.0, 40.0, 0.0, 10.0);
        let mut fixed = with(element("textbox", "Id", 0.0, 60.0, 50.0, 10.0), &[Affordance::Edit]);
        fixed.states.readonly = true;
        let pane = with(element("region", "", 0.0, 80.0, 50.0, 50.0), &[Affordance::Scroll]);
        assert_eq!(picked(&[off, text, flat, fixed, pane]), [3, 4]);
    }

    #[test]
    fn twins_give_way_unless_they_offer_different_things() {
        let label = element("label", "Mail", 0.0, 0.0, 100.0, 20.0);
        let input =
            with(element("textbox", "Mail", 1.0, 1.0, 99.0, 19.0), &[Affordance::Click, Affordance::Edit]);
        assert_eq!(picked(&[label.clone(), input.clone()]), [1]);
        assert_eq!(picked(&[input, label]), [0]);
        let row = element("row", "Inbox", 0.0, 0.0, 300.0, 30.0);
        let link = element("link", "Inbox", 0.0, 0.0, 300.0, 30.0);
        let other = element("link", "Sent", 0.0, 30.0, 300.0, 30.0);
        let all = [row, link, other];
        assert_eq!(picked(&all), [1, 2]);
        assert_eq!(twins(&all, &select(&all, 100)), [(0, 1)]);
        assert_eq!(twins(&all, &select(&all, 1)), [(0, 1)], "what fell to the cap has no stand-in");
        let pane = with(element("region", "Log", 0.0, 0.0, 300.0, 300.0), &[Affordance::Scroll]);
        let link = element("link", "Log", 0.0, 0.0, 300.0, 300.0);
        assert_eq!(picked(&[pane, link]), [0, 1]);
        let near =
            [element("button", "A", 0.0, 0.0, 20.0, 20.0), element("button", "B", 22.0, 0.0, 20.0, 20.0)];
        assert_eq!(picked(&near), [0, 1]);
    }

    #[test]
    fn the_cap_keeps_the_first_ones() {
        let many: Vec<_> =
            (0..9).map(|i| element("button", "x", f64::from(i) * 30.0, 0.0, 20.0, 20.0)).collect();
        let tagged = select(&many, 4);
        assert_eq!(
            tagged.iter().map(|t| (t.tag.0, t.element)).collect::<Vec<_>>(),
            [(1, 0), (2, 1), (3, 2), (4, 3)]
        );
        assert!(select(&many, 0).is_empty());
    }

    proptest! {
        #[test]
        fn numbers_and_elements_are_one_to_one(
            boxes in prop::collection::vec((0..60u32, 0..60u32, 0..40u32, 0..40u32, any::<bool>()), 0..60),
            cap in 0..70usize,
        ) {
            let elements: Vec<_> = boxes.iter().map(|&(x, y, w, h, vague)| {
                let role = if vague { "generic" } else { "button" };
                element(role, if x % 2 == 0 { "" } else { "n" }, x.into(), y.into(), w.into(), h.into())
            }).collect();
            let tagged = select(&elements, cap);
            prop_assert!(tagged.len() <= cap);
            for (i, t) in tagged.iter().enumerate() {
                prop_assert_eq!(t.tag.0 as usize, i + 1);
                prop_assert!(is_taggable(&elements[t.element]));
            }
            prop_assert!(tagged.windows(2).all(|w| w[0].element < w[1].element));
        }
    }
}
