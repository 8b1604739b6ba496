//! `utils.py`: `load_filters` and `load_rows_or_cols`, and the checks of a sheet's view.

use std::collections::BTreeSet;

use roxmltree::Node;
use serde_json::{Map, Value, json};

use super::MAIN;
use super::{Book, Sheet};
use crate::fault::{OsworldFault, Result};
use crate::ooxml::range::column_name;

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.has_tag_name((MAIN, name)))
}

fn text(node: Node, name: &str) -> Value {
    node.attribute(name).map_or(Value::Null, Value::from)
}

fn flag(node: Node, name: &str, default: &str) -> Value {
    Value::Bool(!matches!(node.attribute(name).unwrap_or(default), "0" | "false" | "f"))
}

fn number(node: Node, name: &str) -> Value {
    node.attribute(name).and_then(|text| text.parse::<f64>().ok()).map_or(Value::Null, Value::from)
}

pub fn filters(book: &Book, sheet: &Sheet) -> Result<Value> {
    let document = book.xml(sheet)?;
    let Some(filter) = child(document.root_element(), "autoFilter") else {
        return Ok(json!({ "ref": null, "filter_column": [] }));
    };
    let mut columns: Vec<(i64, Value)> = filter
        .children()
        .filter(|n| n.has_tag_name((MAIN, "filterColumn")))
        .map(|column| {
            let id = column.attribute("colId").and_then(|id| id.parse().ok()).unwrap_or_default();
            let mut found = Map::new();
            found.insert("col_id".into(), json!(id));
            found.insert("hidden_button".into(), flag(column, "hiddenButton", "0"));
            found.insert("show_button".into(), flag(column, "showButton", "1"));
            if let Some(list) = child(column, "filters") {
                let values = list.children().filter(|n| n.has_tag_name((MAIN, "filter")));
                let values: BTreeSet<&str> = values.filter_map(|n| n.attribute("val")).collect();
                let blank = list.attribute("blank").map_or(Value::Null, |_| flag(list, "blank", "0"));
                found.insert("filters_blank".into(), blank);
                found.insert("filters".into(), json!(values));
            }
            if let Some(list) = child(column, "customFilters") {
                let values = list.children().filter(|n| n.has_tag_name((MAIN, "customFilter")));
                let values: BTreeSet<(&str, &str)> = values
                    .map(|n| {
                        (n.attribute("operator").unwrap_or("equal"), n.attribute("val").unwrap_or_default())
                    })
                    .collect();
                found.insert("custom_filters_op".into(), flag(list, "and", "0"));
                found.insert("custom_filters".into(), json!(values));
            }
            (id, Value::Object(found))
        })
        .collect();
    columns.sort_by_key(|(id, _)| *id);
    let columns: Vec<Value> = columns.into_iter().map(|(_, column)| column).collect();
    let mut found = json!({ "ref": text(filter, "ref"), "filter_column": columns });
    if let Some(sort) = child(filter, "sortState") {
        let conditions: Vec<Value> = sort
            .children()
            .filter(|n| n.has_tag_name((MAIN, "sortCondition")))
            .map(|n| {
                json!({
                    "descending": flag(n, "descending", "0"), "key": text(n, "sortBy"), "ref": text(n, "ref"),
                    "custom_list": text(n, "customList"), "dxf_id": text(n, "dxfId"),
                    "icon": text(n, "iconSet"), "iconid": text(n, "iconId"),
                })
            })
            .collect();
        found["sort_state"] = json!({
            "sort": flag(sort, "columnSort", "0"), "case": flag(sort, "caseSensitive", "0"),
            "method": text(sort, "sortMethod"), "ref": text(sort, "ref"), "condition": conditions,
        });
    }
    Ok(found)
}

pub fn rows(book: &Book, sheet: &Sheet, properties: &[&str]) -> Result<Value> {
    let document = book.xml(sheet)?;
    let mut found = Map::new();
    let mut at = 0;
    for row in document.descendants().filter(|n| n.has_tag_name((MAIN, "row"))) {
        at = row.attribute("r").and_then(|r| r.parse().ok()).unwrap_or(at + 1);
        let plain = |name: &str| name == "r" || name == "spans";
        if row.attributes().all(|a| a.namespace().is_some() || plain(a.name())) {
            continue;
        }
        let info = properties.iter().map(|property| {
            let value = match *property {
                "hidden" | "collapsed" => flag(row, property, "0"),
                "height" | "ht" => number(row, "ht"),
                "outlineLevel" | "outline_level" => {
                    return Err(OsworldFault::Unsupported(format!("'{property}' of rows")));
                }
                other => return Err(OsworldFault::raised(format!("rows have no '{other}'"))),
            };
            Ok(((*property).to_owned(), value))
        });
        found.insert(at.to_string(), Value::Object(info.collect::<Result<_>>()?));
    }
    Ok(Value::Object(found))
}

