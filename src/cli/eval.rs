mod chosen;
mod env;
#[cfg(feature = "fleet")]
mod fleet;
mod level;
#[cfg(feature = "fleet")]
mod offered;
mod rows;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use waldo_agents::appagent::Mode;
use waldo_devices::count::count;
use waldo_prompts::Prompts;
use waldo_tasks::record::Claim;
use waldo_tasks::runner::{AgentSource, GoalHook, Options};
use waldo_tasks::suite::SiteHost;
use waldo_tasks::{Contestant, EpisodeKey, EventSink, Manifest, RunFolder, Task};

use super::docs_arg::DocsArgs;
use super::label::Style;
use super::partition::Partition;
use super::plan::{PlanLimits, RunPlan};
use super::real_phone::RealPhoneArgs;
use super::secrets::SecretArgs;
use super::tables::{Tables, check_budgets, declared_budgets};
use super::{CliError, Result, print_json};
use crate::agents::{AgentSettings, Agents, PictureArgs, StandIn, agent_names, is_stand_in};
use crate::config::Contestants;
use crate::events::JsonLines;
use crate::exit;
use crate::live::{LiveArgs, LivePage};
use crate::numbers::whole;
use crate::offline::{Level, LevelArgs};
use crate::preflight;
use crate::report::levels::LevelOptions;
use crate::report::{self, ReportError, ReportOptions};
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs, DeviceSpec, HarArgs, NamedScreen};
use crate::serve::{ReferenceModel, Registry, Sites};
use crate::session::{self, Episodes, Opening, Stopped};
use crate::stop::command_line;
use crate::suites::{FoundPerson, LeftOut, PlayArgs, SuiteArgs, SuiteError, left_out_text};
use chosen::Chosen;
pub use env::{EnvArgs, serve};
#[cfg(feature = "fleet")]
pub use offered::{Here, Offered, WorkerFlags};
use rows::{EvalRow, LimitArgs, check_keys, check_origins, person, players, rows};
use settings::{options, parameters};
use waldo_devices::JsonMembers as _;

/// Evaluate agents on a suite of tasks.
///
/// Every episode gets a browser context and a state of its own, or a simulated phone or a private display made anew.
/// Results are kept as they come: the same command goes on where a stopped run was. Episodes that waldo could not carry
/// out are invalid: they are tried again, and reported apart from the score.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Built-in suites (see waldo tasks), folders with a suite.toml, miniwob, osworld, or webarena; several make one table, and
    /// all is every suite that can be played here. Or l1 or l2, the levels of MMBench-GUI that are played on pictures.
    #[arg(required = true, value_name = "SUITE")]
    suites: Vec<String>,
    /// The agent; may be given several times for a table that compares them.
    #[arg(short, long = "agent", value_name = "NAME", required_unless_present_any = ["with_bounds", "contestants", "predictions"], value_parser = agent_names())]
    agents: Vec<String>,
    /// A contestant that the configuration defines as [contestant.NAME]: an agent with its own model, endpoint and
    /// limits; may be given several times, and together with --agent.
    #[arg(long = "contestant", value_name = "NAME")]
    contestants: Vec<String>,
    /// Also play what bounds a score: reference from above; baseline, random, noop and refuser from below.
    #[arg(long)]
    with_bounds: bool,
    /// Only these tasks (with several suites SUITE.TASK); may be given several times.
    #[arg(short, long = "task", value_name = "ID")]
    tasks: Vec<String>,
    /// Episodes at once.
    #[arg(short, long, default_value_t = 2, value_parser = whole::<u16>(1..=256))]
    workers: u16,
    /// Episodes per task and agent, each with a different seed.
    #[arg(short, long, default_value_t = 1, value_parser = whole::<u32>(1..=10_000))]
    repeats: u32,
    /// All repeats of a task play the same instance: groups of attempts, for training.
    #[arg(long)]
    same_instance: bool,
    /// Run seed: the same seed gives the same instances.
    #[arg(short, long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// Steps per episode, in place of each task's own budget.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(1..))]
    max_steps: Option<u32>,
    #[command(flatten)]
    limits: LimitArgs,
    /// The run folder [default: runs/SUITE-AGENTS-sSEED].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Play only a part of the episodes; `waldo merge` puts parts together.
    #[arg(long, value_name = "slice:M/N")]
    partition: Option<Partition>,
    /// Attempts at an episode before it counts as invalid.
    #[arg(long, default_value_t = 3, value_parser = whole::<u32>(1..=20))]
    attempts: u32,
    /// How tags look [default: boxes; with --compat on a phone appagent].
    #[arg(long, value_enum)]
    style: Option<Style>,
    /// Make the table and the report also for these step budgets, from the same episodes. Without --max-steps the run
    /// is played with the largest.
    #[arg(long, value_name = "STEPS,...", value_delimiter = ',', value_parser = crate::cli::tables::budget)]
    budgets: Vec<u32>,
    #[command(flatten)]
    levels: LevelOptions,
    /// The contestants that the configuration defines.
    #[arg(skip)]
    defined: Contestants,
    /// The rows of the table.
    #[arg(skip)]
    rows: Vec<EvalRow>,
    /// The screens that suites are played on, in place of --device: each by the first of its platform.
    #[arg(skip)]
    screens: Vec<DeviceSpec>,
    /// Whether tasks are named after their suites, where one suite is a part of a run of several.
    #[arg(skip)]
    of_several: bool,
    /// Show what would be played, and play nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print every event as a line of JSON on standard output; the table goes to standard error.
    #[arg(long, conflicts_with_all = ["json", "dry_run"])]
    json_events: bool,
    /// Write no report.
    #[arg(long)]
    no_report: bool,
    /// Print the score table as JSON; progress goes to standard error.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    real_phone: RealPhoneArgs,
    /// The device of one of the screens that tasks are played on, as NAME=DEVICE; may be given several times [default:
    /// the usual device of each screen's platform].
    #[arg(long = "on", value_name = "NAME=DEVICE", conflicts_with = "device")]
    on: Vec<NamedScreen>,
    // Last, for what follows a group of flags would be shown under its heading.
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    settings: AgentSettings,
    #[command(flatten)]
    browser: BrowserArgs,
    #[command(flatten)]
    har: HarArgs,
    #[command(flatten)]
    secrets: SecretArgs,
    #[command(flatten)]
    docs: DocsArgs,
    #[command(flatten)]
    picture: PictureArgs,
    #[command(flatten)]
    live: LiveArgs,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    fleet: fleet::FleetArgs,
    #[cfg(not(feature = "fleet"))]
    #[command(flatten)]
    queue: crate::absent::NoQueue,
    #[command(flatten)]
    place: SuiteArgs,
    #[command(flatten)]
    play: PlayArgs,
    #[command(flatten)]
    offline: LevelArgs,
}

