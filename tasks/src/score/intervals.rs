//! Intervals of the success rate and of EQA.
//!
//! The success rate has Wilson's interval, which has a width where every task was solved, or none. Repeats of a task
//! are alike, so that they count for fewer episodes than they are: how alike they are is estimated from the tasks'
//! spread, and leans towards "wholly alike" by [`PRIOR_TASKS`], for few tasks tell little about it.
//!
//! EQA is the success rate times the share of it that is left after paying for steps. Its interval is that of the
//! success rate times this share, wider or narrower by what the jackknife over tasks finds beside: steps vary, too,
//! and early successes weigh more than late ones. Where nothing was solved the share is unknown, and taken as 1.
//!
//! Coverage is measured by `scripts/coverage` and stands in docs/benchmarks.md.

use serde::{Deserialize, Serialize};

use super::stats::{Cluster, drawn_scores};

/// The normal deviate that leaves 2.5 % on either side.
const Z: f64 = 1.959_963_984_540_054;
/// How many telling tasks whose repeats are wholly alike are seen before the first one.
const PRIOR_TASKS: f64 = 1.0;
/// The jackknife's groups at the most: more tasks than that are left out several at a time.
const MOST_GROUPS: usize = 400;

/// 95 % intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    pub sr: (f64, f64),
    pub eqa: (f64, f64),
}

/// The intervals over tasks; none where no episode was scored.
#[expect(clippy::cast_precision_loss, reason = "there are far fewer episodes than 2^52")]
pub fn intervals(tasks: &[Cluster], max_steps: u64) -> Option<Intervals> {
    let scored = |task: &&Cluster| task.repeats.iter().any(Option::is_some);
    let tasks: Vec<&Cluster> = tasks.iter().filter(scored).collect();
    if tasks.is_empty() {
        return None;
    }
    let episodes = tasks.iter().flat_map(|task| &task.repeats).flatten().count() as f64;
    let count = tasks.len() as f64;
    let (rate, area) = drawn_scores(&tasks, &vec![1; tasks.len()], max_steps);
    let (rate_variance, area_variance) = jackknife(&tasks, max_steps);
    let repeats = episodes / count;
    let independent = rate * (1.0 - rate);
    // How many times the variance is that of independent episodes.
    let seen = if independent > 1e-12 && tasks.len() > 1 {
        rate_variance * episodes / independent * (count - 1.0) / count
    } else {
        repeats
    };
    // Near the edges few tasks tell anything about it.
    let telling = count * 4.0 * independent;
    let effect =
        ((telling * seen + PRIOR_TASKS * repeats) / (telling + PRIOR_TASKS)).clamp(1.0, repeats.max(1.0));
    let sr = wilson_of_share(rate, episodes / effect);
    if rate <= 0.0 {
        return Some(Intervals { sr, eqa: (0.0, sr.1) });
    }
    let kept = area / rate;
    let mut beside = Z * Z * (area_variance - kept * kept * rate_variance);
    if beside > 0.0 {
        // A variance of few values is uncertain itself, as Student's deviate allows for.
        beside *= 1.0 + 4.0 / count;
    }
    let reach = |distance: f64| {
        let of_rate = (kept * distance).powi(2);
        (of_rate + beside).max(of_rate / 4.0).sqrt()
    };
    let eqa = ((area - reach(rate - sr.0)).max(0.0), (area + reach(sr.1 - rate)).min(sr.1));
    Some(Intervals { sr, eqa })
}

/// The variances of success rate and EQA by leaving out one group of tasks after the other, each with its repeats.
#[expect(clippy::cast_precision_loss, reason = "there are a few hundred groups")]
fn jackknife(tasks: &[&Cluster], max_steps: u64) -> (f64, f64) {
    let groups = tasks.len().min(MOST_GROUPS);
    if groups < 2 {
        return (0.0, 0.0);
    }
    let without = |group: usize| {
        let times: Vec<usize> = (0..tasks.len()).map(|at| usize::from(at % groups != group)).collect();
        drawn_scores(tasks, &times, max_steps)
    };
    let (rates, areas): (Vec<f64>, Vec<f64>) = (0..groups).map(without).unzip();
    let variance = |values: &[f64]| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() * (count - 1.0) / count
    };
    (variance(&rates), variance(&areas))
}

/// The 95 % interval by Wilson's method of a share of which `hits` of `n` were seen: it holds for small
/// `n` and for shares near 0 and 1. All of 0 to 1 when nothing was seen.
#[expect(clippy::cast_precision_loss, reason = "there are far fewer episodes than 2^52")]
pub fn wilson(hits: usize, n: usize) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    wilson_of_share(hits.min(n) as f64 / n as f64, n as f64)
}

