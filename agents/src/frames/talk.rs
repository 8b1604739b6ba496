//! Asking the model within a solving: the stages' scripts, and what pictures mean.
//!
//! Invariants: every request goes into the log of the decision that it leads to; questions on pictures are
//! counted against a budget of the whole solving, and the same question on the same pictures is asked once;
//! an answer that does not fit is asked for once more and then is an exception, never a guess.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use waldo_cage::{ExcKind, HostError, Limit, Stop};
use waldo_devices::Deadline;
use waldo_devices::labels::encode_png;
use waldo_prompts::Prompts;

use super::bridge::RequestLog;
use super::vision::VisionPicture;
use crate::chat::{ask, message, retry_messages};
use crate::error::AgentError;
use crate::model::{Message, MessagePart, ModelClient, Speaker};

pub(crate) const BATCH: usize = 10;
/// Times that an answer on pictures is asked for.
const TRIES: usize = 2;

pub(crate) struct ModelChat {
    client: Arc<dyn ModelClient>,
    pub(crate) prompts: Arc<Prompts>,
    max_tokens: u32,
    log: RequestLog,
    /// The number of the request that the last script came of.
    script: u64,
    /// Requests on pictures that are left.
    left: u32,
    known: HashMap<[u8; 32], String>,
    /// Why the model could not be asked: the harness's failure, not the script's.
    pub(crate) fault: Option<AgentError>,
}

impl ModelChat {
    pub(crate) fn new(
        client: Arc<dyn ModelClient>,
        prompts: Arc<Prompts>,
        max_tokens: u32,
        log: RequestLog,
        questions: u32,
    ) -> Self {
        Self {
            client,
            prompts,
            max_tokens,
            log,
            script: 0,
            left: questions,
            known: HashMap::new(),
            fault: None,
        }
    }

    /// Notes why the last script could not be used.
    pub(crate) fn reject(&self, why: &str) {
        self.log.reject(self.script, why);
    }

    pub(crate) async fn stage(
        &mut self,
        purpose: &str,
        messages: &[Message],
        text: &str,
        deadline: Deadline,
    ) -> Result<String, AgentError> {
        let (reply, exchange) =
            ask(self.client.as_ref(), self.max_tokens, purpose, messages, text, deadline).await?;
        self.script = self.log.push(exchange);
        Ok(reply.text)
    }

    pub(crate) fn left(&self) -> u32 {
        self.left
    }

    /// Asks what pictures mean, and reads the answer with `read`.
    ///
    /// # Errors
    /// `ValueError` when no answer fits, a stop when no question is left or the model cannot be asked.
    pub(crate) async fn meaning<T>(
        &mut self,
        purpose: &str,
        text: &str,
        pictures: &[VisionPicture],
        read: impl Fn(&str) -> Result<T, String> + Send,
        deadline: Deadline,
    ) -> Result<T, HostError> {
        let key = key(text, pictures);
        if let Some(answer) = self.known.get(&key).and_then(|reply| read(reply).ok()) {
            return Ok(answer);
        }
        let base = vec![captioned(text, pictures.iter().map(|p| (None, p.clone())))?];
        let (mut messages, mut new) = (base.clone(), text.to_owned());
        let mut error = String::new();
        for n in 0..TRIES {
            self.left = self.left.checked_sub(1).ok_or(HostError::Stop(Stop::Limit(Limit::ModelCalls)))?;
            let purpose = if n == 0 { purpose } else { "re-ask" };
            let done = ask(self.client.as_ref(), self.max_tokens, purpose, &messages, &new, deadline).await;
            let (reply, mut exchange) = match done {
                Ok(done) => done,
                Err(fault) => {
                    let stop = HostError::stop(format!("the model cannot be asked: {fault}"));
                    self.fault = Some(fault);
                    return Err(stop);
                }
            };
            match read(&reply.text) {
                Ok(answer) => {
                    self.log.push(exchange);
                    self.known.insert(key, reply.text);
                    return Ok(answer);
                }
                Err(why) => {
                    exchange.rejected = Some(why.clone());
                    self.log.push(exchange);
                    error = why;
                    new = format!("That cannot be used: {error}. Answer again, with the JSON object alone.");
                    messages = base.clone();
                    messages.extend(retry_messages(&reply.text, &new));
                }
            }
        }
        Err(HostError::raise(ExcKind::Value, format!("no usable answer to this question came: {error}")))
    }
}

