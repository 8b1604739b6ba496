//! What can be seen of a rectangle that lies in a stack of windows.
//!
//! Invariants: fragments never overlap, lie inside the rectangle and inside its clip, and touch nothing
//! that lies above; a hit point lies in a fragment. Nothing here asks a screen.

use waldo_devices::geometry::{Physical, Point, Rect};

/// The least share of a thing that must be seen for it to count, unless its middle is.
const SHARE: f64 = 0.4;
/// A side from which on a thing counts as large: what is in view may be a small part of it.
const LARGE: f64 = 32.0;
/// The most fragments that are followed; beyond it the largest count.
const FRAGMENTS: usize = 256;
/// The least side of what can be hit, in pixels.
const LEAST: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisibleArea {
    pub bounds: Rect<Physical>,
    /// The largest part that nothing covers.
    pub fragment: Rect<Physical>,
}

impl VisibleArea {
    /// A whole pixel in the middle of the largest part.
    pub fn hit(&self) -> Point<Physical> {
        pixel(&self.fragment)
    }
}

/// What can be seen of `rect` within `clip` and under `above`; `None` when it is too little to count.
///
/// It counts when its middle can be seen, or at least two fifths of it. Something large is measured by
/// the part that lies within `clip`: a long document is not hidden because most of it is out of view.
pub fn see(rect: &Rect<Physical>, clip: &Rect<Physical>, above: &[Rect<Physical>]) -> Option<VisibleArea> {
    let sound = [rect.x, rect.y, rect.area()].into_iter().all(f64::is_finite) && rect.area() > 0.0;
    let clipped = if sound { rect.intersect(clip)? } else { return None };
    let left = fragments(&clipped, above);
    let fragment = *left.iter().max_by(|a, b| a.area().total_cmp(&b.area()))?;
    // What is a line by itself may stay one: a thin splitter, a progress bar.
    if fragment.w < LEAST.min(rect.w) || fragment.h < LEAST.min(rect.h) {
        return None;
    }
    let large = clipped.w >= LARGE && clipped.h >= LARGE;
    let whole = if large { clipped.area() } else { rect.area() };
    let seen: f64 = left.iter().map(Rect::area).sum();
    let middle = rect.center();
    let counts = seen >= whole * SHARE || left.iter().any(|part| part.contains(middle));
    counts.then(|| VisibleArea { bounds: around(&left), fragment })
}

/// The parts of `rect` that none of `above` covers; beyond a bound, the largest of them.
pub fn fragments(rect: &Rect<Physical>, above: &[Rect<Physical>]) -> Vec<Rect<Physical>> {
    let mut left = vec![*rect];
    for cover in above {
        let mut next = Vec::with_capacity(left.len() + 3);
        for part in left {
            subtract(&part, cover, &mut next);
        }
        left = next;
        if left.len() > FRAGMENTS {
            left.sort_by(|a, b| b.area().total_cmp(&a.area()));
            left.truncate(FRAGMENTS);
        }
    }
    left
}

/// The whole pixel at the middle of `rect`, inside it where it holds one.
pub fn pixel(rect: &Rect<Physical>) -> Point<Physical> {
    let inside =
        |v: f64, low: f64, high: f64| v.floor().clamp(low.ceil(), (high - 1.0).ceil().max(low.ceil()));
    let middle = rect.center();
    Point::new(inside(middle.x, rect.x, rect.right()), inside(middle.y, rect.y, rect.bottom()))
}

/// `part` without `cover`, in up to four pieces: full width above and below, the rest at the sides.
fn subtract(part: &Rect<Physical>, cover: &Rect<Physical>, out: &mut Vec<Rect<Physical>>) {
    let Some(hole) = part.intersect(cover) else {
        out.push(*part);
        return;
    };
    let pieces = [
        Rect::new(part.x, part.y, part.w, hole.y - part.y),
        Rect::new(part.x, hole.bottom(), part.w, part.bottom() - hole.bottom()),
        Rect::new(part.x, hole.y, hole.x - part.x, hole.h),
        Rect::new(hole.right(), hole.y, part.right() - hole.right(), hole.h),
    ];
    out.extend(pieces.into_iter().filter(|piece| piece.w > 0.0 && piece.h > 0.0));
}

