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
pub mod response;
mod schema;
pub mod trace;
mod typed;
mod value;

use serde_json::Value;

use crate::fault::{Result, WebarenaFault};
use crate::judgement::{Judgement, JudgementPart};
use crate::site::Sites;
use data::Evaluation;
pub(crate) use data::TaskFile;
pub use data::{Checks, TaskType};
use places::Places;
use trace::NetworkTrace;

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
