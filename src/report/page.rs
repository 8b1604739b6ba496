//! What the page shows before anything is opened: scores, curve, categories and tasks, as markup.
//!
//! Invariant: every text goes through the template's escaping; only drawings of this module's own
//! making, the style sheet and the script are taken as they are.

use std::collections::HashMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value as View, context};
use serde::Serialize;
use sha2::{Digest, Sha256};
use waldo_devices::count::{count, either};
use waldo_tasks::Manifest;
use waldo_tasks::record::CheckResult;
use waldo_tasks::score::{ScoreRow, eq1};

use super::contestant_kind::ContestantKind;
use super::data::{ContestantView, Data, EpisodeStatus, ReportEpisode};
use super::pictures::PictureCount;
use super::words::{self, NONE, dollars, grouped, of, percent, percents, seconds};
use super::{curve, levels, others};

const TEMPLATE: &str = include_str!("assets/report.html.j2");
pub const CSS: &str = include_str!("assets/report.css");
const JS: &str = include_str!("assets/report.js");
/// Where the data goes; no escaped text can hold it.
pub(super) const DATA: &str = "<!--data-->";

#[derive(Serialize)]
struct RowView<'a> {
    name: &'a str,
    described: Option<String>,
    standing: ContestantKind,
    colour: usize,
    row: &'a ScoreRow,
    sr: String,
    sr_ci: String,
    sr_bar: String,
    eqa: String,
    eqa_ci: String,
    eqa_bar: String,
    /// Success rate, EQA and its interval within each shorter budget.
    within: Vec<[String; 3]>,
    eqa_step: String,
    eqa_exact: String,
    eq1: String,
    steps: String,
    partial: String,
    tokens: String,
    cost: String,
    wall: String,
    apart: String,
    /// What the replies that could not be used were.
    rejects: String,
}

#[derive(Serialize)]
struct TaskView<'a> {
    id: &'a str,
    title: &'a str,
    category: &'a str,
    level: &'a str,
    platform: &'static str,
    infeasible: bool,
    max_steps: u32,
    unproven: bool,
    cells: Vec<Vec<Chip>>,
}

#[derive(Serialize)]
struct Chip {
    episode: usize,
    anchor: String,
    state: EpisodeStatus,
    mark: &'static str,
    text: String,
    label: String,
}

#[derive(Serialize)]
struct CategoryView<'a> {
    name: &'a str,
    tasks: usize,
    cells: Vec<Option<CellText>>,
}

#[derive(Serialize)]
struct CellText {
    sr: String,
    n: usize,
    level: usize,
}

pub(super) struct PageEpisodes {
    pub pictures: PictureCount,
    /// Where their steps lie, seen from the page; none when they are in it.
    pub beside: Option<String>,
    /// How many episodes are in the page, and how many there are, where they do not all fit.
    pub left_out: Option<(usize, usize)>,
    /// The address of the last picture, where there is but one episode.
    pub poster: Option<String>,
}

/// A run of one episode, for the page's head.
#[derive(Serialize)]
struct Lead<'a> {
    goal: &'a str,
    task: &'a str,
    who: &'a str,
    described: Option<String>,
    chip: Chip,
    outcome: &'static str,
    claim: Option<String>,
    facts: Vec<(&'static str, String)>,
    checks: Vec<&'a CheckResult>,
    poster: Option<&'a str>,
}

/// A single episode leads its page, in place of tables of one row; where tables were asked for they are there instead.
fn lead<'a>(data: &'a Data<'_>, shown: &'a PageEpisodes) -> Option<Lead<'a>> {
    if !data.scores.budgets.is_empty() || !data.across.is_empty() {
        return None;
    }
    let episode = data.single()?;
    let result = episode.result?;
    let who = data.contestants.get(episode.contestant)?;
    let row = data.scores.rows.get(episode.contestant)?;
    let time = |time: Duration| seconds(time.as_secs_f64());
    let mut facts =
        vec![("steps", format!("{} of {}", result.steps, result.max_steps)), ("time", time(result.wall))];
    if !result.deciding.is_zero() {
        let name = if result.model_calls > 0 { "of it the model" } else { "of it deciding" };
        facts.push((name, time(result.deciding)));
    }
    if !result.on_device.is_zero() {
        facts.push(("of it the device", time(result.on_device)));
    }
    if result.model_calls > 0 {
        facts.push(("calls", result.model_calls.to_string()));
        facts.push(("tokens", row.tokens.map_or_else(|| "unknown".to_owned(), grouped)));
        facts.push(("cost", row.cost.map_or_else(|| "unknown".to_owned(), dollars)));
    }
    let counts =
        [("bad replies", result.bad_replies), ("refused", result.refused), ("questions", result.questions)];
    facts.extend(counts.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name, n.to_string())));
    facts.extend(result.partial.map(|share| ("partial credit, %", percent(share))));
    Some(Lead {
        goal: &episode.task.title,
        task: &episode.task.id,
        who: &who.name,
        described: words::described(&row.contestant),
        chip: chip(0, &who.name, episode),
        outcome: episode.outcome(),
        claim: result.claim.as_deref().map(|claim| words::cut(claim, 600)),
        facts,
        checks: result.checks.iter().collect(),
        poster: shown.poster.as_deref(),
    })
}

