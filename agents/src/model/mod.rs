//! The wire to a model.
//!
//! Models are asked over HTTP on one of four wires ([`wire::Wire`]); `replay:DIR` answers from recordings.

pub mod cassette;
pub mod endpoint;
pub mod prices;
mod sampled;
pub mod spec;
mod tokens;
pub mod tools;
pub mod wire;

pub(crate) use self::endpoint::PREFLIGHT;
pub use cassette::{Recorder, Replay};
pub(crate) use endpoint::EndpointClient;
pub use endpoint::{EndpointOptions, Secret};
pub use prices::PriceTable;
pub use sampled::SampledTokens;
pub use spec::{ModelSource, ModelSpec, open};
pub use tokens::{png_tokens, text_tokens};
pub use tools::{ComputerTool, ScreenKind, ToolResult, ToolUse};
pub use wire::Wire;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waldo_devices::Deadline;

use crate::error::ModelError;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    System,
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    Text(String),
    Png(Arc<[u8]>),
    /// What the model said, in the form of its wire, to be given back as it came.
    Said(Arc<Value>),
    Result(ToolResult),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub speaker: Speaker,
    pub parts: Vec<MessagePart>,
}

impl Message {
    /// How many tokens its parts take, estimated.
    pub(crate) fn tokens(&self) -> u64 {
        let of = |part: &MessagePart| match part {
            MessagePart::Text(text) => text_tokens(text),
            MessagePart::Png(png) => png_tokens(png),
            MessagePart::Said(said) => text_tokens(&said.to_string()),
            MessagePart::Result(result) => {
                text_tokens(&result.words) + result.picture.as_deref().map_or(0, png_tokens)
            }
        };
        self.parts.iter().map(of).sum()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelRequest {
    pub messages: Vec<Message>,
    pub max_tokens: u32,
    /// The vendor's tool for computers, where it is offered.
    pub tool: Option<ComputerTool>,
    /// The JSON that the reply is to be: held to it where the endpoint can. It is made of what the messages ask for in
    /// words, so a recording is not keyed by it.
    pub schema: Option<ReplySchema>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplySchema {
    pub name: &'static str,
    pub schema: Arc<Value>,
}

/// Tokens used; `None` where the endpoint does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    pub prompt: Option<u64>,
    pub cached: Option<u64>,
    /// Those of them that were written into its cache, where that has a price of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// Tokens of the reply, thinking included.
    pub completion: Option<u64>,
    /// Cost in millionths of a US dollar; `None` when the price is unknown.
    pub micro_usd: Option<u64>,
}

/// What is known of both: a number that only one side knows is the sum, and unknown stays unknown.
impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |to: &mut Option<u64>, more: Option<u64>| {
            if to.is_some() || more.is_some() {
                *to = Some(to.unwrap_or(0) + more.unwrap_or(0));
            }
        };
        add(&mut self.prompt, other.prompt);
        add(&mut self.cached, other.cached);
        add(&mut self.written, other.written);
        add(&mut self.completion, other.completion);
        add(&mut self.micro_usd, other.micro_usd);
    }
}

/// What kept a reply from being text that an agent could read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unread {
    Empty,
    CutOff,
    ToolCalls,
    /// The model, or a filter before it, refused.
    Refusal,
    /// Thinking that did not end: whatever stands in it was not said yet.
    Thinking,
    /// It names a number, an area or a place that the screen does not have.
    Absent,
    Other,
}

/// What a text says beside the thinking in it: what follows its last `</think>`, as far as no other block is opened
/// after that. Nothing where a block is not closed.
pub(crate) fn said(text: &str) -> (&str, bool) {
    let after = text.rsplit_once("</think>").map_or(text, |(_, rest)| rest);
    let at_line = |at: &usize| after[..*at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    match after.match_indices("<think>").map(|(at, _)| at).find(at_line) {
        Some(at) => (&after[..at], true),
        None => (after, false),
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelReply {
    pub text: String,
    /// What the model thought, where the wire tells it apart; no action is read from it.
    pub thinking: Option<String>,
    pub calls: Vec<Arc<ToolUse>>,
    /// The whole reply in the form of its wire, to be given back with the next request.
    pub said: Option<Arc<Value>>,
    pub usage: Usage,
    pub sampled: Option<Arc<SampledTokens>>,
    /// Why the model stopped, in the endpoint's word (`stop`, `length`).
    pub finish: Option<String>,
    /// What is to be said of the reply where it cannot be used; none for a text that came to its end.
    pub unread: Option<Unread>,
    /// Time taken, retries and waits included.
    pub took: Duration,
    pub retries: u32,
    /// Whether the endpoint was asked to hold it to the request's schema, and took that.
    pub structured: bool,
}

impl ModelReply {
    pub(crate) fn is_cut_off(&self) -> bool {
        self.unread == Some(Unread::CutOff) || self.finish.as_deref().is_some_and(wire::is_cut_off)
    }
}

impl Unread {
    /// Of why an agent could not use a text that came to its end.
    pub fn of_rejection(why: &str) -> Self {
        let absent = ["no element has the number", "there is no area", "lies outside of the picture"];
        if absent.iter().any(|words| why.contains(words)) { Self::Absent } else { Self::Other }
    }

    /// Of a text and the endpoint's word for why it ended there.
    pub(crate) fn of(text: &str, finish: Option<&str>) -> Option<Self> {
        match finish {
            Some(word) if wire::is_cut_off(word) => Some(Self::CutOff),
            Some(word) if wire::is_refusal(word) => Some(Self::Refusal),
            Some("tool_calls" | "function_call" | "tool_use") if text.trim().is_empty() => {
                Some(Self::ToolCalls)
            }
            _ if text.trim().is_empty() => Some(Self::Empty),
            _ => None,
        }
    }
}

#[async_trait]
pub trait ModelClient: Send + Sync {
    fn model(&self) -> &str;

    /// What shapes its replies beside the request: temperature, seed and the like, as a JSON object.
    /// A cassette is keyed by it; addresses, keys and retry limits are not part of it.
    fn parameters(&self) -> Value {
        Value::Object(serde_json::Map::new())
    }

    fn wire(&self) -> Wire {
        Wire::default()
    }

    /// Sees with one short question that address, key and model are right, before anything is started for them.
    /// What only may pass later is not an error.
    async fn preflight(&self, _deadline: Deadline) -> Result<(), ModelError> {
        Ok(())
    }

    /// Sees with one short question whether it reads pictures as WebP; `false` where that cannot be told.
    async fn reads_webp(&self, _deadline: Deadline) -> bool {
        false
    }

    /// Asks once; retries inside, until the deadline.
    async fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, ModelError>;
}
