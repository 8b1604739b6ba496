//! What a request holds, as it is sent and as it is kept.

use std::sync::Arc;

use waldo_devices::labels::Layer;

use crate::agent::View;
use crate::error::AgentError;
use crate::model::{Message, MessagePart, Speaker};

/// The picture without numbers, packed as the one with them is.
pub(super) fn plain(view: &View) -> Result<Arc<[u8]>, AgentError> {
    Ok(Layer::over(&view.observation.picture).encode(view.packing)?.into())
}

/// A whole request as text, for the record.
pub(crate) fn transcript(messages: &[Message]) -> String {
    let mut out = String::new();
    for message in messages {
        let who = match message.speaker {
            Speaker::System => "system",
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        out.push_str(&format!("[{who}]\n"));
        for part in &message.parts {
            match part {
                MessagePart::Text(text) => out.push_str(text),
                MessagePart::Png(_) => out.push_str("(picture)"),
                MessagePart::Said(said) => out.push_str(&said.to_string()),
                MessagePart::Result(result) => {
                    out.push_str(&result.words);
                    if result.picture.is_some() {
                        out.push_str("\n(picture)");
                    }
                }
            }
            if !out.ends_with('\n') {
                out.push('\n');
            }
        }
        out.push('\n');
    }
    out
}
