//! The page: one file that opens offline.
//!
//! What people see first is markup made here; what the player shows is JSON in the page, one block an
//! episode, read only when it is opened. Invariants: no block can end its script element, the page may
//! load nothing but its own pictures and run nothing but its own script, and text of screens and models
//! reaches the document as text.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waldo_devices::foreign::PathName;
use waldo_tasks::{Outcome, RunFolder};

use super::curve;
use super::data::{Data, Episode, State};
use super::page::{DATA, page};
use super::pictures::{PictureCount, Pictures};
use super::steps::{Lines, Told};
use super::{Failure, ReportOptions};

/// Writes the page.
pub(super) fn write(
    to: &mut dyn Write,
    run: &RunFolder,
    out: &Path,
    data: &Data<'_>,
    options: &ReportOptions,
) -> Result<PictureCount, Failure> {
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
    let pictures = Pictures::gather(run.path(), &picture_files(run, data, &told), out, options.picture_bytes);
    let page = page(run.manifest(), data, &pictures.count)?;
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
    PathName::new(name).ok().map(|name| folder.join(name))
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
        let (_dir, page, pictures) = made(&ReportOptions { picture_bytes: 1, ..ReportOptions::default() });
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
