//! Where to put the finger: a point of an element that no other one on top of it takes.

use waldo_devices::geometry::{Physical, Point, Rect};

/// Shares of width and height that are tried, the middle first.
const TRIES: [(f64, f64); 9] = [
    (0.5, 0.5),
    (0.25, 0.5),
    (0.75, 0.5),
    (0.5, 0.25),
    (0.5, 0.75),
    (0.08, 0.5),
    (0.92, 0.5),
    (0.08, 0.08),
    (0.92, 0.92),
];

/// A point of `bounds` that none of `above` holds; the middle when there is none.
pub(super) fn point<'a>(
    bounds: &Rect<Physical>,
    above: impl Iterator<Item = &'a Rect<Physical>> + Clone,
) -> Point<Physical> {
    let free =
        TRIES.iter().map(|(fx, fy)| bounds.at(*fx, *fy)).find(|at| above.clone().all(|r| !r.contains(*at)));
    let at = free.unwrap_or_else(|| bounds.center());
    // Whole pixels that lie inside, since that is what a phone is told.
    let inside = |v: f64, low: f64, high: f64| v.floor().clamp(low, (high - 1.0).max(low));
    Point::new(inside(at.x, bounds.x, bounds.right()), inside(at.y, bounds.y, bounds.bottom()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_touched_beside_its_switch() {
        let row = Rect::new(0.0, 0.0, 1000.0, 100.0);
        assert_eq!(point(&row, [].iter()), Point::new(500.0, 50.0));
        let switch = [Rect::new(400.0, 0.0, 200.0, 100.0)];
        assert_eq!(point(&row, switch.iter()), Point::new(250.0, 50.0));
        let full = [row];
        assert_eq!(point(&row, full.iter()), Point::new(500.0, 50.0));
    }
}
