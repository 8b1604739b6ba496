//! Tables and lists too large to be listed: only the cells that can be seen are asked for.
//!
//! Two points of the visible part say which rows and columns are in view; rows and columns give the
//! cells. The places of the cells of the first row and the first column give those of all others.
//!
//! Invariant: no call here is answered by more than one cell, and their number is bounded.

use super::protocol::{Role, State};
use futures::StreamExt as _;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Structure};

use super::bus::{Bus, BusFault, Result};
use super::detail::{SCREEN, extents_of, name};
use super::node::{AccessNode, Iface, Ifaces, ObjectKey, ObjectTree, StateBits};
use super::sheets::View;
use super::walk::{ACCESSIBLE, children, look};
use waldo_devices::{Deadline, Physical, Point, Rect};

/// Questions under way at once.
const WIDTH: usize = 32;
/// The most cells of one table.
const MOST: usize = 600;
/// The most rows of a list that is not a table.
const ROWS: usize = 120;
/// Up to this many cells are each asked for all they know.
const FEW: usize = 150;
/// The most cells along two edges.
const EDGES: usize = 600;
/// The most parts of a cell that are asked for their names.
const PARTS: i32 = 12;
/// The most heads of columns.
const HEADS: usize = 80;
/// How far from the edge of the visible part the corners are tried, in pixels.
const INSETS: [f64; 5] = [3.0, 12.0, 24.0, 36.0, 60.0];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    rows: (i32, i32),
    columns: (i32, i32),
}

/// Adds what can be seen of the table at `place`. `view` is its visible part, as the program counts.
pub(super) async fn read(
    bus: &Bus,
    tree: &mut ObjectTree,
    place: usize,
    view: Rect<Physical>,
    deadline: Deadline,
) -> Result<()> {
    let table = tree.nodes[place].key.clone();
    let is_table = tree.nodes[place].ifaces.has(Iface::Table);
    let cells = match is_table {
        true => match range(bus, &table, view, deadline).await? {
            Some(range) => cells(bus, tree, &table, range, deadline).await?,
            None => Vec::new(),
        },
        false => rows(bus, &table, view, deadline).await?,
    };
    let cells: Vec<AccessNode> =
        futures::stream::iter(cells).map(|cell| named(bus, cell, deadline)).buffered(WIDTH).collect().await;
    let shift = tree.nodes[place].shift;
    let window = tree.nodes[place].window;
    for (mut node, index) in cells.into_iter().zip(0..) {
        let new = tree.nodes.len();
        node.shift = shift;
        node.window = window;
        node.index = index;
        tree.nodes.push(node);
        tree.graft(new, Some(place), index);
        tree.nodes[new].grafted = false;
    }
    Ok(())
}

/// A cell that is called as its parts are, where it has no name itself: an icon beside a text.
async fn named(bus: &Bus, mut cell: AccessNode, deadline: Deadline) -> AccessNode {
    if cell.name.is_empty() && (1..=PARTS).contains(&cell.child_count) {
        let mut words: Vec<String> = Vec::new();
        for part in children(bus, &cell.key, deadline).await.unwrap_or_default() {
            let said = name(bus, &part, deadline).await.unwrap_or_default();
            if !said.is_empty() && !words.contains(&said) {
                words.push(said);
            }
        }
        cell.name = bus.brief(&words.join(" "));
    }
    cell
}

/// The rows and columns at the corners of `view`.
async fn range(
    bus: &Bus,
    table: &ObjectKey,
    view: Rect<Physical>,
    deadline: Deadline,
) -> Result<Option<Range>> {
    let mut first = None;
    for inset in INSETS {
        first = position(bus, table, Point::new(view.x + inset, view.y + inset), deadline).await?;
        // Heads of columns lie above the first row.
        if first.is_some() {
            break;
        }
    }
    let mut last = None;
    for inset in INSETS {
        last =
            position(bus, table, Point::new(view.right() - inset, view.bottom() - inset), deadline).await?;
        if last.is_some() {
            break;
        }
    }
    let Some(first) = first else { return Ok(None) };
    let last = match last {
        Some(last) => last,
        // The table ends before its view does.
        None => {
            let (rows, columns) = futures::join!(
                bus.property(table, Iface::Table.name(), "NRows", deadline),
                bus.property(table, Iface::Table.name(), "NColumns", deadline)
            );
            let number = |value: Result<OwnedValue>| value.ok().and_then(|v| i32::try_from(v).ok());
            let rows = number(rows).unwrap_or(first.0 + 1);
            let columns = number(columns).unwrap_or(first.1 + 1);
            (rows.min(first.0 + ROWS as i32) - 1, columns.min(first.1 + 60) - 1)
        }
    };
    let span = |a: i32, b: i32| (a.min(b), a.max(b));
    Ok(Some(Range { rows: span(first.0, last.0), columns: span(first.1, last.1) }))
}

