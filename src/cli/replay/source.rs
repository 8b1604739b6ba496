//! What is replayed: an episode of a run, or a demonstration.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use waldo_agents::replay::Recorded;
use waldo_agents::{Choice, Decision, Note, PersonPart};
use waldo_devices::count::count;
use waldo_devices::foreign::{PICTURE_BYTES, PathName};
use waldo_devices::{Effect, Platform};
use waldo_tasks::demo::Demo;
use waldo_tasks::events::Observed;
use waldo_tasks::record::{EpisodeFolder, TaskEntry};
use waldo_tasks::suite::instance_seed;
use waldo_tasks::{Contestant, EpisodeKey, Event, EventKind, RunFolder};

use super::super::{CliError, Result, run};

/// The suite of sessions of `waldo mcp`.
const BY_CLIENT: &str = "mcp";
/// Calls of a client that look only.
const LOOKS: [&str; 2] = ["observe", "read"];

pub(super) struct ReplaySource {
    pub(super) key: EpisodeKey,
    pub(super) seed: u64,
    pub(super) max_steps: u32,
    pub(super) goal: String,
    pub(super) entry: TaskEntry,
    pub(super) contestant: Contestant,
    pub(super) steps: Vec<Recorded>,
    pub(super) passed_over: PassedOver,
    pub(super) by_person: usize,
    /// Where the device was at the start: an address, or an app and what it showed.
    pub(super) place: String,
    pub(super) begins: Begins,
}

pub(super) enum Begins {
    Task {
        suite: String,
        hash: Option<String>,
        /// The recorded device's product, where the record has it.
        product: Option<String>,
    },
    /// On a page, in an app or a program.
    ByHand(ByHandStart),
}

