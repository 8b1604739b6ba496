//! Score tables as text, the same for every command that shows one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use waldo_devices::count::count;
use waldo_tasks::score::{self, ScoreRow, TaskRow};
use waldo_tasks::{Contestant, EpisodeResult, Manifest, Outcome, RunFolder};

use super::{CliError, Result};
use crate::report::grid::Grid;
use crate::report::levels;
use crate::report::wording;
use crate::report::{self, ReportError, ReportFiles, ReportOptions, Scores};

/// Reasons of invalid episodes that are listed.
const REASONS: usize = 12;

/// Repeats from which on the text tells the score of each task.
const MANY: u32 = 10;

pub struct Tables {
    scores: Scores,
    /// Whether repeats are so many that each task has a score of its own.
    many: bool,
    invalid: Vec<Reason>,
    agent_failed: Vec<Reason>,
    /// Why models' replies could not be read.
    unread: Vec<String>,
    wording: Vec<String>,
    t_max: u32,
    /// The same in words, where tasks have budgets of their own.
    mixed: Option<String>,
    /// Tasks that their own reference did not solve.
    unsolved: Vec<String>,
    /// The agents' own words, where there is nothing else to tell.
    claims: Option<Vec<String>>,
}

/// Why episodes are invalid, or their agents failed.
#[derive(Debug, PartialEq, Eq, serde::Serialize)]
struct Reason {
    reason: String,
    episodes: usize,
    first: String,
}

impl Tables {
    /// Of a run, and beside that within each of the options' budgets.
    pub fn of(manifest: &Manifest, results: &[EpisodeResult], options: &ReportOptions) -> Result<Self> {
        Ok(Self::new(manifest, results, scores(manifest, results, options)?, None))
    }

    /// The same, and the run's report in the folder `out`.
    ///
    /// # Errors
    /// As [`Self::of`], before anything is written. That there is no report is no error of the tables.
    pub fn with_report(
        folder: &RunFolder,
        results: &[EpisodeResult],
        out: &Path,
        options: &ReportOptions,
    ) -> Result<(Self, Result<ReportFiles, ReportError>)> {
        let manifest = &folder.manifest;
        let scores = scores(manifest, results, options)?;
        let files = report::write_scored(folder, results, &scores, out, &options.offline);
        Ok((Self::new(manifest, results, scores, None), files))
    }

    /// Of a run with these scores; with a `budget`, as if each episode had been stopped after so many steps.
    pub fn new(manifest: &Manifest, results: &[EpisodeResult], scores: Scores, budget: Option<u32>) -> Self {
        Self {
            scores: match budget {
                Some(budget) => scores.within(manifest, results, budget),
                None => scores,
            },
            many: manifest.repeats >= MANY,
            invalid: reasons(results, |result| match &result.outcome {
                Outcome::Invalid { reason } => Some(reason),
                _ => None,
            }),
            agent_failed: reasons(results, |result| {
                result.claim.as_deref().filter(|_| result.outcome == Outcome::AgentFailed)
            }),
            unread: super::unread::lines(manifest, results),
            wording: wording::lines(manifest),
            t_max: budget.unwrap_or_else(|| score::step_budget(manifest)),
            mixed: if budget.is_none() { mixed(manifest) } else { None },
            unsolved: if manifest.is_judged() { unsolved(manifest, results) } else { Vec::new() },
            claims: (!manifest.is_judged()).then(|| results.iter().map(claim).collect()),
        }
    }

    pub fn has_invalid(&self) -> bool {
        self.scores.rows.iter().any(|row| row.invalid > 0)
    }

