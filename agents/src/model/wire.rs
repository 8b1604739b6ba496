//! The JSON of OpenAI-compatible chat completions, for the client and for a server of the same wire.
//!
//! Invariant: what one side writes, the other reads; unknown fields are ignored, as endpoints add their own.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use waldo_devices::labels::media_type;

use super::{Message, ModelRequest, Part, Speaker, Unread, Usage};

/// What a request holds beside model and conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extras<'a> {
    pub(crate) temperature: Option<f32>,
    pub(crate) seed: Option<u64>,
    pub(crate) image_detail: Option<&'a str>,
    /// Name of the field that limits the reply: `max_tokens`, or `max_completion_tokens` of newer models.
    pub(crate) limit_field: &'a str,
    /// Fields that are added last; null takes a field away.
    pub(crate) extra_body: &'a Map<String, Value>,
}

/// The JSON number of a temperature: 0.1 stays 0.1, where widening the bits gives 0.10000000149.
pub(crate) fn number(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

/// The body of a chat completion request.
pub(crate) fn chat_request(model: &str, request: &ModelRequest, extras: Extras<'_>) -> Value {
    let messages: Vec<Value> =
        request.messages.iter().map(|message| message_json(message, extras.image_detail)).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("messages".to_owned(), Value::Array(messages));
    body.insert(extras.limit_field.to_owned(), json!(request.max_tokens));
    if let Some(temperature) = extras.temperature {
        body.insert("temperature".to_owned(), number(temperature));
    }
    if let Some(seed) = extras.seed {
        body.insert("seed".to_owned(), json!(seed));
    }
    for (name, value) in extras.extra_body {
        if value.is_null() {
            body.shift_remove(name);
        } else {
            body.insert(name.clone(), value.clone());
        }
    }
    Value::Object(body)
}

/// A message. One of a single text goes as a plain string, which servers of text-only models need.
fn message_json(message: &Message, image_detail: Option<&str>) -> Value {
    if let [Part::Text(text)] = message.parts.as_slice() {
        return json!({"role": message.speaker, "content": text});
    }
    let parts: Vec<Value> = message
        .parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => json!({"type": "text", "text": text}),
            Part::Png(png) => {
                let media = media_type(png);
                let mut image = json!({"url": format!("data:{media};base64,{}", STANDARD.encode(png))});
                if let Some(detail) = image_detail {
                    image["detail"] = json!(detail);
                }
                json!({"type": "image_url", "image_url": image})
            }
        })
        .collect();
    json!({"role": message.speaker, "content": parts})
}

/// A usable chat completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChatReply {
    pub(crate) text: String,
    pub(crate) usage: Usage,
    pub(crate) finish: Option<String>,
    pub(crate) unread: Option<Unread>,
}

/// Why a body of status 200 is not a chat completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplyFault {
    /// It has another shape.
    Shape(String),
    /// It is an error that a gateway wrapped, with the status that it tells.
    Wrapped { status: Option<u16>, message: String },
}

/// Reads a chat completion.
pub(crate) fn parse_chat_reply(bytes: &[u8]) -> Result<ChatReply, ReplyFault> {
    let body: Value =
        serde_json::from_slice(bytes).map_err(|error| ReplyFault::Shape(format!("no JSON ({error})")))?;
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(ReplyFault::Wrapped {
            status: error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()),
            message: error_message(&body).unwrap_or_else(|| error.to_string()),
        });
    }
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
        Unread::of(&text, finish.as_deref())
    };
    Ok(ChatReply { text, usage: reply_usage(body.get("usage")), finish, unread })
}

/// The words of a refusal.
fn refusal(message: &Value) -> Option<&str> {
    let own = message.get("refusal").and_then(Value::as_str);
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let of_parts = || parts.filter_map(|part| part.get("refusal").and_then(Value::as_str)).next();
    own.or_else(of_parts).filter(|words| !words.trim().is_empty())
}

/// The text of a reply; that of a refusal where there is no content. A model that spent its tokens on
/// thinking answers with neither, which is an empty text: asking again would end the same.
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

fn reply_usage(usage: Option<&Value>) -> Usage {
    let count = |pointer: &str| usage.and_then(|usage| usage.pointer(pointer)).and_then(Value::as_u64);
    Usage {
        prompt: count("/prompt_tokens"),
        cached: count("/prompt_tokens_details/cached_tokens"),
        completion: count("/completion_tokens"),
        micro_usd: None,
    }
}

