//! `waldo tasks`.

use waldo_tasks::suite::{self, Suite};

use super::{CliError, print_json};
use crate::exit;

/// List suites, or the tasks of a suite.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  waldo tasks\n  waldo tasks l3-web\n  waldo tasks ./my-suite --json")]
pub struct Args {
    /// A built-in suite, or the path of a folder with a suite.toml.
    suite: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<u8, CliError> {
    let Some(name) = &args.suite else {
        let ids = suite::builtin_ids();
        if args.json {
            print_json(&ids)?;
        } else {
            for id in ids {
                let suite = Suite::builtin(id)?;
                println!(
                    "{:<10} {:<4} {:<8} {:>3} tasks  {}",
                    suite.id,
                    suite.level,
                    suite.platform.as_str(),
                    suite.tasks.len(),
                    suite.title
                );
            }
            println!(
                "{:<10} {:<4} {:<8}   needs --miniwob-dir (see scripts/miniwob)",
                "miniwob", "L3", "web"
            );
        }
        return Ok(exit::OK);
    };
    let suite = Suite::find(name)?;
    let entries: Vec<_> = suite.tasks.iter().map(|task| task.entry(&suite)).collect();
    if args.json {
        print_json(&entries)?;
        return Ok(exit::OK);
    }
    println!(
        "{}: {} ({} tasks, {})",
        suite.id,
        suite.title,
        entries.len(),
        suite.hash.get(..12).unwrap_or_default()
    );
    for entry in entries {
        let mark = if entry.infeasible { " (infeasible by design)" } else { "" };
        println!(
            "  {:<24} {:<10} {:>3} steps  {}{mark}",
            entry.id, entry.category, entry.max_steps, entry.title
        );
    }
    Ok(exit::OK)
}
