//! Demonstrations: what a person's call does to the screen, and the question what an element was seen to do.

use std::sync::Arc;

use waldo_devices::labels::ListLine;
use waldo_devices::{Action, Deadline, Element, Platform, Tag};
use waldo_prompts::appagent::DocumentPrompt;

use super::explorer::Explorer;
use crate::agent::{Choice, Exchange, View};
use crate::appagent::docs::Slot;
use crate::appagent::ground::ground;
use crate::appagent::{FunctionCall, Mode, catalogue, prompt};
use crate::chat::message;
use crate::error::AgentError;
use crate::model::{MessagePart, Speaker};

const LONGEST: usize = 1000;

/// The action that a call means on a screen, and the element that it names.
pub fn action_of(
    call: &FunctionCall,
    view: &View,
    device: &waldo_devices::DeviceInfo,
) -> Result<(Action, Option<Tag>), String> {
    let written = call.to_string();
    let name = catalogue::function_name(&written);
    // Secrets are the device's own; it says itself which it has.
    if call.secret().is_none() && !catalogue::offers(device, name) {
        return Err(format!("{} has no {name}", catalogue::machine(device.platform)));
    }
    let grounded = ground(call, view, device, None)?;
    match grounded.choice {
        Choice::Act { action } => Ok((action, grounded.tag)),
        _ => Err(format!("{call} is not an action on the screen")),
    }
}

#[derive(Debug)]
pub struct Demonstrated<'a> {
    pub platform: Platform,
    pub goal: &'a str,
    /// The element's number before the action.
    pub tag: Tag,
    pub element: Option<&'a Element>,
    pub slot: Slot,
    /// More about that: a direction, the words typed.
    pub detail: Option<String>,
    pub old_doc: Option<&'a str>,
    /// The labelled pictures before and after, as PNG.
    pub pictures: [Arc<[u8]>; 2],
    /// The screens before and after, where they are known; their pictures are not looked at.
    pub screens: Option<[&'a View; 2]>,
    pub deadline: Deadline,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The note; `None` when the model had nothing to say, twice.
    pub text: Option<String>,
    pub exchanges: Vec<Exchange>,
}

impl Explorer {
    /// Asks what a demonstrated action does. AppAgent takes the whole reply for the note; ours is without
    /// what models wrap it in, and asks once more when nothing is left.
    pub async fn describe(&self, shown: &Demonstrated<'_>) -> Result<Described, AgentError> {
        let tolerant = self.options.mode == Mode::Tolerant;
        let screens = shown.screens.filter(|_| tolerant);
        let text = self.prompts.appagent_document(&DocumentPrompt {
            machine: catalogue::machine(shown.platform).to_owned(),
            own_labels: true,
            compat: !tolerant,
            action: shown.slot.doing().to_owned(),
            tag: shown.tag.0,
            detail: shown.detail.clone(),
            element: shown.element.filter(|_| tolerant).map(|e| ListLine::of(Some(shown.tag), e).to_string()),
            goal: shown.goal.trim().to_owned(),
            old_doc: shown.old_doc.map(str::to_owned),
            before: screens.map(|[before, _]| prompt::screen(before)),
            after: screens.map(|[_, after]| prompt::screen(after)),
        })?;
        let mut first = message(Speaker::User, &text);
        first
            .parts
            .extend(shown.pictures.iter().filter(|png| !png.is_empty()).cloned().map(MessagePart::Png));
        let messages = vec![first];
        let mut exchanges = Vec::new();
        for purpose in ["document", "re-ask"] {
            let (reply, mut exchange) = self.ask(purpose, &messages, &text, shown.deadline).await?;
            let note = if tolerant { clean(&reply.text) } else { reply.text.clone() };
            if !note.trim().is_empty() {
                exchanges.push(exchange);
                return Ok(Described { text: Some(note), exchanges });
            }
            exchange.rejected = Some("the reply is empty".to_owned());
            exchanges.push(exchange);
            if !tolerant {
                break;
            }
        }
        Ok(Described { text: None, exchanges })
    }
}

/// A note on one line, without thoughts, headings, quotes and code fences around it.
fn clean(reply: &str) -> String {
    let reply = match reply.rfind("</think>").map(|i| &reply[i + "</think>".len()..]) {
        Some(rest) => rest,
        None => reply,
    };
    let lines = reply.lines().filter(|line| !line.trim_start().starts_with("```"));
    let text = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    let mut text = text.trim_matches(['*', '_', '`', ' ', '#']);
    for heading in ["documentation", "note"] {
        let headed = text.get(..heading.len()).is_some_and(|head| head.eq_ignore_ascii_case(heading));
        let rest = text.get(heading.len()..).unwrap_or_default().trim_start_matches(['*', '_', '`', ' ']);
        if let Some(rest) = rest.strip_prefix(':').filter(|_| headed) {
            text = rest.trim_start_matches(['*', '_', '`', ' ']);
        }
    }
    let unquoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).filter(|t| !t.contains('"'));
    unquoted.unwrap_or(text).chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn a_note_is_taken_out_of_what_models_wrap_it_in() {
        for reply in [
            "Saves the draft.",
            "\"Saves the draft.\"",
            "**Note:** Saves the draft.",
            "```\nSaves\nthe draft.\n```",
            "<think>It is a button.</think>\n\nDocumentation: Saves the draft.",
        ] {
            assert_eq!(clean(reply), "Saves the draft.", "{reply}");
        }
        assert_eq!(clean("Opens the \"new\" note"), "Opens the \"new\" note");
        assert_eq!(clean("Notes are listed here."), "Notes are listed here.");
        assert_eq!(clean("<think>hm</think>\n"), "");
    }
}
