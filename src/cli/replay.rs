mod end;
mod source;
mod start;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use tokio_util::sync::CancellationToken;
use waldo_agents::Agent;
use waldo_agents::replay::{Aim, LOOKS, Replay, TRIES};
use waldo_tasks::episode::{self, EpisodeSpec, Timeouts};
use waldo_tasks::record::Claim;
use waldo_tasks::runner::AgentSource as _;
use waldo_tasks::suite::{SiteHost, Suite};
use waldo_tasks::{Emitter, EventSink, Manifest, Task, TaskError};

use super::ask::AtTerminal;
use super::guard::GuardArgs;
use super::real_phone::RealPhoneArgs;
use super::secrets::SecretArgs;
use super::{CliError, Result, run as goals};
use crate::agents::{AgentSettings, SoleContestant, agent_names};
use crate::exit;
use crate::live::{LiveArgs, LivePage};
use crate::preflight::{self, PreflightQuestion};
use crate::report;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs};
use crate::serve::Sites;
use crate::session::{self, Opening};
use crate::watch::Watch;
use end::ReplayEnd;
use source::{Begins, ReplaySource};
use start::{as_recorded, by_hand, only_by_hand};

/// Carry out the recorded actions of an episode or a demonstration again, without a model, and judge the end anew.
///
/// An episode is set up as its task says; a goal by hand, a session of mcp and a demonstration begin where they began. What a
/// person did is carried out like all else, and such a replay does not count as an agent's score. Elements are found again by
/// what they are (role, name, identifier, neighbours), then by how they look. A step whose element has another name or look is
/// reported with before and after. Where one is not found, the replay stops and names it, or with --fall-back an agent does
/// that one step. A replay that stopped has no score, and ends with exit code 8; one that was checked and did not
/// succeed ends with 1. Only the origins, apps or programs that it
/// began with may be touched, or those that flags allow.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run folder, or the folder of a demonstration.
    run: PathBuf,
    /// The episode: AGENT/TASK/rN; not needed if there is only one.
    episode: Option<String>,
    /// The page to start on, if it is no longer the recorded one.
    #[arg(long, conflicts_with = "open")]
    url: Option<String>,
    /// The app or program to start in, in place of the recorded one.
    #[arg(long, value_name = "APP")]
    open: Option<String>,
    /// What must hold at the end, in place of the recorded checks; may be given several times.
    #[arg(long = "check", value_name = "CHECK")]
    checks: Vec<String>,
    /// The suite's folder, when it is not built in.
    #[arg(long)]
    suite: Option<String>,
    /// Print each step.
    #[arg(long)]
    watch: bool,
    /// The agent that does a step whose element is not found.
    #[arg(long, value_name = "AGENT", value_parser = agent_names())]
    fall_back: Option<String>,
    /// Keep the replay, including repaired steps, as a run folder that can be replayed.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// How elements are found again, to compare with: identity, tags (by number) or places.
    #[arg(long, hide = true, default_value = "identity", value_parser = aim)]
    aim: Aim,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    real_phone: RealPhoneArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    settings: AgentSettings,
    #[command(flatten)]
    browser: BrowserArgs,
    #[command(flatten)]
    guard: GuardArgs,
    #[command(flatten)]
    secrets: SecretArgs,
    #[command(flatten)]
    live: LiveArgs,
}

fn aim(text: &str) -> Result<Aim, String> {
    match text {
        "identity" => Ok(Aim::Identity),
        "tags" => Ok(Aim::Tags),
        "places" => Ok(Aim::Places),
        _ => Err("identity, tags or places".to_owned()),
    }
}

type StandBy = (Option<Box<dyn Agent>>, Vec<PreflightQuestion>);

/// The agent that stands in for a recording, and the questions that its endpoint is asked first.
fn stand_by(args: &Args) -> Result<StandBy> {
    let Some(name) = &args.fall_back else { return Ok((None, Vec::new())) };
    let sole = SoleContestant::of(name, &args.settings)?;
    let (agents, questions) =
        sole.agents(&args.settings, args.secrets.names(), Arc::default(), &args.guard.allow)?;
    Ok((Some(agents.agent(&sole.contestant.name)?), questions))
}

struct Play {
    task: Arc<dyn Task>,
    suite: Option<Arc<Suite>>,
    checks: Vec<String>,
}

impl Play {
    /// Whether anything but who played says what came of it.
    fn is_judged(&self) -> bool {
        self.suite.is_some() || !self.checks.is_empty()
    }
}

/// The task, and the kind of device that it is played on.
async fn set_up(args: &mut Args, source: &ReplaySource) -> Result<Play> {
    let (suite, hash, product) = match &source.begins {
        Begins::Task { suite, hash, product } => (suite, hash, product),
        Begins::ByHand(begun) => {
            let (task, checks) = by_hand(args, source, begun)?;
            return Ok(Play { task: Arc::new(task), suite: None, checks });
        }
    };
    only_by_hand(args)?;
    let suite = Arc::new(Suite::find(args.suite.as_ref().unwrap_or(suite))?);
    if hash.as_ref().is_some_and(|hash| *hash != suite.hash) {
        eprintln!("the suite has changed since the recording: the replay may drift");
    }
    let host: Arc<dyn SiteHost> = Arc::new(Sites::start().await?);
    as_recorded(&mut args.device, suite.platform, product.as_deref().unwrap_or_default())?;
    if suite.platform.has_several_screens() {
        let screens: Vec<_> = suite.entries().into_iter().flat_map(|task| task.screens).collect();
        args.device.for_suite(suite.platform, &screens, &[])?;
    }
    args.device.fits(&suite.id, suite.platform)?;
    let real = args.real_phone.on(&args.device)?;
    let own = source.entry.own_id();
    let task = suite.tasks(&host, real).into_iter().find(|task| task.entry().id == own);
    let Some(task) = task else {
        return Err(TaskError::UnknownTask { name: own.to_owned(), suite: suite.id.clone() }.into());
    };
    Ok(Play { task, suite: Some(suite), checks: Vec::new() })
}

