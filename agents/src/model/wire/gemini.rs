//! Gemini's generateContent.
//!
//! What was said is given back as it came: its parts carry signatures of the thinking behind them.

use std::sync::Arc;

use reqwest::header::HeaderName;
use serde_json::{Map, Value, json};
use waldo_devices::JsonMembers as _;

use super::{
    IncomingFields, ModelAnswer, ReplyFault, WireForm, WirePlace, WireRequest, WireVendor, count, encoded,
    in_list, joined, known_counts, merge, number, sum, system_of,
};
use crate::model::{
    ComputerTool, Message, MessagePart, ScreenKind, Speaker, ToolResult, ToolUse, Unread, Usage,
};

/// The argument in which a call says that a person has to confirm it.
const SAFETY: &str = "safety_decision";

/// Where a request says how its reply is made.
const CONFIG: &str = "generationConfig";

pub(super) struct Gemini;

impl WireForm for Gemini {
    fn path(&self, model: &str, stream: bool) -> (String, Option<&'static str>) {
        // A model of a publisher or a tuned one brings its own folder.
        let model = if model.contains('/') { model.to_owned() } else { format!("models/{model}") };
        match stream {
            true => (format!("{model}:streamGenerateContent"), Some("alt=sse")),
            false => (format!("{model}:generateContent"), None),
        }
    }

    fn key_header(&self) -> (HeaderName, &'static str) {
        (HeaderName::from_static("x-goog-api-key"), "")
    }

    fn request(&self, asked: &WireRequest<'_>) -> Value {
        let mut body = Map::new();
        let all = &asked.request.messages;
        body.put_some("systemInstruction", system_of(all).map(|text| json!({"parts": [{"text": text}]})));
        body.insert("contents".to_owned(), Value::Array(conversation(all)));
        let mut config = Map::new();
        config.insert("maxOutputTokens".to_owned(), json!(asked.max_tokens));
        config.put_some("temperature", asked.temperature.map(number));
        config.put_some("seed", asked.seed);
        if let Some(held) = asked.schema() {
            config.insert("responseMimeType".to_owned(), json!("application/json"));
            config.insert("responseJsonSchema".to_owned(), json!(held.schema));
        }
        body.insert(CONFIG.to_owned(), Value::Object(config));
        if let Some(tool) = asked.request.tool {
            body.insert("tools".to_owned(), json!([{"computerUse": {"environment": environment(tool)}}]));
        }
        merge(&mut body, asked.extra_body);
        Value::Object(body)
    }

    fn schema_field(&self) -> Option<&'static str> {
        Some(CONFIG)
    }

    fn read(&self, body: &Value) -> Result<ModelAnswer, ReplyFault> {
        let usage = usage(body.get("usageMetadata"));
        let blocked = body.pointer("/promptFeedback/blockReason").and_then(Value::as_str);
        let Some(candidate) = body.pointer("/candidates/0") else {
            let blocked = blocked.ok_or_else(|| ReplyFault::Shape("it has no candidates".to_owned()))?;
            let why = body.pointer("/promptFeedback/blockReasonMessage").and_then(Value::as_str);
            return Ok(ModelAnswer {
                text: why.unwrap_or_default().to_owned(),
                usage,
                finish: Some(blocked.to_owned()),
                unread: Some(Unread::Refusal),
                ..ModelAnswer::default()
            });
        };
        let parts: &[Value] =
            candidate.pointer("/content/parts").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let of = |thought: bool| -> String {
            let parts = parts.iter().filter(|part| part["thought"].as_bool().unwrap_or(false) == thought);
            parts.filter_map(|part| part.get("text")?.as_str()).collect()
        };
        let calls: Vec<Arc<ToolUse>> = parts
            .iter()
            .filter_map(|part| part.get("functionCall"))
            .map(|made| Arc::new(call(made)))
            .collect();
        let finish = candidate.get("finishReason").and_then(Value::as_str).map(str::to_owned);
        let broken = matches!(finish.as_deref(), Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL"));
        Ok(ModelAnswer {
            text: of(false),
            thinking: Some(of(true)),
            thought: count(body.get("usageMetadata"), "/thoughtsTokenCount") > Some(0),
            unread: (broken && calls.is_empty()).then_some(Unread::Other),
            calls,
            said: candidate.get("content").filter(|content| content.is_object()).cloned().map(Arc::new),
            sampled: None,
            usage,
            finish,
        })
    }

    fn fold(&self, whole: &mut Value, event: &Value) {
        for field in ["usageMetadata", "promptFeedback", "error"] {
            if let Some(value) = event.get(field).filter(|value| !value.is_null()) {
                whole[field] = value.clone();
            }
        }
        let Some(candidate) = event.pointer("/candidates/0") else { return };
        if whole["candidates"].is_null() {
            whole["candidates"] = json!([{"content": {"role": "model", "parts": []}}]);
        }
        let there = &mut whole["candidates"][0];
        there.put_some("finishReason", candidate.get("finishReason").filter(|finish| finish.is_string()));
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        in_list(&mut there["content"], "parts", |all| all.extend(parts.into_iter().flatten().cloned()));
    }

    fn vendor(&self) -> WireVendor {
        WireVendor { address: "https://generativelanguage.googleapis.com/v1beta", key: "GEMINI_API_KEY" }
    }

    fn place(&self) -> WirePlace {
        WirePlace::AfterModel(":generateContent")
    }

    fn incoming<'a>(&self, body: &'a Value) -> IncomingFields<'a> {
        IncomingFields {
            system: &body["systemInstruction"]["parts"],
            items: &body["contents"],
            content: "parts",
            max_tokens: &body["generationConfig"]["maxOutputTokens"],
        }
    }

    fn response(&self, model: &str, text: &str, usage: &Usage) -> Value {
        json!({
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}],
            "modelVersion": model,
            "usageMetadata": known_counts(usage, "promptTokenCount", "candidatesTokenCount"),
        })
    }
}

