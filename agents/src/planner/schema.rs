//! The published schema of a planner's answer; its actions come from the catalogue.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use waldo_devices::{DeviceInfo, Tool};

use super::act::{Act, name_of, parameter, tools};
use super::catalogue;
use super::reply::PlannerReply;
use super::specs::{EXTRACT, FINISH, WIDGET};

impl JsonSchema for Act {
    fn schema_name() -> Cow<'static, str> {
        "Act".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let own = [
            kind(
                WIDGET.name,
                WIDGET.purpose,
                json!({ "goal": { "type": "string" },
                "element_description": { "type": ["string", "null"] } }),
                &["goal"],
            ),
            kind(
                EXTRACT.name,
                EXTRACT.purpose,
                json!({ "description": { "type": "string" },
                "data": {} }),
                &["description", "data"],
            ),
            kind(
                FINISH.name,
                FINISH.purpose,
                json!({ "status": { "type": "string",
                "enum": ["success", "failure"] }, "answer": { "type": ["string", "null"] } }),
                &["status"],
            ),
        ];
        let all: Vec<Value> = tools().map(of_tool).chain(own).collect();
        schemars::json_schema!({ "oneOf": all })
    }
}

fn of_tool(tool: Tool) -> Value {
    let spec = tool.spec();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in spec.params.iter().filter(|param| !param.seldom) {
        let name = parameter(tool, param);
        let schema = if param.kind.is_target() || param.schema()["type"] == "array" {
            let mut words = json!({ "type": "string" });
            words["description"] = json!(param.what);
            words
        } else {
            param.schema()
        };
        properties.insert(name.to_owned(), schema);
        // Where the action's description is enough the element needs none of its own.
        if !param.optional && name != "element_description" {
            required.push(name);
        }
    }
    kind(name_of(tool), &spec.says("something"), Value::Object(properties), &required)
}

fn kind(name: &str, purpose: &str, properties: Value, required: &[&str]) -> Value {
    let mut all = json!({ "type": { "type": "string", "const": name } });
    let mut needed = vec!["type"];
    if properties.as_object().is_some_and(|p| !p.is_empty()) {
        all["parameters"] = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            all["parameters"]["required"] = json!(required);
            needed.push("parameters");
        }
    }
    json!({ "type": "object", "properties": all, "required": needed, "description": purpose })
}

/// The JSON schema of an answer; for a device, with the actions that it has.
pub fn schema(device: Option<&DeviceInfo>) -> Value {
    let mut schema = schemars::schema_for!(PlannerReply).to_value();
    let known = |shape: &Value| {
        let name = shape.pointer("/properties/type/const").and_then(Value::as_str);
        name.is_none_or(|name| device.is_none_or(|device| catalogue::offered(device, name)))
    };
    walk(&mut schema, &mut |value| {
        if let Some(Value::Array(kinds)) = value.get_mut("oneOf") {
            kinds.retain(known);
        }
    });
    schema
}

/// The same without its words, for a request: the prompt says what actions and parameters are.
pub(super) fn wordless_schema(device: &DeviceInfo) -> Value {
    let mut schema = schema(Some(device));
    walk(&mut schema, &mut |value| {
        if let Value::Object(map) = value
            && map.get("description").is_some_and(Value::is_string)
        {
            map.shift_remove("description");
        }
    });
    schema
}

fn walk(value: &mut Value, change: &mut impl FnMut(&mut Value)) {
    change(value);
    match value {
        Value::Object(map) => map.values_mut().for_each(|inner| walk(inner, change)),
        Value::Array(list) => list.iter_mut().for_each(|inner| walk(inner, change)),
        _ => {}
    }
}
