//! `waldo eval`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use waldo_agents::appagent::AppAgentOptions;
use waldo_devices::{Budget, Deadline, Device as _};
use waldo_prompts::Prompts;
use waldo_tasks::record::RECORD_FORMAT;
use waldo_tasks::runner::{GoalHook, Options, Recorder, Run};
use waldo_tasks::site_task::SiteTask;
use waldo_tasks::suite::Suite;
use waldo_tasks::{Contestant, Manifest, RunFolder, Sink, Task, TaskError, score};

use super::browser::BrowserArgs;
use super::label::Style;
use super::partition::Partition;
use super::{CliError, print_json};
use crate::agents::{AGENTS, Agents, ModelArgs};
use crate::exit;
use crate::progress::Progress;
use crate::report;
use crate::serve::{ReferenceModel, Registry, Sites};
use crate::web::WebSource;

/// Evaluate agents on a suite of tasks.
///
/// Every episode gets a browser context and a state of its own. Results are kept as they come: the same
/// command goes on where a stopped run was. Episodes that waldo could not carry out are invalid: they
/// are tried again, and reported apart from the score.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waldo eval l3-web --agent reference --agent baseline --agent random --agent noop --workers 4
  waldo eval l3-web --agent appagent --model my-model --base-url http://127.0.0.1:8000/v1
  waldo eval ./my-suite --agent appagent --model reference --task my-task
  waldo eval l3-web --agent baseline --partition slice:1/3 --out part1   # then: waldo merge")]
pub struct Args {
    /// A built-in suite (see waldo tasks), a folder with a suite.toml, or miniwob.
    suite: String,
    /// The agent; may be given several times for a table that compares them.
    #[arg(short, long = "agent", value_name = "NAME", required = true, value_parser = AGENTS)]
    agents: Vec<String>,
    #[command(flatten)]
    model: ModelArgs,
    /// Only these tasks; may be given several times.
    #[arg(short, long = "task", value_name = "ID")]
    tasks: Vec<String>,
    /// Episodes at once.
    #[arg(short, long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: u16,
    /// Episodes per task and agent, each with a seed of its own.
    #[arg(short, long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeats: u32,
    /// Run seed: the same seed gives the same instances.
    #[arg(short, long, default_value_t = 0)]
    seed: u64,
    /// Steps per episode, in place of each task's own budget.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
    /// Tokens per episode.
    #[arg(long, value_name = "TOKENS")]
    max_tokens_total: Option<u64>,
    /// US dollars per episode; needs --prices.
    #[arg(long, value_name = "USD")]
    max_cost: Option<f64>,
    /// Seconds per episode.
    #[arg(long, value_name = "SECONDS")]
    max_time: Option<u64>,
    /// The run folder [default: runs/SUITE-AGENTS-sSEED].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Play only a part of the episodes; `waldo merge` puts parts together.
    #[arg(long, value_name = "slice:M/N")]
    partition: Option<Partition>,
    /// Attempts at an episode before it counts as invalid.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    attempts: u32,
    /// How tags look.
    #[arg(long, value_enum, default_value = "boxes")]
    style: Style,
    /// The folder of the miniwob package, for the suite miniwob (see scripts/miniwob).
    #[arg(long, value_name = "DIR")]
    miniwob_dir: Option<PathBuf>,
    /// Milliseconds of MiniWoB++'s own page timer; 0 switches it off.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    miniwob_timer: u64,
    /// Write no report.
    #[arg(long)]
    no_report: bool,
    /// Print the score table as JSON; progress goes to standard error.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    browser: BrowserArgs,
}

