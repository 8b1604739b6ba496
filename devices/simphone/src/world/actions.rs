//! What widgets of a layout ask for: actions on the app's own state and its screen, as JSON.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    app::{App, Sys},
    intent::Intent,
    settings::Namespace,
    stack::Activity,
};
use crate::ui::node::UiEventKind;

/// An action. A table is a list in the app's state (`notes`, `store/sms`) whose entries have an `id`; a new entry gets the
/// number after the state's `next`. The value `{"now": true}` is the wall clock, `{"value": true}` what a slider was moved to.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    Open(String, Map<String, Value>),
    /// Starts what an intent asks for: its action, its data and its extras.
    Start(String, Option<String>, Map<String, Value>),
    Local(String, Value),
    Field(String, String),
    Forget(String),
    Blur,
    Over(String),
    Close,
    Finish,
    /// Back stays on this screen.
    Stay,
    Toast(String),
    Setting(Namespace, String, Value),
    Top(String),
    Put(String, Value),
    Set(String, i64, Map<String, Value>),
    /// A column becomes what stands in the field of its name.
    Enter(String, i64, String),
    Flip(String, i64, String),
    Add(String, Map<String, Value>),
    Drop(String, i64),
    Send(String),
}

/// The actions that a widget carries; nothing where it carries a message of its app.
pub(super) fn parse(on: &str) -> Option<Vec<Action>> {
    if !on.starts_with('[') {
        return None;
    }
    let actions = serde_json::from_str(on);
    if let Err(error) = &actions {
        tracing::error!("the actions {on} are not understood: {error}");
    }
    actions.ok()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn extras(values: Map<String, Value>) -> impl Iterator<Item = (String, String)> {
    values.into_iter().map(|(name, value)| (name, text(&value)))
}

fn table<'a>(state: &'a mut Value, name: &str) -> Option<&'a mut Vec<Value>> {
    state.pointer_mut(&format!("/{name}"))?.as_array_mut()
}

fn entry<'a>(state: &'a mut Value, name: &str, id: i64) -> Option<&'a mut Value> {
    table(state, name)?.iter_mut().find(|entry| entry.get("id").and_then(Value::as_i64) == Some(id))
}

/// Carries actions out; gives what the app itself has to do.
pub(super) fn act(
    actions: Vec<Action>,
    app: &mut dyn App,
    at: &mut Activity,
    kind: &UiEventKind,
    sys: &mut Sys<'_>,
) -> Vec<String> {
    let mut sent = Vec::new();
    let mut state = app.save();
    let before = state.clone();
    let now = sys.now();
    let worth = |value: Value| match (kind, value.get("now"), value.get("value")) {
        (_, Some(_), _) => now.into(),
        (UiEventKind::Value(slider), _, Some(_)) => (*slider).into(),
        _ => value,
    };
    for action in actions {
        match action {
            Action::Open(activity, values) => {
                sys.open(&activity, extras(values));
            }
            Action::Start(action, data, values) => {
                sys.start(Intent { data, extras: extras(values).collect(), ..Intent::action(&action) });
            }
            Action::Local(key, value) => at.set_local(&key, text(&value)),
            Action::Field(id, text) => at.set_field(&id, text),
            Action::Forget(id) => drop(at.fields.remove(&id)),
            Action::Blur => at.editing = None,
            Action::Over(name) => at.overlay = Some(name),
            Action::Close => at.overlay = None,
            Action::Finish => sys.finish(),
            Action::Stay => sys.consume(),
            Action::Toast(text) => sys.toast(text),
            Action::Setting(table, key, value) => sys.put(table, &key, &text(&worth(value))),
            Action::Top(id) => drop(at.scroll.remove(&id)),
            Action::Put(name, value) => {
                if let Some(slot) = state.pointer_mut(&format!("/{name}")) {
                    *slot = worth(value);
                }
            }
            Action::Set(table, id, values) => {
                let Some(entry) = entry(&mut state, &table, id) else { continue };
                values.into_iter().for_each(|(column, value)| entry[column] = worth(value));
            }
            Action::Enter(table, id, column) => {
                let Some(entry) = entry(&mut state, &table, id) else { continue };
                entry[&column] = at.field(&column).unwrap_or("").into();
            }
            Action::Flip(table, id, column) => {
                let Some(entry) = entry(&mut state, &table, id) else { continue };
                entry[&column] = (entry[&column] != true).into();
            }
            Action::Add(name, mut values) => {
                let id = state["next"].as_i64().unwrap_or(0) + 1;
                state["next"] = id.into();
                values.values_mut().for_each(|value| *value = worth(value.take()));
                values.insert("id".to_owned(), id.into());
                if let Some(all) = table(&mut state, &name) {
                    all.push(values.into());
                }
            }
            Action::Drop(name, id) => {
                let other = |entry: &Value| entry.get("id").and_then(Value::as_i64) != Some(id);
                if let Some(all) = table(&mut state, &name) {
                    all.retain(other);
                }
            }
            Action::Send(message) => sent.push(message),
        }
    }
    if state != before
        && let Err(error) = app.load(state)
    {
        tracing::error!("{}: the state after an action is not its own: {error}", at.component);
    }
    sent
}