/// The page with [`DATA`] where its data blocks go.
pub(super) fn page(
    manifest: &Manifest,
    data: &Data<'_>,
    shown: &PageEpisodes,
) -> Result<String, minijinja::Error> {
    let mut notices = data.notices.clone();
    if let Some((some, all)) = shown.left_out {
        notices.push(format!(
            "The steps of {some} of {} are in this page, failures first; those of the others are in the report in the run folder.",
            count(all, "episode")
        ));
    }
    if shown.pictures.lost > 0 {
        let lost = shown.pictures.lost;
        let are = either(lost, "is", "are");
        notices.push(format!("{} of the record {are} gone or damaged.", count(lost, "picture")));
    }
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let mut categories: Vec<&str> = Vec::new();
    for task in &manifest.tasks {
        if !categories.contains(&task.category.as_str()) {
            categories.push(&task.category);
        }
    }
    let mut environment = Environment::new();
    // A field that is left out may be asked for, and not shown.
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.add_template("report.html", TEMPLATE)?;
    environment.get_template("report.html")?.render(context! {
        css => CSS,
        js => JS,
        data => DATA,
        csp => format!(
            "default-src 'none'; script-src {}{}; style-src {}; img-src data: 'self' file:; base-uri 'none'; form-action 'none'",
            hash(JS),
            // The script may load further ones, as files as well, where "self" is nothing.
            if shown.beside.is_some() { " 'strict-dynamic'" } else { "" },
            hash(CSS)
        ),
        beside => shown.beside.as_deref(),
        has_partial => data.scores.rows.iter().any(|row| row.partial.is_some()),
        has_questions => data.scores.rows.iter().any(|row| row.questions > 0),
        suite => manifest.suite.as_str(),
        judged => manifest.is_judged(),
        facts => View::from(Serde(facts(manifest, data))),
        notices => View::from(Serde(notices)),
        lead => View::from(Serde(lead(data, shown))),
        rows => View::from(Serde(data.contestants.iter().zip(&data.scores.rows).map(|(w, r)| row(data, w, r)).collect::<Vec<_>>())),
        levels => View::from(Serde(levels::views(&data.scores.levels))),
        budgets => View::from(Serde(data.scores.budgets.iter().map(|(steps, _)| count(*steps, "step")).collect::<Vec<_>>())),
        across => View::from(Serde(&data.across)),
        others => View::from(Serde(others::tables(data))),
        screens => View::from(Serde(others::screens(data))),
        mutants => View::from(Serde(&data.mutants)),
        curve => curve::recall(&data.contestants, data.budget),
        budget => data.budget,
        mixed => data.mixed.is_some(),
        repeats => manifest.repeats,
        categories => View::from(Serde(category_views(data, &categories))),
        tasks => View::from(Serde(task_views(manifest, data))),
    })
}

fn facts(manifest: &Manifest, data: &Data<'_>) -> Vec<(&'static str, String)> {
    let mut out = vec![
        ("tasks", manifest.tasks.len().to_string()),
        (
            "step budget",
            match data.mixed {
                Some((least, _)) => format!("{least} to {0} (t_max {0})", data.budget),
                None => data.budget.to_string(),
            },
        ),
        ("repeats", manifest.repeats.to_string()),
        ("seed", manifest.seed.to_string()),
        ("started", manifest.started.strftime("%Y-%m-%d %H:%M UTC").to_string()),
        ("waldo", manifest.waldo.clone()),
    ];
    if let Some(device) = &manifest.device {
        let size = device.geometry.physical;
        let screen = format!("{:.0} \u{d7} {:.0}", size.w, size.h);
        out.splice(4..4, [("device", device.product.clone()), ("screen", screen)]);
    }
    if manifest.is_judged() {
        out.push(("suite hash", manifest.suite_hash.chars().take(12).collect()));
    }
    if let Some(commit) = &manifest.commit {
        out.push(("commit", commit.chars().take(12).collect()));
    }
    if let Some(part) = &manifest.partition {
        out.push(("part", part.clone()));
    }
    out
}

