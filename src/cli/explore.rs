use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use waldo_agents::appagent::Mode;
use waldo_agents::appagent::learn::{ExploreOptions, Explorer, StopRule};
use waldo_devices::count::count;
use waldo_devices::{Budget, Deadline, LabelStyle};
use waldo_prompts::Prompts;
use waldo_tasks::docs::DocsStore;
use waldo_tasks::episode::{Timeouts, film};
use waldo_tasks::explore::{Exploration, ExplorationState, ExploreSpec, Explored, OnSensitive};
use waldo_tasks::record::{Claim, TaskEntry};
use waldo_tasks::{Contestant, Emitter, EpisodeKey, Event, EventKind, EventSink, Manifest, RunFolder};

use super::ask::AtTerminal;
use super::guard::GuardArgs;
use super::label::Style;
use super::learner::Learner;
use super::start::{Start, StartArgs};
use super::{Result, print_json};
use crate::agents::ModelArgs;
use crate::exit;
use crate::live::{LiveArgs, LivePage};
use crate::numbers::{decimal, port, whole};
use crate::report;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs};
use crate::session::{self, Opening};
use crate::watch::Watch;

/// What is explored for when nothing else is said.
const GOAL: &str = "Get to know this app: try each thing that can be used, and find out what it does.";

/// Let an agent try out an app and write down what each element does.
///
/// The documentation goes into a folder that people can read and edit (waldo docs) and that run and eval
/// give to an agent with --docs. What may pay, send or delete is left alone unless you say otherwise. The
/// same command goes on where a stopped exploration was.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    start: StartArgs,
    /// The folder of documentation.
    #[arg(long, value_name = "DIR", default_value = "docs")]
    docs: PathBuf,
    /// The agent.
    #[arg(short, long, default_value = "appagent", value_parser = ["appagent"])]
    agent: String,
    /// What to explore for.
    #[arg(long, value_name = "WORDS", default_value = GOAL)]
    goal: String,
    /// Step budget.
    #[arg(short = 'n', long, alias = "max-steps", default_value_t = 40, value_parser = whole::<u32>(1..))]
    steps: u32,
    /// Token budget.
    #[arg(long, value_name = "TOKENS", value_parser = whole::<u64>(0..))]
    max_tokens_total: Option<u64>,
    /// Cost budget in US dollars; needs --prices.
    #[arg(long, value_name = "USD", requires = "prices", value_parser = decimal::<f64>)]
    max_cost: Option<f64>,
    /// Time limit in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = whole::<u64>(0..))]
    max_time: Option<u64>,
    /// End after this many steps without anything new; 0 for never.
    #[arg(long, value_name = "STEPS", default_value_t = 12, value_parser = whole::<u32>(0..))]
    patience: u32,
    /// What to do with elements that may pay, send or delete: skip it, ask at the terminal, or allow it [default: ask
    /// at a terminal, else skip; allow with --compat, because AppAgent has no such rule].
    #[arg(long, value_enum)]
    on_sensitive: Option<Sensitive>,
    /// An additional word that excludes an element (a trailing * for any ending); may be given several times.
    #[arg(long, value_name = "WORD")]
    sensitive: Vec<String>,
    /// A word that no longer excludes an element; may be given several times.
    #[arg(long, value_name = "WORD")]
    not_sensitive: Vec<String>,
    /// Seconds that AppAgent sleeps between requests, with --compat; without it, waldo waits for a quiet screen.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = decimal::<f64>)]
    request_interval: f64,
    /// How tags look [default: boxes; with --compat on a phone appagent].
    #[arg(long, value_enum)]
    style: Option<Style>,
    /// The run folder [default: runs/explore-APP-AGENT].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print each step.
    #[arg(long)]
    watch: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Serve a page on loopback on which the exploration is watched [default PORT: a free one].
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = port)]
    live: Option<u16>,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    guard: GuardArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Sensitive {
    Skip,
    Ask,
    Allow,
}

#[derive(Debug, Default)]
struct LearningPrinter;

