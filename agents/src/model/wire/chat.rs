//! OpenAI-compatible chat completions.
//!
//! Invariant: what the client writes a server reads, and the other way round.

use serde_json::{Map, Value, json};

use super::{IncomingChat, incoming};
use super::{
    IncomingFields, ModelAnswer, ReplyFault, WireError, WireForm, WirePlace, WireRequest, WireVendor, append,
    count, data_url, in_list, merge, number,
};
use crate::model::{Message, MessagePart, SampledTokens, Unread, Usage};
use waldo_devices::JsonMembers as _;

/// Where a request says the schema of its reply.
const SCHEMA: &str = "response_format";
/// Where a request asks vLLM for the ids of its tokens.
pub(crate) const TOKEN_IDS: &str = "return_token_ids";

pub(super) struct Chat;

impl WireForm for Chat {
    fn path(&self, _: &str, _: bool) -> (String, Option<&'static str>) {
        ("chat/completions".to_owned(), None)
    }

    fn request(&self, asked: &WireRequest<'_>) -> Value {
        let messages = asked.request.messages.iter();
        let messages: Vec<Value> = messages.map(|message| written(message, asked.image_detail)).collect();
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(asked.model));
        body.insert("messages".to_owned(), Value::Array(messages));
        let limit = if asked.learnt.other_limit_field { "max_completion_tokens" } else { "max_tokens" };
        body.insert(limit.to_owned(), json!(asked.max_tokens));
        body.put_some("temperature", asked.temperature.map(number));
        body.put_some("seed", asked.seed);
        if asked.stream {
            body.insert("stream".to_owned(), json!(true));
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        if asked.logprobs {
            body.insert("logprobs".to_owned(), json!(true));
            if !asked.learnt.no_token_ids {
                body.insert(TOKEN_IDS.to_owned(), json!(true));
            }
        }
        if let Some(held) = asked.schema() {
            // Not strict: that allows a part of what schemas can say only.
            let schema = json!({"name": held.name, "schema": held.schema, "strict": false});
            body.insert(SCHEMA.to_owned(), json!({"type": "json_schema", "json_schema": schema}));
        }
        merge(&mut body, asked.extra_body);
        Value::Object(body)
    }

    fn schema_field(&self) -> Option<&'static str> {
        Some(SCHEMA)
    }

    fn gives_tokens(&self) -> bool {
        true
    }

    fn read(&self, body: &Value) -> Result<ModelAnswer, ReplyFault> {
        let choices = body
            .get("choices")
            .and_then(Value::as_array)
            .ok_or_else(|| ReplyFault::Shape("it has no choices".to_owned()))?;
        let choice =
            choices.first().ok_or_else(|| ReplyFault::Shape("its list of choices is empty".to_owned()))?;
        let message = choice
            .get("message")
            .filter(|message| message.is_object())
            .ok_or_else(|| ReplyFault::Shape("its first choice has no message".to_owned()))?;
        let text = reply_text(message)?;
        let finish = choice.get("finish_reason").and_then(Value::as_str).map(str::to_owned);
        let given = |name: &str| message.get(name).filter(|value| !value.is_null());
        let calls = given("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
        let unread = if refusal(message).is_some() {
            Some(Unread::Refusal)
        } else if text.trim().is_empty() && (calls || given("function_call").is_some()) {
            Some(Unread::ToolCalls)
        } else {
            None
        };
        Ok(ModelAnswer {
            text,
            thinking: thinking(message),
            thought: count(body.get("usage"), "/completion_tokens_details/reasoning_tokens") > Some(0),
            usage: usage(body.get("usage")),
            sampled: sampled(body, choice),
            finish,
            unread,
            ..ModelAnswer::default()
        })
    }

    fn fold(&self, whole: &mut Value, event: &Value) {
        for field in ["usage", "error"] {
            if let Some(value) = event.get(field).filter(|value| !value.is_null()) {
                whole[field] = value.clone();
            }
        }
        let Some(choice) = event.pointer("/choices/0") else { return };
        if whole["choices"].is_null() {
            whole["choices"] = json!([{"message": {}}]);
        }
        whole.put_some("prompt_token_ids", event.get("prompt_token_ids").filter(|ids| ids.is_array()));
        if let Some(more) = choice.get("token_ids").and_then(Value::as_array) {
            in_list(&mut whole["choices"][0], "token_ids", |ids| ids.extend_from_slice(more));
        }
        if let Some(more) = choice.pointer("/logprobs/content").and_then(Value::as_array) {
            in_list(&mut whole["choices"][0]["logprobs"], "content", |all| all.extend_from_slice(more));
        }
        if let Some(finish) = choice.get("finish_reason").filter(|finish| finish.is_string()) {
            whole["choices"][0]["finish_reason"] = finish.clone();
        }
        let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) else { return };
        let message = &mut whole["choices"][0]["message"];
        for field in ["content", "refusal", "reasoning_content", "reasoning"] {
            if let Some(more) = delta.get(field).and_then(Value::as_str) {
                append(message, field, more);
            }
        }
        for field in ["tool_calls", "function_call"] {
            if let Some(calls) = delta.get(field).filter(|calls| !calls.is_null()) {
                message[field] = calls.clone();
            }
        }
    }

    fn offers_tool(&self) -> bool {
        false
    }

    fn vendor(&self) -> WireVendor {
        WireVendor { address: "https://api.openai.com/v1", key: "OPENAI_API_KEY" }
    }

    fn place(&self) -> WirePlace {
        WirePlace::At("chat/completions")
    }

    fn incoming<'a>(&self, body: &'a Value) -> IncomingFields<'a> {
        let max_tokens = body.get("max_completion_tokens").unwrap_or(&body["max_tokens"]);
        IncomingFields { system: &Value::Null, items: &body["messages"], content: "content", max_tokens }
    }

    fn response(&self, model: &str, text: &str, usage: &Usage) -> Value {
        chat_response(model, text, usage)
    }
}

