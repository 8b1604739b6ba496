//! What can be acted on in an instance, and where that is on the page.

use image::RgbImage;
use waldo_agents::frames::vision::PxRect;

use super::super::{Instance, Play};
use super::TargetPlace;
use super::sight::{PageScale, bounds, colour, half, runs, whole};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    Whole {
        rect: PxRect,
        kind: &'static str,
    },
    Grid {
        rect: PxRect,
        tiles: usize,
    },
    /// Choices in rows and columns: frames of their own, or parts of one.
    Cells {
        board: PxRect,
        rows: usize,
        columns: usize,
        cells: Vec<PxRect>,
    },
    /// A thing: an element, or a frame of the kind `as_frame` where it is one.
    Thing {
        words: String,
        at: TargetPlace,
        kind: &'static str,
        as_frame: Option<&'static str>,
        number: usize,
    },
}

/// The words for what is dragged.
pub(super) const PIECE: &str = "the movable thing";

fn thing(words: &str, at: TargetPlace, kind: &'static str) -> Mark {
    Mark::Thing { words: words.to_owned(), at, kind, as_frame: None, number: 0 }
}

/// All that can be acted on, the button last.
pub(super) fn marks(instance: &Instance, sight: &PageScale, page: &RgbImage) -> Result<Vec<Mark>, String> {
    let data = &instance.render["data"];
    let mut found = match &instance.play {
        Play::Slide { from, to, start } => {
            let at = [from[0] + (to[0] - from[0]) * start, from[1] + (to[1] - from[1]) * start];
            let kind = if from[0] == to[0] { "SLIDEABLE_Y" } else { "SLIDEABLE_X" };
            let rect = sight.around(at, half(data).map(|half| half - 1.0));
            vec![thing("the handle on its track", TargetPlace::Rect(rect), kind)]
        }
        Play::Handles { from, to, .. } => [("left", from), ("right", to)]
            .map(|(side, at)| {
                let rect = sight.around(*at, half(data).map(|half| half - 1.0));
                thing(&format!("the {side} handle of two"), TargetPlace::Rect(rect), "SLIDEABLE_X")
            })
            .to_vec(),
        Play::Cycle { back, next, .. } => [("back", back), ("ahead", next)]
            .map(|(way, at)| {
                let rect = TargetPlace::Rect(sight.around(*at, [20.0, 20.0]));
                thing(&format!("the arrow that leads {way}"), rect, "CLICKABLE")
            })
            .to_vec(),
        Play::Cells { at, .. } => cells(instance, sight, at),
        Play::Spots(_) => vec![Mark::Whole { rect: sight.stage, kind: "POINTABLE" }],
        Play::Ground(_) => vec![Mark::Whole { rect: sight.stage, kind: "DRAWABLE" }],
        Play::Piece { .. } if data["turns"] == true => {
            let about = [0, 1].map(|n| data["about"][n].as_f64().unwrap_or_default());
            vec![thing("the dial", TargetPlace::Rect(sight.around(about, half(data))), "TURNABLE")]
        }
        Play::Piece { at, .. } => {
            vec![thing(PIECE, TargetPlace::Rect(sight.around(*at, half(data))), "DRAGGABLE")]
        }
        Play::Rows(at) => {
            let side = half(data);
            let row = |(number, at): (usize, &[f64; 2])| Mark::Thing {
                words: format!("row {}, from the top", number + 1),
                at: TargetPlace::Rect(sight.around(*at, side)),
                kind: "DRAGGABLE",
                as_frame: None,
                number,
            };
            at.iter().enumerate().map(row).collect()
        }
        Play::Tiles(at) => {
            let side = half(data);
            let all = at.iter().map(|at| sight.around(*at, side)).reduce(|all, one| all.union(&one));
            let board = all.unwrap_or(sight.stage);
            vec![Mark::Grid { rect: board, tiles: at.len() }]
        }
        Play::Fields { names, .. } => fields(instance, sight, page, names.len())?,
        Play::Colour { strip, .. } => {
            let [x, y, w, h] = *strip;
            let hues = TargetPlace::Rect(sight.rect([x, y - 3.0, w, h + 6.0]));
            vec![
                Mark::Whole { rect: sight.stage, kind: "POINTABLE" },
                thing("the strip of all hues", hues, "SLIDEABLE_X"),
            ]
        }
        Play::Table { .. } => table(instance, sight, page)?,
    };
    found.push(button(instance, sight, page)?);
    Ok(found)
}