impl EventSink for LearningPrinter {
    fn emit(&self, event: &Event, _picture: Option<&[u8]>) {
        let EventKind::Reflected { step, reflected } = &event.kind else { return };
        let clean = |text: &str| crate::out::plain(text, 160);
        let text = match &reflected.documented {
            Some(doc) => {
                let how = if doc.refined { "refined" } else { "documented" };
                format!("{how} {} ({}): {}", clean(&doc.key), doc.slot, clean(&doc.text))
            }
            None => format!(
                "{}{}",
                reflected.verdict.name(),
                if reflected.free { " (no model asked)" } else { "" }
            ),
        };
        // A closed pipe is no reason to end an exploration.
        eprintln!("[{step}] {text}");
    }
}

fn on_sensitive(args: &Args) -> OnSensitive {
    match args.on_sensitive {
        Some(Sensitive::Skip) => OnSensitive::Skip,
        Some(Sensitive::Ask) => OnSensitive::Ask,
        Some(Sensitive::Allow) => OnSensitive::Allow,
        None if args.model.compat => OnSensitive::Allow,
        None if std::io::stdin().is_terminal() && !args.json => OnSensitive::Ask,
        None => OnSensitive::Skip,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "money is small")]
fn budget(args: &Args) -> Budget {
    Budget {
        steps: None,
        tokens: args.max_tokens_total,
        micro_usd: args.max_cost.map(|usd| (usd.max(0.0) * 1e6) as u64),
        wall: args.max_time.map(Duration::from_secs),
    }
}

/// What tells one exploration from another, for the manifest.
fn parameters(args: &Args) -> serde_json::Value {
    let mut parameters = args.model.parameters();
    parameters["start"] = args.start.parameters();
    parameters["goal"] = args.goal.as_str().into();
    parameters["device"] = args.device.spec().to_string().into();
    if let Some(all) = parameters.as_object_mut() {
        args.device.add_parameters(all);
    }
    parameters
}

fn slug(app: &str) -> String {
    app.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect()
}

fn manifest(args: &Args, start: &Start, contestant: &Contestant, prompts: &Prompts) -> Manifest {
    let title = format!("Explore {}", start.app);
    let platform = args.device.platform();
    Manifest {
        suite: "explore".into(),
        tasks: vec![TaskEntry::single(&slug(&start.app), &title, "exploration", platform, args.steps)],
        contestants: vec![contestant.clone()],
        seed: args.start.seed,
        prompts: prompts.hashes(),
        parameters: crate::masking::json(parameters(args)),
        ..session::manifest()
    }
}

/// Who asks the model, and what it leaves alone.
fn explorer(args: &Args, learner: &Learner, prompts: Arc<Prompts>, style: LabelStyle) -> Explorer {
    let stop = match on_sensitive(args) {
        OnSensitive::Allow => StopRule::none(),
        _ => StopRule::default().with(args.sensitive.clone()).without(&args.not_sensitive),
    };
    let mode = args.model.mode();
    let seconds = if mode == Mode::Compat { args.request_interval.clamp(0.0, 600.0) } else { 0.0 };
    Explorer::new(
        learner.client.clone(),
        prompts,
        ExploreOptions {
            mode,
            max_tokens: args.model.max_tokens,
            style,
            stop,
            interval: Duration::from_secs_f64(seconds),
        },
    )
}

