//! `waldo replay`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use waldo_agents::Agent;
use waldo_agents::replay::find::How;
use waldo_agents::replay::{Aim, Recorded, Replay, TRIES};
use waldo_devices::Platform;
use waldo_devices::foreign::{PICTURE_BYTES, PathName};
use waldo_tasks::episode::{self, EpisodeSpec, Timeouts};
use waldo_tasks::record::EpisodeFolder;
use waldo_tasks::runner::AgentSource as _;
use waldo_tasks::suite::{SiteHost, Suite};
use waldo_tasks::{Contestant, Emitter, EpisodeKey, Event, EventKind, Manifest, RunFolder, Sink, TaskError};

use super::real_phone::RealPhoneArgs;
use super::{CliError, print_json};
use crate::agents::{
    Agents, FramesArgs, ModelArgs, NativeArgs, PlannerArgs, Player, Settings, Shared, agent_names,
    asks_a_model,
};
use crate::exit;
use crate::live::{LiveArgs, LivePage};
use crate::preflight::{self, Question};
use crate::report;
use crate::screens::family;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs};
use crate::serve::Sites;
use crate::session::{self, Opening};
use crate::watch::Watch;

/// Carry out the recorded actions of an episode again, without a model, and judge the end anew.
///
/// Elements are found again by what they are: role, name, identifier, neighbours; then by how they look. A step whose
/// element has another name or look is told with before and after. Where one is not found, the replay stops and names it,
/// or with --fall-back an agent does that one step. A replay that stopped has no score, and ends with exit code 8.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waldo replay runs/demo reference/register-form/r0 --watch
  waldo replay runs/demo reference/register-form/r0 --fall-back appagent --model my-model \\
      --keep mended")]