fn environment(tool: ComputerTool) -> &'static str {
    match tool.screen {
        ScreenKind::Browser => "ENVIRONMENT_BROWSER",
        ScreenKind::Desktop => "ENVIRONMENT_DESKTOP",
        ScreenKind::Phone => "ENVIRONMENT_MOBILE",
    }
}

/// The messages but those of the system, those of one speaker joined.
fn conversation(messages: &[Message]) -> Vec<Value> {
    let role = |speaker| if speaker == Speaker::Assistant { "model" } else { "user" };
    let all = joined(messages, parts).into_iter();
    all.map(|(speaker, parts)| json!({"role": role(speaker), "parts": parts})).collect()
}

fn parts(part: &MessagePart) -> Vec<Value> {
    match part {
        MessagePart::Text(text) => vec![json!({"text": text})],
        MessagePart::Png(png) => vec![picture(png)],
        MessagePart::Said(said) => said.get("parts").and_then(Value::as_array).cloned().unwrap_or_default(),
        MessagePart::Result(result) => vec![answered(result)],
    }
}

fn picture(png: &[u8]) -> Value {
    let (media, data) = encoded(png);
    json!({"inlineData": {"mimeType": media, "data": data}})
}

fn answered(result: &ToolResult) -> Value {
    let mut said = json!({ if result.failed { "error" } else { "output" }: result.words });
    said.put_some("url", &result.address);
    let mut response = json!({"name": result.call.name, "response": said});
    response.put_filled("id", &result.call.id);
    response.put_some("parts", result.picture.as_ref().map(|png| json!([picture(png)])));
    json!({"functionResponse": response})
}

fn call(made: &Value) -> ToolUse {
    let text = |field: &str| made.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut args = made.get("args").and_then(Value::as_object).cloned().unwrap_or_default();
    let safety = args.shift_remove(SAFETY);
    let check = safety.filter(|safety| safety["decision"] == "require_confirmation").map(|safety| {
        let why = safety.get("explanation").and_then(Value::as_str);
        why.unwrap_or("the action needs to be confirmed").to_owned()
    });
    let name = text("name");
    ToolUse {
        id: text("id"),
        does: vec![json!({"name": name, "args": args})],
        name,
        set: None,
        checks: check.into_iter().collect(),
    }
}

/// Tokens; thinking is counted apart on this wire, and is of the reply too.
fn usage(usage: Option<&Value>) -> Usage {
    Usage {
        prompt: sum(&[count(usage, "/promptTokenCount"), count(usage, "/toolUsePromptTokenCount")]),
        cached: count(usage, "/cachedContentTokenCount"),
        completion: sum(&[count(usage, "/candidatesTokenCount"), count(usage, "/thoughtsTokenCount")]),
        ..Usage::default()
    }
}
