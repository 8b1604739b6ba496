//! OpenAI's Responses.
//!
//! Nothing is kept by the endpoint (`store` is false): what the model said, its reasoning in sealed form included, is
//! given back with the next request.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use waldo_devices::JsonMembers as _;

use super::{
    IncomingFields, ModelAnswer, ReplyFault, WireForm, WirePlace, WireRequest, WireVendor, count, data_url,
    known_counts, merge, number, system_of,
};
use crate::model::{
    ComputerTool, Message, MessagePart, ScreenKind, Speaker, ToolResult, ToolUse, Unread, Usage,
};

/// The tool in its versions, the newest first.
const TOOLS: [&str; 2] = ["computer", "computer_use_preview"];

const SCHEMA: &str = "text";

pub(super) struct Responses;

impl WireForm for Responses {
    fn path(&self, _: &str, _: bool) -> (String, Option<&'static str>) {
        ("responses".to_owned(), None)
    }

    fn request(&self, asked: &WireRequest<'_>) -> Value {
        let mut body = Map::new();
        let all = &asked.request.messages;
        body.insert("model".to_owned(), json!(asked.model));
        body.put_some("instructions", system_of(all));
        let others = all.iter().filter(|message| message.speaker != Speaker::System);
        let items: Vec<Value> = others.flat_map(|message| items(message, asked.image_detail)).collect();
        body.insert("input".to_owned(), Value::Array(items));
        body.insert("max_output_tokens".to_owned(), json!(asked.max_tokens));
        body.insert("store".to_owned(), json!(false));
        body.put_some("temperature", asked.temperature.map(number));
        if let Some(tool) = asked.request.tool {
            body.insert("tools".to_owned(), json!([offered(tool, asked.learnt.older_tool)]));
            if asked.learnt.older_tool > 0 {
                // What the older tool asks for.
                body.insert("truncation".to_owned(), json!("auto"));
            }
            if !asked.learnt.no_reasoning {
                body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
            }
        }
        body.put_filled("stream", asked.stream);
        if let Some(held) = asked.schema() {
            let format =
                json!({"type": "json_schema", "name": held.name, "schema": held.schema, "strict": false});
            body.insert(SCHEMA.to_owned(), json!({"format": format}));
        }
        merge(&mut body, asked.extra_body);
        Value::Object(body)
    }

    fn schema_field(&self) -> Option<&'static str> {
        Some(SCHEMA)
    }

    fn read(&self, body: &Value) -> Result<ModelAnswer, ReplyFault> {
        let items = body
            .get("output")
            .and_then(Value::as_array)
            .ok_or_else(|| ReplyFault::Shape("it has no output".to_owned()))?;
        let parts = || {
            let messages = items.iter().filter(|item| item["type"] == "message");
            messages.filter_map(|item| item.get("content")?.as_array()).flatten()
        };
        let of = |field: &str| -> String { parts().filter_map(|part| part.get(field)?.as_str()).collect() };
        let (text, refusal) = (of("text"), of("refusal"));
        let refused = !refusal.trim().is_empty();
        let status = body.get("status").and_then(Value::as_str);
        let why = body.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let calls: Vec<Arc<ToolUse>> = items
            .iter()
            .filter(|item| item["type"] == "computer_call")
            .map(|item| Arc::new(call(item)))
            .collect();
        let foreign = items.iter().any(|item| item["type"] == "function_call");
        let unread = if refused {
            Some(Unread::Refusal)
        } else if text.trim().is_empty() && calls.is_empty() && foreign {
            Some(Unread::ToolCalls)
        } else {
            None
        };
        Ok(ModelAnswer {
            text: if text.trim().is_empty() { refusal } else { text },
            thinking: Some(thinking(items)),
            thought: items.iter().any(|item| item["type"] == "reasoning"),
            calls,
            said: Some(Arc::new(items.iter().filter(|item| may_come_back(item)).cloned().collect())),
            sampled: None,
            usage: usage(body.get("usage")),
            finish: why.or(status).map(str::to_owned),
            unread,
        })
    }

    fn fold(&self, whole: &mut Value, event: &Value) {
        match event["type"].as_str().unwrap_or_default() {
            "response.completed" | "response.incomplete" | "response.failed" => {
                if let Some(response) = event.get("response").filter(|response| response.is_object()) {
                    whole.clone_from(response);
                }
            }
            "error" => whole["error"] = event.get("error").unwrap_or(event).clone(),
            _ => {}
        }
    }

    fn tools(&self) -> &'static [&'static str] {
        &TOOLS
    }

    fn answers_every_call(&self) -> bool {
        true
    }

    fn vendor(&self) -> WireVendor {
        WireVendor { address: "https://api.openai.com/v1", key: "OPENAI_API_KEY" }
    }

    fn place(&self) -> WirePlace {
        WirePlace::At("responses")
    }

    fn incoming<'a>(&self, body: &'a Value) -> IncomingFields<'a> {
        IncomingFields {
            system: &body["instructions"],
            items: &body["input"],
            content: "content",
            max_tokens: &body["max_output_tokens"],
        }
    }

    fn response(&self, model: &str, text: &str, usage: &Usage) -> Value {
        json!({
            "id": format!("resp_{:016x}", rand::random::<u64>()), "object": "response", "model": model,
            "status": "completed",
            "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}],
            "usage": known_counts(usage, "input_tokens", "output_tokens"),
        })
    }
}

