//! What can be told of a device and its pages at one moment, and what changed from one moment to another, as checks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use waldo_devices::foreign::{self, EntryKind};
use waldo_devices::{Deadline, Device, DeviceError, Platform, StateProbe, StateValue};

use super::{DraftEntry, plain, plain_value};
use crate::events::Observed;

/// The most files of a HOME that are looked at, and the bytes of one.
const FILES: usize = 2000;
const FILE_BYTES: u64 = 1 << 20;
/// The most checks that are proposed of one kind.
const MOST: usize = 6;
/// Characters of a text that a check quotes.
const QUOTED: usize = 200;
/// Lines of text that are proposed, and their length.
const LINES: usize = 3;
const LINE: std::ops::RangeInclusive<usize> = 3..=80;
/// What the simulated phone knows of itself, apart from settings, that is a task's matter.
const SIMULATED: [&str; 1] = ["apps"];
/// Tables of a phone's settings.
const SETTINGS: [&str; 3] = ["system", "secure", "global"];

/// What was known at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The address in front, or the app or program.
    place: String,
    /// The visible text, line by line.
    lines: Vec<String>,
    /// The state of pages, or of a simulated phone's apps.
    state: Value,
    /// A phone's settings, `table key`.
    settings: BTreeMap<(String, String), String>,
    /// Files of a desktop's HOME, and downloads; `None` where it is not text.
    files: BTreeMap<String, Option<String>>,
}

impl Snapshot {
    /// Asks a device; `state` is that of the task's own pages.
    ///
    /// # Errors
    /// When the device cannot be asked.
    pub async fn take(
        device: &mut dyn Device,
        state: Option<Value>,
        deadline: Deadline,
    ) -> Result<Self, DeviceError> {
        let platform = device.info().platform;
        let text = |value| match value {
            StateValue::Text(text) | StateValue::Json(Value::String(text)) => text,
            _ => String::new(),
        };
        let place = text(device.probe(&StateProbe::Location, deadline).await?);
        let seen = text(device.probe(&StateProbe::Text, deadline).await?);
        let mut all =
            Self { place, lines: lines(&seen), state: state.unwrap_or_default(), ..Self::default() };
        if platform.has_packages() {
            all.phone(device, deadline).await?;
        }
        if platform.has_programs()
            && let StateValue::Text(home) = device.probe(&StateProbe::Home, deadline).await?
        {
            let home = PathBuf::from(home);
            all.files = tokio::task::spawn_blocking(move || files(&home)).await.unwrap_or_default();
        }
        if platform.has_pages()
            && let StateValue::Files(files) = device.probe(&StateProbe::Downloads, deadline).await?
        {
            all.files.extend(files.into_iter().map(|(name, _)| (name, None)));
        }
        Ok(all)
    }

    /// What a record tells of a screen.
    pub fn recorded(seen: &Observed) -> Self {
        let names = seen.elements.iter().map(|e| e.name.as_str());
        let texts = seen.texts.iter().map(|text| text.text.as_str());
        let all: Vec<&str> = names.chain(texts).collect();
        Self { place: seen.context.location.clone(), lines: lines(&all.join("\n")), ..Self::default() }
    }

    async fn phone(&mut self, device: &mut dyn Device, deadline: Deadline) -> Result<(), DeviceError> {
        for table in SETTINGS {
            if let Some(listed) = shell(device, &format!("settings list {table}"), deadline).await? {
                let pairs = listed.lines().filter_map(|line| line.split_once('='));
                let keyed = pairs.map(|(key, value)| ((table.to_owned(), key.to_owned()), value.to_owned()));
                self.settings.extend(keyed);
            }
        }
        // Another phone has no such command.
        if let Some(state) = shell(device, "simctl state", deadline).await?
            && let Ok(Value::Object(known)) = serde_json::from_str(&state)
        {
            let known = known.into_iter().filter(|(name, _)| SIMULATED.contains(&name.as_str()));
            self.state = Value::Object(known.collect());
        }
        Ok(())
    }

