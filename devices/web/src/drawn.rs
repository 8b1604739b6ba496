//! Elements in what a page draws by itself: a canvas has none, so they are found in the picture.

use waldo_devices::picture_elements::{Search, blobs, crop, guess};
use waldo_devices::{Element, Physical, Picture, Rect, grid_lines};

/// The least size of a canvas that is searched, in logical pixels.
const LEAST: (f64, f64) = (200.0, 150.0);
const MOST: usize = 40;
/// The most cells of a grid in one canvas.
const MOST_CELLS: usize = 400;

fn is_searched(element: &Element, scale: f64) -> bool {
    let Rect { w, h, .. } = element.bounds;
    element.role.as_str() == "canvas" && w >= LEAST.0 * scale && h >= LEAST.1 * scale
}

/// Whether a picture is needed to tell all elements.
pub(super) fn needs_picture(elements: &[Element], scale: f64) -> bool {
    elements.iter().any(|element| is_searched(element, scale))
}

/// What the large canvases among `elements` show, where no other element lies; `cap` at most.
pub(super) fn on_canvases(picture: &Picture, elements: &[Element], scale: f64, cap: usize) -> Vec<Element> {
    let mut found = Vec::new();
    for (at, canvas) in elements.iter().enumerate() {
        if !is_searched(canvas, scale) || picture.is_empty() {
            continue;
        }
        let Some(pixels) = crop(picture.pixels(), &canvas.bounds) else { continue };
        let others: Vec<Rect<Physical>> = elements
            .iter()
            .enumerate()
            .filter(|(n, e)| *n != at && e.bounds.area() < canvas.bounds.area())
            .map(|(_, e)| e.bounds)
            .collect();
        let mut push = |role: &str, name: String, rect: Rect<Physical>| {
            let rect = Rect::new(rect.x + canvas.bounds.x, rect.y + canvas.bounds.y, rect.w, rect.h);
            if !others.iter().any(|other| other.contains(rect.center())) {
                let mut element = guess(format!("picture.{}", found.len()), role, rect);
                element.name = name;
                found.push(element);
            }
        };
        match grid_lines::find(&pixels) {
            Some(lines) => {
                let columns: Vec<_> = lines.columns().collect();
                let cells = (1..).zip(lines.rows()).flat_map(|(r, row)| {
                    (1..).zip(&columns).map(move |(c, column)| (format!("row {r}, column {c}"), row, *column))
                });
                for (name, (top, bottom), (left, right)) in cells.take(MOST_CELLS) {
                    let [x, y, w, h] = [left, top, right - left, bottom - top].map(f64::from);
                    push("cell", name, Rect::new(x, y, w, h));
                }
            }
            None => {
                let search = Search { step: 1, across: 5, down: 1, line: 6.0, scale, most: MOST };
                for (rect, role) in blobs(&pixels, search) {
                    push(role, String::new(), rect);
                }
            }
        }
    }
    found.truncate(cap);
    found
}
