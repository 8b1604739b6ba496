//! The summary as Markdown, for pull requests and job pages.

use std::fmt::Write as _;

use waldo_devices::count::count;
use waldo_tasks::Manifest;
use waldo_tasks::score::ScoreRow;

use super::contestant_kind::ContestantKind;
use super::data::{Data, EpisodeStatus};
use super::words::{self, cut, dollars, grouped, of, percent, percents, seconds};

/// Failed tasks that are listed for each contestant under test.
const LISTED: usize = 30;

pub fn text(manifest: &Manifest, data: &Data<'_>) -> String {
    let mut out = format!("# {}\n\n", plain(&manifest.suite));
    let _ = writeln!(
        out,
        "{}, {}, {}, seed {}, {}waldo {}.\n",
        count(manifest.tasks.len(), "task"),
        count(manifest.repeats, "repeat"),
        match data.mixed {
            Some((least, most)) => format!("budgets of {least} to {most} steps (EQA with t_max {most})"),
            None => format!("budget {}", count(data.budget, "step")),
        },
        manifest.seed,
        manifest.device.as_ref().map(|device| plain(&device.product) + ", ").unwrap_or_default(),
        plain(&manifest.waldo)
    );
    for notice in &data.notices {
        let _ = writeln!(out, "> {}\n", plain(notice));
    }
    if !manifest.is_judged() {
        return out;
    }
    out.push_str("| contestant | n | SR % | 95 % | EQA % | 95 % | steps | tokens | cost | time | invalid | missing |\n");
    out.push_str("|---|--:|--:|:-:|--:|:-:|--:|--:|--:|--:|--:|--:|\n");
    for (contestant, row) in data.contestants.iter().zip(&data.scores.rows) {
        let role = match contestant.standing {
            ContestantKind::Test => "",
            ContestantKind::Ceiling => " (ceiling)",
            ContestantKind::Floor => " (floor)",
            ContestantKind::Replay => " (replay)",
        };
        let described = words::described(&row.contestant).map(|text| format!(" ({})", plain(&text)));
        let described = described.unwrap_or_default();
        let _ = writeln!(
            out,
            "| {}{role}{described} | {} | {} | {} | {} | {} | {} |",
            plain(&contestant.name),
            score_cells(row),
            row.tokens.map_or_else(|| "unknown".to_owned(), grouped),
            row.cost.map_or_else(|| "unknown".to_owned(), dollars),
            of(row.n, || seconds(row.wall_mean)),
            row.invalid,
            row.missing
        );
    }
    out.push_str(
        "\nSR is the success rate; EQA is the mean recall over the shared step budget (101 points, linear). ",
    );
    out.push_str("Intervals are 95 % intervals over tasks.\n");
    for row in data.scores.rows.iter().filter(|row| row.partial.is_some() || row.questions > 0) {
        let partial = row.partial.map(|share| format!(" partial credit {} %", percent(share)));
        let asked = (row.questions > 0).then(|| format!(" {}", count(row.questions, "question")));
        let told: Vec<String> = partial.into_iter().chain(asked).collect();
        let _ = writeln!(out, "\n{}:{}.", plain(&row.contestant.name), told.join(","));
    }
    others(&mut out, data);
    if manifest.suite == waldo_tasks::widgets::SUITE {
        archetypes(&mut out, data);
    }
    for contestant in data.contestants.iter().filter(|c| c.standing == ContestantKind::Test) {
        let failed: Vec<_> = data
            .episodes
            .iter()
            .filter(|e| {
                e.contestant == contestant.index
                    && !matches!(e.state(), EpisodeStatus::Passed | EpisodeStatus::Missing)
            })
            .collect();
        if failed.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n## Not solved by {}\n", plain(&contestant.name));
        for episode in failed.iter().take(LISTED) {
            let why = episode.why();
            let _ = writeln!(
                out,
                "- `{}` r{}: {}{}",
                episode.task.id.replace('`', "'"),
                episode.repeat,
                episode.outcome(),
                if why.is_empty() { String::new() } else { format!(": {}", plain(&cut(&why, 200))) }
            );
        }
        if failed.len() > LISTED {
            let _ = writeln!(out, "- and {} more", failed.len() - LISTED);
        }
    }
    out
}

