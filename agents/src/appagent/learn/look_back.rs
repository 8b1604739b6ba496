use std::sync::Arc;

use waldo_devices::labels::{self, ListLine};
use waldo_devices::{Deadline, DeviceInfo};
use waldo_prompts::appagent::{Reask, Reflect};

use super::explorer::{Explorer, Tried};
use super::reflect::{self, ActionVerdict, ReflectionReply, Sensitive};
use crate::agent::{Exchange, View};
use crate::appagent::{Mode, catalogue, prompt};
use crate::chat::{message, retry_messages};
use crate::error::Result;
use crate::model::{MessagePart, Speaker};

#[derive(Clone, Debug, PartialEq)]
pub struct Reflection {
    pub verdict: ActionVerdict,
    pub thought: Option<String>,
    pub documentation: Option<String>,
    pub sensitive: Sensitive,
    /// Requests to the model that led here; none when it was decided without.
    pub exchanges: Vec<Exchange>,
}

impl Reflection {
    /// INEFFECTIVE, decided without a model.
    pub fn nothing_changed() -> Self {
        Self {
            verdict: ActionVerdict::Ineffective,
            thought: Some("Neither the elements nor the picture changed.".to_owned()),
            documentation: None,
            sensitive: Sensitive::default(),
            exchanges: Vec::new(),
        }
    }
}

#[derive(Debug)]
pub struct ReflectedAction<'a> {
    pub device: &'a DeviceInfo,
    pub goal: &'a str,
    pub before: &'a View,
    pub tried: &'a Tried,
    pub summary: Option<&'a str>,
    /// The earlier note on the element, to be refined.
    pub old_doc: Option<&'a str>,
    pub after: &'a View,
    pub deadline: Deadline,
}

impl Explorer {
    /// Asks what an action did. The pictures go before first; the second bears the numbers of its own
    /// elements, or under [`Mode::Compat`] stale ones, as AppAgent's do.
    pub async fn reflect(&self, deed: &ReflectedAction<'_>) -> Result<Reflection> {
        let tolerant = self.options.mode == Mode::Tolerant;
        let (before, after) = (deed.before, deed.after);
        let second = if tolerant { after.png.clone() } else { self.stale(deed)? };
        let pictures = !before.png.is_empty() && !second.is_empty();
        let element =
            before.element(deed.tried.tag).map(|e| ListLine::of(Some(deed.tried.tag), e).to_string());
        let text = self.prompts.appagent_reflect(&Reflect {
            machine: catalogue::machine(deed.device.platform).to_owned(),
            pictures,
            own_labels: tolerant,
            action: deed.tried.slot.doing().to_owned(),
            tag: deed.tried.tag.0,
            element: element.filter(|_| tolerant),
            goal: deed.goal.trim().to_owned(),
            summary: deed.summary.map(str::to_owned),
            old_doc: deed.old_doc.filter(|_| tolerant).map(str::to_owned),
            before: tolerant.then(|| prompt::screen(before)),
            after: tolerant.then(|| prompt::screen(after)),
        })?;
        let mut first = message(Speaker::User, &text);
        if pictures {
            first.parts.push(MessagePart::Png(before.png.clone()));
            first.parts.push(MessagePart::Png(second));
        }
        let mut messages = vec![first];
        let (reply, mut exchange) = self.ask("reflect", &messages, &text, deed.deadline).await?;
        if !tolerant {
            let read = reflect::parse_compat(&reply.text);
            if read.is_none() {
                exchange.rejected = Some("AppAgent cannot read this reply, and its run ends".to_owned());
            }
            return Ok(reflection_of(read, vec![exchange]));
        }
        match reflect::parse_tolerant(&reply.text) {
            Ok(mut read) => {
                exchange.repairs = std::mem::take(&mut read.repairs);
                Ok(reflection_of(Some(read), vec![exchange]))
            }
            Err(error) => {
                exchange.rejected = Some(error.clone());
                let question = self.again(&error)?;
                messages.extend(retry_messages(&reply.text, &question));
                let (reply, mut second) = self.ask("re-ask", &messages, &question, deed.deadline).await?;
                let read = match reflect::parse_tolerant(&reply.text) {
                    Ok(mut read) => {
                        second.repairs = std::mem::take(&mut read.repairs);
                        Some(read)
                    }
                    Err(error) => {
                        second.rejected = Some(error);
                        None
                    }
                };
                Ok(reflection_of(read, vec![exchange, second]))
            }
        }
    }

    fn again(&self, error: &str) -> Result<String> {
        let (error, signatures, endings) = (error.to_owned(), Vec::new(), String::new());
        let text = self.prompts.appagent_reask(&Reask { error, signatures, endings })?;
        // The template speaks of calls; only its first line holds for a reflection.
        let first = text.lines().next().unwrap_or_default();
        Ok(format!(
            "{first}\n\nReply again in full: Decision, Thought, Documentation and Sensitive, each on one line that begins \
             with its name. The decision is one of BACK, INEFFECTIVE, CONTINUE and SUCCESS.\n"
        ))
    }

    /// The picture after the action with the numbers from before it.
    fn stale(&self, deed: &ReflectedAction<'_>) -> Result<Arc<[u8]>> {
        let (before, after) = (deed.before, deed.after);
        let picture = &after.observation.picture;
        if picture.is_empty() {
            return Ok(Arc::from([]));
        }
        let elements = &before.observation.elements;
        let labelled = labels::paint(picture, elements, &before.tagged, self.options.style);
        Ok(labelled.encode_png()?.into())
    }
}

fn reflection_of(read: Option<ReflectionReply>, exchanges: Vec<Exchange>) -> Reflection {
    match read {
        Some(read) => Reflection {
            verdict: read.verdict,
            thought: read.thought,
            documentation: read.documentation.map(|d| d.trim().to_owned()).filter(|d| !d.is_empty()),
            sensitive: read.sensitive,
            exchanges,
        },
        None => Reflection {
            verdict: ActionVerdict::Unreadable,
            thought: None,
            documentation: None,
            sensitive: Sensitive::default(),
            exchanges,
        },
    }
}
