//! Values that cross between a script and the host, free of any engine's types.
//!
//! A [`Handle`] names an object of the host's arena: its class, its number there, and the fields that
//! never change. The fields travel with the handle, because a field that has to be asked for cannot be read
//! inside a native callback of the engine, and costs a round trip elsewhere.

use std::fmt;

/// How deep values may nest. Deeper ones are refused on both sides.
#[cfg(feature = "engine")]
pub const MAX_DEPTH: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub enum Val {
    None,
    Bool(bool),
    /// An integer; scripts may compute with larger ones, but not hand them over.
    Int(i64),
    Float(f64),
    Str(String),
    /// A list; sets arrive as lists too.
    List(Vec<Val>),
    Tuple(Vec<Val>),
    Dict(Vec<(Val, Val)>),
    Handle(Handle),
}

/// An object of the host, as scripts hold it.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle {
    /// The class, as [`crate::ClassSpec::name`] declares it.
    pub class: String,
    /// The number in the host's arena, unique within the class.
    pub id: u64,
    /// The fields that never change, sent along. Empty on handles that come back from a script.
    pub fields: Vec<(String, Val)>,
}

impl Handle {
    pub fn new(class: impl Into<String>, id: u64) -> Self {
        Self { class: class.into(), id, fields: Vec::new() }
    }

    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Val>) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }
}

impl Val {
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The integer, where this is one; a truth value is not.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_items(&self) -> Option<&[Val]> {
        match self {
            Self::List(items) | Self::Tuple(items) => Some(items),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_handle(&self) -> Option<&Handle> {
        match self {
            Self::Handle(handle) => Some(handle),
            _ => None,
        }
    }

    /// What Python calls this kind of value, for messages.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Handle(handle) => &handle.class,
        }
    }
}

impl fmt::Display for Val {
    /// As a trace shows it: close to Python's `repr`, a handle as `Class#id`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn row(f: &mut fmt::Formatter<'_>, open: char, items: &[Val], close: &str) -> fmt::Result {
            write!(f, "{open}")?;
            for (i, item) in items.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                write!(f, "{comma}{item}")?;
            }
            write!(f, "{close}")
        }
        match self {
            Self::None => write!(f, "None"),
            Self::Bool(true) => write!(f, "True"),
            Self::Bool(false) => write!(f, "False"),
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Str(text) => write!(f, "'{}'", text.escape_debug()),
            Self::List(items) => row(f, '[', items, "]"),
            Self::Tuple(items) => row(f, '(', items, if items.len() == 1 { ",)" } else { ")" }),
            Self::Dict(pairs) => {
                write!(f, "{{")?;
                for (i, (key, value)) in pairs.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{key}: {value}")?;
                }
                write!(f, "}}")
            }
            Self::Handle(handle) => write!(f, "{}#{}", handle.class, handle.id),
        }
    }
}

impl From<bool> for Val {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Val {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<i32> for Val {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<u32> for Val {
    fn from(value: u32) -> Self {
        Self::Int(value.into())
    }
}

impl From<f64> for Val {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Val {
    fn from(value: &str) -> Self {
        Self::Str(value.to_owned())
    }
}

impl From<String> for Val {
    fn from(value: String) -> Self {
        Self::Str(value)
    }
}

impl From<Handle> for Val {
    fn from(value: Handle) -> Self {
        Self::Handle(value)
    }
}

impl<T: Into<Val>> From<Vec<T>> for Val {
    fn from(value: Vec<T>) -> Self {
        Self::List(value.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Val>> From<Option<T>> for Val {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}
