//! Repeats and confidence intervals.
//!
//! The rule for repeats: the first repeats of all tasks, in the declared task order, are one list, the
//! second ones another, and so on; each list has its score, and the scores are averaged, weighted by
//! the episodes in the list. When no episode is missing that is the plain mean over repeats, and it
//! never counts the steps of one repeat against the budget of another.
//!
//! Invariant: intervals are reproducible: the resampling has a fixed seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::eqa::{EqaScores, Scored, eqa, samples, summarize};

/// How often `bootstrap` resamples.
pub const RESAMPLES: usize = 1000;
const SEED: u64 = 0x0077_616c_646f;
/// Half of what a 95 % interval leaves out.
const TAIL: f64 = 0.025;

/// The repeats of one task: place `r` holds repeat `r`, none when it is missing or invalid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// By repeat.
    pub repeats: Vec<Option<Scored>>,
}

/// 95 % intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// Of the success rate.
    pub sr: (f64, f64),
    /// Of EQA.
    pub eqa: (f64, f64),
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

/// 95 % percentile intervals by resampling tasks, each with all of its repeats: repeats of one task
/// are alike, so counting them as independent would make the interval too narrow. A resample keeps the
/// declared order.
pub(crate) fn bootstrap(tasks: &[Cluster], max_steps: u64) -> Intervals {
    let tasks: Vec<&Cluster> = tasks.iter().filter(|t| t.repeats.iter().any(Option::is_some)).collect();
    if tasks.is_empty() {
        return Intervals::default();
    }
    let (mut rates, mut areas) = (Vec::with_capacity(RESAMPLES), Vec::with_capacity(RESAMPLES));
    resample(tasks.len(), |times| {
        let (rate, area) = drawn_scores(&tasks, times, max_steps);
        rates.push(rate);
        areas.push(area);
    });
    Intervals { sr: percentiles(rates), eqa: percentiles(areas) }
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

/// The 95 % interval by Wilson's method of a share of which `hits` of `n` were seen: it holds for small
/// `n` and for shares near 0 and 1. All of 0 to 1 when nothing was seen.
pub fn wilson(hits: usize, n: usize) -> (f64, f64) {
    /// The normal deviate that leaves [`TAIL`] on either side.
    const Z: f64 = 1.959_963_984_540_054;
    if n == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (n as f64, hits.min(n) as f64 / n as f64);
    let below = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / below;
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / below;
    ((middle - half).max(0.0), (middle + half).min(1.0))
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
    fn one_repeat_is_the_plain_rule() {
        let s = summarize_repeats(&[task(&[(1., 5)]), task(&[(0., 10)])], 10);
        assert_eq!(s, summarize(&[Scored::new(1., 5), Scored::new(0., 10)], 10));
    }

    #[test]
    fn repeats_are_averaged_and_do_not_pay_for_each_other() {
        let s = summarize_repeats(&[task(&[(1., 5), (0., 10)]), task(&[(0., 10), (1., 5)])], 10);
        assert_eq!(s.n, 4);
        assert!((s.eqa - (44.0 + 19.0) / 2.0 / 101.0).abs() < 1e-12);
        let drawn = sample_repeats(&[task(&[(1., 5), (0., 10)]), task(&[(0., 10), (1., 5)])], 10);
        assert!((drawn.iter().sum::<f64>() / 101.0 - s.eqa).abs() < 1e-12 && drawn.len() == 101);
        assert!((s.sr - 0.5).abs() < 1e-12);
    }

    #[test]
    fn an_episode_that_is_missing_takes_no_part() {
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

    #[test]
    fn an_interval_holds_the_score_and_is_the_same_each_time() {
        let tasks: Vec<_> = (0..40).map(|i| task(&[(f64::from(i % 2), 3 + u64::from(i % 5 == 0))])).collect();
        let (a, b) = (bootstrap(&tasks, 15), bootstrap(&tasks, 15));
        assert_eq!(a, b);
        let s = summarize_repeats(&tasks, 15);
        assert!(a.sr.0 < s.sr && s.sr < a.sr.1 && a.eqa.0 < s.eqa && s.eqa < a.eqa.1, "{a:?} {s:?}");
        // A rate of one half over 40 tasks: 1.96 standard errors are 0.155.
        assert!((a.sr.1 - a.sr.0 - 0.31).abs() < 0.05, "{a:?}");
    }

    #[test]
    fn repeats_of_a_task_do_not_narrow_the_interval() {
        let once: Vec<_> = (0..30).map(|i| task(&[(f64::from(i % 2), 4)])).collect();
        let often: Vec<_> = (0..30).map(|i| task(&[(f64::from(i % 2), 4); 10])).collect();
        let (a, b) = (bootstrap(&once, 15), bootstrap(&often, 15));
        assert!(((a.sr.1 - a.sr.0) - (b.sr.1 - b.sr.0)).abs() < 1e-9, "{a:?} {b:?}");
    }

    #[test]
    fn wilson_is_the_textbooks() {
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 5e-4 && (b - d).abs() < 5e-4;
        assert!(close(wilson(0, 20), (0.0, 0.1611)), "{:?}", wilson(0, 20));
        assert!(close(wilson(20, 20), (0.8389, 1.0)));
        assert!(close(wilson(15, 50), (0.1910, 0.4375)), "{:?}", wilson(15, 50));
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn without_tasks_or_spread_an_interval_is_a_point() {
        assert_eq!(bootstrap(&[], 15), Intervals::default());
        let one = bootstrap(&[task(&[(1., 5)])], 10);
        assert_eq!(one.sr, (1.0, 1.0));
        assert!((one.eqa.0 - 75.5 / 101.0).abs() < 1e-12);
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
