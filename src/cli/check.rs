//! `waldo check`: whether the tasks of a suite can be solved as their authors say, and not without doing anything.

pub(super) mod fault;
mod mutate;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use waldo_devices::count::{count, either};
use waldo_tasks::runner::{AgentSource, Options};
use waldo_tasks::suite::{SiteHost, Suite};
use waldo_tasks::{Contestant, Goal, Manifest, RunFolder, Task, TaskError};

use self::fault::Checked;
use super::real_phone::RealPhoneArgs;
use super::{CliError, Result, print_json};
use crate::agents::{Agents, Player};
use crate::exit;
use crate::numbers::whole;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs, NamedScreen};
use crate::serve::Sites;
use crate::session::{self, Episodes, Opening, Stopped};

/// Check a suite: references must solve its tasks, and doing nothing must not.
///
/// For each task that fails, the first step that went wrong is named with what was done and what came of it, and each
/// check that did not hold with what was found.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The path of a folder with a suite.toml, or a built-in suite.
    suite: String,
    /// Only this task; may be given more than once.
    #[arg(long = "task", value_name = "ID")]
    tasks: Vec<String>,
    /// Seed of the instances.
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// Instances of each task that are checked.
    #[arg(long, default_value_t = 1, value_parser = whole::<u32>(1..=1000))]
    repeats: u32,
    /// Play mutated solutions instead: one with another final state must score 0, one with the same final state must
    /// score 1. Prints a table by kind of mutation, and each wrong score with its difference.
    #[arg(long)]
    mutate: bool,
    /// Mutated solutions of each task, drawn from the instance's seed.
    #[arg(long, value_name = "N", default_value_t = 24, requires = "mutate", value_parser = whole::<u32>(1..=10_000))]
    mutants: u32,
    /// Episodes at once.
    #[arg(short, long, default_value_t = 2, value_parser = whole::<u16>(1..=256))]
    workers: u16,
    /// Keep the record in this folder, for waldo report.
    #[arg(short, long, value_name = "DIR")]
    out: Option<std::path::PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The device of one of the screens that tasks are played on, as NAME=DEVICE; may be given several times.
    #[arg(long = "on", value_name = "NAME=DEVICE", conflicts_with = "device")]
    on: Vec<NamedScreen>,
    #[command(flatten)]
    real_phone: RealPhoneArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

pub async fn run(mut args: Args) -> Result<u8> {
    args.browser.keeps_no_state("check")?;
    let mut suite = Suite::find(&args.suite)?;
    if args.mutate {
        suite.record_states();
    }
    let suite = Arc::new(suite);
    let screens: Vec<_> = suite.entries().into_iter().flat_map(|task| task.screens).collect();
    args.device.for_suite(suite.platform, &screens, &args.on)?;
    args.device.fits(&suite.id, suite.platform)?;
    let real = args.real_phone.on(&args.device)?;
    let host: Arc<dyn SiteHost> = Arc::new(Sites::start().await?);
    let mut tasks = suite.tasks(&host, real);
    let known: BTreeSet<String> = tasks.iter().map(|task| task.entry().id).collect();
    if let Some(name) = args.tasks.iter().find(|name| !known.contains(*name)) {
        return Err(TaskError::UnknownTask { name: name.clone(), suite: args.suite }.into());
    }
    if !args.tasks.is_empty() {
        tasks.retain(|task| args.tasks.contains(&task.entry().id));
    }
    let temporary = tempfile::tempdir()
        .map_err(|source| CliError::Io { what: "cannot make a temporary folder".into(), source })?;
    let out = args.out.as_deref().unwrap_or(temporary.path());
    let session = Opening::on(&args.device, &args.browser).open(Concurrency::All).await?;
    let manifest = Manifest {
        suite: suite.id.clone(),
        suite_hash: suite.hash.clone(),
        tasks: tasks.iter().map(|task| task.entry()).collect(),
        contestants: match args.mutate {
            true => mutate::contestants(args.mutants),
            false => vec![Contestant::new("reference", None), Contestant::new("noop", None)],
        },
        seed: args.seed,
        repeats: args.repeats,
        parameters: match args.mutate {
            true => serde_json::json!({ "check": true, "mutants": args.mutants }),
            false => serde_json::json!({ "check": true }),
        },
        device: Some(session.info().await?),
        ..session::manifest()
    };
    let folder = RunFolder::create_or_resume(out, manifest)?;
    let agents = if args.mutate { mutate::agents() } else { bounds(&folder)? };
    let mut played = episodes(&folder, tasks, agents);
    played.options.workers = session.workers(args.workers.into());
    let (_, stopped) = session.play(&folder, played).await?;
    if stopped == Stopped::Yes {
        eprintln!("stopped");
        return Ok(exit::STOPPED);
    }
    if args.mutate {
        return mutate::tell(&suite, &folder, args.json, args.out.is_some());
    }
    tell(&suite.id, &folder, args.out.as_deref(), args.json)
}

/// The folder's contestants as agents that ask no model.
pub(super) fn bounds(folder: &RunFolder) -> Result<Arc<dyn AgentSource>> {
    let contestants = folder.manifest.contestants.iter().cloned();
    let players = contestants.map(Player::bound).collect::<Result<_, _>>()?;
    Ok(Arc::new(Agents::new(players)))
}

pub(super) fn episodes(
    folder: &RunFolder,
    tasks: Vec<Arc<dyn Task>>,
    agents: Arc<dyn AgentSource>,
) -> Episodes {
    Episodes {
        tasks,
        agents,
        are_recorded: true,
        sinks: Vec::new(),
        on_goal: Arc::new(|_: &Goal| {}),
        options: Options::default(),
        keys: folder.keys().collect(),
    }
}

fn tell(suite: &str, folder: &RunFolder, kept: Option<&Path>, json: bool) -> Result<u8> {
    let mut checked = Vec::new();
    for key in folder.keys() {
        let episode = folder.episode(&key);
        if let Some(result) = episode.result()? {
            let infeasible = folder.manifest.tasks.iter().any(|task| task.id == key.task && task.infeasible);
            checked.push(Checked::of(&result, &episode.events()?, infeasible));
        }
    }
    let invalid = checked.iter().filter(|one| one.is_invalid()).count();
    let faults: Vec<&Checked> = checked.iter().filter(|one| one.is_fault()).collect();
    if json {
        print_json(&serde_json::json!({
            "suite": suite,
            "sound": faults.is_empty(),
            "episodes": checked.len(),
            "faults": faults,
            "run": kept,
        }))?;
    } else {
        for one in &faults {
            print!("{}", one.text());
        }
        let tasks = folder.manifest.tasks.len();
        match faults.len() {
            0 if tasks == 1 => {
                println!("{suite}: its task is solved by its reference, and not by doing nothing")
            }
            0 => {
                println!("{suite}: all {tasks} tasks are solved by their reference, and not by doing nothing")
            }
            n => {
                let (all, are) = (count(checked.len(), "episode"), either(n, "is", "are"));
                println!("{suite}: {n} of {all} {are} not as {} should be", either(n, "it", "they"))
            }
        }
    }
    Ok(match (faults.len(), invalid) {
        (0, _) => exit::OK,
        (all, invalid) if all == invalid => exit::INVALID,
        _ => exit::FAILED,
    })
}
