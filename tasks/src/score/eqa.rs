//! The efficiency-quality area (EQA): how much recall a contestant has, averaged over the share of the
//! step budget that it has used.
//!
//! [`eqa`] is the official rule; [`eqa_step`] and [`eqa_exact`] are the two forms of the paper. All
//! three take the tasks in their declared order: the steps of earlier tasks delay all later successes,
//! so another order gives another value.
//!
//! Invariant: a success outside 0 to 1 is clamped to it (one that is not a number counts as 0), and a
//! budget of 0 counts as 1, so that every result is a number from 0 to 1.

use serde::{Deserialize, Serialize};

/// Points of the grid that the area is sampled on.
const SAMPLES: u32 = 101;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// From 0 to 1.
    pub success: f64,
    /// Decisions of the agent, the finishing one included.
    pub steps: u64,
}

impl Scored {
    pub const fn new(success: f64, steps: u64) -> Self {
        Self { success, steps }
    }

    fn clamped(self) -> f64 {
        if self.success.is_nan() { 0.0 } else { self.success.clamp(0.0, 1.0) }
    }
}

/// The scores of a list of episodes; all 0 when there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EqaScores {
    pub n: usize,
    pub sr: f64,
    pub eqa: f64,
    /// The paper's step rule on the same grid.
    pub eqa_step: f64,
    pub eqa_exact: f64,
    pub mean_steps: f64,
}

/// The scores of `episodes`, in their order, under a budget of `max_steps` each.
pub fn summarize(episodes: &[Scored], max_steps: u64) -> EqaScores {
    if episodes.is_empty() {
        return EqaScores::default();
    }
    let n = episodes.len() as f64;
    EqaScores {
        n: episodes.len(),
        sr: (episodes.iter().map(|e| e.clamped()).sum::<f64>() / n).min(1.0),
        eqa: eqa(episodes, max_steps),
        eqa_step: eqa_step(episodes, max_steps),
        eqa_exact: eqa_exact(episodes, max_steps),
        mean_steps: episodes.iter().map(|e| e.steps as f64).sum::<f64>() / n,
    }
}

/// What a run under a longer budget would have given under `budget` steps: a success counts only when
/// it took no more than `budget` steps, and no episode uses more than those.
pub fn at_budget(episodes: &[Scored], budget: u64) -> Vec<Scored> {
    episodes
        .iter()
        .map(|e| Scored {
            success: if e.steps <= budget { e.success } else { 0.0 },
            steps: e.steps.min(budget),
        })
        .collect()
}

/// The points (share of the step budget used, recall) after each task, with (0, 0) in front. The
/// official rule joins them by straight lines, and holds the last recall to the end.
pub fn curve(episodes: &[Scored], max_steps: u64) -> Vec<(f64, f64)> {
    let n = episodes.len() as f64;
    let budget = total(episodes, max_steps);
    let mut reached = 0.0;
    let mut points = vec![(0.0, 0.0)];
    points.extend(episodes.iter().zip(used(episodes, budget)).map(|(episode, steps)| {
        reached += episode.clamped();
        (steps as f64 / budget as f64, (reached / n).min(1.0))
    }));
    points
}

/// The recall at 101 evenly spaced shares of the step budget, both ends included, on the lines through
/// the points of [`curve`]; all 0 for no episodes.
///
/// Where several points share a place (successes that took no step, or a used-up budget), the last
/// one counts. The grid is `m * 0.01` and exactly 1 at its end, as the reference computes it.
pub fn samples(episodes: &[Scored], max_steps: u64) -> Vec<f64> {
    if episodes.is_empty() {
        return vec![0.0; SAMPLES as usize];
    }
    let points = curve(episodes, max_steps);
    let mut from = 0;
    (0..SAMPLES)
        .map(|m| {
            let x = if m + 1 == SAMPLES { 1.0 } else { f64::from(m) * 0.01 };
            while points.get(from + 1).is_some_and(|&(u, _)| u <= x) {
                from += 1;
            }
            let (u0, r0) = points[from];
            match points.get(from + 1) {
                Some(&(u1, r1)) if u0 != x => (r1 - r0) / (u1 - u0) * (x - u0) + r0,
                _ => r0,
            }
        })
        .collect()
}

/// EQA by the official rule: the mean of the [`samples`]. 0 for no episodes.
pub fn eqa(episodes: &[Scored], max_steps: u64) -> f64 {
    if episodes.iter().all(|e| e.clamped() == 0.0) {
        return 0.0;
    }
    (samples(episodes, max_steps).iter().sum::<f64>() / f64::from(SAMPLES)).clamp(0.0, 1.0)
}

