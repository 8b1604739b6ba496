//! The arguments of a call, as its rule names them.

use serde_json::{Map, Value};
use waldo_devices::{Physical, Point};

use crate::call::{self, Call};
use crate::rule::{ActionRule, ArgumentSource};
use crate::scale::Scale;

const MAX_PLACES: usize = 200;

pub(crate) struct Args<'a> {
    given: Map<String, Value>,
    rule: &'a ActionRule,
    scale: Scale,
}

impl<'a> Args<'a> {
    pub(crate) fn new(call: &Call, rule: &'a ActionRule, scale: Scale) -> Result<Self, String> {
        let mut given = call.named.clone();
        let mut left = call.positional.iter();
        for name in &rule.args {
            match name.strip_suffix('*') {
                Some(name) => {
                    let all: Vec<Value> = left.by_ref().cloned().collect();
                    if !all.is_empty() {
                        given.insert(name.to_owned(), Value::Array(all));
                    }
                }
                None => {
                    if let Some(value) = left.next() {
                        given.entry(name).or_insert_with(|| value.clone());
                    }
                }
            }
        }
        match left.next() {
            Some(value) => Err(format!("{} is given {value}, for which it has no parameter", call.name)),
            None => Ok(Self { given, rule, scale }),
        }
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn value(&self, parameter: &str) -> Option<&Value> {
        if let Some(value) = self.rule.set.get(parameter) {
            return Some(value);
        }
        let own = match self.rule.with.get(parameter) {
            Some(ArgumentSource::One(names)) => self.any(names),
            Some(ArgumentSource::Pair(_)) => None,
            None => self.given(parameter),
        };
        own.or_else(|| self.rule.default.get(parameter))
    }

    /// The first argument that is there of several (`a|b`).
    fn any(&self, names: &str) -> Option<&Value> {
        names.split('|').find_map(|name| self.given(name))
    }

    pub(crate) fn text(&self, parameter: &str) -> Option<String> {
        self.value(parameter).map(call::text)
    }

    pub(crate) fn number(&self, parameter: &str) -> Result<Option<f64>, String> {
        let read =
            |value| call::number(value).ok_or_else(|| format!("{parameter} must be a number, not {value}"));
        self.value(parameter).map(read).transpose()
    }

    pub(crate) fn is_set(&self, parameter: &str) -> bool {
        matches!(self.value(parameter), Some(Value::Bool(true)))
    }

    /// Places on the screen, two at the least.
    pub(crate) fn path(&self, parameter: &str) -> Result<Option<Vec<Point<Physical>>>, String> {
        let Some(value) = self.value(parameter) else { return Ok(None) };
        let places = value.as_array().filter(|all| (2..=MAX_PLACES).contains(&all.len()));
        let places = places.ok_or_else(|| format!("{parameter} must be 2 to {MAX_PLACES} places"))?;
        let read = |value: &Value| {
            let at = call::place(value)
                .ok_or_else(|| format!("{parameter} holds {value}, which is not a place"))?;
            self.scale.on_screen(at)
        };
        places.iter().map(read).collect::<Result<Vec<_>, _>>().map(Some)
    }

    pub(crate) fn place(&self, parameter: &str) -> Result<Option<Point<Physical>>, String> {
        let at = match self.rule.with.get(parameter) {
            Some(ArgumentSource::Pair([x, y])) => {
                let (Some(x), Some(y)) = (self.any(x), self.any(y)) else { return Ok(None) };
                call::number(x).zip(call::number(y)).map(|(x, y)| [x, y])
            }
            _ => match self.value(parameter) {
                Some(value) => call::place(value),
                None => return Ok(None),
            },
        };
        let at =
            at.ok_or_else(|| format!("the place of '{parameter}' is neither two numbers nor a box of four"))?;
        self.scale.on_screen(at).map(Some)
    }
}
