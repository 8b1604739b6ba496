//! What stands around the calls of a reply, taken from the profile's own example.

use serde_json::{Map, Value, json};
use waldo_devices::{Capability, DeviceInfo, word_list};

use crate::call::Call;
use crate::json;
use crate::profile::Profile;
use crate::reply::ReplyForm;

pub(super) struct CallFrame<'a> {
    profile: &'a Profile,
    example: String,
    fingers: bool,
}

impl<'a> CallFrame<'a> {
    pub(super) fn new(profile: &'a Profile, device: &DeviceInfo) -> Self {
        let example = profile.example([0.0, 0.0]).unwrap_or_default();
        Self { profile, example, fingers: device.capabilities.contains(&Capability::Touch) }
    }

    pub(super) fn around(&self, calls: &[Call]) -> String {
        match self.profile.form() {
            ReplyForm::Calls | ReplyForm::Tags | ReplyForm::Code => self.expressions(calls),
            ReplyForm::ToolCall => self.tool_calls(calls),
            ReplyForm::Json | ReplyForm::Place => self.objects(calls),
        }
    }

    fn expressions(&self, calls: &[Call]) -> String {
        let lines: Vec<String> = calls.iter().map(|call| self.expression(call)).collect();
        let lines = lines.join("\n");
        // The example's own call is a word with brackets at the end of what comes before it.
        let Ok(read) = self.profile.read(&self.example) else { return lines };
        let own = read.calls.first().map(|call| format!("{}(", call.name)).unwrap_or_default();
        let Some(start) = self.example.rfind(&own) else { return lines };
        let end = self.example[start..].rfind(')').map_or(self.example.len(), |at| start + at + 1);
        format!("{}{lines}{}", &self.example[..start], &self.example[end..])
    }

    fn expression(&self, call: &Call) -> String {
        let prefix = match self.profile.form() {
            ReplyForm::Code => self.prefix(&call.name),
            _ => String::new(),
        };
        let named = call.named.iter().map(|(name, value)| format!("{name}={}", python(value)));
        let all: Vec<String> = call.positional.iter().map(python).chain(named).collect();
        format!("{prefix}{}({})", call.name, all.join(", "))
    }

    /// What a name of code begins with: the first prefix has what `pyautogui` has.
    fn prefix(&self, name: &str) -> String {
        const FIRST: [&str; 13] = word_list(
            "click doubleClick tripleClick rightClick middleClick moveTo dragTo scroll hscroll write press \
             hotkey keyDown",
        );
        let prefixes = self.profile.prefixes();
        let known = |prefix: &&String| match prefix.as_str() {
            "mobile" => self.fingers,
            "computer" | "browser" => !self.fingers,
            _ => false,
        };
        let own = if FIRST.contains(&name) { prefixes.first() } else { prefixes.iter().find(known) };
        // A profile that knows no fingers has its own words for a phone too.
        let prefix =
            own.or_else(|| prefixes.iter().find(|prefix| matches!(prefix.as_str(), "computer" | "browser")));
        prefix.map(|prefix| format!("{prefix}.")).unwrap_or_default()
    }

    fn tool_calls(&self, calls: &[Call]) -> String {
        const OPEN: &str = "<tool_call>";
        let before = self.example.split(OPEN).next().unwrap_or_default();
        let name = if self.fingers { "mobile_use" } else { "computer_use" };
        let blocks = calls.iter().map(|call| {
            let mut arguments = Map::new();
            arguments.insert("action".to_owned(), json!(call.name));
            arguments.extend(call.named.clone());
            format!("{OPEN}\n{}\n</tool_call>", json!({ "name": name, "arguments": arguments }))
        });
        format!("{before}{}", blocks.collect::<Vec<_>>().join("\n"))
    }

    fn objects(&self, calls: &[Call]) -> String {
        let all: Vec<Value> = calls.iter().map(|call| self.object(call)).collect();
        match all.as_slice() {
            [one] => one.to_string(),
            all => json!(all).to_string(),
        }
    }

    fn object(&self, call: &Call) -> Value {
        let keys = self.profile.keys();
        let shape = json::object(&self.example).unwrap_or_default();
        let inside = keys.inside.filter(|inside| shape.get(*inside).is_some_and(Value::is_object));
        let Some(inside) = inside else {
            let mut object = Map::new();
            object.insert(keys.name.to_owned(), json!(call.name));
            object.extend(call.named.clone());
            return Value::Object(object);
        };
        let name_is_inside = shape[inside].get(keys.name).is_some();
        let mut arguments = Map::new();
        let mut object = Map::new();
        if name_is_inside {
            arguments.insert(keys.name.to_owned(), json!(call.name));
            let kept = shape.iter().filter(|(key, _)| key.as_str() != inside);
            object.extend(kept.map(|(key, value)| (key.clone(), value.clone())));
        } else {
            object.insert(keys.name.to_owned(), json!(call.name));
        }
        arguments.extend(call.named.clone());
        object.insert(inside.to_owned(), Value::Object(arguments));
        Value::Object(object)
    }
}

fn python(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let text = text.replace('\\', "\\\\").replace('\'', "\\'");
            format!("'{}'", text.replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r"))
        }
        Value::Array(all) => {
            format!("[{}]", all.iter().map(python).collect::<Vec<_>>().join(", "))
        }
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Null => "None".to_owned(),
        other => other.to_string(),
    }
}
