//! A workbook as `openpyxl.load_workbook` reads it.

use std::collections::BTreeMap;
use std::path::Path;

use roxmltree::Node;

use crate::budget::{self, Cost};
use crate::error::OfficeError;
pub use crate::package::MAIN;
use crate::package::{Package, R, parse};
use crate::range::{Range, parse_cell, parse_range};
use crate::styles::Styles;

/// What a cell stores: the value as it was last calculated.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    Empty,
    Number(f64),
    /// A day with time, as a serial number.
    Date(f64),
    Text(String),
    Truth(bool),
    /// An error such as `#DIV/0!`.
    Error(String),
}

/// What stands in a cell, where formulas are texts of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    None,
    Formula,
    Number,
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub stored: Stored,
    pub content: Content,
    pub style: usize,
    /// Covered by a merged range that begins elsewhere.
    pub merged: bool,
}

pub type Cells = BTreeMap<(u32, u32), Cell>;

#[derive(Clone, Debug)]
pub struct Sheet {
    pub name: String,
    pub part: String,
    /// Cells that the file names, and those covered by merged ranges.
    pub cells: Cells,
    /// What the file says of the cells that merged ranges cover, which `pandas` reads.
    pub covered: Cells,
    pub size: (u32, u32),
}

#[derive(Clone, Debug)]
pub struct Book {
    pub package: Package,
    pub sheets: Vec<Sheet>,
    pub styles: Styles,
}

const WORKBOOK: &str = "xl/workbook.xml";

impl Book {
    pub fn open(path: &Path) -> Result<Self, OfficeError> {
        Self::of(Package::open(path)?)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, OfficeError> {
        Self::of(Package::from_bytes(bytes)?)
    }

    fn of(package: Package) -> Result<Self, OfficeError> {
        let relations = package.relations(WORKBOOK)?;
        let target = |kind: &str| relations.iter().find(|r| r.kind == kind).map(|r| r.target.as_str());
        let styles = match target("styles").filter(|part| package.bytes(part).is_some()) {
            Some(part) => Styles::read(part, package.text(part)?)?,
            None => Styles::default(),
        };
        let shared = match target("sharedStrings").filter(|part| package.bytes(part).is_some()) {
            Some(part) => shared_strings(part, package.text(part)?)?,
            None => Vec::new(),
        };
        let document = parse(WORKBOOK, package.text(WORKBOOK)?)?;
        let dates = document.descendants().find(|node| node.has_tag_name((MAIN, "workbookPr")));
        if dates
            .and_then(|node| node.attribute("date1904"))
            .is_some_and(|value| !matches!(value, "0" | "false"))
        {
            return Err(OfficeError::Unsupported("a workbook that counts days from 1904".into()));
        }
        let mut sheets = Vec::new();
        for node in document.descendants().filter(|node| node.has_tag_name((MAIN, "sheet"))) {
            let id = node.attribute((R, "id")).unwrap_or_default();
            let Some(relation) = relations.iter().find(|r| r.id == id && r.kind == "worksheet") else {
                continue;
            };
            let name = node.attribute("name").unwrap_or_default().to_owned();
            sheets.push(read_sheet(&package, name, &relation.target, &shared, &styles)?);
        }
        Ok(Self { package, sheets, styles })
    }

    pub fn names(&self) -> Vec<&str> {
        self.sheets.iter().map(|sheet| sheet.name.as_str()).collect()
    }

    pub fn sheet(&self, name: &str) -> Option<&Sheet> {
        self.sheets.iter().find(|sheet| sheet.name == name)
    }

    /// The sheet that the book was last left at; nothing where that is not a sheet of cells.
    pub fn active(&self) -> Option<&Sheet> {
        let document = parse(WORKBOOK, self.package.text(WORKBOOK).ok()?).ok()?;
        let view = document.descendants().find(|node| node.has_tag_name((MAIN, "workbookView")));
        let tab =
            view.and_then(|view| view.attribute("activeTab")).and_then(|tab| tab.parse().ok()).unwrap_or(0);
        let node = document.descendants().filter(|node| node.has_tag_name((MAIN, "sheet"))).nth(tab)?;
        self.sheet(node.attribute("name")?)
    }

    pub fn xml(&self, sheet: &Sheet) -> Result<roxmltree::Document<'_>, OfficeError> {
        // The part is in the package for as long as the book is.
        parse(&sheet.part, self.package.text(&sheet.part)?)
    }
}

impl Sheet {
    /// A cell; an empty one where the file names none.
    pub fn cell(&self, row: u32, column: u32) -> Cell {
        self.cells.get(&(row, column)).cloned().unwrap_or(Cell {
            stored: Stored::Empty,
            content: Content::None,
            style: 0,
            merged: false,
        })
    }
}

/// The text of a string item, without the reading aids of East Asian scripts.
fn item_text(item: Node) -> String {
    let text = |t: Node| t.text().unwrap_or_default().to_owned();
    // Of several texts that stand alone the last is read, and before the runs.
    let plain = item.children().rfind(|child| child.has_tag_name((MAIN, "t"))).map(text);
    let runs = item.children().filter(|child| child.has_tag_name((MAIN, "r")));
    let runs = runs.flat_map(|run| run.children()).filter(|part| part.has_tag_name((MAIN, "t"))).map(text);
    plain.into_iter().chain(runs).collect()
}