    pub fn text(&self) -> String {
        if let Some(claims) = &self.claims {
            return format!(
                "nothing was checked; how each episode ended, with what the agent said:\n{}",
                claims.concat()
            );
        }
        let mut text = self.mixed.clone().unwrap_or_default();
        text += &table(&self.scores.rows);
        text.push_str(&self.who());
        for row in self.scores.rows.iter().filter(|row| !row.screens.is_empty()) {
            let _ = writeln!(text, "steps by screen, {}: {}", one_line(&row.contestant.name), row.screens);
        }
        for row in &self.scores.rows {
            let name = one_line(&row.contestant.name);
            if let Some(partial) = row.partial {
                let _ = writeln!(
                    text,
                    "partial credit of tasks with checkpoints, {name}: {:.1} %",
                    partial * 100.0
                );
            }
            if row.questions > 0 {
                let _ = writeln!(text, "questions to the tasks' persons, {name}: {}", row.questions);
            }
        }
        for row in self.scores.rows.iter().filter(|row| row.assisted > 0) {
            let (name, count) = (one_line(&row.contestant.name), row.assisted);
            let _ = writeln!(text, "assisted by a person and not scored, {name}: {count}");
        }
        for row in self.scores.rows.iter().filter(|row| row.contestant.has_own_hands()) {
            let name = one_line(&row.contestant.name);
            let _ = writeln!(
                text,
                "own hands, {name}: its scripts make no steps, and only the guard on origins applies to them"
            );
        }
        for (budget, rows) in &self.scores.budgets {
            let _ = writeln!(text, "\nwithin {}", count(*budget, "step"));
            text.push_str(&table(rows));
        }
        text.push_str(&levels::text(&self.scores.levels));
        if self.many {
            text.push_str(&by_task(&self.scores.tasks));
        }
        for line in self.unread.iter().chain(&self.wording) {
            let _ = write!(text, "\n{line}\n");
        }
        if !self.unsolved.is_empty() {
            let more = self.unsolved.len().saturating_sub(REASONS);
            let shown = self.unsolved.get(..REASONS).unwrap_or(&self.unsolved).join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = write!(
                text,
                "\nwarning: the reference did not solve {shown}{more}: scores on these tasks cannot be trusted\n"
            );
        }
        for (what, all) in [
            ("the agent itself failed, scored 0", &self.agent_failed),
            ("invalid, not scored", &self.invalid),
        ] {
            if all.is_empty() {
                continue;
            }
            let _ = writeln!(text, "\n{what}:");
            for Reason { reason, episodes, first } in all.iter().take(REASONS) {
                let _ = writeln!(text, "  {episodes:>4} x {reason} ({first})");
            }
            if let Some(more) = all.len().checked_sub(REASONS).filter(|more| *more > 0) {
                let _ = writeln!(text, "  and {} in results.csv", count(more, "further reason"));
            }
        }
        text
    }

    /// What the rows are whose names do not tell.
    fn who(&self) -> String {
        let mut text = String::new();
        for Contestant { name, agent, model } in self.scores.rows.iter().map(|row| &row.contestant) {
            if Contestant::new(agent, model.as_deref()).name != *name {
                let with = model.as_deref().map(|model| format!(" with {model}")).unwrap_or_default();
                let _ = writeln!(text, "{}: {}", one_line(name), one_line(&format!("{agent}{with}")));
            }
        }
        text
    }

    /// For programs, to be merged into what a command prints.
    pub fn json(&self) -> Value {
        let budgets = self.scores.budgets.iter();
        let budgets: Vec<Value> =
            budgets.map(|(steps, rows)| json!({ "max_steps": steps, "table": rows })).collect();
        let judged = self.claims.is_none();
        let mut said = json!({
            "judged": judged,
            "t_max": self.t_max,
            "table": self.scores.rows,
            "platforms": self.scores.platforms,
            "levels": self.scores.levels,
            "budgets": budgets,
            "tasks": self.scores.tasks,
            "invalid": self.invalid,
            "agent_failed": self.agent_failed,
            "unread": self.unread,
            "wording": self.wording,
            "reference_below_one": self.unsolved,
        });
        if !judged {
            report::unscored(&mut said);
        }
        said
    }
}

pub fn scores(manifest: &Manifest, results: &[EpisodeResult], options: &ReportOptions) -> Result<Scores> {
    check_budgets(&options.budgets, score::step_budget(manifest))?;
    Ok(Scores::of(manifest, results, options)?)
}

pub fn budget(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(steps) if steps > 0 => Ok(steps),
        _ => Err(format!(
            "'{text}' is not a number of steps: give whole numbers above 0, such as --budgets 15,50"
        )),
    }
}

/// Refuses a budget that says more than the run can tell.
pub fn check_budgets(budgets: &[u32], own: u32) -> Result<()> {
    match budgets.iter().find(|budget| **budget > own) {
        None => Ok(()),
        Some(budget) => Err(CliError::Input(format!(
            "--budgets {budget}: the run has {} per episode, and the effect of further ones is \
             unknown; play it with --max-steps {budget}",
            count(own, "step")
        ))),
    }
}

