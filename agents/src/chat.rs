//! Asking the model, and asking it again: what deployment and learning have in common.

use waldo_devices::Deadline;

use crate::agent::Exchange;
use crate::asked::{self, RequestUnderWay};
use crate::error::Result;
use crate::model::{self, Message, MessagePart, ModelClient, ModelReply, ModelRequest, Speaker, Unread};

/// Longest unusable reply that is shown to the model again, in bytes.
const REPLY_BYTES: usize = 16 * 1024;

/// Asks `client` once. `text` is the part of `messages` that is new, for the record.
pub(crate) async fn ask(
    client: &dyn ModelClient,
    max_tokens: u32,
    purpose: &str,
    messages: &[Message],
    text: &str,
    deadline: Deadline,
) -> Result<(ModelReply, Exchange)> {
    let request = ModelRequest { messages: messages.to_vec(), max_tokens, ..ModelRequest::default() };
    put(client, &request, purpose, text, deadline).await
}

/// Puts a request once. `text` is the part of it that is new, for the record.
pub(crate) async fn put(
    client: &dyn ModelClient,
    request: &ModelRequest,
    purpose: &str,
    text: &str,
    deadline: Deadline,
) -> Result<(ModelReply, Exchange)> {
    let pictures = pictures(&request.messages);
    let under_way = RequestUnderWay::new(purpose, text, pictures);
    let reply = client.complete(request, deadline).await;
    under_way.ended();
    let mut reply = reply?;
    // Calls that nobody asked for are the same on wires that carry calls and on those that do not.
    if request.tool.is_none()
        && reply.unread.is_none()
        && reply.text.trim().is_empty()
        && !reply.calls.is_empty()
    {
        reply.unread = Some(Unread::ToolCalls);
    }
    let shown = reply.shown();
    // What stands in thinking is not an answer, whether its block was closed or not: with nothing after it there is
    // none, and it is asked for again.
    let (said, open) = model::said(&reply.text);
    if open || said.trim().is_empty() {
        let said = said.trim().to_owned();
        if open && reply.unread.is_none() {
            reply.unread = Some(Unread::Thinking);
        }
        reply.text = said;
    }
    let exchange = Exchange {
        purpose: purpose.to_owned(),
        prompt: text.to_owned(),
        pictures,
        reply: shown,
        thinking: reply.thinking.clone(),
        usage: reply.usage,
        sampled: reply.sampled.clone(),
        took: reply.took,
        retries: reply.retries,
        structured: reply.structured,
        unread: reply.unread,
        ..Exchange::default()
    };
    asked::answered(&exchange);
    Ok((reply, exchange))
}

pub(crate) fn message(speaker: Speaker, text: &str) -> Message {
    Message { speaker, parts: vec![MessagePart::Text(text.to_owned())] }
}

/// What follows a reply that could not be used: the reply, and `question` about it.
pub(crate) fn retry_messages(reply: &str, question: &str) -> [Message; 2] {
    // Some endpoints refuse an empty message.
    let said = if reply.trim().is_empty() { "(no reply)" } else { beginning(reply) };
    [message(Speaker::Assistant, said), message(Speaker::User, question)]
}

fn pictures(messages: &[Message]) -> u32 {
    let parts = messages.iter().flat_map(|message| &message.parts);
    let n = parts.filter(|part| match part {
        MessagePart::Png(_) => true,
        MessagePart::Result(result) => result.picture.is_some(),
        MessagePart::Text(_) | MessagePart::Said(_) => false,
    });
    let n = n.count();
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// As much of an unusable reply as is worth sending back.
fn beginning(reply: &str) -> &str {
    reply.char_indices().find(|(at, _)| *at >= REPLY_BYTES).map_or(reply, |(at, _)| &reply[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_thinking_is_not_said() {
        for (text, said) in [
            ("tap(5)", ("tap(5)", false)),
            ("<think>tap(2)</think>tap(5)", ("tap(5)", false)),
            ("<think>a</think><think>tap(2)</think>\ntap(5)", ("\ntap(5)", false)),
            ("tap(2)</think>tap(5)", ("tap(5)", false)),
            ("<think>\nAction: tap(2)", ("", true)),
            ("<think>a</think>\n<think>Action: tap(2)", ("\n", true)),
            (
                "The page says <think> there.\nAction: tap(5)",
                ("The page says <think> there.\nAction: tap(5)", false),
            ),
        ] {
            assert_eq!(model::said(text), said, "{text}");
        }
    }
}
