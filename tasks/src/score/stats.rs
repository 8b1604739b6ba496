//! Repeats, and scores of resampled tasks.
//!
//! The rule for repeats: the first repeats of all tasks, in the declared task order, are one list, the
//! second ones another, and so on; each list has its score, and the scores are averaged, weighted by
//! the episodes in the list. When no episode is missing that is the plain mean over repeats, and it
//! never counts the steps of one repeat against the budget of another.
//!
//! Invariant: what is resampled is reproducible: the resampling has a fixed seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::eqa::{EqaScores, Scored, eqa, samples, summarize};

/// How often tasks are resampled.
const RESAMPLES: usize = 1000;
const SEED: u64 = 0x0077_616c_646f;
/// Half of what a 95 % interval leaves out.
const TAIL: f64 = 0.025;

/// The repeats of one task: place `r` holds repeat `r`, none when it is missing or invalid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub repeats: Vec<Option<Scored>>,
}

/// EQ1, the share of the success rate that is left after paying for steps; none without a success.
pub fn eq1(sr: f64, eqa: f64) -> Option<f64> {
    (sr > 0.0).then(|| eqa / sr)
}

/// EQ2, the success rate lost to steps.
pub fn eq2(sr: f64, eqa: f64) -> f64 {
    sr - eqa
}

/// The scores of all repeats under the rule above; `n` counts episodes.
pub fn summarize_repeats(tasks: &[Cluster], max_steps: u64) -> EqaScores {
    let mut sum = EqaScores::default();
    for list in lists(tasks.iter()) {
        let part = summarize(&list, max_steps);
        let weight = part.n as f64;
        sum.n += part.n;
        sum.sr += part.sr * weight;
        sum.eqa += part.eqa * weight;
        sum.eqa_step += part.eqa_step * weight;
        sum.eqa_exact += part.eqa_exact * weight;
        sum.mean_steps += part.mean_steps * weight;
    }
    if sum.n > 0 {
        let n = sum.n as f64;
        for value in [&mut sum.sr, &mut sum.eqa, &mut sum.eqa_step, &mut sum.eqa_exact, &mut sum.mean_steps] {
            *value /= n;
        }
    }
    sum
}

/// The recall at 101 shares of the step budget, averaged over repeats under the rule above: the mean of
/// these values is the EQA of [`summarize_repeats`].
pub fn sample_repeats(tasks: &[Cluster], max_steps: u64) -> Vec<f64> {
    let lists = lists(tasks.iter());
    let n = lists.iter().map(Vec::len).sum::<usize>().max(1) as f64;
    let mut mean = samples(&[], max_steps);
    for list in lists {
        for (sum, value) in mean.iter_mut().zip(samples(&list, max_steps)) {
            *sum += value * list.len() as f64 / n;
        }
    }
    mean
}

/// Calls `with` [`RESAMPLES`] times, with how often each of `n` tasks was drawn.
pub(super) fn resample(n: usize, mut with: impl FnMut(&[usize])) {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut times = vec![0usize; n];
    for _ in 0..RESAMPLES {
        times.fill(0);
        for _ in 0..n {
            times[rng.random_range(0..n)] += 1;
        }
        with(&times);
    }
}

/// Success rate and EQA of the tasks, each taken as often as `times` says.
pub(super) fn drawn_scores(tasks: &[&Cluster], times: &[usize], max_steps: u64) -> (f64, f64) {
    let drawn = tasks.iter().zip(times).flat_map(|(task, n)| std::iter::repeat_n(*task, *n));
    let (mut n, mut rate, mut area) = (0.0, 0.0, 0.0);
    for list in lists(drawn) {
        n += list.len() as f64;
        rate += list.iter().map(|e| e.success.clamp(0.0, 1.0)).sum::<f64>();
        area += eqa(&list, max_steps) * list.len() as f64;
    }
    (rate / n, area / n)
}

/// One list of episodes for each repeat, in the tasks' order; no list is empty.
fn lists<'a>(tasks: impl Iterator<Item = &'a Cluster>) -> Vec<Vec<Scored>> {
    let mut lists: Vec<Vec<Scored>> = Vec::new();
    for task in tasks {
        lists.resize_with(lists.len().max(task.repeats.len()), Vec::new);
        for (list, episode) in lists.iter_mut().zip(&task.repeats) {
            list.extend(*episode);
        }
    }
    lists.retain(|list| !list.is_empty());
    lists
}

pub(super) fn percentiles(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    (percentile(&values, TAIL), percentile(&values, 1.0 - TAIL))
}

/// Between the two nearest ranks, on a line.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let (low, high) = (place.floor() as usize, (place.ceil() as usize).min(last));
    sorted[low] + (sorted[high] - sorted[low]) * (place - low as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn task(repeats: &[(f64, u64)]) -> Cluster {
        Cluster { repeats: repeats.iter().map(|&(success, steps)| Some(Scored { success, steps })).collect() }
    }

    #[test]
    fn repeats_are_averaged_and_what_is_missing_takes_no_part() {
        let s = summarize_repeats(&[task(&[(1., 5)]), task(&[(0., 10)])], 10);
        assert_eq!(s, summarize(&[Scored::new(1., 5), Scored::new(0., 10)], 10));
        let s = summarize_repeats(&[task(&[(1., 5), (0., 10)]), task(&[(0., 10), (1., 5)])], 10);
        assert_eq!(s.n, 4);
        assert!((s.eqa - (44.0 + 19.0) / 2.0 / 101.0).abs() < 1e-12);
        let drawn = sample_repeats(&[task(&[(1., 5), (0., 10)]), task(&[(0., 10), (1., 5)])], 10);
        assert!((drawn.iter().sum::<f64>() / 101.0 - s.eqa).abs() < 1e-12 && drawn.len() == 101);
        assert!((s.sr - 0.5).abs() < 1e-12);
        let tasks = [
            Cluster { repeats: vec![None, Some(Scored::new(1., 5))] },
            task(&[(1., 5), (0., 10)]),
            Cluster::default(),
        ];
        let s = summarize_repeats(&tasks, 10);
        assert_eq!(s.n, 3);
        assert!((s.sr - 2.0 / 3.0).abs() < 1e-12);
        assert!((s.eqa - (75.5 + 2.0 * 44.0) / 3.0 / 101.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_area_never_exceeds_the_rate(tasks in prop::collection::vec(
            prop::collection::vec(prop::option::of((0.0..=1.0f64, 0..30u64).prop_map(|(s, t)| Scored::new(s, t))), 0..4), 0..20)) {
            let tasks: Vec<_> = tasks.into_iter().map(|repeats| Cluster { repeats }).collect();
            let s = summarize_repeats(&tasks, 15);
            prop_assert!(0.0 <= s.eqa && s.eqa <= s.sr + 1e-12 && s.sr <= 1.0 + 1e-12);
        }
    }
}
