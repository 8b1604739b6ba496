//! The wires: how a request is written and a reply read, for each kind of endpoint.
//!
//! A wire is a `WireForm`: data in, data out. How a request is sent, tried again and bounded is the endpoint's, and
//! the same for all. A reply that came as a stream is put together to what would have come whole (`WireForm::fold`),
//! so that there is one reader for each wire.
//!
//! Invariants: what a model thinks is told apart and is never text; a refusal, a reply that was cut off and one
//! without text are named as such on every wire; one without any content is the endpoint's fault on every wire; unknown fields are ignored, as endpoints add their own.

mod anthropic;
mod chat;
mod gemini;
mod incoming;
mod responses;
pub(crate) mod sse;

use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use waldo_devices::labels::media_type;
use waldo_devices::word_list;

pub(crate) use self::chat::TOKEN_IDS;
#[cfg(test)]
pub(crate) use self::chat::chat_response;
pub use self::chat::error_response;
pub(crate) use self::chat::parse_chat_request;
pub use self::incoming::{IncomingChat, IncomingMessage, WireError, parse_request, response};
use super::{
    Message, MessagePart, ModelRequest, ReplySchema, SampledTokens, Speaker, ToolUse, Unread, Usage,
};

/// Makes [`Wire`] of a line for each: its variant, its name, and what writes and reads it.
macro_rules! wires {
    ($( $(#[$about:meta])+ $wire:ident = $name:literal by $form:expr; )*) => {
        /// A wire that models are asked on.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Wire { $( $(#[$about])+ #[serde(rename = $name)] $wire, )* }

        impl Wire {
            pub const ALL: [Self; [$($name,)*].len()] = [$(Self::$wire,)*];

            pub fn as_str(self) -> &'static str {
                match self { $( Self::$wire => $name, )* }
            }

            pub(crate) fn form(self) -> &'static dyn WireForm {
                match self { $( Self::$wire => &$form, )* }
            }
        }
    };
}

wires! {
    /// OpenAI-compatible chat completions.
    #[default]
    Chat = "chat" by chat::Chat;
    /// OpenAI's Responses.
    Responses = "responses" by responses::Responses;
    /// Anthropic's Messages.
    Anthropic = "anthropic" by anthropic::Anthropic;
    /// Gemini's generateContent.
    Gemini = "gemini" by gemini::Gemini;
}

impl Wire {
    pub fn usual_address(self) -> &'static str {
        self.form().vendor().address
    }

    /// The variable that the vendor's own programs read its key from.
    pub fn usual_key(self) -> &'static str {
        self.form().vendor().key
    }

    /// Whether its vendor has a tool of its own that is offered to models.
    pub fn has_tool(self) -> bool {
        self.form().offers_tool()
    }

    /// Where a server of this wire is asked, below the version.
    pub fn place(self) -> WirePlace {
        self.form().place()
    }
}

/// Where a server of a wire is asked, below the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WirePlace {
    /// At one path, whatever the model: the request names it.
    At(&'static str),
    AfterModel(&'static str),
}

pub(crate) struct WireVendor {
    pub(crate) address: &'static str,
    /// The variable that its own programs read its key from.
    pub(crate) key: &'static str,
}

pub(crate) struct IncomingFields<'a> {
    pub(crate) system: &'a Value,
    pub(crate) items: &'a Value,
    pub(crate) content: &'static str,
    pub(crate) max_tokens: &'a Value,
}

impl std::fmt::Display for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Wire {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::as_str).join(", ");
        Self::ALL
            .into_iter()
            .find(|wire| wire.as_str() == text)
            .ok_or_else(|| format!("write one of {names}"))
    }
}

/// What was learnt of an endpoint by what it refused; each is learnt once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Learnt {
    pub(crate) other_limit_field: bool,
    pub(crate) no_temperature: bool,
    pub(crate) no_reasoning: bool,
    pub(crate) stream: bool,
    /// How many versions of the vendor's tool it does not know.
    pub(crate) older_tool: usize,
    pub(crate) no_schema: bool,
    pub(crate) no_token_ids: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WireRequest<'a> {
    pub(crate) model: &'a str,
    pub(crate) request: &'a ModelRequest,
    pub(crate) max_tokens: u32,
    pub(crate) temperature: Option<f32>,
    pub(crate) seed: Option<u64>,
    pub(crate) image_detail: Option<&'a str>,
    /// Fields that are added last; null takes a field away.
    pub(crate) extra_body: &'a Map<String, Value>,
    pub(crate) stream: bool,
    /// Whether the ids and log probabilities of its tokens are wanted.
    pub(crate) logprobs: bool,
    pub(crate) learnt: Learnt,
}

