//! The scores of a run, computed once for everything that shows them: the page, its files, and the terminal.

use waldo_tasks::score::{self, Breakdown, LevelTable, ScoreRow, TaskRow};
use waldo_tasks::{EpisodeResult, Manifest, TaskError};

use super::contestant_kind::ContestantKind;
use super::{ReportOptions, levels};

/// All of them. Contestants are in the manifest's order, unless [`Scores::in_shown_order`] made them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    pub rows: Vec<ScoreRow>,
    pub platforms: Vec<Breakdown>,
    pub levels: Vec<LevelTable>,
    /// Within shorter budgets: steps, and one row a contestant.
    pub budgets: Vec<(u32, Vec<ScoreRow>)>,
    pub tasks: Vec<TaskRow>,
}

impl Scores {
    /// Of a run under its own step budget, and within each of the options' budgets.
    pub fn of(
        manifest: &Manifest,
        results: &[EpisodeResult],
        options: &ReportOptions,
    ) -> Result<Self, TaskError> {
        let rows = score::table(manifest, results, None);
        let within = |steps: &u32| (*steps, score::table(manifest, results, Some(*steps)));
        Ok(Self {
            platforms: score::by_platform(manifest, results, None, &rows),
            rows,
            levels: levels::tables(manifest, results, &options.budgets, &options.levels)?,
            budgets: options.budgets.iter().map(within).collect(),
            tasks: score::by_task(manifest, results),
        })
    }

    /// The same, with the rows and the platforms as if each episode had been stopped after `budget` steps.
    #[must_use]
    pub fn within(mut self, manifest: &Manifest, results: &[EpisodeResult], budget: u32) -> Self {
        self.rows = score::table(manifest, results, Some(budget));
        self.platforms = score::by_platform(manifest, results, Some(budget), &self.rows);
        self
    }

    /// The same as a report shows it: contestants under test first, then ceilings, then floors, else as they are.
    pub(super) fn in_shown_order(&self) -> Self {
        let mut shown = self.clone();
        let sort = |rows: &mut Vec<ScoreRow>| rows.sort_by_key(|row| ContestantKind::of(&row.contestant));
        sort(&mut shown.rows);
        shown.budgets.iter_mut().for_each(|(_, rows)| sort(rows));
        let place = |name: &str| shown.rows.iter().position(|row| row.contestant.name == name);
        shown.platforms.sort_by_key(|one| place(&one.contestant));
        shown
    }
}
