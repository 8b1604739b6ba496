//! `waldo report`.

use std::fmt::Write as _;
use std::path::PathBuf;

use waldo_tasks::score::Row;
use waldo_tasks::{RunFolder, score};

use super::{CliError, print_json};
use crate::exit;
use crate::report;

/// Write the report of a run again: report.html, results.csv, junit.xml, summary.md, summary.json.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  waldo report runs/demo\n  waldo report runs/demo --budget 15 --json")]
pub struct Args {
    /// The run folder.
    run: PathBuf,
    /// Where the files go [default: the run folder].
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Print the table as if each episode had been stopped after this many steps.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<u8, CliError> {
    let folder = RunFolder::open(&args.run)?;
    let out = args.out.as_deref().unwrap_or(&args.run);
    std::fs::create_dir_all(out)
        .map_err(|source| CliError::Io { what: format!("cannot make {}", out.display()), source })?;
    let files = report::write(&folder, out)?;
    let rows = score::table(folder.manifest(), &folder.results()?, args.budget);
    if args.json {
        print_json(&serde_json::json!({ "report": files.html, "table": rows }))?;
    } else {
        print!("{}", text_table(&rows));
        println!("\nreport: {}", files.html.display());
    }
    Ok(exit::OK)
}

/// The score table for a terminal.
pub fn text_table(rows: &[Row]) -> String {
    let width = rows.iter().map(|r| r.contestant.name.len()).max().unwrap_or(0).max(10);
    let mut text = format!(
        "{:<width$}  {:>5}  {:>7}  {:>15}  {:>6}  {:>15}  {:>8}  {:>8}  {:>5}  {:>7}  {:>7}\n",
        "agent", "n", "SR", "95 %", "EQA", "95 %", "EQAstep", "EQAexact", "steps", "invalid", "missing"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{:<width$}  {:>5}  {:>6.1}%  {:>15}  {:>6.4}  {:>15}  {:>8.4}  {:>8.4}  {:>5.1}  {:>7}  {:>7}",
            row.contestant.name,
            row.n,
            100.0 * row.sr,
            format!("{:.1}-{:.1}%", 100.0 * row.sr_ci.0, 100.0 * row.sr_ci.1),
            row.eqa,
            format!("{:.3}-{:.3}", row.eqa_ci.0, row.eqa_ci.1),
            row.eqa_step,
            row.eqa_exact,
            row.mean_steps,
            row.invalid,
            row.missing,
        );
    }
    text
}
