//! `utils.py`: `load_charts`, on what `openpyxl` reads of a chart.

use roxmltree::Node;
use serde_json::{Map, Value, json};

use super::super::package::{R, parse};
use super::{Book, Sheet};
use crate::fault::{OsworldFault, Result};

const C: &str = "http://schemas.openxmlformats.org/drawingml/2006/chart";
const A: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
const XDR: &str = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing";

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.is_element() && n.tag_name().name() == name)
}

fn down<'a, 'i>(node: Node<'a, 'i>, path: &[&str]) -> Option<Node<'a, 'i>> {
    path.iter().try_fold(node, |node, name| child(node, name))
}

fn val<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name).map(|n| n.attribute("val").unwrap_or_default())
}

/// The charts of a sheet by their data, with the asked properties.
pub(crate) fn charts(book: &Book, sheet: &Sheet, properties: &[&str]) -> Result<Value> {
    let mut found = Map::new();
    for drawing in book.package.targets(&sheet.part, "drawing")? {
        let document = parse(&drawing, book.package.text(&drawing)?)?;
        let relations = book.package.relations(&drawing)?;
        for kind in ["absoluteAnchor", "oneCellAnchor", "twoCellAnchor"] {
            let anchors = document.root_element().children().filter(|n| n.has_tag_name((XDR, kind)));
            for anchor in anchors {
                let Some(chart) = anchor.descendants().find(|n| n.has_tag_name((C, "chart"))) else {
                    continue;
                };
                let id = chart.attribute((R, "id")).unwrap_or_default();
                let Some(relation) = relations.iter().find(|r| r.id == id) else { continue };
                let xml = parse(&relation.target, book.package.text(&relation.target)?)?;
                let (source, info) = read(xml.root_element(), anchor, properties)?;
                found.insert(source, info);
            }
        }
    }
    Ok(Value::Object(found))
}

fn read(space: Node, anchor: Node, properties: &[&str]) -> Result<(String, Value)> {
    let whole = child(space, "chart").ok_or_else(|| OsworldFault::raised("a chart has no chart"))?;
    let area = child(whole, "plotArea").ok_or_else(|| OsworldFault::raised("a chart has no area"))?;
    let first = area.children().find(|n| n.is_element() && n.tag_name().name().ends_with("Chart"));
    let chart = first.ok_or_else(|| OsworldFault::raised("a chart shows nothing"))?;
    let formula = |series: Node, from: &str, kinds: &[&str]| {
        let source = child(series, from);
        let found = source.and_then(|source| kinds.iter().find_map(|kind| down(source, &[kind, "f"])));
        found.and_then(|f| f.text()).unwrap_or_default().to_owned()
    };
    let series = chart.children().filter(|n| n.has_tag_name((C, "ser"))).map(|series| {
        format!("{},{}", formula(series, "val", &["numRef"]), formula(series, "cat", &["numRef", "strRef"]))
    });
    let source = series.collect::<Vec<_>>().join(";");
    let mut info = Map::new();
    for property in properties {
        let value = match *property {
            "title" => title(whole),
            "legend" => child(whole, "legend")
                .map_or(Value::Null, |legend| Value::from(val(legend, "legendPos").unwrap_or("r"))),
            "anchor" => place(anchor)?,
            // These are never read from the file.
            "width" => json!(15),
            "height" => json!(7.5),
            "type" => Value::from(chart.tag_name().name()),
            "direction" if chart.tag_name().name().starts_with("bar") => {
                Value::from(val(chart, "barDir").unwrap_or("col"))
            }
            "direction" => {
                return Err(OsworldFault::raised("a chart that is not a bar chart has no direction"));
            }
            "xtitle" => axis(area, chart, 0).map_or(Value::Null, title),
            "ytitle" => axis(area, chart, 1).map_or(Value::Null, title),
            "ztitle" => axis(area, chart, 2).map_or(Value::Null, title),
            _ => continue,
        };
        info.insert((*property).to_owned(), value);
    }
    Ok((source, Value::Object(info)))
}

/// The first run of the first paragraph; a paragraph without runs has an empty one.
fn title(of: Node) -> Value {
    let Some(rich) = down(of, &["title", "tx", "rich"]) else { return Value::Null };
    let Some(paragraph) = rich.children().find(|n| n.has_tag_name((A, "p"))) else { return Value::Null };
    match down(paragraph, &["r", "t"]) {
        Some(text) => text.text().map_or(Value::Null, Value::from),
        None => Value::from(""),
    }
}

fn axis<'a, 'i>(area: Node<'a, 'i>, chart: Node<'a, 'i>, which: usize) -> Option<Node<'a, 'i>> {
    let ids: Vec<&str> =
        chart.children().filter(|n| n.has_tag_name((C, "axId"))).filter_map(|n| n.attribute("val")).collect();
    let of = |id: &str| {
        area.children()
            .find(|n| n.is_element() && n.tag_name().name().ends_with("Ax") && val(*n, "axId") == Some(id))
    };
    if matches!(chart.tag_name().name(), "scatterChart" | "bubbleChart") {
        return of(ids.get(which)?);
    }
    let names: &[&str] = [&["catAx", "dateAx"][..], &["valAx"], &["serAx"]].get(which)?;
    ids.iter().filter_map(|id| of(id)).rfind(|n| names.contains(&n.tag_name().name()))
}

fn place(anchor: Node) -> Result<Value> {
    if !anchor.has_tag_name((XDR, "twoCellAnchor")) {
        return Err(OsworldFault::raised("a chart is not held by two cells"));
    }
    let cell = |end: &str, what: &str| -> i64 {
        down(anchor, &[end, what])
            .and_then(|n| n.text())
            .and_then(|t| t.trim().parse().ok())
            .unwrap_or_default()
    };
    let edit = anchor.attribute("editAs").map_or(Value::Null, Value::from);
    // The row of the end stands where the row of the start is meant.
    Ok(json!([edit, cell("from", "col"), cell("to", "row"), cell("to", "col"), cell("to", "row")]))
}