/// The tasks of a run and what the manifest says of their suite.
struct Chosen {
    id: String,
    hash: String,
    tasks: Vec<Arc<dyn Task>>,
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    let registry = Registry::default();
    let sites = Arc::new(Sites::start().await?);
    let chosen = choose(&args, &sites)?;
    let reference = match args.model.model.as_deref() {
        Some("reference") => Some(ReferenceModel::start(([127, 0, 0, 1], 0).into(), registry.clone()).await?),
        _ => None,
    };
    let prompts = Arc::new(Prompts::builtin().map_err(waldo_agents::AgentError::from)?);
    let contestants = contestants(&args, reference.as_ref())?;
    let web = Arc::new(WebSource::new(args.browser.origin(), args.browser.options(), None));
    let device = {
        let deadline = Deadline::after(Duration::from_secs(60));
        web.browser(deadline).await?.new_device(&args.browser.options())?.info()
    };
    let manifest = Manifest {
        format: RECORD_FORMAT,
        waldo: env!("CARGO_PKG_VERSION").into(),
        commit: option_env!("WALDO_COMMIT").map(Into::into),
        suite: chosen.id.clone(),
        suite_hash: chosen.hash.clone(),
        tasks: chosen.tasks.iter().map(|task| task.entry()).collect(),
        partition: args.partition.map(|p| p.to_string()),
        contestants: contestants.iter().map(|(c, _)| c.clone()).collect(),
        seed: args.seed,
        repeats: args.repeats,
        max_steps: args.max_steps,
        prompts: prompts.hashes(),
        parameters: parameters(&args),
        device,
        started: Timestamp::now(),
    };
    let out = args.out.clone().unwrap_or_else(|| default_out(&manifest));
    let folder = RunFolder::create_or_resume(&out, manifest)?;
    let mut keys: Vec<_> = folder.keys().collect();
    if let Some(partition) = args.partition {
        keys = partition.of(keys);
    }
    let missing = keys.iter().filter(|key| !folder.episode(key).is_done()).count();
    let progress = Arc::new(Progress::new(missing));
    let sinks: Vec<Arc<dyn Sink>> = vec![Arc::new(Recorder::new(folder.clone())), progress.clone()];
    let cancel = CancellationToken::new();
    let stopper = tokio::spawn(stop_on_signal(cancel.clone()));
    let on_goal: Arc<GoalHook> = Arc::new(move |goal| {
        registry.add(goal.origin.as_deref(), &goal.text, &goal.reference);
    });
    let played = Run {
        folder: folder.clone(),
        tasks: chosen.tasks,
        devices: web.clone(),
        agents: Arc::new(Agents::new(
            contestants,
            prompts,
            AppAgentOptions {
                mode: args.model.mode(),
                max_tokens: args.model.max_tokens,
                ..AppAgentOptions::default()
            },
        )),
        sink: Arc::new(sinks),
        on_goal,
        options: options(&args),
        cancel: cancel.clone(),
    }
    .play(keys)
    .await;
    stopper.abort();
    progress.finish();
    web.close().await;
    let played = match played {
        Ok(played) => played,
        Err(e) => {
            eprintln!("what is complete is kept in {}; the same command goes on from there", out.display());
            return Err(e.into());
        }
    };
    if cancel.is_cancelled() {
        eprintln!(
            "stopped with {} of {} episodes missing; resume with the same command:\n  {}",
            played.missing,
            played.missing + played.played + played.kept,
            command_line()
        );
        return Ok(exit::STOPPED);
    }
    finish(&args, &folder)
}

fn finish(args: &Args, folder: &RunFolder) -> Result<u8, CliError> {
    let results = folder.results()?;
    let rows = score::table(folder.manifest(), &results, None);
    let written = if args.no_report { None } else { Some(report::write(folder, folder.path())?) };
    if args.json {
        print_json(&serde_json::json!({
            "run": folder.path(),
            "report": written.as_ref().map(|files| &files.html),
            "table": rows,
        }))?;
    } else {
        print!("{}", super::report::text_table(&rows));
        if let Some(files) = &written {
            println!("\nreport: {}", files.html.display());
        }
    }
    let invalid = rows.iter().any(|row| row.invalid > 0);
    Ok(if invalid { exit::INVALID } else { exit::OK })
}

