//! The score table of a run: one row for each contestant.
//!
//! Rules: tasks count in the manifest's order, whatever order their results come in; the step budget
//! is the one given for the run, and when there was none, the largest of the tasks' own budgets;
//! invalid episodes take no part in a score and are counted apart; an episode that the manifest
//! declares and that has no result is counted as missing.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::eqa::Scored;
use super::intervals::intervals;
use super::stats::{Cluster, summarize_repeats};
use crate::record::{Contestant, EpisodeResult, Manifest, Outcome, ScreenSteps, Unreadable};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreRow {
    pub contestant: Contestant,
    pub n: usize,
    pub invalid: usize,
    /// Episodes that a person had a hand in; not scored.
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub assisted: usize,
    /// Scored episodes in which the agent itself failed, where it is a program.
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub agent_failed: usize,
    /// Declared episodes without a result. A part of a run counts what its other parts hold.
    pub missing: usize,
    pub sr: f64,
    pub eqa: f64,
    /// EQA by the paper's step rule.
    pub eqa_step: f64,
    /// EQA by the paper's closed form.
    pub eqa_exact: f64,
    pub mean_steps: f64,
    /// 95 % interval of the success rate.
    pub sr_ci: (f64, f64),
    /// 95 % interval of EQA.
    pub eqa_ci: (f64, f64),
    /// Tokens of all requests and replies, those of invalid episodes too; none when an endpoint did
    /// not say.
    pub tokens: Option<u64>,
    /// Cost in US dollars, that of invalid episodes too; none when a price is unknown.
    pub cost: Option<f64>,
    pub model_calls: u64,
    /// Mean wall time of the scored episodes, in seconds.
    pub wall_mean: f64,
    /// Of it deciding, model calls included; on the device.
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub deciding_mean: f64,
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub device_mean: f64,
    /// Replies that could not be read at first, in scored episodes.
    pub bad_replies: u64,
    #[serde(default, skip_serializing_if = "Unreadable::is_empty")]
    pub unread: Unreadable,
    /// Actions that the guard refused, in scored episodes.
    pub refused: u64,
    /// Mean partial credit of the scored episodes of tasks that have checkpoints; none where there is no such episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<f64>,
    /// Questions that tasks' persons answered, in scored episodes.
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub questions: u64,
    /// Which screens the steps of scored episodes went to, where there are several.
    #[serde(default, skip_serializing_if = "ScreenSteps::is_empty")]
    pub screens: ScreenSteps,
}

/// The step budget that the run is scored under; at least 1.
pub fn step_budget(manifest: &Manifest) -> u32 {
    manifest.max_steps.unwrap_or_else(|| manifest.tasks.iter().map(|t| t.max_steps).max().unwrap_or(1)).max(1)
}

/// The least and the largest of the tasks' own budgets, where they differ and the run has no other.
pub fn mixed_budgets(manifest: &Manifest) -> Option<(u32, u32)> {
    let own = || manifest.tasks.iter().map(|task| task.max_steps);
    let (least, most) = (own().min()?, own().max()?);
    (manifest.max_steps.is_none() && least < most).then_some((least, most))
}

/// The table, in the manifest's order of contestants. With a `budget` below the run's own, the
/// episodes are scored as if they had had that budget; one above it changes nothing, since nobody knows
/// what further steps would have brought.
///
/// Results of tasks, contestants or repeats that the manifest does not declare are left out; of two
/// results of one episode, the one that ended last counts.
pub fn table(manifest: &Manifest, results: &[EpisodeResult], budget: Option<u32>) -> Vec<ScoreRow> {
    let own = step_budget(manifest);
    let budget = budget.map_or(own, |b| b.clamp(1, own));
    manifest.contestants.iter().map(|c| row(manifest, results, c, budget, own)).collect()
}

/// The scored episodes of one contestant: one cluster a task, in the declared order, as they came out
/// under `budget` steps when that is below the run's own budget.
pub fn clusters(
    manifest: &Manifest,
    results: &[EpisodeResult],
    contestant: &str,
    budget: u32,
) -> Vec<Cluster> {
    let cut = (budget < step_budget(manifest)).then_some(u64::from(budget));
    let (declared, _) = declared(manifest, results, contestant);
    let judged = manifest.is_judged();
    declared
        .into_iter()
        .map(|repeats| Cluster {
            repeats: repeats
                .into_iter()
                .map(|result| {
                    let result = result.filter(|r| r.is_scored())?;
                    // What was not checked is not counted; of a run in which nothing is only the steps are told.
                    let success = result.success.or((!judged).then_some(0.0))?;
                    let scored = Scored { success, steps: u64::from(result.steps) };
                    Some(match cut {
                        Some(cut) => {
                            super::eqa::at_budget(&[scored], cut).into_iter().next().unwrap_or_default()
                        }
                        None => scored,
                    })
                })
                .collect(),
        })
        .collect()
}

