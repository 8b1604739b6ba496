//! Sheets of cells that all look alike: named by letter and number, laid out in straight rows and columns.
//!
//! An office program makes a new object for a cell each time it is asked for one, and keeps it for good.
//! So cells are known by their row and column here, and their objects are asked for only at the edges of
//! the view, once for a view, and where the picture shows that a cell holds something else than before.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use atspi::{Role, State};
use futures::StreamExt as _;
use image::RgbImage;
use zbus::zvariant::OwnedObjectPath;

use super::bus::{Bus, Fault};
use super::detail;
use super::node::{Iface, Key, Node, StateBits};
use waldo_devices::device::Deadline;
use waldo_devices::element::Element;
use waldo_devices::geometry::{Physical, Rect};

/// Stands between a table's path and the row and column of a cell.
const MARK: char = '#';
/// Questions under way at once.
const WIDTH: usize = 32;
/// How far inside its edges a cell's own content lies, in pixels: frames and handles lie on them.
const INSET: f64 = 4.0;
/// The least difference of a colour from the ground that counts as content.
const INK: u8 = 48;
/// Values that are remembered; beyond it all are forgotten.
const REMEMBERED: usize = 20_000;
/// The longest text that is asked for, in characters.
const TEXT_MAX: i32 = 400;

/// A view of a sheet: what stays the same for as long as nobody scrolls or widens a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct View {
    /// First and last row, first and last column.
    pub(super) range: [i32; 4],
    /// Where the cells at the two corners are, in the program's own positions.
    pub(super) corners: [Rect<Physical>; 2],
}

/// Left edges and widths, or upper edges and heights.
type Bands = Vec<(f64, f64)>;

#[derive(Default)]
struct Inner {
    views: HashMap<Key, (View, Bands, Bands)>,
    /// By handle: what the cell looked like, and what it held.
    values: HashMap<String, (u64, Option<String>)>,
}

/// What is known of sheets.
#[derive(Clone, Default)]
pub(super) struct Sheets(Arc<Mutex<Inner>>);

impl Sheets {
    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The cells of `table` if this view of it was seen before.
    pub(super) fn recall(&self, table: &Key, view: &View) -> Option<Vec<Node>> {
        self.with(|inner| {
            let (known, columns, rows) = inner.views.get(table)?;
            (known == view).then(|| nodes(table, view, columns, rows))
        })
    }

    /// The cells of `table`, if its edges say that it is a sheet. `edges` are the first row and the first
    /// column of the view, with row and column.
    pub(super) fn learn(&self, table: &Key, view: &View, edges: &[(i32, i32, Node)]) -> Option<Vec<Node>> {
        let [top, bottom, left, right] = view.range;
        let mut columns = vec![None; usize::try_from(right - left + 1).ok()?];
        let mut rows = vec![None; usize::try_from(bottom - top + 1).ok()?];
        for (row, column, node) in edges {
            if node.name != cell_name(*row, *column) {
                return None;
            }
            let at = node.extents?;
            if *row == top {
                *columns.get_mut(usize::try_from(column - left).ok()?)? = Some((at.x, at.w));
            }
            if *column == left {
                *rows.get_mut(usize::try_from(row - top).ok()?)? = Some((at.y, at.h));
            }
        }
        let columns: Bands = columns.into_iter().collect::<Option<_>>()?;
        let rows: Bands = rows.into_iter().collect::<Option<_>>()?;
        let cells = nodes(table, view, &columns, &rows);
        self.with(|inner| inner.views.insert(table.clone(), (view.clone(), columns, rows)));
        Some(cells)
    }

    fn value(&self, handle: &str, look: u64) -> Option<Option<String>> {
        self.with(|inner| {
            inner.values.get(handle).filter(|(known, _)| *known == look).map(|(_, value)| value.clone())
        })
    }

