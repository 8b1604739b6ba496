//! Rows and columns: what a picture's gutters say of a split, and equal cells.

use image::RgbImage;

use super::colour::{Rgb8, at, far, ground, median, rim};
use super::{Density, PxRect};

/// The largest difference in a channel that is still ground.
const TOLERANCE: u8 = 10;
/// The share of a line that may differ in a gutter.
const CLEAN: f64 = 0.015;
/// The share of a cut that may differ from its gap: a line of words above a grid is cut by its columns.
const CUT: f64 = 0.06;
/// The share of a cut along which colours change, where cells touch each other.
const EDGE: f64 = 0.6;
/// Bands whose sizes differ by no more than this ratio are cells of one grid.
const REGULAR: f64 = 1.25;

/// Why a part cannot be split as was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    #[error(
        "asked for {asked_rows} rows and {asked_columns} columns, but the picture shows {seen_rows} rows and {seen_columns} columns"
    )]
    Disagrees { asked_rows: u32, asked_columns: u32, seen_rows: u32, seen_columns: u32 },
    #[error(
        "the cut {n} of {of} {between} would run through something at {at} px, and no gap is near it: count rows \
         and columns again, split a smaller frame, or pass even=True for a picture without gaps"
    )]
    CutsThrough { n: u32, of: u32, between: &'static str, at: u32 },
    #[error("{tiles} tiles make no grid of rows and columns; count them again")]
    NoGrid { tiles: u32 },
    #[error("{rows} rows and {columns} columns do not fit into {w} x {h} px")]
    TooMany { rows: u32, columns: u32, w: u32, h: u32 },
}

/// The bands between gutters of a part: rows, then columns, each as first pixel and length within the
/// picture. One band where there are no gutters.
pub(crate) fn gutters(picture: &RgbImage, part: &PxRect) -> [Vec<(u32, u32)>; 2] {
    let part = part.intersect(&PxRect::whole(picture));
    if part.is_empty() {
        return [Vec::new(), Vec::new()];
    }
    // Cells may cover more than the gutters, and the rim may lie in either: what shows more of a grid.
    let grounds = [
        Some(ground(picture, &part).0),
        Some(rim(picture, &part, Density::default()).0),
        lines(picture, &part),
    ];
    let mut best = [Vec::new(), Vec::new()];
    for own in grounds.into_iter().flatten() {
        let bands = between(picture, &part, own);
        if best[0].is_empty() || regular(&bands) > regular(&best) {
            best = bands;
        }
    }
    best
}

/// The colour of the lines that are of one colour from edge to edge, where there are such.
fn lines(picture: &RgbImage, part: &PxRect) -> Option<Rgb8> {
    let plain = |first: Rgb8, mut all: Box<dyn Iterator<Item = Rgb8> + '_>| {
        all.all(|colour| far(colour, first) <= TOLERANCE).then_some(first)
    };
    let rows = (part.y..part.bottom()).filter_map(|y| {
        plain(at(picture, part.x, y), Box::new((part.x..part.right()).map(move |x| at(picture, x, y))))
    });
    let columns = (part.x..part.right()).filter_map(|x| {
        plain(at(picture, x, part.y), Box::new((part.y..part.bottom()).map(move |y| at(picture, x, y))))
    });
    let colours: Vec<Rgb8> = rows.chain(columns).collect();
    (!colours.is_empty()).then(|| median(&colours))
}

/// Of rows and columns, how many are certain, and how many bands these have.
fn regular(bands: &[Vec<(u32, u32)>; 2]) -> (usize, u32) {
    let certain: Vec<u32> = bands.iter().filter_map(|bands| certain(bands)).collect();
    (certain.len(), certain.iter().sum())
}

fn between(picture: &RgbImage, part: &PxRect, own: Rgb8) -> [Vec<(u32, u32)>; 2] {
    let rows = (part.y..part.bottom()).map(|y| {
        let hits = (part.x..part.right()).filter(|x| far(at(picture, *x, y), own) > TOLERANCE).count();
        hits as f64 / f64::from(part.w) <= CLEAN
    });
    let columns = (part.x..part.right()).map(|x| {
        let hits = (part.y..part.bottom()).filter(|y| far(at(picture, x, *y), own) > TOLERANCE).count();
        hits as f64 / f64::from(part.h) <= CLEAN
    });
    [bands(rows, part.y), bands(columns, part.x)]
}

