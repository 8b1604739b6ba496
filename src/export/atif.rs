//! The Agent Trajectory Interchange Format, as its reference models describe version 1.7 (harbor, `models/trajectories`):
//! step 1 is the goal, then one step for each decision, with its action as a tool call and what came of it, the next
//! screen's picture included, as the observation.

use std::path::Path;

use serde_json::{Map, Value, json};
use waldo_agents::{Choice, Exchange};
use waldo_devices::labels::media_type;
use waldo_devices::{Effect, JsonMembers as _};
use waldo_tasks::Manifest;

use super::error::ExportError;
use super::taken::{ActionRecord, ExportStep, RecordedEpisode};

pub(super) fn trajectory(
    taken: &RecordedEpisode,
    manifest: &Manifest,
    home: &Path,
) -> Result<Vec<u8>, ExportError> {
    let contestant = manifest.contestants.iter().find(|one| one.name == taken.key.contestant);
    let mut agent = json!({
        "name": contestant.map_or(taken.key.contestant.as_str(), |one| one.agent.as_str()),
        "version": manifest.waldo,
    });
    agent.put_some("model_name", contestant.and_then(|one| one.model.as_ref()));
    let mut steps = vec![json!({
        "step_id": 1, "timestamp": taken.began.to_string(), "source": "user", "message": first(taken, home),
    })];
    for (at, step) in taken.steps.iter().enumerate() {
        if step.decided.is_some() {
            let next = taken.steps.get(at + 1);
            steps.push(decided(taken, step, next, steps.len() + 1, home));
        }
    }
    let mut whole = json!({
        "schema_version": "ATIF-v1.7",
        "session_id": format!("{}-{}", manifest.suite, manifest.started),
        "trajectory_id": taken.name(),
        "agent": agent,
        "steps": steps,
        "extra": {
            "task": taken.entry.id, "title": taken.entry.title, "suite": manifest.suite, "seed": taken.seed,
            "level": taken.entry.level, "platform": taken.entry.platform.as_str(),
        },
    });
    if let Some(result) = &taken.result {
        let mut metrics = tokens(result.usage.prompt, result.usage.completion, result.usage.cached, "total_");
        metrics.put_some("total_cost_usd", result.usage.micro_usd.map(|micro| json!(micro as f64 / 1e6)));
        metrics.insert("total_steps".to_owned(), json!(result.steps));
        whole["final_metrics"] = Value::Object(metrics);
        whole["extra"]["outcome"] = json!(result.outcome.name());
        whole["extra"]["success"] = json!(result.success);
    }
    let mut bytes = serde_json::to_vec_pretty(&whole).unwrap_or_default();
    bytes.push(b'\n');
    Ok(bytes)
}

/// The goal, and the first screen.
fn first(taken: &RecordedEpisode, home: &Path) -> Value {
    let picture = taken.steps.first().and_then(|step| picture(taken, step, home));
    match picture {
        Some(picture) => json!([{ "type": "text", "text": taken.goal }, picture]),
        None => json!(taken.goal),
    }
}

fn picture(taken: &RecordedEpisode, step: &ExportStep, home: &Path) -> Option<Value> {
    let path = taken.picture_path(step)?;
    let head = taken.picture(step)?;
    // Beside the trajectory, so that the folder can be moved.
    let own = Path::new("pictures").join(taken.name());
    let file = own.join(path.file_name()?);
    std::fs::create_dir_all(home.join(&own)).ok()?;
    std::fs::write(home.join(&file), &head).ok()?;
    let source = json!({ "media_type": media_type(&head), "path": file });
    Some(json!({ "type": "image", "source": source }))
}

