//! WebArena-Verified: all 812 tasks judged by what the agent answered and what the network saw, without a model.
//!
//! The package's evaluators are reproduced from their behaviour (`webarena-verified` 1.2.3). Each value has a type, by
//! which it is written in one form and compared. A fault of a value counts as the original has it: what a task expects
//! has to be of its type, or the task is failed; what an agent gave is kept as it came, and is another. What cannot be told
//! without the package's tables and libraries is refused.

mod address;
mod data;
mod date;
mod duration;
mod json_path;
mod network;
mod places;
mod plain;
mod quantity;
#[cfg(test)]
mod recorded;
pub mod response;
mod schema;
pub mod trace;
mod typed;

use serde_json::Value;

use crate::fault::{Result, WebarenaFault};
use crate::judge::{Judgement, JudgementPart};
use crate::site::{Site, Sites};
use crate::task::WebTask;
pub use data::{Checks, TaskType};
use data::{Evaluation, TaskFile};
use places::Places;
use trace::NetworkTrace;

/// Reads a task's object.
pub(crate) fn parse(value: Value, sites: &Sites) -> Result<WebTask, String> {
    let id = value.get("task_id").map(Value::to_string).unwrap_or_default();
    let bad = |message: String| format!("task {id}: {message}");
    match value.get("eval") {
        Some(Value::Array(_)) => {}
        Some(_) => {
            return Err(bad(
                "its 'eval' is that of an older list: --webarena-rules upstream (or lite, or v2)".to_owned(),
            ));
        }
        None => return Err(bad("it has no 'eval'".to_owned())),
    }
    let file: TaskFile = serde_json::from_value(value).map_err(|error| bad(error.to_string()))?;
    let own: Vec<Site> = file.sites.iter().map(|name| name.parse()).collect::<Result<_, _>>().map_err(bad)?;
    let mut start = Value::from(file.start_urls.clone());
    sites.fill(&mut start);
    let mut missing: Vec<Site> = own.iter().copied().filter(|site| sites.address(*site).is_none()).collect();
    missing.extend(crate::site::unfilled(&start));
    missing.sort();
    missing.dedup();
    let checks = Checks::new(&file, own.clone()).map_err(bad)?;
    let start: Vec<String> =
        start.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let mut problems = Vec::new();
    if start.is_empty() {
        problems.push("it has no start".to_owned());
    }
    if missing.is_empty() {
        problems.extend(crate::task::off_site(sites, start.iter()));
    }
    Ok(WebTask {
        id: file.task_id.to_string(),
        old_id: None,
        rules: crate::rules::Rules::Verified,
        logins: own.iter().copied().filter(|site| site.account().is_some()).collect(),
        sites: own,
        start,
        intent: file.intent,
        eval: crate::task::Eval::default(),
        verified: Some(Box::new(checks)),
        missing,
        problems,
        reference: Vec::new(),
    })
}

/// Judges an episode by its response and its trace.
///
/// # Errors
/// [`WebarenaFault::Refused`] for what this port cannot tell, where nothing else decides it; where a trace is needed and
/// there is none.
pub fn judge(
    checks: &Checks,
    response: &Value,
    trace: Option<&NetworkTrace>,
    sites: &Sites,
) -> Result<Judgement> {
    let places = Places::new(&checks.sites, sites);
    let places = places.ok_or_else(|| WebarenaFault::refused("a site's address is missing"))?;
    let (mut parts, mut fault) = (Vec::new(), None);
    for check in &checks.all {
        let (what, said) = match check {
            Evaluation::Response(check) => (
                "the response is the right one".to_owned(),
                response::holds(check, checks.task_type, response, &places)
                    .map(|holds| (holds, response.to_string())),
            ),
            Evaluation::Network(check) => {
                let (method, url) = (&check.expected.http_method, &check.expected.url);
                let not = if check.should_not_exist { "not " } else { "" };
                let said = match trace {
                    Some(trace) => network::holds(check, checks.task_type, trace, &places),
                    None => Err(WebarenaFault::refused("what the network saw was not recorded")),
                };
                (format!("the network has {not}seen {method} {url}"), said)
            }
        };
        match said {
            Ok((holds, found)) => parts.push(JudgementPart::new(what, holds, &found)),
            // The original reports an error of its own, and counts it as failed.
            Err(WebarenaFault::Raised(why)) => parts.push(JudgementPart::new(what, false, &why)),
            Err(other) => fault = Some(other),
        }
    }
    let holds = parts.iter().all(|part| part.holds);
    match fault {
        // What fails is decided, whatever else there is.
        Some(fault) if holds => Err(fault),
        _ => Ok(Judgement { score: if holds { 1.0 } else { 0.0 }, parts }),
    }
}