fn choose(args: &Args, sites: &Arc<Sites>) -> Result<Chosen, CliError> {
    let (id, hash, mut tasks) = if args.suite == "miniwob" {
        let dir = args.miniwob_dir.as_ref().ok_or_else(|| {
            CliError::Input(
                "the suite miniwob needs --miniwob-dir DIR; scripts/miniwob fetches the package".into(),
            )
        })?;
        let suite = waldo_tasks::miniwob::Miniwob::open(dir, args.miniwob_timer)?;
        let host: Arc<dyn waldo_tasks::suite::SiteHost> = sites.clone();
        ("miniwob".to_owned(), suite.hash().to_owned(), suite.tasks(&host))
    } else {
        let suite = Arc::new(Suite::find(&args.suite)?);
        let host: Arc<dyn waldo_tasks::suite::SiteHost> = sites.clone();
        (suite.id.clone(), suite.hash.clone(), SiteTask::all(&suite, &host))
    };
    if !args.tasks.is_empty() {
        let known: Vec<String> = tasks.iter().map(|task| task.entry().id).collect();
        if let Some(name) = args.tasks.iter().find(|name| !known.contains(name)) {
            return Err(TaskError::UnknownTask { name: name.clone(), suite: args.suite.clone() }.into());
        }
        tasks.retain(|task| args.tasks.contains(&task.entry().id));
    }
    Ok(Chosen { id, hash, tasks })
}

type Contestants = Vec<(Contestant, Option<Arc<dyn waldo_agents::model::ModelClient>>)>;

fn contestants(args: &Args, reference: Option<&ReferenceModel>) -> Result<Contestants, CliError> {
    let mut found: Contestants = Vec::new();
    for agent in &args.agents {
        let entry = if agent == "appagent" {
            let model = args.model.model.as_deref().ok_or_else(|| {
                CliError::Input(
                    "appagent needs --model NAME (and --base-url URL for your own endpoint)".into(),
                )
            })?;
            let base = reference.map_or_else(|| args.model.base_url.clone(), ReferenceModel::base_url);
            (Contestant::new(agent, Some(model)), Some(args.model.client(model, &base)?))
        } else {
            (Contestant::new(agent, None), None)
        };
        if !found.iter().any(|(c, _)| *c == entry.0) {
            found.push(entry);
        }
    }
    Ok(found)
}

fn options(args: &Args) -> Options {
    Options {
        workers: usize::from(args.workers),
        attempts: args.attempts,
        budget: Budget {
            steps: None,
            tokens: args.max_tokens_total,
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "money is small")]
            micro_usd: args.max_cost.map(|usd| (usd.max(0.0) * 1e6) as u64),
            wall: args.max_time.map(Duration::from_secs),
        },
        style: args.style.into(),
        ..Options::default()
    }
}

/// What changes results beside what the manifest names by itself.
fn parameters(args: &Args) -> serde_json::Value {
    serde_json::json!({
        "model": args.model.parameters(),
        "style": format!("{:?}", args.style).to_lowercase(),
        "max_tokens_total": args.max_tokens_total,
        "max_cost": args.max_cost,
        "max_time": args.max_time,
        "miniwob_timer": (args.suite == "miniwob").then_some(args.miniwob_timer),
        "viewport": args.browser.viewport,
        "scale": args.browser.scale,
    })
}

fn default_out(manifest: &Manifest) -> PathBuf {
    let names: Vec<&str> = manifest.contestants.iter().map(|c| c.name.as_str()).collect();
    PathBuf::from("runs").join(format!("{}-{}-s{}", manifest.suite, names.join("_"), manifest.seed))
}

/// The command line as it was typed, for the line that tells how to go on.
fn command_line() -> String {
    std::env::args()
        .map(|arg| {
            if arg.contains([' ', '"', '\'', '$']) {
                format!("'{}'", arg.replace('\'', "'\\''"))
            } else {
                arg
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Ends the run in good order on the first Ctrl-C or SIGTERM, and at once on the second.
pub async fn stop_on_signal(cancel: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut term) = signal(SignalKind::terminate()) else { return };
    loop {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = term.recv() => {}
        }
        if cancel.is_cancelled() {
            std::process::exit(i32::from(exit::STOPPED));
        }
        eprintln!("stopping; once more to stop at once");
        cancel.cancel();
    }
}
