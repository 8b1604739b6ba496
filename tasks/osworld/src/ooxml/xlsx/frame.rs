//! A sheet as `pandas.read_excel` reads it, and `DataFrame.equals` after `DataFrame.round`.

use std::collections::HashMap;

use super::{Cell, Sheet, Stored};
use crate::fault::OsworldFault;
use crate::py::number::{parse_float, repr_float, round_half_even};
use waldo_office::budget::{self, Cost};

/// Texts that stand for no value.
const MISSING: [&str; 19] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
    "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
];

#[derive(Clone, Debug, PartialEq)]
enum ColumnValue {
    Missing,
    Whole(i64),
    Float(f64),
    Truth(bool),
    Date(f64),
    Text(String),
}

/// What a column's values are, which must be the same for columns to be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnKind {
    Whole,
    Float,
    Truth,
    Date,
    Object,
}

#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    kind: ColumnKind,
    items: Vec<ColumnValue>,
}

/// The table: the first row names the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFrame {
    columns: Vec<Column>,
    rows: usize,
}

impl DataFrame {
    pub fn of(sheet: &Sheet) -> Result<Self, OsworldFault> {
        let stored =
            |at: &(u32, u32), cell: &Cell| sheet.covered.get(at).unwrap_or(cell).stored != Stored::Empty;
        let used = || sheet.cells.iter().filter(|(at, cell)| stored(at, cell)).map(|(at, _)| *at);
        let (height, width) = used().fold((0, 0), |(r, c), (row, column)| (r.max(row), c.max(column)));
        budget::spend(Cost::Cells, u64::from(height) * u64::from(width))?;
        let mut lines: Vec<Vec<ColumnValue>> = Vec::new();
        for (at, cell) in &sheet.cells {
            let cell = sheet.covered.get(at).unwrap_or(cell);
            let (row, column) = at;
            let item = match &cell.stored {
                Stored::Empty => continue,
                Stored::Error(_) => ColumnValue::Missing,
                Stored::Number(n) => whole(*n),
                Stored::Date(n) => ColumnValue::Date(*n),
                Stored::Truth(truth) => ColumnValue::Truth(*truth),
                // An empty text is cut off like an empty cell.
                Stored::Text(text) if text.is_empty() => continue,
                Stored::Text(text) => ColumnValue::Text(text.clone()),
            };
            let (row, column) = (*row as usize, *column as usize);
            if lines.len() < row {
                lines.resize(row, Vec::new());
            }
            if let Some(line) = lines.get_mut(row - 1) {
                if line.len() < column {
                    line.resize(column, ColumnValue::Text(String::new()));
                }
                if let Some(place) = line.get_mut(column - 1) {
                    *place = item;
                }
            }
        }
        let width = lines.iter().map(Vec::len).max().unwrap_or(0);
        for line in &mut lines {
            line.resize(width, ColumnValue::Text(String::new()));
        }
        let mut lines = lines.into_iter();
        let names = names(&lines.next().unwrap_or_default());
        let body: Vec<Vec<ColumnValue>> = lines.collect();
        let columns = names
            .into_iter()
            .enumerate()
            .map(|(i, name)| column(name, body.iter().filter_map(|line| line.get(i).cloned()).collect()))
            .collect();
        Ok(Self { columns, rows: body.len() })
    }

    pub(crate) fn rounded(mut self, digits: i32) -> Self {
        for item in self.columns.iter_mut().filter(|c| c.kind == ColumnKind::Float).flat_map(|c| &mut c.items)
        {
            if let ColumnValue::Float(n) = item {
                *n = round_half_even(*n, digits);
            }
        }
        self
    }

    /// Whether names, kinds and values are the same.
    pub fn equals(&self, other: &Self) -> bool {
        self == other
    }

    /// The last row as texts (`df.iloc[-1].astype(str).tolist()`).
    pub(crate) fn last_row(&self) -> Option<Vec<String>> {
        // A row across columns of one kind keeps it; across several its numbers become what holds them all.
        let numeric = |kind: ColumnKind| matches!(kind, ColumnKind::Whole | ColumnKind::Float);
        let float = self.columns.iter().all(|c| numeric(c.kind))
            && self.columns.iter().any(|c| c.kind == ColumnKind::Float);
        let text = |item: &ColumnValue| match item {
            ColumnValue::Missing => "nan".to_owned(),
            #[expect(clippy::cast_precision_loss, reason = "what pandas does")]
            ColumnValue::Whole(n) if float => repr_float(*n as f64),
            ColumnValue::Whole(n) => n.to_string(),
            ColumnValue::Float(n) => repr_float(*n),
            ColumnValue::Truth(true) => "True".to_owned(),
            ColumnValue::Truth(false) => "False".to_owned(),
            ColumnValue::Date(n) => date_text(*n),
            ColumnValue::Text(text) => text.clone(),
        };
        let last = self.rows.checked_sub(1)?;
        Some(self.columns.iter().filter_map(|column| column.items.get(last)).map(text).collect())
    }
}

fn whole(n: f64) -> ColumnValue {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    if n == n.trunc() && n.abs() < 9e18 { ColumnValue::Whole(n as i64) } else { ColumnValue::Float(n) }
}