impl<'a> WireRequest<'a> {
    pub(crate) fn schema(&self) -> Option<&'a ReplySchema> {
        self.request.schema.as_ref().filter(|_| !self.learnt.no_schema)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ModelAnswer {
    pub(crate) text: String,
    pub(crate) thinking: Option<String>,
    /// Whether the model thought, told or not.
    pub(crate) thought: bool,
    pub(crate) calls: Vec<Arc<ToolUse>>,
    pub(crate) said: Option<Arc<Value>>,
    pub(crate) usage: Usage,
    pub(crate) sampled: Option<SampledTokens>,
    pub(crate) finish: Option<String>,
    pub(crate) unread: Option<Unread>,
}

/// Why a body of status 200 is not a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplyFault {
    Shape(String),
    /// It is an error that a gateway wrapped, with the status that it tells.
    Wrapped {
        status: Option<u16>,
        message: String,
    },
}

pub(crate) trait WireForm: Send + Sync {
    /// What follows the base address; a query is written apart.
    fn path(&self, model: &str, stream: bool) -> (String, Option<&'static str>);

    /// The name of the header that carries a key, with what stands before the key.
    fn key_header(&self) -> (HeaderName, &'static str) {
        (AUTHORIZATION, "Bearer ")
    }

    fn add_headers(&self, _asked: &WireRequest<'_>, _to: &mut HeaderMap) {}

    fn request(&self, asked: &WireRequest<'_>) -> Value;

    fn read(&self, body: &Value) -> Result<ModelAnswer, ReplyFault>;

    /// Adds an event of a stream to what becomes the whole body.
    fn fold(&self, whole: &mut Value, event: &Value);

    /// The field of a request in which a reply is held to a schema; `None` where the wire has none that is written.
    fn schema_field(&self) -> Option<&'static str> {
        None
    }

    fn gives_tokens(&self) -> bool {
        false
    }

    /// The vendor's tool in its versions, the newest first: words that an endpoint names it with.
    fn tools(&self) -> &'static [&'static str] {
        &[]
    }

    fn offers_tool(&self) -> bool {
        true
    }

    /// Whether each call of the vendor's tool wants an answer with a picture; else the last of a reply alone.
    fn answers_every_call(&self) -> bool {
        false
    }

    fn vendor(&self) -> WireVendor;

    /// Where a server of it is asked.
    fn place(&self) -> WirePlace;

    /// The parts of a request, for a stand-in that answers it.
    fn incoming<'a>(&self, body: &'a Value) -> IncomingFields<'a>;

    /// A reply of one text, as a stand-in gives it. What of `usage` is unknown is left out.
    fn response(&self, model: &str, text: &str, usage: &Usage) -> Value;
}

fn known_counts(usage: &Usage, prompt: &str, completion: &str) -> Map<String, Value> {
    let counts = [(prompt, usage.prompt), (completion, usage.completion)];
    counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), json!(count?)))).collect()
}

pub(crate) fn read(form: &dyn WireForm, bytes: &[u8]) -> Result<ModelAnswer, ReplyFault> {
    let body: Value =
        serde_json::from_slice(bytes).map_err(|error| ReplyFault::Shape(format!("no JSON ({error})")))?;
    read_value(form, &body)
}

pub(crate) fn read_value(form: &dyn WireForm, body: &Value) -> Result<ModelAnswer, ReplyFault> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(ReplyFault::Wrapped {
            status: error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()),
            message: error_message(body).unwrap_or_else(|| error.to_string()),
        });
    }
    let mut answer = form.read(body)?;
    answer.thinking = answer.thinking.take().filter(|text| !text.trim().is_empty());
    if answer.unread.is_none() {
        answer.unread = match Unread::of(&answer.text, answer.finish.as_deref()) {
            // A call of the tool that was offered is what was asked for.
            Some(Unread::Empty | Unread::ToolCalls) if !answer.calls.is_empty() => None,
            other => other,
        };
    }
    // Whitespace is the model's, and so is thinking that leads to no words; nothing at all comes from no model.
    let thought = answer.thought || answer.thinking.is_some();
    if answer.unread == Some(Unread::Empty) && answer.text.is_empty() && !thought {
        return Err(ReplyFault::Shape("its answer has no content".to_owned()));
    }
    Ok(answer)
}

