//! Flags of the frames agent: what its scripts may use up.

use std::time::Duration;

use serde::Serialize;
use waldo_agents::frames::FramesOptions;
use waldo_devices::OriginRule;

use crate::numbers::whole;

/// Tokens that a script's reply has at least: a script that is cut off is of no use.
const TOKENS: u32 = 2_048;

/// What scripts may use up.
#[derive(Clone, Debug, clap::Args, Serialize)]
#[command(next_help_heading = "Frames")]
pub struct FramesArgs {
    /// Questions on pictures that a solving may ask a model; the three stages do not count.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = whole::<u32>(1..=1000))]
    script_questions: u32,
    /// Seconds that one script may run, the device's and the model's work included.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = whole::<u64>(1..=3600))]
    script_time: u64,
    /// Times that the script of a stage is asked for again after an error.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u32>(0..=10))]
    script_repairs: u32,
}

impl FramesArgs {
    /// How the agent plays; `origins` are those that the command line allows.
    pub fn options(&self, max_tokens: u32, origins: &[OriginRule]) -> FramesOptions {
        let mut options = FramesOptions {
            max_tokens: max_tokens.max(TOKENS),
            repairs: self.script_repairs,
            origins: origins.to_vec(),
            ..FramesOptions::default()
        };
        options.limits.model_calls = self.script_questions;
        options.limits.wall = Duration::from_secs(self.script_time);
        options
    }

    /// What changes results, for the manifest.
    pub fn parameters(&self) -> serde_json::Value {
        serde_json::json!(self)
    }
}