fn row<'a>(data: &Data<'_>, who: &'a ContestantView, row: &'a ScoreRow) -> RowView<'a> {
    let colour = who.index % curve::COLOURS;
    let within = |(_, rows): &(u32, Vec<ScoreRow>)| {
        let row = rows.iter().find(|one| one.contestant.name == row.contestant.name)?;
        Some([row.sr, row.eqa].map(|share| of(row.n, || percent(share))))
            .map(|[sr, eqa]| [sr, eqa, of(row.n, || percents(row.eqa_ci))])
    };
    let unknown = || "unknown".to_owned();
    RowView {
        name: &who.name,
        described: words::described(&row.contestant),
        standing: who.standing,
        colour,
        row,
        sr: of(row.n, || percent(row.sr)),
        sr_ci: of(row.n, || percents(row.sr_ci)),
        sr_bar: if row.n == 0 { String::new() } else { curve::interval(row.sr, row.sr_ci, colour) },
        eqa: of(row.n, || percent(row.eqa)),
        eqa_ci: of(row.n, || percents(row.eqa_ci)),
        eqa_bar: if row.n == 0 { String::new() } else { curve::interval(row.eqa, row.eqa_ci, colour) },
        within: data.scores.budgets.iter().filter_map(within).collect(),
        eqa_step: of(row.n, || percent(row.eqa_step)),
        eqa_exact: of(row.n, || percent(row.eqa_exact)),
        eq1: eq1(row.sr, row.eqa).map_or_else(|| NONE.to_owned(), |v| format!("{v:.2}")),
        partial: row.partial.map_or_else(|| NONE.to_owned(), percent),
        steps: of(row.n, || format!("{:.1}", row.mean_steps)),
        tokens: row.tokens.map_or_else(unknown, grouped),
        cost: row.cost.map_or_else(unknown, dollars),
        wall: of(row.n, || seconds(row.wall_mean)),
        apart: match row.deciding_mean + row.device_mean > 0.0 {
            true => format!("{} + {}", seconds(row.deciding_mean), seconds(row.device_mean)),
            false => String::new(),
        },
        rejects: words::kinds_of(&row.unread),
    }
}

