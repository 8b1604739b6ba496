//! The page: one file that opens offline.
//!
//! What people see first is markup made here; what the player shows is JSON in the page, one block an
//! episode, read only when it is opened. Invariants: no block can end its script element, the page may
//! load nothing but its own pictures and run nothing but its own script, and text of screens and models
//! reaches the document as text.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value as View, context};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use waldo_tasks::score::{Row, eq1};
use waldo_tasks::{Manifest, Outcome, RunFolder};

use super::curve;
use super::data::{Data, Episode, Standing, State, Who};
use super::pictures::{PictureCount, Pictures};
use super::steps::{Lines, Told};
use super::words::{dollars, grouped, percent, percents, seconds};
use super::{Failure, ReportOptions};

const TEMPLATE: &str = include_str!("assets/report.html.j2");
const CSS: &str = include_str!("assets/report.css");
const JS: &str = include_str!("assets/report.js");
/// Where the data goes; no escaped text can hold it.
const DATA: &str = "<!--data-->";

#[derive(Serialize)]
struct RowView<'a> {
    name: &'a str,
    standing: Standing,
    colour: usize,
    row: &'a Row,
    sr: String,
    sr_ci: String,
    sr_bar: String,
    eqa: String,
    eqa_ci: String,
    eqa_bar: String,
    eqa_step: String,
    eqa_exact: String,
    eq1: String,
    steps: String,
    tokens: String,
    cost: String,
    wall: String,
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
    state: State,
    mark: &'static str,
    text: String,
    label: String,
}

#[derive(Serialize)]
struct CategoryView<'a> {
    name: &'a str,
    tasks: usize,
    cells: Vec<Option<Share>>,
}

#[derive(Serialize)]
struct Share {
    sr: String,
    n: usize,
    level: usize,
}

/// Writes the page.
pub(super) fn write(
    to: &mut dyn Write,
    run: &RunFolder,
    out: &Path,
    data: &Data<'_>,
    options: &ReportOptions,
) -> Result<PictureCount, Failure> {
    let manifest = run.manifest();
    let mut lines = Lines::default();
    let told: Vec<Result<Told, String>> = data
        .episodes
        .iter()
        .map(|episode| {
            if episode.result.is_none() {
                return Ok(Told::default());
            }
            let folder = run.episode(&episode.key(&data.contestants[episode.contestant].name));
            let told = Told::new(folder.events().map_err(|e| e.to_string())?);
            for exchange in told.exchanges() {
                lines.count(&exchange.prompt);
                lines.count(&exchange.reply);
            }
            Ok(told)
        })
        .collect();
    let pictures = Pictures::gather(&picture_files(run, data, &told), out, options.picture_bytes);
    let page = page(manifest, data, &pictures.count)?;
    let (head, tail) = page.split_once(DATA).unwrap_or((page.as_str(), ""));
    to.write_all(head.as_bytes())?;
    for (index, (episode, told)) in data.episodes.iter().zip(&told).enumerate() {
        if episode.result.is_some() {
            let value = player(run, data, episode, told, &mut lines, &pictures);
            block(to, &format!("e{index}"), &value)?;
        }
    }
    block(to, "lines", &json!(lines.table()))?;
    for (index, picture) in pictures.stored().iter().enumerate() {
        // Base64 has no character that could end the element.
        writeln!(to, "<script type=\"text/plain\" id=\"p{index}\">{picture}</script>")?;
    }
    to.write_all(tail.as_bytes())?;
    Ok(pictures.count)
}

/// A block of JSON: as data, never run.
fn block(to: &mut dyn Write, id: &str, value: &Value) -> Result<(), Failure> {
    let text = serde_json::to_string(value)?.replace('<', "\\u003c");
    writeln!(to, "<script type=\"application/json\" id=\"{id}\">{text}</script>").map_err(Failure::Disk)
}

