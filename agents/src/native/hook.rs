//! The program of a profile: one question for each stage that it does.
//!
//! Invariants: it is kept alive from question to question, and started anew after it failed; a question that is not
//! answered by its deadline ends it with all that it started.

use std::fmt;
use std::path::Path;

use serde_json::{Value, json};
use tokio::sync::Mutex as Turn;
use waldo_devices::Deadline;
use waldo_native::{HookRule, HookStage};

use crate::error::ModelError;
use crate::program::{Heard, LINE_BYTES, Program, ProgramSpec};

pub struct Hook {
    rule: HookRule,
    spec: ProgramSpec,
    running: Turn<Option<Program>>,
    heard: Heard,
    most: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The program says so itself, as a fragment for the model.
    Said(String),
    Failed(String),
}

impl From<NoAnswer> for ModelError {
    fn from(no: NoAnswer) -> Self {
        let (NoAnswer::Said(message) | NoAnswer::Failed(message)) = no;
        Self::Hook { message }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("rule", &self.rule).field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl Hook {
    /// The program that a profile in `dir` names. Nothing is started yet.
    pub fn new(rule: HookRule, dir: &Path) -> Self {
        let spec =
            ProgramSpec { exec: rule.exec.clone(), dir: Some(dir.to_owned()), ..ProgramSpec::default() };
        Self { rule, spec, running: Turn::new(None), heard: Heard::default(), most: LINE_BYTES }
    }

    pub fn does(&self, stage: HookStage) -> bool {
        self.rule.stages.contains(&stage)
    }

    /// What it printed to standard error since it was asked for that last.
    pub(super) fn heard(&self) -> Option<String> {
        self.heard.take()
    }

    /// Asks it; one that fails is started anew once.
    pub(super) async fn ask(
        &self,
        stage: HookStage,
        input: &Value,
        deadline: Deadline,
    ) -> Result<Value, NoAnswer> {
        let late = || NoAnswer::Failed(format!("it did not come to '{}' in time", stage.as_str()));
        let mut turn =
            tokio::time::timeout_at(deadline.instant(), self.running.lock()).await.map_err(|_| late())?;
        let mut again = true;
        loop {
            // Taken out while it is asked: whoever stops waiting ends it, for what it says next is no answer any more.
            let kept = turn.take();
            let fresh = kept.is_none();
            let mut running = match kept {
                Some(running) => running,
                None => Program::start(&self.spec, &self.heard, self.most).map_err(NoAnswer::Failed)?,
            };
            let put = put(&mut running, stage, input);
            let why = match tokio::time::timeout_at(deadline.instant(), put).await {
                Ok(Ok(answer)) => {
                    *turn = Some(running);
                    return answer;
                }
                // What was kept may have ended meanwhile.
                Ok(Err(_)) if again && !fresh => {
                    again = false;
                    continue;
                }
                Ok(Err(why)) => why,
                Err(_) => "no answer by its deadline; it was killed".to_owned(),
            };
            drop(running);
            let why = format!("{}: {why}", stage.as_str());
            return Err(NoAnswer::Failed(self.heard.with_last(why, 1).await));
        }
    }
}

/// One question and its answer, which may be that there is none.
async fn put(
    running: &mut Program,
    stage: HookStage,
    input: &Value,
) -> Result<Result<Value, NoAnswer>, String> {
    let mut value = running.put(json!({"stage": stage.as_str(), "input": input})).await?;
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        let words = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
        return Ok(Err(NoAnswer::Said(words)));
    }
    match value.get_mut("output") {
        Some(output) => Ok(Ok(output.take())),
        None => Err(format!("its answer has neither output nor error: {}", crate::program::shown(&value))),
    }
}

#[cfg(test)]
#[path = "hook_tests.rs"]
mod tests;
