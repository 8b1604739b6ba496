//! All levels of a contestant in one table: what it reads from pictures (L1), where it points on them (L2), and what it
//! does on live screens (L3, L4).

use serde::Serialize;
use waldo_tasks::score::{self, Weights};
use waldo_tasks::{EpisodeResult, Manifest};

use super::grid::Grid;
use super::words::NONE;

/// The scores of one offline level, in percent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Offline {
    /// The level, such as L1.
    pub level: String,
    pub columns: Vec<String>,
    /// Contestants, each with a score for every part.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
    /// What a reader must know before believing a number.
    pub notices: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Across {
    /// Names of columns: a level, and a part of it.
    pub columns: Vec<String>,
    /// Contestants, each with a cell for every column.
    pub rows: Vec<(String, Vec<String>)>,
    /// What a reader must know before believing a number.
    pub notices: Vec<String>,
}

impl Across {
    /// Of a run of online tasks and of runs of offline levels; empty where none of these is given.
    pub fn of(manifest: &Manifest, results: &[EpisodeResult], offline: &[Offline]) -> Self {
        if offline.is_empty() {
            return Self::default();
        }
        let mut parts: Vec<Offline> = offline.to_vec();
        if manifest.is_judged() {
            parts.extend(online(manifest, results));
        }
        parts.sort_by(|a, b| a.level.cmp(&b.level));
        let mut names: Vec<&str> = manifest.contestants.iter().map(|who| who.name.as_str()).collect();
        for (name, _) in parts.iter().flat_map(|part| &part.rows) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let columns = parts
            .iter()
            .flat_map(|part| part.columns.iter().map(|column| format!("{} {column}", part.level)));
        let cells = |name: &str| -> Vec<String> {
            let of_part = |part: &Offline| -> Vec<Option<f64>> {
                let own = part.rows.iter().find(|(row, _)| row == name).map(|(_, cells)| cells.clone());
                own.unwrap_or_else(|| vec![None; part.columns.len()])
            };
            let cells = parts.iter().flat_map(of_part);
            cells.map(|cell| cell.map_or_else(|| NONE.to_owned(), |cell| format!("{cell:.1}"))).collect()
        };
        Self {
            columns: columns.collect(),
            rows: names.iter().map(|name| ((*name).to_owned(), cells(name))).collect(),
            notices: parts.iter().flat_map(|part| part.notices.clone()).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn grid(&self) -> Grid {
        Grid { corner: String::new(), columns: self.columns.clone(), rows: self.rows.clone() }
    }

    pub fn text(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut text = format!("\nall levels, in percent\n{}", self.grid().text());
        text.extend(self.notices.iter().map(|notice| format!("{notice}\n")));
        text
    }

    /// For Markdown; `plain` takes from a name what would be markup.
    pub fn markdown(&self, plain: impl Fn(&str) -> String) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut text = format!("\n## All levels, in percent\n\n{}", self.grid().markdown(&plain));
        text.extend(self.notices.iter().map(|notice| format!("\n{}\n", plain(notice))));
        text
    }
}

/// The levels of a run's tasks: means over platforms, as their own tables have them.
fn online(manifest: &Manifest, results: &[EpisodeResult]) -> Vec<Offline> {
    let tables = score::by_level(manifest, results, &[score::step_budget(manifest)], Weights::Tasks);
    let part = |table: score::LevelTable| Offline {
        rows: table
            .rows
            .iter()
            .map(|row| {
                let played = row.mean.tasks > 0;
                let share = |value: f64| played.then_some(100.0 * value);
                (row.name.clone(), vec![share(row.mean.sr), share(row.mean.eqa)])
            })
            .collect(),
        columns: vec!["SR".to_owned(), "EQA".to_owned()],
        level: table.level,
        notices: Vec::new(),
    };
    tables.into_iter().map(part).collect()
}
