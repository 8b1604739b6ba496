//! The parameters of an action, taken out one by one with their types.
//!
//! Invariant: what is left over at the end is an error that names it, so that no parameter is lost unseen.

use serde_json::{Map, Value};

pub(crate) struct Params<'a> {
    action: &'a str,
    left: Map<String, Value>,
    taken: Vec<&'static str>,
    pub(crate) repairs: Vec<String>,
}

impl<'a> Params<'a> {
    /// The parameters of `action`; those that are null count as left out.
    pub(crate) fn new(action: &'a str, mut left: Map<String, Value>) -> Self {
        left.retain(|_, value| !value.is_null());
        Self { action, left, taken: Vec::new(), repairs: Vec::new() }
    }

    pub(crate) fn action(&self) -> &'a str {
        self.action
    }

    fn mended(&mut self, mend: String) {
        if !self.repairs.contains(&mend) {
            self.repairs.push(mend);
        }
    }

    pub(crate) fn value(&mut self, name: &'static str, others: &[&str]) -> Option<Value> {
        self.taken.push(name);
        if let Some(value) = self.left.shift_remove(name) {
            return Some(value);
        }
        let other = others.iter().find(|other| self.left.contains_key(**other))?;
        let value = self.left.shift_remove(*other);
        self.mended(format!("{other} for {name}"));
        value
    }

    /// A text. Numbers and truth values are taken as their texts.
    pub(crate) fn text_if_any(
        &mut self,
        name: &'static str,
        others: &[&str],
    ) -> Result<Option<String>, String> {
        match self.value(name, others) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => {
                self.mended(format!("{name} without quotation marks"));
                Ok(Some(value.to_string()))
            }
            Some(value) => Err(format!("{name} of {} must be a text, not {}", self.action, kind(&value))),
        }
    }

    /// A text that must be there, if only as an empty one.
    pub(crate) fn text(&mut self, name: &'static str, others: &[&str]) -> Result<String, String> {
        self.text_if_any(name, others)?.ok_or_else(|| self.missing(name))
    }

    pub(crate) fn words(&mut self, name: &'static str, others: &[&str]) -> Result<String, String> {
        let text = self.text(name, others)?;
        if text.trim().is_empty() {
            return Err(format!("{name} of {} is empty", self.action));
        }
        Ok(text)
    }

    pub(crate) fn number(&mut self, name: &'static str, others: &[&str]) -> Result<Option<f64>, String> {
        let Some(value) = self.value(name, others) else { return Ok(None) };
        let bad = || format!("{name} of {} must be a number, not {}", self.action, kind(&value));
        let number = match &value {
            Value::Number(n) => n.as_f64(),
            Value::String(text) => {
                let number = text.trim().parse::<f64>().ok();
                if number.is_some() {
                    self.repairs.push(format!("{name} as a text"));
                }
                number
            }
            _ => None,
        };
        number.filter(|n| n.is_finite()).map(Some).ok_or_else(bad)
    }

    /// A whole number within `range`, or a text that is one.
    pub(crate) fn whole(
        &mut self,
        name: &'static str,
        others: &[&str],
        range: std::ops::RangeInclusive<u32>,
    ) -> Result<Option<u32>, String> {
        let Some(number) = self.number(name, others)? else { return Ok(None) };
        let fits =
            number.fract() == 0.0 && (f64::from(*range.start())..=f64::from(*range.end())).contains(&number);
        if !fits {
            return Err(format!(
                "{name} of {} is {number}: write a whole number from {} to {}",
                self.action,
                range.start(),
                range.end()
            ));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within the range")]
        Ok(Some(number as u32))
    }

    pub(crate) fn missing(&self, name: &str) -> String {
        format!("{} needs the parameter {name}", self.action)
    }

    pub(crate) fn end(self) -> Result<Vec<String>, String> {
        let Some((name, _)) = self.left.iter().next() else { return Ok(self.repairs) };
        let name: String = name.chars().take(40).collect();
        Err(match self.taken.as_slice() {
            [] => format!("{} has no parameters, and '{name}' is given", self.action),
            known => format!("{} has no parameter '{name}'; it has {}", self.action, known.join(", ")),
        })
    }
}

pub(crate) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => format!("{b}"),
        Value::Number(n) => format!("the number {n}"),
        Value::String(text) => {
            let shown: String = text.chars().take(40).collect();
            format!("the text '{shown}'")
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