#[derive(clap::Parser)]
struct Unset {
    #[command(flatten)]
    args: Args,
}

impl Args {
    /// The flags as they are where none is given.
    fn usual() -> Result<Self> {
        let unset = <Unset as clap::Parser>::try_parse_from(["waldo", "all", "--with-bounds"]);
        Ok(unset.map_err(|error| CliError::Internal(error.to_string()))?.args)
    }

    /// The model of a contestant that the configuration defines, to play tasks' persons.
    fn person(&self, name: &str) -> FoundPerson {
        person(self, name).map_err(|error| SuiteError::Input(error.to_string()))
    }

    fn names(&self) -> Vec<&str> {
        self.rows.iter().map(|row| row.contestant.agent.as_str()).collect()
    }

    /// Steps per episode where they are not each task's own.
    fn max_steps(&self, chosen: &Chosen) -> Option<u32> {
        let own = self.max_steps.or_else(|| self.budgets.iter().copied().max());
        own.or_else(|| chosen.max_steps(&self.names()))
    }

    /// The budgets that tables are also made for: those that were asked for, else the suite's own below t_max.
    fn shown_budgets(&self, folder: &RunFolder) -> Vec<u32> {
        if !self.budgets.is_empty() {
            return self.budgets.clone();
        }
        declared_budgets(&folder.manifest)
    }

    fn is_played_elsewhere(&self) -> bool {
        #[cfg(feature = "fleet")]
        {
            self.fleet.is_on()
        }
        #[cfg(not(feature = "fleet"))]
        {
            false
        }
    }

    fn folder(&self, suite: &str, contestants: &[Contestant]) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            let names: Vec<&str> = contestants.iter().map(|c| c.name.as_str()).collect();
            PathBuf::from("runs").join(format!("{suite}-{}-s{}", names.join("_"), self.seed))
        })
    }
}

