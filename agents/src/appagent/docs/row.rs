//! The row that an element without a name stands in, by the text that stands beside it.

use waldo_devices::{Element, Observation, Physical, Rect};

/// How much higher than the element a thing may be that is still of its row.
const HIGHER: f64 = 4.0;
/// Logical pixels within which two texts are equally near.
const NEAR: f64 = 8.0;

/// The text of the row of an element: of what has words and stands at its height, in its frame, the nearest; of those
/// that are equally near (a title and what stands below it) the upper one.
pub(super) fn row_text(seen: &Observation, index: usize) -> Option<&str> {
    let own = seen.elements.get(index)?;
    let others =
        seen.elements.iter().enumerate().filter(|(at, other)| *at != index && other.frame == own.frame);
    let named = others.map(|(_, other)| (words_of(other), other.bounds));
    let texts = seen.texts.iter().map(|text| (text.text.trim(), text.bounds));
    let near = NEAR * seen.geometry.scale.max(0.01);
    let in_row =
        named.chain(texts).filter(|(words, bounds)| !words.is_empty() && is_beside(own.bounds, *bounds));
    let mut best: Option<(&str, f64, Rect<Physical>)> = None;
    for (words, bounds) in in_row {
        let gap =
            (bounds.x - (own.bounds.x + own.bounds.w)).max(own.bounds.x - (bounds.x + bounds.w)).max(0.0);
        let is_better = best.is_none_or(|(_, least, at)| {
            if (gap - least).abs() > near { gap < least } else { (bounds.y, bounds.x) < (at.y, at.x) }
        });
        if is_better {
            best = Some((words, gap, bounds));
        }
    }
    best.map(|(words, ..)| words)
}

fn words_of(element: &Element) -> &str {
    element.name.trim()
}

/// Whether most of the lower one stands at the height of the other, which is not a part of the screen with rows.
fn is_beside(own: Rect<Physical>, other: Rect<Physical>) -> bool {
    let common = (own.y + own.h).min(other.y + other.h) - own.y.max(other.y);
    common > 0.0 && common * 2.0 >= own.h.min(other.h) && other.h <= own.h * HIGHER
}
