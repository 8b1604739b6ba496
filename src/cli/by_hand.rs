//! A goal that somebody typed: nothing is prepared but the start, and what is checked was said with it.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;
use waldo_devices::{Deadline, Device, DeviceError, Platform, ResetTo};
use waldo_tasks::record::CheckResult;
use waldo_tasks::record::TaskEntry;
use waldo_tasks::suite::{Check, Evidence, judge_all};
use waldo_tasks::{EpisodeEnd, Goal, Outcome, RunningTask, SetUp, Task, TaskError, Verdict};

use super::guard::GuardArgs;
use super::start::at_page;
use super::{CliError, Result};
use crate::screens::NamedScreen;

pub enum Starts {
    One(Box<ResetTo>),
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

/// The files that may be given to file fields, by name.
///
/// # Errors
/// For what is no file, or has the name of another one.
pub fn uploads(files: &[PathBuf]) -> Result<Vec<(String, PathBuf)>> {
    let mut all: Vec<(String, PathBuf)> = Vec::new();
    for file in files {
        let bad = |why: String| CliError::Input(format!("--upload {}: {why}", file.display()));
        let path = file.canonicalize().map_err(|e| bad(e.to_string()))?;
        let name =
            path.file_name().and_then(|name| name.to_str()).ok_or_else(|| bad("it has no name".into()))?;
        if !path.is_file() {
            return Err(bad("it is not a file".into()));
        }
        if all.iter().any(|(known, _)| known == name) {
            return Err(bad(format!("another file is named {name}, too")));
        }
        all.push((name.to_owned(), path.clone()));
    }
    Ok(all)
}

/// The start of each screen: of a browser the page, of a phone an app or its home screen, of a desktop a program.
pub fn several(on: &[NamedScreen], starts: &[NamedStart], guard: &GuardArgs) -> Result<Starts> {
    if let Some(unknown) = starts.iter().find(|start| on.iter().all(|screen| screen.name != start.name)) {
        let names: Vec<&str> = on.iter().map(|screen| screen.name.as_str()).collect();
        let message = format!("--start names no screen '{}'; there are {}", unknown.name, names.join(", "));
        return Err(CliError::Input(message));
    }
    let start = |screen: &NamedScreen| {
        let given = starts.iter().find(|start| start.name == screen.name).map(|start| start.what.as_str());
        let family = screen.spec.family();
        let to = match given {
            Some(url) if family.has_origins() => at_page(url, guard)?,
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

/// How long a check that does not hold yet is put again: what was just asked for may take its time.
const GRACE: Duration = Duration::from_secs(3);
const ROUND: Duration = Duration::from_millis(250);

/// A check, and the screen among several that it looks at.
#[derive(Clone, Debug)]
pub struct CheckHere {
    screen: Option<String>,
    check: Check,
}

/// The checks that `--check` gives, as suites have them: `text contains "Saved"`. Among several screens the screen's name
/// and a colon go before.
pub fn checks(lines: &[String], platform: Platform, on: &[NamedScreen]) -> Result<Vec<CheckHere>> {
    let wrong = |line: &str, why: String| CliError::Input(format!("--check '{line}': {why}"));
    let read = |line: &String| {
        if on.is_empty() || line.trim_start().starts_with("answer") {
            let check = Check::of_line(line, platform).map_err(|why| wrong(line, why))?;
            return Ok(CheckHere { screen: None, check });
        }
        let named = line.split_once(':').map(|(name, rest)| (name.trim(), rest));
        let named =
            named.and_then(|(name, rest)| Some((on.iter().find(|screen| screen.name == name)?, rest)));
        let Some((screen, rest)) = named else {
            let names: Vec<&str> = on.iter().map(|screen| screen.name.as_str()).collect();
            let why = format!("say of which screen, with a colon behind its name: {}", names.join(", "));
            return Err(wrong(line, why));
        };
        let check = Check::of_line(rest, screen.spec.family().platform()).map_err(|why| wrong(line, why))?;
        Ok(CheckHere { screen: Some(screen.name.clone()), check })
    };
    lines.iter().map(read).collect()
}

pub struct ByHand {
    pub entry: TaskEntry,
    pub goal: Goal,
    pub starts: Starts,
    /// What must hold at the end; where there is none, the agent's own word is all.
    pub checks: Vec<CheckHere>,
}

#[async_trait]
impl Task for ByHand {
    fn entry(&self) -> TaskEntry {
        self.entry.clone()
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>, TaskError> {
        let SetUp { device, folder, deadline, .. } = to;
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
        let mut checks = self.checks.clone();
        checks.iter_mut().for_each(|here| here.check.ask(&self.goal.text));
        Ok(Box::new(RunningByHand { goal: self.goal.clone(), checks }))
    }
}

struct RunningByHand {
    goal: Goal,
    checks: Vec<CheckHere>,
}

impl RunningByHand {
    async fn once(
        &self,
        device: &mut dyn Device,
        evidence: &Evidence<'_>,
        deadline: Deadline,
    ) -> Result<Vec<CheckResult>, TaskError> {
        let mut results = Vec::new();
        for CheckHere { screen, check } in &self.checks {
            let checks = std::slice::from_ref(check);
            let Some(name) = screen else {
                results.extend(judge_all(checks, device, evidence, deadline).await?);
                continue;
            };
            let there = device.screens().into_iter().find(|(known, _)| known == name);
            let Some((_, there)) = there else {
                return Err(TaskError::Internal(format!("there is no screen '{name}'")));
            };
            let of = judge_all(checks, there, evidence, deadline).await?;
            results.extend(
                of.into_iter().map(|one| CheckResult { what: format!("{name}: {}", one.what), ..one }),
            );
        }
        Ok(results)
    }
}

#[async_trait]
impl RunningTask for RunningByHand {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict, TaskError> {
        let EpisodeEnd { device, outcome, answer, deadline } = end;
        if self.checks.is_empty() {
            return Ok(Verdict::scored(0.0, Vec::new()));
        }
        let evidence = Evidence {
            state: &serde_json::Value::Null,
            requests: &[],
            outcome,
            answer,
            start: None,
            stores: None,
        };
        let end = tokio::time::Instant::now() + GRACE;
        let mut round = tokio::time::interval(ROUND);
        loop {
            round.tick().await;
            let mut checks = self.once(device, &evidence, deadline).await?;
            if *outcome == Outcome::DeclaredInfeasible {
                let what = "not declared infeasible".to_owned();
                checks.push(CheckResult::new(what, false, outcome.name()));
            }
            let verdict = Verdict::all(checks);
            let given_up = *outcome != Outcome::Finished;
            if verdict.success == 1.0 || given_up || tokio::time::Instant::now() >= end || deadline.passed() {
                return Ok(verdict);
            }
        }
    }
}