/// The row and the column at a point; `None` when no cell is there.
async fn position(
    bus: &Bus,
    table: &ObjectKey,
    at: Point<Physical>,
    deadline: Deadline,
) -> Result<Option<(i32, i32)>> {
    let Some(cell) = at_point(bus, table, at, deadline).await? else { return Ok(None) };
    let own = bus.property(&cell, Iface::TableCell.name(), "Position", deadline).await;
    if let Ok(Ok(own)) = own.map(Structure::try_from)
        && let [row, column] = own.fields()
        && let (Ok(row), Ok(column)) = (row.downcast_ref::<i32>(), column.downcast_ref::<i32>())
        && row >= 0
        && column >= 0
    {
        return Ok(Some((row, column)));
    }
    let face = Iface::Table.name();
    let Ok(index) = bus.call(&cell, ACCESSIBLE, "GetIndexInParent", &(), deadline).await else {
        return Ok(None);
    };
    let index = index.body().deserialize::<i32>()?;
    let (row, column) = futures::join!(
        bus.call(table, face, "GetRowAtIndex", &index, deadline),
        bus.call(table, face, "GetColumnAtIndex", &index, deadline)
    );
    let (Ok(row), Ok(column)) = (row, column) else { return Ok(None) };
    let found = (row.body().deserialize::<i32>()?, column.body().deserialize::<i32>()?);
    Ok((found.0 >= 0 && found.1 >= 0).then_some(found))
}

async fn at_point(
    bus: &Bus,
    of: &ObjectKey,
    at: Point<Physical>,
    deadline: Deadline,
) -> Result<Option<ObjectKey>> {
    #[expect(clippy::cast_possible_truncation, reason = "positions of a screen")]
    let body = (at.x as i32, at.y as i32, SCREEN);
    let answer = bus.call(of, Iface::Component.name(), "GetAccessibleAtPoint", &body, deadline).await;
    let answer = match answer {
        Ok(answer) => answer,
        Err(BusFault::Refused(_)) => return Ok(None),
        Err(fault) => return Err(fault),
    };
    let (name, path) = answer.body().deserialize::<(String, OwnedObjectPath)>()?;
    let key = ObjectKey::new(name, path.as_str());
    Ok((!key.is_null() && key != *of).then_some(key))
}

/// The cells of a range with their names, places and texts.
async fn cells(
    bus: &Bus,
    tree: &mut ObjectTree,
    table: &ObjectKey,
    range: Range,
    deadline: Deadline,
) -> Result<Vec<AccessNode>> {
    let columns = range.columns.0..=range.columns.1;
    let across = usize::try_from(range.columns.1 - range.columns.0 + 1).unwrap_or(1).max(1);
    let mut wanted: Vec<(i32, i32)> = (range.rows.0..=range.rows.1)
        .flat_map(|row| columns.clone().map(move |column| (row, column)))
        .collect();
    let few = wanted.len() <= FEW;
    if !few {
        if let Some(cells) = sheet(bus, table, range, deadline).await? {
            return Ok(cells);
        }
        tree.missing += wanted.len().saturating_sub(MOST);
        wanted.truncate(MOST);
    }
    let what = |n: usize| {
        if few {
            All
        } else if n < across || n.is_multiple_of(across) {
            Edge
        } else {
            Inner
        }
    };
    let asked = wanted.into_iter().enumerate().map(|(n, position)| (position, what(n))).collect();
    let mut nodes = Vec::new();
    for answer in ask(bus, table, asked, deadline).await {
        match answer {
            Ok(node) => nodes.push(node),
            Err(BusFault::Gone(reason)) => return Err(BusFault::Gone(reason)),
            Err(fault) => {
                tree.missing += usize::from(matches!(fault, BusFault::Late));
                nodes.push(None);
            }
        }
    }
    place_inner(&mut nodes, across);
    let mut all = heads(bus, table, range, deadline).await?;
    all.extend(nodes.into_iter().flatten());
    Ok(all)
}

