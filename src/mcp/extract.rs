//! Fills a JSON schema from what the screen shows, by its texts and elements and the places where they stand.
//!
//! No model is asked. A property is found by its name: as the name of a field or a switch, as a label with a colon, or as a
//! label beside or above its value. A list of objects is filled from a table whose headings are the properties.
//!
//! Invariant: a value is text of the screen or comes from it; what is not found is null, and named.

use serde_json::{Map, Value};
use waldo_devices::{Observation, Physical, Rect};
use waldo_tasks::suite::number_in;

/// Rows of a table that are read at the most.
const ROWS: usize = 500;
/// How much farther than its own height a value may stand below its label, and the first row below the headings.
const BELOW: f64 = 2.5;

/// Something that can be read on the screen.
struct Words<'a> {
    text: &'a str,
    /// What a field holds, or a switch says.
    value: Option<Value>,
    area: Rect<Physical>,
}

/// What was read for a schema.
#[derive(Debug, PartialEq)]
pub struct Extracted {
    pub value: Value,
    /// Properties that were not found, by their paths.
    pub missing: Vec<String>,
}

/// Reads what `schema` describes: an object, or a list of objects.
pub fn extract(schema: &Value, seen: &Observation) -> Result<Extracted, String> {
    let texts = seen.texts.iter().map(|text| Words { text: &text.text, value: None, area: text.bounds });
    let elements = seen.elements.iter().map(|element| Words {
        text: &element.name,
        value: match element.states.checked {
            Some(checked) => Some(checked.into()),
            None => element.value.clone().map(Value::from),
        },
        area: element.bounds,
    });
    let screen: Vec<Words<'_>> = texts.chain(elements).filter(|words| words.area.area() > 0.0).collect();
    let mut missing = Vec::new();
    let value = match kind(schema) {
        "array" => table(schema, &screen, "", &mut missing)?,
        _ => object(schema, &screen, &mut missing)?,
    };
    Ok(Extracted { value, missing })
}

/// The type that a schema asks for; of several the first that is not null.
fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::Array(all) => {
            all.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("string")
        }
        Value::String(kind) => kind,
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "string",
    }
}

fn properties(schema: &Value) -> Result<&Map<String, Value>, String> {
    let all = schema["properties"].as_object().filter(|all| !all.is_empty());
    all.ok_or_else(|| {
        "give a JSON schema of type object with properties, or of type array whose items are such objects; \
         each property is named as the screen names it"
            .to_owned()
    })
}

