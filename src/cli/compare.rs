use std::path::{Path, PathBuf};

use super::{CliError, print_json};
use crate::exit;
use crate::numbers::whole;
use crate::report::ReportError;
use crate::report::compare::{CompareError, CompareOptions, Comparison};

/// Compare contestants of one run or of several, task by task.
///
/// All are compared with the base, on the tasks that both were scored on: the difference of success rate and EQA with
/// its 95 % interval (paired bootstrap over tasks), and the tasks that came out differently, each with both players.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Only this contestant, by its name, or as "name (run)" where several runs have it; may be given several times.
    #[arg(long, value_name = "NAME")]
    contestant: Vec<String>,
    /// The contestant that the others are compared with [default: the first that is under test].
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// Score as if each episode had been stopped after this many steps [default: the smallest budget of the runs].
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(1..))]
    budget: Option<u32>,
    /// Also write a page, with links to the players in the runs' reports.
    #[arg(short, long, value_name = "FILE.html")]
    out: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<u8, CliError> {
    let options =
        CompareOptions { budget: args.budget, contestants: args.contestant.clone(), base: args.base.clone() };
    let comparison = Comparison::of(&args.runs, &options).map_err(|error| match error {
        CompareError::Run(error) => CliError::from(error),
        error => CliError::Input(error.to_string()),
    })?;
    if let Some(out) = &args.out {
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let page = comparison.page(folder).map_err(ReportError::from)?;
        std::fs::write(out, page)
            .map_err(|source| CliError::Io { what: format!("cannot write {}", out.display()), source })?;
    }
    if args.json {
        let mut said = serde_json::to_value(&comparison).map_err(ReportError::from)?;
        if let Some(out) = &args.out {
            said["page"] = serde_json::json!(out);
        }
        print_json(&said)?;
    } else {
        print!("{}", comparison.text());
        if let Some(out) = &args.out {
            println!("\npage: {}", out.display());
        }
    }
    Ok(exit::OK)
}