pub(super) fn choice(number: usize, rect: PxRect) -> Mark {
    Mark::Thing {
        words: format!("choice {}, by rows from the top", number + 1),
        at: TargetPlace::Rect(rect),
        kind: "CLICKABLE",
        as_frame: Some("SELECTABLE"),
        number,
    }
}

/// Cells that fill the drawing are parts of it; others are things of their own.
fn cells(instance: &Instance, sight: &PageScale, at: &[[f64; 2]]) -> Vec<Mark> {
    let side = half(&instance.render["data"]);
    let rects: Vec<PxRect> = at.iter().map(|at| sight.around(*at, side)).collect();
    let (rows, columns) = match instance.archetype.as_str() {
        "select-all" | "select-odd" => (3, 3),
        "chart-max" => (2, 2),
        _ => return rects.into_iter().enumerate().map(|(number, rect)| choice(number, rect)).collect(),
    };
    vec![Mark::Cells { board: sight.stage, rows, columns, cells: rects }]
}

/// Where the part of the page begins that is not drawn: below the drawing, or below the panel's own edge.
fn below(instance: &Instance, sight: &PageScale) -> u32 {
    if instance.render["svg"].as_str().unwrap_or_default().is_empty() { 0 } else { sight.stage.bottom() + 2 }
}

fn button(instance: &Instance, sight: &PageScale, page: &RgbImage) -> Result<Mark, String> {
    let rect = bounds(page, colour(instance, "accent")?, below(instance, sight));
    let rect = rect.ok_or("the button is not on the page")?;
    Ok(Mark::Thing {
        words: format!("the button {}", instance.ground.button),
        at: TargetPlace::Rect(rect),
        kind: "NEXT",
        as_frame: Some("NEXT"),
        number: 0,
    })
}

/// Rows with long lines of the colour of edges, from top to bottom: first and last row of each, and where
/// it begins and how long it is.
fn edges(instance: &Instance, sight: &PageScale, page: &RgbImage) -> Result<Vec<[u32; 4]>, String> {
    let width = instance.ground.size[0] * sight.unit;
    let from = below(instance, sight);
    let mut found: Vec<[u32; 4]> = Vec::new();
    let most = width + 60.0 * sight.unit;
    for run in runs(page, colour(instance, "line")?, whole(width - 24.0 * sight.ratio)) {
        if run.y < from || f64::from(run.w) > most {
            continue;
        }
        match found.last_mut() {
            Some([_, last, ..]) if run.y <= *last + 1 => *last = run.y,
            _ => found.push([run.y, run.y, run.x, run.w]),
        }
    }
    // Without a drawing the panel's own edge comes first.
    if from == 0 && !found.is_empty() {
        found.remove(0);
    }
    Ok(found)
}

fn fields(
    instance: &Instance,
    sight: &PageScale,
    page: &RgbImage,
    count: usize,
) -> Result<Vec<Mark>, String> {
    let edges = edges(instance, sight, page)?;
    let mut found = Vec::new();
    for (number, pair) in edges.chunks_exact(2).take(count).enumerate() {
        let rect = PxRect::new(pair[0][2], pair[0][0], pair[0][3], pair[1][1] + 1 - pair[0][0]);
        found.push(Mark::Thing {
            words: format!("field {}, from the top", number + 1),
            at: TargetPlace::Rect(rect),
            kind: "INPUTTABLE",
            as_frame: Some("INPUTTABLE"),
            number,
        });
    }
    if found.len() == count { Ok(found) } else { Err("not all fields are on the page".to_owned()) }
}

fn table(instance: &Instance, sight: &PageScale, page: &RgbImage) -> Result<Vec<Mark>, String> {
    let super::super::WidgetAnswer::Sort([column, _, row]) = &instance.answer else {
        return Err("the answer is not a table's".to_owned());
    };
    let edges = edges(instance, sight, page)?;
    let (Some(head), Some(from), Some(to)) = (edges.first(), edges.get(*row), edges.get(row + 1)) else {
        return Err("the table's lines are not on the page".to_owned());
    };
    // The head's text stands in a line of text above its edge.
    let top = head[0].saturating_sub(whole(32.0 * sight.unit));
    let head = PxRect::new(head[2], top, head[3], head[0] - top);
    let first = PxRect::new(from[2], from[1], from[3], to[0].saturating_sub(from[1]));
    Ok(vec![
        thing("the head of the column to sort by", TargetPlace::Nth(head, *column), "CLICKABLE"),
        thing("the button at the right of the first row", TargetPlace::Last(first), "CLICKABLE"),
    ])
}
