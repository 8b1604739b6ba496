mod end;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Parser as _;
use data_encoding::HEXLOWER;
use sha2::Digest as _;
use tokio_util::sync::CancellationToken;
use waldo_agents::Agent;
use waldo_devices::labels::PicturePacking;
use waldo_devices::{Budget, Device};
use waldo_tasks::episode::{self, EpisodeSpec, Timeouts};
use waldo_tasks::record::{Claim, TaskEntry};
use waldo_tasks::runner::AgentSource as _;
use waldo_tasks::{
    Contestant, Emitter, EpisodeKey, EpisodeResult, Goal, Manifest, Outcome, RunFolder, Task as _, TaskError,
};

use super::ask::AtTerminal;
use super::by_hand::{ByHand, CheckHere, NamedStart, Starts, checks, several, uploads};
use super::docs_arg::DocsArgs;
use super::guard::GuardArgs;
use super::label::Style;
use super::secrets::SecretArgs;
use super::start::single;
use super::{CliError, Result, fresh};
use crate::agents::{AgentSettings, PictureArgs, SoleContestant, agent_names, kind, plays_without_solution};
use crate::exit;
use crate::live::{LiveArgs, LivePage};
use crate::numbers::whole;
use crate::preflight::{self, PreflightQuestion};
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs, HarArgs, NamedScreen, together};
use crate::session::{self, Opening, Session};
use crate::watch::Watch;

use end::{RunEnding, exit_code};

/// Let an agent pursue one goal on one device.
///
/// The agent acts only on the origins that --allow names (the start's own by default), on a phone only in
/// the apps and on a desktop in the programs that --allow-app names (the opened one by default). With --check the result is
/// what the checks say: exit code 0 when all hold, 1 when one does not. Without, it is the agent's own claim: 0 when the
/// agent says that it is done, 11 when it says that the goal cannot be reached, here or by it. In both cases 8 when it gave up,
/// went in circles or was stopped by a limit, 9 when it left the goal to a person.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The goal in words.
    pub(super) goal: String,
    /// The page to start on.
    #[arg(long, conflicts_with = "open")]
    pub(super) url: Option<String>,
    /// The app to start in: on a phone its package, or its name (the home screen when absent); on a desktop
    /// a program with its arguments.
    #[arg(long, value_name = "APP")]
    pub(super) open: Option<String>,
    /// A screen among several, as NAME=DEVICE; given at least twice, the first is in front at the start. The agent
    /// switches between them.
    #[arg(long = "on", value_name = "NAME=DEVICE", conflicts_with_all = ["device", "url", "open"])]
    pub(super) on: Vec<NamedScreen>,
    /// Where a screen of --on starts, as NAME=WHAT: the page of a browser, the package of an app, a program.
    #[arg(long = "start", value_name = "NAME=WHAT", requires = "on")]
    pub(super) starts: Vec<NamedStart>,
    /// The agent.
    #[arg(short, long, value_parser = agent_names())]
    pub(super) agent: String,
    /// What must hold at the end, as checks of suites in a line: 'text contains "Saved"', 'url contains /thanks', 'shell
    /// "settings get secure ui_night_mode" equals 2'; may be given several times.
    #[arg(long = "check", value_name = "CHECK")]
    pub(super) checks: Vec<String>,
    /// A file that may be given to file fields, by its name; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub(super) upload: Vec<PathBuf>,
    /// Step budget.
    #[arg(long, default_value_t = 15, value_parser = whole::<u32>(1..))]
    pub(super) max_steps: u32,
    /// Time limit in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = whole::<u64>(0..))]
    pub(super) max_time: Option<u64>,
    /// Print each step.
    #[arg(long)]
    pub(super) watch: bool,
    /// Random seed for the agent.
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    pub(super) seed: u64,
    /// How tags look [default: boxes; with --compat on a phone appagent].
    #[arg(long, value_enum)]
    pub(super) style: Option<Style>,
    /// The run folder [default: runs/run-TIME].
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    pub(super) json: bool,
    // Last, for what follows a group of flags would be shown under its heading.
    #[command(flatten)]
    pub(super) device: DeviceArgs,
    #[command(flatten)]
    pub(super) settings: AgentSettings,
    #[command(flatten)]
    pub(super) browser: BrowserArgs,
    #[command(flatten)]
    pub(super) har: HarArgs,
    #[command(flatten)]
    pub(super) guard: GuardArgs,
    #[command(flatten)]
    pub(super) secrets: SecretArgs,
    #[command(flatten)]
    pub(super) docs: DocsArgs,
    #[command(flatten)]
    pub(super) picture: PictureArgs,
    #[command(flatten)]
    pub(super) live: LiveArgs,
    /// Serve the live page on this port, and let a person alone act.
    #[arg(skip)]
    pub(super) drive: Option<u16>,
    /// What becomes of the record.
    #[arg(skip)]
    pub(super) record: Keeping,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Keeping {
    #[default]
    Kept,
    /// Whoever asked for the run removes it: it is not told of, and no report is made of it.
    Removed,
}

#[derive(clap::Parser)]
struct Defaults {
    #[command(flatten)]
    args: Args,
}