/// Plays, or plans, what the command line says; `defined` are the contestants of the configuration.
pub async fn run(mut args: Args, defined: &Contestants) -> Result<u8> {
    #[cfg(not(feature = "fleet"))]
    args.queue.refuse()?;
    if let Some(level) = args.suites.iter().find_map(|suite| Level::of(suite)) {
        return level::run(&args, level, defined).await;
    }
    args.offline.only_for_levels()?;
    if let Some(own) = args.max_steps {
        check_budgets(&args.budgets, own)?;
    }
    args.browser.keeps_no_state("eval")?;
    if args.is_played_elsewhere() && args.har.har.is_some() {
        let message = "--har records on the machine that plays, and workers of a queue play on theirs: leave one of the two out";
        return Err(CliError::Input(message.to_owned()));
    }
    args.browser.har = args.har.traffic();
    let registry = Registry::default();
    let host: Arc<dyn SiteHost> = Arc::new(Sites::start().await?);
    args.defined = defined.clone();
    let mut chosen = Chosen::open(&args, &host)?;
    args.rows = rows(&args, defined)?;
    check_origins(&args.rows, &chosen)?;
    chosen.check(&args)?;
    let elsewhere = args.is_played_elsewhere();
    if !elsewhere {
        check_keys(&args.rows)?;
    }
    let mut models = args.rows.iter().filter_map(|row| row.contestant.model.as_deref());
    let reference = match models.any(is_stand_in) && !elsewhere {
        true => Some(ReferenceModel::own(registry.clone()).await?),
        false => None,
    };
    if args.limits.max_cost.is_some() && args.settings.model.prices.is_none() && args.contestants.is_empty() {
        return Err(CliError::Input("--max-cost has no effect without prices: give --prices FILE".into()));
    }
    let prompts = Arc::new(crate::prompts::open(args.settings.model.prompts.as_deref())?);
    // Whoever plays has the keys, the secrets and the documentation.
    let (secrets, (players, questions)) = match elsewhere {
        true => Default::default(),
        false => (args.secrets.read()?, players(&args, &prompts, reference.as_ref())?),
    };
    let names: Vec<Contestant> = args.rows.iter().map(|row| row.contestant.clone()).collect();
    let out = args.folder(&chosen.id(), &names);
    if let Ok(earlier) = RunFolder::open(&out)
        && args.device.flags.go_on_as(&earlier.manifest.parameters)
    {
        chosen.read_text_as(&args.device);
    }
    let (tasks, left_out) = (chosen.tasks(), chosen.left_out());
    if args.dry_run {
        let plan = plan(&args, &chosen, &tasks, &names, &out);
        if args.json {
            let mut said = serde_json::json!(plan);
            said.put_filled("left_out", &left_out);
            print_json(&said)?;
        } else {
            plan.print();
            print!("{}", left_out_text(&left_out));
        }
        return Ok(exit::OK);
    }
    let manifest = manifest(&args, &chosen, &prompts)?;
    let claim = Claim::of(&out, manifest)?;
    let mut keys: Vec<_> = claim.folder().keys().collect();
    if let Some(partition) = args.partition {
        keys = partition.of(keys);
    }
    let missing = keys.iter().filter(|key| !claim.folder().episode(key).is_done()).count();
    if missing == 0 && !claim.new {
        // It is all there: nothing has to be started to tell of it.
        return finish(&args, &claim.write()?, &left_out);
    }
    #[cfg(feature = "fleet")]
    if elsewhere {
        return fleet::play(&args, &chosen, claim, keys, &left_out).await;
    }
    // Before anything is started for a model that cannot be asked.
    preflight::ask(&questions).await?;
    // Those that judge are sent no pictures: they are not asked below.
    preflight::ask(&chosen.take_questions()).await?;
    let read_webp = args.picture.asks_endpoints() && preflight::read_webp(&questions).await;
    let live = LivePage::start(args.live).await?;
    let opening = Opening::on(chosen.device(), &args.browser).routed(chosen.routes()).secrets(secrets);
    let opening = if let Some(live) = &live { opening.approver(live.approver()) } else { opening };
    let session = opening.open(Concurrency::All).await?;
    let folder = claim.on(session.info().await?)?;
    let options =
        Options { workers: session.workers(args.workers.into()), ..options(&args, &chosen, read_webp) };
    if options.workers < usize::from(args.workers) {
        eprintln!("{} at once: there are no more devices", options.workers);
    }
    let mut sinks: Vec<Arc<dyn EventSink>> = Vec::new();
    if args.json_events {
        sinks.push(Arc::new(JsonLines::default()));
    }
    if let Some(live) = &live {
        live.shows(&folder, &chosen.id(), missing);
        sinks.push(live.sink());
    }
    let stand_in = reference.map(|model| StandIn::new(model, registry.clone()));
    let on_goal = on_goal(registry);
    let agents: Arc<dyn AgentSource> = Arc::new(Agents::new(players).with_stand_in(stand_in));
    let episodes = Episodes {
        tasks,
        agents: match &live {
            Some(live) => live.all_steered(agents),
            None => agents,
        },
        are_recorded: true,
        sinks,
        on_goal,
        options,
        keys,
    };
    let played = session.play(&folder, episodes).await;
    if let Some(live) = live {
        live.end(&format!("The run has ended; its record is in {}.", out.display())).await;
    }
    let (played, stopped) = match played {
        Ok(played) => played,
        Err(e) => {
            eprintln!("completed episodes are saved in {}; once this is fixed,", out.display());
            eprintln!("resume with: {}", command_line());
            tell_so_far(&args, &folder);
            return Err(e.into());
        }
    };
    if stopped == Stopped::Yes {
        let all = played.missing + played.played + played.kept;
        eprintln!("stopped with {} of {} missing", played.missing, count(all, "episode"));
        eprintln!("resume with: {}", command_line());
        tell_so_far(&args, &folder);
        return Ok(exit::STOPPED);
    }
    finish(&args, &folder, &left_out)
}

