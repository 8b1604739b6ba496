//! `waldo report`.

use std::path::PathBuf;

use waldo_tasks::RunFolder;

use super::tables::{Tables, declared_budgets};
use super::{CliError, print_json};
use crate::exit;
use crate::report::{self, ReportOptions};

/// Write the report of a run again: report.html, results.csv, junit.xml, summary.md, summary.json.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  waldo report runs/demo\n  waldo report runs/demo --budgets 15,50 --json"
)]
pub struct Args {
    /// The run folder.
    run: PathBuf,
    /// Where the files go [default: the run folder].
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Print the table as if each episode had been stopped after this many steps.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// Step budgets that the table and the report are also made for [default: those that the suite declares].
    #[arg(long, value_name = "STEPS,...", value_delimiter = ',', value_parser = crate::cli::tables::budget)]
    budgets: Vec<u32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<u8, CliError> {
    let folder = RunFolder::open(&args.run)?;
    let out = args.out.as_deref().unwrap_or(&args.run);
    std::fs::create_dir_all(out)
        .map_err(|source| CliError::Io { what: format!("cannot make {}", out.display()), source })?;
    let budgets =
        if args.budgets.is_empty() { declared_budgets(folder.manifest()) } else { args.budgets.clone() };
    let tables = Tables::of(&folder, args.budget, &budgets)?;
    let options = ReportOptions { budgets, ..ReportOptions::default() };
    let files = report::write_with(&folder, out, &options)?;
    if args.json {
        let mut said = tables.json();
        said["report"] = serde_json::json!(files.html);
        print_json(&said)?;
    } else {
        print!("{}", tables.text());
        println!("\nreport: {}", files.html.display());
    }
    Ok(exit::OK)
}
