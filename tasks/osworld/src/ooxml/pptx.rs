//! Presentations, as `python-pptx` reads them. Lengths are EMU, 914,400 to the inch.

use std::path::Path;

use roxmltree::Node;

use super::package::{Package, R, parse};
use crate::fault::{OsworldFault, Result};

/// The namespace of text and graphics.
pub const A: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
pub const P: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";
const PART: &str = "ppt/presentation.xml";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlideRun {
    pub name: Option<String>,
    pub size: Option<i64>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    /// Underline: `sng`, `none`, …
    pub underline: Option<String>,
    /// Struck through: `sngStrike`, …
    pub strike: Option<String>,
    /// Colour as six digits, where it is given by digits.
    pub color: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Paragraph {
    /// Its text; a line break is a vertical tabulator.
    pub text: String,
    /// `l`, `ctr`, …
    pub alignment: Option<String>,
    pub level: i64,
    pub runs: Vec<SlideRun>,
    pub color: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ShapeKind {
    AutoShape,
    Chart,
    Freeform,
    Group,
    Line,
    Picture,
    Placeholder,
    Media,
    TextBox,
    Table,
    /// One that is not compared by its number.
    #[default]
    Other,
    /// One that the library does not know, and raises an error for.
    Unknown,
}

/// Left, top, width, height, each where it is given.
pub type ShapeRect = [Option<i64>; 4];

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SlideShape {
    pub kind: ShapeKind,
    pub frame: ShapeRect,
    pub text: Option<Vec<Paragraph>>,
    pub table: Vec<Vec<Vec<Paragraph>>>,
    pub columns: usize,
    pub inner: Vec<SlideShape>,
    pub picture: Option<String>,
}

impl SlideShape {
    pub fn text(&self) -> Option<String> {
        let paragraphs = self.text.as_ref()?;
        Some(paragraphs.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("\n"))
    }
}

/// What is behind a slide, by the numbers of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fill {
    /// 1: a colour by digits; nothing where it is given otherwise.
    Solid(Option<String>),
    /// 5: nothing of its own.
    Background,
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Slide {
    pub part: String,
    pub shapes: Vec<SlideShape>,
    pub fill: Fill,
    pub master_fill: Fill,
    /// Its notes; empty where it has none.
    pub notes: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Presentation {
    pub package: Package,
    pub slides: Vec<Slide>,
    pub size: (i64, i64),
    pub masters: Vec<String>,
}

fn child<'a, 'i>(node: Node<'a, 'i>, space: &str, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.has_tag_name((space, name)))
}

fn number(node: Option<Node>, attribute: &str) -> Option<i64> {
    node?.attribute(attribute)?.parse().ok()
}

fn truth(text: &str) -> bool {
    matches!(text, "1" | "true" | "on")
}

impl Presentation {
    /// What the library makes where no file is named: no slides, of its own size.
    pub fn blank() -> Self {
        Self {
            package: Package::default(),
            slides: Vec::new(),
            size: (9_144_000, 6_858_000),
            masters: Vec::new(),
        }
    }

    pub fn open(path: &Path) -> Result<Self> {
        let package = Package::open(path)?;
        package.check(PART)?;
        let relations = package.relations(PART)?;
        let document = parse(PART, package.text(PART)?)?;
        let root = document.root_element();
        let listed = |list: &str, item: &str| -> Vec<String> {
            let all = child(root, P, list).into_iter().flat_map(|list| list.children());
            all.filter(|n| n.has_tag_name((P, item)))
                .filter_map(|n| n.attribute((R, "id")))
                .filter_map(|id| relations.iter().find(|r| r.id == id).map(|r| r.target.clone()))
                .collect()
        };
        let slides = listed("sldIdLst", "sldId");
        let slides = slides.iter().map(|part| slide(&package, part)).collect::<Result<_, _>>()?;
        let size = child(root, P, "sldSz");
        let size = number(size, "cx").zip(number(size, "cy"));
        let size = size.ok_or_else(|| OsworldFault::Unsupported("a presentation without a size".into()))?;
        let masters = listed("sldMasterIdLst", "sldMasterId");
        Ok(Self { slides, size, masters, package })
    }
}

/// Refuses values that `python-pptx` does not know, which raise once they are asked for.
fn check_values(root: Node) -> Result<()> {
    let underlines = "none words sng dbl heavy dotted dottedHeavy dash dashHeavy dashLong dashLongHeavy dotDash \
                      dotDashHeavy dotDotDash dotDotDashHeavy wavy wavyHeavy wavyDbl";
    let alignments = "l ctr r just justLow dist thaiDist";
    for node in root.descendants().filter(|n| n.tag_name().namespace() == Some(A)) {
        let known = |name: &str, all: &str| {
            node.attribute(name).is_none_or(|value| all.split(' ').any(|one| one == value))
        };
        let switch = "0 1 true false";
        let whole = |name: &str| node.attribute(name).is_none_or(|value| value.parse::<i64>().is_ok());
        let fine = match node.tag_name().name() {
            "rPr" => known("u", underlines) && known("b", switch) && known("i", switch) && whole("sz"),
            "pPr" => known("algn", alignments) && whole("lvl"),
            "r" => child(node, A, "t").is_some(),
            _ => true,
        };
        if !fine {
            return Err(OsworldFault::Unsupported(format!(
                "the value of a '{}' of a slide",
                node.tag_name().name()
            )));
        }
    }
    Ok(())
}

fn target(package: &Package, part: &str, kind: &str) -> Result<Option<String>> {
    Ok(package.targets(part, kind)?.into_iter().next())
}

fn slide(package: &Package, part: &str) -> Result<Slide> {
    let document = parse(part, package.text(part)?)?;
    let layout = target(package, part, "slideLayout")?;
    let master = if let Some(layout) = &layout { target(package, layout, "slideMaster")? } else { None };
    check_values(document.root_element())?;
    let places = places(package, layout.as_deref(), master.as_deref())?;
    let relations = package.relations(part)?;
    let picture = |id: &str| relations.iter().find(|r| r.id == id).map(|r| r.target.clone());
    let tree = document.descendants().find(|n| n.has_tag_name((P, "spTree")));
    let tree = tree.ok_or_else(|| OsworldFault::raised(format!("{part} has no shapes")))?;
    let master_fill = match &master {
        Some(master) => fill(parse(master, package.text(master)?)?.root_element()),
        None => Fill::Background,
    };
    let notes = match target(package, part, "notesSlide")? {
        Some(notes) => notes_text(&notes, package.text(&notes)?)?,
        None => Some(String::new()),
    };
    Ok(Slide {
        part: part.to_owned(),
        shapes: shapes(tree, &places, &picture),
        fill: fill(document.root_element()),
        master_fill,
        notes,
    })
}

type Places = Vec<(i64, ShapeRect)>;

fn places(package: &Package, layout: Option<&str>, master: Option<&str>) -> Result<Places> {
    let Some(layout) = layout else { return Ok(Vec::new()) };
    let mut of_master: Vec<(String, ShapeRect)> = Vec::new();
    if let Some(master) = master {
        let document = parse(master, package.text(master)?)?;
        for node in document.descendants().filter(|n| n.has_tag_name((P, "sp"))) {
            if let Some(holder) = placeholder(node) {
                of_master.push((holder.attribute("type").unwrap_or("obj").to_owned(), frame(node)));
            }
        }
    }
    let document = parse(layout, package.text(layout)?)?;
    let mut found = Vec::new();
    for node in document.descendants().filter(|n| n.has_tag_name((P, "sp"))) {
        let Some(holder) = placeholder(node) else { continue };
        let base = match holder.attribute("type").unwrap_or("obj") {
            kind @ ("dt" | "ftr" | "sldNum") => kind,
            "ctrTitle" | "title" => "title",
            _ => "body",
        };
        let under = of_master.iter().find(|(kind, _)| kind == base).map_or([None; 4], |(_, frame)| *frame);
        found.push((number(Some(holder), "idx").unwrap_or(0), over(frame(node), under)));
    }
    Ok(found)
}

fn over(own: ShapeRect, under: ShapeRect) -> ShapeRect {
    let mut all = own;
    for (own, under) in all.iter_mut().zip(under) {
        *own = own.or(under);
    }
    all
}

fn placeholder<'a, 'i>(node: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    let head = node.children().find(|n| n.is_element() && n.tag_name().name().starts_with("nv"))?;
    child(child(head, P, "nvPr")?, P, "ph")
}

fn frame(node: Node) -> ShapeRect {
    let xfrm = child(node, P, "xfrm").or_else(|| {
        let properties = child(node, P, "spPr").or_else(|| child(node, P, "grpSpPr"))?;
        child(properties, A, "xfrm")
    });
    let (off, ext) = (xfrm.and_then(|n| child(n, A, "off")), xfrm.and_then(|n| child(n, A, "ext")));
    [number(off, "x"), number(off, "y"), number(ext, "cx"), number(ext, "cy")]
}

fn shapes(tree: Node, places: &Places, picture: &dyn Fn(&str) -> Option<String>) -> Vec<SlideShape> {
    let known = ["sp", "grpSp", "graphicFrame", "cxnSp", "pic", "contentPart"];
    let all = tree
        .children()
        .filter(|n| n.tag_name().namespace() == Some(P) && known.contains(&n.tag_name().name()));
    all.map(|node| shape(node, places, picture)).collect()
}

fn shape(node: Node, places: &Places, picture: &dyn Fn(&str) -> Option<String>) -> SlideShape {
    let holder = placeholder(node);
    let under = holder.and_then(|holder| {
        let idx = number(Some(holder), "idx").unwrap_or(0);
        places.iter().find(|(known, _)| *known == idx).map(|(_, frame)| *frame)
    });
    let mut found =
        SlideShape { frame: over(frame(node), under.unwrap_or([None; 4])), ..SlideShape::default() };
    match node.tag_name().name() {
        "sp" => {
            let properties = child(node, P, "spPr");
            let has = |name: &str| properties.is_some_and(|p| child(p, A, name).is_some());
            let head = child(node, P, "nvSpPr").and_then(|n| child(n, P, "cNvSpPr"));
            let text_box = head.and_then(|n| n.attribute("txBox")).is_some_and(truth);
            found.kind = match () {
                () if holder.is_some() => ShapeKind::Placeholder,
                () if has("custGeom") => ShapeKind::Freeform,
                () if has("prstGeom") && !text_box => ShapeKind::AutoShape,
                () if text_box => ShapeKind::TextBox,
                () => ShapeKind::Unknown,
            };
            // A frame that has no text is given an empty paragraph.
            found.text = Some(match child(node, P, "txBody") {
                Some(body) => paragraphs(body),
                None => vec![Paragraph::default()],
            });
        }
        "grpSp" => {
            found.kind = ShapeKind::Group;
            found.inner = shapes(node, &Vec::new(), picture);
        }
        "cxnSp" => found.kind = ShapeKind::Line,
        "pic" => {
            let video = node.descendants().any(|n| n.has_tag_name((A, "videoFile")));
            found.kind = match () {
                () if holder.is_some() => ShapeKind::Placeholder,
                () if video => ShapeKind::Media,
                () => ShapeKind::Picture,
            };
            let blip = node.descendants().find(|n| n.has_tag_name((A, "blip")));
            found.picture = blip.and_then(|n| n.attribute((R, "embed"))).and_then(picture);
        }
        "graphicFrame" => {
            let data = node.descendants().find(|n| n.has_tag_name((A, "graphicData")));
            let uri = data.and_then(|n| n.attribute("uri")).unwrap_or_default();
            found.kind = match uri.rsplit('/').next() {
                Some("chart") => ShapeKind::Chart,
                Some("table") => ShapeKind::Table,
                _ => ShapeKind::Other,
            };
            if let Some(table) = data.and_then(|n| child(n, A, "tbl")) {
                let grid = child(table, A, "tblGrid").into_iter().flat_map(|grid| grid.children());
                found.columns = grid.filter(|n| n.has_tag_name((A, "gridCol"))).count();
                let rows = table.children().filter(|n| n.has_tag_name((A, "tr")));
                found.table = rows
                    .map(|row| {
                        let cells = row.children().filter(|n| n.has_tag_name((A, "tc")));
                        cells
                            .map(|cell| {
                                child(cell, A, "txBody")
                                    .map_or_else(|| vec![Paragraph::default()], paragraphs)
                            })
                            .collect()
                    })
                    .collect();
            }
        }
        _ => {}
    }
    found
}

fn paragraphs(body: Node) -> Vec<Paragraph> {
    body.children().filter(|n| n.has_tag_name((A, "p"))).map(paragraph).collect()
}

fn paragraph(node: Node) -> Paragraph {
    let content = |n: Node| -> String {
        let text = |n: Node| child(n, A, "t").and_then(|t| t.text()).unwrap_or_default().to_owned();
        match n.tag_name().name() {
            "r" | "fld" => text(n),
            "br" => "\u{b}".to_owned(),
            _ => String::new(),
        }
    };
    let properties = child(node, A, "pPr");
    Paragraph {
        text: node.children().filter(|n| n.tag_name().namespace() == Some(A)).map(content).collect(),
        alignment: properties.and_then(|p| p.attribute("algn")).map(str::to_owned),
        level: number(properties, "lvl").unwrap_or(0),
        runs: node.children().filter(|n| n.has_tag_name((A, "r"))).map(run).collect(),
        color: properties.and_then(|p| child(p, A, "defRPr")).and_then(solid),
    }
}

fn solid(node: Node) -> Option<String> {
    let color = child(child(node, A, "solidFill")?, A, "srgbClr")?;
    color.attribute("val").map(str::to_uppercase)
}

fn run(node: Node) -> SlideRun {
    let properties = child(node, A, "rPr");
    let of = |name: &str| properties.and_then(|p| p.attribute(name));
    SlideRun {
        name: properties
            .and_then(|p| child(p, A, "latin"))
            .and_then(|n| n.attribute("typeface"))
            .map(str::to_owned),
        size: of("sz").and_then(|size| size.parse().ok()),
        bold: of("b").map(truth),
        italic: of("i").map(truth),
        underline: of("u").map(str::to_owned),
        strike: of("strike").map(str::to_owned),
        color: properties.and_then(solid),
    }
}

/// What is behind; a reference to the theme is nothing of its own, for the library takes it away.
fn fill(root: Node) -> Fill {
    let data = root.children().find(|n| n.has_tag_name((P, "cSld")));
    let properties = data.and_then(|n| child(n, P, "bg")).and_then(|n| child(n, P, "bgPr"));
    let Some(properties) = properties else { return Fill::Background };
    if child(properties, A, "solidFill").is_some() {
        return Fill::Solid(solid(properties));
    }
    if child(properties, A, "noFill").is_some() { Fill::Background } else { Fill::Other }
}

fn notes_text(part: &str, text: &str) -> Result<Option<String>> {
    let document = parse(part, text)?;
    let bodies = document.descendants().filter(|n| n.has_tag_name((P, "sp")));
    let body = bodies
        .filter(|n| placeholder(*n).is_some_and(|holder| holder.attribute("type") == Some("body")))
        .find_map(|n| child(n, P, "txBody"));
    Ok(body.map(|body| paragraphs(body).iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("\n")))
}

pub(crate) fn part_shapes(package: &Package, part: &str) -> Result<Vec<SlideShape>> {
    let document = parse(part, package.text(part)?)?;
    let tree = document.descendants().find(|n| n.has_tag_name((P, "spTree")));
    Ok(tree.map(|tree| shapes(tree, &Vec::new(), &|_| None)).unwrap_or_default())
}
