use std::path::PathBuf;
use std::str::FromStr;

use waldo_offline::{LetterRule, PointRule};

use super::LevelError;

/// How the levels L1 and L2 are put to contestants, and read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "L1 and L2")]
pub struct LevelArgs {
    /// The folder of MMBench-GUI's data, for l1 and l2: L1_annotations.json, L2_annotations.json and offline_images.
    #[arg(long, value_name = "DIR")]
    pub mmbench_dir: Option<PathBuf>,
    /// Only a part of the items: of l1 easy, medium or hard, of l2 basic or advanced [default: all].
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Ask each question of l1 once for every position of its right option; it counts if all answers are right.
    #[arg(long)]
    pub circular: bool,
    /// How letters are read in the replies of l1: upstream (as the benchmark does, its defects included) or careful
    /// [default: upstream].
    #[arg(long, value_name = "RULE")]
    pub letters: Option<LetterRule>,
    /// Ask for the places of l2 in the benchmark's form whatever the agent, and read the point in the replies as the
    /// benchmark does for its models: default, uitars, aguvis, or thousand [default: each agent in its own way].
    #[arg(long, value_name = "RULE")]
    pub points: Option<PointRule>,
    /// Score answers of a run that was made elsewhere: a result file of the benchmark (.xlsx), or a line of JSON with
    /// index and prediction for each item; may be given several times, and beside agents.
    #[arg(long, value_name = "[NAME=]FILE")]
    pub predictions: Vec<Predictions>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predictions {
    pub name: String,
    pub file: PathBuf,
}

impl FromStr for Predictions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) if !name.contains('/') => (Some(name.to_owned()), PathBuf::from(file)),
            _ => (None, PathBuf::from(text)),
        };
        let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match name.or_else(stem).filter(|name| !name.is_empty()) {
            Some(name) => Ok(Self { name, file }),
            None => Err(format!("'{text}' names no file")),
        }
    }
}

impl LevelArgs {
    /// Refuses these flags where no offline level is played: a flag that does nothing is a mistake.
    pub fn only_for_levels(&self) -> Result<(), LevelError> {
        let given = [
            ("--mmbench-dir", self.mmbench_dir.is_some()),
            ("--mode", self.mode.is_some()),
            ("--circular", self.circular),
            ("--letters", self.letters.is_some()),
            ("--points", self.points.is_some()),
            ("--predictions", !self.predictions.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((flag, _)) => {
                Err(LevelError::Input(format!("{flag} can only be used with the suites l1 and l2")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_answers_has_a_name() {
        let read = |text: &str| text.parse::<Predictions>().map(|p| (p.name, p.file));
        assert_eq!(read("runs/gpt.xlsx").unwrap(), ("gpt".into(), "runs/gpt.xlsx".into()));
        assert_eq!(read("mine=runs/gpt.xlsx").unwrap(), ("mine".into(), "runs/gpt.xlsx".into()));
        assert_eq!(read("runs/a=b/gpt.xlsx").unwrap(), ("gpt".into(), "runs/a=b/gpt.xlsx".into()));
        assert!(read("").is_err() && read("=").is_err());
    }
}
