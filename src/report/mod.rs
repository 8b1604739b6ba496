//! The report of a run: a page that opens offline, a table for spreadsheets, a file for test servers,
//! a text for pull requests and a summary for programs.
//!
//! Invariants: the report is a function of the run folder, and holds nothing that is not in it; text
//! that came from a screen or a model is never markup; an episode whose record cannot be read is
//! reported as such and breaks nothing else.

pub mod across;
pub mod compare;
mod contestant_kind;
mod csv;
mod curve;
mod data;
pub mod grid;
mod grounding;
mod html;
mod junit;
pub mod levels;
mod markdown;
mod mutants;
mod others;
mod page;
mod pictures;
mod scores;
pub mod steps;
mod summary;
#[cfg(test)]
pub mod testing;
pub mod wording;
mod words;

pub use words::points;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use waldo_devices::Fault;
use waldo_tasks::{EpisodeResult, RunFolder, TaskError};

use across::{Across, Offline};
use levels::LevelOptions;
pub use page::CSS;
pub use pictures::PictureCount;
pub use scores::Scores;
pub use summary::unscored;
pub use words::{cut, grouped, kinds_of, of};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    #[error(transparent)]
    Run(#[from] TaskError),
    #[error("the report's template: {0}")]
    Template(#[from] minijinja::Error),
    #[error("the report's data: {0}")]
    Json(#[from] serde_json::Error),
    #[error("cannot write {path}: {source}; is there room, and may the folder be written?")]
    Write { path: PathBuf, source: std::io::Error },
}

impl ReportError {
    pub fn fault(&self) -> Fault {
        match self {
            Self::Run(error) => error.fault(),
            Self::Template(_) | Self::Json(_) => Fault::Internal,
            Self::Write { .. } => Fault::Operation,
        }
    }
}

/// What is said where a run has ended and no report can be made of it.
pub fn warning(run: &RunFolder, error: &ReportError) -> String {
    let mut said = format!("warning: no report could be made: {error}");
    let mut cause = std::error::Error::source(error);
    while let Some(why) = cause {
        let why_text = why.to_string();
        // Some errors say their cause themselves.
        if !said.contains(&why_text) {
            said.push_str(&format!(": {why_text}"));
        }
        cause = why.source();
    }
    let folder = run.path().display();
    format!("{said}; the results are in {folder}, and 'waldo report {folder}' tries again")
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportOptions {
    pub budgets: Vec<u32>,
    pub levels: LevelOptions,
    /// Offline levels of the same contestants, for a table of all levels.
    pub offline: Vec<Offline>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFiles {
    pub html: PathBuf,
    pub csv: PathBuf,
    pub junit: PathBuf,
    pub markdown: PathBuf,
    pub summary: PathBuf,
    pub pictures: PictureCount,
}

pub fn write(run: &RunFolder, out: &Path) -> Result<ReportFiles, ReportError> {
    write_with(run, &run.results()?, out, &ReportOptions::default())
}

/// Writes the report of `run`, whose results are known already, with `options`.
pub fn write_with(
    run: &RunFolder,
    results: &[EpisodeResult],
    out: &Path,
    options: &ReportOptions,
) -> Result<ReportFiles, ReportError> {
    write_scored(run, results, &Scores::of(&run.manifest, results, options)?, out, &options.offline)
}

/// Writes the report of `run`, whose results and scores are known already, with a table of all levels if there are
/// `offline` ones.
pub fn write_scored(
    run: &RunFolder,
    results: &[EpisodeResult],
    scores: &Scores,
    out: &Path,
    offline: &[Offline],
) -> Result<ReportFiles, ReportError> {
    fs::create_dir_all(out).map_err(|source| ReportError::Write { path: out.to_owned(), source })?;
    let manifest = &run.manifest;
    let mut data = data::Data::new(manifest, results, scores);
    data.across = Across::of(manifest, results, offline);
    data.mutants = mutants::read(run.path());
    let mut files = ReportFiles {
        html: out.join("report.html"),
        csv: out.join("results.csv"),
        junit: out.join("junit.xml"),
        markdown: out.join("summary.md"),
        summary: out.join("summary.json"),
        pictures: PictureCount::default(),
    };
    let levels = &data.scores.levels;
    put(&files.summary, |to| to.write_all(&summary::json(manifest, &data)?).map_err(Failure::Disk))?;
    if !levels.is_empty() {
        put(&out.join("levels.csv"), |to| {
            to.write_all(levels::csv(levels, csv::field).as_bytes()).map_err(Failure::Disk)
        })?;
    }
    put(&files.csv, |to| csv::write(to, manifest, results).map_err(Failure::Disk))?;
    put(&files.junit, |to| junit::write(to, manifest, &data).map_err(Failure::Disk))?;
    let groundings = grounding::GroundingTable::read(run, &data);
    if !groundings.is_empty() {
        put(&out.join("grounding.csv"), |to| groundings.csv(to).map_err(Failure::Disk))?;
    }
    put(&files.markdown, |to| {
        to.write_all(markdown::text(manifest, &data).as_bytes())?;
        to.write_all(levels::markdown(levels, markdown::plain).as_bytes())?;
        to.write_all(data.across.markdown(markdown::plain).as_bytes())?;
        to.write_all(groundings.markdown().as_bytes()).map_err(Failure::Disk)
    })?;
    put(&files.html, |to| {
        files.pictures = html::write(to, run, out, &data)?;
        Ok(())
    })?;
    Ok(files)
}

/// Writes the page alone into `file`, with the steps and pictures of as many episodes as go into about `bytes`, failures
/// first: it needs nothing beside it.
pub fn write_alone(
    run: &RunFolder,
    results: &[EpisodeResult],
    scores: &Scores,
    file: &Path,
    offline: &[Offline],
    bytes: u64,
) -> Result<PictureCount, ReportError> {
    let mut data = data::Data::new(&run.manifest, results, scores);
    data.across = Across::of(&run.manifest, results, offline);
    data.mutants = mutants::read(run.path());
    let mut pictures = PictureCount::default();
    put(file, |to| {
        pictures = html::write_alone(to, run, &data, bytes)?;
        Ok(())
    })?;
    Ok(pictures)
}

/// Why a file could not be made; the file's name is added by [`put`].
enum Failure {
    Disk(std::io::Error),
    Other(ReportError),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Disk(error)
    }
}

impl From<minijinja::Error> for Failure {
    fn from(error: minijinja::Error) -> Self {
        Self::Other(error.into())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Other(error.into())
    }
}

/// Writes a file beside `path` and renames it: whoever opens `path` sees a whole report.
fn put(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<(), ReportError> {
    let temp = path.with_extension(format!("tmp{}", std::process::id()));
    // Left by a process of this number; or put there, as a link to elsewhere.
    let _ = fs::remove_file(&temp);
    let written = (|| {
        let mut to = BufWriter::new(File::create_new(&temp)?);
        fill(&mut to)?;
        to.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_data()?;
        fs::rename(&temp, path)?;
        Ok(())
    })();
    written.map_err(|failure| {
        // Best effort: the reason for the failure is what counts.
        let _ = fs::remove_file(&temp);
        match failure {
            Failure::Disk(source) => ReportError::Write { path: path.to_owned(), source },
            Failure::Other(error) => error,
        }
    })
}
