//! Anthropic's Messages.
//!
//! The system's words stand apart; the vendor's tool for computers is offered in its newest version, and an older one
//! where the endpoint does not know it. What was said is given back as it came, thinking and its signatures included.

use std::sync::Arc;

use reqwest::header::{HeaderMap, HeaderName};
use serde_json::{Map, Value, json};

use super::{
    IncomingFields, ModelAnswer, ReplyFault, WireForm, WirePlace, WireRequest, WireVendor, append, count,
    encoded, header, in_list, joined, known_counts, merge, number, sum, system_of,
};
use crate::model::{ComputerTool, Message, MessagePart, Speaker, ToolResult, ToolUse, Unread, Usage};
use waldo_devices::JsonMembers as _;

/// The version of the interface that requests are written for.
const VERSION: &str = "2023-06-01";
const TOOL: &str = "computer";
/// The tool in its versions, the newest first.
const TOOLS: [&str; 3] = ["computer_toolset_20260801", "computer_20251124", "computer_20250124"];
/// What has to be asked for beside each of them.
const BETAS: [Option<&str>; 3] = [None, Some("computer-use-2025-11-24"), Some("computer-use-2025-01-24")];
/// Actions that are not offered, for nothing here carries them out.
const LEFT_OUT: [&str; 3] = ["zoom", "cursor_position", "hold_key"];

pub(super) struct Anthropic;

impl WireForm for Anthropic {
    fn path(&self, _: &str, _: bool) -> (String, Option<&'static str>) {
        ("messages".to_owned(), None)
    }

    fn key_header(&self) -> (HeaderName, &'static str) {
        (HeaderName::from_static("x-api-key"), "")
    }

    fn add_headers(&self, asked: &WireRequest<'_>, to: &mut HeaderMap) {
        to.insert("anthropic-version", header(VERSION));
        let beta = asked.request.tool.and_then(|_| BETAS.get(asked.learnt.older_tool).copied().flatten());
        if let Some(beta) = beta {
            to.insert("anthropic-beta", header(beta));
        }
    }

    fn request(&self, asked: &WireRequest<'_>) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(asked.model));
        body.insert("max_tokens".to_owned(), json!(asked.max_tokens));
        let all = &asked.request.messages;
        if let Some(text) = system_of(all) {
            body.insert(
                "system".to_owned(),
                json!([{"type": "text", "text": text, "cache_control": cached()}]),
            );
        }
        body.insert("messages".to_owned(), Value::Array(conversation(all)));
        body.put_some("temperature", asked.temperature.map(number));
        if let Some(tool) = asked.request.tool {
            body.insert("tools".to_owned(), json!([offered(tool, asked.learnt.older_tool)]));
        }
        body.put_filled("stream", asked.stream);
        merge(&mut body, asked.extra_body);
        Value::Object(body)
    }

    fn read(&self, body: &Value) -> Result<ModelAnswer, ReplyFault> {
        let blocks = body
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(|| ReplyFault::Shape("it has no content".to_owned()))?;
        let of = |kind: &str, field: &str| -> String {
            let blocks = blocks.iter().filter(|block| block["type"] == kind);
            blocks.filter_map(|block| block.get(field)?.as_str()).collect()
        };
        let finish = body.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
        let mut text = of("text", "text");
        let refused = finish.as_deref() == Some("refusal");
        if refused && text.trim().is_empty() {
            let why = body.pointer("/stop_details/explanation").and_then(Value::as_str);
            why.unwrap_or_default().clone_into(&mut text);
        }
        Ok(ModelAnswer {
            text,
            thinking: Some(of("thinking", "thinking")),
            thought: blocks
                .iter()
                .any(|block| block["type"] == "thinking" || block["type"] == "redacted_thinking"),
            calls: blocks
                .iter()
                .filter(|block| block["type"] == "tool_use")
                .map(|b| Arc::new(call(b)))
                .collect(),
            said: Some(Arc::new(Value::Array(blocks.clone()))),
            sampled: None,
            usage: usage(body.get("usage")),
            finish,
            unread: refused.then_some(Unread::Refusal),
        })
    }

    fn fold(&self, whole: &mut Value, event: &Value) {
        let index = event.get("index").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                if let Some(message) = event.get("message").filter(|message| message.is_object()) {
                    whole.clone_from(message);
                }
            }
            "content_block_start" => {
                let block = event["content_block"].clone();
                in_list(whole, "content", |all| {
                    if block.is_object() {
                        all.push(block);
                    }
                });
            }
            "content_block_delta" => {
                let Some(index) = index else { return };
                let Some(block) = whole.pointer_mut(&format!("/content/{index}")) else { return };
                delta(block, &event["delta"]);
            }
            "content_block_stop" => {
                let Some(index) = index else { return };
                let Some(block) = whole.pointer_mut(&format!("/content/{index}")) else { return };
                // A tool's input comes in pieces of JSON.
                if let Some(Value::String(pieces)) = block.get("partial").cloned() {
                    if let Some(block) = block.as_object_mut() {
                        block.shift_remove("partial");
                    }
                    block["input"] = serde_json::from_str(&pieces).unwrap_or_else(|_| json!({}));
                }
            }
            "message_delta" => {
                for field in ["stop_reason", "stop_details"] {
                    if let Some(value) = event["delta"].get(field).filter(|value| !value.is_null()) {
                        whole[field] = value.clone();
                    }
                }
                for (name, value) in event["usage"].as_object().into_iter().flatten() {
                    if !value.is_null() {
                        if !whole["usage"].is_object() {
                            whole["usage"] = json!({});
                        }
                        whole["usage"][name] = value.clone();
                    }
                }
            }
            "error" => whole["error"] = event["error"].clone(),
            _ => {}
        }
    }

    fn tools(&self) -> &'static [&'static str] {
        &TOOLS
    }

    fn vendor(&self) -> WireVendor {
        WireVendor { address: "https://api.anthropic.com/v1", key: "ANTHROPIC_API_KEY" }
    }

    fn place(&self) -> WirePlace {
        WirePlace::At("messages")
    }

    fn incoming<'a>(&self, body: &'a Value) -> IncomingFields<'a> {
        IncomingFields {
            system: &body["system"],
            items: &body["messages"],
            content: "content",
            max_tokens: &body["max_tokens"],
        }
    }

    fn response(&self, model: &str, text: &str, usage: &Usage) -> Value {
        json!({
            "id": format!("msg_{:016x}", rand::random::<u64>()), "type": "message", "role": "assistant",
            "model": model, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
            "usage": known_counts(usage, "input_tokens", "output_tokens"),
        })
    }
}

