use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use waldo_devices::{Deadline, Device, DeviceError, StateProbe, StateValue};

use super::check::{Check, Test};
use super::condition::{Condition, equal, includes, judged};
use super::desktop;
use super::everything_else::nothing_else;
use super::{EverythingElse, Instance, RequestLog};
use crate::TaskError;
use crate::error::Result;
use crate::record::{CheckResult, Outcome};
use crate::state::{DeviceState, Difference, Store, unexpected};

/// Characters of what was found that are kept.
const FOUND: usize = 500;
/// Said of a check of the whole state where there is none.
const NOT_READ: &str = "the whole state was not read";
/// Bytes of a downloaded file that are looked at.
const FILE_BYTES: u64 = 16 * 1024 * 1024;

/// What an episode left behind, the device aside.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    pub state: &'a Value,
    pub requests: &'a [RequestLog],
    pub outcome: &'a Outcome,
    pub answer: Option<&'a str>,
    /// The screen's whole state at the start, where it was read.
    pub start: Option<&'a DeviceState>,
    /// What the application that the task is played on keeps, in the end.
    pub stores: Option<&'a BTreeMap<String, Store>>,
}

/// How much of a screen checks look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    All,
    /// What the whole state is not read for: reading it costs as much as the screen stores, up to hundreds of megabytes.
    WithoutState,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The checks, in the task's order.
    pub checks: Vec<CheckResult>,
    /// What became different on the screen between the start and the end, where that was read.
    pub changes: Vec<Difference>,
}

/// Judges all checks of `instance`, in the task's order. The episode is a success exactly when all
/// results have passed: whether the task was rightly declared infeasible (or rightly not) is a result
/// of its own, and so is, for an infeasible task, that the state was left alone.
pub async fn judge(
    instance: &Instance,
    device: &mut dyn Device,
    evidence: &Evidence<'_>,
    deadline: Deadline,
) -> Result<Judgement> {
    let mut judgement = judge_checks(instance, device, evidence, Looks::All, deadline).await?;
    judgement.checks.extend(feasibility(instance, evidence));
    Ok(judgement)
}

/// The same, without whether the task was rightly declared infeasible: what is checked of one screen of several, and of
/// that what `looks` says.
pub(crate) async fn judge_checks(
    instance: &Instance,
    device: &mut dyn Device,
    evidence: &Evidence<'_>,
    looks: Looks,
    deadline: Deadline,
) -> Result<Judgement> {
    let Some(start) = evidence.start.filter(|_| looks == Looks::All) else {
        let asks = |one: &&Check| looks == Looks::All || !one.wants_state();
        let asked: Vec<&Check> = instance.checks.iter().filter(asks).collect();
        let checks = results(asked, &mut ProbeCache::new(device, deadline), evidence).await?;
        return Ok(Judgement { checks, changes: Vec::new() });
    };
    let mut state = DeviceState::take(device, Some(evidence.state), deadline).await?;
    state.0.extend(evidence.stores.cloned().unwrap_or_default());
    let changes = start.difference(&state);
    let mut asked = ProbeCache::new(device, deadline);
    asked.whole = Some((&state, &changes));
    let mut checks = results(&instance.checks, &mut asked, evidence).await?;
    if instance.everything_else == EverythingElse::Counts {
        let mut rest = nothing_else(&instance.checks, &instance.may_change, &changes);
        rest.found = cut(&device.secrets().mask(rest.found));
        checks.push(rest);
    }
    Ok(Judgement { checks, changes })
}

pub async fn judge_all(
    checks: &[Check],
    device: &mut dyn Device,
    evidence: &Evidence<'_>,
    deadline: Deadline,
) -> Result<Vec<CheckResult>> {
    results(checks, &mut ProbeCache::new(device, deadline), evidence).await
}

async fn results(
    checks: impl IntoIterator<Item = &Check>,
    asked: &mut ProbeCache<'_>,
    evidence: &Evidence<'_>,
) -> Result<Vec<CheckResult>> {
    let mut results = Vec::new();
    for check in checks {
        let (passed, found) = run(check, asked, evidence).await?;
        results.push(CheckResult { points: check.points, ..CheckResult::new(&*check.what, passed, found) });
    }
    for result in &mut results {
        // Masked before it is cut: the beginning of a secret would not be known as one.
        result.found = cut(&asked.device.secrets().mask(std::mem::take(&mut result.found)));
    }
    Ok(results)
}