pub async fn run(args: Args) -> Result<u8> {
    let mut start = args.start.start(&args.device, &args.guard).await?;
    let learner = Learner::open(&args.model, "explore").await?;
    let prompts = Arc::new(crate::prompts::open(args.model.prompts.as_deref())?);
    let contestant = Contestant::new(&args.agent, Some(&learner.model));
    let key = EpisodeKey { contestant: contestant.name.clone(), task: slug(&start.app), repeat: 0 };
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("runs").join(format!("explore-{}-{}", key.task, contestant.name)));
    // The step budget may grow when a stopped exploration goes on.
    let claim = Claim::of(&out, manifest(&args, &start, &contestant, &prompts))?;
    learner.preflight().await?;
    let mut store = DocsStore::create(&args.docs, &start.app, "waldo explore")?;
    let cancel = CancellationToken::new();
    let opening = Opening::on(&args.device, &args.browser).approver(AtTerminal::new(cancel.clone()));
    let session = opening.stopped_by(cancel.clone()).open(Concurrency::One).await?;
    let mut device = session.device().await?;
    start.find_app(device.as_mut(), Deadline::after(Duration::from_secs(60))).await?;
    let style = args.model.mode().numbering(&device.info()).style(args.style.map(Into::into));
    let explorer = explorer(&args, &learner, prompts, style);
    let mut folder = claim.on(device.info())?;
    folder.raise_budget(args.steps)?;
    let episode = folder.episode(&key);
    if !args.json
        && let Some(state) = ExplorationState::load(episode.path())?
        && state.ended.is_none()
    {
        eprintln!("going on after step {}", state.step);
    }
    let spec = ExploreSpec {
        key,
        run: out.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        goal: args.goal.clone(),
        start: start.stage.clone(),
        max_steps: args.steps,
        budget: budget(&args),
        patience: args.patience,
        sensitive: on_sensitive(&args),
        style,
        timeouts: args.model.timeouts(Timeouts::default()),
        seed: args.start.seed,
    };
    let live = LivePage::start(LiveArgs { live: args.live, approve: false }).await?;
    if let Some(live) = &live {
        live.shows(&folder, &format!("Explore {}", start.app), 1);
        film(device.as_mut(), &live.frames(&spec.key));
    }
    let events = Emitter::start(Arc::new(sinks(&args, &folder, live.as_ref())))?;
    let explored = {
        let mut exploration = Exploration {
            spec: &spec,
            device: device.as_mut(),
            explorer: &explorer,
            store: &mut store,
            folder: &episode,
            events: &events,
            warden: Some(Arc::new(AtTerminal::new(cancel.clone()))),
        };
        session.unless_stopped(exploration.run()).await
    };
    events.finish().await;
    if let Some(live) = live {
        live.end(&format!("The exploration has ended; its record is in {}.", out.display())).await;
    }
    let closed = session.close(device).await;
    let Some(explored) = explored else {
        eprintln!("stopped; resume with the same command:\n  {}", crate::stop::command_line());
        return Ok(exit::STOPPED);
    };
    let explored = explored.inspect_err(|_| {
        if store.learnt {
            eprintln!(
                "what was learnt is saved in {}; the same command continues from there",
                args.docs.display()
            );
        }
    })?;
    closed?;
    let files = report::write(&folder, folder.path());
    let code = tell(&args, &store, &explored, &out, files.as_ref().ok().map(|files| files.html.as_path()))?;
    if let Err(error) = files {
        eprintln!("{}", report::warning(&folder, &error));
    }
    Ok(code)
}

fn sinks(args: &Args, folder: &RunFolder, live: Option<&LivePage>) -> Vec<Arc<dyn EventSink>> {
    let mut sinks = session::sinks(folder);
    if args.watch {
        sinks.push(Arc::new(Watch));
    }
    if !args.json {
        sinks.push(Arc::new(LearningPrinter));
        say_what_is_barred(on_sensitive(args));
    }
    sinks.extend(live.map(LivePage::sink));
    sinks
}

fn say_what_is_barred(sensitive: OnSensitive) {
    match sensitive {
        OnSensitive::Skip => eprintln!("what may pay, send or delete is left alone (--on-sensitive)"),
        OnSensitive::Ask => eprintln!("what may pay, send or delete is asked about first (--on-sensitive)"),
        OnSensitive::Allow => eprintln!("nothing is left alone: what pays, sends and deletes is tried too"),
    }
}

fn tell(
    args: &Args,
    store: &DocsStore,
    explored: &Explored,
    out: &std::path::Path,
    html: Option<&std::path::Path>,
) -> Result<u8> {
    if args.json {
        print_json(&serde_json::json!({
            "explored": explored, "run": out, "docs": store.path(), "app": store.app(), "report": html,
        }))?;
        return Ok(exit::OK);
    }
    let (all, done) = explored.elements;
    println!("{}; ended because {}", count(explored.result.steps, "step"), explored.why);
    println!(
        "{} ({} refined), {done} of {} on {} known; {} no model had to be asked",
        count(explored.documented, "note"),
        explored.refined,
        count(all, "element"),
        count(explored.screens, "screen"),
        count(explored.decided_free, "time")
    );
    for (key, word) in &explored.barred {
        println!("left alone: {key} ({word})");
    }
    println!("documentation: {}", store.path().display());
    if let Some(html) = html {
        println!("report: {}", html.display());
    }
    Ok(exit::OK)
}
