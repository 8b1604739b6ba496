//! What is kept of an episode, without the values that its device types by name.
//!
//! Observations, reports and errors of a device are masked already. What an agent, a model, a check or a person
//! adds to them is masked here, on the way into an event or a result.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use waldo_devices::Secrets;

use crate::events::{Event, EventKind};
use crate::record::EpisodeResult;

/// `event` without what shows a value of `secrets`; none where it could not be told without it, which the log
/// says. Which episode it is of stays.
pub(crate) fn event(mut event: Event, secrets: &Secrets) -> Option<Event> {
    let key = match &mut event.kind {
        EventKind::Ended { result } => Some(result.key.clone()),
        _ => None,
    };
    match masked(&event.kind, secrets) {
        Some(Cow::Borrowed(_)) => {}
        Some(Cow::Owned(kind)) => event.kind = kind,
        None => {
            tracing::error!(episode = %event.episode, "an event is left out: it could not be masked");
            return None;
        }
    }
    if let (EventKind::Ended { result }, Some(key)) = (&mut event.kind, key) {
        result.key = key;
    }
    Some(event)
}

/// `result` without what shows a value. Which episode it is of stays.
pub(crate) fn result(result: EpisodeResult, secrets: &Secrets) -> EpisodeResult {
    let mut bare = match masked(&result, secrets) {
        Some(shown) => shown.into_owned(),
        // Its words are all that could not be kept.
        None => EpisodeResult { claim: None, checks: Vec::new(), changes: Vec::new(), ..result.clone() },
    };
    bare.key = result.key;
    bare
}

/// `value` without what shows a value of `secrets`, in every text of it; none where that does not go.
pub(crate) fn masked<'a, T>(value: &'a T, secrets: &Secrets) -> Option<Cow<'a, T>>
where
    T: Clone + Serialize + DeserializeOwned,
{
    if secrets.is_empty() {
        return Some(Cow::Borrowed(value));
    }
    let plain = serde_json::to_value(value).ok()?;
    let bare = without(&plain, secrets, KeyMasking::Masked);
    if bare == plain {
        return Some(Cow::Borrowed(value));
    }
    for bare in [bare, without(&plain, secrets, KeyMasking::Kept)] {
        if let Ok(value) = serde_json::from_value(bare) {
            return Some(Cow::Owned(value));
        }
    }
    // A value that is a word of the format, too: that word stays where no other can be read.
    let mut places = Vec::new();
    find(&plain, String::new(), secrets, &mut places);
    let mut kept = plain;
    for (place, text) in places {
        let mut with = kept.clone();
        if let Some(found) = with.pointer_mut(&place) {
            *found = Value::from(text);
        }
        if serde_json::from_value::<T>(with.clone()).is_ok() {
            kept = with;
        }
    }
    serde_json::from_value(kept).ok().map(Cow::Owned)
}

/// What is done with the keys of objects: those of maps are texts, those of structures are not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyMasking {
    Masked,
    Kept,
}

fn without(json: &Value, secrets: &Secrets, keys: KeyMasking) -> Value {
    match json {
        Value::String(text) => secrets.masked(text).map_or_else(|| json.clone(), Value::from),
        Value::Array(all) => all.iter().map(|inner| without(inner, secrets, keys)).collect(),
        Value::Object(all) => {
            let bare = |(key, inner): (&String, &Value)| {
                let masked = if keys == KeyMasking::Masked { secrets.masked(key) } else { None };
                (masked.unwrap_or_else(|| key.clone()), without(inner, secrets, keys))
            };
            Value::Object(all.iter().map(bare).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => json.clone(),
    }
}

/// The texts that show a value: where they are, and what they are without it.
fn find(json: &Value, at: String, secrets: &Secrets, out: &mut Vec<(String, String)>) {
    match json {
        Value::String(text) => out.extend(secrets.masked(text).map(|masked| (at, masked))),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(n, inner)| find(inner, format!("{at}/{n}"), secrets, out));
        }
        Value::Object(all) => {
            for (key, inner) in all {
                let key = key.replace('~', "~0").replace('/', "~1");
                find(inner, format!("{at}/{key}"), secrets, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests;
