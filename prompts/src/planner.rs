//! The prompts of the planner policy and of the locators (grounders) that it works with.
//!
//! Their parts and the order of these follow the planner that waldo's is modelled on: role, actions,
//! descriptions, rules, memory; then the task; then, last of every request, the memory. What upstream says in every last
//! message again, reminders and the form of the answer, stands in the system prompt, where it is read from a cache;
//! `compat` has it in both places as upstream has. Ours add the screen's text as a block of untrusted words and the
//! turns left; a context without them leaves them out.

use serde::{Deserialize, Serialize};

use crate::appagent::ScreenPrompt;
use crate::filters::{CLOSE, OPEN, block_of};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: String,
    /// Its type and meaning; empty where the name says them.
    pub what: String,
    pub optional: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionDoc {
    pub name: String,
    pub purpose: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct System {
    pub machine: String,
    /// How pressing something is called there: `Click` or `Tap`.
    pub verb: String,
    pub actions: Vec<ActionDoc>,
    pub special: Vec<ActionDoc>,
    pub examples: Vec<String>,
    /// What to go by on this device, in sentences.
    pub rules: Vec<String>,
    /// Which of the earlier steps are told in full: `the last one`.
    pub whole: String,
    /// Whether it is said as upstream says it: its rules alone, all of them.
    pub compat: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// The date as year, month and day.
    pub date: String,
    /// The task; empty where it comes last alone, as upstream has it on the first turn.
    pub goal: String,
}

/// What the `planner/turn` template is filled in with: what comes before the present picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnText {
    /// Whether it is not the first turn.
    pub later: bool,
    pub goal: String,
    pub last: bool,
    pub picture: bool,
}

/// What the `planner/command` template is filled in with: what comes after the present picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandPrompt {
    /// The memory as JSON; empty when nothing is stored.
    pub memory: String,
    /// Keys that were dropped because the memory was full.
    pub forgotten: Vec<String>,
    /// The screen in words; `None` leaves it out.
    pub screen: Option<ScreenPrompt>,
    pub also: Vec<ActionDoc>,
    /// What to keep in mind on this device, where that is said in every turn.
    pub reminders: Vec<String>,
    /// Whether the answer's and the screen's form are said here, as upstream does, not in the system prompt.
    pub compat: bool,
    /// What came of the last turn where it was not as it should be, and what waldo noticed.
    pub notices: Vec<String>,
    /// Turns left, this one included; `None` leaves them out.
    pub steps_left: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reask {
    /// Why the reply could not be used; a fragment without a full stop.
    pub error: String,
    pub types: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replan {
    pub description: String,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroundTags {
    pub kind: String,
    pub description: String,
    pub element: Option<String>,
    pub elements: String,
    pub whole: bool,
    /// Whether a picture goes along, so that a place in it is an answer.
    pub picture: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroundPoint {
    pub kind: String,
    pub description: String,
    pub element: Option<String>,
    pub crop: bool,
    pub width: u32,
    pub height: u32,
    pub form: String,
}

templates! {
    planner_system(System) = "planner/system";
    /// The block with date and task that follows it.
    planner_info(Info) = "planner/info";
    /// What comes before the present picture.
    planner_turn(TurnText) = "planner/turn";
    /// What comes after the present picture.
    planner_command(CommandPrompt) = "planner/command";
    /// The question after an answer that could not be used.
    planner_reask(Reask) = "planner/reask";
    /// The question after a description that could not be located.
    planner_replan(Replan) = "planner/replan";
    /// The locator's prompt on numbered elements.
    planner_ground_tags(GroundTags) = "planner/ground_tags";
    planner_ground_point(GroundPoint) = "planner/ground_point";
}

/// The last message of a planner's request, taken apart again. The reference model reads prompts with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnParts<'a> {
    pub goal: &'a str,
    /// The memory as JSON; empty when nothing is stored.
    pub memory: &'a str,
    /// The block of screen text, without its delimiters; empty when there is none.
    pub screen: &'a str,
}

impl<'a> TurnParts<'a> {
    /// Takes a message apart; `None` when it is none of the built-in templates. The task stands before all
    /// text that is not waldo's own, so a screen cannot pose as it.
    pub fn of(message: &'a str) -> Option<Self> {
        let (_, rest) = message.split_once("# Task\n\n")?;
        let (goal, rest) = rest.split_once("\n\n# Screen\n\n")?;
        let goal = goal.split_once("\n\n# Last turn\n\n").map_or(goal, |(goal, _)| goal);
        let (_, rest) = rest.split_once("# Current memory\n\n")?;
        let memory = if rest.starts_with('{') { rest.split_once("\n}\n").map_or("", |(m, _)| m) } else { "" };
        let memory = if memory.is_empty() { "" } else { &rest[..memory.len() + 2] };
        let screen = block_of(rest)?;
        Some(Self { goal, memory, screen })
    }
}

/// A prompt of [`crate::Prompts::planner_ground_tags`], taken apart again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroundParts<'a> {
    /// The action's type and description, on one line.
    pub wanted: &'a str,
    /// The element's own description; empty when there is none.
    pub element: &'a str,
    pub elements: &'a str,
}

impl<'a> GroundParts<'a> {
    /// Takes a prompt apart; `None` when it is none of the built-in template.
    pub fn of(prompt: &'a str) -> Option<Self> {
        let rest = prompt.strip_prefix("# Find one element\n\n")?;
        let (_, rest) = rest.split_once("Somebody wants to do this:\n\n")?;
        let wanted = rest.lines().next()?;
        let (_, block) = rest.split_once(&format!("\n{OPEN}\n"))?;
        let elements = block.split_once(&format!("\n{CLOSE}\n"))?.0;
        let element =
            rest.lines().nth(1).and_then(|l| l.strip_prefix("The element is described as: ")).unwrap_or("");
        Some(Self { wanted, element, elements })
    }
}

#[cfg(test)]
mod tests;
