use serde_json::{Map, Value};

use crate::call::Call;
use crate::expression::{of_json, short};

/// Brackets that are added to an object which lacks its end.
const ADDED: usize = 3;

/// The first object, or list of objects, that a text holds from its beginning or after other words.
pub(crate) fn first(text: &str) -> Option<Value> {
    text.char_indices().filter(|(_, c)| matches!(c, '{' | '[')).find_map(|(at, _)| {
        let value = parse(&text[at..])?;
        let holds = value.is_object() || value.as_array().is_some_and(|all| all.iter().any(Value::is_object));
        holds.then_some(value)
    })
}

/// A value that a text begins with; what follows it is left out, and brackets that are missing at its end are added.
fn parse(text: &str) -> Option<Value> {
    let read = |text: &str| serde_json::Deserializer::from_str(text).into_iter().next()?.ok();
    read(text).or_else(|| {
        let trimmed = text.trim_end();
        (1..=ADDED).find_map(|n| read(&format!("{trimmed}{}", "}".repeat(n))))
    })
}

pub(crate) fn object(text: &str) -> Result<Map<String, Value>, String> {
    match first(text) {
        Some(Value::Object(map)) => Ok(map),
        _ => Err(format!("'{}' is not a JSON object", short(text.trim()))),
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CallKeys<'a> {
    /// The key of the action's name: among the arguments first, then beside them.
    pub(crate) name: &'a str,
    /// The key of the arguments; the object itself holds them where there is none, or it has no such key.
    pub(crate) inside: Option<&'a str>,
}

pub(crate) fn call(mut object: Map<String, Value>, keys: CallKeys<'_>) -> Result<Call, String> {
    let mut arguments = match keys.inside {
        None => std::mem::take(&mut object),
        Some(inside) => match object.shift_remove(inside) {
            Some(Value::Object(map)) => map,
            // Some endpoints give arguments as the text of an object.
            Some(Value::String(text)) => self::object(&text)?,
            Some(_) => return Err(format!("'{inside}' is not a JSON object")),
            None => std::mem::take(&mut object),
        },
    };
    let mut name = arguments.shift_remove(keys.name);
    for key in [keys.name, "name"] {
        name = name.or_else(|| object.shift_remove(key)).or_else(|| arguments.shift_remove(key));
    }
    match name {
        Some(Value::String(name)) => Ok(of_json(name.trim(), arguments)),
        Some(other) => Err(format!("'{}' must be the name of an action, not {other}", keys.name)),
        None => Err(format!("'{}' is missing, which names the action", keys.name)),
    }
}