/// The folder that keeps the replay: of this episode alone.
fn keep(path: &Path, args: &Args, source: &ReplaySource, play: &Play) -> Result<Claim> {
    let (suite, suite_hash, mut parameters) = match (&source.begins, &play.suite) {
        (Begins::ByHand(begun), _) => {
            let parameters = start::parameters(args, source, begun, &play.checks);
            (goals::BY_HAND.to_owned(), start::hash(&play.checks), parameters)
        }
        (Begins::Task { suite, hash, .. }, now) => {
            let (id, own) = now.as_ref().map_or((suite, ""), |now| (&now.id, now.hash.as_str()));
            let parameters = serde_json::json!({ "replayed": source.key.to_string() });
            (id.clone(), hash.clone().unwrap_or_else(|| own.to_owned()), parameters)
        }
    };
    if let Some(all) = parameters.as_object_mut() {
        args.device.add_parameters(all);
    }
    let manifest = Manifest {
        suite,
        suite_hash,
        tasks: vec![source.entry.clone()],
        contestants: vec![source.contestant.clone()],
        seed: source.seed,
        repeats: source.key.repeat + 1,
        parameters: crate::masking::json(parameters),
        ..session::manifest()
    };
    let claim = Claim::of(path, manifest)?;
    if claim.folder().episode(&source.key).is_done() {
        let message = format!("{} holds this replay already; give another --keep", path.display());
        return Err(CliError::Input(message));
    }
    Ok(claim)
}

pub async fn run(mut args: Args) -> Result<u8> {
    let mut source = ReplaySource::read(&args.run, args.episode.as_deref())?;
    let secrets = args.secrets.read()?;
    let key = source.key.clone();
    let play = set_up(&mut args, &source).await?;
    let temp = tempfile::tempdir()
        .map_err(|source| CliError::Io { what: "cannot make a temporary folder".into(), source })?;
    let (agent, questions) = stand_by(&args)?;
    preflight::ask(&questions).await?;
    let path = args.keep.clone().unwrap_or_else(|| temp.path().join("run"));
    let claim = keep(&path, &args, &source, &play)?;
    let recorded = std::mem::take(&mut source.steps);
    let steps = recorded.len();
    let all = u32::try_from(steps).unwrap_or(u32::MAX);
    // Looking again for what is not there yet, and an agent that looks for what is gone, cost decisions, too.
    let tries = if args.fall_back.is_some() { TRIES * 4 } else { 0 };
    let more = all.saturating_mul(LOOKS).saturating_add(tries);
    let live = LivePage::start(args.live).await?;
    let spec = EpisodeSpec {
        key: key.clone(),
        attempt: 1,
        seed: source.seed,
        max_steps: source.max_steps.max(all).saturating_add(more),
        budget: waldo_devices::Budget::default(),
        style: None,
        packing: waldo_devices::labels::PicturePacking::default(),
        pictures: waldo_tasks::events::KeptPictures::Tagged,
        timeouts: Timeouts::default(),
        frames: live.as_ref().map(|live| live.frames(&key)),
    };
    let cancel = CancellationToken::new();
    let opening = Opening::on(&args.device, &args.browser).secrets(secrets).stopped_by(cancel.clone());
    let opening = match &live {
        Some(live) => opening.approver(live.approver()),
        None => opening.approver(AtTerminal::new(cancel)),
    };
    let session = opening.open(Concurrency::One).await?;
    let mut device = session.device().await?;
    let kept = claim.on(device.info())?;
    kept.episode(&key).begin()?;
    let mut sinks: Vec<Arc<dyn EventSink>> = session::sinks(&kept);
    if args.watch {
        sinks.push(Arc::new(Watch));
    }
    let replay = Replay::new(recorded).or(agent).aimed(args.aim);
    let progress = replay.progress();
    let mut agent: Box<dyn Agent> = match &live {
        Some(live) => {
            sinks.push(live.sink());
            live.shows(&kept, &format!("Replay of {key}"), 1);
            live.steered(Some(Box::new(replay)), &key)
        }
        None => Box::new(replay),
    };
    let events = Emitter::start(Arc::new(sinks))?;
    let at = kept.episode(&key).path().to_owned();
    let played =
        episode::play(play.task.as_ref(), device.as_mut(), agent.as_mut(), &spec, &at, &events, &|_| {});
    let played = session.unless_stopped(played).await;
    events.finish().await;
    if let Some(live) = live {
        live.end("The replay has ended.").await;
    }
    session.close(device).await?;
    let Some(played) = played else {
        eprintln!("stopped");
        return Ok(exit::STOPPED);
    };
    let result = played?;
    if args.keep.is_some() {
        kept.episode(&key).complete(&result)?;
        if let Err(error) = report::write(&kept, kept.path()) {
            eprintln!("{}", report::warning(&kept, &error));
        }
    }
    let progress = progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let end = ReplayEnd {
        source: &source,
        result: &result,
        progress: &progress,
        judged: play.is_judged(),
        stand_by: args.fall_back.as_deref(),
        kept: args.keep.as_deref(),
        steps,
    };
    end.tell(args.json)?;
    Ok(end.code())
}
