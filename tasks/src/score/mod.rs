//! Scores: the efficiency-quality area, its statistics, and the table of a run.
//!
//! Invariants: a score is a function of the *declared* task order, whatever order the episodes ended
//! in; invalid episodes are left out and counted apart; `0 <= EQA <= SR <= 1` for every rule.

mod breakdown;
mod by_task;
mod eqa;
mod file;
mod intervals;
mod levels;
mod paired;
mod platforms;
mod stats;
mod table;

pub use breakdown::{Breakdown, PlatformRow, by_platform};
pub use by_task::{TaskRow, by_task};
pub use eqa::{EqaScores, Scored, at_budget, curve, eqa, eqa_exact, eqa_step, samples, summarize};
pub use file::{ScoreEpisode, ScoreFile, read_score_file};
pub use intervals::{Intervals, intervals, wilson};
pub use levels::{Column, LevelRow, LevelScore, LevelTable, RowSource, Weights, by_level};
pub use paired::{Difference, DifferenceVerdict, paired_difference};
pub use platforms::{Missing, PlatformMean};
pub use stats::{Cluster, eq1, eq2, sample_repeats, summarize_repeats};
#[cfg(test)]
pub(crate) use table::testing;
pub use table::{ScoreRow, clusters, mixed_budgets, step_budget, table};