pub fn columns(book: &Book, sheet: &Sheet, properties: &[&str]) -> Result<Value> {
    let document = book.xml(sheet)?;
    let mut found = Map::new();
    for column in document.descendants().filter(|n| n.has_tag_name((MAIN, "col"))) {
        let first = column.attribute("min").and_then(|min| min.parse().ok()).unwrap_or(1);
        let info = properties.iter().map(|property| {
            let value = match *property {
                "hidden" | "collapsed" => flag(column, property, "0"),
                "auto_size" => flag(column, "bestFit", "0"),
                "width" => match number(column, "width") {
                    Value::Null => json!(13.0),
                    width => width,
                },
                "min" | "max" => number(column, property),
                "bestFit" | "outlineLevel" | "outline_level" => {
                    return Err(OsworldFault::Unsupported(format!("'{property}' of columns")));
                }
                other => return Err(OsworldFault::raised(format!("columns have no '{other}'"))),
            };
            Ok(((*property).to_owned(), value))
        });
        found.insert(column_name(first), Value::Object(info.collect::<Result<_>>()?));
    }
    Ok(Value::Object(found))
}

/// What is frozen: the number of columns and rows, wherever the sheet is scrolled to; where it is split
/// otherwise, the first cell behind, too. Null where it is neither.
pub(crate) fn frozen(book: &Book, sheet: &Sheet) -> Result<Value> {
    let document = book.xml(sheet)?;
    let view = document.descendants().find(|n| n.has_tag_name((MAIN, "sheetView")));
    let Some(pane) = view.and_then(|view| child(view, "pane")) else { return Ok(Value::Null) };
    let size = |name: &str| -> Result<Value> {
        let Some(found) = pane.attribute(name) else { return Ok(Value::from(0)) };
        let size = found
            .parse::<f64>()
            .map_err(|_| OsworldFault::raised(format!("{name} '{found}' is not a number")))?;
        Ok(Value::from(size.trunc()))
    };
    let sizes = [size("xSplit")?, size("ySplit")?];
    let frozen = matches!(pane.attribute("state"), Some("frozen" | "frozenSplit"));
    Ok(Value::from(if frozen {
        sizes.to_vec()
    } else {
        sizes.into_iter().chain([text(pane, "topLeftCell")]).collect()
    }))
}

pub(crate) fn zoom(book: &Book, sheet: &Sheet) -> Result<f64> {
    let document = book.xml(sheet)?;
    let view = document.descendants().find(|n| n.has_tag_name((MAIN, "sheetView")));
    let scale = view.and_then(|view| view.attribute("zoomScale")).and_then(|scale| scale.parse().ok());
    Ok(scale.filter(|scale| *scale != 0.0).unwrap_or(100.0))
}

/// The data validations of a sheet, each with the attributes that rules name.
pub(crate) fn validations(book: &Book, sheet: &Sheet) -> Result<Vec<Map<String, Value>>> {
    let document = book.xml(sheet)?;
    let nodes = document.descendants().filter(|n| n.has_tag_name((MAIN, "dataValidation")));
    Ok(nodes
        .map(|node| {
            let mut found = Map::new();
            for name in
                ["type", "operator", "errorStyle", "error", "errorTitle", "prompt", "promptTitle", "imeMode"]
            {
                found.insert(name.to_owned(), text(node, name));
            }
            for name in ["allowBlank", "showDropDown", "showInputMessage", "showErrorMessage"] {
                found.insert(name.to_owned(), flag(node, name, "0"));
            }
            for name in ["formula1", "formula2"] {
                let formula = child(node, name).and_then(|n| n.text());
                found.insert(name.to_owned(), formula.map_or(Value::Null, Value::from));
            }
            found.insert("ranges".to_owned(), text(node, "sqref"));
            found.insert("sqref".to_owned(), text(node, "sqref"));
            found
        })
        .collect())
}
