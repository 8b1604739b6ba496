//! `utils.py`: cells and sparklines read straight from the XML, by the sheet's number.

use std::cell::OnceCell;
use std::collections::HashMap;

use roxmltree::{Attribute, Document, Node, NodeId};
use serde_json::Value;

use super::super::package::{Package, parse};
use super::MAIN;
use crate::fault::{OsworldFault, Result};
use crate::py::{number, text};

const X14: &str = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main";
const XM: &str = "http://schemas.microsoft.com/office/excel/2006/main";

/// The part of a sheet, by the number that the workbook gives it, not by its reference.
fn part(package: &Package, sheet: &str) -> Option<String> {
    let book = package.text("xl/workbook.xml").ok()?;
    let document = parse("xl/workbook.xml", book).ok()?;
    let mut sheets = document.descendants().filter(|node| node.has_tag_name((MAIN, "sheet")));
    let id = sheets.rfind(|node| node.attribute("name") == Some(sheet))?.attribute("sheetId")?;
    Some(format!("xl/worksheets/sheet{id}.xml"))
}

/// A sheet's cells as they stand in the XML, read once for however many are asked for.
pub(crate) struct RawSheet<'p> {
    package: &'p Package,
    /// The sheet; nothing where there is none, or it cannot be read.
    document: Option<Document<'p>>,
    cells: HashMap<String, NodeId>,
    shared: OnceCell<Vec<String>>,
}

impl<'p> RawSheet<'p> {
    pub fn new(package: &'p Package, sheet: &str) -> Self {
        let read = || {
            let part = part(package, sheet)?;
            package.text(&part).and_then(|xml| parse(&part, xml)).ok()
        };
        let document = read();
        let mut cells = HashMap::new();
        for node in document.iter().flat_map(Document::descendants) {
            let row = node.parent().filter(|row| row.has_tag_name((MAIN, "row")));
            if let Some(name) =
                node.attribute("r").filter(|_| row.is_some() && node.has_tag_name((MAIN, "c")))
            {
                cells.entry(name.to_owned()).or_insert(node.id());
            }
        }
        Self { package, document, cells, shared: OnceCell::new() }
    }

    /// `read_cell_value`: null where there is no value.
    pub fn value(&self, cell: &str) -> Result<Value> {
        let node = self.cells.get(cell).and_then(|id| self.document.as_ref()?.get_node(*id));
        node.map_or(Ok(Value::Null), |node| value(node, || self.shared.get_or_init(|| shared(self.package))))
    }
}

/// What `xmltodict` makes of an element without children: its text, stripped; with attributes an object of
/// them and the text.
fn entry(node: Node) -> Value {
    let own = node.text().map(text::strip).filter(|text| !text.is_empty());
    if node.attributes().len() == 0 {
        return own.map_or(Value::Null, Value::from);
    }
    let name = |attribute: &Attribute| match attribute.namespace() {
        Some(space) => format!("@{space}:{}", attribute.name()),
        None => format!("@{}", attribute.name()),
    };
    let attributes = node.attributes().map(|attribute| (name(&attribute), Value::from(attribute.value())));
    let own = own.map(|own| ("#text".to_owned(), Value::from(own)));
    Value::Object(attributes.chain(own).collect())
}

/// The strings that cells share, or none at all when one of them has an empty part.
fn shared(package: &Package) -> Vec<String> {
    const PART: &str = "xl/sharedStrings.xml";
    let document = package.text(PART).and_then(|xml| parse(PART, xml));
    let Ok(document) = document else { return Vec::new() };
    let items = document.root_element().children().filter(|n| n.has_tag_name((MAIN, "si")));
    let all = items.map(|item| {
        let parts = item.descendants().skip(1).filter(|n| n.has_tag_name((MAIN, "t")));
        parts.map(|t| t.text()).collect::<Option<String>>()
    });
    all.collect::<Option<_>>().unwrap_or_default()
}

/// The value of a cell; `shared` gives the strings that cells share.
fn value<'s>(node: Node, shared: impl FnOnce() -> &'s Vec<String>) -> Result<Value> {
    let named = |of: Node, name: &str| -> Result<Option<Value>> {
        let mut all = of.children().filter(|child| child.has_tag_name((MAIN, name)));
        let found = all.next().map(entry_or_children);
        if all.next().is_some() {
            return Err(OsworldFault::Unsupported(format!("a cell with more than one {name}")));
        }
        found.transpose()
    };
    let nothing = || OsworldFault::raised("a cell announces a value and has none");
    let kind = node.attribute("t").unwrap_or("n");
    match kind {
        "n" | "s" => {
            let Some(found) = named(node, "v")? else { return Ok(Value::Null) };
            let found = found.as_str().ok_or_else(nothing)?;
            if kind == "n" {
                return Ok(number::parse_float(found).map_or(Value::Null, Value::from));
            }
            let Some(at) = number::parse_int(found) else { return Ok(Value::Null) };
            let all = shared();
            let len = i64::try_from(all.len()).unwrap_or(i64::MAX);
            let at = usize::try_from(if at < 0 { at + len } else { at }).map_err(|_| nothing())?;
            all.get(at).map(|text| Value::from(text.as_str())).ok_or_else(nothing)
        }
        "str" | "e" => Ok(named(node, "v")?.unwrap_or_default()),
        "inlineStr" => {
            let inner = node.children().find(|child| child.has_tag_name((MAIN, "is")));
            let Some(inner) = inner else { return Ok(Value::Null) };
            if !inner.children().any(|child| child.is_element()) {
                return Err(nothing());
            }
            Ok(named(inner, "t")?.unwrap_or_default())
        }
        _ => Ok(Value::Null),
    }
}

/// An element without elements inside; others are not met where values stand.
fn entry_or_children(node: Node) -> Result<Value> {
    if node.children().any(|child| child.is_element()) {
        return Err(OsworldFault::Unsupported("a cell's value with elements inside".into()));
    }
    Ok(entry(node))
}

/// `load_sparklines`: the places of sparklines with their sources.
pub(crate) fn sparklines(package: &Package, sheet: &str) -> Result<Value> {
    let part =
        part(package, sheet).ok_or_else(|| OsworldFault::raised(format!("there is no sheet '{sheet}'")))?;
    let document = parse(&part, package.text(&part)?)?;
    let lines = document.descendants().filter(|node| node.has_tag_name((X14, "sparkline")));
    let of = |node: roxmltree::Node, name: &str| {
        let child = node.children().find(|child| child.has_tag_name((XM, name)));
        child.and_then(|child| child.text()).map(text::strip).map_or(Value::Null, Value::from)
    };
    let pairs = lines.map(|line| (of(line, "sqref").as_str().unwrap_or_default().to_owned(), of(line, "f")));
    Ok(Value::Object(pairs.collect()))
}