fn bands(clean: impl Iterator<Item = bool>, first: u32) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut open = false;
    for (n, clean) in clean.enumerate() {
        let at = first + n as u32;
        if clean {
            open = false;
        } else if let Some(last) = found.last_mut().filter(|_| open) {
            last.1 += 1;
        } else {
            found.push((at, 1));
            open = true;
        }
    }
    // Specks are not bands.
    let most = found.iter().map(|band| band.1).max().unwrap_or_default();
    found.retain(|band| band.1 * 4 >= most);
    found
}

/// How many cells of one size there are, where that is certain: two or more bands of like size.
fn certain(bands: &[(u32, u32)]) -> Option<u32> {
    let (low, high) =
        bands.iter().fold((u32::MAX, 0), |(low, high), band| (low.min(band.1), high.max(band.1)));
    (bands.len() > 1 && f64::from(high) <= REGULAR * f64::from(low)).then_some(bands.len() as u32)
}

/// The cells of a part in reading order: those between its gutters where these show the numbers that are
/// asked for, else equal ones whose cuts are moved into the gaps that are near, unless the gutters clearly show
/// other numbers. With `even`, equal ones whatever they cut.
///
/// # Errors
/// [`GridError::Disagrees`] with both numbers; [`GridError::CutsThrough`] for a cut that lies in no gap and along
/// no edge; [`GridError::TooMany`] when cells would be empty.
pub fn split(
    picture: &RgbImage,
    part: &PxRect,
    (rows, columns): (u32, u32),
    even: bool,
) -> Result<Vec<PxRect>, GridError> {
    if even {
        return equal(part, rows, columns);
    }
    let bands = gutters(picture, part);
    let [seen_rows, seen_columns] = [certain(&bands[0]), certain(&bands[1])];
    // A single row or column that was asked for has no gutters to be seen.
    let clash = |asked: u32, seen: Option<u32>| seen.is_some_and(|seen| seen != asked);
    if clash(rows, seen_rows) && clash(columns, seen_columns)
        || (rows > 1 && clash(rows, seen_rows))
        || (columns > 1 && clash(columns, seen_columns))
    {
        return Err(GridError::Disagrees {
            asked_rows: rows,
            asked_columns: columns,
            seen_rows: seen_rows.unwrap_or(1),
            seen_columns: seen_columns.unwrap_or(1),
        });
    }
    // Too many of them are told as such.
    equal(part, rows, columns)?;
    let axis = |of: u32, bands: &[(u32, u32)], upright: bool| {
        if of > 1 && certain(bands) == Some(of) {
            Ok(bands.to_vec())
        } else {
            cuts(picture, part, of, upright)
        }
    };
    let (down, across) = (axis(rows, &bands[0], true)?, axis(columns, &bands[1], false)?);
    Ok(crossed(&down, &across))
}

fn crossed(down: &[(u32, u32)], across: &[(u32, u32)]) -> Vec<PxRect> {
    let row = |(y, h): &(u32, u32)| {
        let (y, h) = (*y, *h);
        across.iter().map(move |(x, w)| PxRect::new(*x, y, *w, h)).collect::<Vec<_>>()
    };
    down.iter().flat_map(row).collect()
}

/// Bands of like size whose borders run in gaps or along edges; rows where `upright`.
fn cuts(picture: &RgbImage, part: &PxRect, of: u32, upright: bool) -> Result<Vec<(u32, u32)>, GridError> {
    let (first, long, from, wide) =
        if upright { (part.y, part.h, part.x, part.w) } else { (part.x, part.w, part.y, part.h) };
    let pixel = |line: u32, n: u32| if upright { at(picture, n, line) } else { at(picture, line, n) };
    let share = |count: usize| count as f64 / f64::from(wide.max(1));
    let is_gap = |line: &u32| {
        let own = median(&(from..from + wide).map(|n| pixel(*line, n)).collect::<Vec<_>>());
        share((from..from + wide).filter(|n| far(pixel(*line, *n), own) > TOLERANCE).count()) <= CUT
    };
    let is_edge = |line: &u32| {
        let steps = |n: &u32| far(pixel(line - 1, *n), pixel(*line, *n)) > TOLERANCE;
        *line > first && share((from..from + wide).filter(steps).count()) >= EDGE
    };
    let mut borders = vec![first];
    for n in 1..of {
        let even = first + (u64::from(long) * u64::from(n) / u64::from(of)) as u32;
        let reach = long / of / 4;
        // The nearest line first.
        let near = (0..=reach)
            .flat_map(|by| [even.saturating_sub(by).max(first), (even + by).min(first + long - 1)]);
        let found = near.clone().find(is_gap).or_else(|| near.take(7).find(is_edge));
        let between = if upright { "between rows" } else { "between columns" };
        borders.push(found.ok_or(GridError::CutsThrough { n, of: of - 1, between, at: even })?);
    }
    borders.push(first + long);
    Ok(borders.windows(2).map(|pair| (pair[0], pair[1].saturating_sub(pair[0]).max(1))).collect())
}