/// Wilson's interval of a share that was seen in as much as `n` independent episodes tell.
fn wilson_of_share(share: f64, n: f64) -> (f64, f64) {
    let below = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / below;
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / below;
    // At the edges rounding must not leave out what was seen.
    ((middle - half).max(0.0).min(share), (middle + half).min(1.0).max(share))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::eqa::Scored;
    use super::super::stats::summarize_repeats;
    use super::*;

    fn task(repeats: &[(f64, u64)]) -> Cluster {
        Cluster { repeats: repeats.iter().map(|&(success, steps)| Some(Scored { success, steps })).collect() }
    }

    #[test]
    fn intervals_are_the_textbooks() {
        let tasks: Vec<_> = (0..40).map(|i| task(&[(f64::from(i % 2), 3 + u64::from(i % 5 == 0))])).collect();
        let found = intervals(&tasks, 15).unwrap();
        let s = summarize_repeats(&tasks, 15);
        assert!(found.sr.0 < s.sr && s.sr < found.sr.1 && found.eqa.0 < s.eqa && s.eqa < found.eqa.1);
        assert_eq!(found.sr, wilson(20, 40));
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 5e-4 && (b - d).abs() < 5e-4;
        assert!(close(wilson(0, 20), (0.0, 0.1611)), "{:?}", wilson(0, 20));
        assert!(close(wilson(20, 20), (0.8389, 1.0)));
        assert!(close(wilson(15, 50), (0.1910, 0.4375)), "{:?}", wilson(15, 50));
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn at_the_edges_an_interval_has_a_width() {
        let all = |success: f64| (0..30).map(|_| task(&[(success, 5)])).collect::<Vec<_>>();
        let solved = intervals(&all(1.0), 10).unwrap();
        assert!(solved.sr.1 == 1.0 && solved.sr == wilson(30, 30) && (solved.sr.0 - 0.886).abs() < 1e-3);
        assert!(solved.eqa.0 < 0.7 && 0.74 < solved.eqa.1, "{solved:?}");
        let failed = intervals(&all(0.0), 10).unwrap();
        assert!(failed.sr == wilson(0, 30) && failed.sr.0 == 0.0 && (failed.sr.1 - 0.114).abs() < 1e-3);
        assert_eq!(failed.eqa, failed.sr);
        assert!(intervals(&[task(&[(1.0, 5)])], 10).unwrap().sr.0 < 0.3);
        assert_eq!(intervals(&[], 10), None);
        assert_eq!(intervals(&[Cluster { repeats: vec![None] }], 10), None);
    }

    #[test]
    fn repeats_narrow_an_interval_by_as_much_as_they_differ() {
        let of = |repeats: fn(usize) -> Vec<(f64, u64)>| {
            let tasks: Vec<_> = (0..30).map(|i| task(&repeats(i))).collect();
            let (low, high) = intervals(&tasks, 15).unwrap().sr;
            high - low
        };
        let once = of(|i| vec![(if i.is_multiple_of(2) { 0.0 } else { 1.0 }, 4)]);
        let alike = of(|i| vec![(if i.is_multiple_of(2) { 0.0 } else { 1.0 }, 4); 4]);
        let differing = of(|_| vec![(0.0, 4), (1.0, 4), (0.0, 4), (1.0, 4)]);
        assert!((once - alike).abs() < 1e-9 && differing < 0.6 * once, "{once} {alike} {differing}");
    }

    #[test]
    fn rare_success_lies_in_the_interval_as_often_as_said() {
        // Of 30 episodes x are solved; the interval has to hold the rate behind them in 93 to 98 % of all cases.
        for rate in [0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.95, 0.97, 0.98_f64] {
            let mut weight = (1.0 - rate).powi(30);
            let (mut covered, mut area) = (0.0, 0.0);
            for solved in 0..=30 {
                let tasks: Vec<_> = (0..30).map(|i| task(&[(f64::from(u8::from(i < solved)), 15)])).collect();
                let found = intervals(&tasks, 15).unwrap();
                covered += if found.sr.0 <= rate && rate <= found.sr.1 { weight } else { 0.0 };
                area += weight;
                weight *= rate / (1.0 - rate) * f64::from(30 - solved) / f64::from(solved + 1);
            }
            assert!((area - 1.0).abs() < 1e-9 && (0.93..=0.98).contains(&covered), "{rate}: {covered}");
        }
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_score(tasks in prop::collection::vec(
            prop::collection::vec(prop::option::of((0.0..=1.0f64, 0..30u64).prop_map(|(s, t)| Scored::new(s, t))), 0..4), 0..20)) {
            let tasks: Vec<_> = tasks.into_iter().map(|repeats| Cluster { repeats }).collect();
            let s = summarize_repeats(&tasks, 15);
            let Some(found) = intervals(&tasks, 15) else { prop_assert_eq!(s.n, 0); return Ok(()) };
            for (value, (low, high)) in [(s.sr, found.sr), (s.eqa, found.eqa)] {
                prop_assert!(0.0 <= low && low <= value + 1e-9 && value <= high + 1e-9 && high <= 1.0, "{value} {low} {high}");
            }
            prop_assert!(found.eqa.1 <= found.sr.1 + 1e-12);
        }
    }
}