/// A mark after which a prompt may be kept for the next request.
fn cached() -> Value {
    json!({"type": "ephemeral"})
}

fn delta(block: &mut Value, delta: &Value) {
    if !block.is_object() {
        return;
    }
    let mut add = |to: &str, from: &str| {
        if let Some(more) = delta.get(from).and_then(Value::as_str) {
            append(block, to, more);
        }
    };
    match delta["type"].as_str().unwrap_or_default() {
        "text_delta" => add("text", "text"),
        "thinking_delta" => add("thinking", "thinking"),
        "signature_delta" => add("signature", "signature"),
        "input_json_delta" => add("partial", "partial_json"),
        _ => {}
    }
}

/// The messages but those of the system, those of one speaker joined. Where the conversation goes on, its end is
/// marked to be kept: the next request begins with all of it.
fn conversation(messages: &[Message]) -> Vec<Value> {
    let mut all = joined(messages, blocks);
    let goes_on = all.iter().any(|(speaker, _)| *speaker == Speaker::Assistant);
    if let Some((Speaker::User, blocks)) = all.last_mut().filter(|_| goes_on)
        && let Some(last) = blocks.last_mut()
    {
        last["cache_control"] = cached();
    }
    // What the model is to go on with may not end in a blank.
    if let Some((Speaker::Assistant, blocks)) = all.last_mut()
        && let Some(Value::String(text)) = blocks.last_mut().and_then(|block| block.get_mut("text"))
    {
        text.truncate(text.trim_end().len());
    }
    all.into_iter().map(|(speaker, content)| json!({"role": speaker, "content": content})).collect()
}

fn blocks(part: &MessagePart) -> Vec<Value> {
    match part {
        MessagePart::Text(text) if text.trim().is_empty() => Vec::new(),
        MessagePart::Text(text) => vec![json!({"type": "text", "text": text})],
        MessagePart::Png(png) => vec![picture(png)],
        MessagePart::Said(said) => said.as_array().cloned().unwrap_or_default(),
        MessagePart::Result(result) => vec![answered(result)],
    }
}

fn picture(png: &[u8]) -> Value {
    let (media, data) = encoded(png);
    json!({"type": "image", "source": {"type": "base64", "media_type": media, "data": data}})
}

fn answered(result: &ToolResult) -> Value {
    let mut content = vec![json!({"type": "text", "text": result.words})];
    content.extend(result.picture.as_deref().map(picture));
    let mut block = json!({"type": "tool_result", "tool_use_id": result.call.id});
    block.put_some("toolset_name", &result.call.set);
    block["content"] = Value::Array(content);
    block.put_filled("is_error", result.failed);
    block
}

fn offered(tool: ComputerTool, older: usize) -> Value {
    let version = TOOLS[older.min(TOOLS.len() - 1)];
    if older == 0 {
        let off: Map<String, Value> =
            LEFT_OUT.iter().map(|name| ((*name).to_owned(), json!({"enabled": false}))).collect();
        return json!({"type": version, "configs": off});
    }
    json!({
        "type": version, "name": TOOL,
        "display_width_px": tool.width, "display_height_px": tool.height,
    })
}

/// A call. One of the set is named by its action; one of the older tool has it among its input.
fn call(block: &Value) -> ToolUse {
    let text = |field: &str| block.get(field).and_then(Value::as_str).map(str::to_owned);
    let (name, set) = (text("name").unwrap_or_default(), text("toolset_name"));
    let mut input = block.get("input").and_then(Value::as_object).cloned().unwrap_or_default();
    if name != TOOL {
        input.insert("action".to_owned(), json!(name));
    }
    ToolUse {
        id: text("id").unwrap_or_default(),
        name,
        set,
        does: vec![json!({"input": input})],
        checks: Vec::new(),
    }
}

/// Tokens; what was read from the cache or written into it is counted apart on this wire, and is of the prompt too.
fn usage(usage: Option<&Value>) -> Usage {
    let (read, written) =
        (count(usage, "/cache_read_input_tokens"), count(usage, "/cache_creation_input_tokens"));
    Usage {
        prompt: sum(&[count(usage, "/input_tokens"), read, written]),
        cached: read,
        written: written.filter(|n| *n > 0),
        completion: count(usage, "/output_tokens"),
        micro_usd: None,
    }
}