pub(super) struct ByHandStart {
    /// An address, an app, a program; null is the home screen. Of several screens a list of NAME=WHAT.
    pub(super) start: Value,
    /// The `--device` that it was recorded on, where the record has it.
    pub(super) device: Option<String>,
    pub(super) product: String,
    pub(super) checks: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(super) struct PassedOver {
    /// Looks at the screen, and waiting for something to show.
    looks: usize,
    hints: usize,
    refused: usize,
    /// Decisions of an agent that came to nothing.
    nothing: usize,
}

impl PassedOver {
    /// In words; `None` where there is nothing.
    pub(super) fn words(self) -> Option<String> {
        let parts = [
            (self.looks, "look", " at the screen"),
            (self.hints, "hint", ""),
            (self.refused, "refused action", ""),
            (self.nothing, "decision", " without an action"),
        ];
        let words = parts.into_iter().filter(|(n, ..)| *n > 0);
        let words: Vec<String> = words.map(|(n, one, rest)| count(n, one) + rest).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

fn key(text: &str) -> Option<EpisodeKey> {
    let (rest, repeat) = text.trim_matches('/').rsplit_once("/r")?;
    let (contestant, task) = rest.split_once('/')?;
    let name = |name: &str| PathName::new(name).ok().map(|name| name.to_string());
    Some(EpisodeKey { contestant: name(contestant)?, task: name(task)?, repeat: repeat.parse().ok()? })
}

impl ReplaySource {
    /// The demonstration in this folder, or an episode of the run; which one need not be said where it has one.
    pub(super) fn read(path: &Path, episode: Option<&str>) -> Result<Self> {
        if path.join("demo.json").exists() || path.join("record.txt").exists() {
            return match episode {
                Some(_) => Err(CliError::Input(format!(
                    "{} is a demonstration: it has no episodes to name",
                    path.display()
                ))),
                None => Self::demo(path),
            };
        }
        Self::episode(path, episode)
    }

    fn demo(path: &Path) -> Result<Self> {
        let demo = Demo::open(path)?;
        if demo.steps.iter().all(|step| step.before.seen.is_none()) {
            return Err(CliError::Input(format!(
                "{}: it does not contain the screens: only demonstrations that waldo recorded do",
                path.display()
            )));
        }
        let info = demo.info;
        let events = Demo::events(path)?;
        let read = Steps::demonstrated(&events, |seen| Demo::picture(path, seen));
        let (suite, task) = (info.start["suite"].as_str(), info.start["task"].as_str());
        let seed = match task {
            Some(task) => instance_seed(info.start["seed"].as_u64().unwrap_or(0), task, 0),
            None => 0,
        };
        let begins = match (suite, task) {
            (Some(suite), Some(_)) => {
                Begins::Task { suite: suite.to_owned(), hash: None, product: Some(info.product) }
            }
            _ => Begins::ByHand(ByHandStart {
                start: info.start.clone(),
                device: None,
                product: info.product,
                checks: Vec::new(),
            }),
        };
        let entry =
            TaskEntry::single(task.unwrap_or(&info.name), &info.goal, "demonstrated", info.platform, 0);
        let contestant = Contestant::new("person", None);
        let key = EpisodeKey { contestant: contestant.name.clone(), task: entry.id.clone(), repeat: 0 };
        Ok(read.source(key, (seed, 0), info.goal, entry, contestant, begins))
    }

    fn episode(path: &Path, episode: Option<&str>) -> Result<Self> {
        let folder = RunFolder::open(path)?;
        let manifest = &folder.manifest;
        let keys: Vec<EpisodeKey> = folder.keys().collect();
        let key = match (episode, keys.as_slice()) {
            (Some(text), _) => key(text).ok_or_else(|| {
                CliError::Input(format!("'{text}' is not an episode: write it like AGENT/TASK/r0"))
            })?,
            (None, [only]) => only.clone(),
            (None, _) => {
                return Err(CliError::Input(match recorded(&folder)? {
                    Some(known) => format!("say which episode; recorded are {known}"),
                    None => format!("{} holds no complete episode yet", path.display()),
                }));
            }
        };
        let there = folder.episode(&key);
        let events = there.events()?;
        let begun = events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Started { seed, max_steps, goal, .. } => Some((*seed, *max_steps, goal.clone())),
            _ => None,
        });
        let entry = manifest.tasks.iter().find(|task| task.id == key.task).cloned();
        let contestant = manifest.contestants.iter().find(|who| who.name == key.contestant).cloned();
        let (Some((seed, max_steps, goal)), Some(entry), Some(contestant)) = (begun, entry, contestant)
        else {
            return Err(CliError::Input(match recorded(&folder)? {
                Some(known) => format!("no record of {key}; recorded are {known}"),
                None => format!("no record of {key}; {} holds no complete episode yet", path.display()),
            }));
        };
        let by_hand = manifest.suite == run::BY_HAND || manifest.suite == BY_CLIENT;
        let product = manifest.device.as_ref().map(|device| device.product.clone());
        let begins = if by_hand {
            let given = &manifest.parameters;
            let lines = given["checks"].as_array().into_iter().flatten();
            Begins::ByHand(ByHandStart {
                start: given["start"].clone(),
                device: given["device"].as_str().map(str::to_owned),
                product: product.unwrap_or_default(),
                checks: lines.filter_map(|line| line.as_str().map(str::to_owned)).collect(),
            })
        } else if manifest.is_judged() {
            let suite = entry.suite.clone();
            // The hash of a run of several suites is that of all of them.
            let hash = suite.is_none().then(|| manifest.suite_hash.clone());
            Begins::Task { suite: suite.unwrap_or_else(|| manifest.suite.clone()), hash, product }
        } else {
            return Err(CliError::Input(format!(
                "{0} is an exploration, which restarts many times: only tasks, runs of one goal, sessions and \
                 demonstrations can be replayed; 'waldo report {0}' shows what was done",
                path.display()
            )));
        };
        let passes = if by_hand { Passes::LeftOut } else { Passes::Kept };
        let read = Steps::decided(&events, passes, |seen| picture(&there, seen));
        Ok(read.source(key, (seed, max_steps), goal, entry, contestant, begins))
    }

    pub(super) fn platform(&self) -> Platform {
        self.entry.platform
    }
}

/// Some of the complete episodes, in words.
fn recorded(folder: &RunFolder) -> Result<Option<String>> {
    let known: Vec<String> = folder.results()?.iter().map(|result| result.key.to_string()).collect();
    let shown = known.get(..5).unwrap_or(&known).join(", ");
    Ok(match known.len() {
        0 => None,
        1..=5 => Some(shown),
        more => Some(format!("{shown} and {} more", more - 5)),
    })
}

fn picture(folder: &EpisodeFolder, seen: &Observed) -> Option<Vec<u8>> {
    let name = PathName::new(seen.picture.as_deref()?).ok()?;
    folder.read(&name, PICTURE_BYTES).ok()
}

/// What becomes of recorded decisions that do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passes {
    /// They keep their place: a task may count steps until something happens.
    Kept,
    LeftOut,
}

#[derive(Default)]
struct Steps {
    steps: Vec<Recorded>,
    passed_over: PassedOver,
    by_person: usize,
    place: String,
}