/// The picture files, the most interesting first: what was not solved, then the rest, stand-ins last.
fn picture_files(run: &RunFolder, data: &Data<'_>, told: &[Result<Told, String>]) -> Vec<PathBuf> {
    let mut order: Vec<(&Episode<'_>, &Told)> =
        data.episodes.iter().zip(told).filter_map(|(e, t)| Some((e, t.as_ref().ok()?))).collect();
    order.sort_by_key(|(e, _)| (data.contestants[e.contestant].standing, e.state() == State::Passed));
    order
        .into_iter()
        .flat_map(|(episode, told)| {
            let folder = run.episode(&episode.key(&data.contestants[episode.contestant].name));
            told.steps
                .values()
                .filter_map(|s| s.observed.as_ref()?.picture.as_deref())
                .filter_map(|name| picture_path(folder.path(), name))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The file of a picture; none when the record names something outside of its folder.
fn picture_path(folder: &Path, name: &str) -> Option<PathBuf> {
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != ".." && name != ".";
    plain.then(|| folder.join(name))
}

fn player(
    run: &RunFolder,
    data: &Data<'_>,
    episode: &Episode<'_>,
    told: &Result<Told, String>,
    lines: &mut Lines,
    pictures: &Pictures,
) -> Value {
    let who = &data.contestants[episode.contestant];
    let folder = run.episode(&episode.key(&who.name));
    let mut view = json!({
        "contestant": who.name,
        "standing": who.standing,
        "colour": who.index % curve::COLOURS,
        "task": episode.task.id,
        "title": episode.task.title,
        "category": episode.task.category,
        "level": episode.task.level,
        "platform": episode.task.platform,
        "infeasible": episode.task.infeasible,
        "repeat": episode.repeat,
        "state": episode.state(),
        "outcome": episode.outcome(),
    });
    if let Some(r) = episode.result {
        view["result"] = json!({
            "success": r.success,
            "steps": r.steps,
            "max_steps": r.max_steps,
            "seed": r.seed.to_string(),
            "checks": r.checks,
            "claim": r.claim,
            "usage": r.usage,
            "model_calls": r.model_calls,
            "bad_replies": r.bad_replies,
            "refused": r.refused,
            "wall": r.wall.as_secs_f64(),
            "attempts": r.attempts,
            "reason": if let Outcome::Invalid { reason } = &r.outcome { Some(reason) } else { None },
        });
    }
    match told {
        Err(problem) => view["problem"] = json!(problem),
        Ok(told) => {
            view["goal"] = json!(told.goal);
            view["params"] = told.params.clone();
            view["steps"] = json!(told.steps(lines, |name| {
                picture_path(folder.path(), name).map_or(Value::Null, |file| pictures.reference(&file))
            }));
        }
    }
    view
}

fn page(manifest: &Manifest, data: &Data<'_>, pictures: &PictureCount) -> Result<String, minijinja::Error> {
    let mut notices = data.notices.clone();
    if pictures.linked > 0 {
        notices.push(format!(
            "{} of {} pictures are in this page; the others are shown from the run folder, so keep the page beside it.",
            pictures.embedded,
            pictures.embedded + pictures.linked
        ));
    }
    if pictures.lost > 0 {
        notices.push(format!("{} pictures of the record are gone or damaged.", pictures.lost));
    }
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let mut categories: Vec<&str> = Vec::new();
    for task in &manifest.tasks {
        if !categories.contains(&task.category.as_str()) {
            categories.push(&task.category);
        }
    }
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_template("report.html", TEMPLATE)?;
    environment.get_template("report.html")?.render(context! {
        css => CSS,
        js => JS,
        data => DATA,
        csp => format!(
            "default-src 'none'; script-src {}; style-src {}; img-src data: 'self' file:; base-uri 'none'; form-action 'none'",
            hash(JS),
            hash(CSS)
        ),
        suite => manifest.suite.as_str(),
        facts => View::from(Serde(facts(manifest, data))),
        notices => View::from(Serde(notices)),
        rows => View::from(Serde(data.contestants.iter().zip(&data.rows).map(|(w, r)| row(w, r)).collect::<Vec<_>>())),
        curve => curve::recall(&data.contestants, data.budget),
        budget => data.budget,
        repeats => manifest.repeats,
        categories => View::from(Serde(category_views(data, &categories))),
        tasks => View::from(Serde(task_views(manifest, data))),
    })
}

fn facts(manifest: &Manifest, data: &Data<'_>) -> Vec<(&'static str, String)> {
    let mut out = vec![
        ("tasks", manifest.tasks.len().to_string()),
        ("step budget", data.budget.to_string()),
        ("repeats", manifest.repeats.to_string()),
        ("seed", manifest.seed.to_string()),
        ("device", manifest.device.product.clone()),
        (
            "screen",
            format!("{:.0} \u{d7} {:.0}", manifest.device.geometry.physical.w, manifest.device.geometry.physical.h),
        ),
        ("started", manifest.started.strftime("%Y-%m-%d %H:%M UTC").to_string()),
        ("suite hash", manifest.suite_hash.chars().take(12).collect()),
        ("waldo", manifest.waldo.clone()),
    ];
    if let Some(commit) = &manifest.commit {
        out.push(("commit", commit.chars().take(12).collect()));
    }
    if let Some(part) = &manifest.partition {
        out.push(("part", part.clone()));
    }
    out
}

fn row<'a>(who: &'a Who, row: &'a Row) -> RowView<'a> {
    let colour = who.index % curve::COLOURS;
    let unknown = || "unknown".to_owned();
    RowView {
        name: &who.name,
        standing: who.standing,
        colour,
        row,
        sr: percent(row.sr),
        sr_ci: percents(row.sr_ci),
        sr_bar: curve::interval(row.sr, row.sr_ci, colour),
        eqa: percent(row.eqa),
        eqa_ci: percents(row.eqa_ci),
        eqa_bar: curve::interval(row.eqa, row.eqa_ci, colour),
        eqa_step: percent(row.eqa_step),
        eqa_exact: percent(row.eqa_exact),
        eq1: eq1(row.sr, row.eqa).map_or_else(|| "\u{2013}".to_owned(), |v| format!("{v:.2}")),
        steps: format!("{:.1}", row.mean_steps),
        tokens: row.tokens.map_or_else(unknown, grouped),
        cost: row.cost.map_or_else(unknown, dollars),
        wall: seconds(row.wall_mean),
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
        if let Some(r) = episode.result.filter(|r| !r.is_invalid()) {
            let sum = sums.entry((category, episode.contestant)).or_default();
            *sum = (sum.0 + r.success.clamp(0.0, 1.0), sum.1 + 1);
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
                        Share { sr: format!("{:.0}", sr * 100.0), n, level: (sr * 10.0).round() as usize }
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
        cells.entry((episode.task.id.as_str(), episode.contestant)).or_default().push(chip(index, name, episode));
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

fn chip(index: usize, name: &str, episode: &Episode<'_>) -> Chip {
    let state = episode.state();
    let (mark, word) = match state {
        State::Passed => ("\u{2713}", "solved"),
        State::Partial => ("\u{25d0}", "partly solved"),
        State::Failed => ("\u{2715}", "not solved"),
        State::Invalid => ("!", "invalid"),
        State::Missing => ("\u{00b7}", "no result"),
    };
    let text = episode.result.filter(|r| !r.is_invalid()).map(|r| r.steps.to_string()).unwrap_or_default();
    let label = match episode.result {
        Some(r) => format!(
            "{name}, {}, repeat {}: {word}, {} after {} of {} steps",
            episode.task.id,
            episode.repeat,
            episode.outcome(),
            r.steps,
            r.max_steps
        ),
        None => format!("{name}, {}, repeat {}: {word}", episode.task.id, episode.repeat),
    };
    Chip { episode: index, anchor: episode.anchor.clone(), state, mark, text, label }
}

/// Whether `page` could run or load something that it should not; for tests.
#[cfg(test)]
fn foreign(page: &str) -> Option<&str> {
    ["http://", "https://", "<img src=x", "javascript:"].into_iter().find(|bad| {
        let markup = page.split("<script type=\"application/json\"").next().unwrap_or_default();
        markup.replace("http://www.w3.org/2000/svg", "").contains(bad)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{ReportOptions, testing, write_with};

    fn made(options: &ReportOptions) -> (tempfile::TempDir, String, PictureCount) {
        let dir = tempfile::tempdir().unwrap();
        let run = testing::folder(dir.path());
        let files = write_with(&run, run.path(), options).unwrap();
        let page = std::fs::read_to_string(&files.html).unwrap();
        (dir, page, files.pictures)
    }

    #[test]
    fn the_page_holds_all_and_lets_nothing_in() {
        let (_dir, page, pictures) = made(&ReportOptions::default());
        assert!(pictures.embedded > 0 && pictures.linked == 0 && pictures.lost == 0, "{pictures:?}");
        assert_eq!(foreign(&page), None);
        assert!(page.contains("Content-Security-Policy") && page.contains("default-src &#x27;none&#x27;"));
        // The goal of the fake run tries to end its block.
        assert!(!page.contains("</script><script>alert"));
        assert!(page.contains("\\u003c/script>"));
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert!(page.trim_end().ends_with("</html>"));
    }

    #[test]
    fn every_block_is_json_and_every_chip_has_one() {
        let (_dir, page, _) = made(&ReportOptions::default());
        let mut ids = Vec::new();
        for part in page.split("<script type=\"application/json\" id=\"").skip(1) {
            let (id, rest) = part.split_once("\">").unwrap();
            let (text, _) = rest.split_once("</script>").unwrap();
            serde_json::from_str::<Value>(text).unwrap();
            ids.push(id.to_owned());
        }
        for part in page.split("data-episode=\"").skip(1) {
            let id = format!("e{}", part.split('"').next().unwrap());
            assert!(ids.contains(&id), "{id}");
        }
        assert!(ids.contains(&"lines".to_owned()));
    }

    #[test]
    fn pictures_beyond_the_limit_are_linked_and_said_so() {
        let (_dir, page, pictures) = made(&ReportOptions { picture_bytes: 1 });
        assert_eq!(pictures.embedded, 0);
        assert!(page.contains("shown from the run folder") && page.contains("./episodes/"));
    }

    #[test]
    fn a_damaged_record_is_told_and_breaks_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let run = testing::folder(dir.path());
        let key = run.results().unwrap()[0].key.clone();
        let events = run.episode(&key).path().join("events.jsonl");
        std::fs::write(&events, "{\n{}\n").unwrap();
        let files = write_with(&run, run.path(), &ReportOptions::default()).unwrap();
        assert!(std::fs::read_to_string(&files.html).unwrap().contains("\"problem\":"));
    }

    #[test]
    fn a_record_cannot_point_outside_its_folder() {
        assert_eq!(picture_path(Path::new("a"), "../../x.png"), None);
        assert_eq!(picture_path(Path::new("a"), "step-01.png"), Some(PathBuf::from("a/step-01.png")));
    }
}
