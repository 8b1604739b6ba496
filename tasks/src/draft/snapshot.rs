//! What can be told of a device and its pages at one moment, and what changed from one moment to another, as checks.

use serde_json::{Map, Value};
use waldo_devices::{Deadline, Device, Platform, Result, StateProbe, StateValue};

use super::{DraftEntry, plain, plain_value};
use crate::events::Observed;
use crate::state::{DeviceState, Difference, PAGE_STATE};

/// The most checks of the state that are proposed.
const MOST: usize = 24;
/// Characters of a text that a check quotes.
const QUOTED: usize = 200;
/// Lines of text that are proposed, and their length.
const LINES: usize = 3;
const LINE: std::ops::RangeInclusive<usize> = 3..=80;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The address in front, or the app or program.
    place: String,
    lines: Vec<String>,
    state: DeviceState,
}

impl Snapshot {
    /// Asks a device; `pages` is the state of the task's own pages.
    pub async fn take(device: &mut dyn Device, pages: Option<&Value>, deadline: Deadline) -> Result<Self> {
        let text = |value| match value {
            StateValue::Text(text) | StateValue::Json(Value::String(text)) => text,
            _ => String::new(),
        };
        let place = text(device.probe(&StateProbe::Location, deadline).await?);
        let seen = text(device.probe(&StateProbe::Text, deadline).await?);
        let state = DeviceState::take(device, pages, deadline).await?;
        Ok(Self { place, lines: lines(&seen), state })
    }

    pub fn recorded(seen: &Observed) -> Self {
        let names = seen.elements.iter().map(|e| e.name.as_str());
        let texts = seen.texts.iter().map(|text| text.text.as_str());
        let all: Vec<&str> = names.chain(texts).collect();
        Self { place: seen.context.location.clone(), lines: lines(&all.join("\n")), ..Self::default() }
    }

    /// What changed until `after`, as checks that did not hold before and hold then, in the order of their worth: what is
    /// durable, then where the device is, then what can be read. The second list is of the last two kinds.
    pub fn changes(&self, after: &Self, platform: Platform) -> (Vec<DraftEntry>, Vec<DraftEntry>) {
        let firm = self.state.difference(&after.state).iter().take(MOST).map(drafted).collect();
        let mut soft = Vec::new();
        if let Some(place) = self.place(after, platform) {
            soft.push(place);
        }
        let new = after.lines.iter().filter(|line| !self.lines.contains(line));
        let new = new.filter(|line| LINE.contains(&line.chars().count()));
        soft.extend(new.take(LINES).map(|line| check("text", [("contains", plain(line).into())])));
        (firm, soft)
    }

    fn place(&self, after: &Self, platform: Platform) -> Option<DraftEntry> {
        if platform.has_pages() {
            // What follows the origin, without a fragment, which pages use as they like.
            let path = |place: &str| {
                let (_, rest) = place.split_once("://")?;
                let path = rest.find('/').and_then(|at| rest.get(at..))?;
                Some(path.split('#').next().unwrap_or_default().to_owned())
            };
            let (before, now) = (path(&self.place)?, path(&after.place)?);
            return (before != now && !self.place.contains(&now))
                .then(|| check("url", [("contains", plain(&now).into())]));
        }
        (self.place != after.place).then(|| check("foreground", [("equals", plain(&after.place).into())]))
    }
}

fn drafted(difference: &Difference) -> DraftEntry {
    let Difference { store, key, before, after } = difference;
    if store == PAGE_STATE {
        let pointer = ("pointer", plain(key).into());
        return check("state", [pointer, becomes(before.as_ref(), after.as_ref())]);
    }
    let store = ("in", Value::from(plain(store)));
    match (before, after) {
        (None, Some(row @ Value::Object(_))) => check("change", [store, ("added", plain_value(row))]),
        (Some(row @ Value::Object(_)), None) => check("change", [store, ("removed", plain_value(row))]),
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let differing = new.iter().filter(|(column, value)| old.get(*column) != Some(*value));
            let altered: DraftEntry =
                differing.map(|(column, value)| (column.clone(), plain_value(value))).collect();
            let from = plain_value(&Value::Object(old.clone()));
            check("change", [store, ("from", from), ("altered", altered.into())])
        }
        (before, after) => {
            let key = ("key", Value::from(plain(key)));
            check("change", [store, key, becomes(before.as_ref(), after.as_ref())])
        }
    }
}

/// The condition that a value has in the end. Of a long text one new line is asked for.
fn becomes(before: Option<&Value>, after: Option<&Value>) -> (&'static str, Value) {
    let Some(after) = after else { return ("absent", true.into()) };
    let long = after.as_str().filter(|text| text.chars().count() > QUOTED);
    let old = before.and_then(Value::as_str).unwrap_or_default();
    let line = long.and_then(|text| text.lines().find(|line| !line.trim().is_empty() && !old.contains(line)));
    if let Some(line) = line { ("contains", plain(line).into()) } else { ("equals", plain_value(after)) }
}

fn check<const N: usize>(kind: &str, fields: [(&str, Value); N]) -> DraftEntry {
    let mut check = Map::new();
    check.insert("kind".to_owned(), kind.into());
    check.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    check
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::state::tests::state;

    #[test]
    fn a_difference_is_drafted_as_its_check_in_order() {
        let before =
            state(json!({ "n": { "1": { "a": 1, "b": 2 }, "2": { "a": 3 } }, "s": { "x": "1", "y": 1 } }));
        let after = state(json!({ "n": { "1": { "a": 1, "b": 5 }, "3": { "a": "{{" } }, "s": { "x": "2" } }));
        let drafted: Vec<DraftEntry> = before.difference(&after).iter().map(drafted).collect();
        assert_eq!(
            json!(drafted),
            json!([
                { "kind": "change", "in": "n", "from": { "a": 1, "b": 2 }, "altered": { "b": 5 } },
                { "kind": "change", "in": "n", "removed": { "a": 3 } },
                { "kind": "change", "in": "n", "added": { "a": "{{ '{' }}{" } },
                { "kind": "change", "in": "s", "key": "x", "equals": "2" },
                { "kind": "change", "in": "s", "key": "y", "absent": true },
            ])
        );
        let before = Snapshot {
            place: "http://e1.localhost:1/form".into(),
            lines: lines("Form"),
            ..Snapshot::default()
        };
        let after = Snapshot {
            place: "http://e1.localhost:1/thanks?n=1".into(),
            lines: lines("Thanks, {{ you }}\nForm"),
            state: state(json!({ "state": { "/sent": true } })),
        };
        let (firm, soft) = before.changes(&after, Platform::Web);
        assert_eq!(json!(firm), json!([{ "kind": "state", "pointer": "/sent", "equals": true }]));
        assert_eq!(
            json!(soft),
            json!([
                { "kind": "url", "contains": "/thanks?n=1" },
                { "kind": "text", "contains": "Thanks, {{ '{' }}{ you }}" }
            ])
        );
        let (none, nothing) = after.changes(&after, Platform::Web);
        assert!(none.is_empty() && nothing.is_empty());
    }
}