/// EQA by the paper's step rule: recall rises only when a task has ended. Sampled on the same grid.
pub fn eqa_step(episodes: &[Scored], max_steps: u64) -> f64 {
    let n = episodes.len() as f64;
    let budget = total(episodes, max_steps);
    // In whole numbers, so that a task that ends on a grid point is never missed by rounding.
    let sum: f64 = episodes
        .iter()
        .zip(used(episodes, budget))
        .map(|(episode, steps)| {
            let first = (steps * u128::from(SAMPLES - 1)).div_ceil(budget);
            episode.clamped() * (u128::from(SAMPLES) - first) as f64
        })
        .sum();
    if sum == 0.0 { 0.0 } else { (sum / f64::from(SAMPLES) / n).clamp(0.0, 1.0) }
}

/// EQA by the paper's closed form: the exact area under the step function.
pub fn eqa_exact(episodes: &[Scored], max_steps: u64) -> f64 {
    let n = episodes.len() as f64;
    let budget = total(episodes, max_steps);
    let sum: f64 = episodes
        .iter()
        .zip(used(episodes, budget))
        .map(|(episode, steps)| episode.clamped() * ((budget - steps) as f64 / budget as f64))
        .sum();
    if sum == 0.0 { 0.0 } else { (sum / n).clamp(0.0, 1.0) }
}

/// The step budget of all tasks together; at least 1.
fn total(episodes: &[Scored], max_steps: u64) -> u128 {
    (u128::from(max_steps.max(1)) * episodes.len() as u128).max(1)
}

