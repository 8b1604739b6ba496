//! Elements of a large part of a window in which its program names nothing, from the picture: the cells of a sheet where
//! straight lines make a grid, else what looks like a thing.
//!
//! Invariants: what is found lies where no element and no other window is; a cell bears an address only where the
//! program shows one (a box that names the selected cell, scroll bars that count) and the picture agrees.

use image::RgbImage;

use super::window::Window;
use waldo_devices::grid_lines::{self, Lines};
use waldo_devices::picture_elements::{Search, blobs, crop, guess};
use waldo_devices::{Affordance, Element, Physical, Rect};

/// Sides of the cells in which a window is searched for a bare part, in pixels.
const CELL: usize = 8;
/// The least size of a bare part, in pixels.
const LEAST: (f64, f64) = (200.0, 150.0);
/// The least share of its window that it has.
const SHARE: f64 = 0.15;
const MOST: usize = 40;
const MOST_CELLS: usize = 400;

/// Elements of the bare parts of windows that told of other elements, `cap` at most; and how many were left out.
/// `windows` are bottom to top, `silent` those that told of nothing; `scale` is physical pixels per logical one.
pub fn fill_bare(
    picture: &RgbImage,
    windows: &[Window],
    silent: &[u32],
    elements: &[Element],
    scale: f64,
    cap: usize,
) -> (Vec<Element>, usize) {
    let mut found = Vec::new();
    for (at, window) in windows.iter().enumerate().rev() {
        if window.minimised || silent.contains(&window.id) {
            continue;
        }
        let above: Vec<Rect<Physical>> =
            windows[at + 1..].iter().filter(|w| !w.minimised).map(|w| w.frame).collect();
        let Some(area) = bare_part(picture, window, &above, elements) else { continue };
        let Some(pixels) = crop(picture, &area) else { continue };
        match grid_lines::find(&pixels) {
            Some(lines) => found.extend(cells(&pixels, &lines, area, window, elements)),
            None => {
                let search = Search { step: 1, across: 5, down: 1, line: 6.0, scale, most: MOST };
                for (n, (rect, role)) in blobs(&pixels, search).into_iter().enumerate() {
                    let rect = Rect::new(rect.x + area.x, rect.y + area.y, rect.w, rect.h);
                    found.push(guess(format!("w{}.b{n}", window.id), role, rect));
                }
            }
        }
    }
    let dropped = found.len().saturating_sub(cap);
    found.truncate(cap);
    (found, dropped)
}

/// Whether an element leaves what lies behind it to be found: what only scrolls, and what is drawn on.
fn is_ground(element: &Element) -> bool {
    let acts = |what: &Affordance| *what != Affordance::Scroll;
    element.role.as_str() == "canvas"
        || !element.affordances.is_empty() && !element.affordances.iter().any(acts)
}

/// The largest part of a window that nothing covers, if it is large.
fn bare_part(
    picture: &RgbImage,
    window: &Window,
    above: &[Rect<Physical>],
    elements: &[Element],
) -> Option<Rect<Physical>> {
    let screen = Rect::new(0.0, 0.0, f64::from(picture.width()), f64::from(picture.height()));
    let client = window.client.intersect(&screen)?;
    let covers = elements.iter().filter(|e| !is_ground(e)).map(|e| &e.bounds).chain(above);
    let covers: Vec<Rect<Physical>> = covers.filter_map(|r| r.intersect(&client)).collect();
    if !covers.iter().any(|r| r.area() > 0.0) {
        return None;
    }
    let (columns, rows) = ((client.w as usize) / CELL, (client.h as usize) / CELL);
    let mut free = vec![true; columns * rows];
    for cover in &covers {
        let index = |v: f64, most: usize| ((v / CELL as f64).max(0.0) as usize).min(most);
        let (left, right) =
            (index(cover.x - client.x, columns), index((cover.right() - client.x + 7.0).floor(), columns));
        let (top, bottom) =
            (index(cover.y - client.y, rows), index((cover.bottom() - client.y + 7.0).floor(), rows));
        for row in top..bottom {
            free[row * columns + left..row * columns + right].fill(false);
        }
    }
    let (x, y, w, h) = largest(&free, columns);
    let side = |n: usize| (n * CELL) as f64;
    let part = Rect::new(client.x + side(x), client.y + side(y), side(w), side(h));
    let large = part.w >= LEAST.0 && part.h >= LEAST.1 && part.area() >= client.area() * SHARE;
    large.then_some(part)
}

/// The largest rectangle of free cells: left, top, width and height.
fn largest(free: &[bool], columns: usize) -> (usize, usize, usize, usize) {
    let mut heights = vec![0_usize; columns + 1];
    let mut best = (0, 0, 0, 0);
    for (row, line) in free.chunks(columns.max(1)).enumerate() {
        for (column, is_free) in line.iter().enumerate() {
            heights[column] = if *is_free { heights[column] + 1 } else { 0 };
        }
        let mut open: Vec<usize> = Vec::new();
        for column in 0..=columns {
            while let Some(top) = open.last().copied().filter(|top| heights[*top] >= heights[column]) {
                open.pop();
                let left = open.last().map_or(0, |before| before + 1);
                let (w, h) = (column - left, heights[top]);
                if w * h > best.2 * best.3 {
                    best = (left, row + 1 - h, w, h);
                }
            }
            open.push(column);
        }
    }
    best
}

