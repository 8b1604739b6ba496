//! What the right end state is, and whether what a page handed in is it.
//!
//! Invariant: a truth never leaves the server; pages report what is there, and only this module says
//! whether that is right. What cannot be read is wrong, never an error: a page is not trusted.

use serde_json::Value;

/// The right end state. Places are in units of the drawing, shares are 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// A slider at this share of its way, give or take.
    Share {
        at: f64,
        within: f64,
    },
    Shares {
        /// The lower and the upper one.
        at: [f64; 2],
        within: f64,
    },
    /// The picture of this number is shown.
    Index(usize),
    Cells(Vec<usize>),
    Order(Vec<usize>),
    /// The mark is in this polygon, or so near to it.
    Inside {
        outline: Vec<[f64; 2]>,
        slack: f64,
    },
    /// The mark or the middle of the piece is within a distance of a place.
    Near {
        at: [f64; 2],
        /// How far off it may be.
        within: f64,
    },
    /// The middle of the piece is in this box: left, top, width, height.
    Box([f64; 4]),
    /// The line that was drawn stays in the corridor from its start to its end.
    Path {
        /// The middle of the corridor.
        way: Vec<[f64; 2]>,
        half: f64,
    },
    Tiles(Vec<Vec<usize>>),
    Text {
        any: Vec<String>,
        case: Case,
    },
    /// Fields hold exactly these texts, blanks at their ends aside.
    Fields(Vec<String>),
    /// Hue in degrees, saturation and value in shares make a colour near this one.
    Colour {
        /// Red, green, blue, each 0 to 255.
        rgb: [f64; 3],
        /// The largest difference in any of them.
        within: f64,
    },
    /// The table is sorted by this column that way, and this row is chosen.
    Table {
        column: usize,
        /// 1 upwards, -1 downwards.
        direction: i64,
        row: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Counts,
    Folds,
}

fn number(state: &Value, key: &str) -> Option<f64> {
    state.get(key)?.as_f64().filter(|x| x.is_finite())
}

fn numbers(state: &Value, key: &str) -> Option<Vec<usize>> {
    let list = state.get(key)?.as_array()?;
    list.iter().map(|n| n.as_u64().and_then(|n| usize::try_from(n).ok())).collect()
}

fn place(state: &Value) -> Option<[f64; 2]> {
    Some([number(state, "x")?, number(state, "y")?])
}

fn texts(state: &Value, key: &str) -> Option<Vec<String>> {
    let list = state.get(key)?.as_array()?;
    list.iter().map(|text| text.as_str().map(|text| text.trim().to_owned())).collect()
}

impl Truth {
    /// Whether `state`, as a page reported it, is right.
    pub fn holds(&self, state: &Value) -> bool {
        self.check(state).unwrap_or(false)
    }

    fn check(&self, state: &Value) -> Option<bool> {
        Some(match self {
            Self::Share { at, within } => (number(state, "share")? - at).abs() <= *within,
            Self::Shares { at, within } => {
                (number(state, "low")? - at[0]).abs() <= *within
                    && (number(state, "high")? - at[1]).abs() <= *within
            }
            Self::Index(right) => number(state, "index")? == *right as f64,
            Self::Cells(right) => {
                let mut on = numbers(state, "cells")?;
                on.sort_unstable();
                on == *right
            }
            Self::Order(right) => numbers(state, "cells")? == *right,
            Self::Inside { outline, slack } => {
                let at = place(state)?;
                inside(outline, at) || to_way(outline, at, PathKind::Closed) <= *slack
            }
            Self::Near { at, within } => {
                let [x, y] = place(state)?;
                (x - at[0]).hypot(y - at[1]) <= *within
            }
            Self::Box([x, y, w, h]) => {
                let [px, py] = place(state)?;
                px >= *x && px <= x + w && py >= *y && py <= y + h
            }
            Self::Path { way, half } => traced(way, *half, &path(state)?),
            Self::Tiles(orders) => orders.contains(&numbers(state, "tiles")?),
            Self::Text { any, case } => {
                let text = state.get("text")?.as_str()?.trim();
                any.iter().any(|right| match case {
                    Case::Counts => right == text,
                    Case::Folds => right.to_lowercase() == text.to_lowercase(),
                })
            }
            Self::Fields(right) => texts(state, "fields")? == *right,
            Self::Colour { rgb, within } => {
                let made = from_hsv([number(state, "h")?, number(state, "s")?, number(state, "v")?]);
                made.iter().zip(rgb).all(|(a, b)| (a - b).abs() <= *within)
            }
            Self::Table { column, direction, row } => {
                number(state, "column")? == *column as f64
                    && number(state, "direction")? == *direction as f64
                    && number(state, "row")? == *row as f64
            }
        })
    }
}

fn path(state: &Value) -> Option<Vec<[f64; 2]>> {
    let list = state.get("path")?.as_array()?;
    list.iter().map(|p| Some([p.get(0)?.as_f64()?, p.get(1)?.as_f64()?])).collect()
}

