use std::path::PathBuf;

use waldo_devices::count::{count, either};
use waldo_tasks::{EpisodeKey, RunFolder};

use super::tables::{Tables, declared_budgets};
use super::{CliError, Result, print_json};
use crate::exit;
use crate::report::{self, ReportOptions};

/// Missing episodes that are named.
const SHOWN: usize = 5;

/// Merge the parts of a run into one: the same table as if it had been played in one go.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run folders of the parts.
    #[arg(required = true)]
    parts: Vec<PathBuf>,
    /// The run folder to make.
    #[arg(short, long)]
    out: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<u8> {
    let parts = args.parts.iter().map(|part| RunFolder::open(part)).collect::<Result<Vec<_>, _>>()?;
    twice(&args.parts)?;
    let none = || CliError::Input("give the run folders of the parts".into());
    let first = parts.first().ok_or_else(none)?;
    let mut manifest = first.manifest.clone();
    manifest.partition = None;
    for part in &parts {
        let mut own = part.manifest.clone();
        own.partition = None;
        if let Some(difference) = RunFolder::difference(&manifest, &own) {
            return Err(CliError::Input(format!(
                "{} is a part of another run: {difference}",
                part.path().display()
            )));
        }
    }
    let merged = RunFolder::create_or_resume(&args.out, manifest)?;
    let mut taken = 0;
    for part in &parts {
        for key in part.keys() {
            taken += usize::from(merged.take(part, &key)?);
        }
    }
    let all: Vec<EpisodeKey> = merged.keys().collect();
    let mut missing = Vec::new();
    for key in &all {
        if merged.episode(key).result()?.is_none() {
            missing.push(key.to_string());
        }
    }
    let budgets = declared_budgets(&merged.manifest);
    let options = ReportOptions { budgets, ..ReportOptions::default() };
    let (tables, files) = Tables::with_report(&merged, &merged.results()?, &args.out, &options)?;
    if args.json {
        let mut said = tables.json();
        said["run"] = serde_json::json!(args.out);
        said["episodes"] = taken.into();
        said["missing"] = serde_json::json!(missing);
        said["report"] = serde_json::json!(files.as_ref().ok().map(|files| &files.html));
        print_json(&said)?;
    } else {
        print!("{}", tables.text());
        let report =
            files.as_ref().map_or_else(|_| String::new(), |f| format!("; report: {}", f.html.display()));
        println!("\n{} merged{report}", count(taken, "episode"));
    }
    if let Err(error) = files {
        eprintln!("{}", report::warning(&merged, &error));
    }
    if missing.is_empty() {
        return Ok(exit::OK);
    }
    let shown = missing.get(..SHOWN).unwrap_or(&missing).join(", ");
    let more = missing.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    eprintln!(
        "{} of {} {} in none of the parts ({shown}{more}): merge the other parts into the same --out",
        missing.len(),
        count(all.len(), "episode"),
        either(missing.len(), "is", "are")
    );
    Ok(exit::FAILED)
}

/// Refuses a part that is named twice: another was meant.
fn twice(parts: &[PathBuf]) -> Result<()> {
    let mut seen = Vec::new();
    for part in parts {
        let full = part.canonicalize().unwrap_or_else(|_| part.clone());
        if seen.contains(&full) {
            let part = part.display();
            return Err(CliError::Input(format!("{part} is named twice; name each part once")));
        }
        seen.push(full);
    }
    Ok(())
}
