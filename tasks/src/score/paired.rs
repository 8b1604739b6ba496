//! The difference of two contestants on the tasks that both were scored on.
//!
//! Invariants: a task counts only where both have a scored episode of it; a resample draws a task for both at once, so
//! that what makes a task hard cancels out; the interval is reproducible.

use serde::{Deserialize, Serialize};

use super::stats::{Cluster, drawn_scores, percentiles, resample};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceVerdict {
    /// The second one is better: the whole interval is above 0.
    Better,
    /// The second one is worse: the whole interval is below 0.
    Worse,
    /// 0 is inside: these tasks do not tell them apart.
    Undecided,
}

/// The second contestant's scores minus the first one's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub tasks: usize,
    /// Of the success rate, -1 to 1.
    pub sr: f64,
    /// Its 95 % interval.
    pub sr_ci: (f64, f64),
    /// Of EQA, -1 to 1.
    pub eqa: f64,
    /// Its 95 % interval.
    pub eqa_ci: (f64, f64),
}

impl Difference {
    /// What the interval of the success rate says.
    pub fn verdict(&self) -> DifferenceVerdict {
        let (low, high) = self.sr_ci;
        if low > 0.0 {
            DifferenceVerdict::Better
        } else if high < 0.0 {
            DifferenceVerdict::Worse
        } else {
            DifferenceVerdict::Undecided
        }
    }
}

/// The difference over pairs of (first, second), one a task in the declared order, with percentile intervals by the
/// paired bootstrap over tasks; none where no task was scored for both.
pub fn paired_difference(pairs: &[(Cluster, Cluster)], max_steps: u64) -> Option<Difference> {
    let scored = |task: &Cluster| task.repeats.iter().any(Option::is_some);
    let (first, second): (Vec<&Cluster>, Vec<&Cluster>) =
        pairs.iter().filter(|(a, b)| scored(a) && scored(b)).map(|(a, b)| (a, b)).unzip();
    if first.is_empty() {
        return None;
    }
    let between = |times: &[usize]| {
        let (a, b) = (drawn_scores(&first, times, max_steps), drawn_scores(&second, times, max_steps));
        (b.0 - a.0, b.1 - a.1)
    };
    let (sr, eqa) = between(&vec![1; first.len()]);
    let (mut rates, mut areas) = (Vec::new(), Vec::new());
    resample(first.len(), |times| {
        let (rate, area) = between(times);
        rates.push(rate);
        areas.push(area);
    });
    Some(Difference { tasks: first.len(), sr, sr_ci: percentiles(rates), eqa, eqa_ci: percentiles(areas) })
}

#[cfg(test)]
mod tests {
    use super::super::eqa::Scored;
    use super::*;

    fn task(success: f64, steps: u64) -> Cluster {
        Cluster { repeats: vec![Some(Scored::new(success, steps))] }
    }

    #[test]
    fn hard_and_easy_tasks_cancel_out() {
        // Both solve the even tasks; the second one solves four of the odd ones too.
        let pairs: Vec<_> = (0..40)
            .map(|n| {
                let easy = f64::from(n % 2 == 0);
                (task(easy, 4), task(if n % 2 == 1 && n < 8 { 1.0 } else { easy }, 4))
            })
            .collect();
        let found = paired_difference(&pairs, 10).unwrap();
        assert_eq!(found.tasks, 40);
        assert!((found.sr - 0.1).abs() < 1e-12);
        // A share of 0.1 over 40 pairs: 1.96 standard errors are 0.093; unpaired they were 0.22.
        assert!(found.sr_ci.1 - found.sr_ci.0 < 0.22, "{found:?}");
        assert_eq!(found, paired_difference(&pairs, 10).unwrap());
        assert_eq!(found.verdict(), DifferenceVerdict::Better);
    }

    #[test]
    fn a_difference_is_of_what_both_were_scored_on() {
        let pairs: Vec<_> = (0..9).map(|n| (task(f64::from(n % 2), 3), task(f64::from(n % 2), 3))).collect();
        let found = paired_difference(&pairs, 10).unwrap();
        assert_eq!((found.sr, found.sr_ci, found.eqa_ci), (0.0, (0.0, 0.0), (0.0, 0.0)));
        assert_eq!(found.verdict(), DifferenceVerdict::Undecided);
        let pairs = [(task(1.0, 3), Cluster::default()), (task(1.0, 3), task(0.0, 3))];
        let found = paired_difference(&pairs, 10).unwrap();
        assert_eq!((found.tasks, found.sr, found.verdict()), (1, -1.0, DifferenceVerdict::Worse));
        assert_eq!(paired_difference(&pairs[..1], 10), None);
        let pairs: Vec<_> = (0..12).map(|_| (task(1.0, 8), task(1.0, 3))).collect();
        let found = paired_difference(&pairs, 10).unwrap();
        assert_eq!(found.sr, 0.0);
        assert!(found.eqa > 0.0 && found.eqa_ci.0 > 0.0, "{found:?}");
    }
}