/// A message. One of a single text goes as a plain string, which servers of text-only models need.
fn written(message: &Message, image_detail: Option<&str>) -> Value {
    if let [MessagePart::Text(text)] = message.parts.as_slice() {
        return json!({"role": message.speaker, "content": text});
    }
    let picture = |png: &[u8]| {
        let mut image = json!({"url": data_url(png)});
        image.put_some("detail", image_detail);
        json!({"type": "image_url", "image_url": image})
    };
    let parts = message.parts.iter().map(|part| match part {
        MessagePart::Text(text) => json!({"type": "text", "text": text}),
        MessagePart::Png(png) => picture(png),
        // This wire offers no vendor's tool, so that nobody was called.
        MessagePart::Said(said) => json!({"type": "text", "text": said.to_string()}),
        MessagePart::Result(result) => match &result.picture {
            Some(png) => picture(png),
            None => json!({"type": "text", "text": result.words}),
        },
    });
    json!({"role": message.speaker, "content": parts.collect::<Vec<_>>()})
}

/// The tokens of a reply: `logprobs` as OpenAI has them, ids as vLLM has them (0.10.2 and later). A list with a member of
/// another kind counts as not given.
fn sampled(body: &Value, choice: &Value) -> Option<SampledTokens> {
    let ids = |value: Option<&Value>| -> Vec<u32> {
        let id = |id: &Value| id.as_u64().and_then(|id| u32::try_from(id).ok());
        value.and_then(Value::as_array).and_then(|all| all.iter().map(id).collect()).unwrap_or_default()
    };
    let probabilities = choice.pointer("/logprobs/content").and_then(Value::as_array);
    let logprobs = probabilities.and_then(|all| all.iter().map(|one| one["logprob"].as_f64()).collect());
    let (prompt_ids, ids) = (ids(body.get("prompt_token_ids")), ids(choice.get("token_ids")));
    SampledTokens { prompt_ids, ids, logprobs: logprobs.unwrap_or_default() }.if_any()
}

fn refusal(message: &Value) -> Option<&str> {
    let own = message.get("refusal").and_then(Value::as_str);
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let of_parts = || parts.filter_map(|part| part.get("refusal").and_then(Value::as_str)).next();
    own.or_else(of_parts).filter(|words| !words.trim().is_empty())
}

/// What the model thought, under the names that servers give it.
fn thinking(message: &Value) -> Option<String> {
    let own = ["reasoning_content", "reasoning"].into_iter().find_map(|name| message.get(name)?.as_str());
    own.map(str::to_owned).or_else(|| {
        let parts = message.get("content")?.as_array()?.iter();
        let thoughts = parts.filter(|part| part["type"] == "thinking").map(|part| match &part["thinking"] {
            Value::Array(all) => all.iter().filter_map(|part| part["text"].as_str()).collect(),
            other => other.as_str().unwrap_or_default().to_owned(),
        });
        Some(thoughts.collect::<String>())
    })
}

/// The text of a reply; that of a refusal where there is no content. A model that spent its tokens on
/// thinking answers with neither, which is an empty text.
fn reply_text(message: &Value) -> Result<String, ReplyFault> {
    match message.get("content") {
        Some(Value::String(text)) if text.trim().is_empty() => {
            Ok(refusal(message).unwrap_or(text.as_str()).to_owned())
        }
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => Ok(parts
            .iter()
            .filter_map(|part| {
                part.as_str()
                    .or_else(|| part.get("text").and_then(Value::as_str))
                    .or_else(|| part.get("refusal").and_then(Value::as_str))
            })
            .collect()),
        None | Some(Value::Null) => {
            Ok(message.get("refusal").and_then(Value::as_str).unwrap_or_default().to_owned())
        }
        Some(_) => Err(ReplyFault::Shape("its content is neither text nor a list of parts".to_owned())),
    }
}

fn usage(usage: Option<&Value>) -> Usage {
    Usage {
        prompt: count(usage, "/prompt_tokens"),
        cached: count(usage, "/prompt_tokens_details/cached_tokens")
            .or_else(|| count(usage, "/prompt_cache_hit_tokens")),
        completion: count(usage, "/completion_tokens"),
        ..Usage::default()
    }
}

pub(crate) fn parse_chat_request(bytes: &[u8]) -> Result<IncomingChat, WireError> {
    incoming::chat(bytes)
}

/// A chat completion with one choice. `usage` is left out where neither count is known.
pub(crate) fn chat_response(model: &str, text: &str, usage: &Usage) -> Value {
    let mut body = json!({
        "id": format!("chatcmpl-{:016x}", rand::random::<u64>()),
        "object": "chat.completion",
        "created": jiff::Timestamp::now().as_second(),
        "model": model,
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }],
    });
    if usage.prompt.is_some() || usage.completion.is_some() {
        let (prompt, completion) = (usage.prompt.unwrap_or(0), usage.completion.unwrap_or(0));
        let total = prompt.saturating_add(completion);
        body["usage"] =
            json!({ "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total });
        if let Some(cached) = usage.cached {
            body["usage"]["prompt_tokens_details"] = json!({"cached_tokens": cached});
        }
    }
    body
}

/// An error body; `kind` is the wire's word for it, such as `invalid_request_error`.
pub fn error_response(message: &str, kind: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}

#[cfg(test)]
#[path = "chat_tests.rs"]
mod tests;
