//! `utils.py`: `load_pivot_tables`.

use roxmltree::Node;
use serde_json::{Map, Value, json};

use super::super::package::parse;
use super::super::range::parse_cell;
use super::MAIN;
use super::{Book, Sheet};
use crate::fault::{OsworldFault, Result};

type Items = Vec<(Option<bool>, i64)>;

fn truth(text: &str) -> bool {
    !matches!(text, "0" | "false" | "f")
}

fn members<'a, 'i>(root: Node<'a, 'i>, list: &str, item: &str) -> Vec<Node<'a, 'i>> {
    let list = root.children().find(|n| n.has_tag_name((MAIN, list)));
    let list = list.into_iter().flat_map(|list| list.children());
    list.filter(|n| n.has_tag_name((MAIN, item))).collect()
}

fn whole(node: Node, name: &str) -> i64 {
    node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// The pivot tables of a sheet by their source, with the asked properties.
pub(crate) fn pivots(book: &Book, sheet: &Sheet, properties: &[&str]) -> Result<Value> {
    let mut found = Map::new();
    for part in book.package.targets(&sheet.part, "pivotTable")? {
        let table = parse(&part, book.package.text(&part)?)?;
        let caches = book.package.targets(&part, "pivotCacheDefinition")?;
        let cache = caches.first().ok_or_else(|| OsworldFault::raised("a pivot table has no source"))?;
        let cache = parse(cache, book.package.text(cache)?)?;
        let (source, info) = read(table.root_element(), cache.root_element(), properties)?;
        found.insert(source, info);
    }
    Ok(Value::Object(found))
}

fn read(table: Node, cache: Node, properties: &[&str]) -> Result<(String, Value)> {
    let has = |name: &str| properties.contains(&name);
    let fields: Vec<Items> = members(table, "pivotFields", "pivotField")
        .into_iter()
        .map(|field| {
            let items = members(field, "items", "item").into_iter();
            items
                .filter_map(|i| Some((i.attribute("h").map(truth), i.attribute("x")?.parse().ok()?)))
                .collect()
        })
        .collect();
    // Columns of the source that the table does not use at its ends are left out of the source.
    let left = fields.iter().take_while(|items| items.is_empty()).count();
    let right = fields.iter().skip(left).rev().take_while(|items| items.is_empty()).count();
    let selection: Vec<Items> = fields.get(left..fields.len() - right).unwrap_or_default().to_vec();

    let no_source = || OsworldFault::raised("a pivot table has no source range");
    let source = cache.children().find(|n| n.has_tag_name((MAIN, "cacheSource"))).ok_or_else(no_source)?;
    let range =
        source.children().find(|n| n.has_tag_name((MAIN, "worksheetSource"))).ok_or_else(no_source)?;
    let (from, to) = range.attribute("ref").and_then(|r| r.split_once(':')).ok_or_else(no_source)?;
    let (from, to) = (parse_cell(from).ok_or_else(no_source)?, parse_cell(to).ok_or_else(no_source)?);
    let shift = i64::try_from(left).unwrap_or_default();
    let name = format!(
        "{};({}, {}):({}, {});{}",
        source.attribute("type").unwrap_or("None"),
        from.0,
        i64::from(from.1) + shift,
        to.0,
        i64::from(to.1) - i64::try_from(right).unwrap_or_default(),
        range.attribute("sheet").unwrap_or("None"),
    );

    let mut info = Map::new();
    let mut put = |name: &str, value: Value| info.insert(name.to_owned(), value);
    let flag = |name: &str, default: &str| Value::Bool(truth(table.attribute(name).unwrap_or(default)));
    if has("name") {
        put("name", table.attribute("name").map_or(Value::Null, Value::from));
    }
    if has("show_total") {
        put("show_total", flag("visualTotals", "1"));
    }
    if has("show_empty_row") {
        put("show_empty_row", flag("showEmptyRow", "0"));
    }
    if has("show_empty_col") {
        put("show_empty_col", flag("showEmptyCol", "0"));
    }
    if has("show_headers") {
        put("show_headers", flag("showHeaders", "1"));
    }
    if has("location") {
        let location = table.children().find(|n| n.has_tag_name((MAIN, "location")));
        let attributes = location.into_iter().flat_map(|n| n.attributes());
        put("location", attributes.map(|a| (a.name().to_owned(), Value::from(a.value()))).collect());
    }
    if has("filter") || has("selection") {
        let all = selection.into_iter().map(|mut items| {
            if !has("ordered") {
                items.sort_unstable();
                items.dedup();
            }
            json!(items)
        });
        put("selection", all.collect());
    }
    if has("filter") {
        let mut all: Vec<i64> =
            members(table, "pageFields", "pageField").into_iter().map(|f| whole(f, "fld")).collect();
        all.sort_unstable();
        all.dedup();
        put("filter_fields", json!(all));
    }
    for (property, list) in [("col_fields", "colFields"), ("row_fields", "rowFields")] {
        if has(property) {
            let all = members(table, list, "field").into_iter().map(|f| whole(f, "x") - shift);
            put(property, all.collect());
        }
    }
    if has("data_fields") {
        let all = members(table, "dataFields", "dataField").into_iter().map(|field| {
            let label = if has("data_fields_name") { field.attribute("name").unwrap_or("None") } else { "" };
            let of = |name: &str, default: &'static str| field.attribute(name).unwrap_or(default).to_owned();
            let (subtotal, show) = (of("subtotal", "sum"), of("showDataAs", "normal"));
            Value::String(format!("{};{label};{subtotal};{show}", whole(field, "fld") - shift))
        });
        put("data_fields", all.collect());
    }
    Ok((name, Value::Object(info)))
}
