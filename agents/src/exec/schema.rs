use schemars::SchemaGenerator;
use serde_json::{Value, json};
use waldo_devices::Tool;

use super::calls::ENDINGS;
use super::wire::{BeginQuestion, DecideAnswer, EndQuestion, HelloAnswer, HelloQuestion, TurnQuestion};

/// The schemas of all messages, by what they are: a question as it is put, or its answer. Beside what stands there each has
/// `id`, and a question `call` and `episode`.
pub fn schema() -> Value {
    let mut generator = SchemaGenerator::default();
    generator.subschema_for::<HelloQuestion>();
    generator.subschema_for::<HelloAnswer>();
    generator.subschema_for::<BeginQuestion<'_>>();
    generator.subschema_for::<TurnQuestion<'_>>();
    generator.subschema_for::<DecideAnswer>();
    generator.subschema_for::<EndQuestion<'_>>();
    let (draft, title) =
        ("https://json-schema.org/draft/2020-12/schema", "waldo's protocol for agents, version 1");
    let mut all = json!({ "$schema": draft, "title": title, "$defs": generator.take_definitions(true) });
    all["$defs"]["Call"] = json!({ "oneOf": calls() });
    all["$defs"]["DecideAnswer"]["properties"]["calls"]["items"] = json!({ "$ref": "#/$defs/Call" });
    all
}

fn calls() -> Vec<Value> {
    let tools = Tool::ALL.iter().map(|tool| {
        let mut schema = tool.schema();
        schema["properties"]["do"] = json!({ "const": tool.name() });
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        schema["required"] = std::iter::once(json!("do")).chain(required).collect();
        schema["description"] = json!(tool.spec().says("the element or place"));
        schema
    });
    let endings = ENDINGS.iter().map(|(name, param)| {
        let mut schema = json!({
            "type": "object", "properties": { "do": { "const": name } }, "required": ["do"], "additionalProperties": false,
        });
        if let Some(param) = param {
            schema["properties"][param] = json!({ "type": "string" });
            schema["required"] = json!(["do", param]);
        }
        schema
    });
    tools.chain(endings).collect()
}