pub(super) async fn holds(
    check: &Check,
    device: &mut dyn Device,
    evidence: &Evidence<'_>,
    deadline: Deadline,
) -> Result<bool> {
    let mut asked = ProbeCache::new(device, deadline);
    Ok(run(check, &mut asked, evidence).await?.0)
}

/// Whether the task was rightly declared infeasible, or rightly not.
pub(crate) fn feasibility(instance: &Instance, evidence: &Evidence<'_>) -> Vec<CheckResult> {
    let declared = *evidence.outcome == Outcome::DeclaredInfeasible;
    let found = evidence.outcome.name().to_owned();
    if instance.infeasible {
        let declared = CheckResult::new("declared infeasible", declared, found);
        if !instance.platform.has_pages() {
            // What must be as it was is said by the task's own checks.
            return vec![declared];
        }
        let untouched = equal(evidence.state, &instance.state);
        let state = if untouched { String::new() } else { evidence.state.to_string() };
        return vec![declared, CheckResult::new("state is as it was", untouched, state)];
    }
    if *evidence.outcome == Outcome::HandedOver {
        return vec![CheckResult::new("not handed over", false, found)];
    }
    if declared {
        return vec![CheckResult::new("not declared infeasible", false, found)];
    }
    Vec::new()
}

/// The device, and what it has said already: a question is put once, however many checks ask it.
struct ProbeCache<'a> {
    device: &'a mut dyn Device,
    deadline: Deadline,
    url: Option<String>,
    text: Option<String>,
    files: Option<Vec<(String, PathBuf)>>,
    /// The whole state now, and what is different from the start.
    whole: Option<(&'a DeviceState, &'a [Difference])>,
}

impl<'a> ProbeCache<'a> {
    fn new(device: &'a mut dyn Device, deadline: Deadline) -> Self {
        Self { device, deadline, url: None, text: None, files: None, whole: None }
    }
}

impl ProbeCache<'_> {
    async fn ask(&mut self, probe: &StateProbe) -> Result<StateValue, DeviceError> {
        self.device.probe(probe, self.deadline).await
    }

    async fn string(&mut self, probe: StateProbe) -> Result<String, DeviceError> {
        match self.ask(&probe).await? {
            StateValue::Text(text) | StateValue::Json(Value::String(text)) => Ok(text),
            other => Err(unexpected(&probe, &other)),
        }
    }

    async fn url(&mut self) -> Result<String, DeviceError> {
        if self.url.is_none() {
            self.url = Some(self.string(StateProbe::Location).await?);
        }
        Ok(self.url.clone().unwrap_or_default())
    }

    async fn text(&mut self) -> Result<String, DeviceError> {
        if self.text.is_none() {
            self.text = Some(self.string(StateProbe::Text).await?);
        }
        Ok(self.text.clone().unwrap_or_default())
    }

    async fn files(&mut self) -> Result<Vec<(String, PathBuf)>, DeviceError> {
        if self.files.is_none() {
            self.files = Some(match self.ask(&StateProbe::Downloads).await? {
                StateValue::Files(files) => files,
                other => return Err(unexpected(&StateProbe::Downloads, &other)),
            });
        }
        Ok(self.files.clone().unwrap_or_default())
    }

    /// What a command prints, or why it failed: it may well look for what the agent was to make.
    async fn shell(&mut self, command: &str) -> Result<Result<String, String>, DeviceError> {
        match self.string(StateProbe::Shell(command.to_owned())).await {
            Err(DeviceError::Call { message, .. }) => Ok(Err(message)),
            other => other.map(|text| Ok(text.trim().to_owned())),
        }
    }

    /// The value of an expression, or what it threw: on a page that the task does not expect, an
    /// expression may well throw, and that is the agent's doing.
    async fn js(&mut self, expr: &str) -> Result<Result<Value, String>, DeviceError> {
        let guarded = format!(
            "(async () => {{ try {{ return {{ value: await ({expr}) }}; }} catch (error) {{ return {{ threw: String(error) }}; }} }})()"
        );
        let probe = StateProbe::Js(guarded);
        let reply = match self.ask(&probe).await {
            // A page that was just being left loses the question; the one that follows it answers.
            Err(DeviceError::Call { .. }) => self.ask(&probe).await?,
            // A state that no script can read is not the state that the check wants.
            Err(DeviceError::Blocked { what }) => return Ok(Err(what)),
            other => other?,
        };
        let reply = match reply {
            StateValue::Json(reply) => reply,
            other => return Err(unexpected(&probe, &other)),
        };
        if let Some(threw) = reply.get("threw").and_then(Value::as_str) {
            return Ok(Err(threw.to_owned()));
        }
        Ok(Ok(reply.get("value").cloned().unwrap_or_default()))
    }
}

