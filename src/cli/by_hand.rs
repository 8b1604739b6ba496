//! A goal that somebody typed: nothing is prepared but the start, and nothing is checked.

use std::path::Path;

use async_trait::async_trait;
use futures::future::join_all;
use waldo_devices::{Deadline, Device, DeviceError, ResetTo};
use waldo_tasks::record::TaskEntry;
use waldo_tasks::{Goal, Outcome, RunningTask, Task, TaskError, Verdict};

use super::CliError;
use super::guard::{GuardArgs, rule};
use super::start::origin_of;
use crate::screens::NamedScreen;

/// Where the device starts, and what may be touched.
pub enum Starts {
    /// One screen.
    One(Box<ResetTo>),
    /// Several, by name.
    Several(Vec<(String, ResetTo)>),
}

/// How a screen among several starts, as `--start` takes it: `desk=mousepad notes.txt`.
#[derive(Clone, Debug)]
pub struct NamedStart {
    name: String,
    what: String,
}

impl std::fmt::Display for NamedStart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.name, self.what)
    }
}

impl std::str::FromStr for NamedStart {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, what)) if !name.is_empty() && !what.is_empty() => {
                Ok(Self { name: name.to_owned(), what: what.to_owned() })
            }
            _ => Err(format!(
                "'{text}': write NAME=WHAT, such as browser=https://example.org or desk=mousepad"
            )),
        }
    }
}

/// The start of each screen: of a browser the page, of a phone an app or its home screen, of a desktop a program.
///
/// # Errors
/// When a browser has none, or one is given for a screen that there is not.
pub fn several(on: &[NamedScreen], starts: &[NamedStart], guard: &GuardArgs) -> Result<Starts, CliError> {
    if let Some(unknown) = starts.iter().find(|start| on.iter().all(|screen| screen.name != start.name)) {
        let names: Vec<&str> = on.iter().map(|screen| screen.name.as_str()).collect();
        let message = format!("--start names no screen '{}'; there are {}", unknown.name, names.join(", "));
        return Err(CliError::Input(message));
    }
    let start = |screen: &NamedScreen| {
        let given = starts.iter().find(|start| start.name == screen.name).map(|start| start.what.as_str());
        let family = screen.spec.family();
        let to = match given {
            Some(url) if family.has_origins() => {
                let own = rule(&origin_of(url)?.to_string()).map_err(CliError::Input)?;
                ResetTo { start: url.to_owned(), policy: guard.policy(Some(own)), ..ResetTo::default() }
            }
            None if family.has_origins() => {
                let name = &screen.name;
                let message = format!("the browser '{name}' needs a page: give --start {name}=http://…");
                return Err(CliError::Input(message));
            }
            None if guard.policy(None).apps.is_empty() => {
                let name = &screen.name;
                let message = format!(
                    "say what may be touched on '{name}': --start {name}=APP opens one and allows it, --allow-app \
                     names more"
                );
                return Err(CliError::Input(message));
            }
            given => family.start(given, guard.policy(None))?,
        };
        Ok((screen.name.clone(), to))
    };
    Ok(Starts::Several(on.iter().map(start).collect::<Result<_, _>>()?))
}

/// A goal that somebody typed.
pub struct ByHand {
    /// As the record knows it.
    pub entry: TaskEntry,
    /// What is asked.
    pub goal: Goal,
    /// Where it starts.
    pub starts: Starts,
}

#[async_trait]
impl Task for ByHand {
    fn entry(&self) -> TaskEntry {
        self.entry.clone()
    }

    async fn set_up(
        &self,
        device: &mut dyn Device,
        _seed: u64,
        folder: &Path,
        deadline: Deadline,
    ) -> Result<Box<dyn RunningTask>, TaskError> {
        let downloads = folder.join("downloads");
        match &self.starts {
            Starts::One(to) => {
                let to = ResetTo { downloads: Some(downloads), ..ResetTo::clone(to) };
                device.reset(&to, deadline).await?;
            }
            Starts::Several(starts) => {
                let reset = device.screens().into_iter().map(|(name, screen)| {
                    let to = starts.iter().find(|(known, _)| known == name).map(|(_, to)| to.clone());
                    let downloads = Some(downloads.join(name));
                    async move {
                        let to = ResetTo { downloads, ..to.unwrap_or_default() };
                        screen.reset(&to, deadline).await
                    }
                });
                join_all(reset).await.into_iter().collect::<Result<(), DeviceError>>()?;
            }
        }
        Ok(Box::new(RunningByHand { goal: self.goal.clone() }))
    }
}

struct RunningByHand {
    goal: Goal,
}

#[async_trait]
impl RunningTask for RunningByHand {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn judge(
        &mut self,
        _device: &mut dyn Device,
        outcome: &Outcome,
        _answer: Option<&str>,
        _deadline: Deadline,
    ) -> Result<Verdict, TaskError> {
        let claimed = matches!(outcome, Outcome::Finished);
        Ok(Verdict { success: if claimed { 1.0 } else { 0.0 }, checks: Vec::new() })
    }
}
