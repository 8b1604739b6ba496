use std::path::PathBuf;

use serde::Serialize;
use waldo_devices::count::{count, either};
use waldo_tasks::score::{self, Cluster, EqaScores, Intervals};

use super::{CliError, print_json, read};
use crate::exit;
use crate::numbers::whole;

/// Score a file of episodes: SR and EQA.
///
/// The file is JSON: {"max_steps": 15, "episodes": [{"success": 1, "steps": 5}, ...]}. Success may be
/// fractional; the order is the array's, and EQA depends on it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file; - for standard input.
    file: PathBuf,
    /// Score as if the run had been stopped after this many steps per episode.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u64>(1..))]
    budget: Option<u64>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<u8, CliError> {
    let bytes = if args.file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
            .map_err(|source| CliError::Io { what: "cannot read standard input".into(), source })?;
        bytes
    } else {
        read(&args.file)?
    };
    if bytes.starts_with(b"PK") {
        return Err(CliError::Input(format!(
            "{} is a spreadsheet: MMBench-GUI's answers to L1 and L2 are scored by waldo eval l1|l2 --mmbench-dir DIR \
             --predictions FILE",
            args.file.display()
        )));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::Input(format!("{} is not UTF-8 text", args.file.display())))?;
    let file = score::read_score_file(&text).map_err(|error| {
        CliError::Input(format!("{}: {error} (see 'waldo score --help')", args.file.display()))
    })?;
    let mut episodes = file.scored();
    let budget = args.budget.unwrap_or(file.max_steps);
    if args.budget.is_some() {
        episodes = score::at_budget(&episodes, budget);
    }
    let over = episodes.iter().filter(|episode| episode.steps > budget).count();
    if over > 0 {
        eprintln!(
            "{over} of {} {} more steps than the budget of {budget}, and {} as given; with --budget {budget} {} \
             as not solved",
            count(episodes.len(), "episode"),
            either(over, "has", "have"),
            either(over, "counts", "count"),
            either(over, "it counts", "they count")
        );
    }
    let summary = score::summarize(&episodes, budget);
    let tasks: Vec<Cluster> =
        episodes.into_iter().map(|episode| Cluster { repeats: vec![Some(episode)] }).collect();
    let said = ScoreSummary::of(&summary, score::intervals(&tasks, budget));
    if args.json {
        print_json(&said)?;
    } else {
        print!("{}", said.text());
    }
    Ok(exit::OK)
}

/// What is said of a file; the scores of no episodes are unknown.
#[derive(Serialize)]
struct ScoreSummary {
    n: usize,
    sr: Option<f64>,
    sr_ci: Option<(f64, f64)>,
    eqa: Option<f64>,
    eqa_ci: Option<(f64, f64)>,
    eqa_step: Option<f64>,
    eqa_exact: Option<f64>,
    mean_steps: Option<f64>,
}

impl ScoreSummary {
    fn of(summary: &EqaScores, intervals: Option<Intervals>) -> Self {
        let known = |value: f64| (summary.n > 0).then_some(value);
        Self {
            n: summary.n,
            sr: known(summary.sr),
            sr_ci: intervals.map(|found| found.sr),
            eqa: known(summary.eqa),
            eqa_ci: intervals.map(|found| found.eqa),
            eqa_step: known(summary.eqa_step),
            eqa_exact: known(summary.eqa_exact),
            mean_steps: known(summary.mean_steps),
        }
    }

    fn text(&self) -> String {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.digits$}"))
        };
        let interval = |interval: Option<(f64, f64)>| {
            interval.map_or_else(String::new, |(low, high)| format!("  ({low:.4} to {high:.4})"))
        };
        format!(
            "episodes    {}\nSR          {}{}\nEQA         {}{}\nEQA (step)  {}\nEQA (exact) {}\nmean steps  {}\n",
            self.n,
            number(self.sr, 4),
            interval(self.sr_ci),
            number(self.eqa, 4),
            interval(self.eqa_ci),
            number(self.eqa_step, 4),
            number(self.eqa_exact, 4),
            number(self.mean_steps, 2)
        )
    }
}