fn around(parts: &[Rect<Physical>]) -> Rect<Physical> {
    let mut parts = parts.iter();
    let first = parts.next().copied().unwrap_or_default();
    parts.fold(first, |all, part| {
        let (x, y) = (all.x.min(part.x), all.y.min(part.y));
        Rect::new(x, y, all.right().max(part.right()) - x, all.bottom().max(part.bottom()) - y)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rect(x: f64, y: f64, w: f64, h: f64) -> Rect<Physical> {
        Rect::new(x, y, w, h)
    }

    fn screen() -> Rect<Physical> {
        rect(0.0, 0.0, 1280.0, 800.0)
    }

    #[test]
    fn what_is_in_view_is_hit_and_measured() {
        let seen = see(&rect(100.0, 100.0, 80.0, 30.0), &screen(), &[]).unwrap();
        assert_eq!((seen.bounds, seen.hit()), (rect(100.0, 100.0, 80.0, 30.0), Point::new(140.0, 115.0)));
        let page = rect(0.0, -20_000.0, 1000.0, 40_000.0);
        let seen = see(&page, &rect(0.0, 100.0, 1280.0, 600.0), &[]).unwrap();
        assert_eq!(seen.bounds, rect(0.0, 100.0, 1000.0, 600.0));
        let row = rect(0.0, 90.0, 1000.0, 16.0);
        assert_eq!(see(&row, &rect(0.0, 100.0, 1280.0, 600.0), &[]), None, "scrolled off but for its edge");
        for odd in [rect(-1.0, -1.0, -1.0, -1.0), rect(f64::NAN, 0.0, 9.0, 9.0), rect(5.0, 5.0, 0.0, 9.0)] {
            assert_eq!(see(&odd, &screen(), &[]), None);
        }
        assert_eq!(see(&rect(2000.0, 10.0, 50.0, 50.0), &screen(), &[]), None);
        assert!(see(&rect(i32::MIN.into(), i32::MIN.into(), 9.0, 9.0), &screen(), &[]).is_none());
    }

    #[test]
    fn what_is_covered_is_not_there_and_what_is_half_covered_is_hit_beside_the_cover() {
        let button = rect(100.0, 100.0, 80.0, 30.0);
        assert_eq!(see(&button, &screen(), &[rect(90.0, 90.0, 200.0, 200.0)]), None);
        let seen = see(&button, &screen(), &[rect(140.0, 90.0, 200.0, 200.0)]).unwrap();
        assert_eq!((seen.bounds, seen.hit()), (rect(100.0, 100.0, 40.0, 30.0), Point::new(120.0, 115.0)));
        assert_eq!(
            see(&button, &screen(), &[rect(120.0, 90.0, 200.0, 200.0)]),
            None,
            "a quarter is too little"
        );
        let around_the_middle = [rect(0.0, 0.0, 135.0, 800.0), rect(145.0, 0.0, 500.0, 800.0)];
        assert!(see(&button, &screen(), &around_the_middle).is_some(), "its middle can be seen");
    }

    prop_compose! {
        fn any_rect()(x in -50..150i32, y in -50..150i32, w in 0..120i32, h in 0..120i32) -> Rect<Physical> {
            rect(x.into(), y.into(), w.into(), h.into())
        }
    }

    proptest! {
        #[test]
        fn fragments_are_exactly_what_is_not_covered(
            of in any_rect(), above in prop::collection::vec(any_rect(), 0..7),
            x in -60..280i32, y in -60..280i32,
        ) {
            let parts = fragments(&of, &above);
            let at = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
            let bare = of.contains(at) && !above.iter().any(|cover| cover.contains(at));
            // In exactly one of them, or in none.
            prop_assert_eq!(parts.iter().filter(|part| part.contains(at)).count(), usize::from(bare));
        }

        #[test]
        fn a_hit_belongs_to_the_thing_alone(
            of in any_rect(), clip in any_rect(), above in prop::collection::vec(any_rect(), 0..7),
        ) {
            if let Some(seen) = see(&of, &clip, &above) {
                let hit = seen.hit();
                prop_assert!(of.contains(hit) && clip.contains(hit), "{hit} of {of:?}");
                prop_assert!(!above.iter().any(|cover| cover.contains(hit)), "{hit} under {above:?}");
                prop_assert!(seen.bounds.contains(hit));
                prop_assert!(seen.bounds.area() <= of.area() + 1e-9);
            }
        }

        #[test]
        fn nothing_above_leaves_all_that_lies_inside(of in any_rect()) {
            let wide = rect(-100.0, -100.0, 500.0, 500.0);
            prop_assert_eq!(see(&of, &wide, &[]).is_some(), of.area() > 0.0);
        }

        #[test]
        fn another_window_above_never_shows_more(
            of in any_rect(), cover in any_rect(), above in prop::collection::vec(any_rect(), 0..5),
        ) {
            let area = |list: &[Rect<Physical>]| fragments(&of, list).iter().map(Rect::area).sum::<f64>();
            let mut more = above.clone();
            more.push(cover);
            prop_assert!(area(&more) <= area(&above) + 1e-9);
        }
    }
}