impl Steps {
    fn decided(events: &[Event], passes: Passes, picture: impl Fn(&Observed) -> Option<Vec<u8>>) -> Self {
        let mut all = Self::default();
        let mut seen = None;
        for event in events {
            match &event.kind {
                EventKind::Started { .. } => (all, seen) = (Self::default(), None),
                EventKind::Observed(observed) => {
                    all.first(observed);
                    seen = Some(observed);
                }
                EventKind::Decided { decision, .. } => {
                    let Some(observed) = seen.take() else { continue };
                    all.count(decision);
                    let idle = matches!(decision.choice, Choice::Pass { .. });
                    if !idle || passes == Passes::Kept {
                        all.push(observed, decision.as_ref().clone(), &picture);
                    }
                }
                EventKind::Acted { report, note, .. } => {
                    let refused = matches!(note, Some(Note::Refused { .. } | Note::Failed { .. }));
                    if let (false, true, Some(step)) = (refused, report.is_some(), all.steps.last_mut()) {
                        step.done = true;
                    }
                }
                _ => {}
            }
        }
        all
    }

    /// What a person demonstrated: there are actions, and no decisions.
    fn demonstrated(events: &[Event], picture: impl Fn(&Observed) -> Option<Vec<u8>>) -> Self {
        let mut all = Self::default();
        let mut seen: Option<&Observed> = None;
        // A demonstration names the element after what was done to it.
        let mut since = 0;
        for event in events {
            match &event.kind {
                EventKind::Started { .. } => (all, seen, since) = (Self::default(), None, 0),
                EventKind::Observed(observed) => {
                    all.first(observed);
                    seen = Some(observed);
                }
                EventKind::Acted { action, report, .. } => {
                    let refused = |effect: &Effect| matches!(effect, Effect::Refused { .. });
                    let done = report.as_ref().is_some_and(|report| !refused(&report.effect));
                    if let Some(observed) = seen.filter(|_| done) {
                        let decision = by_person(Choice::Act { action: action.clone() });
                        all.count(&decision);
                        all.push(observed, decision, &picture);
                        all.steps.last_mut().into_iter().for_each(|step| step.done = true);
                    }
                }
                EventKind::Demonstrated { tag, call, .. } => {
                    for step in all.steps.iter_mut().skip(since) {
                        step.decision.tag = *tag;
                        call.clone_into(&mut step.decision.call);
                    }
                    since = all.steps.len();
                }
                _ => {}
            }
        }
        if let Some(observed) = seen {
            all.push(observed, by_person(Choice::Finish { answer: None }), &picture);
        }
        all
    }

    fn first(&mut self, observed: &Observed) {
        if self.place.is_empty() {
            self.place.clone_from(&observed.context.location);
        }
    }

    fn count(&mut self, decision: &Decision) {
        let passed = &mut self.passed_over;
        match (&decision.choice, decision.person) {
            (Choice::Pass { .. }, Some(PersonPart::Refused)) => passed.refused += 1,
            (Choice::Pass { .. }, None | Some(PersonPart::Approved | PersonPart::Advised))
                if !LOOKS.contains(&decision.call.as_str()) =>
            {
                passed.nothing += 1;
            }
            (Choice::Pass { .. }, _) => passed.looks += 1,
            (Choice::Act { .. }, Some(PersonPart::Decided | PersonPart::Edited)) => self.by_person += 1,
            _ => {}
        }
        passed.hints += usize::from(decision.person == Some(PersonPart::Advised));
    }

    fn push(
        &mut self,
        observed: &Observed,
        decision: Decision,
        picture: &impl Fn(&Observed) -> Option<Vec<u8>>,
    ) {
        self.steps.push(Recorded {
            elements: observed.elements.clone(),
            tagged: observed.tagged.clone(),
            picture: picture(observed).map(Arc::from),
            decision,
            done: false,
        });
    }

    fn source(
        self,
        key: EpisodeKey,
        (seed, max_steps): (u64, u32),
        goal: String,
        entry: TaskEntry,
        contestant: Contestant,
        begins: Begins,
    ) -> ReplaySource {
        let Self { steps, passed_over, by_person, place } = self;
        ReplaySource {
            key,
            seed,
            max_steps,
            goal,
            entry,
            contestant,
            steps,
            passed_over,
            by_person,
            place,
            begins,
        }
    }
}

fn by_person(choice: Choice) -> Decision {
    Decision { person: Some(PersonPart::Decided), ..Decision::of(choice) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_is_named_by_its_path_and_what_is_passed_over_counted() {
        let k = key("appagent+m/register-form/r12").unwrap();
        assert_eq!((k.contestant.as_str(), k.task.as_str(), k.repeat), ("appagent+m", "register-form", 12));
        assert!(
            key("a/b").is_none() && key("a/b/rx").is_none() && key("../b/r0").is_none() && key("").is_none()
        );
        assert_eq!(PassedOver::default().words(), None);
        let all = PassedOver { looks: 2, hints: 1, ..PassedOver::default() };
        assert_eq!(all.words().unwrap(), "2 looks at the screen, 1 hint");
    }
}
