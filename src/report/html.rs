//! The page, and the files of steps beside it.
//!
//! What people see first is markup made here; what the player shows of an episode is JSON. It lies in a script beside
//! the page, one for each episode, that is loaded when the episode is opened: a page that was opened as a file may load
//! scripts and pictures, and read nothing else. Or it lies in the page itself, for a page that goes alone. Invariants:
//! no block can end its script element, the page may load nothing but its own pictures and run nothing but its own
//! script and what that loads, and text of screens and models reaches the document as text.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waldo_devices::foreign::{self, PathName};
use waldo_tasks::parallel::on_all_processors;
use waldo_tasks::{Outcome, RunFolder};

use super::Failure;
use super::curve;
use super::data::{Data, EpisodeStatus, ReportEpisode};
use super::page::{DATA, PageEpisodes, page};
use super::pictures::{PictureCount, Pictures, way};
use super::steps::{EventParts, Lines};

pub(super) const FOLDER: &str = "report-steps";

/// Writes the page for the folder `out`, and the files beside it.
pub(super) fn write(
    to: &mut dyn Write,
    run: &RunFolder,
    out: &Path,
    data: &Data<'_>,
) -> Result<PictureCount, Failure> {
    let pictures = beside(run, out, data)?;
    let poster = data.single().and_then(|episode| {
        let told = events(run, data, episode);
        let last = picture_files(run, data, episode, &told).pop()?;
        Pictures::link(run.path(), &last, &way(out, run.path()))
    });
    let shown = PageEpisodes { pictures, beside: Some(format!("{FOLDER}/")), left_out: None, poster };
    to.write_all(page(&run.manifest, data, &shown)?.replacen(DATA, "", 1).as_bytes())?;
    Ok(pictures)
}

/// Writes the steps of each episode into a file beside the page.
fn beside(run: &RunFolder, out: &Path, data: &Data<'_>) -> Result<PictureCount, Failure> {
    let folder = out.join(FOLDER);
    let temp = out.join(format!("{FOLDER}.tmp{}", std::process::id()));
    let from_out = way(out, run.path());
    // Left by a process of this number, or put there.
    remove(&temp)?;
    fs::create_dir(&temp)?;
    let places: Vec<usize> =
        (0..data.episodes.len()).filter(|n| data.episodes[*n].result.is_some()).collect();
    let written = on_all_processors(&places, |&n| one_beside(run, &temp, data, n, &from_out));
    let counted = written
        .into_iter()
        .try_fold(PictureCount::default(), |sum, one| Ok::<_, Failure>(sum.and(one?)))
        .and_then(|count| {
            remove(&folder)?;
            fs::rename(&temp, &folder)?;
            Ok(count)
        });
    if counted.is_err() {
        // Best effort: the reason for the failure is what counts.
        let _ = remove(&temp);
    }
    counted
}

/// Removes a folder, or a link in its place; that there is none is well.
fn remove(folder: &Path) -> std::io::Result<()> {
    let found = match fs::symlink_metadata(folder) {
        Ok(found) => found,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e),
    };
    if found.is_dir() { fs::remove_dir_all(folder) } else { fs::remove_file(folder) }
}

/// Writes the steps of one episode: a script that hands a text over.
fn one_beside(
    run: &RunFolder,
    folder: &Path,
    data: &Data<'_>,
    index: usize,
    from_out: &str,
) -> Result<PictureCount, Failure> {
    let episode = &data.episodes[index];
    let told = events(run, data, episode);
    let mut lines = Lines::default();
    count_lines(&told, &mut lines);
    let pictures = Pictures::linked(run.path(), picture_files(run, data, episode, &told), from_out);
    let mut value = player(run, data, episode, &told, &mut lines, &pictures);
    value["lines"] = json!(lines.table);
    let text = serde_json::to_string(&serde_json::to_string(&value)?)?.replace('<', "\\u003c");
    let mut file = File::create_new(folder.join(format!("e{index}.js")))?;
    file.write_all(format!("waldoSteps({index},{text});\n").as_bytes())?;
    Ok(pictures.count)
}