fn object(schema: &Value, screen: &[Words<'_>], missing: &mut Vec<String>) -> Result<Value, String> {
    let mut read = Map::new();
    for (name, wanted) in properties(schema)? {
        let value = match kind(wanted) {
            "array" => table(wanted, screen, name, missing)?,
            "object" => {
                return Err(format!(
                    "'{name}' is an object within an object: name its properties one level higher"
                ));
            }
            _ => one(name, wanted, screen).unwrap_or_default(),
        };
        if value.is_null() {
            missing.push(name.clone());
        }
        read.insert(name.clone(), value);
    }
    Ok(Value::Object(read))
}

/// The words of a name: `unitPrice` and `unit_price` are "unit price".
fn spelled(name: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.extend(if c.is_alphanumeric() { c } else { ' ' }.to_lowercase());
        before = c;
    }
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a label says what a property is called; smaller is better.
fn fit(property: &str, schema: &Value, label: &str) -> Option<usize> {
    let label = spelled(label);
    let titles = [Some(property), schema["title"].as_str()];
    let fits = titles.into_iter().flatten().map(spelled).filter(|name| !name.is_empty());
    fits.filter_map(|name| {
        let rest = format!(" {label} ").find(&format!(" {name} ")).map(|_| label.len() - name.len());
        rest.filter(|rest| *rest <= 2 * name.len())
    })
    .min()
}

/// The value of a property that stands somewhere on the screen.
fn one(name: &str, schema: &Value, screen: &[Words<'_>]) -> Option<Value> {
    let mut best: Option<(usize, Value)> = None;
    for words in screen {
        let (label, behind) = match words.text.split_once(':') {
            Some((label, behind)) if !behind.trim().is_empty() => (label, Some(behind)),
            _ => (words.text, None),
        };
        let Some(rest) = fit(name, schema, label) else { continue };
        if best.as_ref().is_some_and(|(known, _)| *known <= rest) {
            continue;
        }
        let read = match (&words.value, behind) {
            (Some(value), _) => typed(schema, value),
            (None, Some(behind)) => typed(schema, &behind.trim().into()),
            (None, None) => beside(words, screen).and_then(|value| typed(schema, &value)),
        };
        best = read.map(|value| (rest, value)).or(best);
    }
    best.map(|(_, value)| value)
}

fn own_value(words: &Words<'_>) -> Value {
    words.value.clone().unwrap_or_else(|| words.text.into())
}

/// How much of the lower of two areas lies in the rows of the other.
fn in_one_row(a: &Rect<Physical>, b: &Rect<Physical>) -> bool {
    a.bottom().min(b.bottom()) - a.y.max(b.y) > a.h.min(b.h) / 2.0
}

fn in_one_column(a: &Rect<Physical>, b: &Rect<Physical>) -> bool {
    a.right().min(b.right()) - a.x.max(b.x) > 0.0
}

/// What stands to the right of a label in its row, else below it.
fn beside(label: &Words<'_>, screen: &[Words<'_>]) -> Option<Value> {
    let others = || screen.iter().filter(|words| !std::ptr::eq(*words, label) && !own_value(words).is_null());
    let right = others()
        .filter(|words| in_one_row(&words.area, &label.area) && words.area.x >= label.area.right() - 1.0)
        .min_by(|a, b| a.area.x.total_cmp(&b.area.x));
    let below = || {
        others()
            .filter(|words| {
                let gap = words.area.y - label.area.bottom();
                in_one_column(&words.area, &label.area) && gap >= -1.0 && gap < BELOW * label.area.h
            })
            .min_by(|a, b| a.area.y.total_cmp(&b.area.y))
    };
    right.or_else(below).map(own_value)
}

/// A value as the schema wants it; `None` where it is none of that type.
fn typed(schema: &Value, value: &Value) -> Option<Value> {
    let text = || value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
    let read = match kind(schema) {
        "boolean" => match value {
            Value::Bool(_) => value.clone(),
            _ => match text().to_lowercase().as_str() {
                "yes" | "true" | "on" | "enabled" | "checked" | "1" => true.into(),
                "no" | "false" | "off" | "disabled" | "unchecked" | "0" => false.into(),
                _ => return None,
            },
        },
        "number" => number_in(&text())?.into(),
        "integer" => {
            let number = number_in(&text())?;
            #[expect(clippy::cast_possible_truncation, reason = "it is whole, and within what is exact")]
            (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)?.into()
        }
        _ => match text() {
            text if text.is_empty() => return None,
            text => text.into(),
        },
    };
    match schema["enum"].as_array() {
        Some(all) => {
            let same =
                |known: &&Value| **known == read || known.as_str().map(spelled) == read.as_str().map(spelled);
            all.iter().find(same).cloned()
        }
        None => Some(read),
    }
}

/// The rows below headings that are called as the properties of the items.
fn table(
    schema: &Value,
    screen: &[Words<'_>],
    path: &str,
    missing: &mut Vec<String>,
) -> Result<Value, String> {
    let wanted = properties(&schema["items"])?;
    let is_heading = |words: &&Words<'_>| wanted.iter().any(|(name, of)| fit(name, of, words.text).is_some());
    // The row in which most properties have a heading; of several such rows the upper one.
    let columns = |row: Rect<Physical>| {
        let in_row: Vec<&Words<'_>> = screen.iter().filter(|words| in_one_row(&words.area, &row)).collect();
        let heading = |name: &str, of: &Value| {
            let fits = in_row.iter().filter_map(|words| Some((fit(name, of, words.text)?, *words)));
            fits.min_by_key(|(rest, _)| *rest).map(|(_, words)| words)
        };
        wanted.iter().filter_map(|(name, of)| Some((name, heading(name, of)?))).collect::<Vec<_>>()
    };
    let mut starts: Vec<&Words<'_>> = screen.iter().filter(is_heading).collect();
    starts.sort_by(|a, b| a.area.y.total_cmp(&b.area.y));
    let mut headings = Vec::new();
    for words in starts {
        let row = columns(words.area);
        if row.len() > headings.len() {
            headings = row;
        }
    }
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}[].{name}") };
    missing.extend(
        wanted.keys().filter(|name| !headings.iter().any(|(known, _)| known == name)).map(|name| at(name)),
    );
    let Some((_, first)) = headings.first() else { return Ok(Value::Array(Vec::new())) };
    let head = first.area;
    // Every heading of the row has a column of its own, also one that nobody asked for.
    let row = screen.iter().filter(|words| in_one_row(&words.area, &head));
    let centres: Vec<f64> = row.map(|words| words.area.center().x).collect();
    let mut below: Vec<&Words<'_>> =
        screen.iter().filter(|words| words.area.y >= head.bottom() - 1.0).collect();
    below.sort_by(|a, b| a.area.y.total_cmp(&b.area.y).then(a.area.x.total_cmp(&b.area.x)));
    let mut rows: Vec<Vec<&Words<'_>>> = Vec::new();
    for words in below {
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|one| in_one_row(&one.area, &words.area)) => row.push(words),
            _ => rows.push(vec![words]),
        }
    }
    let mut read = Vec::new();
    let mut bottom = head.bottom();
    // The first row says how far apart rows are: what stands farther below is no row.
    let mut farthest = None;
    for row in rows.into_iter().take(ROWS) {
        let Some(one) = row.first() else { continue };
        let gap = (one.area.y - bottom).max(0.0);
        if gap > farthest.unwrap_or(BELOW * head.h.max(one.area.h)) {
            break;
        }
        let mut item = Map::new();
        for (name, of) in wanted {
            let column = headings.iter().find(|(known, _)| *known == name).map(|(_, heading)| heading.area);
            let cell =
                column.and_then(|column| row.iter().find(|words| is_in_column(words, &column, &centres)));
            let value = cell.and_then(|words| typed(of, &own_value(words)));
            item.insert(name.clone(), value.unwrap_or_default());
        }
        if item.values().any(|value| !value.is_null()) {
            farthest.get_or_insert(2.0 * gap + one.area.h / 2.0);
            bottom = row.iter().map(|words| words.area.bottom()).fold(bottom, f64::max);
            read.push(Value::Object(item));
        }
    }
    Ok(Value::Array(read))
}

