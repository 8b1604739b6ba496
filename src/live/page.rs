//! Episodes, steps and results in the words of the page.

use serde_json::{Value, json};
use waldo_tasks::{EpisodeKey, EpisodeResult, Outcome};

use crate::report::steps::{EventParts, Lines};

pub(super) fn episode_key(key: &EpisodeKey) -> String {
    format!("{}/{}/r{}", key.contestant, key.task, key.repeat)
}

/// A step; the prompts, which are long, are in the report.
pub(super) fn step_line(parts: &EventParts, step: u32) -> Option<Value> {
    let mut line = parts.step(step, &mut Lines::default(), |name| json!(name))?;
    if let Some(asked) = line.pointer_mut("/decided/exchanges").and_then(Value::as_array_mut) {
        for one in asked.iter_mut().filter_map(Value::as_object_mut) {
            one.remove("prompt");
        }
    }
    Some(line)
}

pub(super) fn result_line(result: &EpisodeResult) -> Value {
    let reason = match &result.outcome {
        Outcome::Invalid { reason } => Some(reason.clone()),
        _ => result.claim.clone(),
    };
    json!({
        "outcome": result.outcome.name(),
        "success": result.success,
        "assisted": result.assisted,
        "invalid": result.is_invalid(),
        "steps": result.steps,
        "reason": reason,
        "checks": result.checks,
        "usage": result.usage,
        "calls": result.model_calls,
        "wall": result.wall.as_secs_f64(),
    })
}
