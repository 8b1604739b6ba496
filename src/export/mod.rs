//! What was recorded, in forms that others read: messages to train on, trajectories, scripts, picture stories.
//!
//! Invariants: an export is made from the run folder alone and changes nothing in it but its own folder `export/`; values
//! of secrets are in no record, so they are in none of these: what is typed by name stays a name.

mod atif;
mod demo;
mod error;
mod links;
mod messages;
mod playwright;
mod rollouts;
mod story;
mod taken;

pub use error::ExportError;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use waldo_tasks::record::write_whole;
use waldo_tasks::{EpisodeKey, RunFolder, TaskError};

use taken::RecordedEpisode;

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// A picture story of each episode as an animated GIF: the screens, with the actions on them.
    Gif,
    /// The same as a video (H.264); needs ffmpeg.
    Mp4,
    /// The same as a video (VP9); needs ffmpeg.
    Webm,
    /// Trajectories in the Agent Trajectory Interchange Format (ATIF v1.7), a file for each episode.
    Atif,
    /// Requests to models and their replies as messages of OpenAI's chat format, a line for each.
    Jsonl,
    /// The same in ShareGPT's form.
    Sharegpt,
    /// Rollouts to train a policy on: a line for each reply of a model, with its tokens (see --logprobs), the reward and a mask.
    Rollouts,
    /// A Playwright script of each episode on pages.
    Playwright,
    /// The pages' network traffic as an HTTP archive (HAR 1.2), a file for each episode; needs a run with --har.
    Har,
    /// A demonstration of each episode, for waldo demo learn and for AppAgent.
    Demo,
}

impl ExportFormat {
    fn ending(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
            Self::Atif => "json",
            Self::Jsonl | Self::Sharegpt | Self::Rollouts => "jsonl",
            Self::Playwright => "mjs",
            Self::Har => "har",
            Self::Demo => "demo",
        }
    }

    fn is_one_file(self) -> bool {
        matches!(self, Self::Jsonl | Self::Sharegpt | Self::Rollouts)
    }
}

#[derive(Clone, Debug, Default)]
pub struct EpisodeChoice {
    pub tasks: Vec<String>,
    pub contestants: Vec<String>,
    pub solved: bool,
}

#[derive(Debug, serde::Serialize)]
pub struct ExportSummary {
    pub files: Vec<PathBuf>,
    pub episodes: usize,
    pub left_out: Vec<String>,
}

enum Exported {
    /// It has a file or a folder of its own.
    File(PathBuf),
    /// Its lines in the one file of all.
    Lines(String),
    LeftOut(String),
}

/// Who watches an export, and who may stop it.
pub struct ExportWatch<'a> {
    /// Called before the first episode, with how many there are.
    pub begin: &'a (dyn Fn(usize) + Sync),
    /// Called after each episode, with its name.
    pub advance: &'a (dyn Fn(&str) + Sync),
    /// Cancelled, it leaves out the episodes that were not begun.
    pub stop: CancellationToken,
}