fn category_views<'a>(data: &Data<'_>, categories: &[&'a str]) -> Vec<CategoryView<'a>> {
    let mut sums: HashMap<(&str, usize), (f64, usize)> = HashMap::new();
    let mut tasks: HashMap<&str, usize> = HashMap::new();
    for episode in &data.episodes {
        let category = episode.task.category.as_str();
        if episode.contestant == 0 && episode.repeat == 0 {
            *tasks.entry(category).or_default() += 1;
        }
        if let Some(success) = episode.result.filter(|r| r.is_scored()).and_then(|r| r.success) {
            let sum = sums.entry((category, episode.contestant)).or_default();
            *sum = (sum.0 + success.clamp(0.0, 1.0), sum.1 + 1);
        }
    }
    categories
        .iter()
        .map(|name| CategoryView {
            name,
            tasks: tasks.get(name).copied().unwrap_or(0),
            cells: data
                .contestants
                .iter()
                .map(|who| {
                    sums.get(&(*name, who.index)).map(|&(sum, n)| {
                        let sr = sum / n as f64;
                        CellText { sr: format!("{:.0}", sr * 100.0), n, level: (sr * 10.0).round() as usize }
                    })
                })
                .collect(),
        })
        .collect()
}

fn task_views<'a>(manifest: &'a Manifest, data: &Data<'_>) -> Vec<TaskView<'a>> {
    let mut cells: HashMap<(&str, usize), Vec<Chip>> = HashMap::new();
    for (index, episode) in data.episodes.iter().enumerate() {
        let name = &data.contestants[episode.contestant].name;
        cells
            .entry((episode.task.id.as_str(), episode.contestant))
            .or_default()
            .push(chip(index, name, episode));
    }
    manifest
        .tasks
        .iter()
        .map(|task| TaskView {
            id: &task.id,
            title: &task.title,
            category: &task.category,
            level: &task.level,
            platform: task.platform.as_str(),
            infeasible: task.infeasible,
            max_steps: task.max_steps,
            unproven: data.unproven(task),
            cells: data
                .contestants
                .iter()
                .map(|who| cells.remove(&(task.id.as_str(), who.index)).unwrap_or_default())
                .collect(),
        })
        .collect()
}

fn chip(index: usize, name: &str, episode: &ReportEpisode<'_>) -> Chip {
    let state = episode.state();
    let (mark, word) = match state {
        EpisodeStatus::Passed => ("\u{2713}", "solved"),
        EpisodeStatus::Partial => ("\u{25d0}", "partly solved"),
        EpisodeStatus::Failed => ("\u{2715}", "not solved"),
        EpisodeStatus::Invalid => ("!", "invalid"),
        EpisodeStatus::Missing => ("\u{00b7}", "no result"),
        EpisodeStatus::Unchecked => ("\u{2013}", "not checked"),
        EpisodeStatus::Assisted => ("+", "assisted by a person"),
    };
    let text = episode.result.filter(|r| !r.is_invalid()).map(|r| r.steps.to_string()).unwrap_or_default();
    let label = match episode.result {
        Some(r) => format!(
            "{name}, {}, repeat {}: {word}, {} after {} of {}",
            episode.task.id,
            episode.repeat,
            episode.outcome(),
            r.steps,
            count(r.max_steps, "step")
        ),
        None => format!("{name}, {}, repeat {}: {word}", episode.task.id, episode.repeat),
    };
    Chip { episode: index, anchor: episode.anchor.clone(), state, mark, text, label }
}

#[cfg(test)]
mod tests {
    use waldo_devices::Platform;
    use waldo_tasks::EpisodeResult;
    use waldo_tasks::record::ScreenSteps;

    use super::*;
    use crate::report::testing;

    /// A run with everything that may be there, or without.
    fn run(tasks: usize, full: bool, judged: bool) -> (Manifest, Vec<EpisodeResult>) {
        let (mut manifest, mut results) = testing::sized(tasks, if full && tasks > 1 { 2 } else { 1 });
        if tasks == 1 {
            manifest.contestants.truncate(1);
            results.truncate(1);
        }
        let optional = |text: &str| full.then(|| text.to_owned());
        manifest.suite_hash = if judged { "0123456789abcdef".into() } else { String::new() };
        (manifest.commit, manifest.partition) = (optional("0123456789abcdef"), optional("1/2"));
        manifest.device = manifest.device.filter(|_| full);
        manifest.max_steps = manifest.max_steps.filter(|_| !full);
        for (at, task) in manifest.tasks.iter_mut().enumerate() {
            task.infeasible = full;
            task.max_steps += if full { u32::try_from(at).unwrap() } else { 0 };
            if full && at % 2 == 1 {
                task.platform = Platform::Desktop;
            }
        }
        for result in &mut results {
            result.claim = optional("I put it there");
            result.success = result.success.filter(|_| judged);
            result.screens.on = full.then(|| ("desk".to_owned(), 3)).into_iter().collect();
            (result.bad_replies, result.refused) = if full { (1, 1) } else { (0, 0) };
            (result.deciding, result.on_device) =
                if full { (Duration::from_secs(1), Duration::from_secs(2)) } else { Default::default() };
            if !full {
                (result.usage, result.screens) = (Default::default(), ScreenSteps::default());
            }
            let check = |passed, found: &str| CheckResult::new("a check", passed, found);
            result.checks = match (judged, full) {
                (false, _) => Vec::new(),
                (true, true) => vec![check(true, "this"), check(false, "that")],
                (true, false) => vec![check(true, ""), check(false, "")],
            };
        }
        if full && tasks > 1 {
            results.pop();
        }
        (manifest, results)
    }

    #[test]
    fn a_page_is_made_with_every_optional_field_and_without() {
        for (tasks, full, judged) in [1, 4]
            .into_iter()
            .flat_map(|n| [(n, true, true), (n, true, false), (n, false, true), (n, false, false)])
        {
            let (manifest, results) = run(tasks, full, judged);
            let data = testing::data(&manifest, &results, if full && tasks > 1 { &[5] } else { &[] });
            let shown = PageEpisodes {
                pictures: PictureCount { lost: usize::from(full), ..PictureCount::default() },
                beside: full.then(|| "steps".to_owned()),
                left_out: full.then_some((1, 2)),
                poster: full.then(|| "data:image/png;base64,".to_owned()),
            };
            let made =
                page(&manifest, &data, &shown).unwrap_or_else(|e| panic!("{tasks} {full} {judged}: {e:#}"));
            assert_eq!(made.contains("In the agent's own words"), tasks == 1 && full);
            assert_eq!(made.contains("found: that"), tasks == 1 && full && judged);
            assert!(judged || !made.contains("Success rate, %"), "{tasks} {full}");
        }
    }
}