/// The cells of a grid, named by their address where the program tells of one.
fn cells(
    pixels: &RgbImage,
    lines: &Lines,
    area: Rect<Physical>,
    window: &Window,
    elements: &[Element],
) -> Vec<Element> {
    let (head_row, head_column) = (lines.has_head_row(pixels), lines.has_head_column(pixels));
    let rows: Vec<_> = lines.rows().skip(usize::from(head_row)).collect();
    let columns: Vec<_> = lines.columns().skip(usize::from(head_column)).collect();
    let place = |row: &(u32, u32), column: &(u32, u32)| {
        let (x, y) = (f64::from(column.0) + area.x, f64::from(row.0) + area.y);
        Rect::new(x, y, f64::from(column.1 - column.0), f64::from(row.1 - row.0))
    };
    let origin = first_cell(area, window, elements).filter(|(row, column, selected)| {
        // The selected cell has a frame that is darker than the grid's lines.
        let at = selected.0.checked_sub(*row).zip(selected.1.checked_sub(*column));
        let at = at.and_then(|(row, column)| Some((rows.get(row)?, columns.get(column)?)));
        at.is_none_or(|(row, column)| grid_lines::has_frame(pixels, *row, *column))
    });
    let mut found = Vec::new();
    for (r, row) in rows.iter().enumerate() {
        for (c, column) in columns.iter().enumerate() {
            let (name, is_selected) = match origin {
                Some((top, left, selected)) => {
                    (grid_lines::address(top + r, left + c), Some((top + r, left + c) == selected))
                }
                None => (format!("row {}, column {}", r + 1, c + 1), None),
            };
            if found.len() == MOST_CELLS {
                return found;
            }
            let mut cell = guess(format!("w{}.c{r}.{c}", window.id), "cell", place(row, column));
            cell.uid = Some(format!("{}/cell={name}", window.program));
            cell.name = name;
            cell.states.selected = is_selected.filter(|is| *is);
            if is_selected == Some(true) {
                cell.value = edited(area, window, elements);
            }
            found.push(cell);
        }
    }
    found
}

/// Row and column of the first cell in view, and of the selected one, counted from zero: where a box above the grid names
/// a cell and both scroll bars of the window tell a whole number.
fn first_cell(
    area: Rect<Physical>,
    window: &Window,
    elements: &[Element],
) -> Option<(usize, usize, (usize, usize))> {
    let own = || elements.iter().filter(|e| window.client.contains(e.hit));
    let (_, selected) = address_box(area, window, elements)?;
    let bar = |upright: bool| {
        let near = |e: &&Element| {
            e.role.as_str() == "scrollbar"
                && (e.bounds.h > e.bounds.w) == upright
                && if upright { e.bounds.x >= area.x } else { e.bounds.y >= area.y }
        };
        let value: f64 = own().find(near)?.value.as_deref()?.parse().ok()?;
        ((0.0..1e7).contains(&value) && value.fract() == 0.0).then_some(value as usize)
    };
    Some((bar(true)?, bar(false)?, selected))
}

fn boxes_above<'a>(
    area: Rect<Physical>,
    window: &'a Window,
    elements: &'a [Element],
) -> impl Iterator<Item = &'a Element> {
    let above = move |e: &&Element| {
        e.role.as_str() == "textbox" && e.bounds.bottom() <= area.y + f64::from(CELL as u32)
    };
    elements.iter().filter(|e| window.client.contains(e.hit)).filter(above)
}

/// The box that names the selected cell, and what it names.
fn address_box<'a>(
    area: Rect<Physical>,
    window: &'a Window,
    elements: &'a [Element],
) -> Option<(&'a Element, (usize, usize))> {
    boxes_above(area, window, elements).find_map(|e| Some((e, grid_lines::place(e.value.as_deref()?)?)))
}

