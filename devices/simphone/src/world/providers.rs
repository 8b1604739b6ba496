//! Content providers: the apps' state as rows, for `content query` and its kin.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ProviderValue {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

impl ProviderValue {
    /// As `content query` prints it.
    pub fn text(&self) -> String {
        match self {
            Self::Null => "NULL".to_owned(),
            Self::Int(v) => v.to_string(),
            Self::Real(v) => v.to_string(),
            Self::Text(v) => v.clone(),
        }
    }

    /// As a whole number, where it is or spells one.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(v) => Some(*v),
            Self::Text(v) => v.trim().parse().ok(),
            _ => None,
        }
    }
}

/// What a cell is made from: each kind, and the cell.
macro_rules! cells {
    ($($kind:ty: $value:ident => $cell:expr;)+) => {
        $(impl From<$kind> for ProviderValue {
            fn from($value: $kind) -> Self {
                $cell
            }
        })+
    };
}

cells! {
    i64: v => Self::Int(v);
    i32: v => Self::Int(i64::from(v));
    u32: v => Self::Int(i64::from(v));
    usize: v => Self::Int(i64::try_from(v).unwrap_or(i64::MAX));
    bool: v => Self::Int(i64::from(v));
    &str: v => Self::Text(v.to_owned());
    &String: v => Self::Text(v.clone());
    String: v => Self::Text(v);
}

/// A row of columns in their order, each with its value.
macro_rules! row {
    ($($column:ident: $value:expr),+ $(,)?) => {
        $crate::world::providers::ProviderRow(vec![
            $((stringify!($column).to_owned(), $crate::world::providers::ProviderValue::from($value))),+
        ])
    };
}
pub(crate) use row;

/// A row: columns in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct ProviderRow(pub Vec<(String, ProviderValue)>);

impl ProviderRow {
    pub fn with(mut self, column: &str, value: impl Into<ProviderValue>) -> Self {
        self.set(column, value);
        self
    }

    pub fn set(&mut self, column: &str, value: impl Into<ProviderValue>) {
        let value = value.into();
        match self.0.iter_mut().find(|(k, _)| k == column) {
            Some((_, cell)) => *cell = value,
            None => self.0.push((column.to_owned(), value)),
        }
    }

    /// With the columns of another row behind its own.
    pub fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    pub fn get(&self, column: &str) -> Option<&ProviderValue> {
        self.0.iter().find(|(k, _)| k == column).map(|(_, v)| v)
    }

    /// A column as text; empty where absent or null.
    pub fn text(&self, column: &str) -> String {
        self.get(column).filter(|c| **c != ProviderValue::Null).map(ProviderValue::text).unwrap_or_default()
    }

    pub fn int(&self, column: &str) -> Option<i64> {
        self.get(column).and_then(ProviderValue::int)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Columns, in this order; all where empty.
    pub projection: Vec<String>,
    /// `name='Ada' AND _id>3`: comparisons with `AND` between.
    pub filter: Option<String>,
    /// `name DESC, _id`.
    pub sort: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    #[error("could not find provider: {0}")]
    NoProvider(String),
    #[error("unknown URI {0}")]
    UnknownUri(String),
    #[error("near {0:?}: syntax error; comparisons joined by AND are understood")]
    BadFilter(String),
    #[error("no such column: {0}")]
    NoColumn(String),
    #[error("{0}")]
    Refused(String),
}
