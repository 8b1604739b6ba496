//! What is remembered of sheets: the cells of a view, and what cells held when they looked as they do.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::protocol::{Role, State};

use super::node::{AccessNode, ObjectKey, StateBits};
use waldo_devices::geometry::{Physical, Rect};

/// Stands between a table's path and the row and column of a cell.
pub(super) const MARK: char = '#';
/// Values that are remembered; beyond it all are forgotten.
const REMEMBERED: usize = 20_000;

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
    views: HashMap<ObjectKey, (View, Bands, Bands)>,
    /// By handle: what the cell looked like, and what it held.
    values: HashMap<String, (u64, Option<String>)>,
}

#[derive(Clone, Default)]
pub(super) struct Sheets(Arc<Mutex<Inner>>);

impl Sheets {
    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The cells of `table` if this view of it was seen before.
    pub(super) fn recall(&self, table: &ObjectKey, view: &View) -> Option<Vec<AccessNode>> {
        self.with(|inner| {
            let (known, columns, rows) = inner.views.get(table)?;
            (known == view).then(|| nodes(table, view, columns, rows))
        })
    }

    /// The cells of `table`, if its edges say that it is a sheet. `edges` are the first row and the first
    /// column of the view, with row and column.
    pub(super) fn learn(
        &self,
        table: &ObjectKey,
        view: &View,
        edges: &[(i32, i32, AccessNode)],
    ) -> Option<Vec<AccessNode>> {
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

    pub(super) fn value(&self, handle: &str, look: u64) -> Option<Option<String>> {
        self.with(|inner| {
            inner.values.get(handle).filter(|(known, _)| *known == look).map(|(_, value)| value.clone())
        })
    }

    pub(super) fn remember(&self, handle: &str, look: u64, value: Option<String>) {
        self.with(|inner| {
            if inner.values.len() >= REMEMBERED {
                inner.values.clear();
            }
            inner.values.insert(handle.to_owned(), (look, value));
        });
    }
}

fn nodes(table: &ObjectKey, view: &View, columns: &Bands, rows: &Bands) -> Vec<AccessNode> {
    let [top, _, left, _] = view.range;
    let states = StateBits(State::Showing.bit() | State::Visible.bit() | State::Enabled.bit());
    let mut cells = Vec::with_capacity(rows.len() * columns.len());
    for (row, (y, h)) in (top..).zip(rows) {
        for (column, (x, w)) in (left..).zip(columns) {
            let key = ObjectKey::new(Arc::clone(&table.bus), format!("{}{MARK}{row},{column}", table.path));
            let mut node = AccessNode::new(key, Role::TableCell, states);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_named_and_a_view_is_learnt_from_its_edges() {
        let names = [(0, 0), (9, 25), (0, 26), (1_048_575, 16_383), (2, 701), (2, 702)];
        let names = names.map(|(row, column)| cell_name(row, column));
        assert_eq!(names, ["A1", "Z10", "AA1", "XFD1048576", "ZZ3", "AAA3"]);
        let table = ObjectKey::new(":1.5", "/t");
        let (a, b) = (Rect::new(40.0, 100.0, 80.0, 18.0), Rect::new(120.0, 118.0, 60.0, 20.0));
        let view = View { range: [4, 5, 1, 2], corners: [a, b] };
        let edge = |row, column, at: Rect<Physical>| {
            let mut node =
                AccessNode::new(ObjectKey::new(":1.5", "/c"), Role::TableCell, StateBits::default());
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
        assert!(sheets.learn(&table, &view, &edges).is_none(), "a list of things is not a sheet");
    }
}
