//! The prompts of the AppAgent policy.
//!
//! Their parts and the order of these follow AppAgent: role, functions, documentation, task, past
//! actions, reply format. Ours add the screen's text as a block of untrusted words, what came of the
//! last turn, and how many turns are left; a context without them gives AppAgent's parts alone.

use serde::{Deserialize, Serialize};

use crate::filters;

pub(crate) mod learn;

pub use learn::{
    ActionParts, Coverage, DocumentPrompt, Explore, ExploreParts, Reflect, UntriedScreen, docs_of,
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name and parameters, such as `tap(element)`.
    pub signature: String,
    pub purpose: String,
    /// A call, and what comes of it; empty where the signature says it all.
    pub example: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doc {
    pub tags: Vec<u32>,
    pub text: String,
}

/// The screen in words. All of it is untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenPrompt {
    /// Where the device is: lines of [`place_line`].
    pub place: Vec<String>,
    pub elements: String,
    pub left_out: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deploy {
    /// The kind of device, with its article.
    pub machine: String,
    pub picture: bool,
    pub functions: Vec<Function>,
    pub docs: Vec<Doc>,
    pub goal: String,
    /// The summary of what was done, in the model's own words.
    pub history: Option<String>,
    /// What came of the last turn, where it was not as it should be.
    pub note: Option<String>,
    /// Turns left, this one included; `None` leaves them out.
    pub steps_left: Option<u32>,
    /// The screen in words; `None` leaves it out.
    pub screen: Option<ScreenPrompt>,
    /// The replies that end the episode, such as `FINISH`.
    pub endings: String,
    /// Functions that this screen allows and few others do; none where there is no `screen`.
    pub fitting: Vec<Function>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    pub machine: String,
    /// The area of the last picture that is shown; the whole screen where there is none.
    pub within: Option<u32>,
    pub rows: u32,
    pub columns: u32,
    pub parts: Vec<String>,
    pub functions: Vec<Function>,
    pub goal: String,
    pub history: Option<String>,
    pub note: Option<String>,
    pub steps_left: Option<u32>,
    pub endings: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reask {
    /// Why the reply could not be used; a fragment without a full stop.
    pub error: String,
    pub signatures: Vec<String>,
    pub endings: String,
}

/// One line about the place where a device is: `label: "text"`, with the text quoted and cut.
pub fn place_line(label: &str, text: &str) -> String {
    format!("{label}: {}", filters::quoted(text, 300))
}

/// As [`place_line`], for longer texts such as what a command printed.
pub fn long_line(label: &str, text: &str) -> String {
    format!("{label}: {}", filters::quoted(text, 2_200))
}

templates! {
    appagent_deploy(Deploy) = "appagent/deploy";
    /// The prompt for one decision on a picture divided into areas.
    appagent_grid(Grid) = "appagent/grid";
    /// The second question after a reply that could not be used.
    appagent_reask(Reask) = "appagent/reask";
}

/// A prompt of [`crate::Prompts::appagent_deploy`], taken apart again. The reference model reads prompts with
/// it, so that it answers what a model is really sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeployParts<'a> {
    pub goal: &'a str,
    pub history: &'a str,
    /// The block of screen text, without its delimiters; empty when there is none.
    pub screen: &'a str,
}

impl<'a> DeployParts<'a> {
    /// Takes a prompt apart; `None` when it is none of the built-in template.
    ///
    /// The task stands before all text that is not waldo's own except AppAgent's own form, where documentation
    /// does, which is kept from beginning a line. So a screen cannot pose as the task.
    pub fn of(prompt: &'a str) -> Option<Self> {
        let (_, rest) = prompt.split_once("\n# Task\n\n")?;
        let (goal, rest) = rest.split_once("\n\n# So far\n\n")?;
        let history = rest.lines().next()?;
        let screen = filters::block_of(rest)?;
        Some(Self { goal, history, screen })
    }
}

#[cfg(test)]
mod tests;