async fn run(check: &Check, asked: &mut ProbeCache<'_>, evidence: &Evidence<'_>) -> Result<(bool, String)> {
    let conditions = &check.conditions;
    Ok(match &check.test {
        Test::State { pointer } => judged(conditions, evidence.state.pointer(pointer)),
        Test::Js { expr } => match asked.js(expr).await? {
            Ok(value) => judged(conditions, Some(&value)),
            Err(threw) => (false, threw),
        },
        Test::Url => judged(conditions, Some(&Value::String(asked.url().await?))),
        Test::Text => judged(conditions, Some(&Value::String(asked.text().await?))),
        Test::Request { method, path, body, count } => {
            let matching: Vec<&RequestLog> = evidence
                .requests
                .iter()
                .filter(|request| {
                    request.path == *path
                        && method.as_ref().is_none_or(|method| *method == request.method)
                        && body.as_ref().is_none_or(|wanted| {
                            request.body.as_ref().is_some_and(|found| includes(found, wanted))
                        })
                })
                .collect();
            let enough = match count {
                Some(count) => u64::try_from(matching.len()).is_ok_and(|n| n == *count),
                None => !matching.is_empty(),
            };
            (enough, requests_found(&matching, path, evidence.requests))
        }
        Test::File { name } => {
            let files = asked.files().await?;
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
            let mut result = (false, if names.is_empty() { "no file".to_owned() } else { names.join(", ") });
            for (_, path) in files.iter().filter(|(file, _)| name.is_match(file)) {
                let content = Value::String(read(path).await?);
                let (passed, found) = judged(conditions, Some(&content));
                result = (passed, found);
                if passed {
                    break;
                }
            }
            result
        }
        Test::Shell { command, pointer } => match asked.shell(command).await? {
            Ok(text) => on_output(conditions, pointer.as_deref(), text),
            Err(failed) => (judged(conditions, None).0, failed),
        },
        Test::Foreground => {
            let place = asked.url().await?;
            let package = place.split('/').next().unwrap_or_default().to_owned();
            let passed = [&place, &package].into_iter().any(|name| {
                conditions.iter().all(|condition| condition.holds(Some(&Value::String(name.clone()))))
            });
            (passed, place)
        }
        Test::Change(change) => match asked.whole {
            Some((_, differences)) => change.judge(differences),
            None => (false, NOT_READ.to_owned()),
        },
        Test::Rows(rows) => match asked.whole {
            Some((state, _)) => rows.judge(state),
            None => (false, NOT_READ.to_owned()),
        },
        Test::Desktop(test) => desktop::judge(test, conditions, asked.device, asked.deadline).await?,
        Test::Answer(right) => match evidence.answer {
            None => (false, "no answer".to_owned()),
            Some(answer) => {
                let reading = right.read(answer);
                (reading.passed, reading.found)
            }
        },
    })
}

/// Conditions on what a command printed; nothing printed is nothing found.
fn on_output(conditions: &[Condition], pointer: Option<&str>, text: String) -> (bool, String) {
    let Some(pointer) = pointer else {
        return judged(conditions, (!text.is_empty()).then_some(Value::String(text)).as_ref());
    };
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => judged(conditions, value.pointer(pointer)),
        Err(_) => (judged(conditions, None).0, format!("no JSON: {text}")),
    }
}

/// How many requests matched, and the bodies of those that went to the path.
fn requests_found(matching: &[&RequestLog], path: &str, all: &[RequestLog]) -> String {
    let mut text = format!("{} matching", matching.len());
    for request in all.iter().filter(|request| request.path == path).take(20) {
        let body = request.body.as_ref().map(Value::to_string).unwrap_or_default();
        text.push_str(&format!("; {} {body}", request.method));
    }
    text
}

async fn read(path: &PathBuf) -> Result<String> {
    use tokio::io::AsyncReadExt;
    let failed = |source| TaskError::Io { what: "read", path: path.clone(), source };
    let mut content = Vec::new();
    let file = tokio::fs::File::open(path).await.map_err(failed)?;
    file.take(FILE_BYTES).read_to_end(&mut content).await.map_err(failed)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(FOUND) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}