/// Writes the chosen episodes of a run as `form` into `out`: a file where all episodes go into one, else a folder. Each file
/// is whole or absent. Several episodes are written at once, as many as there are processors.
pub fn write(
    run: &RunFolder,
    form: ExportFormat,
    choice: &EpisodeChoice,
    out: Option<&Path>,
    watch: &ExportWatch<'_>,
) -> Result<ExportSummary, ExportError> {
    let folder = run.path().join("export");
    let one = match (out, form) {
        (Some(out), _) => out.to_owned(),
        (None, ExportFormat::Jsonl) => folder.join("messages.jsonl"),
        (None, ExportFormat::Sharegpt) => folder.join("sharegpt.jsonl"),
        (None, ExportFormat::Rollouts) => folder.join("rollouts.jsonl"),
        (None, ExportFormat::Atif) => folder.join("atif"),
        (None, ExportFormat::Playwright) => folder.join("playwright"),
        (None, ExportFormat::Demo) => folder.join("demos"),
        (None, form) => folder.join(form.ending()),
    };
    let home = if form.is_one_file() {
        one.parent().filter(|home| !home.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
    } else {
        one.clone()
    };
    std::fs::create_dir_all(&home).map_err(TaskError::io("create", &home))?;
    let home = home.canonicalize().map_err(TaskError::io("find", &home))?;
    let fits = |all: &[String], name: &str| all.is_empty() || all.iter().any(|one| one == name);
    let keys = run.keys();
    let keys: Vec<_> = keys
        .filter(|key| fits(&choice.tasks, &key.task) && fits(&choice.contestants, &key.contestant))
        .collect();
    (watch.begin)(keys.len());
    let mut written = ExportSummary { files: Vec::new(), episodes: 0, left_out: Vec::new() };
    let mut lines = String::new();
    for exported in in_parallel(&keys, watch, |key| export(run, form, choice, key, &home))? {
        match exported {
            Exported::LeftOut(why) => {
                written.left_out.push(why);
                continue;
            }
            Exported::File(file) => written.files.push(file),
            Exported::Lines(more) => lines.push_str(&more),
        }
        written.episodes += 1;
    }
    if written.episodes == 0 && written.left_out.is_empty() {
        return Err(ExportError::Nothing);
    }
    if form.is_one_file() {
        if lines.is_empty() {
            return Err(ExportError::NoModel);
        }
        write_whole(&one, lines.as_bytes())?;
        written.files.push(one);
    }
    Ok(written)
}

/// What `work` comes to for each key, in their order; the first error, or that it was stopped.
fn in_parallel(
    keys: &[EpisodeKey],
    watch: &ExportWatch<'_>,
    work: impl Fn(&EpisodeKey) -> Result<Option<Exported>, ExportError> + Sync,
) -> Result<Vec<Exported>, ExportError> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done = Mutex::new(Vec::new());
    let worker = || {
        while !watch.stop.is_cancelled() && !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(key) = keys.get(at) else { break };
            let one = work(key);
            (watch.advance)(&key.task);
            failed.fetch_or(one.is_err(), Ordering::Relaxed);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, one));
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..processors.min(keys.len()) {
            scope.spawn(worker);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    let finished = done.len();
    let all: Vec<_> = done.into_iter().filter_map(|(_, one)| one.transpose()).collect::<Result<_, _>>()?;
    if finished < keys.len() {
        return Err(ExportError::Stopped { finished, of: keys.len() });
    }
    Ok(all)
}

/// One episode; `None` where nothing of it was recorded, or it was not chosen.
fn export(
    run: &RunFolder,
    form: ExportFormat,
    choice: &EpisodeChoice,
    key: &EpisodeKey,
    home: &Path,
) -> Result<Option<Exported>, ExportError> {
    let taken = RecordedEpisode::of(run, key)?.filter(|taken| !choice.solved || taken.is_solved());
    let Some(taken) = taken else { return Ok(None) };
    let left_out = |why: &str| Ok(Some(Exported::LeftOut(format!("{}: {why}", taken.name()))));
    let file = home.join(format!("{}.{}", taken.name(), form.ending()));
    let content = match form {
        ExportFormat::Jsonl => return Ok(Some(Exported::Lines(messages::openai(&taken, home)?))),
        ExportFormat::Sharegpt => return Ok(Some(Exported::Lines(messages::sharegpt(&taken, home)?))),
        ExportFormat::Rollouts => {
            return match rollouts::lines(&taken, home)? {
                Ok(lines) => Ok(Some(Exported::Lines(lines))),
                Err(why) => left_out(&why),
            };
        }
        ExportFormat::Demo => {
            return match demo::write(run, &taken, home)? {
                Ok(folder) => Ok(Some(Exported::File(folder))),
                Err(why) => left_out(&why),
            };
        }
        ExportFormat::Atif => Some(atif::trajectory(&taken, &run.manifest, home)?),
        ExportFormat::Har => match taken.traffic() {
            Some(archive) => Some(archive),
            None => return left_out("its traffic was not recorded: play it with --har"),
        },
        ExportFormat::Playwright => match playwright::script(&taken)? {
            Some(script) => Some(script.into_bytes()),
            None => return left_out("it was not played on a page"),
        },
        ExportFormat::Gif | ExportFormat::Mp4 | ExportFormat::Webm => {
            let Some(frames) = story::frames(&taken, form) else {
                return left_out("no picture was recorded");
            };
            if form == ExportFormat::Gif {
                Some(story::gif(&taken, &frames)?)
            } else {
                story::video(&frames, &file, form == ExportFormat::Webm)?;
                None
            }
        }
    };
    if let Some(content) = content {
        write_whole(&file, &content)?;
    }
    Ok(Some(Exported::File(file)))
}