    fn remember(&self, handle: &str, look: u64, value: Option<String>) {
        self.with(|inner| {
            if inner.values.len() >= REMEMBERED {
                inner.values.clear();
            }
            inner.values.insert(handle.to_owned(), (look, value));
        });
    }
}

fn nodes(table: &Key, view: &View, columns: &Bands, rows: &Bands) -> Vec<Node> {
    let [top, _, left, _] = view.range;
    let states = StateBits(State::Showing as u64 | State::Visible as u64 | State::Enabled as u64);
    let mut cells = Vec::with_capacity(rows.len() * columns.len());
    for (row, (y, h)) in (top..).zip(rows) {
        for (column, (x, w)) in (left..).zip(columns) {
            let key = Key::new(Arc::clone(&table.bus), format!("{}{MARK}{row},{column}", table.path));
            let mut node = Node::new(key, Role::TableCell, states);
            node.name = cell_name(row, column);
            node.extents = Some(Rect::new(*x, *y, *w, *h));
            cells.push(node);
        }
    }
    cells
}

/// `A1` for the first cell of a sheet.
fn cell_name(row: i32, column: i32) -> String {
    let mut letters = Vec::new();
    let mut left = column;
    while left >= 0 {
        letters.push(char::from(b'A' + u8::try_from(left % 26).unwrap_or_default()));
        left = left / 26 - 1;
    }
    letters.iter().rev().collect::<String>() + &(row + 1).to_string()
}

/// The object that a key stands for: a cell's is asked for now.
pub(super) async fn resolve(bus: &Bus, key: Key, deadline: Deadline) -> Result<Key, Fault> {
    let Some((table, place)) = key.path.split_once(MARK) else { return Ok(key) };
    let place = place
        .split_once(',')
        .and_then(|(row, column)| Some((row.parse::<i32>().ok()?, column.parse::<i32>().ok()?)));
    let place = place.ok_or_else(|| Fault::Refused(format!("{key} is no cell")))?;
    let table = Key::new(Arc::clone(&key.bus), table);
    let answer = bus.call(&table, Iface::Table.name(), "GetAccessibleAt", &place, deadline).await?;
    let (owner, path) = answer.body().deserialize::<(String, OwnedObjectPath)>()?;
    let cell = Key::new(owner, path.as_str());
    if cell.is_null() { Err(Fault::Refused(format!("{key} is not there"))) } else { Ok(cell) }
}

/// Whether an element is a cell that is known by its row and column.
pub(super) fn is_cell(element: &Element) -> bool {
    element.handle.0.contains(MARK)
}

/// Gives the cells of sheets their values. A cell in which `picture` shows nothing holds nothing; one
/// that looks as it did holds what it held; all others are asked.
pub(super) async fn fill(
    bus: &Bus,
    picture: &RgbImage,
    elements: &mut [Element],
    deadline: Deadline,
) -> Result<(), Fault> {
    let mut asked = Vec::new();
    for (n, element) in elements.iter_mut().enumerate().filter(|(_, element)| is_cell(element)) {
        let Some(look) = look(picture, &element.bounds) else { continue };
        match bus.sheets.value(&element.handle.0, look) {
            Some(value) => element.value = value,
            None => asked.extend(Key::parse(&element.handle).map(|key| (n, look, key))),
        }
    }
    let mut answers = futures::stream::iter(asked)
        .map(|(n, look, key)| async move {
            let text = async {
                let cell = resolve(bus, key, deadline).await?;
                detail::text(bus, &cell, detail::most(bus, TEXT_MAX), deadline).await
            };
            (n, look, text.await)
        })
        .buffer_unordered(WIDTH);
    while let Some((n, look, text)) = answers.next().await {
        match text {
            Ok(text) => {
                let value = (!text.is_empty()).then(|| bus.brief(&text));
                bus.sheets.remember(&elements[n].handle.0, look, value.clone());
                elements[n].value = value;
            }
            Err(Fault::Gone(why)) => return Err(Fault::Gone(why)),
            Err(_) => {}
        }
        if deadline.passed() {
            break;
        }
    }
    Ok(())
}

