//! Tasks of the benchmark as tasks of the episode loop, on a browser.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use waldo_devices::foreign;
use waldo_devices::{
    Action, Capture, Deadline, Device, DeviceError, Effect, GuardPolicy, Platform, ResetTo, StateProbe,
    StateValue, TabIndex,
};
use waldo_tasks::episode::TRAFFIC;
use waldo_tasks::record::{CheckResult, Outcome, TaskEntry};
use waldo_tasks::{EpisodeEnd, Goal, RunningTask, SetUp, Task, TaskError, Verdict};

use crate::fault::{Result, WebarenaFault};
use crate::interface::Shop;
use crate::judge::{JudgeContext, Pages, judge};
use crate::judgement::Judgement;
use crate::locator::LocatorScript;
use crate::login::sign_in;
use crate::question::Examiner;
use crate::site::{Site, Sites};
use crate::task::{JudgedBy, NOT_AVAILABLE, WebTask};
use crate::verified::trace::NetworkTrace;
use crate::verified::{self, Checks, response};

/// Characters of an intent that are a title.
const TITLE: usize = 60;
/// The file of an episode that the package webarena-verified judges by, too.
const RESPONSE: &str = "agent_response.json";
/// What the browser tells of an address that it could not open.
const ERROR_PAGE: &str = "the browser shows an error page";

#[derive(Clone)]
pub struct WebarenaStage {
    /// The sites that there are; an agent may go to these and nowhere else.
    pub sites: Sites,
    pub interface: Option<Arc<Shop<'static>>>,
    pub judge: Option<Arc<dyn Examiner>>,
}

pub struct PlayedTask {
    task: Arc<WebTask>,
    stage: WebarenaStage,
}

impl PlayedTask {
    pub fn all(tasks: Vec<WebTask>, stage: &WebarenaStage) -> Vec<Arc<dyn Task>> {
        let play = |task| Arc::new(Self { task: Arc::new(task), stage: stage.clone() }) as Arc<dyn Task>;
        tasks.into_iter().map(play).collect()
    }
}

pub fn entry(task: &WebTask) -> TaskEntry {
    let title: String = task.intent.chars().take(TITLE).collect();
    let category = task.sites.iter().map(|site| site.name()).collect::<Vec<_>>().join("+");
    TaskEntry {
        level: if task.is_multi_site() { "L4" } else { "L3" }.to_owned(),
        infeasible: task.infeasible(),
        ..TaskEntry::single(&task.id, &title, &category, Platform::Web, task.rules.max_steps())
    }
}

