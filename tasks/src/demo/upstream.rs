//! Waldo's own demonstrations and explorations as AppAgent keeps its own: in `demos`, with pictures, records and
//! logs.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use waldo_agents::Exchange;
use waldo_agents::appagent::docs::logs::{LogLine, write_log};
use waldo_devices::foreign::{self, EntryKind, PathName};

use super::Demo;
use crate::docs::upstream::{Moved, files, keep, keep_file, put};
use crate::error::{Result, TaskError};
use crate::events::EventKind;
use crate::record::{EpisodeFolder, RunFolder};

/// The folders of a demonstration that are AppAgent's too.
const PARTS: [&str; 3] = ["raw_screenshots", "labeled_screenshots", "xml"];

/// Exports a demonstration's folder, or the run folder of an exploration, into AppAgent's folder of the app.
pub fn export_learning(from: &Path, to: &Path, moved: &mut Moved) -> Result<()> {
    let demos = to.join("demos");
    if from.join("record.txt").exists() {
        return demonstration(from, (to, &demos), moved);
    }
    let bad = |message: String| TaskError::record(from, message);
    if !from.join("manifest.json").exists() {
        return Err(bad("is neither a demonstration nor a run folder".to_owned()));
    }
    let run = RunFolder::open(from)?;
    if run.manifest.suite != "explore" {
        return Err(bad(format!("is not an exploration but a run of {}", run.manifest.suite)));
    }
    let name = format!("self_explore_{}", run.manifest.started.strftime("%Y-%m-%d_%H-%M-%S"));
    for key in run.keys() {
        exploration(&run.episode(&key), (to, &demos.join(&name)), &name, moved)?;
    }
    Ok(())
}

fn demonstration(from: &Path, (out, demos): (&Path, &Path), moved: &mut Moved) -> Result<()> {
    let to = demos.join(Demo::open(from)?.info.name);
    foreign::make_folder(out, &to).map_err(TaskError::io("make", &to))?;
    for entry in files(from, from)? {
        let name = entry.name.to_string_lossy().into_owned();
        if entry.kind == EntryKind::Folder && PARTS.contains(&name.as_str()) {
            keep((from, &entry.path), (out, &to.join(name)), moved)?;
        } else if name.ends_with(".txt") {
            keep_file((from, &entry.path), (out, &to), moved)?;
        }
    }
    Ok(())
}

fn exploration(from: &EpisodeFolder, (out, to): (&Path, &Path), name: &str, moved: &mut Moved) -> Result<()> {
    let events = from.events()?;
    if events.is_empty() {
        return Ok(());
    }
    foreign::make_folder(out, to).map_err(TaskError::io("make", to))?;
    let pictures: BTreeMap<u32, &str> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Observed(seen) => Some((seen.step, seen.picture.as_deref()?)),
            _ => None,
        })
        .collect();
    let keep = |picture: Option<&str>, name: String| -> Result<String> {
        let Some(Ok(picture)) = picture.map(PathName::new) else { return Ok(String::new()) };
        put(out, &to.join(&name), &from.read(&picture, foreign::PICTURE_BYTES)?)?;
        Ok(name)
    };
    let (mut explored, mut reflected) = (Vec::new(), Vec::new());
    for event in &events {
        match &event.kind {
            EventKind::Decided { step, decision, .. } => {
                let image = keep(pictures.get(step).copied(), format!("{step}_before_labeled.png"))?;
                let images = [("image", json!(image))];
                explored.extend(decision.exchanges.iter().map(|asked| line(*step, asked, &images)));
            }
            EventKind::Reflected { step, reflected: told } => {
                let after = told.after.as_deref().or_else(|| pictures.get(&(step + 1)).copied());
                let after = keep(after, format!("{step}_after_labeled.png"))?;
                let images = [
                    ("image_before", json!(format!("{step}_before_labeled.png"))),
                    ("image_after", json!(after)),
                ];
                reflected.extend(told.exchanges.iter().map(|asked| line(*step, asked, &images)));
            }
            _ => {}
        }
    }
    for (kind, lines) in [("explore", explored), ("reflect", reflected)] {
        moved.log_lines += lines.len();
        put(out, &to.join(format!("log_{kind}_{name}.txt")), write_log(&lines).as_bytes())?;
    }
    Ok(())
}

/// A line of AppAgent's logs, keys in its order.
fn line(step: u32, asked: &Exchange, images: &[(&str, Value)]) -> LogLine {
    let head = [("step", json!(step)), ("prompt", json!(asked.prompt))];
    let tail = [("response", json!(asked.reply))];
    let all = head.iter().chain(images).chain(&tail);
    all.map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}