impl Args {
    /// A person alone acts, on the live page at this port; nothing else is said, and no step is counted.
    pub(super) fn driven(port: u16) -> Result<Self> {
        let Defaults { args } = Defaults::try_parse_from(["waldo", "-", "--agent", "noop"])
            .map_err(|error| CliError::Input(error.to_string()))?;
        Ok(Self { agent: PERSON.to_owned(), max_steps: 1000, drive: Some(port), ..args })
    }
}

/// The suite of goals that somebody typed.
pub(super) const BY_HAND: &str = "by-hand";

pub(super) fn hash(checks: &[String]) -> String {
    HEXLOWER.encode(&sha2::Sha256::digest(checks.join("\n").as_bytes()))
}

/// Who plays where nobody but a person does.
const PERSON: &str = "person";

fn start(args: &Args) -> Result<Starts> {
    if !args.on.is_empty() {
        return several(&args.on, &args.starts, &args.guard);
    }
    plays_without_solution(&args.agent)?;
    if kind(&args.agent).is_some_and(|kind| kind.facts().needs_origins) {
        args.device.has_origins_for(&args.agent)?;
    }
    let to = single(&args.device, &args.guard, args.url.as_deref(), args.open.as_deref())?;
    Ok(Starts::One(Box::new(to)))
}

/// What changes results, for the manifest.
fn parameters(args: &Args) -> serde_json::Value {
    let mut parameters = args.settings.model.parameters();
    if let (Some(kind), Some(all)) = (kind(&args.agent), parameters.as_object_mut()) {
        kind.add_parameters(&args.settings, all);
    }
    parameters["goal"] = args.goal.as_str().into();
    parameters["start"] = args.url.as_ref().or(args.open.as_ref()).map(String::as_str).into();
    if !args.on.is_empty() {
        parameters["start"] = args.starts.iter().map(ToString::to_string).collect();
    }
    parameters["device"] = args.device.spec().to_string().into();
    if !args.checks.is_empty() {
        parameters["checks"] = args.checks.as_slice().into();
    }
    if let Some(all) = parameters.as_object_mut() {
        args.picture.add_parameters(all);
        args.device.add_parameters(all);
    }
    parameters
}

fn by_hand(args: &Args, starts: Starts, checks: Vec<CheckHere>) -> Result<ByHand> {
    let uploads = uploads(&args.upload)?;
    let names: Vec<&str> = uploads.iter().map(|(name, _)| name.as_str()).collect();
    let mut text = args.goal.clone();
    if !names.is_empty() {
        text.push_str(&format!("\n\nFiles that can be given to file fields: {}.", names.join(", ")));
    }
    let platform = |screen: &NamedScreen| (screen.name.clone(), screen.spec.family().platform());
    Ok(ByHand {
        entry: TaskEntry {
            level: if args.on.is_empty() { "L3" } else { "L4" }.into(),
            screens: args.on.iter().map(platform).collect(),
            ..TaskEntry::single("by-hand", &args.goal, "by hand", args.device.platform(), args.max_steps)
        },
        goal: Goal { text, uploads, ..Goal::default() },
        starts,
        checks,
    })
}

/// All that is settled before anything is started.
struct Plan {
    task: ByHand,
    manifest: Manifest,
    contestant: Contestant,
    key: EpisodeKey,
    /// None where a person alone acts.
    agent: Option<Box<dyn Agent>>,
    /// What its models are asked beforehand.
    questions: Vec<PreflightQuestion>,
}

impl Plan {
    fn of(args: &Args) -> Result<Self> {
        let starts = start(args)?;
        let checks = checks(&args.checks, args.device.platform(), &args.on)?;
        // What is checked makes it a run that is judged.
        let suite_hash = if checks.is_empty() { String::new() } else { hash(&args.checks) };
        let task = by_hand(args, starts, checks)?;
        let sole = SoleContestant::of(&args.agent, &args.settings)?;
        let docs = args.docs.read()?;
        let (agent, questions) = match args.drive {
            Some(_) => (None, Vec::new()),
            None => {
                let (agents, questions) =
                    sole.agents(&args.settings, args.secrets.names(), docs, &args.guard.allow)?;
                (Some(agents.agent(&sole.contestant.name)?), questions)
            }
        };
        let SoleContestant { contestant, prompts } = sole;
        let manifest = Manifest {
            suite: BY_HAND.into(),
            suite_hash,
            tasks: vec![task.entry()],
            contestants: vec![contestant.clone()],
            seed: args.seed,
            max_steps: Some(args.max_steps),
            prompts: prompts.hashes(),
            parameters: crate::masking::json(parameters(args)),
            ..session::manifest()
        };
        let key = EpisodeKey { contestant: contestant.name.clone(), task: task.entry().id, repeat: 0 };
        Ok(Self { task, manifest, contestant, key, agent, questions })
    }

    /// The folder, unless it holds another run or this one's end.
    fn claim(&self, out: &Path) -> Result<Claim> {
        let claim = Claim::of(out, self.manifest.clone())?;
        if claim.folder().episode(&self.key).is_done() {
            return Err(CliError::Input(format!(
                "{0} contains this run, which has ended: see it with 'waldo report {0}', or give another --out to \
                 play it again",
                out.display()
            )));
        }
        Ok(claim)
    }

