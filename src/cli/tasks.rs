//! `waldo tasks`.

use std::path::{Path, PathBuf};

use waldo_tasks::miniwob::{Miniwob, PageTimer};
use waldo_tasks::record::TaskEntry;
use waldo_tasks::suite::{self, Suite};
use waldo_tasks::widgets::{self, Control, Widgets};

use super::osworld::{OSWORLD, OsworldArgs};
use super::{CliError, print_json};
use crate::exit;

/// List suites, or the tasks of a suite.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  waldo tasks\n  waldo tasks l3-web\n  \
    waldo tasks ./my-suite --json\n  waldo tasks miniwob --miniwob-dir target/miniwob\n  \
    waldo tasks osworld --osworld-dir ./OSWorld")]
pub struct Args {
    /// A built-in suite, the path of a folder with a suite.toml, miniwob, or osworld.
    suite: Option<String>,
    /// The folder of the miniwob package, for the suite miniwob (see scripts/miniwob).
    #[arg(long, value_name = "DIR")]
    miniwob_dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    osworld: OsworldArgs,
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
            let widgets = Widgets::open(Control::Oracle)?;
            println!(
                "{:<10} {:<4} {:<8} {:>3} tasks  {}; a repeat is another instance",
                widgets::SUITE,
                "L3",
                "web",
                widgets.archetypes().len(),
                widgets.title
            );
            println!(
                "{:<10} {:<4} {:<8}   needs --miniwob-dir (see scripts/miniwob)",
                "miniwob", "L3", "web"
            );
            println!(
                "{:<10} {:<4} {:<8}   needs --osworld-dir (see docs/osworld.md)",
                OSWORLD, "L3", "desktop"
            );
        }
        return Ok(exit::OK);
    };
    if name == "miniwob" {
        let suite = miniwob(args.miniwob_dir.as_deref(), PageTimer::Off)?;
        return list("miniwob", "MiniWoB++", suite.hash(), &suite.entries(), args.json);
    }
    if name == OSWORLD {
        return osworld(args);
    }
    if name == widgets::SUITE {
        let suite = Widgets::open(Control::Oracle)?;
        return list(widgets::SUITE, &suite.title, suite.hash(), &suite.entries(), args.json);
    }
    let suite = Suite::find(name)?;
    let entries: Vec<_> = suite.tasks.iter().map(|task| task.entry(&suite)).collect();
    list(&suite.id, &suite.title, &suite.hash, &entries, args.json)
}

/// Says what of OSWorld's tasks can be judged and run here.
#[cfg(feature = "osworld")]
fn osworld(args: &Args) -> Result<u8, CliError> {
    let survey = args.osworld.read()?.survey;
    if args.json {
        print_json(&survey.json())?;
    } else {
        print!("{}", survey.text());
    }
    Ok(exit::OK)
}

#[cfg(not(feature = "osworld"))]
fn osworld(_: &Args) -> Result<u8, CliError> {
    Err(super::osworld::left_out_of_the_build())
}

/// The suite miniwob, from the folder that was asked for.
pub fn miniwob(dir: Option<&Path>, timer: PageTimer) -> Result<Miniwob, CliError> {
    let dir = dir.ok_or_else(|| {
        CliError::Input(
            "the suite miniwob needs --miniwob-dir DIR, the unpacked PyPI package; scripts/miniwob fetches it"
                .into(),
        )
    })?;
    Ok(Miniwob::open(dir, timer)?)
}

fn list(id: &str, title: &str, hash: &str, entries: &[TaskEntry], json: bool) -> Result<u8, CliError> {
    if json {
        print_json(&entries)?;
        return Ok(exit::OK);
    }
    let unit = if entries.len() == 1 { "task" } else { "tasks" };
    println!("{id}: {title} ({} {unit}, {})", entries.len(), hash.get(..12).unwrap_or_default());
    for entry in entries {
        let mark = if entry.infeasible { " (infeasible by design)" } else { "" };
        println!(
            "  {:<28} {:<10} {:>3} steps  {}{mark}",
            entry.id, entry.category, entry.max_steps, entry.title
        );
    }
    Ok(exit::OK)
}