/// What the selected cell holds, which stands in the box beside the one that names it. Nothing else tells what cells
/// hold where their program has none.
fn edited(area: Rect<Physical>, window: &Window, elements: &[Element]) -> Option<String> {
    let (named, _) = address_box(area, window, elements)?;
    let middle = named.bounds.center().y;
    let beside = |e: &&Element| {
        e.bounds.x >= named.bounds.right() && (e.bounds.y..e.bounds.bottom()).contains(&middle)
    };
    let lines = boxes_above(area, window, elements).filter(beside);
    let line = lines.max_by(|a, b| a.bounds.w.total_cmp(&b.bounds.w))?;
    line.value.clone().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use waldo_devices::element::{Role, Source};

    /// A sheet of 5 rows and 5 columns below a tool bar, with heads, and a frame around the cell at `framed`.
    fn sheet(framed: (u32, u32)) -> RgbImage {
        let mut picture = RgbImage::from_pixel(640, 480, Rgb([255; 3]));
        let mut fill = |x: u32, y: u32, w: u32, h: u32, grey: u8| {
            for (x, y) in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
                picture.put_pixel(x, y, Rgb([grey; 3]));
            }
        };
        fill(0, 80, 640, 20, 230);
        fill(0, 80, 40, 380, 230);
        for n in 0..16 {
            fill(0, 99 + n * 24, 640, 1, 190);
        }
        for n in 0..7 {
            fill(39 + n * 90, 80, 1, 380, 190);
        }
        let (x, y) = (39 + framed.1 * 90, 99 + framed.0 * 24);
        fill(x, y, 91, 2, 0);
        fill(x, y + 23, 91, 2, 0);
        fill(x, y, 2, 25, 0);
        fill(x + 89, y, 2, 25, 0);
        picture
    }

    fn element(role: &str, value: &str, bounds: Rect<Physical>) -> Element {
        let mut element = guess("x".to_owned(), role, bounds);
        element.role = Role::new(role);
        element.source = Source::Tree;
        element.value = Some(value.to_owned());
        element
    }

    fn tools(named: &str, top: &str, left: &str) -> Vec<Element> {
        vec![
            element("textbox", named, Rect::new(0.0, 40.0, 120.0, 30.0)),
            element("button", "", Rect::new(0.0, 0.0, 640.0, 39.0)),
            element("scrollbar", top, Rect::new(628.0, 80.0, 12.0, 380.0)),
            element("scrollbar", left, Rect::new(0.0, 462.0, 628.0, 18.0)),
        ]
    }

    fn fill(picture: &RgbImage, tools: &[Element], silent: &[u32]) -> Vec<Element> {
        let windows = [Window::sample(1, "Book", Rect::new(0.0, 0.0, 640.0, 480.0))];
        fill_bare(picture, &windows, silent, tools, 1.0, 500).0
    }

    #[test]
    fn a_sheet_without_elements_gets_its_cells_by_address() {
        let found = fill(&sheet((1, 2)), &tools("C12", "10", "0"), &[]);
        let names: Vec<&str> = found.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names[..6], ["A11", "B11", "C11", "D11", "E11", "F11"], "{names:?}");
        let c12 = found.iter().find(|e| e.name == "C12").unwrap();
        assert_eq!(c12.states.selected, Some(true));
        assert!((c12.hit.x - 264.0).abs() < 4.0 && (c12.hit.y - 135.0).abs() < 4.0, "{:?}", c12.hit);
        assert!(found.iter().all(|e| e.source == Source::Picture && e.role.as_str() == "cell"));
        assert!(found.iter().all(|e| e.value.is_none()));
        // The line in which it is edited tells what it holds.
        let mut tools_and_line = tools("C12", "10", "0");
        tools_and_line.push(element("textbox", "12.5", Rect::new(200.0, 42.0, 400.0, 28.0)));
        tools_and_line.push(element("textbox", "100%", Rect::new(130.0, 42.0, 40.0, 28.0)));
        tools_and_line.push(element("textbox", "elsewhere", Rect::new(200.0, 2.0, 440.0, 28.0)));
        let found = fill(&sheet((1, 2)), &tools_and_line, &[]);
        let values: Vec<_> = found.iter().filter_map(|e| Some((&*e.name, e.value.as_deref()?))).collect();
        assert_eq!(values, [("C12", "12.5")]);
        // Tools that cover nothing of it, and a window that told of nothing, which is searched as a whole.
        assert!(fill(&sheet((1, 2)), &tools("C12", "10", "0"), &[1]).is_empty());
    }

    #[test]
    fn only_free_places_get_elements() {
        for tools in [tools("C12", "9", "0"), tools("hello", "10", "0"), tools("C12", "0.5", "0")] {
            let found = fill(&sheet((1, 2)), &tools, &[]);
            assert_eq!(found[0].name, "row 1, column 1", "{:?}", tools[0].value);
        }
        let mut picture = RgbImage::from_pixel(640, 480, Rgb([255; 3]));
        for (x, y) in (0..40).flat_map(|x| (0..30).map(move |y| (x, y))) {
            picture.put_pixel(200 + x, 200 + y, Rgb([20, 40, 60]));
        }
        let found = fill(&picture, &tools("", "0", "0"), &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].name.is_empty() && (found[0].hit.x - 220.0).abs() < 4.0);
        let rows = ["....", "..#.", "....", "...."];
        let free: Vec<bool> = rows.iter().flat_map(|row| row.chars().map(|c| c == '.')).collect();
        assert_eq!(largest(&free, 4), (0, 0, 2, 4));
        assert_eq!(largest(&[], 0), (0, 0, 0, 0));
    }
}
