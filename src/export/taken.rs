use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use waldo_agents::{Choice, Decision, Exchange};
use waldo_devices::foreign::PathName;
use waldo_devices::{Action, ActionReport, Element};
use waldo_tasks::draft::Done;
use waldo_tasks::episode::TRAFFIC;
use waldo_tasks::events::Observed;
use waldo_tasks::record::{EpisodeFolder, TaskEntry};
use waldo_tasks::{EpisodeKey, EpisodeResult, EventKind, RunFolder};

use super::error::ExportError;
use super::links::link;

const MAX_PICTURE: u64 = 64 * 1024 * 1024;
/// The largest archive of traffic that is read, in bytes.
const MAX_TRAFFIC: u64 = 256 * 1024 * 1024;

/// What was done, and what came of it.
#[derive(Debug)]
pub(super) struct ActionRecord {
    pub(super) action: Action,
    pub(super) report: Option<ActionReport>,
    pub(super) note: Option<waldo_agents::Note>,
}

#[derive(Debug, Default)]
pub(super) struct ExportStep {
    pub(super) number: u32,
    pub(super) seen: Option<Box<Observed>>,
    pub(super) decided: Option<(Box<Decision>, Duration, Timestamp)>,
    pub(super) done: Vec<ActionRecord>,
}

impl ExportStep {
    pub(super) fn element(&self) -> Option<&Element> {
        let (seen, (decision, _, _)) = (self.seen.as_ref()?, self.decided.as_ref()?);
        let tag = decision.tag?;
        let at = seen.tagged.iter().find(|tagged| tagged.tag == tag)?.element;
        seen.elements.get(at)
    }

    pub(super) fn words(&self) -> String {
        let named = self.element().map(|e| match e.name.as_str() {
            "" => format!(" on {}", e.role.as_str()),
            name => format!(" on {} \"{name}\"", e.role.as_str()),
        });
        let named = named.unwrap_or_default();
        let done = self.done.first().map(|done| done.action.describe());
        match (&self.decided, done) {
            (_, Some(done)) => format!("{done}{named}"),
            (Some((decision, _, _)), None) if !decision.call.is_empty() => decision.call.clone(),
            (Some((decision, _, _)), None) => match &decision.choice {
                Choice::Finish { answer: Some(answer) } => format!("finish, with the answer \"{answer}\""),
                Choice::Finish { answer: None } => "finish".to_owned(),
                Choice::Infeasible { reason } => format!("declare it infeasible: {reason}"),
                Choice::GiveUp { reason } => format!("give up: {reason}"),
                Choice::HandOver { reason } => format!("hand it over: {reason}"),
                Choice::Fail { reason } => format!("the agent failed: {reason}"),
                Choice::Pass { reason } => format!("no action: {reason}"),
                Choice::Act { action } => action.describe(),
            },
            (None, None) => "the screen at the end".to_owned(),
        }
    }
}

pub(super) struct RecordedEpisode {
    pub(super) key: EpisodeKey,
    pub(super) entry: TaskEntry,
    pub(super) goal: String,
    pub(super) seed: u64,
    pub(super) began: Timestamp,
    pub(super) steps: Vec<ExportStep>,
    pub(super) result: Option<EpisodeResult>,
    folder: EpisodeFolder,
}

impl RecordedEpisode {
    /// Reads it; `None` where nothing was recorded.
    pub(super) fn of(run: &RunFolder, key: &EpisodeKey) -> Result<Option<Self>, ExportError> {
        let folder = run.episode(key);
        let Some(entry) = run.manifest.tasks.iter().find(|task| task.id == key.task) else {
            return Ok(None);
        };
        let mut taken: Option<Self> = None;
        for event in folder.events()? {
            let at = event.at;
            if let EventKind::Started { goal, seed, .. } = event.kind {
                taken = Some(Self {
                    key: key.clone(),
                    entry: entry.clone(),
                    goal,
                    seed,
                    began: at,
                    steps: Vec::new(),
                    result: None,
                    folder: folder.clone(),
                });
                continue;
            }
            let Some(taken) = &mut taken else { continue };
            match event.kind {
                EventKind::Observed(seen) => {
                    let step = seen.step;
                    taken.step(step).seen = Some(seen);
                }
                EventKind::Decided { step, decision, took } => {
                    taken.step(step).decided = Some((decision, took, at));
                }
                EventKind::Acted { step, action, report, note } => {
                    taken.step(step).done.push(ActionRecord { action, report, note });
                }
                EventKind::Ended { result } => taken.result = Some(*result),
                _ => {}
            }
        }
        Ok(taken.filter(|taken| !taken.steps.is_empty()))
    }

    fn step(&mut self, number: u32) -> &mut ExportStep {
        let at = match self.steps.iter().position(|step| step.number == number) {
            Some(at) => at,
            None => {
                self.steps.push(ExportStep { number, ..ExportStep::default() });
                self.steps.len() - 1
            }
        };
        &mut self.steps[at]
    }

    /// What files about it are called.
    pub(super) fn name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-+".contains(c) { c } else { '-' };
        format!("{}.{}.r{}", self.key.contestant, self.key.task, self.key.repeat).chars().map(plain).collect()
    }

    pub(super) fn is_solved(&self) -> bool {
        self.result.as_ref().is_some_and(|result| result.is_solved() && !result.is_invalid())
    }

    pub(super) fn picture_path(&self, step: &ExportStep) -> Option<PathBuf> {
        let name = PathName::new(step.seen.as_ref()?.picture.as_ref()?).ok()?;
        self.folder.path().join(name).canonicalize().ok()
    }

    /// What models were asked, each time with the step that it was for.
    pub(super) fn exchanges(&self) -> impl Iterator<Item = (&ExportStep, &Exchange)> {
        self.steps.iter().flat_map(|step| {
            let asked = step.decided.iter().flat_map(|(decision, _, _)| &decision.exchanges);
            asked.map(move |one| (step, one))
        })
    }

    /// The archive of what pages sent and got; `None` where there is none to be read.
    pub(super) fn traffic(&self) -> Option<Vec<u8>> {
        self.folder.read(&PathName::like(TRAFFIC), MAX_TRAFFIC).ok()
    }

    /// The path, seen from the folder `home`, of the labelled picture that went along with a request, where one did.
    pub(super) fn picture_of_request(
        &self,
        step: &ExportStep,
        asked: &Exchange,
        home: &Path,
    ) -> Option<String> {
        self.picture_path(step).filter(|_| asked.pictures > 0).map(|path| link(home, &path))
    }

    pub(super) fn picture(&self, step: &ExportStep) -> Option<Vec<u8>> {
        self.picture_of(step.seen.as_ref()?)
    }

    pub(super) fn picture_of(&self, seen: &Observed) -> Option<Vec<u8>> {
        let name = PathName::new(seen.picture.as_ref()?).ok()?;
        self.folder.read(&name, MAX_PICTURE).ok()
    }

    /// What was done, from the record's events.
    pub(super) fn done(&self) -> Result<Done, ExportError> {
        Ok(Done::of(self.folder.events()?))
    }
}
