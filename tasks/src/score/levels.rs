//! The tables of the paper: one for each level, contestants against platforms, with the mean over platforms.
//!
//! Invariants: EQA is computed on each platform by itself and then averaged; a platform without a scored episode is
//! named, and counts as 0 only where the paper's weights are asked for, as its averages were made.

use serde::{Deserialize, Serialize};

use super::platforms::{Missing, PlatformMean, PlatformScore, platform_mean};
use super::table::table;
use crate::TaskError;
use crate::record::{EpisodeResult, Manifest};

/// The rows that were published (arXiv 2507.19478, Tables 7 and 8).
const PUBLISHED: &str = include_str!("../../data/published.toml");

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    #[default]
    Tasks,
    /// By the task counts that the paper's averages were made with; what is missing counts as 0.
    Paper,
}

/// A column: a platform, under the paper's name where the paper has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name: `web`, `android`, `linux` (desktops), `windows`, `macos`, or `devices` (several screens).
    pub name: String,
    /// What it weighs in the mean, in tasks; 0 where it is outside of it.
    pub weight: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelScore {
    /// Scored episodes; none of a published row.
    pub n: Option<usize>,
    /// Success rate, 0 to 1.
    pub sr: f64,
    /// EQA, 0 to 1.
    pub eqa: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowSource {
    Run,
    /// The paper: another set of tasks.
    Published,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelRow {
    pub name: String,
    pub source: RowSource,
    /// One for each column; none where it was not played.
    pub cells: Vec<Option<LevelScore>>,
    pub mean: PlatformMean,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelTable {
    pub level: String,
    pub max_steps: u32,
    pub columns: Vec<Column>,
    pub rows: Vec<LevelRow>,
}

/// The paper's platforms, by the names of its tables.
const PAPER_COLUMNS: [&str; 5] = ["windows", "macos", "linux", "android", "web"];

/// How many tasks its averages count for each; of L4's 35 Windows tasks 33 were scored.
fn paper_weights(level: &str) -> Option<[usize; 5]> {
    match level {
        "L3" => Some([145, 35, 268, 116, 155]),
        "L4" => Some([33, 35, 101, 30, 47]),
        _ => None,
    }
}

/// The tables of a run, one for each level that its tasks have, under each of `budgets` (in steps).
pub fn by_level(
    manifest: &Manifest,
    results: &[EpisodeResult],
    budgets: &[u32],
    weights: Weights,
) -> Vec<LevelTable> {
    let mut levels: Vec<&str> = manifest.tasks.iter().map(|task| task.level.as_str()).collect();
    levels.sort_unstable();
    levels.dedup();
    let each = levels.iter().flat_map(|level| budgets.iter().map(move |steps| (*level, *steps)));
    each.map(|(level, steps)| level_table(manifest, results, level, steps, weights)).collect()
}

fn level_table(
    manifest: &Manifest,
    results: &[EpisodeResult],
    level: &str,
    max_steps: u32,
    weights: Weights,
) -> LevelTable {
    let mut of_level = manifest.clone();
    of_level.tasks.retain(|task| task.level == level);
    let paper = paper_weights(level).filter(|_| weights == Weights::Paper);
    let mut columns: Vec<Column> = match paper {
        Some(paper) => PAPER_COLUMNS
            .iter()
            .zip(paper)
            .map(|(name, weight)| Column { name: (*name).to_owned(), weight })
            .collect(),
        None => Vec::new(),
    };
    for task in &of_level.tasks {
        let name = task.platform.benchmark_name();
        match columns.iter_mut().find(|column| column.name == name) {
            Some(column) if paper.is_none() => column.weight += 1,
            Some(_) => {}
            // Outside of the paper's mean there is no such platform.
            None => columns.push(Column { name: name.to_owned(), weight: usize::from(paper.is_none()) }),
        }
    }
    let mut rows: Vec<LevelRow> = manifest
        .contestants
        .iter()
        .map(|contestant| LevelRow {
            name: contestant.name.clone(),
            source: RowSource::Run,
            cells: vec![None; columns.len()],
            mean: PlatformMean::default(),
        })
        .collect();
    for (at, column) in columns.iter().enumerate() {
        let mut part = of_level.clone();
        part.tasks.retain(|task| task.platform.benchmark_name() == column.name);
        if part.tasks.is_empty() {
            continue;
        }
        for (row, scored) in rows.iter_mut().zip(table(&part, results, Some(max_steps))) {
            let cell = LevelScore { n: Some(scored.n), sr: scored.sr, eqa: scored.eqa };
            row.cells[at] = (scored.n > 0).then_some(cell);
        }
    }
    let missing = if paper.is_some() { Missing::AsZero } else { Missing::LeftOut };
    for row in &mut rows {
        row.mean = mean(&columns, &row.cells, missing);
    }
    LevelTable { level: level.to_owned(), max_steps, columns, rows }
}

fn mean(columns: &[Column], cells: &[Option<LevelScore>], missing: Missing) -> PlatformMean {
    let part = |(column, cell): (&Column, &Option<LevelScore>)| PlatformScore {
        platform: column.name.clone(),
        tasks: column.weight,
        sr: cell.map(|cell| cell.sr),
        eqa: cell.map(|cell| cell.eqa),
    };
    let parts: Vec<_> = columns.iter().zip(cells).filter(|(column, _)| column.weight > 0).map(part).collect();
    platform_mean(&parts, missing)
}

/// A published row, as its file has it; percent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedRow {
    level: String,
    max_steps: u32,
    model: String,
    windows: Option<[f64; 2]>,
    macos: Option<[f64; 2]>,
    linux: Option<[f64; 2]>,
    android: Option<[f64; 2]>,
    web: Option<[f64; 2]>,
    mean: [f64; 2],
}

#[derive(Debug, Deserialize)]
struct PublishedFile {
    row: Vec<PublishedRow>,
}

impl LevelTable {
    /// Adds the rows that were published for this level and budget, with the columns that they need. They are of other
    /// tasks, and their mean is the published one.
    pub fn add_published(&mut self) -> Result<(), TaskError> {
        let damaged = |error: toml::de::Error| TaskError::Internal(format!("the published rows: {error}"));
        let file: PublishedFile = toml::from_str(PUBLISHED).map_err(damaged)?;
        let found = file.row.into_iter();
        let found = found.filter(|row| row.level == self.level && row.max_steps == self.max_steps);
        let found: Vec<PublishedRow> = found.collect();
        if found.is_empty() {
            return Ok(());
        }
        for name in PAPER_COLUMNS {
            if self.columns.iter().all(|column| column.name != name) {
                self.columns.push(Column { name: name.to_owned(), weight: 0 });
                self.rows.iter_mut().for_each(|row| row.cells.push(None));
            }
        }
        for row in found {
            let of = |name: &str| match name {
                "windows" => row.windows,
                "macos" => row.macos,
                "linux" => row.linux,
                "android" => row.android,
                "web" => row.web,
                _ => None,
            };
            let cell = |[sr, eqa]: [f64; 2]| LevelScore { n: None, sr: sr / 100.0, eqa: eqa / 100.0 };
            let cells = self.columns.iter().map(|column| of(&column.name).map(cell)).collect();
            let weights = paper_weights(&row.level).unwrap_or_default();
            let mean = PlatformMean {
                tasks: weights.iter().sum(),
                sr: row.mean[0] / 100.0,
                eqa: row.mean[1] / 100.0,
                missing: Vec::new(),
            };
            self.rows.push(LevelRow { name: row.model, source: RowSource::Published, cells, mean });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use waldo_devices::Platform;

    use super::super::table::testing::{manifest, result};
    use super::*;

    fn played() -> (Manifest, Vec<EpisodeResult>) {
        let mut manifest = manifest(4, 1);
        manifest.tasks[1].platform = Platform::Desktop;
        manifest.tasks[2].level = "L4".into();
        manifest.tasks[3].level = "L4".into();
        manifest.tasks[3].platform = Platform::Devices;
        let results = vec![
            result("noop", 0, 0, 1.0, 5),
            result("noop", 1, 0, 0.0, 5),
            result("noop", 2, 0, 1.0, 5),
            result("noop", 3, 0, 0.0, 5),
        ];
        (manifest, results)
    }

    #[test]
    fn each_level_has_a_table_of_platforms_that_the_papers_weights_count() {
        let (manifest, results) = played();
        let tables = by_level(&manifest, &results, &[10], Weights::Tasks);
        let shape = |table: &LevelTable| {
            let columns: Vec<String> =
                table.columns.iter().map(|column| format!("{} {}", column.name, column.weight)).collect();
            (table.level.clone(), columns.join(", "))
        };
        assert_eq!(shape(&tables[0]), ("L3".into(), "web 1, linux 1".into()));
        assert_eq!(shape(&tables[1]), ("L4".into(), "web 1, devices 1".into()));
        let noop = &tables[0].rows[0];
        assert_eq!((noop.cells[0].unwrap().sr, noop.cells[1].unwrap().sr, noop.mean.sr), (1.0, 0.0, 0.5));
        // The other contestant has not played: nothing is scored, and what is missing is named.
        let other = &tables[0].rows[1];
        assert_eq!((other.cells.as_slice(), other.mean.missing.len()), (&[None, None][..], 2));
        let (manifest, results) = played();
        let tables = by_level(&manifest, &results, &[10], Weights::Paper);
        let noop = &tables[0].rows[0];
        assert!((noop.mean.sr - 155.0 / 719.0).abs() < 1e-12, "{noop:?}");
        assert_eq!(noop.mean.missing, ["windows", "macos", "android"]);
        // Tasks across devices are none of the paper's.
        let l4 = &tables[1].rows[0];
        assert!((l4.mean.sr - 47.0 / 246.0).abs() < 1e-12, "{l4:?}");
        assert_eq!(tables[1].columns.last().map(|column| column.weight), Some(0));
    }

    #[test]
    fn published_rows_stand_beside_with_their_own_means() {
        let (manifest, results) = played();
        for steps in [15, 50] {
            for mut table in by_level(&manifest, &results, &[steps], Weights::Tasks) {
                table.add_published().unwrap();
                let published: Vec<&LevelRow> =
                    table.rows.iter().filter(|row| row.source == RowSource::Published).collect();
                assert_eq!(published.len(), 8, "{} within {steps}", table.level);
                let weights = paper_weights(&table.level).unwrap();
                for row in published {
                    if row.name.starts_with("Qwen") || row.name.contains("UI-TARS") && table.level == "L3" {
                        continue;
                    }
                    let sum: f64 = PAPER_COLUMNS
                        .iter()
                        .zip(weights)
                        .map(|(name, weight)| {
                            let at = table.columns.iter().position(|column| column.name == *name).unwrap();
                            row.cells[at].map_or(0.0, |cell| cell.sr) * weight as f64
                        })
                        .sum();
                    let mean = sum / weights.iter().sum::<usize>() as f64;
                    assert!((mean - row.mean.sr).abs() < 2.1e-4, "{} {steps} {row:?}: {mean}", table.level);
                }
            }
        }
    }
}