/// Whether an endpoint's word says that a reply reached the limit of its tokens.
pub(crate) fn is_cut_off(finish: &str) -> bool {
    const WORDS: [&str; 5] =
        ["length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "MAX_TOKENS"];
    WORDS.contains(&finish)
}

/// Whether an endpoint's word says that the model, or a filter, refused.
pub(crate) fn is_refusal(finish: &str) -> bool {
    const WORDS: [&str; 8] =
        word_list("content_filter refusal SAFETY RECITATION PROHIBITED_CONTENT BLOCKLIST SPII IMAGE_SAFETY");
    WORDS.contains(&finish)
}

/// The JSON number of a temperature: 0.1 stays 0.1, where widening the bits gives 0.10000000149.
pub(crate) fn number(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

/// Adds fields; null takes one away, and objects are joined.
fn merge(body: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (name, value) in extra {
        match (value, body.get_mut(name)) {
            (Value::Null, _) => {
                body.shift_remove(name);
            }
            (Value::Object(more), Some(Value::Object(there))) => merge(there, more),
            _ => {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

/// A picture as its media type and base64.
fn encoded(picture: &[u8]) -> (&'static str, String) {
    (media_type(picture), STANDARD.encode(picture))
}

fn data_url(picture: &[u8]) -> String {
    let (media, data) = encoded(picture);
    format!("data:{media};base64,{data}")
}

fn text_of(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        MessagePart::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The words of the system, which most wires want apart.
fn system_of(messages: &[Message]) -> Option<String> {
    let system = messages.iter().filter(|message| message.speaker == Speaker::System);
    let all: Vec<String> = system.map(text_of).collect();
    (!all.is_empty()).then(|| all.join("\n\n"))
}

/// What the messages but those of the system hold, those of one speaker joined.
fn joined(messages: &[Message], written: impl Fn(&MessagePart) -> Vec<Value>) -> Vec<(Speaker, Vec<Value>)> {
    let mut all: Vec<(Speaker, Vec<Value>)> = Vec::new();
    for message in messages.iter().filter(|message| message.speaker != Speaker::System) {
        let parts = message.parts.iter().flat_map(&written);
        match all.last_mut() {
            Some((speaker, there)) if *speaker == message.speaker => there.extend(parts),
            _ => all.push((message.speaker, parts.collect())),
        }
    }
    all.retain(|(_, parts)| !parts.is_empty());
    all
}

fn count(value: Option<&Value>, pointer: &str) -> Option<u64> {
    value.and_then(|value| value.pointer(pointer)).and_then(Value::as_u64)
}

/// A sum in which what is unknown counts nothing, and which is unknown where all of it is.
fn sum(parts: &[Option<u64>]) -> Option<u64> {
    parts.iter().any(Option::is_some).then(|| parts.iter().flatten().sum())
}

/// Adds text to a field that is a string, or becomes one.
fn append(object: &mut Value, field: &str, more: &str) {
    match object.get_mut(field) {
        Some(Value::String(text)) => text.push_str(more),
        _ => object[field] = json!(more),
    }
}

/// Calls `change` with the list under a field, which becomes one where it is none.
fn in_list(object: &mut Value, field: &str, change: impl FnOnce(&mut Vec<Value>)) {
    if !object[field].is_array() {
        object[field] = json!([]);
    }
    if let Some(all) = object[field].as_array_mut() {
        change(all);
    }
}

fn header(text: &'static str) -> HeaderValue {
    HeaderValue::from_static(text)
}

/// The message of an error body: `error.message`, `error`, `message` or `detail`, as servers have it.
pub(crate) fn error_message(body: &Value) -> Option<String> {
    // Gemini answers a stream's error as a list of one.
    let body = body.as_array().and_then(|all| all.first()).unwrap_or(body);
    ["/error/message", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|pointer| body.pointer(pointer).and_then(Value::as_str))
        .map(str::to_owned)
}

#[cfg(test)]
pub(crate) mod tests;
