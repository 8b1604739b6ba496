//! OSWorld's tasks on the command line: where they are, which can be played here, and what of the others.

use std::path::PathBuf;
use std::sync::Arc;

use waldo_tasks::Task;

#[cfg(not(feature = "osworld"))]
use super::CliError;

#[cfg(feature = "osworld")]
mod found;

/// The name that OSWorld's tasks go by.
pub const OSWORLD: &str = "osworld";

/// Which of OSWorld's tasks, and their documents.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "OSWorld")]
pub struct OsworldArgs {
    /// The folder of OSWorld's task files, for osworld: a copy of the benchmark, or any folder of such files.
    #[arg(long, value_name = "DIR")]
    pub osworld_dir: Option<PathBuf>,
    /// A list of OSWorld's tasks, such as test_small, in place of test_all.
    #[arg(long, value_name = "LIST", requires = "osworld_dir")]
    pub osworld_set: Option<String>,
}

/// Where the documents of tasks that are played come from.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "OSWorld")]
pub struct DocumentArgs {
    /// The folder of OSWorld's documents; what is not there is fetched into it [default: waldo/osworld in the
    /// user's cache folder].
    #[arg(long, value_name = "DIR", requires = "osworld_dir")]
    pub osworld_cache: Option<PathBuf>,
    /// Fetch nothing: tasks whose documents are not in the folder are named with the places for them, and
    /// not played.
    #[arg(long, requires = "osworld_dir")]
    pub offline: bool,
    /// Let agents run shell commands in OSWorld's tasks by an action of their own; those of the benchmark open
    /// a terminal for it.
    #[arg(long, requires = "osworld_dir")]
    pub allow_shell: bool,
}

/// The tasks to play, and those that are not.
pub struct Play {
    /// SHA-256 of the files of all.
    pub hash: String,
    /// The list that chose them.
    pub set: Option<String>,
    /// Those that can be played here.
    pub tasks: Vec<Arc<dyn Task>>,
    /// Those that cannot, with the reasons.
    pub left_out: Vec<LeftOut>,
}

/// A task that is not played.
#[derive(Clone, Debug, serde::Serialize)]
pub struct LeftOut {
    /// Its id.
    pub task: String,
    /// The program that it is about.
    pub domain: String,
    /// What is missing.
    pub why: String,
}

#[cfg(not(feature = "osworld"))]
impl OsworldArgs {
    /// Refused: this build has no such tasks.
    ///
    /// # Errors
    /// Always.
    #[allow(clippy::unused_self, reason = "as where the feature is there")]
    pub fn play(&self, _: &DocumentArgs, _: &[String]) -> Result<Play, CliError> {
        Err(left_out_of_the_build())
    }
}

/// What to do about a build without the feature.
#[cfg(not(feature = "osworld"))]
pub fn left_out_of_the_build() -> CliError {
    CliError::Input(
        "this waldo was built without osworld: cargo build --release --features osworld".to_owned(),
    )
}

/// The tasks that are not played, for people.
pub fn told(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let mut text = format!("\nnot played, not scored: {} tasks that cannot be played here\n", left_out.len());
    for left in left_out {
        text.push_str(&format!("  {}/{}: {}\n", left.domain, left.task, left.why));
    }
    text
}
