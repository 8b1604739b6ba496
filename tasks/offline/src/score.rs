//! Scores of both levels.
//!
//! As `benchmarks/matrics.py` of the benchmark computes them. Where it divides by zero (a platform without icons, a run
//! of one split) the value is left out here, and a platform that a split lacks does not spoil the split's score.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::places::{Grounding, ItemKind};
use crate::platform::OfflinePlatform;
use crate::questions::Difficulty;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scorer {
    /// The share of right answers: `level1_calculate_scores_normal`.
    #[default]
    Normal,
    /// A question with m options weighs (m-1)/m: `level1_calculate_scores_weighted`.
    Weighted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L1Outcome {
    pub difficulty: Difficulty,
    pub platform: OfflinePlatform,
    pub hit: bool,
    pub options: usize,
}

/// The score of a platform in a split, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct L1Cell {
    pub score: f64,
    /// The mean weight of right answers; of the weighted scorer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_weighted: Option<f64>,
    /// The mean weight of all questions; of the weighted scorer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_base: Option<f64>,
    pub sample_num: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct L1Split {
    #[serde(flatten)]
    pub platforms: BTreeMap<OfflinePlatform, L1Cell>,
    pub level_sample_num: usize,
    /// The platforms' scores, weighed by their questions, 0 to 1.
    pub level_score: f64,
}

/// The scores of L1. Difficulties are not combined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct L1Scores {
    #[serde(flatten)]
    pub splits: BTreeMap<Difficulty, L1Split>,
    pub total_sample_num: usize,
}

pub fn score_l1(outcomes: &[L1Outcome], scorer: Scorer) -> L1Scores {
    let mut grouped: BTreeMap<Difficulty, BTreeMap<OfflinePlatform, Vec<&L1Outcome>>> = BTreeMap::new();
    for outcome in outcomes {
        grouped.entry(outcome.difficulty).or_default().entry(outcome.platform).or_default().push(outcome);
    }
    let split = |platforms: BTreeMap<OfflinePlatform, Vec<&L1Outcome>>| {
        let platforms: BTreeMap<OfflinePlatform, L1Cell> =
            platforms.into_iter().map(|(platform, all)| (platform, l1_cell(&all, scorer))).collect();
        let level_sample_num = platforms.values().map(|cell| cell.sample_num).sum();
        let sum: f64 = platforms.values().map(|cell| cell.score * cell.sample_num as f64).sum();
        L1Split { platforms, level_sample_num, level_score: sum / level_sample_num.max(1) as f64 }
    };
    let splits = grouped.into_iter().map(|(difficulty, all)| (difficulty, split(all))).collect();
    L1Scores { splits, total_sample_num: outcomes.len() }
}