/// The results of one contestant by task and repeat, and how many declared episodes have none.
fn declared<'a>(
    manifest: &Manifest,
    results: &'a [EpisodeResult],
    contestant: &str,
) -> (Vec<Vec<Option<&'a EpisodeResult>>>, usize) {
    let repeats = manifest.repeats.max(1) as usize;
    let mut found: Vec<Vec<Option<&EpisodeResult>>> = vec![vec![None; repeats]; manifest.tasks.len()];
    let place: HashMap<&str, usize> =
        manifest.tasks.iter().enumerate().map(|(i, t)| (t.id.as_str(), i)).collect();
    for result in results.iter().filter(|r| r.key.contestant == contestant) {
        let Some(slot) = place
            .get(result.key.task.as_str())
            .and_then(|&task| found[task].get_mut(result.key.repeat as usize))
        else {
            continue;
        };
        if slot.is_none_or(|old| (old.ended, old.attempts) < (result.ended, result.attempts)) {
            *slot = Some(result);
        }
    }
    let missing = found.iter().flatten().filter(|slot| slot.is_none()).count();
    (found, missing)
}

fn row(
    manifest: &Manifest,
    results: &[EpisodeResult],
    contestant: &Contestant,
    budget: u32,
    own: u32,
) -> ScoreRow {
    let (found, missing) = declared(manifest, results, &contestant.name);
    let all: Vec<&EpisodeResult> = found.into_iter().flatten().flatten().collect();
    let valid: Vec<&EpisodeResult> = all.iter().copied().filter(|r| r.is_scored()).collect();
    let clusters = clusters(manifest, results, &contestant.name, budget.min(own));
    let summary = summarize_repeats(&clusters, u64::from(budget));
    let intervals = intervals(&clusters, u64::from(budget)).unwrap_or_default();
    let mut screens = ScreenSteps::default();
    valid.iter().for_each(|r| screens.add(&r.screens));
    let partial: Vec<f64> = valid.iter().filter_map(|r| r.partial).collect();
    let asked = || all.iter().filter(|r| r.model_calls > 0);
    let mean = |time: fn(&EpisodeResult) -> Duration| {
        valid.iter().map(|r| time(r).as_secs_f64()).sum::<f64>() / valid.len().max(1) as f64
    };
    ScoreRow {
        contestant: contestant.clone(),
        n: summary.n,
        invalid: all.iter().filter(|r| r.is_invalid()).count(),
        agent_failed: valid.iter().filter(|r| r.outcome == Outcome::AgentFailed).count(),
        assisted: all.iter().filter(|r| r.assisted && !r.is_invalid()).count(),
        missing,
        sr: summary.sr,
        eqa: summary.eqa,
        eqa_step: summary.eqa_step,
        eqa_exact: summary.eqa_exact,
        mean_steps: summary.mean_steps,
        sr_ci: intervals.sr,
        eqa_ci: intervals.eqa,
        tokens: asked().map(|r| Some(r.usage.prompt? + r.usage.completion?)).sum(),
        cost: asked().map(|r| r.usage.micro_usd).sum::<Option<u64>>().map(|micro| micro as f64 / 1e6),
        model_calls: all.iter().map(|r| u64::from(r.model_calls)).sum(),
        wall_mean: mean(|r| r.wall),
        deciding_mean: mean(|r| r.deciding),
        device_mean: mean(|r| r.on_device),
        bad_replies: valid.iter().map(|r| u64::from(r.bad_replies)).sum(),
        unread: Unreadable::sum_of(valid.iter().map(|r| r.unread)),
        refused: valid.iter().map(|r| u64::from(r.refused)).sum(),
        partial: (!partial.is_empty()).then(|| partial.iter().sum::<f64>() / partial.len() as f64),
        questions: valid.iter().map(|r| u64::from(r.questions)).sum(),
        screens,
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::time::Duration;

    use waldo_agents::model::Usage;
    use waldo_devices::{DeviceInfo, Geometry, Platform};

    use crate::record::{Contestant, EpisodeKey, EpisodeResult, Manifest, Outcome, TaskEntry};

    pub fn manifest(tasks: usize, repeats: u32) -> Manifest {
        Manifest {
            format: 1,
            waldo: "0".into(),
            suite: "s".into(),
            tasks: (0..tasks)
                .map(|i| TaskEntry::single(&format!("t{i}"), "", "", Platform::Web, 10))
                .collect(),
            contestants: vec![Contestant::new("noop", None), Contestant::new("appagent", Some("m"))],
            seed: 1,
            repeats,
            device: Some(DeviceInfo {
                platform: Platform::Web,
                product: String::new(),
                geometry: Geometry::new(10.0, 10.0, 1.0),
                capabilities: Vec::new(),
            }),
            started: jiff::Timestamp::UNIX_EPOCH,
            ..Manifest::default()
        }
    }

    pub fn result(contestant: &str, task: usize, repeat: u32, success: f64, steps: u32) -> EpisodeResult {
        let key = EpisodeKey { contestant: contestant.into(), task: format!("t{task}"), repeat };
        EpisodeResult {
            success: Some(success),
            steps,
            usage: Usage {
                prompt: Some(10),
                cached: None,
                completion: Some(5),
                micro_usd: Some(2_000_000),
                ..Usage::default()
            },
            model_calls: 1,
            bad_replies: 1,
            unread: crate::record::Unreadable { other: 1, ..Default::default() },
            refused: 2,
            wall: Duration::from_secs(3),
            ended: jiff::Timestamp::UNIX_EPOCH,
            ..EpisodeResult::of(key, Outcome::Finished, 1, 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use waldo_agents::model::Usage;

    use super::testing::{manifest, result};
    use super::*;
    use crate::record::Outcome;

    #[test]
    fn the_declared_order_counts_and_invalid_episodes_do_not() {
        let mut broken = result("noop", 2, 0, 0.0, 9);
        broken.outcome = Outcome::Invalid { reason: "gone".into() };
        let stray = result("noop", 7, 0, 1.0, 1);
        let results = [result("noop", 1, 0, 0.0, 10), broken, stray, result("noop", 0, 0, 1.0, 5)];
        let rows = table(&manifest(4, 1), &results, None);
        let row = &rows[0];
        assert_eq!((row.n, row.invalid, row.missing), (2, 1, 1));
        assert!((row.eqa - 44.0 / 101.0).abs() < 1e-12);
        assert!((row.sr - 0.5).abs() < 1e-12 && (row.mean_steps - 7.5).abs() < 1e-12);
        assert_eq!((row.tokens, row.cost, row.model_calls), (Some(45), Some(6.0), 3));
        assert_eq!((row.bad_replies, row.refused), (2, 4));
        assert_eq!((rows[1].n, rows[1].missing, rows[1].eqa), (0, 4, 0.0));
        assert_eq!(rows[1].tokens, Some(0));
    }

    #[test]
    fn a_shorter_budget_is_derived_and_an_unknown_price_is_unknown() {
        let results = [result("noop", 0, 0, 1.0, 3), result("noop", 1, 0, 1.0, 8)];
        let at = |budget| table(&manifest(2, 1), &results, budget)[0].clone();
        assert!((at(Some(5)).sr - 0.5).abs() < 1e-12);
        assert!((at(Some(5)).mean_steps - 4.0).abs() < 1e-12);
        assert_eq!(at(Some(50)), at(None));
        assert_eq!(at(Some(10)), at(None));
        let mut results = [result("noop", 0, 0, 1.0, 3), result("noop", 1, 0, 1.0, 3)];
        results[0].usage = Usage::default();
        let row = &table(&manifest(2, 1), &results, None)[0];
        assert_eq!((row.tokens, row.cost), (None, None));
        results[0].model_calls = 0;
        let row = &table(&manifest(2, 1), &results, None)[0];
        assert_eq!((row.tokens, row.cost), (Some(15), Some(2.0)));
    }

    #[test]
    fn what_was_not_checked_is_not_counted() {
        let mut results = [result("noop", 0, 0, 1.0, 3), result("noop", 1, 0, 0.0, 9)];
        results[1].success = None;
        let mut manifest = manifest(2, 1);
        manifest.suite_hash = "0".into();
        let row = &table(&manifest, &results, None)[0];
        assert_eq!((row.n, row.sr, row.mean_steps), (1, 1.0, 3.0));
        // Of a run in which nothing is checked the effort is told.
        manifest.suite_hash = String::new();
        results[0].success = None;
        let row = &table(&manifest, &results, None)[0];
        assert_eq!((row.n, row.sr, row.mean_steps), (2, 0.0, 6.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_order_and_any_parts_give_the_same_table(
            episodes in prop::collection::vec((0.0..=1.0f64, 1..12u32, any::<u32>()), 12),
            parts in 1..5usize,
        ) {
            let manifest = manifest(6, 2);
            let results = episodes.iter().enumerate();
            let mut results: Vec<_> =
                results.map(|(i, e)| (e.2, result("noop", i / 2, (i % 2) as u32, e.0, e.1))).collect();
            let plain: Vec<_> = results.iter().map(|r| r.1.clone()).collect();
            results.sort_by_key(|r| r.0);
            let mut merged = Vec::new();
            for part in 0..parts {
                merged.extend(results.iter().skip(part).step_by(parts).map(|r| r.1.clone()));
            }
            prop_assert_eq!(table(&manifest, &plain, None), table(&manifest, &merged, None));
        }
    }
}