pub struct Args {
    /// The run folder.
    run: PathBuf,
    /// The episode: AGENT/TASK/rN.
    episode: String,
    /// The suite's folder, when it is not built in.
    #[arg(long)]
    suite: Option<String>,
    /// Print each step.
    #[arg(long)]
    watch: bool,
    /// The agent that does a step whose element is not found.
    #[arg(long, value_name = "AGENT", value_parser = agent_names())]
    fall_back: Option<String>,
    /// Keep what was done, the mended steps included, as a run folder that can be replayed.
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
    model: ModelArgs,
    #[command(flatten)]
    planner: PlannerArgs,
    #[command(flatten)]
    frames: FramesArgs,
    #[command(flatten)]
    native: NativeArgs,
    #[command(flatten)]
    browser: BrowserArgs,
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

/// An agent, and questions to its endpoint.
type StandBy = (Option<Box<dyn Agent>>, Vec<Question>);

/// The agent that stands in for a recording, and the questions that its endpoint is asked first.
fn stand_by(args: &Args) -> Result<StandBy, CliError> {
    let Some(name) = &args.fall_back else { return Ok((None, Vec::new())) };
    let model = if asks_a_model(name) { args.model.model.as_deref() } else { None };
    let contestant = Contestant::new(name, model);
    let prompts = Arc::new(crate::prompts::open(args.model.prompts.as_deref())?);
    let settings = Settings {
        model: args.model.clone(),
        planner: args.planner.clone(),
        frames: args.frames.clone(),
        native: args.native.clone(),
    };
    let shared = Shared { secrets: Vec::new(), docs: Arc::default(), origins: &[], stand_in: None };
    let (player, questions) = Player::new(contestant.clone(), &settings, &prompts, &shared)?;
    Ok((Some(Agents::new(vec![player]).agent(&contestant.name)?), questions))
}

/// The folder that keeps the replay: the recording's manifest, of this episode alone.
fn keep(path: &Path, folder: &RunFolder, key: &EpisodeKey) -> Result<RunFolder, CliError> {
    let old = folder.manifest();
    let manifest = Manifest {
        suite: old.suite.clone(),
        suite_hash: old.suite_hash.clone(),
        tasks: old.tasks.iter().filter(|task| task.id == key.task).cloned().collect(),
        contestants: old.contestants.iter().filter(|who| who.name == key.contestant).cloned().collect(),
        seed: old.seed,
        repeats: key.repeat + 1,
        max_steps: old.max_steps,
        parameters: serde_json::json!({ "replayed": old.parameters }),
        device: old.device.clone(),
        ..session::manifest()
    };
    let kept = RunFolder::create_or_resume(path, manifest)?;
    if kept.episode(key).is_done() {
        let message = format!("{} holds this replay already; give another --keep", path.display());
        return Err(CliError::Input(message));
    }
    kept.episode(key).begin()?;
    Ok(kept)
}

/// Reads `AGENT/TASK/rN`.
fn key(text: &str) -> Option<EpisodeKey> {
    let (rest, repeat) = text.trim_matches('/').rsplit_once("/r")?;
    let (contestant, task) = rest.split_once('/')?;
    let name = |name: &str| PathName::new(name).ok().map(|name| name.to_string());
    Some(EpisodeKey { contestant: name(contestant)?, task: name(task)?, repeat: repeat.parse().ok()? })
}

pub async fn run(mut args: Args) -> Result<u8, CliError> {
    let folder = RunFolder::open(&args.run)?;
    let key = key(&args.episode).ok_or_else(|| {
        CliError::Input(format!("'{}' is not an episode: write it like AGENT/TASK/r0", args.episode))
    })?;
    let events = folder.episode(&key).events()?;
    let recorded = recording(&events, &folder.episode(&key));
    let Some((seed, max_steps)) = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::Started { seed, max_steps, .. } => Some((*seed, *max_steps)),
        _ => None,
    }) else {
        let known: Vec<String> = folder.results()?.iter().map(|r| r.key.to_string()).collect();
        let shown = known.get(..5).unwrap_or(&known).join(", ");
        return Err(CliError::Input(match known.len() {
            0 => format!("no record of {key}; {} holds no complete episode yet", args.run.display()),
            1..=5 => format!("no record of {key}; recorded are {shown}"),
            more => format!("no record of {key}; recorded are {shown} and {} more", more - 5),
        }));
    };
    if !folder.manifest().is_judged() || folder.manifest().suite == super::run::BY_HAND {
        return Err(CliError::Input(format!(
            "{0} holds no task of a suite, and only those can be set up again; 'waldo report {0}' shows what was done",
            args.run.display()
        )));
    }
    let suite = Arc::new(Suite::find(args.suite.as_ref().unwrap_or(&folder.manifest().suite))?);
    if suite.hash != folder.manifest().suite_hash {
        eprintln!("the suite has changed since the recording: the replay may drift");
    }
    let host: Arc<dyn SiteHost> = Arc::new(Sites::start().await?);
    as_recorded(&mut args.device, suite.platform, folder.manifest())?;
    if suite.platform == Platform::Devices {
        let screens: Vec<_> = suite.entries().into_iter().flat_map(|task| task.screens).collect();
        args.device.for_suite(suite.platform, &screens, &[])?;
    }
    args.device.fits(&suite.id, suite.platform)?;
    let real = args.real_phone.on(&args.device)?;
    let tasks = suite.tasks(&host, real);
    let temp = tempfile::tempdir()
        .map_err(|source| CliError::Io { what: "cannot make a temporary folder".into(), source })?;
    let spec = EpisodeSpec {
        key: key.clone(),
        attempt: 1,
        seed,
        // An agent may look for what is gone, and then do the step.
        max_steps: if args.fall_back.is_some() { max_steps + TRIES * 4 } else { max_steps },
        budget: waldo_devices::Budget::default(),
        style: None,
        packing: waldo_devices::labels::PicturePacking::default(),
        bare: waldo_tasks::events::BarePictures::None,
        timeouts: Timeouts::default(),
        frames: None,
    };
    let Some(task) = tasks.into_iter().find(|task| task.entry().id == key.task) else {
        return Err(TaskError::UnknownTask { name: key.task, suite: suite.id.clone() }.into());
    };
    let (agent, questions) = stand_by(&args)?;
    preflight::ask(&questions).await?;
    let kept = keep(&args.keep.clone().unwrap_or_else(|| temp.path().join("run")), &folder, &key)?;
    let live = LivePage::start(args.live).await?;
    let spec = EpisodeSpec { frames: live.as_ref().map(|live| live.frames(&key)), ..spec };
    let mut opening = Opening::on(&args.device, &args.browser);
    if let Some(live) = &live {
        opening = opening.approver(live.approver());
    }
    let session = opening.open(Concurrency::One).await?;
    let mut device = session.device().await?;
    let mut sinks: Vec<Arc<dyn Sink>> = session::sinks(&kept);
    if args.watch {
        sinks.push(Arc::new(Watch));
    }
    let steps = recorded.len();
    let replay = Replay::new(recorded).or(agent).aimed(args.aim);
    let told = replay.told();
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
    let play = episode::play(task.as_ref(), device.as_mut(), agent.as_mut(), &spec, &at, &events, &|_| {});
    let played = session.unless_stopped(play).await;
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
        report::write(&kept, kept.path())?;
    }
    let told = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let drifted = told.drifted.as_deref();
    let by_agent = told.drifts.iter().filter(|drift| drift.how == How::Agent).count();
    if args.json {
        let mut said = serde_json::to_value(&result)
            .map_err(|e| CliError::Internal(format!("the result as JSON: {e}")))?;
        said["drifted"] = drifted.into();
        said["drifts"] = serde_json::json!(&told.drifts);
        said["recorded_steps"] = steps.into();
        said["replayed_steps"] = (told.done - by_agent).into();
        said["kept"] = serde_json::json!(args.keep);
        if drifted.is_some() {
            said["success"] = serde_json::Value::Null;
        }
        print_json(&said)?;
        return Ok(if drifted.is_some() { exit::NOT_DONE } else { exit::OK });
    }
    for drift in &told.drifts {
        let [before, after] = [&drift.before, &drift.after].map(|text| crate::out::plain(text, 160));
        println!("step {}: {before} is now {after}, found {}", drift.step, drift.how.words());
    }
    if let Some(missing) = drifted {
        let missing = crate::out::plain(missing, 200);
        println!("{key}: no score: the screen has drifted at step {}: {missing} is not there", told.done + 1);
        if args.fall_back.is_none() {
            println!("an agent may do such a step: --fall-back AGENT");
        }
    } else {
        println!("{key}: success {:.2} in {} steps", result.success, result.steps);
        for check in &result.checks {
            println!("  {} {}", if check.passed { "ok  " } else { "FAIL" }, check.what);
        }
        if by_agent > 0 {
            println!(
                "{by_agent} of {steps} steps were done by {}",
                args.fall_back.as_deref().unwrap_or_default()
            );
        }
    }
    if let Some(kept) = &args.keep {
        println!("kept: {}", kept.display());
    }
    Ok(if drifted.is_some() { exit::NOT_DONE } else { exit::OK })
}