/// Writes a page that needs nothing beside it, with as many episodes as go into `bytes`.
pub(super) fn write_alone(
    to: &mut dyn Write,
    run: &RunFolder,
    data: &Data<'_>,
    bytes: u64,
) -> Result<PictureCount, Failure> {
    let chosen = chosen(run, data, bytes);
    let mut lines = Lines::default();
    let told: Vec<Result<EventParts, String>> = chosen
        .iter()
        .map(|&n| {
            let told = events(run, data, &data.episodes[n]);
            count_lines(&told, &mut lines);
            told
        })
        .collect();
    let files = chosen.iter().zip(&told);
    let files: Vec<PathBuf> =
        files.flat_map(|(&n, told)| picture_files(run, data, &data.episodes[n], told)).collect();
    let pictures = Pictures::embedded(run.path(), &files);
    let ended = data.episodes.iter().filter(|episode| episode.result.is_some()).count();
    let left_out = (chosen.len() < ended).then_some((chosen.len(), ended));
    let shown = PageEpisodes { pictures: pictures.count, beside: None, left_out, poster: None };
    let page = page(&run.manifest, data, &shown)?;
    let (head, tail) = page.split_once(DATA).unwrap_or((page.as_str(), ""));
    to.write_all(head.as_bytes())?;
    for (&n, told) in chosen.iter().zip(&told) {
        let value = player(run, data, &data.episodes[n], told, &mut lines, &pictures);
        block(to, &format!("e{n}"), &value)?;
    }
    block(to, "lines", &json!(lines.table))?;
    for (index, picture) in pictures.stored.iter().enumerate() {
        // Base64 has no character that could end the element.
        writeln!(to, "<script type=\"text/plain\" id=\"p{index}\">{picture}</script>")?;
    }
    to.write_all(tail.as_bytes())?;
    Ok(pictures.count)
}

/// The episodes for a page that goes alone, the most interesting first: what was not solved, then the rest, stand-ins
/// last; as many as about fit into `bytes`.
fn chosen(run: &RunFolder, data: &Data<'_>, bytes: u64) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..data.episodes.len()).filter(|n| data.episodes[*n].result.is_some()).collect();
    order.sort_by_key(|n| {
        let episode = &data.episodes[*n];
        (data.contestants[episode.contestant].standing, episode.state() == EpisodeStatus::Passed)
    });
    let mut used = 0;
    order
        .into_iter()
        .take_while(|n| {
            let episode = &data.episodes[*n];
            let folder = run.episode(&episode.key(&data.contestants[episode.contestant].name));
            let files = foreign::list(run.path(), folder.path()).unwrap_or_default();
            let sizes =
                files.iter().filter_map(|file| fs::symlink_metadata(&file.path).ok()).filter(|m| m.is_file());
            // As base64.
            used += sizes.map(|found| found.len()).sum::<u64>() * 4 / 3;
            used <= bytes
        })
        .collect()
}

/// What an episode's events tell, or why they cannot be read.
fn events(run: &RunFolder, data: &Data<'_>, episode: &ReportEpisode<'_>) -> Result<EventParts, String> {
    let folder = run.episode(&episode.key(&data.contestants[episode.contestant].name));
    Ok(EventParts::new(folder.events().map_err(|e| e.to_string())?))
}

fn count_lines(told: &Result<EventParts, String>, lines: &mut Lines) {
    for exchange in told.iter().flat_map(EventParts::exchanges) {
        lines.count(&exchange.prompt);
        lines.count(&exchange.reply);
    }
}

/// A block of JSON: as data, never run.
fn block(to: &mut dyn Write, id: &str, value: &Value) -> Result<(), Failure> {
    let text = serde_json::to_string(value)?.replace('<', "\\u003c");
    writeln!(to, "<script type=\"application/json\" id=\"{id}\">{text}</script>").map_err(Failure::Disk)
}

fn picture_files(
    run: &RunFolder,
    data: &Data<'_>,
    episode: &ReportEpisode<'_>,
    told: &Result<EventParts, String>,
) -> Vec<PathBuf> {
    let folder = run.episode(&episode.key(&data.contestants[episode.contestant].name));
    let seen = told.iter().flat_map(|told| told.steps.values());
    let names = seen.filter_map(|s| s.observed.as_ref()?.picture.as_deref());
    names.filter_map(|name| picture_path(folder.path(), name)).collect()
}

/// The file of a picture; none when the record names something outside of its folder.
fn picture_path(folder: &Path, name: &str) -> Option<PathBuf> {
    PathName::new(name).ok().map(|name| folder.join(name))
}

