//! Flags of OSWorld's tasks.

use crate::numbers::port;
use std::path::PathBuf;

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
    /// Download nothing: tasks whose documents are not in the folder are listed with the places for them, and not
    /// played.
    #[arg(long, requires = "osworld_dir")]
    pub offline: bool,
    /// Let agents run shell commands in OSWorld's tasks with a separate action; the benchmark's agents open a terminal
    /// instead. With --device osworld:URL: let the tasks run their commands on that machine.
    #[arg(long, requires = "osworld_dir")]
    pub allow_shell: bool,
    /// The port at which the browser of --device osworld:URL is debugged [default: 9222].
    #[arg(long, value_name = "PORT", requires = "osworld_dir", value_parser = port)]
    pub osworld_browser_port: Option<u16>,
    /// The password of the user of --device osworld:URL, for tasks that need the superuser [default: password].
    #[arg(long, value_name = "TEXT", requires = "osworld_dir")]
    pub osworld_password: Option<String>,
}