/// The message of an error body: `error.message`, `error`, `message` or `detail`, as servers have it.
pub(crate) fn error_message(body: &Value) -> Option<String> {
    ["/error/message", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|pointer| body.pointer(pointer).and_then(Value::as_str))
        .map(str::to_owned)
}

/// Why a request cannot be answered; a server says so with status 400.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The body has not the shape of a chat completion request.
    #[error("the body is not a chat completion request: {message}")]
    Shape {
        /// What is wrong, with line and column.
        message: String,
    },
    /// There is no message.
    #[error("messages is empty: give at least one")]
    NoMessages,
    /// A message has a role that is not known here.
    #[error("messages[{index}] has the role {role:?}: use system, developer, user or assistant")]
    Role {
        /// Position of the message, from 0.
        index: usize,
        /// The role.
        role: String,
    },
    /// A part of a message is of a kind that is not known here.
    #[error("messages[{index}] has a part of type {kind:?}: use text or image_url")]
    Part {
        /// Position of the message, from 0.
        index: usize,
        /// The part's type.
        kind: String,
    },
    /// A stream is asked for.
    #[error("stream is true: only whole answers are given, leave it out")]
    Stream,
}

/// A message that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingMessage {
    /// Who says it.
    pub speaker: Speaker,
    /// Its text parts, joined by line breaks.
    pub text: String,
    /// How many pictures it has.
    pub pictures: usize,
    /// The files of those that came along as data, in their order.
    pub files: Vec<Vec<u8>>,
}

/// A chat completion request that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingChat {
    /// The model asked for.
    pub model: String,
    /// The conversation, at least one message.
    pub messages: Vec<IncomingMessage>,
    /// Tokens that the reply may have, where the request says so.
    pub max_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct ChatRequest {
    model: String,
    messages: Vec<ChatMessage>,
    max_tokens: Option<u32>,
    max_completion_tokens: Option<u32>,
    stream: Option<bool>,
}

#[derive(Deserialize)]
struct ChatMessage {
    role: String,
    content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Deserialize)]
struct ContentPart {
    r#type: String,
    text: Option<String>,
    image_url: Option<ImageUrl>,
}

#[derive(Deserialize)]
struct ImageUrl {
    #[serde(default)]
    url: String,
}

/// Reads a chat completion request, for a server of the wire.
///
/// # Errors
/// [`WireError`] for whatever cannot be answered.
pub fn parse_chat_request(bytes: &[u8]) -> Result<IncomingChat, WireError> {
    let request: ChatRequest =
        serde_json::from_slice(bytes).map_err(|error| WireError::Shape { message: error.to_string() })?;
    if request.stream == Some(true) {
        return Err(WireError::Stream);
    }
    if request.messages.is_empty() {
        return Err(WireError::NoMessages);
    }
    let messages = request
        .messages
        .into_iter()
        .enumerate()
        .map(|(index, message)| incoming_message(index, message))
        .collect::<Result<_, _>>()?;
    Ok(IncomingChat {
        model: request.model,
        messages,
        max_tokens: request.max_completion_tokens.or(request.max_tokens),
    })
}

fn incoming_message(index: usize, message: ChatMessage) -> Result<IncomingMessage, WireError> {
    let speaker = match message.role.as_str() {
        "system" | "developer" => Speaker::System,
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        _ => {
            return Err(WireError::Role { index, role: message.role });
        }
    };
    let parts = match message.content {
        None => Vec::new(),
        Some(Content::Text(text)) => {
            return Ok(IncomingMessage { speaker, text, pictures: 0, files: Vec::new() });
        }
        Some(Content::Parts(parts)) => parts,
    };
    let mut texts = Vec::new();
    let mut pictures = 0;
    let mut files = Vec::new();
    for part in parts {
        match part.r#type.as_str() {
            "text" => texts.push(part.text.unwrap_or_default()),
            "image_url" => {
                pictures += 1;
                let data = part.image_url.as_ref().and_then(|image| image.url.split_once(";base64,"));
                files.extend(data.and_then(|(_, data)| STANDARD.decode(data).ok()));
            }
            _ => {
                return Err(WireError::Part { index, kind: part.r#type });
            }
        }
    }
    Ok(IncomingMessage { speaker, text: texts.join("\n"), pictures, files })
}

/// A chat completion with one choice. `usage` is left out where neither count is known.
pub fn chat_response(model: &str, text: &str, usage: &Usage) -> Value {
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
        body["usage"] = json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt.saturating_add(completion),
        });
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
mod tests;