fn player(
    run: &RunFolder,
    data: &Data<'_>,
    episode: &ReportEpisode<'_>,
    told: &Result<EventParts, String>,
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
            "success": r.success.filter(|_| episode.judged),
            "steps": r.steps,
            "max_steps": r.max_steps,
            "seed": r.seed.to_string(),
            "checks": r.checks,
            "claim": r.claim,
            "usage": r.usage,
            "model_calls": r.model_calls,
            "bad_replies": r.bad_replies,
            "refused": r.refused,
            "partial": r.partial,
            "questions": r.questions,
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
fn foreign_address(page: &str) -> Option<&str> {
    ["http://", "https://", "<img src=x", "javascript:"].into_iter().find(|bad| {
        let markup = page.split("<script type=\"application/json\"").next().unwrap_or_default();
        markup.replace("http://www.w3.org/2000/svg", "").contains(bad)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{ReportOptions, Scores, testing, write, write_alone};

    fn made() -> (tempfile::TempDir, String, PictureCount) {
        let dir = tempfile::tempdir().unwrap();
        let run = testing::folder(dir.path());
        let files = write(&run, run.path()).unwrap();
        let page = fs::read_to_string(&files.html).unwrap();
        (dir, page, files.pictures)
    }

    fn alone(run: &RunFolder, file: &Path, bytes: u64) -> PictureCount {
        let results = run.results().unwrap();
        let scores = Scores::of(&run.manifest, &results, &ReportOptions::default()).unwrap();
        write_alone(run, &results, &scores, file, &[], bytes).unwrap()
    }

    fn made_alone(bytes: u64) -> (String, PictureCount) {
        let dir = tempfile::tempdir().unwrap();
        let run = testing::folder(dir.path());
        let file = dir.path().join("alone.html");
        let pictures = alone(&run, &file, bytes);
        (fs::read_to_string(file).unwrap(), pictures)
    }

    fn assert_closed(page: &str) {
        assert_eq!(foreign_address(page), None);
        assert!(page.contains("Content-Security-Policy") && page.contains("default-src &#x27;none&#x27;"));
        // The goal of the fake run tries to end its block.
        assert!(!page.contains("</script><script>alert"));
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert!(page.trim_end().ends_with("</html>"));
    }

    #[test]
    fn a_page_that_goes_alone_holds_all_and_lets_nothing_in() {
        let (page, pictures) = made_alone(1 << 30);
        assert!(pictures.embedded > 0 && pictures.linked == 0 && pictures.lost == 0, "{pictures:?}");
        assert_closed(&page);
        assert!(page.contains("\\u003c/script>"));
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
    fn every_chip_has_a_file_beside_the_page_and_the_page_holds_no_step() {
        let (dir, page, pictures) = made();
        assert!(pictures.linked > 0 && pictures.embedded == 0 && pictures.lost == 0, "{pictures:?}");
        assert_closed(&page);
        assert!(!page.contains("application/json") && page.contains("data-steps="));
        let mut chips = 0;
        for part in page.split("data-episode=\"").skip(1) {
            let n = part.split('"').next().unwrap();
            let text = fs::read_to_string(dir.path().join(format!("report-steps/e{n}.js"))).unwrap();
            assert!(!text.contains('<'), "{text}");
            let text = text.strip_prefix(&format!("waldoSteps({n},")).unwrap().strip_suffix(");\n").unwrap();
            let value: Value = serde_json::from_str(&serde_json::from_str::<String>(text).unwrap()).unwrap();
            let picture = value["steps"][0]["seen"]["pic"].as_str().unwrap();
            assert!(dir.path().join(picture).is_file(), "{picture}");
            chips += 1;
        }
        assert_eq!(fs::read_dir(dir.path().join("report-steps")).unwrap().count(), chips);
    }

    #[test]
    fn a_page_that_goes_alone_is_bounded_and_says_what_it_leaves_out() {
        let (whole, _) = made_alone(1 << 30);
        assert!(!whole.contains("are in this page"));
        // Enough for some: what was not solved comes first.
        let dir = tempfile::tempdir().unwrap();
        let run = testing::folder(dir.path());
        let results = run.results().unwrap();
        let data = testing::data(&run.manifest, &results, &[]);
        let half =
            (0..).map(|n| n * 10_000).find(|n| chosen(&run, &data, *n).len() * 2 >= results.len()).unwrap();
        let (page, pictures) = made_alone(half);
        let blocks = page.matches("id=\"e").count();
        assert!(pictures.embedded > 0 && blocks > 0 && blocks < whole.matches("id=\"e").count(), "{blocks}");
        assert!(page.contains(&format!("{blocks} of ")) && page.contains("are in this page"));
        let first = page.split("<script type=\"application/json\" id=\"").nth(1).unwrap();
        assert!(!first.split("</script>").next().unwrap().contains("\"state\":\"passed\""));
        assert_closed(&page);
    }

    #[test]
    fn a_damaged_record_is_told_and_breaks_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let run = testing::folder(dir.path());
        let key = run.results().unwrap()[0].key.clone();
        let events = run.episode(&key).path().join("events.jsonl");
        fs::write(&events, "{\n{}\n").unwrap();
        let file = dir.path().join("alone.html");
        alone(&run, &file, 1 << 30);
        assert!(fs::read_to_string(&file).unwrap().contains("\"problem\":"));
        let files = write(&run, run.path()).unwrap();
        assert!(files.html.is_file());
    }

    #[test]
    fn steps_are_written_through_no_link() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let run = testing::folder(dir.path());
        fs::write(outside.path().join("e0.js"), "kept").unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join(FOLDER)).unwrap();
        write(&run, run.path()).unwrap();
        assert_eq!(fs::read_to_string(outside.path().join("e0.js")).unwrap(), "kept");
        assert!(fs::symlink_metadata(dir.path().join(FOLDER)).unwrap().is_dir());
    }

    #[test]
    fn a_record_cannot_point_outside_its_folder() {
        assert_eq!(picture_path(Path::new("a"), "../../x.png"), None);
        assert_eq!(picture_path(Path::new("a"), "step-01.png"), Some(PathBuf::from("a/step-01.png")));
    }
}