/// A message of a text and captioned pictures; without captions they are `Image 0`, `Image 1`.
pub(crate) fn captioned(
    text: &str,
    pictures: impl Iterator<Item = (Option<String>, VisionPicture)>,
) -> Result<Message, HostError> {
    let mut asked = message(Speaker::User, text);
    for (n, (caption, picture)) in pictures.enumerate() {
        let png = encode_png(picture.pixels())
            .map_err(|e| HostError::raise(ExcKind::Value, format!("picture {n}: {e}")))?;
        asked.parts.push(MessagePart::Text(caption.unwrap_or_else(|| format!("Image {n}"))));
        asked.parts.push(MessagePart::Png(png.into()));
    }
    Ok(asked)
}

fn key(text: &str, pictures: &[VisionPicture]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
    for picture in pictures {
        let (w, h) = picture.size();
        hash.update(w.to_le_bytes());
        hash.update(h.to_le_bytes());
        hash.update(picture.pixels().as_raw());
    }
    hash.finalize().into()
}

/// The Python block of a reply: the last fenced one, or all of it where there is no fence.
pub(crate) fn block(reply: &str) -> Result<String, String> {
    let mut found: Option<String> = None;
    let mut open: Option<String> = None;
    for line in reply.lines() {
        if line.trim_start().starts_with("```") {
            match open.take() {
                Some(body) => found = Some(body),
                None => open = Some(String::new()),
            }
        } else if let Some(body) = &mut open {
            body.push_str(line);
            body.push('\n');
        }
    }
    let text = match (found, open) {
        (_, Some(cut)) if !cut.trim().is_empty() => {
            return Err(format!(
                "the block is not closed after {} lines: keep it short",
                cut.lines().count()
            ));
        }
        (Some(body), _) => body,
        (None, _) => reply.to_owned(),
    };
    if text.trim().is_empty() { Err("there is no Python block in the reply".into()) } else { Ok(text) }
}

/// The JSON object of a reply, whatever stands around it.
pub(crate) fn object(reply: &str) -> Result<serde_json::Map<String, serde_json::Value>, String> {
    let (from, to) = (reply.find('{'), reply.rfind('}'));
    let (Some(from), Some(to)) = (from, to) else { return Err("there is no JSON object in it".into()) };
    let text = reply.get(from..=to).unwrap_or_default();
    serde_json::from_str(text).map_err(|e| format!("the JSON object cannot be read: {e}"))
}

pub(crate) fn items(reply: &str, name: &str) -> Result<Vec<serde_json::Value>, String> {
    match object(reply)?.remove(name) {
        Some(serde_json::Value::Array(items)) => Ok(items),
        _ => Err(format!("the object has no list {name:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_objects_are_found_in_chatter() {
        assert_eq!(block("x\n```python\na = 1\n```\nor\n```\nb = 2\n```").unwrap(), "b = 2\n");
        assert_eq!(block("a = 1").unwrap(), "a = 1");
        assert!(block("```python\na = 1\n").unwrap_err().contains("not closed"));
        assert!(block("  ").is_err());
        assert_eq!(items("Here: {\"answers\": [1, 2]} so.", "answers").unwrap().len(), 2);
        assert!(items("[1]", "answers").is_err());
        assert!(items("{\"answer\": 1}", "answers").is_err());
        assert!(object("} {").is_err());
    }
}