#[async_trait]
impl Task for PlayedTask {
    fn entry(&self) -> TaskEntry {
        entry(&self.task)
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>, TaskError> {
        let SetUp { device, folder, deadline, .. } = to;
        let (task, sites) = (&self.task, &self.stage.sites);
        let form = |site: &Site| {
            let account = site.account()?;
            Some((*site, format!("{}{}", sites.address(*site)?, account.form)))
        };
        let forms: Vec<(Site, String)> = task.logins.iter().filter_map(form).collect();
        let mut starts = task.start.iter();
        let first = forms.first().map(|(_, url)| url).or_else(|| starts.next()).cloned().unwrap_or_default();
        let policy = GuardPolicy { origins: sites.origins(), ..GuardPolicy::default() };
        let downloads = Some(folder.join("downloads"));
        device.reset(&ResetTo { start: first, policy, downloads, ..ResetTo::default() }, deadline).await?;
        for (n, (site, url)) in forms.iter().enumerate() {
            if n > 0 {
                go(device, &Action::Navigate { url: url.clone() }, deadline).await?;
            }
            sign_in(device, *site, deadline).await?;
        }
        for url in starts {
            go(device, &Action::NewTab { url: Some(url.clone()) }, deadline).await?;
        }
        let first = TabIndex(0);
        if !forms.is_empty() {
            // The tab that somebody signed in with is no part of the task.
            go(device, &Action::SwitchTab { tab: first }, deadline).await?;
            go(device, &Action::CloseTab, deadline).await?;
        }
        if task.start.len() > 1 {
            go(device, &Action::SwitchTab { tab: first }, deadline).await?;
        }
        let mut params = json!({ "task": task.id, "webarena": task.old_id, "rules": task.rules.name(), "start": task.start });
        let mut text = task.intent.clone();
        if let Some(checks) = &task.verified {
            params["revision"] = checks.revision.into();
            text = response::asked(&text);
        }
        let goal = Goal { text, params, reference: task.reference.clone().into(), ..Goal::default() };
        let folder = folder.to_owned();
        Ok(Box::new(RunningWebTask { goal, task: self.task.clone(), stage: self.stage.clone(), folder }))
    }
}

/// Does something to the browser's tabs that has to come off.
async fn go(device: &mut dyn Device, action: &Action, deadline: Deadline) -> Result<(), DeviceError> {
    let failed = |message: String| DeviceError::Call { call: action.name().to_owned(), message };
    match device.perform(action, deadline).await?.effect {
        Effect::Refused { reason, .. } => Err(failed(reason)),
        Effect::Confirmed { evidence } if evidence.starts_with(ERROR_PAGE) => Err(failed(evidence)),
        _ => Ok(()),
    }
}

struct RunningWebTask {
    goal: Goal,
    task: Arc<WebTask>,
    stage: WebarenaStage,
    /// The episode's.
    folder: PathBuf,
}

impl RunningWebTask {
    /// Judges by the response, which is kept beside the episode's record in the form that WebArena-Verified's own
    /// evaluator reads, and by what the network saw, where that is there.
    fn judge_response(
        &self,
        checks: &Checks,
        outcome: &Outcome,
        answer: &str,
        mask: impl Fn(String) -> String,
    ) -> Result<Verdict, TaskError> {
        let response = response::repaired(answer);
        let written = match &response {
            Value::String(text) => text.clone(),
            response => serde_json::to_string_pretty(response).unwrap_or_default(),
        };
        let path = self.folder.join(RESPONSE);
        std::fs::create_dir_all(&self.folder).map_err(TaskError::io("make", &self.folder))?;
        std::fs::write(&path, mask(written)).map_err(TaskError::io("write", &path))?;
        if !outcome.may_succeed() {
            return Ok(failed("the agent came to an end", outcome.name()));
        }
        let har = self.folder.join(TRAFFIC);
        let trace = if har.is_file() { Some(read_trace(&self.folder, &har)?) } else { None };
        let found = verified::judge(checks, &response, trace.as_ref(), &self.stage.sites)?;
        Ok(verdict(found, mask))
    }
}

fn read_trace(folder: &Path, path: &Path) -> Result<NetworkTrace, TaskError> {
    let bad = |message: String| TaskError::record(path, message);
    let text =
        foreign::read_text(folder, path, foreign::LARGE_BYTES).map_err(|error| bad(error.to_string()))?;
    let har: Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    NetworkTrace::from_har(&har).map_err(bad)
}

fn verdict(found: Judgement, mask: impl Fn(String) -> String) -> Verdict {
    let parts = found.parts.into_iter();
    let checks = parts.map(|part| CheckResult::new(part.what, part.holds, mask(part.found)));
    Verdict::scored(found.score, checks.collect())
}

/// A verdict that needs no look at the end.
fn failed(what: &str, found: &str) -> Verdict {
    Verdict::all(vec![CheckResult::new(what, false, found)])
}

#[async_trait]
impl RunningTask for RunningWebTask {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict, TaskError> {
        let EpisodeEnd { device, outcome, answer, deadline } = end;
        let secrets = device.secrets();
        if let Some(checks) = &self.task.verified {
            return self
                .judge_response(checks, outcome, answer.unwrap_or_default(), |text| secrets.mask(text));
        }
        if !outcome.may_succeed() {
            return Ok(failed("the agent came to an end", outcome.name()));
        }
        let declared = *outcome == Outcome::DeclaredInfeasible;
        if declared && !self.task.eval.kinds.contains(&JudgedBy::String) {
            return Ok(failed("not declared infeasible", answer.unwrap_or_default()));
        }
        // To declare it impossible is the answer that says so.
        let answer = if declared { NOT_AVAILABLE } else { answer.unwrap_or_default() };
        let mut world = JudgeContext {
            pages: &mut OnDevice { device, deadline, fresh: false },
            interface: self.stage.interface.as_deref(),
            judge: self.stage.judge.as_deref(),
            deadline,
        };
        let found = judge(&self.task, answer, &mut world).await?;
        Ok(verdict(found, |text| secrets.mask(text)))
    }
}

/// The pages of a device. What is opened to be looked at gets a tab of its own, so that no page that the agent left can
/// keep it; it is logged in as the agent's are.
struct OnDevice<'a> {
    device: &'a mut dyn Device,
    deadline: Deadline,
    fresh: bool,
}

impl OnDevice<'_> {
    async fn evaluate(&mut self, script: String) -> Result<Value> {
        let probe = StateProbe::Js(script);
        let value = match self.device.probe(&probe, self.deadline).await {
            // A page that was just being left loses the question; the one that follows it answers.
            Err(DeviceError::Call { .. }) => self.device.probe(&probe, self.deadline).await?,
            other => other?,
        };
        match value {
            StateValue::Json(value) => Ok(value),
            other => Err(WebarenaFault::World(format!("the page answered {other:?}"))),
        }
    }
}

#[async_trait]
impl Pages for OnDevice<'_> {
    async fn address(&mut self) -> Result<String> {
        match self.device.probe(&StateProbe::Location, self.deadline).await? {
            StateValue::Text(url) => Ok(url),
            other => Err(WebarenaFault::World(format!("the browser answered {other:?}"))),
        }
    }

    async fn open(&mut self, url: &str) -> Result<()> {
        let url = url.to_owned();
        let opened = match self.fresh {
            true => go(self.device, &Action::Navigate { url }, self.deadline).await,
            false => match go(self.device, &Action::NewTab { url: Some(url.clone()) }, self.deadline).await {
                // There are as many tabs as there may be.
                Err(DeviceError::BadArgument { .. }) => {
                    go(self.device, &Action::Navigate { url }, self.deadline).await
                }
                opened => opened,
            },
        };
        opened?;
        self.fresh = true;
        // At rest: what the page's scripts put there belongs to it.
        self.device.observe(Capture::Elements, self.deadline).await?;
        Ok(())
    }

    async fn markup(&mut self) -> Result<String> {
        let script = "(document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '') + \
                      (document.documentElement ? document.documentElement.outerHTML : '')";
        let value = self.evaluate(script.to_owned()).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    async fn look(&mut self, script: &LocatorScript) -> Result<Option<Value>> {
        let mut told = self.evaluate(script.expression()).await?;
        Ok(told.get_mut("value").map(Value::take))
    }

    async fn role(&mut self, account: &str) -> Result<String> {
        let account = json!(format!("@{account}"));
        let script = format!(
            "(() => {{ const names = document.querySelectorAll(\"td[data-label='Account'] span.gl-avatar-labeled-sublabel\"); \
             const at = [...names].findIndex((name) => name.outerText === {account}); \
             return document.querySelectorAll('td.col-max-role span')[at]?.outerText ?? ''; }})()"
        );
        let value = self.evaluate(script).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }
}
