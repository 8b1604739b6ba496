//! The score of each task by itself, for suites whose repeats are many instances of one kind.
//!
//! Invariants: every declared episode is counted once, as solved, failed, invalid or missing; the
//! interval is Wilson's, over the episodes that are scored.

use serde::{Deserialize, Serialize};

use super::intervals::wilson;
use crate::record::{EpisodeResult, Manifest, Unreadable};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskRow {
    pub contestant: String,
    pub task: String,
    /// Episodes that are scored: all that ran, failures and those cut short included.
    pub n: usize,
    /// Of these, solved ones: a success of 1.
    pub solved: usize,
    /// The 95 % interval of the share of solved ones.
    pub wilson: (f64, f64),
    pub invalid: usize,
    /// Declared episodes without a result.
    pub missing: usize,
    pub mean_steps: f64,
    /// Of the solved ones, those that needed no script mended.
    pub solved_first: usize,
    pub model_calls: u64,
    /// Replies that could not be read at first, in the scored ones.
    pub bad_replies: u64,
    #[serde(default, skip_serializing_if = "Unreadable::is_empty")]
    pub unread: Unreadable,
    /// Scripts that were asked for again after an error, in the scored ones.
    pub repairs: u64,
    /// Tokens of the scored ones, prompts and replies together; none where no reply told them.
    pub tokens: Option<u64>,
}

pub fn by_task(manifest: &Manifest, results: &[EpisodeResult]) -> Vec<TaskRow> {
    let mut rows = Vec::with_capacity(manifest.contestants.len() * manifest.tasks.len());
    for contestant in &manifest.contestants {
        for task in &manifest.tasks {
            let own = results.iter().filter(|r| {
                r.key.contestant == contestant.name
                    && r.key.task == task.id
                    && r.key.repeat < manifest.repeats
            });
            let own = own.filter(|result| !result.assisted || result.is_invalid());
            let (invalid, valid): (Vec<_>, Vec<_>) = own.partition(|result| result.is_invalid());
            let n = valid.len();
            let solved = valid.iter().filter(|result| result.is_solved()).count();
            let steps: u64 = valid.iter().map(|result| u64::from(result.steps)).sum();
            let first = |r: &&&EpisodeResult| r.is_solved() && r.repairs == 0;
            let tokens = |r: &&EpisodeResult| match (r.usage.prompt, r.usage.completion) {
                (None, None) => None,
                (prompt, reply) => Some(prompt.unwrap_or(0) + reply.unwrap_or(0)),
            };
            rows.push(TaskRow {
                solved_first: valid.iter().filter(first).count(),
                repairs: valid.iter().map(|result| u64::from(result.repairs)).sum(),
                tokens: valid.iter().filter_map(tokens).reduce(|a, b| a + b),
                contestant: contestant.name.clone(),
                task: task.id.clone(),
                n,
                solved,
                wilson: wilson(solved, n),
                invalid: invalid.len(),
                missing: (manifest.repeats as usize).saturating_sub(n + invalid.len()),
                mean_steps: steps as f64 / n.max(1) as f64,
                model_calls: valid.iter().map(|result| u64::from(result.model_calls)).sum(),
                bad_replies: valid.iter().map(|result| u64::from(result.bad_replies)).sum(),
                unread: Unreadable::sum_of(valid.iter().map(|result| result.unread)),
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::table::testing::{manifest, result};
    use super::*;

    #[test]
    fn every_declared_episode_is_counted_once() {
        let manifest = manifest(2, 3);
        let mut broken = result("noop", 0, 2, 0.0, 1);
        broken.outcome = crate::record::Outcome::Invalid { reason: "gone".into() };
        let results = [
            result("noop", 0, 0, 1.0, 4),
            result("noop", 0, 1, 0.0, 8),
            broken,
            result("noop", 1, 7, 1.0, 1),
        ];
        let rows = by_task(&manifest, &results);
        assert_eq!(rows.len(), manifest.contestants.len() * 2);
        let first = rows.iter().find(|row| row.contestant == "noop").unwrap();
        assert_eq!((first.n, first.solved, first.invalid, first.missing), (2, 1, 1, 0));
        assert!((first.mean_steps - 6.0).abs() < 1e-12);
        assert!(rows.iter().all(|row| row.n + row.invalid + row.missing == 3));
    }
}
