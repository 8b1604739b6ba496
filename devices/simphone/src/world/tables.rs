//! The tables of content providers that are told by expressions over an app's state, read from `assets/tables.txt`.

use std::sync::LazyLock;

use minijinja::{Expression, Value, context, value::Serde};

use super::providers::{ProviderRow, ProviderValue};
use crate::{lists, ui::templates};

struct Table {
    name: &'static str,
    rows: Expression<'static, 'static>,
    columns: Vec<(&'static str, Expression<'static, 'static>)>,
}

static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let lists = lists::read(include_str!("../../assets/tables.txt"));
    let table = |(at, (heading, _)): (usize, &lists::List)| {
        let columns =
            lists.get(at..)?.iter().map(|(_, columns)| columns).find(|columns| !columns.is_empty())?;
        let column = |entry: &&'static str| {
            let (name, told) = entry.split_once(" | ")?;
            Some((name, templates::expression(told)?))
        };
        let (name, rows) = heading.split_once(" = ")?;
        Some(Table {
            name,
            rows: templates::expression(rows)?,
            columns: columns.iter().filter_map(column).collect(),
        })
    };
    lists.iter().enumerate().filter_map(table).collect()
});

fn cell(value: &Value) -> ProviderValue {
    match (value.as_i64(), value.as_str()) {
        _ if value.is_undefined() || value.is_none() => ProviderValue::Null,
        (Some(number), _) => ProviderValue::Int(number),
        (_, Some(text)) => ProviderValue::from(text),
        _ => ProviderValue::Int(i64::from(value.is_true())),
    }
}

/// The rows of a table that an app's state has; nothing where no expression tells the table.
pub(crate) fn rows(state: &serde_json::Value, table: &str) -> Option<Vec<ProviderRow>> {
    let table = TABLES.iter().find(|t| t.name == table)?;
    let state = Value::from(Serde(state));
    let rows = table.rows.eval(&state).ok()?;
    let row = |(r, i): (Value, i64)| {
        let known = context! { r, i, ..state.clone() };
        let columns = table.columns.iter().map(|(name, told)| {
            let value = told.eval(&known).unwrap_or_default();
            ((*name).to_owned(), cell(&value))
        });
        ProviderRow(columns.collect())
    };
    Some(rows.try_iter().ok()?.zip(1_i64..).map(row).collect())
}
