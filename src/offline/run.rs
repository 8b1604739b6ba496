//! A run folder of an offline level, and what is made of it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waldo_devices::count::{count, either};
use waldo_offline::Difficulty;
use waldo_tasks::record::{write_json, write_whole};

use super::answers::{Answers, LevelManifest, MANIFEST, PlaceForm, Wording};
use super::bench::{Bench, Level};
use super::blind::Blind;
use super::scores::{LevelRow, scored};
use super::tables::{self, Table};
use super::{LevelError, page, upstream};
use crate::report::across::Offline;
use crate::report::levels::ReferenceRows;

/// Reasons that are told of a contestant's invalid items.
const REASONS: usize = 3;

#[derive(Debug)]
pub struct LevelRun {
    manifest: LevelManifest,
    bench: Bench,
    answers: Answers,
    rows: Vec<LevelRow>,
}

impl LevelRun {
    pub fn of(manifest: LevelManifest, bench: Bench, answers: Answers) -> Self {
        let rows = scored(&manifest, &bench, &answers);
        Self { manifest, bench, answers, rows }
    }

    pub fn open(folder: &Path) -> Result<Self, LevelError> {
        let manifest = LevelManifest::read(folder)?.ok_or_else(|| {
            LevelError::Input(format!("{} holds no run of l1 or l2: it has no {MANIFEST}", folder.display()))
        })?;
        let bench = manifest.bench()?;
        Ok(Self::of(manifest, bench, Answers::read(folder)?))
    }

    pub fn level(&self) -> Level {
        self.bench.level
    }

    pub fn summary(&self) -> Offline {
        let percent = |value: f64| 100.0 * value;
        let columns: Vec<String> = match self.bench.level {
            Level::L1 => Difficulty::ALL.iter().map(|difficulty| difficulty.name().to_owned()).collect(),
            Level::L2 => ["basic", "advanced", "average"].map(str::to_owned).to_vec(),
        };
        let cells = |row: &LevelRow| -> Vec<Option<f64>> {
            match (&row.l1, &row.l2) {
                (Some(scores), _) => {
                    let score = |difficulty: &Difficulty| {
                        scores.splits.get(difficulty).map(|split| percent(split.level_score))
                    };
                    Difficulty::ALL.iter().map(score).collect()
                }
                (None, Some(scores)) => vec![scores.basic, scores.advanced, scores.average],
                (None, None) => vec![None; columns.len()],
            }
        };
        let level = self.bench.level.title();
        let rewritten = self.bench.rewritten_line().map(|line| format!("{level}: {line}."));
        Offline {
            level: level.to_owned(),
            rows: self.rows.iter().map(|row| (row.contestant.name.clone(), cells(row))).collect(),
            // A table of all levels has no head for each of them.
            notices: rewritten.into_iter().chain(self.notices(None)).collect(),
            columns,
        }
    }

    pub fn has_invalid(&self) -> bool {
        self.rows.iter().any(|row| row.invalid > 0)
    }

    pub fn tables(&self, beside: Option<ReferenceRows>) -> Result<Vec<Table>, LevelError> {
        Ok(tables::tables(&self.bench, &self.rows, beside)?)
    }

    /// What a reader must know before believing a number.
    pub fn notices(&self, beside: Option<ReferenceRows>) -> Vec<String> {
        let mut notices = Vec::new();
        for row in &self.rows {
            for (reason, n) in row.reasons.iter().take(REASONS) {
                let reason = crate::report::cut(reason, 300);
                let (name, items, are) = (&row.contestant.name, count(*n, "item"), either(*n, "is", "are"));
                notices.push(format!("{name}: {items} {are} invalid and not scored: {reason}"));
            }
        }
        let reference = self.rows.iter().find(|row| row.contestant.agent == "reference");
        if reference.is_some_and(|row| row.share().is_some_and(|share| share < 1.0)) {
            notices.push(
                "The reference does not reach 100: the file's own answers do not fit its items.".to_owned(),
            );
        }
        let asked =
            |row: &LevelRow| Blind::of(&row.contestant.agent).is_none() && row.contestant.model.is_some();
        if self.rows.iter().any(asked) {
            match (self.bench.level, self.manifest.form, self.manifest.wording) {
                (Level::L2, PlaceForm::Own, _) => notices.push(
                    "Models were asked for places by their agents' own prompts, not by the benchmark's form (--points)."
                        .to_owned(),
                ),
                (_, _, Wording::Waldo) => notices.push(
                    "Models were asked in waldo's own words; published rows were made with the benchmark's, which \
                     --prompts brings in (scripts/upstream-prompts)."
                        .to_owned(),
                ),
                (_, _, Wording::Own) => {}
            }
        }
        if beside.is_some() && !self.bench.is_the_benchmarks_own() {
            notices.push("Published rows are of the benchmark's own items, which these are not.".to_owned());
        }
        notices
    }

    pub fn text(&self, beside: Option<ReferenceRows>) -> Result<String, LevelError> {
        let mut text = String::new();
        if let Some(line) = self.bench.rewritten_line() {
            text.push_str(&format!("{line}\n\n"));
        }
        text.push_str(&tables::text(&self.tables(beside)?));
        text.extend(self.notices(beside).iter().map(|notice| format!("\n{notice}\n")));
        Ok(text)
    }

    /// For programs: the rows with all their scores, and what chance gives over all items.
    pub fn json(&self) -> Value {
        let mut said = tables::json(&self.bench, &self.rows);
        said["notices"] = json!(self.notices(None));
        said
    }

    /// Writes tables, page and the benchmark's own files into the run's folder, and says where the page is.
    pub fn write(&self, folder: &Path, beside: Option<ReferenceRows>) -> Result<PathBuf, LevelError> {
        let tables = self.tables(beside)?;
        write_json(&folder.join("scores.json"), &self.json())?;
        write_whole(&folder.join("scores.md"), tables::markdown(&self.bench, &tables).as_bytes())?;
        upstream::write(folder, &self.manifest, &self.bench, &self.answers, &self.rows)?;
        let path = folder.join("report.html");
        let notices = self.notices(beside);
        let html = page::page(&self.manifest, &self.bench, &self.answers, &self.rows, &tables, &notices)?;
        write_whole(&path, html.as_bytes())?;
        Ok(path)
    }
}
