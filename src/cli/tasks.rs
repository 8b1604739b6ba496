use waldo_devices::count::{count, noun};
use waldo_tasks::record::TaskEntry;

use super::{Result, print_json};
use crate::exit;
use crate::suites::{Listing, PROVIDERS, SuiteArgs, provider};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A built-in suite, the path of a folder with a suite.toml, miniwob, osworld, or webarena.
    suite: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: SuiteArgs,
}

pub fn run(args: &Args) -> Result<u8> {
    let Some(name) = &args.suite else { return all(args.json) };
    match provider(name).list(name, &args.place)? {
        Listing::Tasks { id, title, hash, entries } => list(&id, &title, &hash, &entries, args.json),
        Listing::Survey { json, .. } if args.json => {
            print_json(&json)?;
            Ok(exit::OK)
        }
        Listing::Survey { text, .. } => {
            print!("{text}");
            Ok(exit::OK)
        }
    }
}

fn all(json: bool) -> Result<u8> {
    if json {
        print_json(&waldo_tasks::suite::builtin_ids())?;
        return Ok(exit::OK);
    }
    let mut summaries = Vec::new();
    for provider in PROVIDERS {
        summaries.extend(provider.summaries()?);
    }
    for suite in summaries {
        let tasks = suite.tasks.map_or_else(|| " ".to_owned(), |n| format!("{n:>3} {:<5} ", noun(n, "task")));
        println!("{:<10} {:<4} {:<8} {tasks} {}", suite.id, suite.level, suite.platform, suite.text);
    }
    Ok(exit::OK)
}

fn list(id: &str, title: &str, hash: &str, entries: &[TaskEntry], json: bool) -> Result<u8> {
    if json {
        print_json(&entries)?;
        return Ok(exit::OK);
    }
    println!("{id}: {title} ({}, {})", count(entries.len(), "task"), hash.get(..12).unwrap_or_default());
    for entry in entries {
        let mark = if entry.infeasible { " (infeasible by design)" } else { "" };
        println!(
            "  {:<28} {:<10} {:>3} {:<5}  {}{mark}",
            entry.id,
            entry.category,
            entry.max_steps,
            noun(entry.max_steps, "step"),
            entry.title
        );
    }
    Ok(exit::OK)
}
