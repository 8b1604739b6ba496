//! Scores as tables: for terminals, for Markdown, for programs.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};
use waldo_offline::{
    Difficulty, Grounding, L1Scores, L2Cell, L2Split, OfflineError, OfflinePlatform, PublishedRow, published,
};

use super::bench::{Bench, Items, Level};
use super::blind::Blind;
use super::scores::LevelRow;
use crate::report::grid::Grid;
use crate::report::levels::ReferenceRows;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowSource {
    Run,
    Bound,
    Chance,
    Published,
}

#[derive(Clone, Debug, Serialize)]
pub struct TableRow {
    pub name: String,
    pub source: RowSource,
    pub cells: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Table {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<TableRow>,
}

fn source(row: &LevelRow) -> RowSource {
    if Blind::of(&row.contestant.agent).is_some() { RowSource::Bound } else { RowSource::Run }
}

const NONE: &str = "–";

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{value:.1}"))
}

/// The tables of a run: one over all, and one for each split.
pub fn tables(
    bench: &Bench,
    rows: &[LevelRow],
    beside: Option<ReferenceRows>,
) -> Result<Vec<Table>, OfflineError> {
    let published = match beside {
        Some(ReferenceRows::Published) => published(bench.level.title())?,
        None => Vec::new(),
    };
    Ok(match bench.level {
        Level::L1 => l1(bench, rows, &published),
        Level::L2 => l2(bench, rows, &published),
    })
}