/// Steps used up to the end of each task, never more than the whole budget.
fn used(episodes: &[Scored], budget: u128) -> impl Iterator<Item = u128> + '_ {
    episodes.iter().scan(0u128, move |sum, episode| {
        *sum += u128::from(episode.steps);
        Some((*sum).min(budget))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(tasks: &[(f64, u64)]) -> Vec<Scored> {
        tasks.iter().map(|&(success, steps)| Scored { success, steps }).collect()
    }

    #[track_caller]
    fn check(id: &str, tasks: &[(f64, u64)], max: u64, official: f64, step: f64, exact: f64) {
        let tasks = list(tasks);
        for (rule, got, want) in [
            ("official", eqa(&tasks, max), official),
            ("step", eqa_step(&tasks, max), step),
            ("exact", eqa_exact(&tasks, max), exact),
        ] {
            assert!((got - want).abs() < 1e-12, "{id} {rule}: got {got:.15}, want {want:.15}");
        }
    }

    /// In 101ths: what the grid gives is a whole or simple fraction of it.
    fn of(x: f64) -> f64 {
        x / 101.0
    }

    #[test]
    fn vectors_come_out_exactly_and_as_printed() {
        check("V1", &[(1., 5)], 10, of(75.5), of(51.), 0.5);
        check("V1b", &[(1., 10)], 10, 0.5, of(1.), 0.0);
        check("V1c", &[(1., 0)], 10, 1.0, 1.0, 1.0);
        check("V1e", &[(1., 1)], 15, of(97.15), of(94.), 14. / 15.);
        check("V2", &[(1., 5), (0., 10)], 10, of(44.), of(38.), 0.375);
        check("V2r", &[(0., 10), (1., 5)], 10, of(19.), of(13.), 0.125);
        check("V3", &[(1., 3), (0., 15), (1., 9), (0., 15)], 15, of(40.25), of(38.), 0.375);
        check("V3p", &[(1., 3), (1., 9), (0., 15), (0., 15)], 15, of(46.5), of(44.25), 0.4375);
        check("V3q", &[(0., 15), (0., 15), (1., 9), (1., 3)], 15, of(19.), of(16.75), 0.1625);
        check("V4", &[(0., 15), (0., 3)], 15, 0.0, 0.0, 0.0);
        check("V5", &[(0., 0), (1., 5)], 10, of(44.), of(38.), 0.375);
        check("V5b", &[(1., 0), (0., 10)], 10, 0.5, 0.5, 0.5);
        check("V5c", &[(0., 10), (1., 0)], 10, of(25.5), of(25.5), 0.25);
        check("V6", &[(1., 20), (1., 5)], 10, of(25.75), of(1.), 0.0);
        check("V7", &[(0.5, 5), (1., 5)], 10, of(53.5), of(44.5), 0.4375);
        check("V8", &[(0., 1), (1., 5)], 10, of(41.5), of(35.5), 0.35);
        check("V9", &[(1., 15); 3], 15, 0.5, of(34.), 1. / 3.);
        check("V10", &[(1., 5); 4], 10, of(75.5), of(69.5), 0.6875);
        let close = |got: f64, want: f64| assert!((got - want).abs() < 6e-13, "{got:.13} {want:.12}");
        let v11 = list(&[(1., 7), (0., 15), (1., 15), (0., 4), (1., 2)]);
        close(eqa(&v11, 15), 0.398986327204);
        close(eqa_step(&v11, 15), 0.366336633663);
        close(eqa_exact(&v11, 15), 0.368);
        close(eqa(&v11, 50), 0.537666195191);
        close(eqa_step(&v11, 50), 0.528712871287);
        close(eqa_exact(&v11, 50), 0.5304);
        close(eqa(&list(&[(1., 1)]), 15), 0.961881188119);
        close(eqa(&list(&[(1., 20), (1., 5)]), 10), 0.254950495050);
        close(eqa(&list(&[(0.5, 5), (1., 5)]), 10), 0.529702970297);
    }

    #[test]
    fn the_keys_are_fixed_and_values_out_of_range_stay_harmless() {
        let run = list(&[(1., 7), (0., 50), (1., 15), (1., 22), (0., 4)]);
        let at50 = summarize(&run, 50);
        let at15 = summarize(&at_budget(&run, 15), 15);
        assert_eq!(format!("{:.4} {:.4}", at15.eqa, at50.eqa), "0.3109 0.4774");
        assert!((at50.sr - 0.6).abs() < 1e-12 && (at50.mean_steps - 19.6).abs() < 1e-12);
        assert!((at15.sr - 0.4).abs() < 1e-12 && (at15.mean_steps - 11.2).abs() < 1e-12);
        assert_eq!(summarize(&[], 15), EqaScores::default());
        assert_eq!(
            serde_json::to_string(&EqaScores::default()).unwrap(),
            r#"{"n":0,"sr":0.0,"eqa":0.0,"eqa_step":0.0,"eqa_exact":0.0,"mean_steps":0.0}"#
        );
        let odd = list(&[(f64::NAN, 3), (7.0, u64::MAX), (-1.0, u64::MAX)]);
        let s = summarize(&odd, 0);
        for x in [s.sr, s.eqa, s.eqa_step, s.eqa_exact] {
            assert!((0.0..=1.0).contains(&x), "{s:?}");
        }
    }

    fn episodes() -> impl Strategy<Value = Vec<Scored>> {
        prop::collection::vec(
            (prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64], 0..60u64)
                .prop_map(|(success, steps)| Scored { success, steps }),
            0..40,
        )
    }

    proptest! {
        #[test]
        fn every_rule_lies_between_nothing_and_the_success_rate(list in episodes(), max in 1..60u64) {
            let s = summarize(&list, max);
            prop_assert!(s.sr <= 1.0);
            for area in [s.eqa, s.eqa_step, s.eqa_exact] {
                prop_assert!((0.0..=s.sr + 1e-12).contains(&area), "{:?}", s);
            }
            // The grid is 101 points: what it gives is off the area by a sample at most.
            let sample = s.sr / 101.0 + 1e-12;
            prop_assert!((s.eqa_exact - s.eqa_step).abs() <= sample && s.eqa_step <= s.eqa + sample, "{:?}", s);
        }

        #[test]
        fn a_further_success_never_lowers_a_score(list in episodes(), max in 1..60u64, at in 0..40usize) {
            if let Some(old) = list.get(at).copied() {
                let mut better = list.clone();
                better[at] = Scored { success: 1.0, steps: old.steps };
                let (a, b) = (summarize(&list, max), summarize(&better, max));
                for (a, b) in [(a.sr, b.sr), (a.eqa, b.eqa), (a.eqa_step, b.eqa_step), (a.eqa_exact, b.eqa_exact)] {
                    prop_assert!(b >= a - 1e-12);
                }
            }
        }

        #[test]
        fn a_larger_share_of_the_budget_used_never_raises_a_score(list in episodes(), max in 1..60u64, at in 0..40usize) {
            if at < list.len() {
                let mut slower = list.clone();
                slower[at].steps += 3;
                prop_assert!(eqa_exact(&slower, max) <= eqa_exact(&list, max) + 1e-12);
                prop_assert!(eqa_step(&slower, max) <= eqa_step(&list, max) + 1e-12);
            }
        }
    }
}
