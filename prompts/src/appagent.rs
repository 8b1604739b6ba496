//! The prompts of the AppAgent policy.
//!
//! Their parts and the order of these follow AppAgent: role, functions, documentation, task, past
//! actions, reply format. Ours add the screen's text as a block of untrusted words, what came of the
//! last turn, and how many turns are left; a context without them gives AppAgent's parts alone.

use serde::Serialize;

use crate::error::PromptError;
use crate::filters;
use crate::store::Prompts;

mod learn;

pub use learn::{
    Coverage, DocumentParts, DocumentPrompt, Explore, ExploreParts, Reflect, ReflectParts, UntriedScreen,
    docs_of,
};

/// A function that the model may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name and parameters, such as `tap(element)`.
    pub signature: String,
    /// What it does, in sentences.
    pub purpose: String,
    /// A call, and what comes of it; empty where the signature says it all.
    pub example: String,
}

/// Documentation of an element on the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Doc {
    /// The numbers of the elements that it is about.
    pub tags: Vec<u32>,
    /// What is known about them.
    pub text: String,
}

/// The screen in words. All of it is untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScreenPrompt {
    /// Where the device is: lines of [`place_line`].
    pub place: Vec<String>,
    /// The list of elements, one line each.
    pub elements: String,
    /// How many elements the list lacks.
    pub left_out: usize,
}

/// What the `appagent/deploy` template is filled in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deploy {
    /// The kind of device, with its article.
    pub machine: String,
    /// Whether a labelled picture goes along.
    pub picture: bool,
    pub functions: Vec<Function>,
    /// Documentation of elements on this screen.
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

/// What the `appagent/grid` template is filled in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// The kind of device, with its article.
    pub machine: String,
    /// The area of the last picture that is shown; the whole screen where there is none.
    pub within: Option<u32>,
    pub rows: u32,
    pub columns: u32,
    /// Names of the parts of an area.
    pub parts: Vec<String>,
    pub functions: Vec<Function>,
    pub goal: String,
    /// The summary of what was done.
    pub history: Option<String>,
    /// What came of the last turn.
    pub note: Option<String>,
    /// Turns left, this one included.
    pub steps_left: Option<u32>,
    /// The replies that end the episode.
    pub endings: String,
}

/// What the `appagent/reask` template is filled in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reask {
    /// Why the reply could not be used; a fragment without a full stop.
    pub error: String,
    /// The signatures of what can be called.
    pub signatures: Vec<String>,
    /// The replies that end the episode.
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

impl Prompts {
    /// The prompt for one decision.
    ///
    /// # Errors
    /// [`PromptError::Template`] when a template asks for what the context lacks.
    pub fn appagent_deploy(&self, context: &Deploy) -> Result<String, PromptError> {
        self.render("appagent/deploy", context)
    }

    /// The prompt for one decision on a picture divided into areas.
    ///
    /// # Errors
    /// As [`Prompts::appagent_deploy`].
    pub fn appagent_grid(&self, context: &Grid) -> Result<String, PromptError> {
        self.render("appagent/grid", context)
    }

    /// The second question after a reply that could not be used.
    ///
    /// # Errors
    /// As [`Prompts::appagent_deploy`].
    pub fn appagent_reask(&self, context: &Reask) -> Result<String, PromptError> {
        self.render("appagent/reask", context)
    }
}

/// A prompt of [`Prompts::appagent_deploy`], taken apart again. The reference model reads prompts with
/// it, so that it answers what a model is really sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeployParts<'a> {
    pub goal: &'a str,
    /// The summary of past actions.
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

/// Fills in every template once with sample values.
pub(crate) fn check(prompts: &Prompts) -> Result<(), PromptError> {
    let word = || String::from("x");
    let functions = vec![Function { signature: word(), purpose: word(), example: word() }];
    let full = Deploy {
        machine: word(),
        picture: true,
        functions: functions.clone(),
        fitting: functions.clone(),
        docs: vec![Doc { tags: vec![1], text: word() }],
        goal: word(),
        history: Some(word()),
        note: Some(word()),
        steps_left: Some(1),
        screen: Some(ScreenPrompt { place: vec![word()], elements: word(), left_out: 1 }),
        endings: word(),
    };
    prompts.appagent_deploy(&full)?;
    prompts.appagent_deploy(&Deploy {
        picture: false,
        docs: Vec::new(),
        history: None,
        note: None,
        steps_left: None,
        screen: None,
        ..full
    })?;
    let grid = Grid {
        within: Some(3),
        machine: word(),
        rows: 1,
        columns: 1,
        parts: vec![word()],
        functions,
        goal: word(),
        history: Some(word()),
        note: Some(word()),
        steps_left: Some(1),
        endings: word(),
    };
    prompts.appagent_grid(&grid)?;
    prompts.appagent_grid(&Grid { within: None, history: None, note: None, steps_left: None, ..grid })?;
    prompts.appagent_reask(&Reask { error: word(), signatures: vec![word()], endings: word() })?;
    learn::check(prompts)
}

#[cfg(test)]
mod tests;