/// The kind of screen that the record was made on, where none is named. A phone that is somebody's is not taken unasked.
fn as_recorded(device: &mut DeviceArgs, platform: Platform, manifest: &Manifest) -> Result<(), CliError> {
    let recorded = manifest.device.as_ref().and_then(|on| family(platform).nobodys(on));
    if let (None, Some(spec)) = (&device.device, recorded) {
        eprintln!("on {spec}, as it was recorded; --device names another");
        device.device = Some(spec.parse().map_err(CliError::Input)?);
    }
    Ok(())
}

/// The steps of the last attempt.
fn recording(events: &[Event], folder: &EpisodeFolder) -> Vec<Recorded> {
    let mut steps = Vec::new();
    let mut seen = None;
    for event in events {
        match &event.kind {
            EventKind::Started { .. } => steps.clear(),
            EventKind::Observed(observed) => seen = Some(observed),
            EventKind::Decided { decision, .. } => {
                if let Some(observed) = seen.take() {
                    steps.push(Recorded {
                        elements: observed.elements.clone(),
                        tagged: observed.tagged.clone(),
                        picture: observed.picture.as_deref().and_then(|name| {
                            let name = PathName::new(name).ok()?;
                            folder.read(&name, PICTURE_BYTES).ok().map(Into::into)
                        }),
                        decision: decision.as_ref().clone(),
                    });
                }
            }
            _ => {}
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_is_named_by_its_path() {
        let k = key("appagent+m/register-form/r12").unwrap();
        assert_eq!((k.contestant.as_str(), k.task.as_str(), k.repeat), ("appagent+m", "register-form", 12));
        assert!(
            key("a/b").is_none() && key("a/b/rx").is_none() && key("../b/r0").is_none() && key("").is_none()
        );
    }
}