/// What each archetype of a suite of widgets took.
fn archetypes(out: &mut String, data: &Data<'_>) {
    out.push_str(
        "\n## By archetype\n\n| contestant | archetype | n | solved | without repair | 95 % (Wilson) | steps | calls | tokens | repairs | rejects | invalid |\n|---|---|--:|--:|--:|:-:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in &data.scores.tasks {
        let n = row.n.max(1) as f64;
        let tokens = row.tokens.map_or_else(|| "unknown".to_owned(), |sum| format!("{:.0}", sum as f64 / n));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {tokens} | {} | {} | {} |",
            plain(&row.contestant),
            plain(&row.task),
            row.n,
            row.solved,
            row.solved_first,
            of(row.n, || percents(row.wilson)),
            of(row.n, || format!("{:.1}", row.mean_steps)),
            of(row.n, || format!("{:.1}", row.model_calls as f64 / n)),
            row.repairs,
            words::rejects(row.bad_replies, &row.unread),
            row.invalid
        );
    }
    out.push_str(
        "\nSteps, calls and tokens are means of an episode; repairs are scripts that were asked for again, rejects all replies that could not be used.\n",
    );
}

/// The scores within shorter budgets, and by platform where there are several.
fn others(out: &mut String, data: &Data<'_>) {
    let mut lines: Vec<(String, &ScoreRow)> = Vec::new();
    for (steps, rows) in &data.scores.budgets {
        let name = |row: &ScoreRow| format!("{}, {}", plain(&row.contestant.name), count(*steps, "step"));
        lines.extend(rows.iter().map(|row| (name(row), row)));
    }
    for one in data.scores.platforms.iter().filter(|one| one.platforms.len() > 1) {
        let name = |platform: &str| format!("{}, {platform}", plain(&one.contestant));
        lines.extend(one.platforms.iter().map(|p| (name(p.platform.as_str()), &p.row)));
    }
    if lines.is_empty() {
        return;
    }
    out.push_str(
        "\n| | n | SR % | 95 % | EQA % | 95 % | steps | invalid |\n|---|--:|--:|:-:|--:|:-:|--:|--:|\n",
    );
    for (name, row) in lines {
        let _ = writeln!(out, "| {name} | {} | {} |", score_cells(row), row.invalid);
    }
}

/// Episodes, SR and EQA with their intervals, and steps.
fn score_cells(row: &ScoreRow) -> String {
    let scores = of(row.n, || percent(row.sr)) + " | " + &of(row.n, || percents(row.sr_ci));
    let areas = of(row.n, || percent(row.eqa)) + " | " + &of(row.n, || percents(row.eqa_ci));
    format!("{} | {scores} | {areas} | {}", row.n, of(row.n, || format!("{:.1}", row.mean_steps)))
}

/// Text without what Markdown or HTML would act on, on one line.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // What makes links, mentions and references of it on job pages.
            '@' | '#' => {
                out.push(c);
                out.push('\u{2060}');
            }
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing;

    #[test]
    fn the_table_has_a_line_a_contestant_and_text_stays_text() {
        let (mut manifest, mut results) = testing::run();
        manifest.suite = "a|b <img src=x> [c](d)".into();
        for result in &mut results {
            for check in &mut result.checks {
                check.what = "x | y\n# z".into();
            }
        }
        let text = text(&manifest, &testing::data(&manifest, &results, &[]));
        assert!(text.starts_with("# a\\|b &lt;img src=x&gt; \\[c\\](d)\n"), "{text}");
        assert_eq!(text.lines().filter(|l| l.starts_with("| ")).count(), 1 + manifest.contestants.len());
        assert!(!text.contains("\n# z"));
    }

    #[test]
    fn of_no_episode_there_is_no_rate() {
        let (manifest, mut results) = testing::run();
        let name = manifest.contestants[0].name.clone();
        results.retain(|result| result.key.contestant != name);
        let mut manifest = manifest;
        manifest.tasks[0].platform = waldo_devices::Platform::Android;
        let text = text(&manifest, &testing::data(&manifest, &results, &[2]));
        let lines: Vec<&str> =
            text.lines().filter(|line| line.starts_with(&format!("| {}", plain(&name)))).collect();
        assert!(lines.len() >= 4, "its row, its budget's and its platforms': {text}");
        for line in lines {
            assert!(line.contains("| 0 | \u{2013} | \u{2013} | \u{2013} | \u{2013} | \u{2013} |"), "{line}");
        }
    }
}
