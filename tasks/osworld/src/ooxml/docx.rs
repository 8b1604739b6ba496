//! Text documents, as `python-docx` reads them.

use std::path::Path;

use roxmltree::Node;

use super::budget::{self, Cost};
use super::package::{Package, R, parse};
use crate::fault::{OsworldFault, Result};

pub use waldo_office::document::W;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spacing {
    Multiple(f64),
    /// A fixed height in twentieths of a point.
    Fixed(i64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TabStop {
    /// `left`, `center`, `clear`, …
    pub alignment: String,
    /// Twentieths of a point from the margin.
    pub position: i64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub text: String,
    pub font: Option<String>,
    pub size: Option<f64>,
    /// Slanted by itself, not by its style.
    pub italic: bool,
    pub strike: bool,
    pub subscript: bool,
    pub color: Option<String>,
    pub page_breaks: usize,
    pub object: bool,
    pub graphic: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paragraph {
    pub text: String,
    pub runs: Vec<Run>,
    pub spacing: Option<Spacing>,
    /// `left`, `center`, …
    pub alignment: Option<String>,
    pub tabs: Vec<TabStop>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocxTable {
    pub rows: usize,
    pub columns: usize,
    /// The cells of the grid row by row; a cell that spans several stands in each.
    pub cells: Vec<Vec<Paragraph>>,
}

impl DocxTable {
    pub fn text(&self, row: usize, column: usize) -> Option<String> {
        let paragraphs = self.cells.get(row * self.columns + column)?;
        Some(paragraphs.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("\n"))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Width between the margins, in twentieths of a point; nothing where a part of it is not given.
    pub width: Option<i64>,
    pub footer: Option<Vec<Paragraph>>,
}

#[derive(Clone, Debug)]
pub struct Document {
    /// The paragraphs of the body, outside of tables.
    pub paragraphs: Vec<Paragraph>,
    pub tables: Vec<DocxTable>,
    pub sections: Vec<Section>,
    pub pictures: Vec<Vec<u8>>,
}

impl Document {
    pub fn open(path: &Path) -> Result<Self> {
        let package = Package::open(path)?;
        let part = package.targets("", "officeDocument")?.into_iter().next();
        let part = part.ok_or_else(|| OsworldFault::raised("the package has no document"))?;
        package.check(&part)?;
        let xml = parse(&part, package.text(&part)?)?;
        let body = child(xml.root_element(), "body");
        let body = body.ok_or_else(|| OsworldFault::Unsupported("a document without a body".into()))?;
        check_values(body)?;
        let paragraphs = body.children().filter(|n| n.has_tag_name((W, "p"))).map(paragraph).collect();
        let tables = body.children().filter(|n| n.has_tag_name((W, "tbl")));
        let tables = tables.map(table).collect::<Result<_, _>>()?;
        let relations = package.relations(&part)?;
        let mut sections: Vec<Section> = Vec::new();
        for node in body.descendants().filter(|n| n.has_tag_name((W, "sectPr"))) {
            let mut footers = node.children().filter(|n| n.has_tag_name((W, "footerReference")));
            let own = footers.find(|n| matches!(n.attribute((W, "type")), None | Some("default")));
            let own = own.and_then(|n| n.attribute((R, "id")));
            let own = own.and_then(|id| relations.iter().find(|r| r.id == id));
            let footer = match own {
                Some(relation) => Some(footer(&package, &relation.target)?),
                None => sections.last().and_then(|before| before.footer.clone()),
            };
            budget::spend(Cost::Cells, footer.as_deref().map_or(1, weight))?;
            let number = |name: &str, attribute: &str| -> Option<i64> {
                child(node, name)?.attribute((W, attribute))?.parse().ok()
            };
            let margins = number("pgMar", "left").zip(number("pgMar", "right"));
            let width = number("pgSz", "w").zip(margins).map(|(width, (left, right))| width - left - right);
            sections.push(Section { width, footer });
        }
        let pictures = relations.iter().filter(|r| r.kind.contains("image") && !r.external);
        let pictures = pictures.filter_map(|r| package.bytes(&r.target).map(<[u8]>::to_vec)).collect();
        Ok(Self { paragraphs, tables, sections, pictures })
    }

    pub fn texts(&self) -> Vec<&str> {
        self.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect()
    }
}

/// Refuses values that `python-docx` reads in a way of its own, or not at all once they are asked for: lengths
/// with units, and switches that are neither on nor off.
fn check_values(body: Node) -> Result<()> {
    for node in body.descendants().filter(|n| n.tag_name().namespace() == Some(W)) {
        let (lengths, switch): (&[&str], bool) = match node.tag_name().name() {
            "spacing" => (&["line"], false),
            "tab" => (&["pos"], false),
            "sz" => (&["val"], false),
            "pgSz" => (&["w"], false),
            "pgMar" => (&["left", "right"], false),
            "i" | "strike" => (&[], true),
            _ => continue,
        };
        let odd = |name: &&&str| node.attribute((W, **name)).is_some_and(|text| text.parse::<i64>().is_err());
        let val = node.attribute((W, "val"));
        let known = matches!(val, None | Some("0" | "1" | "true" | "false" | "on" | "off"));
        if lengths.iter().any(|name| odd(&name)) || (switch && !known) {
            return Err(OsworldFault::Unsupported(format!(
                "the value of a '{}' in a document",
                node.tag_name().name()
            )));
        }
    }
    Ok(())
}

fn footer(package: &Package, part: &str) -> Result<Vec<Paragraph>> {
    let xml = parse(part, package.text(part)?)?;
    Ok(xml.root_element().children().filter(|n| n.has_tag_name((W, "p"))).map(paragraph).collect())
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.has_tag_name((W, name)))
}

fn val<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.attribute((W, "val"))
}

fn paragraph(node: Node) -> Paragraph {
    let runs = node.children().filter(|n| n.has_tag_name((W, "r")));
    let text = node.children().map(|n| match n.tag_name().name() {
        "r" if n.has_tag_name((W, "r")) => run_text(n),
        "hyperlink" => n.children().filter(|r| r.has_tag_name((W, "r"))).map(run_text).collect(),
        _ => String::new(),
    });
    let properties = child(node, "pPr");
    let tabs = properties.and_then(|p| child(p, "tabs")).into_iter().flat_map(|tabs| tabs.children());
    let tabs = tabs.filter(|n| n.has_tag_name((W, "tab"))).map(|n| TabStop {
        alignment: n.attribute((W, "val")).unwrap_or("left").to_owned(),
        position: n.attribute((W, "pos")).and_then(|p| p.parse().ok()).unwrap_or_default(),
    });
    Paragraph {
        text: text.collect(),
        runs: runs.map(run).collect(),
        spacing: properties.and_then(|p| child(p, "spacing")).and_then(spacing),
        alignment: properties.and_then(|p| val(p, "jc")).map(str::to_owned),
        tabs: tabs.collect(),
    }
}

fn spacing(node: Node) -> Option<Spacing> {
    let line: f64 = node.attribute((W, "line"))?.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "heights are small")]
    Some(match node.attribute((W, "lineRule")) {
        None | Some("auto") => Spacing::Multiple(line / 240.0),
        Some(_) => Spacing::Fixed(line.round() as i64),
    })
}

fn run_text(node: Node) -> String {
    let part = |n: Node| match n.tag_name().name() {
        "t" => n.text().unwrap_or_default().to_owned(),
        "tab" | "ptab" => "\t".to_owned(),
        "cr" => "\n".to_owned(),
        "noBreakHyphen" => "-".to_owned(),
        "br" if matches!(n.attribute((W, "type")), None | Some("textWrapping")) => "\n".to_owned(),
        _ => String::new(),
    };
    node.children().filter(|n| n.tag_name().namespace() == Some(W)).map(part).collect()
}

fn run(node: Node) -> Run {
    let properties = child(node, "rPr");
    let of = |name: &str| properties.and_then(|p| child(p, name));
    let on = |name: &str| {
        of(name).is_some_and(|n| !matches!(n.attribute((W, "val")), Some("0" | "false" | "off")))
    };
    let page = |n: &Node| n.has_tag_name((W, "br")) && n.attribute((W, "type")) == Some("page");
    Run {
        text: run_text(node),
        font: of("rFonts").and_then(|n| n.attribute((W, "ascii"))).map(str::to_owned),
        size: properties.and_then(|p| val(p, "sz")).and_then(|size| size.parse().ok()),
        italic: on("i"),
        strike: on("strike"),
        subscript: properties.and_then(|p| val(p, "vertAlign")) == Some("subscript"),
        color: properties.and_then(|p| val(p, "color")).filter(|c| *c != "auto").map(str::to_owned),
        page_breaks: node.descendants().filter(page).count(),
        object: node.descendants().any(|n| n.has_tag_name((W, "object"))),
        graphic: node.descendants().any(|n| n.tag_name().name() == "graphicData"),
    }
}

/// What a copy of paragraphs costs, in cells.
fn weight(paragraphs: &[Paragraph]) -> u64 {
    paragraphs.iter().fold(1, |sum, one| sum + 1 + (one.runs.len() + one.text.len() / 16) as u64)
}

fn table(node: Node) -> Result<DocxTable> {
    let grid = child(node, "tblGrid").into_iter().flat_map(|grid| grid.children());
    let columns = grid.filter(|n| n.has_tag_name((W, "gridCol"))).count();
    let rows: Vec<Node> = node.children().filter(|n| n.has_tag_name((W, "tr"))).collect();
    let mut cells: Vec<Vec<Paragraph>> = Vec::new();
    for cell in rows.iter().flat_map(|row| row.children()).filter(|n| n.has_tag_name((W, "tc"))) {
        let properties = child(cell, "tcPr");
        let span: usize =
            properties.and_then(|p| val(p, "gridSpan")).and_then(|s| s.parse().ok()).unwrap_or(1);
        let merge = properties.and_then(|p| child(p, "vMerge"));
        let continued = merge.is_some_and(|m| m.attribute((W, "val")).unwrap_or("continue") == "continue");
        for _ in 0..span.clamp(1, 10_000) {
            let above = cells.len().checked_sub(columns);
            if continued && above.is_none() {
                return Err(OsworldFault::Unsupported(
                    "a first row of a table that goes on with what is above".into(),
                ));
            }
            let content = match above.filter(|_| continued).and_then(|at| cells.get(at)) {
                Some(above) => above.clone(),
                None => cell.children().filter(|n| n.has_tag_name((W, "p"))).map(paragraph).collect(),
            };
            budget::spend(Cost::Cells, weight(&content))?;
            cells.push(content);
        }
    }
    Ok(DocxTable { rows: rows.len(), columns, cells })
}