/// What a cell looks like, as a number; `None` when nothing is drawn in it.
fn look(picture: &RgbImage, bounds: &Rect<Physical>) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the picture")]
    let whole = |v: f64, limit: u32| v.round().clamp(0.0, f64::from(limit)) as u32;
    let inset = INSET.min(bounds.w / 4.0).min(bounds.h / 4.0);
    let (left, right) =
        (whole(bounds.x + inset, picture.width()), whole(bounds.right() - inset, picture.width()));
    let (top, bottom) =
        (whole(bounds.y + inset, picture.height()), whole(bounds.bottom() - inset, picture.height()));
    if left >= right || top >= bottom {
        return None;
    }
    let ground = *picture.get_pixel(right - 1, top);
    let mut hasher = DefaultHasher::new();
    let mut inked = false;
    for y in top..bottom {
        for x in left..right {
            let pixel = picture.get_pixel(x, y);
            pixel.0.hash(&mut hasher);
            inked |= pixel.0.iter().zip(ground.0).any(|(a, b)| a.abs_diff(b) > INK);
        }
    }
    inked.then(|| hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn cells_are_named_as_sheets_name_them() {
        let names = [(0, 0), (9, 25), (0, 26), (1_048_575, 16_383), (2, 701), (2, 702)];
        let names = names.map(|(row, column)| cell_name(row, column));
        assert_eq!(names, ["A1", "Z10", "AA1", "XFD1048576", "ZZ3", "AAA3"]);
    }

    #[test]
    fn a_view_is_learnt_from_its_edges_and_known_again() {
        let table = Key::new(":1.5", "/t");
        let (a, b) = (Rect::new(40.0, 100.0, 80.0, 18.0), Rect::new(120.0, 118.0, 60.0, 20.0));
        let view = View { range: [4, 5, 1, 2], corners: [a, b] };
        let edge = |row, column, at: Rect<Physical>| {
            let mut node = Node::new(Key::new(":1.5", "/c"), Role::TableCell, StateBits::default());
            node.name = cell_name(row, column);
            node.extents = Some(at);
            (row, column, node)
        };
        let mut edges = vec![
            edge(4, 1, a),
            edge(4, 2, Rect::new(120.0, 100.0, 60.0, 18.0)),
            edge(5, 1, Rect::new(40.0, 118.0, 80.0, 20.0)),
        ];
        let sheets = Sheets::default();
        assert!(sheets.recall(&table, &view).is_none());
        let cells = sheets.learn(&table, &view, &edges).unwrap();
        assert_eq!(cells.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["B5", "C5", "B6", "C6"]);
        assert_eq!(cells[3].extents, Some(b));
        assert_eq!(sheets.recall(&table, &view).unwrap().len(), 4);
        assert!(sheets.recall(&table, &View { range: [5, 6, 1, 2], ..view }).is_none());
        edges[1].2.name = "Total".to_owned();
        assert!(sheets.learn(&table, &view, &edges).is_none(), "a list of things is no sheet");
    }

    #[test]
    fn a_blank_cell_has_no_look_and_ink_changes_it() {
        let mut picture = RgbImage::from_pixel(200, 100, Rgb([255; 3]));
        let cell = Rect::new(10.0, 10.0, 80.0, 18.0);
        for x in 10..90 {
            picture.put_pixel(x, 10, Rgb([0; 3]));
        }
        assert_eq!(look(&picture, &cell), None, "a frame is no content");
        picture.put_pixel(30, 18, Rgb([0; 3]));
        let one = look(&picture, &cell).unwrap();
        picture.put_pixel(40, 18, Rgb([0; 3]));
        assert_ne!(look(&picture, &cell), Some(one));
        assert_eq!(look(&picture, &Rect::new(500.0, 500.0, 80.0, 18.0)), None);
    }
}