/// Cells as the gutters show them, or equal ones.
fn cells(
    part: &PxRect,
    rows: u32,
    columns: u32,
    bands: &[Vec<(u32, u32)>; 2],
) -> Result<Vec<PxRect>, GridError> {
    let [down, across] = bands;
    if certain(down) == Some(rows) && certain(across) == Some(columns) {
        return Ok(crossed(down, across));
    }
    equal(part, rows, columns)
}

/// The cells that the gutters of a part show, where these are of one size: of a grid, a row or a column.
pub(super) fn seen(picture: &RgbImage, part: &PxRect) -> Vec<PxRect> {
    let [down, across] = gutters(picture, part);
    let bands = |bands: &[(u32, u32)], whole: (u32, u32)| match certain(bands) {
        Some(_) => bands.to_vec(),
        None => vec![whole],
    };
    let (down, across) = (bands(&down, (part.y, part.h)), bands(&across, (part.x, part.w)));
    if down.len() * across.len() < 2 {
        return Vec::new();
    }
    crossed(&down, &across)
}

fn equal(part: &PxRect, rows: u32, columns: u32) -> Result<Vec<PxRect>, GridError> {
    if rows == 0 || columns == 0 || rows > part.h || columns > part.w {
        return Err(GridError::TooMany { rows, columns, w: part.w, h: part.h });
    }
    let edge = |n: u32, of: u32, size: u32| (u64::from(size) * u64::from(n) / u64::from(of)) as u32;
    let mut cells = Vec::with_capacity((rows * columns) as usize);
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (edge(column, columns, part.w), edge(row, rows, part.h));
            let (right, bottom) = (edge(column + 1, columns, part.w), edge(row + 1, rows, part.h));
            cells.push(PxRect::new(part.x + x, part.y + y, right - x, bottom - y));
        }
    }
    Ok(cells)
}

/// Rows and columns of a grid of so many tiles: those that the gutters show, else those whose cells are
/// nearest to squares; and its cells.
///
/// # Errors
/// [`GridError::NoGrid`] for primes above 3 where the gutters do not show one row or column.
pub fn cells_of(picture: &RgbImage, part: &PxRect, tiles: u32) -> Result<(u32, u32, Vec<PxRect>), GridError> {
    let bands = gutters(picture, part);
    let [seen_rows, seen_columns] = [certain(&bands[0]), certain(&bands[1])];
    let pairs: Vec<(u32, u32)> =
        (1..=tiles).filter(|rows| tiles.is_multiple_of(*rows)).map(|rows| (rows, tiles / rows)).collect();
    let agrees = |rows: u32, columns: u32| {
        u32::from(seen_rows == Some(rows)) + u32::from(seen_columns == Some(columns))
    };
    let off_square = |rows: u32, columns: u32| {
        let cell = f64::from(part.w) / f64::from(columns) / (f64::from(part.h) / f64::from(rows)).max(1e-9);
        cell.max(1e-9).ln().abs()
    };
    let best = pairs.into_iter().max_by(|a, b| {
        agrees(a.0, a.1).cmp(&agrees(b.0, b.1)).then(off_square(b.0, b.1).total_cmp(&off_square(a.0, a.1)))
    });
    let (rows, columns) = best.ok_or(GridError::NoGrid { tiles })?;
    if tiles > 3 && (rows == 1 || columns == 1) && agrees(rows, columns) == 0 {
        return Err(GridError::NoGrid { tiles });
    }
    Ok((rows, columns, cells(part, rows, columns, &bands)?))
}
