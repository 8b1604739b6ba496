//! Requests as a server of a wire gets them, and its answers: for the stand-ins that answer in place of a model.
//!
//! Invariant: what the client writes on a wire is read here to the same conversation, whichever wire it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use super::{Wire, parse_chat_request};
use crate::model::{Speaker, Usage};

/// Why a request cannot be answered; a server says so with status 400.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    #[error("the body is not a chat completion request: {message}")]
    Shape {
        /// What is wrong, with line and column.
        message: String,
    },
    #[error("messages is empty: give at least one")]
    NoMessages,
    #[error("messages[{index}] has the role {role:?}: use system, developer, user or assistant")]
    Role {
        /// Position of the message, from 0.
        index: usize,
        role: String,
    },
    #[error("messages[{index}] has a part of type {kind:?}: use text or image_url")]
    Part {
        /// Position of the message, from 0.
        index: usize,
        kind: String,
    },
    #[error("stream is true, but only whole answers are supported: leave it out")]
    Stream,
    #[error("the body is not a request of the wire {wire}: {message}")]
    Other { wire: Wire, message: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingMessage {
    pub speaker: Speaker,
    /// Its text parts, joined by line breaks.
    pub text: String,
    pub pictures: usize,
    /// The files of those that came along as data, in their order.
    pub files: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingChat {
    pub model: String,
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

pub(super) fn chat(bytes: &[u8]) -> Result<IncomingChat, WireError> {
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

/// Reads a request of a wire. The model of a request of Gemini's stands in its address: `model` says it.
pub fn parse_request(wire: Wire, model: Option<&str>, bytes: &[u8]) -> Result<IncomingChat, WireError> {
    // What a stand-in says of a bad request is exact there.
    if wire == Wire::Chat {
        return parse_chat_request(bytes);
    }
    let wrong = |message: String| WireError::Other { wire, message };
    let body: Value = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
    if body["stream"] == true {
        return Err(WireError::Stream);
    }
    let fields = wire.form().incoming(&body);
    let model = model.or_else(|| body["model"].as_str());
    let model = model.ok_or_else(|| wrong("it names no model".to_owned()))?.to_owned();
    let mut messages = Vec::new();
    if !fields.system.is_null() {
        messages.push(read(Speaker::System, fields.system));
    }
    let items = fields.items.as_array().ok_or_else(|| wrong("it has no list of messages".to_owned()))?;
    for (index, item) in items.iter().enumerate() {
        // Answers of tools are the user's; what was said by a tool's call is nobody's words.
        let speaker = match item["role"].as_str() {
            Some("system" | "developer") => Speaker::System,
            Some("user") => Speaker::User,
            Some("assistant" | "model") => Speaker::Assistant,
            Some(role) => return Err(WireError::Role { index, role: role.to_owned() }),
            None if item["type"] == "computer_call_output" => Speaker::User,
            None => Speaker::Assistant,
        };
        let content = &item[fields.content];
        messages.push(read(speaker, if content.is_null() { item } else { content }));
    }
    if messages.iter().all(|message| message.speaker == Speaker::System) {
        return Err(WireError::NoMessages);
    }
    Ok(IncomingChat {
        model,
        messages,
        max_tokens: fields.max_tokens.as_u64().and_then(|n| u32::try_from(n).ok()),
    })
}

fn read(speaker: Speaker, content: &Value) -> IncomingMessage {
    let (mut texts, mut files) = (Vec::new(), Vec::new());
    gather(content, &mut texts, &mut files);
    IncomingMessage { speaker, text: texts.join("\n"), pictures: files.len(), files }
}

/// The texts and the pictures that stand anywhere in a content, in order.
fn gather(value: &Value, texts: &mut Vec<String>, files: &mut Vec<Vec<u8>>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|value| gather(value, texts, files)),
        Value::Object(part) => {
            if let Some(Value::String(text)) = part.get("text") {
                texts.push(text.clone());
            }
            // Anthropic's and Gemini's bytes, and the data address of OpenAI's.
            let own =
                ["source", "inlineData"].into_iter().find_map(|name| part.get(name)?.get("data")?.as_str());
            let url =
                part.get("image_url").and_then(Value::as_str).and_then(|url| url.split_once(";base64,"));
            files.extend(own.or(url.map(|(_, data)| data)).and_then(|data| STANDARD.decode(data).ok()));
            for inner in ["content", "output", "functionResponse", "parts"] {
                if let Some(inner) = part.get(inner).filter(|inner| !inner.is_string()) {
                    gather(inner, texts, files);
                }
            }
        }
        _ => {}
    }
}

/// A reply of one text on a wire. What of `usage` is unknown is left out.
pub fn response(wire: Wire, model: &str, text: &str, usage: &Usage) -> Value {
    wire.form().response(model, text, usage)
}