/// What t_max is where the tasks' own budgets differ.
fn mixed(manifest: &Manifest) -> Option<String> {
    score::mixed_budgets(manifest).map(|(least, most)| {
        format!("t_max {most}, the largest of the tasks' own budgets ({least} to {most} steps): EQA counts all with it\n")
    })
}

/// The budgets that the suite of a run declares for its tables, below the run's own.
pub fn declared_budgets(manifest: &Manifest) -> Vec<u32> {
    let most = score::step_budget(manifest);
    let declared = manifest.parameters["budgets"].as_array().into_iter().flatten();
    let declared = declared.filter_map(|budget| u32::try_from(budget.as_u64()?).ok());
    declared.filter(|budget| (1..most).contains(budget)).collect()
}

/// Episodes of the agent reference that are not a full success, unless the reference was told to do something else.
fn unsolved(manifest: &Manifest, results: &[EpisodeResult]) -> Vec<String> {
    if manifest.parameters["widgets_control"].as_str().is_some_and(|control| control != "oracle") {
        return Vec::new();
    }
    let references = manifest.contestants.iter().filter(|who| who.agent == "reference");
    let names: Vec<&str> = references.map(|who| who.name.as_str()).collect();
    let fails =
        |r: &&EpisodeResult| names.contains(&r.key.contestant.as_str()) && !r.is_invalid() && r.falls_short();
    results.iter().filter(fails).map(|r| format!("{}/r{}", r.key.task, r.key.repeat)).collect()
}

fn reasons(results: &[EpisodeResult], why: impl Fn(&EpisodeResult) -> Option<&str>) -> Vec<Reason> {
    let mut found: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for result in results {
        if let Some(reason) = why(result) {
            found.entry(reason).or_insert_with(|| (0, result.key.to_string())).0 += 1;
        }
    }
    let mut found: Vec<Reason> = found
        .into_iter()
        .map(|(reason, (episodes, first))| Reason { reason: one_line(reason), episodes, first })
        .collect();
    found.sort_by_key(|reason| std::cmp::Reverse(reason.episodes));
    found
}

/// How an episode ended that nothing checked, on a line.
fn claim(result: &EpisodeResult) -> String {
    let said = result.claim.as_deref().map(|claim| format!(": {}", one_line(claim))).unwrap_or_default();
    format!("  {}: {} after {}{said}\n", result.key, result.outcome.name(), count(result.steps, "step"))
}

