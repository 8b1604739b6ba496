//! `waldo merge`.

use std::path::PathBuf;

use waldo_tasks::RunFolder;

use super::tables::Tables;
use super::{CliError, print_json};
use crate::exit;
use crate::report;

/// Merge the parts of a run into one: the same table as if it had been played in one go.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waldo merge part1 part2 part3 --out runs/whole")]
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

pub fn run(args: &Args) -> Result<u8, CliError> {
    let parts = args.parts.iter().map(|part| RunFolder::open(part)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = parts.first() else {
        return Err(CliError::Input("give the run folders of the parts".into()));
    };
    let mut manifest = first.manifest().clone();
    manifest.partition = None;
    for part in &parts {
        let mut own = part.manifest().clone();
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
    let tables = Tables::of(&merged, None, &[])?;
    let files = report::write(&merged, &args.out)?;
    if args.json {
        let mut said = tables.json();
        said["run"] = serde_json::json!(args.out);
        said["episodes"] = taken.into();
        said["report"] = serde_json::json!(files.html);
        print_json(&said)?;
    } else {
        print!("{}", tables.text());
        println!("\n{taken} episodes merged; report: {}", files.html.display());
    }
    Ok(exit::OK)
}
