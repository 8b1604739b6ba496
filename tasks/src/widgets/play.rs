//! How an end state is brought about on a page, and which end states there are to choose from.
//!
//! The same steps serve three controls: the solution (from the truth), a policy without eyes that chooses
//! at random, and one that answers what another instance would have asked.

use serde_json::{Value, json};
use waldo_agents::reference::Step;

use super::dice::Dice;
use crate::error::TaskError;

/// An end state in terms of what can be chosen on the page.
#[derive(Clone, Debug, PartialEq)]
pub enum WidgetAnswer {
    /// One of the things that can be chosen, by number; a picture to turn to.
    One(usize),
    Cells(Vec<usize>),
    /// A thing and where it goes, by number.
    Move(usize, usize),
    /// Numbers between 0 and 1: of a slider, of two handles, of a colour.
    Shares(Vec<f64>),
    Path(Vec<[f64; 2]>),
    Texts(Vec<String>),
    /// A column, how often its head is pressed, and the place of the row to press then.
    Sort([usize; 3]),
}

/// What can be done on a page. Places are in units of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Play {
    Slide {
        /// The handle's middle at share 0.
        from: [f64; 2],
        /// And at share 1.
        to: [f64; 2],
        start: f64,
    },
    Handles {
        /// Share 0.
        from: [f64; 2],
        /// Share 1.
        to: [f64; 2],
        start: [f64; 2],
    },
    Cycle {
        /// The middle of what shows the one before.
        back: [f64; 2],
        /// The middle of what shows the next.
        next: [f64; 2],
        count: usize,
        start: usize,
        end: WidgetEnd,
    },
    Cells {
        at: Vec<[f64; 2]>,
        pick: Pick,
        on: Vec<usize>,
    },
    Spots(Vec<[f64; 2]>),
    /// A piece to drag, and where it may go.
    Piece {
        at: [f64; 2],
        ends: Vec<[f64; 2]>,
    },
    Rows(Vec<[f64; 2]>),
    /// A ground to draw on: left, top, width, height.
    Ground([f64; 4]),
    Tiles(Vec<[f64; 2]>),
    /// Text fields, by their names, and what a guesser would write.
    Fields {
        names: Vec<String>,
        guesses: Vec<String>,
    },
    /// A square of saturation and value, and a strip of hues: left, top, width, height.
    Colour {
        square: [f64; 4],
        strip: [f64; 4],
    },
    /// A table, by its columns' names and the number of its rows.
    Table {
        columns: Vec<String>,
        rows: usize,
    },
}

/// What comes after the last picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WidgetEnd {
    #[default]
    Wraps,
    Stops,
}

/// What a choice of cells is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    One,
    Some,
    Order,
}

/// Where a widget's drawing and its button are found, and how large the drawing is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StageArea {
    pub size: [f64; 2],
    pub button: &'static str,
}

impl StageArea {
    fn share(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [x / self.size[0], y / self.size[1]]
    }

    fn tap(&self, at: [f64; 2]) -> Value {
        json!({ "do": "tap", "role": "application", "name": "Widget", "at": self.share(at) })
    }

    fn drag(&self, path: &[[f64; 2]]) -> Value {
        let path: Vec<_> = path.iter().map(|at| self.share(*at)).collect();
        json!({ "do": "drag", "role": "application", "name": "Widget", "path": path })
    }
}

fn between(from: [f64; 2], to: [f64; 2], share: f64) -> [f64; 2] {
    [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share]
}

impl Play {
    /// The steps that bring `answer` about and hand it in. An answer that is another instance's is
    /// fitted to what there is here.
    pub(super) fn steps(&self, ground: &StageArea, answer: &WidgetAnswer) -> Result<Vec<Step>, TaskError> {
        let mut steps = self.moves(ground, answer);
        steps.push(json!({ "do": "tap", "role": "button", "name": ground.button }));
        steps.into_iter().map(|step| serde_json::from_value(step).map_err(|e| bad(&e.to_string()))).collect()
    }

