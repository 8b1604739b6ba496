//! Reading workbooks for checks.

use serde_json::{Value, json};

use super::plain_number;
use crate::book::{Book, Sheet, Stored};
use crate::budget;
use crate::error::OfficeError;
use crate::range::parse_cell;

/// Rows and columns at the most: beyond them a sheet is not a list any more.
const MOST: u32 = 2_000;

fn find<'b>(book: &'b Book, name: Option<&str>) -> Result<&'b Sheet, OfficeError> {
    let found = if let Some(name) = name { book.sheet(name) } else { book.sheets.first() };
    found.ok_or_else(|| OfficeError::NoSheet {
        name: name.unwrap_or("1").to_owned(),
        there: book.names().join(", "),
    })
}

fn value(stored: &Stored) -> Value {
    match stored {
        Stored::Empty => Value::Null,
        Stored::Number(number) | Stored::Date(number) => plain_number(*number),
        Stored::Text(text) | Stored::Error(text) => Value::from(text.as_str()),
        Stored::Truth(truth) => Value::from(*truth),
    }
}

/// The values of a sheet (the first, when none is named), row by row up to its last cell.
pub fn rows(bytes: &[u8], sheet: Option<&str>) -> Result<Value, OfficeError> {
    budget::read(|| read_rows(bytes, sheet))
}

fn read_rows(bytes: &[u8], sheet: Option<&str>) -> Result<Value, OfficeError> {
    let book = Book::from_bytes(bytes)?;
    let sheet = find(&book, sheet)?;
    let used = || sheet.cells.iter().filter(|(_, cell)| cell.stored != Stored::Empty).map(|(at, _)| *at);
    let (height, width) = used().fold((0, 0), |(r, c), (row, column)| (r.max(row), c.max(column)));
    if height > MOST || width > MOST {
        return Err(OfficeError::Large { rows: height, columns: width, most: MOST });
    }
    let row = |r| (1..=width).map(|c| value(&sheet.cell(r, c).stored)).collect::<Vec<_>>();
    Ok((1..=height).map(row).collect::<Vec<_>>().into())
}

/// A cell: `value`, `formula` (without its `=`), `refers` (the cells that the formula names), `bold`, `italic`, `underline`, `font`, `size`, `colour`,
/// `fill`, `format`.
pub fn cell(bytes: &[u8], sheet: Option<&str>, name: &str) -> Result<Value, OfficeError> {
    budget::read(|| read_cell(bytes, sheet, name))
}

fn read_cell(bytes: &[u8], sheet: Option<&str>, name: &str) -> Result<Value, OfficeError> {
    let at = parse_cell(name).ok_or_else(|| OfficeError::NoCell { name: name.to_owned() })?;
    let book = Book::from_bytes(bytes)?;
    let sheet = find(&book, sheet)?;
    let cell = sheet.cell(at.0, at.1);
    let style = book.styles.get(cell.style);
    let xml = book.xml(sheet)?;
    let mut cells = xml.descendants().filter(|node| node.tag_name().name() == "c");
    let own = cells.find(|node| node.attribute("r").and_then(parse_cell) == Some(at));
    let formula = own.and_then(|node| node.children().find(|child| child.tag_name().name() == "f"));
    let formula = formula.and_then(|node| node.text().map(str::to_owned));
    let font = style.font.unwrap_or_default();
    Ok(json!({
        "value": value(&cell.stored),
        "refers": formula.as_deref().map(crate::contents::references),
        "formula": formula,
        "bold": font.bold,
        "italic": font.italic,
        "underline": font.underline,
        "font": font.name,
        "size": font.size,
        "colour": font.color,
        "fill": style.fill.and_then(|fill| fill.foreground),
        "format": style.format,
    }))
}