/// Reasons may quote pages and endpoints: on one line, without what drives a terminal.
fn one_line(text: &str) -> String {
    crate::out::plain(text, 300).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn table(rows: &[ScoreRow]) -> String {
    // A column is as wide as its head at least.
    let heads = "agent     |    n|     SR|           95 %|   EQA|           95 %| EQAstep|EQAexact|steps|invalid|missing";
    let mut heads = heads.split('|').map(str::to_owned);
    let corner = heads.next().unwrap_or_default();
    let rows = rows.iter().map(|row| {
        // Of nothing there is no rate.
        let rate = |told: std::fmt::Arguments<'_>| report::of(row.n, || told.to_string());
        let cells = vec![
            row.n.to_string(),
            rate(format_args!("{:.1}%", 100.0 * row.sr)),
            rate(format_args!("{:.1}-{:.1}%", 100.0 * row.sr_ci.0, 100.0 * row.sr_ci.1)),
            rate(format_args!("{:.4}", row.eqa)),
            rate(format_args!("{:.3}-{:.3}", row.eqa_ci.0, row.eqa_ci.1)),
            rate(format_args!("{:.4}", row.eqa_step)),
            rate(format_args!("{:.4}", row.eqa_exact)),
            rate(format_args!("{:.1}", row.mean_steps)),
            row.invalid.to_string(),
            row.missing.to_string(),
        ];
        (row.contestant.name.clone(), cells)
    });
    Grid { corner, rows: rows.collect(), columns: heads.collect() }.text()
}

fn by_task(rows: &[TaskRow]) -> String {
    let width = rows.iter().map(|row| row.task.chars().count()).max().unwrap_or(0).max(4);
    let who = rows.iter().map(|row| row.contestant.chars().count()).max().unwrap_or(0).max(5);
    let mut text = format!(
        "\n{:<who$}  {:<width$}  {:>5}  {:>6}  {:>15}  {:>5}  {:>7}",
        "agent", "task", "n", "solved", "95 % (Wilson)", "steps", "invalid"
    );
    // Of agents without a model there is nothing to tell.
    let asked = rows.iter().any(|row| row.model_calls > 0);
    if asked {
        let _ = write!(text, "  {:>5}  {:>7}  {:>7}  {:>7}", "calls", "tokens", "repairs", "rejects");
    }
    text.push('\n');
    for row in rows {
        let _ = write!(
            text,
            "{:<who$}  {:<width$}  {:>5}  {:>6}  {:>15}  {:>5}  {:>7}",
            row.contestant,
            row.task,
            row.n,
            row.solved,
            report::of(row.n, || format!("{:.1}-{:.1}%", 100.0 * row.wilson.0, 100.0 * row.wilson.1)),
            report::of(row.n, || format!("{:.1}", row.mean_steps)),
            row.invalid
        );
        if asked {
            let n = row.n.max(1) as f64;
            let tokens = row.tokens.map_or_else(|| "-".to_owned(), |sum| format!("{:.0}", sum as f64 / n));
            let calls = row.model_calls as f64 / n;
            let _ = write!(text, "  {calls:>5.1}  {tokens:>7}  {:>7}  {:>7}", row.repairs, row.bad_replies);
            if !row.unread.is_empty() {
                let _ = write!(text, "  {}", report::kinds_of(&row.unread));
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use waldo_devices::Platform;

    use super::*;
    use crate::report::testing;

    fn tables(manifest: &Manifest, results: &[EpisodeResult], budgets: &[u32]) -> Tables {
        let options = ReportOptions { budgets: budgets.to_vec(), ..ReportOptions::default() };
        Tables::of(manifest, results, &options).unwrap()
    }

    #[test]
    fn platforms_budgets_and_reasons_are_told() {
        let (mut manifest, mut results) = testing::run();
        let plain = tables(&manifest, &results, &[]).text();
        assert!(!plain.contains("within"), "{plain}");
        let by_level = |manifest: &Manifest| {
            let all = levels::tables(manifest, &results, &[2], &levels::LevelOptions::default()).unwrap();
            levels::text(&all)
        };
        assert_eq!(by_level(&manifest), "");
        manifest.tasks[0].platform = Platform::Android;
        assert!(by_level(&manifest).contains("android") && by_level(&manifest).contains("L3 within 2 steps"));
        for result in results.iter_mut().take(2) {
            result.outcome = Outcome::Invalid { reason: "the browser\nis \u{1b}[31mgone".into() };
        }
        let two = tables(&manifest, &results, &[2]);
        let text = two.text();
        assert!(two.has_invalid());
        assert!(text.contains("within 2 steps"), "{text}");
        assert!(text.contains("2 x the browser is [31mgone"), "{text}");
        let json = two.json();
        assert_eq!(json["budgets"][0]["max_steps"], 2);
        assert!(json["invalid"][0]["episodes"].as_u64().unwrap() >= 2);
    }

    #[test]
    fn of_nothing_there_is_no_rate_and_a_failing_reference_is_a_warning() {
        let (mut manifest, mut results) = testing::run();
        let name = manifest.contestants[0].name.clone();
        results.retain(|result| result.key.contestant != name);
        let text = tables(&manifest, &results, &[]).text();
        let line = text.lines().find(|line| line.starts_with(&name)).unwrap();
        assert!(line.contains('\u{2013}') && !line.contains('%'), "{line}");
        manifest.contestants[0] = waldo_tasks::Contestant::new("reference", None);
        let mut failed = results[0].clone();
        (failed.key.contestant, failed.success) = ("reference".into(), Some(0.0));
        results.push(failed);
        manifest.suite_hash = "x".into();
        let text = tables(&manifest, &results, &[]).text();
        assert!(text.contains("warning: the reference did not solve"), "{text}");
    }

    #[test]
    fn a_budget_is_a_number_of_steps_within_the_runs_own() {
        assert_eq!((budget("15"), budget(" 50")), (Ok(15), Ok(50)));
        for bad in ["x", "", "0", "-1", "1.5"] {
            let message = budget(bad).unwrap_err();
            assert!(
                message.contains(&format!("'{bad}'")) && message.contains("--budgets 15,50"),
                "{message}"
            );
        }
        assert!(check_budgets(&[15, 50], 50).is_ok());
        let message = check_budgets(&[15, 50], 20).unwrap_err().to_string();
        assert!(message.contains("--max-steps 50"), "{message}");
    }
}