async fn ask(
    bus: &Bus,
    table: &ObjectKey,
    cells: Vec<((i32, i32), CellDetail)>,
    deadline: Deadline,
) -> Vec<Result<Option<AccessNode>>> {
    futures::stream::iter(cells)
        .map(|(position, what)| async move {
            match cell(bus, table, position, what, deadline).await {
                // Some toolkits drop a cell between two questions; the second time it stays.
                Err(BusFault::Refused(_)) => cell(bus, table, position, what, deadline).await,
                answer => answer,
            }
        })
        .buffered(WIDTH)
        .collect()
        .await
}

/// The cells of a range without asking for each, if the table is a sheet.
async fn sheet(
    bus: &Bus,
    table: &ObjectKey,
    range: Range,
    deadline: Deadline,
) -> Result<Option<Vec<AccessNode>>> {
    let corners = vec![((range.rows.0, range.columns.0), Edge), ((range.rows.1, range.columns.1), Edge)];
    let mut corners = ask(bus, table, corners, deadline).await.into_iter();
    let (Some(Ok(Some(first))), Some(Ok(Some(last)))) = (corners.next(), corners.next()) else {
        return Ok(None);
    };
    let (Some(a), Some(b)) = (first.extents, last.extents) else { return Ok(None) };
    let view =
        View { range: [range.rows.0, range.rows.1, range.columns.0, range.columns.1], corners: [a, b] };
    if let Some(cells) = bus.sheets.recall(table, &view) {
        return Ok(Some(cells));
    }
    let row = (range.columns.0..=range.columns.1).map(|column| (range.rows.0, column));
    let column = (range.rows.0 + 1..=range.rows.1).map(|row| (row, range.columns.0));
    let positions: Vec<(i32, i32)> = row.chain(column).take(EDGES).collect();
    let asked = positions.iter().map(|position| (*position, Edge)).collect();
    let mut edges = Vec::new();
    for (answer, (row, column)) in ask(bus, table, asked, deadline).await.into_iter().zip(positions) {
        match answer {
            Ok(Some(node)) => edges.push((row, column, node)),
            Err(BusFault::Gone(why)) => return Err(BusFault::Gone(why)),
            Ok(None) | Err(_) => return Ok(None),
        }
    }
    Ok(bus.sheets.learn(table, &view, &edges))
}

/// The heads of the columns in view, where they are objects of their own.
async fn heads(bus: &Bus, table: &ObjectKey, range: Range, deadline: Deadline) -> Result<Vec<AccessNode>> {
    let Some(first) = head(bus, table, range.columns.0, deadline).await? else { return Ok(Vec::new()) };
    let others: Vec<_> = futures::stream::iter((range.columns.0 + 1..=range.columns.1).take(HEADS))
        .map(|column| head(bus, table, column, deadline))
        .buffered(WIDTH)
        .collect()
        .await;
    let mut found = vec![first];
    for head in others {
        found.extend(head?);
    }
    Ok(found)
}

async fn head(bus: &Bus, table: &ObjectKey, column: i32, deadline: Deadline) -> Result<Option<AccessNode>> {
    let answer = bus.call(table, Iface::Table.name(), "GetColumnHeader", &column, deadline).await;
    let key = match answer {
        Ok(answer) => {
            let (owner, path) = answer.body().deserialize::<(String, OwnedObjectPath)>()?;
            ObjectKey::new(owner, path.as_str())
        }
        Err(BusFault::Gone(why)) => return Err(BusFault::Gone(why)),
        Err(_) => return Ok(None),
    };
    if key.is_null() {
        return Ok(None);
    }
    let (node, place) = futures::join!(look(bus, &key, deadline), extents_of(bus, &key, deadline));
    let (Ok(Some(mut node)), Ok(place)) = (node, place) else { return Ok(None) };
    node.extents = Some(place);
    Ok(Some(node))
}

