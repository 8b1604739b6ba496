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
mod story;
mod taken;

pub use error::ExportError;

use std::path::{Path, PathBuf};

use waldo_tasks::RunFolder;

use taken::RecordedEpisode;

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// A picture story as animated GIF, each episode one: the screen, and what was done on it.
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
    /// A script for Playwright, each episode on pages one.
    Playwright,
    /// A demonstration, each episode one, for waldo demo learn and for AppAgent.
    Demo,
}

impl ExportFormat {
    fn ending(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
            Self::Atif => "json",
            Self::Jsonl | Self::Sharegpt => "jsonl",
            Self::Playwright => "mjs",
            Self::Demo => "demo",
        }
    }

    /// Whether all episodes go into one file.
    fn is_one_file(self) -> bool {
        matches!(self, Self::Jsonl | Self::Sharegpt)
    }
}

#[derive(Clone, Debug, Default)]
pub struct EpisodeChoice {
    /// Only these tasks; all where it is empty.
    pub tasks: Vec<String>,
    /// Only these contestants; all where it is empty.
    pub contestants: Vec<String>,
    /// Only what was solved.
    pub solved: bool,
}

#[derive(Debug, serde::Serialize)]
pub struct ExportSummary {
    pub files: Vec<PathBuf>,
    /// How many episodes are in them.
    pub episodes: usize,
    /// What was left out, and why.
    pub left_out: Vec<String>,
}

/// Writes the chosen episodes of a run as `form` into `out`: a file where all episodes go into one, else a folder.
///
/// # Errors
/// When nothing fits the choice, a record cannot be read, or a file cannot be written.
pub fn write(
    run: &RunFolder,
    form: ExportFormat,
    choice: &EpisodeChoice,
    out: Option<&Path>,
    mut told: impl FnMut(&str),
) -> Result<ExportSummary, ExportError> {
    let folder = run.path().join("export");
    let mut written = ExportSummary { files: Vec::new(), episodes: 0, left_out: Vec::new() };
    let mut lines = String::new();
    let one = match (out, form) {
        (Some(out), _) => out.to_owned(),
        (None, ExportFormat::Jsonl) => folder.join("messages.jsonl"),
        (None, ExportFormat::Sharegpt) => folder.join("sharegpt.jsonl"),
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
    std::fs::create_dir_all(&home).map_err(ExportError::io("create", &home))?;
    let home = home.canonicalize().map_err(ExportError::io("find", &home))?;
    for key in run.keys() {
        let fits = |all: &[String], name: &str| all.is_empty() || all.iter().any(|one| one == name);
        if !fits(&choice.tasks, &key.task) || !fits(&choice.contestants, &key.contestant) {
            continue;
        }
        let Some(taken) = RecordedEpisode::of(run, &key)? else { continue };
        if choice.solved && !taken.is_solved() {
            continue;
        }
        told(&taken.name());
        let file = home.join(format!("{}.{}", taken.name(), form.ending()));
        let content = match form {
            ExportFormat::Jsonl => {
                lines.push_str(&messages::openai(&taken, &home)?);
                None
            }
            ExportFormat::Sharegpt => {
                lines.push_str(&messages::sharegpt(&taken, &home)?);
                None
            }
            ExportFormat::Atif => Some(atif::trajectory(&taken, run.manifest(), &home)?),
            ExportFormat::Playwright => match playwright::script(&taken)? {
                Some(script) => Some(script.into_bytes()),
                None => {
                    written.left_out.push(format!("{}: it was not played on a page", taken.name()));
                    continue;
                }
            },
            ExportFormat::Demo => {
                match demo::write(run, &taken, &home)? {
                    Ok(folder) => written.files.push(folder),
                    Err(why) => {
                        written.left_out.push(format!("{}: {why}", taken.name()));
                        continue;
                    }
                }
                None
            }
            ExportFormat::Gif => Some(story::gif(&taken)?),
            ExportFormat::Mp4 | ExportFormat::Webm => {
                story::video(&taken, &file, form == ExportFormat::Webm)?;
                written.files.push(file.clone());
                None
            }
        };
        written.episodes += 1;
        if let Some(content) = content {
            std::fs::write(&file, content).map_err(ExportError::io("write", &file))?;
            written.files.push(file);
        }
    }
    if written.episodes == 0 && written.left_out.is_empty() {
        return Err(ExportError::Nothing);
    }
    if form.is_one_file() {
        if lines.is_empty() {
            return Err(ExportError::NoModel);
        }
        std::fs::write(&one, lines).map_err(ExportError::io("write", &one))?;
        written.files.push(one);
    }
    Ok(written)
}
