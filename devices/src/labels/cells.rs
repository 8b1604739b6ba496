//! The cells of a sheet: hundreds of elements that are alike but for their address.
//!
//! Cells of which nothing but the address is known share one line of the list, row by row in runs:
//! `(cells with no value known: A1 to J1 [68 to 77], A2 [78])`. Columns and numbers of a run go up together.

use std::fmt::Write as _;

use super::Tag;
use crate::element::{Affordance, Element, States};
use crate::grid_lines::{address, place};

/// How the line begins that lists cells with no value known.
pub const CELLS: &str = "(cells with no value known: ";

pub(super) const FEW_CELLS: usize = 12;
/// The most columns of a run that is read.
const MOST_COLUMNS: usize = 20_000;

pub(super) fn is_cell(element: &Element) -> bool {
    element.role.as_str() == "cell" && !element.name.contains(':') && place(&element.name).is_some()
}

/// Whether a line would say nothing of an element but that it is the cell of this address.
pub(super) fn is_plain_cell(element: &Element) -> bool {
    let mut states = element.states.clone();
    states.selected = states.selected.filter(|is| *is);
    is_cell(element)
        && element.value.as_deref().unwrap_or_default().is_empty()
        && states == States::default()
        && element.affordances.iter().all(|what| *what == Affordance::Click)
}

/// The line of cells, given as number and address in the order of the list.
pub(super) fn line(cells: &[(u32, &str)]) -> String {
    let at: Vec<(u32, (usize, usize))> =
        cells.iter().filter_map(|(n, name)| Some((*n, place(name)?))).collect();
    let mut out = CELLS.to_owned();
    let follows = |(a, (row, column)): &(u32, (usize, usize)), (b, next): &(u32, (usize, usize))| {
        a.checked_add(1) == Some(*b) && *next == (*row, column + 1)
    };
    for run in at.chunk_by(follows) {
        let ([(first, (row, left)), ..], [.., (last, (_, right))]) = (run, run) else { continue };
        let between = if out.len() == CELLS.len() { "" } else { ", " };
        // Writing to a String cannot fail.
        let _ = match first == last {
            true => write!(out, "{between}{} [{first}]", address(*row, *left)),
            false => {
                let (from, to) = (address(*row, *left), address(*row, *right));
                write!(out, "{between}{from} to {to} [{first} to {last}]")
            }
        };
    }
    out.push(')');
    out
}

/// The cells of a line, with their numbers where these were not taken out; `None` when it is none.
pub(super) fn cells_of(text: &str) -> Option<Vec<(Option<Tag>, String)>> {
    let inner = text.trim().strip_prefix(CELLS)?.strip_suffix(')')?;
    let mut found = Vec::new();
    for run in inner.split(", ") {
        let (cells, numbers) = match run.split_once(" [") {
            Some((cells, numbers)) => (cells, Some(numbers.strip_suffix(']')?)),
            None => (run, None),
        };
        let ends = |text: &str| text.split_once(" to ").map(|(a, b)| (a.to_owned(), b.to_owned()));
        let (from, to) = ends(cells).unwrap_or_else(|| (cells.to_owned(), cells.to_owned()));
        let ((row, left), (_, right)) = (place(&from)?, place(&to)?);
        let first: Option<u32> = match numbers {
            Some(numbers) => Some(numbers.split(" to ").next()?.parse().ok()?),
            None => None,
        };
        for (n, column) in (0..).zip((left..=right).take(MOST_COLUMNS)) {
            let tag = match first {
                Some(first) => Some(Tag(first.checked_add(n)?)),
                None => None,
            };
            found.push((tag, address(row, column)));
        }
    }
    Some(found)
}

/// The line of cells without its numbers; `None` when it is none.
pub fn cells_without_numbers(text: &str) -> Option<String> {
    let inner = text.strip_prefix(CELLS)?.strip_suffix(')')?;
    let names: Vec<&str> = inner.split(", ").map(|run| run.split(" [").next().unwrap_or_default()).collect();
    Some(format!("{CELLS}{})", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::element;
    use super::super::{parse_cells, parse_list, select, text_list};
    use super::*;

    fn sheet(rows: usize, columns: usize) -> Vec<Element> {
        let at = |n: usize| {
            let (row, column) = (n / columns, n % columns);
            element("cell", &address(row, column), column as f64 * 80.0, row as f64 * 20.0, 80.0, 20.0)
        };
        (0..rows * columns).map(at).collect()
    }

    #[test]
    fn cells_of_which_only_the_address_is_known_share_a_line() {
        let mut all = vec![element("button", "Sum", 0.0, 900.0, 40.0, 20.0)];
        all.extend(sheet(3, 5));
        all[3].value = Some("12".into());
        all[8].states.selected = Some(true);
        let list = text_list(&all, &select(&all, 99));
        assert_eq!(
            list.lines().collect::<Vec<_>>(),
            [
                r#"1 button "Sum""#,
                r#"4 cell "C1" value="12""#,
                r#"9 cell "C2" (selected)"#,
                "(cells with no value known: A1 to B1 [2 to 3], D1 to E1 [5 to 6], A2 to B2 [7 to 8], \
                 D2 to E2 [10 to 11], A3 to E3 [12 to 16])",
            ]
        );
        // All are read back by number and name.
        let back = parse_list(&list);
        let names: Vec<(Option<Tag>, &str)> = back.iter().map(|l| (l.tag, l.name.as_str())).collect();
        let wanted: Vec<(Option<Tag>, &str)> =
            (1..).zip(&all).map(|(n, e)| (Some(Tag(n)), e.name.as_str())).collect();
        assert_eq!(names, wanted);
        let bare = cells_without_numbers(list.lines().last().unwrap()).unwrap();
        assert!(bare.ends_with("A1 to B1, D1 to E1, A2 to B2, D2 to E2, A3 to E3)"), "{bare}");
        assert_eq!(parse_cells(&bare).unwrap().len(), 13);
    }

    #[test]
    fn few_cells_have_a_line_each_and_what_is_no_such_line_is_refused() {
        let all = sheet(2, 5);
        let list = text_list(&all, &select(&all, 99));
        assert_eq!((list.lines().count(), list.lines().next()), (10, Some(r#"1 cell "A1""#)));
        for bad in ["(cells with no value known: )", "(cells with no value known: x)", "(cells)", ""] {
            assert_eq!(parse_cells(bad), None, "{bad}");
        }
    }
}