    /// What changed until `after`, as checks that did not hold before and hold then, in the order of their worth: what
    /// programs keep, then where the device is, then what can be read. The second list is of the last kind.
    pub fn changes(&self, after: &Self, platform: Platform) -> (Vec<DraftEntry>, Vec<DraftEntry>) {
        let mut firm = Vec::new();
        for (key, value) in
            after.settings.iter().filter(|(key, value)| self.settings.get(*key) != Some(value))
        {
            let command = format!("settings get {} {}", key.0, key.1);
            firm.push(check("shell", [("command", plain(&command).into()), ("equals", plain(value).into())]));
        }
        firm.truncate(MOST);
        let mut leaves = Vec::new();
        changed(&self.state, &after.state, &mut String::new(), &mut leaves);
        for (pointer, value) in leaves.into_iter().take(MOST) {
            let condition = match value {
                Some(value) => ("equals", plain_value(&value)),
                None => ("absent", true.into()),
            };
            let pointer = ("pointer", Value::from(plain(&pointer)));
            firm.push(match platform.has_packages() {
                true => check("shell", [("command", "simctl state".into()), pointer, condition]),
                false => check("state", [pointer, condition]),
            });
        }
        firm.extend(self.files(after, platform).into_iter().take(MOST));
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

    fn files(&self, after: &Self, platform: Platform) -> Vec<DraftEntry> {
        let named = if platform.has_pages() { "name" } else { "path" };
        let mut checks = Vec::new();
        for (path, text) in &after.files {
            let before = self.files.get(path);
            if before == Some(text) {
                continue;
            }
            let named = (named, Value::from(plain(path)));
            match (before, text) {
                (_, Some(text)) if text.chars().count() <= QUOTED => {
                    checks.push(check("file", [named, ("equals", plain(text).into())]));
                }
                (before, Some(text)) => {
                    let old = before.and_then(Option::as_deref).unwrap_or_default();
                    let line = text.lines().find(|line| !line.trim().is_empty() && !old.contains(line));
                    checks.extend(line.map(|line| check("file", [named, ("contains", plain(line).into())])));
                }
                // Of what is no text it can be told that it is there.
                (None, None) => checks.push(check("file", [named])),
                (Some(_), None) => {}
            }
        }
        if !platform.has_pages() {
            let gone = self.files.keys().filter(|path| !after.files.contains_key(*path));
            let absent = ("absent", Value::from(true));
            checks.extend(gone.map(|path| check("file", [("path", plain(path).into()), absent.clone()])));
        }
        checks
    }
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

async fn shell(
    device: &mut dyn Device,
    line: &str,
    deadline: Deadline,
) -> Result<Option<String>, DeviceError> {
    match device.probe(&StateProbe::Shell(line.to_owned()), deadline).await {
        Ok(StateValue::Text(text)) => Ok(Some(text)),
        Ok(_) | Err(DeviceError::Call { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Leaves that differ: where, and what stands there now; nothing where there was something. What was put into a list is
/// found behind what the lists have in common at their beginnings and before what they have at their ends.
fn changed(before: &Value, after: &Value, at: &mut String, out: &mut Vec<(String, Option<Value>)>) {
    if out.len() > MOST || before == after {
        return;
    }
    let below = |at: &mut String, key: &str, before, after, out: &mut Vec<_>| {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        changed(before, after, at, out);
        at.truncate(length);
    };
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in new {
                below(at, key, old.get(key).unwrap_or(&Value::Null), value, out);
            }
            let gone = old.iter().filter(|(key, value)| !value.is_null() && !new.contains_key(*key));
            for (key, value) in gone {
                below(at, key, value, &Value::Null, out);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
            let (old, rest) = (old.get(same..).unwrap_or_default(), new.get(same..).unwrap_or_default());
            let tail = old.iter().rev().zip(rest.iter().rev()).take_while(|(a, b)| a == b).count();
            let olds = old.get(..old.len() - tail).unwrap_or_default();
            let news = rest.get(..rest.len() - tail).unwrap_or_default();
            if news.is_empty() {
                // What left a list is told by its length.
                out.push((at.clone(), Some(Value::Array(new.clone()))));
            }
            for (n, value) in news.iter().enumerate() {
                // An item that was put in has no counterpart.
                let old = (olds.len() == news.len()).then(|| olds.get(n)).flatten().unwrap_or(&Value::Null);
                below(at, &(same + n).to_string(), old, value, out);
            }
        }
        (_, Value::Object(new)) if !new.is_empty() => {
            for (key, value) in new {
                below(at, key, &Value::Null, value, out);
            }
        }
        (_, Value::Array(new)) if !new.is_empty() => {
            for (n, value) in new.iter().enumerate() {
                below(at, &n.to_string(), &Value::Null, value, out);
            }
        }
        (_, Value::Null) => out.push((at.clone(), None)),
        (_, value) => out.push((at.clone(), Some(value.clone()))),
    }
}

/// Files of a HOME by their paths below it; hidden ones are programs' own.
fn files(home: &Path) -> BTreeMap<String, Option<String>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(home.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        // What cannot be read is not told of.
        for entry in foreign::list(home, &folder).unwrap_or_default() {
            let Ok(name) = entry.name.into_string() else { continue };
            if name.starts_with('.') || found.len() >= FILES {
                continue;
            }
            let path = format!("{prefix}{name}");
            if entry.kind == EntryKind::Folder {
                folders.push((entry.path, format!("{path}/")));
            } else {
                let bytes = foreign::read(home, &entry.path, FILE_BYTES).ok();
                let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
                found.insert(path, text.filter(|text| !text.contains('\0')));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(before: Value, after: Value) -> Vec<(String, Option<Value>)> {
        let mut out = Vec::new();
        changed(&before, &after, &mut String::new(), &mut out);
        out
    }

    #[test]
    fn a_change_is_told_where_it_is() {
        let leaf = |at: &str, value: Value| (at.to_owned(), Some(value));
        assert_eq!(
            told(json!({ "a": 1, "b": { "c/d": 2 } }), json!({ "a": 1, "b": { "c/d": 3 } })),
            [leaf("/b/c~1d", json!(3))]
        );
        assert_eq!(told(json!({ "a": 1 }), json!({})), [("/a".to_owned(), None)]);
        // Put in front, and behind.
        let old = json!([{ "n": "x" }]);
        assert_eq!(told(old.clone(), json!([{ "n": "y" }, { "n": "x" }])), [leaf("/0/n", json!("y"))]);
        assert_eq!(told(old.clone(), json!([{ "n": "x" }, { "n": "y" }])), [leaf("/1/n", json!("y"))]);
        assert_eq!(told(old.clone(), json!([{ "n": "z" }])), [leaf("/0/n", json!("z"))]);
        assert_eq!(told(json!([1, 2, 3]), json!([1, 3])), [leaf("", json!([1, 3]))]);
        assert!(told(old.clone(), old).is_empty());
    }

    #[test]
    fn what_programs_keep_goes_before_what_can_be_read() {
        let before = Snapshot {
            place: "http://e1.localhost:1/form".into(),
            lines: lines("Form"),
            ..Snapshot::default()
        };
        let after = Snapshot {
            place: "http://e1.localhost:1/thanks?n=1".into(),
            lines: lines("Thanks, {{ you }}\nForm"),
            state: json!({ "sent": true }),
            ..Snapshot::default()
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