    fn claim_fresh(&self) -> Result<Claim> {
        let name = format!("run-{}", self.manifest.started.strftime("%Y%m%d-%H%M%S"));
        self.claim(&fresh::folder(PathBuf::from("runs").join(name))?)
    }

    fn spec(&self, args: &Args, packing: PicturePacking, live: Option<&LivePage>) -> EpisodeSpec {
        EpisodeSpec {
            frames: live.map(|live| live.frames(&self.key)),
            key: self.key.clone(),
            attempt: 1,
            seed: args.seed,
            max_steps: args.max_steps,
            budget: Budget { wall: args.max_time.map(Duration::from_secs), ..Budget::default() },
            style: args.style.map(Into::into),
            packing,
            pictures: args.picture.kept(),
            timeouts: args.settings.timeouts(Timeouts::default()),
        }
    }
}

pub async fn run(mut args: Args) -> Result<u8> {
    let secrets = args.secrets.read()?;
    args.goal = secrets.mask(args.goal);
    if !args.on.is_empty() {
        args.device.device = Some(together(&args.on).map_err(CliError::Input)?);
    }
    if let Some(earlier) = args.out.as_deref().and_then(|out| RunFolder::open(out).ok()) {
        args.device.flags.go_on_as(&earlier.manifest.parameters);
    }
    let mut plan = Plan::of(&args)?;
    // A folder that is not this run's refuses it while nothing has been started.
    let claimed = args.out.as_deref().map(|out| plan.claim(out)).transpose()?;
    // Before anything is started for a model that cannot be asked.
    preflight::ask(&plan.questions).await?;
    let read_webp = args.picture.asks_endpoints() && preflight::read_webp(&plan.questions).await;
    let packing = args.picture.packing(&plan.contestant, read_webp);
    let live = match args.drive {
        Some(port) => Some(LivePage::drive(port).await?),
        None => LivePage::start(args.live).await?,
    };
    args.browser.har = args.har.traffic();
    let cancel = CancellationToken::new();
    let opening = Opening::on(&args.device, &args.browser).secrets(secrets).stopped_by(cancel.clone());
    let opening = match &live {
        Some(live) => opening.approver(live.approver()),
        None => opening.approver(AtTerminal::new(cancel.clone())),
    };
    let session = opening.open(Concurrency::One).await?;
    let mut device = session.device().await?;
    let folder = claimed.map_or_else(|| plan.claim_fresh(), Ok)?.on(device.info())?;
    let spec = plan.spec(&args, packing, live.as_ref());
    let played = play(&args, &mut plan, &spec, &folder, live.as_ref(), device.as_mut(), &session).await?;
    if let Some(live) = live {
        let said = match args.record {
            Keeping::Kept => format!("The run has ended; its record is in {}.", folder.path().display()),
            Keeping::Removed => "That is all; nothing of it was recorded.".to_owned(),
        };
        live.end(&said).await;
    }
    let ending = RunEnding { args: &args, spec: &spec, folder: &folder };
    // What a person goes on with is on disk before the person is waited for.
    let handed = match &played {
        Some(Ok(result)) if result.outcome == Outcome::HandedOver => {
            ending.hand_over(result, device.as_mut(), &cancel).await?;
            true
        }
        _ => false,
    };
    // What is gone with the person who had it is not a fault.
    let closed = match session.close(device).await {
        Err(_) if handed => Ok(()),
        closed => closed,
    };
    match played {
        None if args.record == Keeping::Removed => Ok(exit::STOPPED),
        None => Ok(ending.stopped()),
        Some(played) if args.record == Keeping::Removed => {
            closed?;
            Ok(exit_code(&played?.outcome))
        }
        Some(Ok(result)) => {
            closed?;
            ending.finished(&result)
        }
        Some(Err(error)) => Err(ending.failed(error)),
    }
}

/// Plays the episode, on the live page where there is one. None when a signal stopped it.
async fn play(
    args: &Args,
    plan: &mut Plan,
    spec: &EpisodeSpec,
    folder: &RunFolder,
    live: Option<&LivePage>,
    device: &mut dyn Device,
    session: &Session,
) -> Result<Option<Result<EpisodeResult, TaskError>>> {
    let episode_folder = folder.episode(&plan.key);
    episode_folder.begin()?;
    let mut sinks = session::sinks(folder);
    if args.watch {
        sinks.push(Arc::new(Watch));
    }
    let mut agent = match (live, plan.agent.take()) {
        (Some(live), agent) => {
            sinks.push(live.sink());
            live.shows(folder, &args.goal, 1);
            live.steered(agent, &plan.key)
        }
        (None, Some(agent)) => agent,
        (None, None) => return Err(CliError::Input("nobody plays".to_owned())),
    };
    let events = Emitter::start(Arc::new(sinks))?;
    let path = episode_folder.path();
    let play = episode::play(&plan.task, device, agent.as_mut(), spec, path, &events, &|_| {});
    let played = session.unless_stopped(play).await;
    events.finish().await;
    Ok(played)
}
