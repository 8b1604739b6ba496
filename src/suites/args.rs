//! Flags of suites.

use std::path::PathBuf;

use waldo_tasks::miniwob::PageTimer;
use waldo_tasks::widgets::Control;

use super::osworld_args::{DocumentArgs, OsworldArgs};
use super::webarena_args::WebarenaArgs;

/// Where suites are that are not built in.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SuiteArgs {
    /// The folder of the miniwob package, for the suite miniwob (see scripts/miniwob).
    #[arg(long, help_heading = "Suites", value_name = "DIR")]
    pub miniwob_dir: Option<PathBuf>,
    #[command(flatten)]
    pub osworld: OsworldArgs,
    #[command(flatten)]
    pub webarena: WebarenaArgs,
}

/// What is particular about playing some suites.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PlayArgs {
    /// The timer of MiniWoB++'s pages: off, page (each page's own, mostly 10 s), or milliseconds.
    #[arg(long, help_heading = "Suites", value_name = "off|page|MS", default_value_t)]
    pub miniwob_timer: PageTimer,
    /// What the agent reference carries out in the suite widgets: the solution (oracle), a state chosen at
    /// random (random), or the solution of another instance (blind). With blind the agent frames gets blank
    /// pictures.
    #[arg(long, help_heading = "Suites", value_name = "oracle|random|blind", default_value_t)]
    pub widgets_control: Control,
    #[command(flatten)]
    pub documents: DocumentArgs,
}