    fn moves(&self, ground: &StageArea, answer: &WidgetAnswer) -> Vec<Value> {
        match (self, answer) {
            (Self::Slide { from, to, start }, WidgetAnswer::Shares(shares)) => {
                let end = shares.first().copied().unwrap_or_default().clamp(0.0, 1.0);
                vec![ground.drag(&[between(*from, *to, *start), between(*from, *to, end)])]
            }
            (Self::Handles { from, to, start }, WidgetAnswer::Shares(shares)) => {
                let ends = [shares.first(), shares.get(1)].map(|s| s.copied().unwrap_or_default());
                // The one that goes outwards first, so that neither stands in the other's way.
                let order = if ends[1] >= start[1] { [1, 0] } else { [0, 1] };
                order
                    .iter()
                    .map(|&n| ground.drag(&[between(*from, *to, start[n]), between(*from, *to, ends[n])]))
                    .collect()
            }
            (Self::Cycle { back, next, count, start, end }, WidgetAnswer::One(index)) => {
                let index = index % count;
                let ahead = (index + count - start) % count;
                let (at, times) = match end {
                    WidgetEnd::Wraps if ahead * 2 <= *count => (next, ahead),
                    WidgetEnd::Wraps => (back, count - ahead),
                    WidgetEnd::Stops if index >= *start => (next, index - start),
                    WidgetEnd::Stops => (back, start - index),
                };
                vec![ground.tap(*at); times]
            }
            (Self::Cells { at, pick, on }, WidgetAnswer::Cells(cells)) => {
                let mut cells: Vec<usize> = cells.iter().map(|n| n % at.len().max(1)).collect();
                if *pick == Pick::Some {
                    cells = (0..at.len()).filter(|n| cells.contains(n) != on.contains(n)).collect();
                }
                cells.iter().map(|&n| ground.tap(at[n])).collect()
            }
            (Self::Spots(spots), WidgetAnswer::One(n)) => vec![ground.tap(spots[n % spots.len()])],
            (Self::Piece { at, ends }, WidgetAnswer::One(n)) => {
                vec![ground.drag(&[*at, ends[n % ends.len()]])]
            }
            (Self::Rows(at) | Self::Tiles(at), WidgetAnswer::Move(a, b)) => {
                let (a, b) = (at[a % at.len()], at[b % at.len()]);
                match self {
                    Self::Tiles(_) => vec![ground.tap(a), ground.tap(b)],
                    _ => vec![ground.drag(&[a, b])],
                }
            }
            (Self::Ground(_), WidgetAnswer::Path(path)) => vec![ground.drag(path)],
            (Self::Fields { names, .. }, WidgetAnswer::Texts(texts)) => names
                .iter()
                .zip(texts)
                .flat_map(|(name, text)| {
                    let tap = json!({ "do": "tap", "role": "textbox", "name": name });
                    [tap, json!({ "do": "type", "text": text })]
                })
                .collect(),
            (Self::Colour { square, strip }, WidgetAnswer::Shares(hsv)) => {
                let part = |n: usize| hsv.get(n).copied().unwrap_or_default().clamp(0.0, 1.0);
                let [x, y, w, h] = *square;
                let [sx, sy, sw, sh] = *strip;
                vec![
                    ground.tap([sx + sw * part(0), sy + sh / 2.0]),
                    ground.tap([x + w * part(1), y + h * (1.0 - part(2))]),
                ]
            }
            (Self::Table { columns, rows }, WidgetAnswer::Sort([column, presses, row])) => {
                let head = json!({ "do": "tap", "role": "button", "name": columns[column % columns.len()] });
                let mut steps = vec![head; *presses];
                steps.push(json!({ "do": "tap", "role": "button", "name": "Choose", "nth": row % rows }));
                steps
            }
            // Another instance's answer is of the same kind; were it not, nothing would be done.
            _ => Vec::new(),
        }
    }

    /// An end state at random: what chance would choose.
    pub(super) fn random(&self, dice: &mut Dice) -> WidgetAnswer {
        match self {
            Self::Slide { .. } => WidgetAnswer::Shares(vec![dice.real(0.0, 1.0)]),
            Self::Handles { .. } => {
                let mut both = [dice.real(0.0, 1.0), dice.real(0.0, 1.0)];
                both.sort_by(f64::total_cmp);
                WidgetAnswer::Shares(both.to_vec())
            }
            Self::Colour { .. } => WidgetAnswer::Shares((0..3).map(|_| dice.real(0.0, 1.0)).collect()),
            Self::Cycle { count, .. } => WidgetAnswer::One(dice.below(*count)),
            Self::Spots(spots) => WidgetAnswer::One(dice.below(spots.len())),
            Self::Piece { ends, .. } => WidgetAnswer::One(dice.below(ends.len())),
            Self::Cells { at, pick, .. } => WidgetAnswer::Cells(match pick {
                Pick::One => vec![dice.below(at.len())],
                Pick::Some => (0..at.len()).filter(|_| dice.chance(50)).collect(),
                Pick::Order => dice.order(at.len()),
            }),
            Self::Rows(at) | Self::Tiles(at) => {
                let mut both = dice.order(at.len()).into_iter();
                WidgetAnswer::Move(both.next().unwrap_or_default(), both.next().unwrap_or_default())
            }
            Self::Ground([x, y, w, h]) => {
                WidgetAnswer::Path((0..4).map(|_| [dice.real(*x, x + w), dice.real(*y, y + h)]).collect())
            }
            Self::Fields { names, guesses } => WidgetAnswer::Texts(
                names.iter().map(|_| guesses[dice.below(guesses.len())].clone()).collect(),
            ),
            Self::Table { columns, rows } => {
                WidgetAnswer::Sort([dice.below(columns.len()), 1 + dice.below(2), dice.below(*rows)])
            }
        }
    }
}

fn bad(message: &str) -> TaskError {
    TaskError::Template { what: "a widget's reference solution".into(), message: message.to_owned() }
}