/// The share of right answers that chance gives, 0 to 1; of the items that `only` takes.
fn chance(bench: &Bench, only: &dyn Fn(usize) -> bool) -> Option<f64> {
    let shares: Vec<f64> = match &bench.items {
        Items::L1(all) => all
            .iter()
            .enumerate()
            .filter(|(at, _)| only(*at))
            .map(|(_, question)| {
                let m = question.options.len() as f64;
                if bench.reading.circular { m.powf(-m) } else { 1.0 / m }
            })
            .collect(),
        Items::L2(all) => {
            all.iter().enumerate().filter(|(at, _)| only(*at)).map(|(_, item)| item.area()).collect()
        }
    };
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

fn cost(row: &LevelRow) -> [String; 3] {
    let tokens = row.usage.prompt.map(|prompt| prompt + row.usage.completion.unwrap_or_default());
    [
        tokens.map_or_else(|| NONE.to_owned(), crate::report::grouped),
        row.usage.micro_usd.map_or_else(|| NONE.to_owned(), |cost| format!("{:.4}", cost as f64 / 1e6)),
        format!("{:.2}", row.median_seconds),
    ]
}

fn title(bench: &Bench, rest: &str) -> String {
    let how = if bench.reading.circular { ", circular" } else { "" };
    format!("{} {rest}{how}, in percent", bench.level.title())
}

fn l1(bench: &Bench, rows: &[LevelRow], published: &[PublishedRow]) -> Vec<Table> {
    let Items::L1(questions) = &bench.items else { return Vec::new() };
    let there: Vec<Difficulty> =
        Difficulty::ALL.into_iter().filter(|d| questions.iter().any(|q| q.difficulty == *d)).collect();
    let level = |scores: &Option<L1Scores>, difficulty: &Difficulty| {
        number(scores.as_ref().and_then(|s| s.splits.get(difficulty)).map(|split| 100.0 * split.level_score))
    };
    let mut overall = Table { title: title(bench, "by difficulty"), columns: Vec::new(), rows: Vec::new() };
    overall.columns.extend(there.iter().map(|difficulty| difficulty.name().to_owned()));
    overall.columns.extend(there.iter().map(|difficulty| format!("{} weighted", difficulty.name())));
    overall.columns.extend(["no letter", "n", "invalid", "tokens", "USD", "s/answer"].map(str::to_owned));
    for row in rows {
        let mut cells: Vec<String> = there.iter().map(|d| level(&row.l1, d)).collect();
        cells.extend(there.iter().map(|d| level(&row.l1_weighted, d)));
        cells.extend([row.unread, row.n, row.invalid].map(|n| n.to_string()));
        cells.extend(cost(row));
        overall.rows.push(TableRow { name: row.contestant.name.clone(), source: source(row), cells });
    }
    let mut all = vec![overall];
    for difficulty in there {
        let cells = |row: &LevelRow| {
            let split = row.l1.as_ref().and_then(|scores| scores.splits.get(&difficulty));
            let platform = |p| split.and_then(|s| s.platforms.get(&p)).map(|cell| 100.0 * cell.score);
            let by_platform = bench.platforms().into_iter().map(platform);
            by_platform.chain([split.map(|split| 100.0 * split.level_score)]).collect()
        };
        let of = |at: usize| Some(&questions[at]).filter(|q| q.difficulty == difficulty).map(|q| q.platform);
        all.push(split_table(bench, rows, published, difficulty.name(), &["overall"], &cells, &of));
    }
    all
}

fn l2(bench: &Bench, rows: &[LevelRow], published: &[PublishedRow]) -> Vec<Table> {
    let Items::L2(items) = &bench.items else { return Vec::new() };
    let mut overall = Table { title: title(bench, "overall"), columns: Vec::new(), rows: Vec::new() };
    overall.columns.extend(
        ["average", "basic", "advanced", "no point", "n", "invalid", "tokens", "USD", "s/answer"]
            .map(str::to_owned),
    );
    for row in rows {
        let Some(scores) = &row.l2 else { continue };
        let mut cells: Vec<String> = [scores.average, scores.basic, scores.advanced].map(number).to_vec();
        let cells_of = scores.splits.values().flat_map(L2Split::values);
        let wrong: usize = cells_of.map(|cell| cell.wrong_format).sum();
        cells.extend([wrong, row.n, row.invalid].map(|n| n.to_string()));
        cells.extend(cost(row));
        overall.rows.push(TableRow { name: row.contestant.name.clone(), source: source(row), cells });
    }
    let mut all = vec![overall];
    for grounding in Grounding::ALL {
        if !items.iter().any(|item| item.grounding == grounding) {
            continue;
        }
        let cells = |row: &LevelRow| {
            let split = row.l2.as_ref().and_then(|scores| scores.splits.get(&grounding));
            let platform = |p| split.and_then(|s| s.get(&p)).map(|cell| cell.accuracy);
            bench.platforms().into_iter().map(platform).chain(over_all(split)).collect()
        };
        let of = |at: usize| Some(&items[at]).filter(|i| i.grounding == grounding).map(|item| item.platform);
        let more = ["overall", "icons", "texts"];
        all.push(split_table(bench, rows, published, grounding.name(), &more, &cells, &of));
    }
    all
}

/// Accuracies of a split over all platforms: of all, of icons, of texts.
fn over_all(split: Option<&L2Split>) -> [Option<f64>; 3] {
    let mean = |share: &dyn Fn(&L2Cell) -> Option<(f64, usize)>| {
        let parts: Vec<(f64, usize)> = split?.values().filter_map(share).collect();
        let n: usize = parts.iter().map(|(_, n)| n).sum();
        (n > 0).then(|| parts.iter().map(|(accuracy, n)| accuracy * *n as f64).sum::<f64>() / n as f64)
    };
    [
        mean(&|cell| Some((cell.accuracy, cell.total))),
        mean(&|cell| Some((cell.icon_accuracy?, cell.icons))),
        mean(&|cell| Some((cell.text_accuracy?, cell.texts))),
    ]
}

/// The table of a split: the cells of each row by platform and over all, what chance gives, and what is published. `of` says
/// the platform of an item of the split.
fn split_table(
    bench: &Bench,
    rows: &[LevelRow],
    published: &[PublishedRow],
    split: &str,
    more: &[&str],
    cells: &dyn Fn(&LevelRow) -> Vec<Option<f64>>,
    of: &dyn Fn(usize) -> Option<OfflinePlatform>,
) -> Table {
    let platforms = bench.platforms();
    let titles = platforms.iter().map(|platform| platform.title());
    let columns: Vec<String> = titles.chain(more.iter().copied()).map(str::to_owned).collect();
    let row = |name: &str, source: RowSource, values: Vec<Option<f64>>| {
        let mut cells: Vec<String> = values.into_iter().map(number).collect();
        cells.resize(columns.len(), NONE.to_owned());
        TableRow { name: name.to_owned(), source, cells }
    };
    let chance = |platform: Option<OfflinePlatform>| {
        let only = |at: usize| of(at).is_some_and(|p| platform.is_none_or(|wanted| p == wanted));
        chance(bench, &only).map(|share| 100.0 * share)
    };
    let by_chance = platforms.iter().copied().map(Some).chain([None]).map(chance).collect();
    let place = |platform: &OfflinePlatform| OfflinePlatform::ALL.iter().position(|one| one == platform);
    let told = |found: &PublishedRow| {
        let by_platform = platforms.iter().map(|p| place(p).and_then(|at| found.platforms.get(at)).copied());
        row(&found.model, RowSource::Published, by_platform.chain([found.overall]).collect())
    };
    let mut all: Vec<TableRow> =
        rows.iter().map(|one| row(&one.contestant.name, source(one), cells(one))).collect();
    all.push(row("chance", RowSource::Chance, by_chance));
    all.extend(published.iter().filter(|one| one.split == split).map(told));
    Table { title: title(bench, split), rows: all, columns }
}

pub fn shown_name(row: &TableRow) -> String {
    match row.source {
        RowSource::Run | RowSource::Bound | RowSource::Chance => row.name.clone(),
        RowSource::Published => format!("{} (published)", row.name),
    }
}

impl Table {
    fn grid(&self) -> Grid {
        let rows = self.rows.iter().map(|row| (shown_name(row), row.cells.clone()));
        Grid { corner: self.title.clone(), columns: self.columns.clone(), rows: rows.collect() }
    }
}

pub fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in tables {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&table.grid().text());
    }
    out
}

pub fn markdown(bench: &Bench, tables: &[Table]) -> String {
    let plain = |text: &str| text.replace('|', "\\|").replace('<', "&lt;");
    let mut out = String::new();
    if let Some(line) = bench.rewritten_line() {
        let _ = write!(out, "{}.\n\n", plain(&line));
    }
    for table in tables {
        let _ = writeln!(out, "## {}\n\n{}", plain(&table.title), table.grid().markdown(plain));
    }
    out
}

/// For programs: the rows with all their scores, and what chance gives over all items.
pub fn json(bench: &Bench, rows: &[LevelRow]) -> Value {
    json!({
        "level": bench.level.title(),
        "mode": bench.mode,
        "items": bench.len(),
        "circular": bench.reading.circular,
        "letters": bench.reading.letters.name(),
        "points": bench.reading.points.name(),
        "chance": chance(bench, &|_| true),
        "rewritten": bench.rewritten(),
        "rows": rows,
    })
}
