//! The tables by level as text: for terminals, for Markdown, and for spreadsheets.

use std::collections::HashSet;
use std::fmt::Write as _;

use waldo_devices::count::count;
use waldo_tasks::score::{self, LevelRow, LevelScore, LevelTable, RowSource, Weights};
use waldo_tasks::{EpisodeResult, Manifest, TaskError};

use super::grid::Grid;

/// How the tables by level are made.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct LevelOptions {
    /// Weight the platforms' mean as in the paper's averages (L3: Windows 145, macOS 35, Linux 268, Android 116, Web
    /// 155; L4: 33, 35, 101, 30, 47), with missing values as 0.
    #[arg(long)]
    pub paper_weights: bool,
    /// Show other rows beside: published, the rows of MMBench-GUI's Tables 7 and 8, which were measured on other tasks.
    #[arg(long, value_enum, value_name = "ROWS")]
    pub beside: Option<ReferenceRows>,
}

/// Rows beside those of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReferenceRows {
    /// Those of the paper.
    Published,
}

/// The tables of a run under each of `budgets` and the run's own budget; none where one platform and level are all that
/// there is, and nothing more is asked for.
pub fn tables(
    manifest: &Manifest,
    results: &[EpisodeResult],
    budgets: &[u32],
    options: &LevelOptions,
) -> Result<Vec<LevelTable>, TaskError> {
    let kinds: HashSet<_> = manifest.tasks.iter().map(|task| (task.level.as_str(), task.platform)).collect();
    if !manifest.is_judged() || kinds.len() < 2 && *options == LevelOptions::default() {
        return Ok(Vec::new());
    }
    let mut steps = budgets.to_vec();
    steps.push(score::step_budget(manifest));
    steps.sort_unstable();
    steps.dedup();
    let weights = if options.paper_weights { Weights::Paper } else { Weights::Tasks };
    let mut tables = score::by_level(manifest, results, &steps, weights);
    if options.beside == Some(ReferenceRows::Published) {
        tables.iter_mut().try_for_each(LevelTable::add_published)?;
    }
    Ok(tables)
}

/// SR and EQA in percent, with how many episodes are behind it.
fn cell(cell: Option<&LevelScore>) -> String {
    match cell {
        None => "–".to_owned(),
        Some(LevelScore { n, sr, eqa }) => {
            let n = n.map(|n| format!(" ({n})")).unwrap_or_default();
            format!("{:.1}/{:.1}{n}", 100.0 * sr, 100.0 * eqa)
        }
    }
}

fn mean(row: &LevelRow) -> String {
    match row.mean.tasks {
        0 => "–".to_owned(),
        _ => format!("{:.1}/{:.1}", 100.0 * row.mean.sr, 100.0 * row.mean.eqa),
    }
}

fn name(row: &LevelRow) -> String {
    match row.source {
        RowSource::Run => row.name.clone(),
        RowSource::Published => format!("{} (published, other tasks)", row.name),
    }
}

/// What a table leaves open: platforms that nobody played, or that count as nothing.
fn notes(table: &LevelTable) -> Vec<String> {
    let run = table.rows.iter().filter(|row| row.source == RowSource::Run);
    let mut missing: Vec<&str> = run.flat_map(|row| row.mean.missing.iter().map(String::as_str)).collect();
    missing.sort_unstable();
    missing.dedup();
    let mut notes = Vec::new();
    if !missing.is_empty() {
        notes.push(format!("not played by all: {}", missing.join(", ")));
    }
    let played = table.rows.iter().any(|row| row.source == RowSource::Run);
    let outside = table.columns.iter().filter(|column| column.weight == 0 && played);
    let outside: Vec<&str> = outside.map(|column| column.name.as_str()).collect();
    if !outside.is_empty() {
        notes.push(format!("outside of the mean: {}", outside.join(", ")));
    }
    notes
}

#[derive(Debug, serde::Serialize)]
pub struct LevelView {
    title: String,
    columns: Vec<String>,
    rows: Vec<RowView>,
    notes: Vec<String>,
}

#[derive(Debug, serde::Serialize)]
struct RowView {
    name: String,
    published: bool,
    cells: Vec<String>,
    mean: String,
}

pub fn views(tables: &[LevelTable]) -> Vec<LevelView> {
    let view = |table: &LevelTable| LevelView {
        title: format!("{} within {}", table.level, count(table.max_steps, "step")),
        columns: table.columns.iter().map(|column| column.name.clone()).collect(),
        rows: table
            .rows
            .iter()
            .map(|row| RowView {
                name: row.name.clone(),
                published: row.source == RowSource::Published,
                cells: row.cells.iter().map(|one| cell(one.as_ref())).collect(),
                mean: mean(row),
            })
            .collect(),
        notes: notes(table),
    };
    tables.iter().map(view).collect()
}

/// With the mean as the last column.
fn grid(table: &LevelTable) -> Grid {
    let columns = table.columns.iter().map(|column| column.name.clone());
    let cells = |row: &LevelRow| row.cells.iter().map(|one| cell(one.as_ref())).chain([mean(row)]).collect();
    Grid {
        corner: String::new(),
        columns: columns.chain(["mean".to_owned()]).collect(),
        rows: table.rows.iter().map(|row| (name(row), cells(row))).collect(),
    }
}

pub fn text(tables: &[LevelTable]) -> String {
    let mut out = String::new();
    for table in tables {
        let steps = count(table.max_steps, "step");
        let _ = write!(out, "\n{} within {steps}, SR/EQA in percent (episodes)\n", table.level);
        out.push_str(&grid(table).text());
        for note in notes(table) {
            let _ = writeln!(out, "{note}");
        }
    }
    out
}

/// For Markdown; `plain` takes from a name what would be markup.
pub fn markdown(tables: &[LevelTable], plain: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for table in tables {
        let _ = write!(
            out,
            "\n## {} within {}\n\nSR/EQA in percent, with the number of episodes.\n\n{}",
            table.level,
            count(table.max_steps, "step"),
            grid(table).markdown(&plain)
        );
        for note in notes(table) {
            let _ = writeln!(out, "\n{note}");
        }
    }
    out
}

/// For spreadsheets: a line for each row and platform, the mean as a platform of its own.
pub fn csv(tables: &[LevelTable], field: impl Fn(&str) -> String) -> String {
    let mut out = String::from("level,max_steps,row,source,platform,n,sr,eqa\n");
    for table in tables {
        for row in &table.rows {
            let source = if row.source == RowSource::Run { "run" } else { "published" };
            let head = format!("{},{},{},{source}", table.level, table.max_steps, field(&row.name));
            for (column, cell) in table.columns.iter().zip(&row.cells) {
                if let Some(LevelScore { n, sr, eqa }) = cell {
                    let n = n.map(|n| n.to_string()).unwrap_or_default();
                    let _ = writeln!(out, "{head},{},{n},{sr},{eqa}", column.name);
                }
            }
            if row.mean.tasks > 0 {
                let _ = writeln!(out, "{head},mean,,{},{}", row.mean.sr, row.mean.eqa);
            }
        }
    }
    out
}