fn l1_cell(all: &[&L1Outcome], scorer: Scorer) -> L1Cell {
    let n = all.len();
    let mean = |value: &dyn Fn(&L1Outcome) -> f64| {
        all.iter().map(|outcome| value(outcome)).sum::<f64>() / n.max(1) as f64
    };
    let hit = |outcome: &L1Outcome| f64::from(u8::from(outcome.hit));
    match scorer {
        Scorer::Normal => L1Cell { score: mean(&hit), score_weighted: None, score_base: None, sample_num: n },
        Scorer::Weighted => {
            let weight = |outcome: &L1Outcome| {
                let m = outcome.options.max(1) as f64;
                (m - 1.0) / m
            };
            let (weighted, base) =
                (mean(&|outcome| hit(outcome) * weight(outcome)), mean(&|outcome| weight(outcome)));
            let score = if base > 0.0 { weighted / base } else { 0.0 };
            L1Cell { score, score_weighted: Some(weighted), score_base: Some(base), sample_num: n }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceResult {
    Hit,
    Miss,
    /// No point can be read; it counts as a miss.
    WrongFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L2Outcome {
    pub grounding: Grounding,
    pub platform: OfflinePlatform,
    pub kind: ItemKind,
    pub result: PlaceResult,
}

/// The scores of a platform in a split: numbers of items, and accuracies in percent. An accuracy without an item is
/// left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct L2Cell {
    #[serde(rename = "Total num")]
    pub total: usize,
    #[serde(rename = "Icon num")]
    pub icons: usize,
    #[serde(rename = "Text num")]
    pub texts: usize,
    #[serde(rename = "Total accuracy")]
    pub accuracy: f64,
    #[serde(rename = "Icon accuracy")]
    pub icon_accuracy: Option<f64>,
    #[serde(rename = "Text accuracy")]
    pub text_accuracy: Option<f64>,
    #[serde(rename = "Correct num")]
    pub correct: usize,
    #[serde(rename = "Wrong num")]
    pub wrong: usize,
    #[serde(rename = "Error format num")]
    pub wrong_format: usize,
}

pub type L2Split = BTreeMap<OfflinePlatform, L2Cell>;

/// The scores of L2, in percent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct L2Scores {
    /// The mean of both splits; none where there is one.
    #[serde(rename = "Average accuracy")]
    pub average: Option<f64>,
    #[serde(rename = "Basic accuracy")]
    pub basic: Option<f64>,
    #[serde(rename = "Advanced accuracy")]
    pub advanced: Option<f64>,
    #[serde(flatten)]
    pub splits: BTreeMap<Grounding, L2Split>,
}

pub fn score_l2(outcomes: &[L2Outcome]) -> L2Scores {
    let mut grouped: BTreeMap<Grounding, BTreeMap<OfflinePlatform, Vec<&L2Outcome>>> = BTreeMap::new();
    for outcome in outcomes {
        grouped.entry(outcome.grounding).or_default().entry(outcome.platform).or_default().push(outcome);
    }
    let splits: BTreeMap<Grounding, L2Split> = grouped
        .into_iter()
        .map(|(grounding, platforms)| {
            (grounding, platforms.into_iter().map(|(platform, all)| (platform, l2_cell(&all))).collect())
        })
        .collect();
    let overall = |grounding: Grounding| {
        let split: &L2Split = splits.get(&grounding)?;
        let all: usize = split.values().map(|cell| cell.total).sum();
        Some(split.values().map(|cell| cell.accuracy * cell.total as f64).sum::<f64>() / all.max(1) as f64)
    };
    let (basic, advanced) = (overall(Grounding::Basic), overall(Grounding::Advanced));
    let average = basic.zip(advanced).map(|(basic, advanced)| f64::midpoint(basic, advanced));
    L2Scores { average, basic, advanced, splits }
}

fn l2_cell(all: &[&L2Outcome]) -> L2Cell {
    let count = |kind: Option<ItemKind>, result: Option<PlaceResult>| {
        let is = |outcome: &&&L2Outcome| {
            kind.is_none_or(|kind| outcome.kind == kind)
                && result.is_none_or(|result| outcome.result == result)
        };
        all.iter().filter(is).count()
    };
    let accuracy = |kind| {
        let n = count(kind, None);
        (n > 0).then(|| count(kind, Some(PlaceResult::Hit)) as f64 / n as f64 * 100.0)
    };
    L2Cell {
        total: all.len(),
        icons: count(Some(ItemKind::Icon), None),
        texts: count(Some(ItemKind::Text), None),
        accuracy: accuracy(None).unwrap_or_default(),
        icon_accuracy: accuracy(Some(ItemKind::Icon)),
        text_accuracy: accuracy(Some(ItemKind::Text)),
        correct: count(None, Some(PlaceResult::Hit)),
        wrong: count(None, Some(PlaceResult::Miss)),
        wrong_format: count(None, Some(PlaceResult::WrongFormat)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_no_items_has_no_accuracy() {
        let (grounding, platform) = (Grounding::Basic, OfflinePlatform::Mac);
        let one = L2Outcome { grounding, platform, kind: ItemKind::Icon, result: PlaceResult::Hit };
        let scores = score_l2(&[one]);
        assert_eq!((scores.average, scores.basic, scores.advanced), (None, Some(100.0), None));
        assert_eq!(scores.splits[&grounding][&platform].text_accuracy, None);
    }

    proptest! {
        #[test]
        fn scores_stay_in_range_and_do_not_depend_on_order(
            all in prop::collection::vec((0usize..3, 0usize..6, any::<bool>(), 2usize..7), 1..60),
            turn in 0usize..60,
        ) {
            let mut outcomes: Vec<L1Outcome> = all
                .into_iter()
                .map(|(d, p, hit, options)| L1Outcome {
                    difficulty: Difficulty::ALL[d], platform: OfflinePlatform::ALL[p], hit, options,
                })
                .collect();
            for scorer in [Scorer::Normal, Scorer::Weighted] {
                let before = score_l1(&outcomes, scorer);
                for split in before.splits.values() {
                    prop_assert!((0.0..=1.0 + 1e-12).contains(&split.level_score));
                }
                let by = turn % outcomes.len();
                outcomes.rotate_left(by);
                let after = score_l1(&outcomes, scorer);
                for (difficulty, split) in &before.splits {
                    prop_assert!((split.level_score - after.splits[difficulty].level_score).abs() < 1e-9);
                }
            }
        }
    }
}