/// Whether a cell belongs to the column of this heading: it overlaps the heading, or the heading's centre is the nearest.
fn is_in_column(words: &Words<'_>, heading: &Rect<Physical>, centres: &[f64]) -> bool {
    let middle = words.area.center().x;
    let nearest = centres.iter().min_by(|a, b| (*a - middle).abs().total_cmp(&(*b - middle).abs()));
    in_one_column(&words.area, heading) || nearest.is_some_and(|nearest| *nearest == heading.center().x)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::screen::testing::view;

    /// A screen of texts, each with its left edge, its top and its width.
    fn screen(texts: &[(&str, f64, f64, f64)]) -> Observation {
        let mut seen = view("http://a.test/", &[], &[]).observation;
        seen.texts = texts
            .iter()
            .map(|(text, x, y, w)| waldo_devices::StaticText {
                text: (*text).to_owned(),
                bounds: Rect::new(*x, *y, *w, 16.0),
                before: 0,
            })
            .collect();
        seen
    }

    #[test]
    fn an_object_is_filled_from_labels_fields_and_switches() {
        let mut seen = screen(&[
            ("Order number: 4711", 0.0, 0.0, 140.0),
            ("Total", 0.0, 30.0, 40.0),
            ("€ 1,249.50", 200.0, 30.0, 80.0),
            ("State", 0.0, 60.0, 40.0),
            ("In transit", 0.0, 80.0, 60.0),
        ]);
        seen.elements =
            view("http://a.test/", &[("textbox", "Name"), ("checkbox", "Express")], &[]).observation.elements;
        seen.elements[0].value = Some("Ada".to_owned());
        seen.elements[1].states.checked = Some(true);
        for element in &mut seen.elements {
            element.bounds.y += 200.0;
        }
        let schema = json!({ "type": "object", "properties": {
            "orderNumber": { "type": "integer" }, "total": { "type": "number" },
            "state": { "enum": ["in transit", "delivered"] }, "name": { "type": "string" },
            "express": { "type": "boolean" }, "discount": { "type": ["number", "null"] } } });
        let read = extract(&schema, &seen).unwrap();
        let wanted = json!({ "orderNumber": 4711, "total": 1249.5, "state": "in transit", "name": "Ada",
            "express": true, "discount": null });
        assert_eq!(read, Extracted { value: wanted, missing: vec!["discount".to_owned()] });
    }

    #[test]
    fn a_list_is_filled_from_the_table_with_these_headings() {
        let seen = screen(&[
            ("Unit price of the week", 0.0, 0.0, 300.0),
            ("Article", 0.0, 40.0, 60.0),
            ("Stock", 100.0, 40.0, 40.0),
            ("Unit price", 200.0, 40.0, 70.0),
            ("Rake", 0.0, 60.0, 30.0),
            ("5", 130.0, 60.0, 8.0),
            ("$12.00", 230.0, 60.0, 50.0),
            ("Watering can", 0.0, 80.0, 90.0),
            ("out", 120.0, 80.0, 20.0),
            ("$7.50", 235.0, 80.0, 45.0),
            ("Prices without tax", 0.0, 116.0, 120.0),
        ]);
        let items =
            json!({ "properties": { "article": {}, "unit_price": { "type": "number" }, "colour": {} } });
        let read = extract(&json!({ "type": "array", "items": items }), &seen).unwrap();
        let rows = json!([{ "article": "Rake", "unit_price": 12.0, "colour": null },
            { "article": "Watering can", "unit_price": 7.5, "colour": null }]);
        assert_eq!(read, Extracted { value: rows, missing: vec!["colour".to_owned()] });
    }

    #[test]
    fn a_schema_of_another_form_is_refused() {
        for bad in [
            json!({}),
            json!({ "type": "object" }),
            json!({ "type": "array", "items": { "type": "string" } }),
        ] {
            assert!(extract(&bad, &screen(&[])).unwrap_err().contains("JSON schema"), "{bad}");
        }
        let nested = json!({ "properties": { "a": { "properties": { "b": {} } } } });
        assert!(extract(&nested, &screen(&[])).unwrap_err().contains("one level higher"));
    }
}