/// Gives every cell without a place that of its column and its row.
fn place_inner(nodes: &mut [Option<AccessNode>], across: usize) {
    let place =
        |node: Option<&Option<AccessNode>>| node.and_then(Option::as_ref).and_then(|node| node.extents);
    for n in 0..nodes.len() {
        let (column, row) = (place(nodes.get(n % across)), place(nodes.get(n - n % across)));
        if let (Some(node), Some(column), Some(row)) = (&mut nodes[n], column, row)
            && node.extents.is_none()
        {
            node.extents = Some(Rect::new(column.x, row.y, column.w, row.h));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CellDetail {
    All,
    Edge,
    Inner,
}
use CellDetail::{All, Edge, Inner};

async fn cell(
    bus: &Bus,
    table: &ObjectKey,
    (row, column): (i32, i32),
    what: CellDetail,
    deadline: Deadline,
) -> Result<Option<AccessNode>> {
    let answer = bus.call(table, Iface::Table.name(), "GetAccessibleAt", &(row, column), deadline).await?;
    let (owner, path) = answer.body().deserialize::<(String, OwnedObjectPath)>()?;
    let key = ObjectKey::new(owner, path.as_str());
    if key.is_null() {
        return Ok(None);
    }
    if what == All {
        let (node, place) = futures::join!(look(bus, &key, deadline), extents_of(bus, &key, deadline));
        let Some(mut node) = node? else { return Ok(None) };
        node.extents = Some(place?);
        return Ok(Some(node));
    }
    let states = StateBits(State::Showing.bit() | State::Visible.bit() | State::Enabled.bit());
    let mut node = AccessNode::new(key, Role::TableCell, states);
    node.ifaces = Ifaces::of([Iface::Text.name()]);
    let place = async {
        match what {
            Edge => extents_of(bus, &node.key, deadline).await.map(Some),
            _ => Ok(None),
        }
    };
    let text = bus.call(&node.key, Iface::Text.name(), "GetText", &(0i32, -1i32), deadline);
    let (name, text, place) = futures::join!(name(bus, &node.key, deadline), text, place);
    node.name = name?;
    node.value = text.ok().and_then(|text| {
        let text = text.body().deserialize::<String>().ok()?;
        (!text.is_empty()).then(|| bus.brief(&text))
    });
    node.extents = place?;
    Ok(Some(node))
}

/// The rows of a list that is not a table, from top to bottom.
async fn rows(
    bus: &Bus,
    list: &ObjectKey,
    view: Rect<Physical>,
    deadline: Deadline,
) -> Result<Vec<AccessNode>> {
    let mut found: Vec<AccessNode> = Vec::new();
    let x = view.x + (view.w / 2.0).min(40.0);
    let mut y = view.y + 2.0;
    while y < view.bottom() && found.len() < ROWS && !deadline.passed() {
        let step = match at_point(bus, list, Point::new(x, y), deadline).await? {
            Some(key) if found.last().is_none_or(|last| last.key != key) => {
                let (node, place) =
                    futures::join!(look(bus, &key, deadline), extents_of(bus, &key, deadline));
                let place = place?;
                if let Some(mut node) = node? {
                    node.extents = Some(place);
                    found.push(node);
                }
                (place.bottom() - y + 2.0).max(4.0)
            }
            _ => 8.0,
        };
        y += step;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_cells_take_the_place_of_their_row_and_column() {
        let cell = |extents: Option<Rect<Physical>>| {
            let mut node =
                AccessNode::new(ObjectKey::new(":1.1", "/c"), Role::TableCell, StateBits::default());
            node.extents = extents;
            Some(node)
        };
        let mut nodes = vec![
            cell(Some(Rect::new(10.0, 10.0, 50.0, 20.0))),
            cell(Some(Rect::new(60.0, 10.0, 80.0, 20.0))),
            cell(Some(Rect::new(10.0, 30.0, 50.0, 25.0))),
            cell(None),
            None,
            cell(None),
        ];
        place_inner(&mut nodes, 2);
        assert_eq!(nodes[3].as_ref().unwrap().extents, Some(Rect::new(60.0, 30.0, 80.0, 25.0)));
        assert_eq!(nodes[5].as_ref().unwrap().extents, None, "its row has no place");
    }
}
