//! `waldo score`.

use std::path::PathBuf;

use waldo_devices::count::{count, either};
use waldo_tasks::score;

use super::{CliError, print_json, read};
use crate::exit;
use crate::numbers::whole;

/// Score a file of episodes: SR and EQA.
///
/// The file is JSON: {"max_steps": 15, "episodes": [{"success": 1, "steps": 5}, ...]}. Success may be
/// fractional; the order is the array's, and EQA depends on it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waldo score results.json --json")]
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
    if args.json {
        print_json(&summary)?;
    } else {
        println!("episodes    {}", summary.n);
        println!("SR          {:.4}", summary.sr);
        println!("EQA         {:.4}", summary.eqa);
        println!("EQA (step)  {:.4}", summary.eqa_step);
        println!("EQA (exact) {:.4}", summary.eqa_exact);
        println!("mean steps  {:.2}", summary.mean_steps);
    }
    Ok(exit::OK)
}