fn manifest(args: &Args, chosen: &Chosen, prompts: &Prompts) -> Result<Manifest> {
    Ok(Manifest {
        suite: chosen.id(),
        suite_hash: chosen.hash(),
        tasks: chosen.tasks().iter().map(|task| task.entry()).collect(),
        partition: args.partition.map(|p| p.to_string()),
        contestants: args.rows.iter().map(|row| row.contestant.clone()).collect(),
        seed: args.seed,
        repeats: args.repeats,
        same_instance: args.same_instance,
        max_steps: args.max_steps(chosen),
        prompts: prompts.hashes(),
        parameters: crate::masking::json(parameters(args, chosen)?),
        ..session::manifest()
    })
}

fn on_goal(registry: Registry) -> Arc<GoalHook> {
    Arc::new(move |goal| {
        registry.add(goal.origin.as_deref(), &goal.text, &goal.reference);
        if let Some((archetype, seed)) = &goal.widget {
            registry.add_widget(goal.origin.as_deref(), &goal.text, archetype, *seed);
        }
    })
}

/// Writes the report of what there is, where the run ends before its end: it must not hide why.
fn tell_so_far(args: &Args, folder: &RunFolder) {
    if args.no_report {
        return;
    }
    let options = ReportOptions {
        budgets: args.shown_budgets(folder),
        levels: args.levels.clone(),
        ..ReportOptions::default()
    };
    let written = folder.results().map_err(ReportError::from);
    let written = written.and_then(|results| report::write_with(folder, &results, folder.path(), &options));
    match written {
        Ok(files) => eprintln!("report so far: {}", files.html.display()),
        Err(error) => eprintln!("{}", report::warning(folder, &error)),
    }
}

fn finish(args: &Args, folder: &RunFolder, left_out: &[LeftOut]) -> Result<u8> {
    let budgets = args.shown_budgets(folder);
    let options = ReportOptions { budgets, levels: args.levels.clone(), ..ReportOptions::default() };
    let results = folder.results()?;
    let (tables, report) = if args.no_report {
        (Tables::of(&folder.manifest, &results, &options)?, None)
    } else {
        let (tables, files) = Tables::with_report(folder, &results, folder.path(), &options)?;
        match files {
            Ok(files) => (tables, Some(files.html)),
            Err(error) => {
                eprintln!("{}", report::warning(folder, &error));
                (tables, None)
            }
        }
    };
    if args.json {
        let mut said = tables.json();
        said["run"] = serde_json::json!(folder.path());
        said["report"] = serde_json::json!(report);
        said.put_filled("left_out", left_out);
        print_json(&said)?;
    } else {
        let mut text = tables.text();
        text.push_str(&left_out_text(left_out));
        if let Some(report) = &report {
            text.push_str(&format!("\nreport: {}\n", report.display()));
        }
        if args.json_events { eprint!("{text}") } else { print!("{text}") }
    }
    Ok(match (tables.has_invalid(), left_out.is_empty()) {
        (true, _) => exit::INVALID,
        (false, false) => exit::LEFT_OUT,
        (false, true) => exit::OK,
    })
}

fn plan(
    args: &Args,
    chosen: &Chosen,
    tasks: &[Arc<dyn Task>],
    contestants: &[Contestant],
    out: &Path,
) -> RunPlan {
    let mut keys = episode_keys(contestants, args.repeats, tasks);
    if let Some(partition) = args.partition {
        keys = partition.of(keys);
    }
    let limits = args.rows.iter().map(|row| PlanLimits {
        tokens: row.own.limits.max_tokens_total,
        usd: row.own.limits.max_cost,
        questions: if row.own.settings.model.mode() == Mode::Tolerant { 2 } else { 1 },
    });
    let played: Vec<_> = contestants.iter().zip(limits).collect();
    RunPlan::of(&chosen.id(), tasks, &played, &keys, (args.repeats, args.max_steps(chosen)), out)
}

/// Every episode in the declared order, as the run's folder will have them.
fn episode_keys(contestants: &[Contestant], repeats: u32, tasks: &[Arc<dyn Task>]) -> Vec<EpisodeKey> {
    let mut keys = Vec::new();
    for contestant in contestants {
        for repeat in 0..repeats {
            for task in tasks {
                let (contestant, task) = (contestant.name.clone(), task.entry().id);
                keys.push(EpisodeKey { contestant, task, repeat });
            }
        }
    }
    keys
}