fn shared_strings(part: &str, text: &str) -> Result<Vec<String>, OfficeError> {
    let document = parse(part, text)?;
    Ok(document.root_element().children().filter(|n| n.has_tag_name((MAIN, "si"))).map(item_text).collect())
}

fn read_sheet(
    package: &Package,
    name: String,
    part: &str,
    shared: &[String],
    styles: &Styles,
) -> Result<Sheet, OfficeError> {
    let document = parse(part, package.text(part)?)?;
    let (mut cells, mut covered) = (BTreeMap::new(), BTreeMap::new());
    let mut row = 0_u32;
    for line in document.descendants().filter(|node| node.has_tag_name((MAIN, "row"))) {
        row = line.attribute("r").and_then(|r| r.parse().ok()).unwrap_or(row.saturating_add(1));
        let mut column = 0_u32;
        for node in line.children().filter(|node| node.has_tag_name((MAIN, "c"))) {
            let at = node.attribute("r").and_then(parse_cell).unwrap_or((row, column.saturating_add(1)));
            column = at.1;
            budget::spend(Cost::Cells, 1)?;
            let cell = read_cell(node, shared, styles)?;
            if let Stored::Text(text) = &cell.stored {
                budget::spend(Cost::Bytes, text.len() as u64)?;
            }
            cells.insert(at, cell);
        }
    }
    for pane in document.descendants().filter(|node| node.has_tag_name((MAIN, "pane"))) {
        let known = ["split", "frozen", "frozenSplit"];
        if let Some(state) = pane.attribute("state").filter(|state| !known.contains(state)) {
            return Err(OfficeError::unreadable(format!("openpyxl knows no state '{state}' of panes")));
        }
    }
    for rule in document.descendants().filter(|node| node.has_tag_name((MAIN, "cfRule"))) {
        let difference = rule.attribute("dxfId").and_then(|id| id.parse::<usize>().ok());
        if difference.is_some_and(|id| id >= styles.differences.len()) {
            return Err(OfficeError::unreadable(
                "a conditional format has a style that the workbook does not have",
            ));
        }
    }
    let merges = document.descendants().filter(|node| node.has_tag_name((MAIN, "mergeCell")));
    for range in merges.filter_map(|node| node.attribute("ref")).filter_map(parse_range) {
        cover(&mut cells, &mut covered, range)?;
    }
    let size = cells.keys().fold((1, 1), |(r, c), (row, column)| (r.max(*row), c.max(*column)));
    Ok(Sheet { name, part: part.to_owned(), cells, covered, size })
}

fn cover(cells: &mut Cells, under: &mut Cells, range: Range) -> Result<(), OfficeError> {
    // A sheet has 17 billion cells.
    budget::spend(Cost::Cells, range.area())?;
    for at in range.cells().skip(1) {
        let covered = Cell { stored: Stored::Empty, content: Content::None, style: 0, merged: true };
        if let Some(cell) = cells.insert(at, covered) {
            under.entry(at).or_insert(cell);
        }
    }
    Ok(())
}

fn read_cell(node: Node, shared: &[String], styles: &Styles) -> Result<Cell, OfficeError> {
    let style: usize = node.attribute("s").and_then(|s| s.parse().ok()).unwrap_or(0);
    if !styles.has(style) {
        return Err(OfficeError::unreadable(format!("the workbook has no style {style}")));
    }
    let child = |name: &str| node.children().find(|child| child.has_tag_name((MAIN, name)));
    let text = child("v").and_then(|v| v.text()).filter(|text| !text.is_empty());
    let kind = node.attribute("t").unwrap_or("n");
    let bad =
        |what: &str| OfficeError::unreadable(format!("cell {}: {what}", node.attribute("r").unwrap_or("?")));
    let stored = match (kind, text) {
        ("inlineStr", _) => child("is").map_or(Stored::Empty, |item| Stored::Text(item_text(item))),
        (_, None) => Stored::Empty,
        ("d", Some(_)) => return Err(OfficeError::Unsupported("a day that is written as text".into())),
        ("n", Some(_)) if styles.is_duration(style) => {
            return Err(OfficeError::Unsupported("a length of time in a cell".into()));
        }
        ("n", Some(text)) => {
            let number = text.trim().parse().map_err(|_| bad("no number"))?;
            if styles.is_date(style) { Stored::Date(number) } else { Stored::Number(number) }
        }
        ("s", Some(text)) => {
            let at: usize = text.trim().parse().map_err(|_| bad("no string number"))?;
            Stored::Text(shared.get(at).cloned().ok_or_else(|| bad("no such string"))?)
        }
        ("b", Some(text)) => Stored::Truth(text.trim() != "0"),
        ("e", Some(text)) => Stored::Error(text.to_owned()),
        (_, Some(text)) => Stored::Text(text.to_owned()),
    };
    let content = match (&stored, child("f").is_some()) {
        (_, true) => Content::Formula,
        (Stored::Empty, false) => Content::None,
        (Stored::Number(_), false) => Content::Number,
        _ => Content::Other,
    };
    Ok(Cell { stored, content, style, merged: false })
}