/// `str` of a time stamp: the day, and the time unless it is midnight.
fn date_text(serial: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "days of the calendar")]
    let (days, seconds) = (serial.trunc() as i64, (serial.fract() * 86_400.0).round() as i64);
    let start = jiff::civil::date(1899, 12, 30).at(0, 0, 0, 0);
    let span = jiff::Span::new().try_days(days).and_then(|s| s.try_seconds(seconds));
    match span.and_then(|span| start.checked_add(span)) {
        Ok(moment) if seconds == 0 => moment.date().to_string(),
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => repr_float(serial),
    }
}

fn names(line: &[ColumnValue]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    line.iter()
        .enumerate()
        .map(|(i, item)| {
            // A number and the text of it are different names.
            let base = match item {
                ColumnValue::Missing => "n:nan".to_owned(),
                ColumnValue::Whole(n) => format!("n:{n}"),
                ColumnValue::Float(n) => format!("n:{}", repr_float(*n)),
                ColumnValue::Truth(truth) => format!("n:{}", u8::from(*truth)),
                ColumnValue::Date(n) => format!("d:{n}"),
                ColumnValue::Text(text) if text.is_empty() => format!("Unnamed: {i}"),
                ColumnValue::Text(text) => text.clone(),
            };
            let count = seen.entry(base.clone()).or_insert(0);
            let name = if *count == 0 { base } else { format!("{base}.{count}") };
            *count += 1;
            name
        })
        .collect()
}

fn column(name: String, items: Vec<ColumnValue>) -> Column {
    let items: Vec<ColumnValue> = items
        .into_iter()
        .map(|item| match item {
            ColumnValue::Text(text) if MISSING.contains(&text.as_str()) => ColumnValue::Missing,
            other => other,
        })
        .collect();
    if items.is_empty() {
        return Column { name, kind: ColumnKind::Object, items };
    }
    if items.iter().all(|item| matches!(item, ColumnValue::Truth(_))) {
        return Column { name, kind: ColumnKind::Truth, items };
    }
    let numbers: Option<Vec<ColumnValue>> = items
        .iter()
        .map(|item| match item {
            ColumnValue::Missing => Some(ColumnValue::Missing),
            ColumnValue::Whole(_) | ColumnValue::Float(_) => Some(item.clone()),
            ColumnValue::Truth(truth) => Some(ColumnValue::Whole(i64::from(*truth))),
            ColumnValue::Text(text) => text_number(text),
            ColumnValue::Date(_) => None,
        })
        .collect();
    if let Some(mut numbers) = numbers {
        let whole = numbers.iter().all(|item| matches!(item, ColumnValue::Whole(_)));
        if whole {
            return Column { name, kind: ColumnKind::Whole, items: numbers };
        }
        for item in &mut numbers {
            #[expect(clippy::cast_precision_loss, reason = "what pandas does")]
            if let ColumnValue::Whole(n) = item {
                *item = ColumnValue::Float(*n as f64);
            }
        }
        return Column { name, kind: ColumnKind::Float, items: numbers };
    }
    let truth = |item: &ColumnValue| match item {
        ColumnValue::Text(text) => match text.as_str() {
            "True" | "TRUE" | "true" => Some(true),
            "False" | "FALSE" | "false" => Some(false),
            _ => None,
        },
        _ => None,
    };
    if let Some(truths) = items.iter().map(|i| truth(i).map(ColumnValue::Truth)).collect::<Option<Vec<_>>>() {
        return Column { name, kind: ColumnKind::Truth, items: truths };
    }
    let dates = items.iter().all(|item| matches!(item, ColumnValue::Date(_) | ColumnValue::Missing));
    Column { name, kind: if dates { ColumnKind::Date } else { ColumnKind::Object }, items }
}

fn text_number(text: &str) -> Option<ColumnValue> {
    let trimmed = text.trim();
    if let Ok(n) = trimmed.parse::<i64>() {
        return Some(ColumnValue::Whole(n));
    }
    parse_float(trimmed).filter(|_| !trimmed.contains('_')).map(ColumnValue::Float)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::Content;
    use super::*;

    fn sheet(rows: &[&[Stored]]) -> Sheet {
        let mut cells = BTreeMap::new();
        for (r, row) in rows.iter().enumerate() {
            for (c, stored) in row.iter().enumerate() {
                let cell = Cell { stored: stored.clone(), content: Content::Other, style: 0, merged: false };
                cells.insert((u32::try_from(r).unwrap() + 1, u32::try_from(c).unwrap() + 1), cell);
            }
        }
        Sheet { name: "s".into(), part: String::new(), cells, covered: BTreeMap::new(), size: (1, 1) }
    }

    fn text(text: &str) -> Stored {
        Stored::Text(text.to_owned())
    }

    #[test]
    fn last_rows_are_texts() {
        let frame =
            DataFrame::of(&sheet(&[&[text("a"), text("b")], &[text("x"), Stored::Number(3.0)]])).unwrap();
        assert_eq!(frame.last_row().unwrap(), ["x", "3"]);
        let frame = DataFrame::of(&sheet(&[&[text("d")], &[Stored::Date(45292.0)]])).unwrap();
        assert_eq!(frame.last_row().unwrap(), ["2024-01-01"]);
    }
}