fn items(message: &Message, detail: Option<&str>) -> Vec<Value> {
    let (mut items, mut content) = (Vec::new(), Vec::new());
    let assistant = message.speaker == Speaker::Assistant;
    let put = |content: &mut Vec<Value>, items: &mut Vec<Value>| {
        if !content.is_empty() {
            items.push(json!({"role": message.speaker, "content": std::mem::take(content)}));
        }
    };
    for part in &message.parts {
        match part {
            MessagePart::Text(text) if assistant => {
                content.push(json!({"type": "output_text", "text": text}))
            }
            MessagePart::Text(text) => content.push(json!({"type": "input_text", "text": text})),
            MessagePart::Png(png) => {
                let mut image = json!({"type": "input_image", "image_url": data_url(png)});
                image.put_some("detail", detail);
                content.push(image);
            }
            MessagePart::Said(said) => {
                put(&mut content, &mut items);
                items.extend(said.as_array().cloned().unwrap_or_default());
            }
            MessagePart::Result(result) => {
                put(&mut content, &mut items);
                items.push(answered(result));
                if result.failed {
                    // The answer of this tool is a picture alone.
                    content.push(json!({"type": "input_text", "text": result.words}));
                }
            }
        }
    }
    put(&mut content, &mut items);
    items
}

fn answered(result: &ToolResult) -> Value {
    let picture = result.picture.as_deref().map(data_url).unwrap_or_default();
    json!({
        "type": "computer_call_output", "call_id": result.call.id,
        "output": {"type": "computer_screenshot", "image_url": picture},
    })
}

fn offered(tool: ComputerTool, older: usize) -> Value {
    if older == 0 {
        return json!({"type": TOOLS[0]});
    }
    let environment = match tool.screen {
        ScreenKind::Browser => "browser",
        ScreenKind::Desktop | ScreenKind::Phone => "linux",
    };
    json!({
        "type": TOOLS[1], "display_width": tool.width, "display_height": tool.height,
        "environment": environment,
    })
}

/// A call: one action, or several that are to follow each other.
fn call(item: &Value) -> ToolUse {
    let text = |field: &str| item.get(field).and_then(Value::as_str).map(str::to_owned);
    let batch = item.get("actions").and_then(Value::as_array).cloned().unwrap_or_default();
    let one = item.get("action").filter(|action| action.is_object() && batch.is_empty()).cloned();
    let does = one.into_iter().chain(batch).map(|action| json!({"type": "computer_call", "action": action}));
    let checks = item.get("pending_safety_checks").and_then(Value::as_array).into_iter().flatten();
    let checks = checks.map(|check| {
        let said = ["message", "code"].into_iter().find_map(|field| check.get(field)?.as_str());
        said.unwrap_or("a safety check").to_owned()
    });
    ToolUse {
        id: text("call_id").unwrap_or_default(),
        name: "computer".to_owned(),
        set: None,
        does: does.collect(),
        checks: checks.collect(),
    }
}

/// Whether an item may be given back: of reasoning that the endpoint does not keep only what is sealed.
fn may_come_back(item: &Value) -> bool {
    item["type"] != "reasoning" || item.get("encrypted_content").is_some_and(Value::is_string)
}

/// Reasoning, as far as it is told: its summaries, or its text.
fn thinking(items: &[Value]) -> String {
    let of = |item: &Value, field: &str| -> Vec<String> {
        let parts = item.get(field).and_then(Value::as_array).into_iter().flatten();
        parts.filter_map(|part| Some(part.get("text")?.as_str()?.to_owned())).collect()
    };
    let reasoning = items.iter().filter(|item| item["type"] == "reasoning");
    reasoning
        .flat_map(|item| [of(item, "summary"), of(item, "content")].concat())
        .collect::<Vec<_>>()
        .join("\n")
}

fn usage(usage: Option<&Value>) -> Usage {
    Usage {
        prompt: count(usage, "/input_tokens"),
        cached: count(usage, "/input_tokens_details/cached_tokens"),
        completion: count(usage, "/output_tokens"),
        ..Usage::default()
    }
}