/// Red, green and blue (0 to 255) of a hue in degrees, and a saturation and a value in shares.
pub(super) fn from_hsv([h, s, v]: [f64; 3]) -> [f64; 3] {
    let channel = |n: f64| {
        let k = (n + h / 60.0).rem_euclid(6.0);
        255.0 * (v - v * s * k.min(4.0 - k).clamp(0.0, 1.0))
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

#[derive(Clone, Copy, PartialEq)]
enum PathKind {
    Open,
    Closed,
}

fn to_segment([px, py]: [f64; 2], [ax, ay]: [f64; 2], [bx, by]: [f64; 2]) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let long = dx * dx + dy * dy;
    let t = if long > 0.0 { (((px - ax) * dx + (py - ay) * dy) / long).clamp(0.0, 1.0) } else { 0.0 };
    (px - ax - t * dx).hypot(py - ay - t * dy)
}

fn to_way(way: &[[f64; 2]], at: [f64; 2], kind: PathKind) -> f64 {
    let closing = match (kind, way.first(), way.last()) {
        (PathKind::Closed, Some(first), Some(last)) => to_segment(at, *last, *first),
        _ => f64::INFINITY,
    };
    way.windows(2).map(|pair| to_segment(at, pair[0], pair[1])).fold(closing, f64::min)
}

fn inside(outline: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let mut odd = false;
    let mut last = outline.last().copied().unwrap_or_default();
    for corner in outline {
        let ([ax, ay], [bx, by]) = (last, *corner);
        if (ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax {
            odd = !odd;
        }
        last = *corner;
    }
    odd
}

/// Whether a drawn line begins at the start of the corridor, ends at its end, comes by every corner in
/// turn, and never leaves it.
fn traced(way: &[[f64; 2]], half: f64, drawn: &[[f64; 2]]) -> bool {
    let (Some(first), Some(last)) = (drawn.first(), drawn.last()) else { return false };
    let (Some(start), Some(end)) = (way.first(), way.last()) else { return false };
    let near = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) <= half * 1.2;
    if !near(first, start) || !near(last, end) {
        return false;
    }
    let mut next = 0;
    for pair in drawn.windows(2) {
        let far = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
        // Between two places of the pointer the line is straight: it is looked at every 3 units.
        let pieces = (far / 3.0).ceil().clamp(1.0, 4000.0);
        let mut n = 0.0;
        while n <= pieces {
            let t = n / pieces;
            let at = [pair[0][0] + (pair[1][0] - pair[0][0]) * t, pair[0][1] + (pair[1][1] - pair[0][1]) * t];
            if to_way(way, at, PathKind::Open) > half {
                return false;
            }
            while way.get(next).is_some_and(|corner| near(&at, corner)) {
                next += 1;
            }
            n += 1.0;
        }
    }
    next == way.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_right_state_holds_and_others_do_not() {
        let cases = [
            (Truth::Share { at: 0.5, within: 0.02 }, json!({"share": 0.51}), json!({"share": 0.53})),
            (Truth::Index(3), json!({"index": 3}), json!({"index": 2})),
            (Truth::Cells(vec![1, 4]), json!({"cells": [4, 1]}), json!({"cells": [1]})),
            (Truth::Order(vec![4, 1]), json!({"cells": [4, 1]}), json!({"cells": [1, 4]})),
            (Truth::Near { at: [5., 5.], within: 2. }, json!({"x": 6, "y": 6}), json!({"x": 8, "y": 5})),
            (Truth::Box([0., 0., 10., 10.]), json!({"x": 6, "y": 6}), json!({"x": 11, "y": 5})),
            (Truth::Tiles(vec![vec![1, 0]]), json!({"tiles": [1, 0]}), json!({"tiles": [0, 1]})),
            (Truth::Fields(vec!["a".into()]), json!({"fields": [" a "]}), json!({"fields": ["A"]})),
            (
                Truth::Colour { rgb: [255., 0., 0.], within: 12. },
                json!({"h": 1, "s": 1, "v": 1}),
                json!({"h": 40, "s": 1, "v": 1}),
            ),
            (
                Truth::Table { column: 1, direction: -1, row: 2 },
                json!({"column": 1, "direction": -1, "row": 2}),
                json!({"column": 1, "direction": 1, "row": 2}),
            ),
        ];
        for (truth, right, wrong) in cases {
            assert!(truth.holds(&right), "{truth:?}");
            assert!(!truth.holds(&wrong), "{truth:?}");
            for nonsense in
                [json!(null), json!({}), json!({"share": "x", "cells": [-1], "x": null}), json!(7)]
            {
                assert!(!truth.holds(&nonsense), "{truth:?} {nonsense}");
            }
        }
    }

    #[test]
    fn text_minds_case_only_where_it_counts() {
        let truth = |case| Truth::Text { any: vec!["Ab 12".into()], case };
        assert!(truth(Case::Folds).holds(&json!({"text": " aB 12 "})));
        assert!(!truth(Case::Counts).holds(&json!({"text": "ab 12"})));
    }

    #[test]
    fn a_line_must_keep_to_the_corridor() {
        let way = vec![[0., 0.], [100., 0.], [100., 100.]];
        let truth = Truth::Path { way, half: 15.0 };
        assert!(truth.holds(&json!({"path": [[2, 3], [98, -4], [104, 97]]})));
        assert!(!truth.holds(&json!({"path": [[0, 0], [100, 100]]})), "the short cut");
        assert!(!truth.holds(&json!({"path": [[0, 0], [100, 0]]})), "only half the way");
        assert!(!truth.holds(&json!({"path": []})));
    }

    #[test]
    fn a_shape_has_an_inside() {
        let outline = vec![[0., 0.], [10., 0.], [10., 10.], [0., 10.]];
        let truth = Truth::Inside { outline, slack: 4.0 };
        assert!(truth.holds(&json!({"x": 5, "y": 5})) && truth.holds(&json!({"x": 13, "y": 5})));
        assert!(!truth.holds(&json!({"x": 15, "y": 5})) && !truth.holds(&json!({"x": 13.5, "y": 13.5})));
    }

    proptest! {
        #[test]
        fn colours_stay_in_range(h in 0.0..360.0f64, s in 0.0..=1.0f64, v in 0.0..=1.0f64) {
            prop_assert!(from_hsv([h, s, v]).iter().all(|c| (-1e-6..=255.0 + 1e-6).contains(c)));
        }
    }
}