fn decided(
    taken: &RecordedEpisode,
    step: &ExportStep,
    next: Option<&ExportStep>,
    id: usize,
    home: &Path,
) -> Value {
    let Some((decision, took, at)) = &step.decided else { return Value::Null };
    let said = decision.observation.iter().chain(&decision.summary).cloned().collect::<Vec<_>>().join("\n");
    let mut line = json!({
        "step_id": id,
        "timestamp": at.to_string(),
        "source": "agent",
        "message": said,
        "llm_call_count": decision.exchanges.len(),
        "extra": { "call": decision.call, "seconds": took.as_secs_f64(), "person": decision.person },
    });
    if !decision.exchanges.is_empty() {
        line.put_some("reasoning_content", &decision.thought);
        line["metrics"] = metrics(&decision.exchanges);
    } else if let Some(thought) = &decision.thought {
        line["extra"]["thought"] = json!(thought);
    }
    let mut calls: Vec<Value> = Vec::new();
    let mut results: Vec<Value> = Vec::new();
    for (n, done) in step.done.iter().enumerate() {
        let call = format!("step-{}-{}", step.number, n + 1);
        let mut arguments = serde_json::to_value(&done.action).unwrap_or_default();
        if let Some(all) = arguments.as_object_mut() {
            all.remove("do");
        }
        calls.push(
            json!({ "tool_call_id": call, "function_name": done.action.name(), "arguments": arguments }),
        );
        let text = json!({ "type": "text", "text": outcome_text(done) });
        let shown = next.filter(|_| n + 1 == step.done.len()).and_then(|next| picture(taken, next, home));
        let content: Vec<Value> = [Some(text), shown].into_iter().flatten().collect();
        results.push(json!({ "source_call_id": call, "content": content }));
    }
    if calls.is_empty() {
        let (name, arguments) = ending(&decision.choice);
        let call = format!("step-{}-1", step.number);
        calls.push(json!({ "tool_call_id": call, "function_name": name, "arguments": arguments }));
    }
    line["tool_calls"] = json!(calls);
    if !results.is_empty() {
        line["observation"] = json!({ "results": results });
    }
    line
}

fn outcome_text(done: &ActionRecord) -> String {
    match (done.report.as_ref().map(|report| &report.effect), &done.note) {
        (Some(Effect::Confirmed { evidence }), _) => evidence.clone(),
        (Some(Effect::SuspectedNoop), _) => "nothing was seen to change".to_owned(),
        (Some(Effect::NotAsAsked { found }), _) => format!("not as asked: '{found}' stands there"),
        (Some(Effect::Unverifiable), _) => "carried out".to_owned(),
        (Some(Effect::Refused { reason, .. }), _) => format!("refused: {reason}"),
        (None, Some(waldo_agents::Note::Failed { reason, .. })) => format!("failed: {reason}"),
        (None, _) => "not carried out".to_owned(),
    }
}

/// A decision without an action, as a call.
fn ending(choice: &Choice) -> (&'static str, Value) {
    match choice {
        Choice::Finish { answer } => ("finish", json!({ "answer": answer })),
        Choice::Infeasible { reason } => ("infeasible", json!({ "reason": reason })),
        Choice::GiveUp { reason } => ("give_up", json!({ "reason": reason })),
        Choice::HandOver { reason } => ("hand_over", json!({ "reason": reason })),
        Choice::Fail { reason } => ("fail", json!({ "reason": reason })),
        Choice::Pass { reason } => ("pass", json!({ "reason": reason })),
        // What was decided and never carried out: the harness failed in between.
        Choice::Act { action } => (action.name(), json!({})),
    }
}

fn metrics(asked: &[Exchange]) -> Value {
    let sum = |of: fn(&Exchange) -> Option<u64>| asked.iter().map(of).sum::<Option<u64>>();
    let mut all = tokens(sum(|e| e.usage.prompt), sum(|e| e.usage.completion), sum(|e| e.usage.cached), "");
    all.put_some("cost_usd", sum(|e| e.usage.micro_usd).map(|micro| json!(micro as f64 / 1e6)));
    Value::Object(all)
}

fn tokens(
    prompt: Option<u64>,
    completion: Option<u64>,
    cached: Option<u64>,
    total: &str,
) -> Map<String, Value> {
    [("prompt_tokens", prompt), ("completion_tokens", completion), ("cached_tokens", cached)]
        .into_iter()
        .filter_map(|(name, count)| Some((format!("{total}{name}"), json!(count?))))
        .collect()
}
