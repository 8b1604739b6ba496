//! The templates of layouts: what they may call, how they write values, and the expressions of the same language.

use std::{fmt::Write as _, sync::LazyLock};

use minijinja::{
    AutoEscape, Environment, Error, Expression, Output, State, UndefinedBehavior, Value,
    value::{Serde, ValueKind},
};
use serde_json::json;

use super::theme::colour_of;
use crate::clock::{self, Civil};

/// A template of each app whose screens are laid out by one, and what they share.
macro_rules! layouts {
    ($($name:literal)+) => {
        [$(($name, include_str!(concat!("../../assets/layouts/", $name, ".xml"))),)+]
    };
}

const LAYOUTS: [(&str, &str); 16] = layouts!(
    "kit" "date_picker" "time_picker" "com.android.calendar" "com.android.contacts" "com.android.deskclock"
    "com.android.launcher3" "com.android.messaging" "com.android.settings" "com.waldo.files" "com.waldo.lights" "com.waldo.music"
    "com.waldo.notes" "com.waldo.photos" "com.waldo.shop" "system"
);

pub(super) static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(templates);

fn templates() -> Environment<'static> {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Chainable);
    env.set_auto_escape_callback(|_| AutoEscape::Html);
    env.set_formatter(attribute);
    env.add_function("civil", |unix: i64| Value::from(Serde(Civil::of(unix).facts())));
    env.add_function("time", |state: &State, unix: i64| {
        let at = Civil::of(unix);
        if state.lookup("twelve").is_some_and(|v| v.is_true()) { at.clock12() } else { at.clock24() }
    });
    env.add_function("typed", |state: &State, field: &str, or: Option<String>| {
        kept(state, "fields", field).map(|text| text.trim().to_owned()).or(or).unwrap_or_default()
    });
    env.add_function("colour_of", |name: &str| colour_of(name).hex());
    env.add_function("weeks", |month: i64| Value::from(Serde(clock::weeks(month))));
    env.add_function("month_title", clock::month_title);
    env.add_function("month_of", clock::month_of);
    env.add_function("first_of", clock::first_of);
    env.add_function("picked_time", picked_time);
    env.add_function("around", around);
    env.add_filter("money", |cents: i64| format!("${}.{:02}", cents / 100, cents % 100));
    env.add_filter("minutes", |seconds: i64| format!("{}:{:02}", seconds / 60, seconds % 60));
    env.add_filter("moment", |unix: i64| {
        let at = Civil::of(unix);
        format!("{}, {}", at.short(), at.clock24())
    });
    env.add_filter(
        "many",
        |n: i64, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") },
    );
    env.add_filter("two", |n: i64| format!("{n:02}"));
    env.add_filter("has", |text: &str, wanted: &str| text.to_lowercase().contains(&wanted.to_lowercase()));
    env.add_filter("letter", |text: &str| {
        text.chars().take(1).flat_map(char::to_uppercase).collect::<String>()
    });
    env.add_filter("digits", |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>());
    env.add_filter("num", |value: &Value| {
        let text = value.as_str().map(|text| text.parse().unwrap_or(0));
        text.or_else(|| value.as_i64()).unwrap_or(0)
    });
    env.add_filter("find", |all: Vec<Value>, id: &Value| {
        all.into_iter().find(|entry| entry.get_attr("id").is_ok_and(|own| own == *id)).unwrap_or_default()
    });
    env.add_filter("named", |pairs: Vec<Value>, name: &Value| {
        let pair = pairs.into_iter().find(|pair| pair.get_item_by_index(0).is_ok_and(|own| own == *name));
        pair.and_then(|pair| pair.get_item_by_index(1).ok()).unwrap_or_default()
    });
    env.add_filter("by", by);
    env.add_global("full_text", "Not saved: storage is full");
    for (name, source) in LAYOUTS {
        // A layout that is no template is told when its screen is asked for.
        if let Err(error) = env.add_template(name, source) {
            tracing::error!("the layout {name} is no template: {error:#}");
        }
    }
    env
}

/// What the screen keeps: in its `fields` what was typed, in its `locals` what else there is.
fn kept(state: &State, what: &str, key: &str) -> Option<String> {
    let value = state.lookup("at")?.get_attr(what).ok()?.get_attr(key).ok()?;
    value.as_str().map(str::to_owned)
}

/// Hour and minute that the time picker has; nothing where what was typed is no time.
fn picked_time(state: &State) -> Value {
    let local = |key| kept(state, "locals", key)?.parse().ok();
    let twelve = state.lookup("twelve").is_some_and(|v| v.is_true());
    let (old, minute): (i64, i64) = (local("pick_hour").unwrap_or(0), local("pick_minute").unwrap_or(0));
    let number = |field, or| kept(state, "fields", field).map_or(Some(or), |text| text.trim().parse().ok());
    let shown = if twelve { (old + 11) % 12 + 1 } else { old };
    let hour = number("material_hour_text_input", shown);
    let hour = hour.filter(|h| if twelve { (1..=12).contains(h) } else { (0..=23).contains(h) });
    let minute = number("material_minute_text_input", minute).filter(|m| (0..60).contains(m));
    let late = if old >= 12 { 12 } else { 0 };
    hour.zip(minute).map_or(Value::from(()), |(hour, minute)| {
        let hour = if twelve { hour % 12 + late } else { hour };
        Value::from(Serde(json!({ "hour": hour, "minute": minute })))
    })
}

/// Where a number of a dial stands: of the dial's side, the number's side, its share of a turn and its ring.
fn around(side: f32, cell: f32, turn: f32, inner: bool) -> Vec<f32> {
    let middle = side / 2.0;
    let r = middle - cell / 2.0 - 4.0 - if inner { cell * 0.95 } else { 0.0 };
    let a = (turn * 360.0 - 90.0).to_radians();
    vec![middle + r * a.cos(), middle + r * a.sin()]
}

/// An expression as in a layout; nothing where it is none, which is told.
pub(crate) fn expression(text: &'static str) -> Option<Expression<'static, 'static>> {
    let compiled = TEMPLATES.compile_expression(text);
    if let Err(error) = &compiled {
        tracing::error!("{text} is no expression: {error:#}");
    }
    compiled.ok()
}

/// Sorts by columns, the first before the second; a minus before a column's name turns its order round.
fn by(rows: Vec<Value>, columns: &str) -> Vec<Value> {
    let mut rows = rows;
    for column in columns.split(',').rev() {
        let (name, down) = column.strip_prefix('-').map_or((column, false), |name| (name, true));
        let cell = |row: &Value| row.get_attr(name).unwrap_or_default();
        rows.sort_by(|a, b| if down { cell(b).cmp(&cell(a)) } else { cell(a).cmp(&cell(b)) });
    }
    rows
}

/// Writes a value into the XML: text so that it stands in an attribute, a list or a map as JSON.
fn attribute(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    let text = match value.kind() {
        ValueKind::Undefined | ValueKind::None => return Ok(()),
        ValueKind::Bool => value.is_true().to_string(),
        ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => json!(value).to_string(),
        _ => value.to_string(),
    };
    if value.is_safe() {
        return out.write_str(&text).map_err(Error::from);
    }
    for c in text.chars() {
        let escaped = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '"' => "&quot;",
            '\n' => "&#10;",
            '\t' => "&#9;",
            _ => {
                out.write_char(c)?;
                continue;
            }
        };
        out.write_str(escaped)?;
    }
    Ok(())
}
