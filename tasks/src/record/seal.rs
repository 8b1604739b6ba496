//! Whether a result agrees with the events that led to it.
//!
//! A result stands in a file of its own and once more at the end of its events, which also tell of every decision.
//! Whoever changes one of them (a program under test, a worker, somebody who sends a run) leaves them apart, unless
//! all are forged alike. What is compared is the JSON as it stands there, so that records of older versions, whose
//! results had other fields, are held against their own words.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{EpisodeResult, Scoring};

const QUOTED: usize = 80;

#[derive(Debug, Deserialize)]
pub(super) struct SealedEvent {
    episode: Value,
    event: String,
    #[serde(default)]
    step: u64,
    seed: Option<u64>,
    max_steps: Option<u64>,
    decision: Option<SealedDecision>,
    result: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct SealedDecision {
    choice: Value,
}

/// The first thing in which a result and its events do not agree; `written` is the result as its file has it. Without a
/// `scoring` nothing was judged, as what is done by hand or explored is not.
pub(super) fn disagreement(
    result: &EpisodeResult,
    written: &Value,
    events: &[SealedEvent],
    scoring: Option<Scoring>,
) -> Option<String> {
    let key = serde_json::to_value(&result.key).unwrap_or_default();
    if events.iter().any(|event| event.episode != key) {
        return Some("its events are those of another episode".to_owned());
    }
    let ended = events.last().filter(|event| event.event == "ended");
    if let Some(told) = ended.and_then(|event| event.result.as_ref()) {
        if let Some(difference) = first_difference("", written, told) {
            return Some(difference);
        }
    } else if !result.is_invalid() {
        return Some("its events do not end with a result".to_owned());
    }
    if result.is_invalid() {
        return None;
    }
    let begun = events.iter().rposition(|event| event.event == "started");
    let attempt = begun.and_then(|at| events.get(at..)).unwrap_or_default();
    let start = attempt.first().map(|event| (event.seed, event.max_steps));
    if start != Some((Some(result.seed), Some(u64::from(result.max_steps)))) {
        return Some("its events begin with another seed or step budget".to_owned());
    }
    let scoring = scoring?;
    steps(result, attempt).or_else(|| ending(result, attempt)).or_else(|| checks(result, scoring))
}

fn first_difference(place: &str, file: &Value, events: &Value) -> Option<String> {
    let (Value::Object(a), Value::Object(b)) = (file, events) else {
        let place = if place.is_empty() { "the result" } else { place };
        return (file != events)
            .then(|| format!("{place} is {}, by its events {}", quoted(file), quoted(events)));
    };
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names.into_iter().find_map(|name| {
        let inner = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
        first_difference(&inner, a.get(name).unwrap_or(&Value::Null), b.get(name).unwrap_or(&Value::Null))
    })
}

fn quoted(value: &Value) -> String {
    let text = value.to_string();
    let cut: String = text.chars().take(QUOTED).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

fn decisions(attempt: &[SealedEvent]) -> impl Iterator<Item = &SealedEvent> {
    attempt.iter().filter(|event| event.event == "decided")
}

fn steps(result: &EpisodeResult, attempt: &[SealedEvent]) -> Option<String> {
    let told = decisions(attempt).map(|event| event.step).collect::<BTreeSet<_>>().len() as u64;
    // A decision that the clock cut off is a step, and no event.
    let steps = u64::from(result.steps);
    (steps != told && steps != told + 1)
        .then(|| format!("it has {steps} steps, its events have {told} decisions"))
}

/// Whether the last decision is what the outcome says, with its answer or reason.
fn ending(result: &EpisodeResult, attempt: &[SealedEvent]) -> Option<String> {
    let choice = decisions(attempt).last().and_then(|event| event.decision.as_ref()).map(|d| &d.choice);
    let told = |name: &str| choice.and_then(|choice| choice[name].as_str());
    let (outcome, claim) = match told("choice") {
        Some("finish") => ("finished", told("answer")),
        Some("infeasible") => ("declared_infeasible", told("reason")),
        Some("give_up") => ("gave_up", told("reason")),
        Some("hand_over") => ("handed_over", told("reason")),
        Some("fail") => ("agent_failed", told("reason")),
        _ => ("", None),
    };
    let agents = ["finished", "declared_infeasible", "gave_up", "handed_over", "agent_failed"];
    let own = result.outcome.name();
    if (!outcome.is_empty() || agents.contains(&own)) && own != outcome {
        let told = if outcome.is_empty() { "no such end" } else { outcome };
        return Some(format!("it ended by {own}, its last decision says {told}"));
    }
    (!outcome.is_empty() && claim != result.claim.as_deref())
        .then(|| "its answer is another than that of its last decision".to_owned())
}

fn checks(result: &EpisodeResult, scoring: Scoring) -> Option<String> {
    let failed = result.checks.iter().filter(|check| !check.passed).count();
    let all = result.checks.len();
    if let Some(partial) = result.partial.filter(|partial| !(0.0..=1.0).contains(partial)) {
        return Some(format!("a partial credit of {partial}"));
    }
    let success = result.success?;
    if !(0.0..=1.0).contains(&success) || success > 0.0 && !result.outcome.may_succeed() {
        return Some(format!("a success of {success} after {}", result.outcome.name()));
    }
    let too_high = match scoring {
        Scoring::AllChecks => failed > 0,
        Scoring::SomeChecks => all > 0 && failed == all,
    };
    if success >= 1.0 && too_high {
        return Some(format!("a success of {success} beside {failed} failed checks of {all}"));
    }
    let too_low = scoring == Scoring::AllChecks && success < 1.0 && all > 0 && failed == 0;
    (too_low && result.outcome.may_succeed())
        .then(|| format!("a success of {success} beside {all} checks that all held"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result() -> Value {
        json!({
            "contestant": "a", "task": "t", "repeat": 0, "outcome": "finished", "success": 1.0, "steps": 2,
            "max_steps": 9, "seed": 7, "checks": [{"what": "c", "passed": true}], "claim": "42",
            "usage": {}, "model_calls": 0, "bad_replies": 0, "refused": 0,
            "wall": {"secs": 1, "nanos": 0}, "attempts": 1, "ended": "2026-01-01T00:00:00Z",
        })
    }

    /// What is found where both the result and the end of the events are `result`, and the decisions these.
    fn found(result: &Value, decisions: &[Value], scoring: Scoring) -> Option<String> {
        let key = json!({"contestant": "a", "task": "t", "repeat": 0});
        let mut events =
            vec![json!({"episode": key, "event": "started", "seed": 7, "max_steps": 9, "goal": "g"})];
        events.extend(decisions.iter().enumerate().map(|(at, choice)| {
            json!({"episode": key, "event": "decided", "step": at + 1, "decision": {"choice": choice}})
        }));
        events.push(json!({"episode": key, "event": "ended", "result": result}));
        let events: Vec<SealedEvent> =
            events.into_iter().map(|event| serde_json::from_value(event).unwrap()).collect();
        disagreement(&serde_json::from_value(result.clone()).unwrap(), result, &events, Some(scoring))
    }

    fn acts() -> Value {
        json!({"choice": "act", "action": {"action": "wait", "ms": 1}})
    }

    fn finishes() -> Value {
        json!({"choice": "finish", "answer": "42"})
    }

    #[test]
    fn an_honest_result_agrees() {
        assert_eq!(found(&result(), &[acts(), finishes()], Scoring::AllChecks), None);
        // The clock cut off the decision that would have been the third.
        let mut late = result();
        (late["outcome"], late["success"], late["steps"]) = ("time_limit".into(), 0.0.into(), 3.into());
        late["claim"] = Value::Null;
        assert_eq!(found(&late, &[acts(), acts()], Scoring::AllChecks), None);
        // By alternatives one part is enough.
        let mut parts = result();
        parts["checks"] = json!([{"what": "c", "passed": true}, {"what": "d", "passed": false}]);
        assert_eq!(found(&parts, &[acts(), finishes()], Scoring::SomeChecks), None);
        assert!(
            found(&parts, &[acts(), finishes()], Scoring::AllChecks)
                .unwrap()
                .contains("1 failed checks of 2")
        );
    }

    #[test]
    fn what_is_forged_in_both_places_still_has_to_follow_from_the_decisions() {
        let forged = |name: &str, value: Value| {
            let mut forged = result();
            forged[name] = value;
            found(&forged, &[acts(), finishes()], Scoring::AllChecks).unwrap_or_default()
        };
        assert!(forged("steps", 0.into()).contains("0 steps"), "{}", forged("steps", 0.into()));
        assert!(forged("checks", json!([{"what": "c", "passed": false}])).contains("failed checks"));
        assert!(forged("claim", "43".into()).contains("answer"));
        assert!(forged("outcome", "declared_infeasible".into()).contains("last decision"));
        assert!(forged("seed", 8.into()).contains("seed"));
        assert!(forged("success", 0.5.into()).contains("all held"));
        let endless = found(&result(), &[acts(), acts()], Scoring::AllChecks).unwrap();
        assert!(endless.contains("no such end"), "{endless}");
    }
}
