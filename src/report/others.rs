//! The smaller score tables of the page: by platform, and steps by screen.

use std::collections::BTreeSet;

use serde::Serialize;
use waldo_tasks::score::ScoreRow;

use super::data::Data;
use super::words::{of, percent, percents};

#[derive(Debug, Serialize)]
pub(super) struct ContestantTable {
    title: String,
    rows: Vec<ContestantRow>,
}

#[derive(Debug, Serialize)]
struct ContestantRow {
    name: String,
    sr: String,
    sr_ci: String,
    eqa: String,
    eqa_ci: String,
    steps: String,
    n: usize,
    invalid: usize,
}

impl ContestantRow {
    fn of(name: String, row: &ScoreRow) -> Self {
        Self {
            name,
            sr: of(row.n, || percent(row.sr)),
            sr_ci: of(row.n, || percents(row.sr_ci)),
            eqa: of(row.n, || percent(row.eqa)),
            eqa_ci: of(row.n, || percents(row.eqa_ci)),
            steps: of(row.n, || format!("{:.1}", row.mean_steps)),
            n: row.n,
            invalid: row.invalid,
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct StepsByScreen {
    columns: Vec<String>,
    rows: Vec<(String, Vec<u64>)>,
}

pub(super) fn screens(data: &Data<'_>) -> Option<StepsByScreen> {
    let names: BTreeSet<&String> = data.scores.rows.iter().flat_map(|row| row.screens.on.keys()).collect();
    let line = |row: &ScoreRow| {
        let mut steps: Vec<u64> =
            names.iter().map(|name| row.screens.on.get(*name).copied().unwrap_or(0)).collect();
        steps.push(row.screens.switching);
        (row.contestant.name.clone(), steps)
    };
    let rows: Vec<_> = data.scores.rows.iter().filter(|row| !row.screens.is_empty()).map(line).collect();
    let switching = "switching".to_owned();
    let columns = names.iter().map(|name| (*name).clone()).chain([switching]).collect();
    (!rows.is_empty()).then_some(StepsByScreen { columns, rows })
}

pub(super) fn tables(data: &Data<'_>) -> Vec<ContestantTable> {
    let mut all = Vec::new();
    if data.scores.platforms.iter().any(|one| one.platforms.len() > 1) {
        let mut rows = Vec::new();
        for one in &data.scores.platforms {
            for part in &one.platforms {
                rows.push(ContestantRow::of(
                    format!("{} · {}", one.contestant, part.platform.as_str()),
                    &part.row,
                ));
            }
            let n = one.platforms.iter().map(|part| part.row.n).sum();
            rows.push(ContestantRow {
                name: format!("{} · mean by tasks", one.contestant),
                sr: of(n, || percent(one.suite.sr)),
                sr_ci: String::new(),
                eqa: of(n, || percent(one.suite.eqa)),
                eqa_ci: String::new(),
                steps: String::new(),
                n,
                invalid: one.platforms.iter().map(|part| part.row.invalid).sum(),
            });
        }
        all.push(ContestantTable { title: "By platform".to_owned(), rows });
    }
    all
}

#[cfg(test)]
mod tests {
    use waldo_devices::Platform;

    use super::*;
    use crate::report::testing;

    #[test]
    fn platforms_have_a_table_of_their_own() {
        let (mut manifest, results) = testing::run();
        assert!(tables(&testing::data(&manifest, &results, &[2, 3])).is_empty());
        manifest.tasks[1].platform = Platform::Android;
        let all = tables(&testing::data(&manifest, &results, &[2, 3]));
        let titles: Vec<&str> = all.iter().map(|t| t.title.as_str()).collect();
        assert_eq!(titles, ["By platform"]);
        assert_eq!(all[0].rows.len(), 9);
    }
}
