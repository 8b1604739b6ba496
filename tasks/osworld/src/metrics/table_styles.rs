//! `utils.py`: `_read_cell_style` and `load_xlsx_styles`.

use std::cell::OnceCell;

use roxmltree::Node;
use serde_json::{Map, Value, json};

use super::super::fault::{OsworldFault, Result};
use super::super::ooxml::budget::{self, Cost};
use super::super::ooxml::range::{cell_name, parse_ranges};
use super::super::ooxml::xlsx::{Book, Cell, CellStyle, Content, MAIN, RawSheet, Sheet};
use super::super::py;

/// A property of a cell's style; `own` is the style of a conditional format that applies to it.
pub(crate) fn cell_style(
    book: &Book,
    sheet: &Sheet,
    name: &str,
    at: (u32, u32),
    own: Option<&CellStyle>,
) -> Result<Value> {
    let cell: Cell = sheet.cell(at.0, at.1);
    let style = own.cloned().unwrap_or_else(|| book.styles.get(if cell.merged { 0 } else { cell.style }));
    let full = cell.content != Content::None;
    let none =
        |what: &str| OsworldFault::raised(format!("{}: the style has no {what}", cell_name(at.0, at.1)));
    Ok(match name {
        "number_format" if cell.content == Content::Number => {
            Value::from(style.format.ok_or_else(|| none("number format"))?)
        }
        "number_format" => Value::Null,
        "merge" => Value::Bool(cell.merged),
        "fill_type" => style.fill.map_or(Value::Null, |fill| Value::from(fill.kind)),
        "bgcolor" | "fgcolor" => {
            let fill = style.fill.as_ref();
            let color = if own.is_some() {
                fill.and_then(|f| f.background.clone())
            } else {
                fill.and_then(|f| f.foreground.clone())
            };
            color.unwrap_or(Value::Null)
        }
        "hyperlink" if full => hyperlink(book, sheet, at)?,
        "font_name" | "font_family" | "font_color" | "font_bold" | "font_italic" | "font_underline"
        | "font_size"
            if full =>
        {
            let font = style.font.ok_or_else(|| none("font"))?;
            match name {
                "font_name" => font.name,
                "font_family" => font.family,
                "font_color" => font.color.ok_or_else(|| none("font colour"))?,
                "font_bold" => Value::Bool(font.bold),
                "font_italic" => Value::Bool(font.italic),
                "font_underline" => font.underline,
                _ => font.size,
            }
        }
        "hyperlink" | "font_name" | "font_family" | "font_color" | "font_bold" | "font_italic"
        | "font_underline" | "font_size" => Value::Null,
        other => return Err(OsworldFault::Unsupported(format!("cell property '{other}'"))),
    })
}

fn hyperlink(book: &Book, sheet: &Sheet, at: (u32, u32)) -> Result<Value> {
    let document = book.xml(sheet)?;
    let covers = |node: &Node| {
        let ranges = node.attribute("ref").map(parse_ranges).unwrap_or_default();
        ranges.iter().any(|r| (r.top..=r.bottom).contains(&at.0) && (r.left..=r.right).contains(&at.1))
    };
    let link = document.descendants().find(|n| n.has_tag_name((MAIN, "hyperlink")) && covers(n));
    let Some(link) = link else { return Ok(Value::from("")) };
    Ok(Value::Object(link.attributes().map(|a| (a.name().to_owned(), Value::from(a.value()))).collect()))
}

