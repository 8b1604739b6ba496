//! Values as they are compared: of a type, in lists and objects, or as they came.

use serde_json::Value;

use super::date::WrittenDay;
use super::places::Places;
use crate::fault::WebarenaFault;

#[derive(Clone, Debug)]
pub(super) enum Node {
    Typed(Typed),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
    /// As it came: without a type, or not of the type that it should have.
    Raw(Value),
    /// What it comes to cannot be told.
    Unknown(WebarenaFault),
}

/// A value in the form in which it is compared: several where any of them will do.
#[derive(Clone, Debug)]
pub(super) enum Typed {
    Text(Vec<String>),
    Number(Vec<f64>),
    Truth(Vec<bool>),
    Currency(Vec<i128>),
    Date(Vec<WrittenDay>),
    Month(Vec<i64>),
    Duration(Vec<i64>),
    Distance(Vec<f64>),
    Coordinates(Vec<(f64, f64)>),
    Name(Vec<String>),
    Address(Addresses),
    Words(Vec<Vec<String>>),
    Json(Vec<Value>),
    Markdown(Vec<String>),
    Base64(Vec<String>),
    Nothing,
}

#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) base: String,
    /// Each name with its first value.
    pub(super) query: Vec<(String, Node)>,
    pub(super) pattern: bool,
}

/// One address, or several of which any will do.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    pub(super) all: Vec<Address>,
    pub(super) render: Option<Places>,
}

#[derive(Clone, Copy)]
pub(super) struct Normalizer<'a> {
    /// The task's sites, whose addresses give way to their names.
    pub(super) places: Option<&'a Places>,
    /// Whether a value that is not of its type is a fault; what an agent gave is kept as it came.
    pub(super) strict: bool,
}
