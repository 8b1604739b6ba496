//! The `note-taker` *model*: a stand-in that types only words which its prompt of that turn holds.
//!
//! It is not a model: it understands nothing. It carries out the task's solution, and what it was shown earlier and is
//! not shown now is gone, unless it noted it and its agent gives the note back: in AppAgent's Summary, in the planner's
//! memory. So what it scores with these over what it scores without them is what they carried through the chain. Words
//! that no screen showed (a sum, a name for a file) are its own, as they would be a model's.
//!
//! It knows by itself how far it is, or it could not play without a memory. Invariant: the same prompt, the same reply.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use waldo_prompts::appagent::DeployParts;
use waldo_prompts::planner::TurnParts;

use super::model::Solved;
use super::{ReferenceProgress, Step, model, planner};

const KEY: &str = "noted";

#[derive(Clone, Debug, Default)]
pub struct NoteTakerEpisode {
    progress: ReferenceProgress,
    seen: BTreeSet<String>,
    last: Option<(String, String)>,
}

impl NoteTakerEpisode {
    /// The reply to a conversation of which `texts` are the messages without the first, which holds the agent's own
    /// words; none when none of them is a prompt of AppAgent's or the planner's.
    pub fn reply(&mut self, texts: &[&str], solved: &Solved) -> Option<String> {
        let asked = texts.join("\n");
        if let Some((_, reply)) = self.last.as_ref().filter(|(before, _)| *before == asked) {
            return Some(reply.clone());
        }
        let reply = texts
            .iter()
            .rev()
            .find_map(|text| self.planner(text, texts, solved).or_else(|| self.appagent(text, solved)))?;
        self.last = Some((asked, reply.clone()));
        Some(reply)
    }

    fn planner(&mut self, text: &str, texts: &[&str], solved: &Solved) -> Option<String> {
        let parts = TurnParts::of(text)?;
        // The task is in the first message and in the last one; the turns before are in between.
        let earlier = texts.iter().filter(|other| **other != text).copied();
        let held = words([parts.goal, parts.screen, parts.memory].into_iter().chain(earlier));
        let (steps, noted) = self.take(&held, solved);
        let (mut reply, progress) = planner::turn(&parts, &steps, self.progress);
        self.progress = progress;
        reply["update_memory"] = match noted.is_empty() {
            true => json!([]),
            false => json!([{
                "type": "store_info",
                "key": KEY,
                "info_type": "data_update",
                "value": noted.into_iter().map(Value::from).collect::<Value>(),
                "description": "words that are typed later",
            }]),
        };
        serde_json::to_string_pretty(&reply).ok()
    }

    fn appagent(&mut self, text: &str, solved: &Solved) -> Option<String> {
        let parts = DeployParts::of(text)?;
        let held = words([parts.goal, parts.screen, parts.history]);
        let (steps, noted) = self.take(&held, solved);
        let (turn, progress) = model::turn(&parts, &steps, self.progress, |_, tag, _| Some(tag));
        self.progress = progress;
        let noted: Vec<String> = noted.into_iter().collect();
        Some(format!("{turn}\nSummary: Noted: {}", noted.join(" ")))
    }

    /// The solution with what was forgotten left out, and the words that are worth noting.
    fn take(&mut self, held: &BTreeSet<String>, solved: &Solved) -> (Vec<Step>, BTreeSet<String>) {
        self.seen.extend(held.iter().cloned());
        let knows = |word: &str| held.contains(word) || !self.seen.contains(word);
        let steps: Vec<Step> = solved
            .steps
            .iter()
            .map(|step| Step {
                text: step.text.as_ref().map(|text| known_words(text, &knows)),
                ..step.clone()
            })
            .collect();
        let ahead =
            solved.steps.iter().skip(self.progress.cursor.done).filter_map(|step| step.text.as_deref());
        let in_goal = words([solved.goal.as_str()]);
        let noted = words(ahead).into_iter().filter(|w| held.contains(w) && !in_goal.contains(w)).collect();
        (steps, noted)
    }
}

fn known_words(text: &str, knows: &impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let word = &rest[start..];
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        out.push_str(&rest[..start]);
        if knows(&word[..end].to_lowercase()) {
            out.push_str(&word[..end]);
        }
        rest = &word[end..];
    }
    out.push_str(rest);
    out
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric()
}

fn words<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    texts
        .into_iter()
        .flat_map(|text| text.split(|c: char| !is_part(c)))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