/// `load_xlsx_styles`: the properties of every cell up to the last one.
pub(crate) fn sheet_styles(book: &Book, sheet: &Sheet, properties: &[&str]) -> Result<Value> {
    let (rows, columns) = sheet.size;
    budget::spend(Cost::Cells, u64::from(rows) * u64::from(columns))?;
    let mut found = Map::new();
    let mut put = |at: (u32, u32), own: Option<&CellStyle>| -> Result<()> {
        let all = properties.iter().map(|name| cell_style(book, sheet, name, at, own));
        found.insert(cell_name(at.0, at.1), Value::Array(all.collect::<Result<_, _>>()?));
        Ok(())
    };
    for column in 1..=columns {
        for row in 1..=rows {
            put((row, column), None)?;
        }
    }
    let document = book.xml(sheet)?;
    let raw = OnceCell::new();
    for format in document.descendants().filter(|n| n.has_tag_name((MAIN, "conditionalFormatting"))) {
        let ranges = format.attribute("sqref").map(parse_ranges).unwrap_or_default();
        for rule in format.children().filter(|n| n.has_tag_name((MAIN, "cfRule"))) {
            let Some(test) = condition(rule)? else { continue };
            let id = rule.attribute("dxfId").and_then(|id| id.parse::<usize>().ok());
            let own = id.and_then(|id| book.styles.differences.get(id));
            let mut blank = 0;
            for at in ranges.iter().flat_map(|range| range.cells()) {
                budget::spend(Cost::Cells, 1)?;
                let raw = raw.get_or_init(|| RawSheet::new(&book.package, &sheet.name));
                let value = raw.value(&cell_name(at.0, at.1))?;
                if value.is_null() {
                    blank += 1;
                    if blank > 50 {
                        break;
                    }
                } else if holds(test, &value) {
                    put(at, own)?;
                }
            }
        }
    }
    Ok(Value::Object(found))
}

#[derive(Clone, Copy)]
struct Condition<'a> {
    operator: &'a str,
    first: &'a str,
    second: Option<&'a str>,
}

/// The condition of a rule; nothing for rules that the original never lets apply.
fn condition<'a>(rule: Node<'a, '_>) -> Result<Option<Condition<'a>>> {
    let formulas: Vec<&str> =
        rule.children().filter(|n| n.has_tag_name((MAIN, "formula"))).filter_map(|n| n.text()).collect();
    let kind = rule.attribute("type").unwrap_or_default();
    match kind {
        "cellIs" => {}
        "expression" | "containsText" | "notContainsText" | "endsWith" | "beginsWith" | "containsErrors"
        | "notContainsErrors" => {
            return Err(OsworldFault::Unsupported(format!("a conditional format of the kind {kind}")));
        }
        _ => return Ok(None),
    }
    let constant = |text: &&str| literal(text).is_some();
    if !formulas.iter().all(constant) {
        return Err(OsworldFault::Unsupported(format!(
            "a conditional format that calculates '{}'",
            formulas.join(", ")
        )));
    }
    let Some(first) = formulas.first() else { return Ok(None) };
    let operator = rule.attribute("operator").unwrap_or_default();
    Ok(Some(Condition { operator, first, second: formulas.get(1).copied() }))
}

fn literal(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        return Some(json!(inner.replace("\"\"", "\"")));
    }
    text.parse::<f64>().ok().map(Value::from)
}

fn holds(condition: Condition, value: &Value) -> bool {
    let order = |with: &Value| match (py::as_number(value), py::as_number(with), value, with) {
        (Some(a), Some(b), ..) => a.partial_cmp(&b),
        (_, _, Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    };
    let first = literal(condition.first).unwrap_or_default();
    let is = |test: fn(std::cmp::Ordering) -> bool| order(&first).is_some_and(test);
    match condition.operator {
        "lessThanOrEqual" => is(std::cmp::Ordering::is_le),
        "lessThan" => is(std::cmp::Ordering::is_lt),
        "greaterThanOrEqual" => is(std::cmp::Ordering::is_ge),
        "greaterThan" => is(std::cmp::Ordering::is_gt),
        "equal" => py::eq(value, &first),
        "notEqual" => !py::eq(value, &first),
        "between" | "notBetween" => {
            let Some(second) = condition.second.and_then(literal) else { return false };
            let (Some(a), Some(b)) = (order(&first), order(&second)) else { return false };
            let inside = a.is_ge() && b.is_le() || a.is_le() && b.is_ge();
            inside == (condition.operator == "between")
        }
        _ => false,
    }
}
