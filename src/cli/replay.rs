//! `waldo replay`.

use std::path::PathBuf;
use std::sync::Arc;

use waldo_agents::replay::{Recorded, Replay};
use waldo_devices::Platform;
use waldo_devices::foreign::PathName;
use waldo_tasks::episode::{self, EpisodeSpec, Timeouts};
use waldo_tasks::suite::{SiteHost, Suite};
use waldo_tasks::{Emitter, EpisodeKey, Event, EventKind, Manifest, RunFolder, Sink, TaskError};

use super::real_phone::RealPhoneArgs;
use super::{CliError, print_json};
use crate::exit;
use crate::screens::family;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs};
use crate::serve::Sites;
use crate::session::Opening;
use crate::watch::Watch;

/// Carry out the recorded actions of an episode again, without a model, and judge the end anew.
///
/// Actions are aimed at the elements that they were about. When one is not there any more, the replay
/// stops and names it: a replay that drifted has no score, and ends with exit code 8.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waldo replay runs/demo reference/register-form/r0 --watch")]
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
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    real_phone: RealPhoneArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    browser: BrowserArgs,
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
    let recorded = recording(&events);
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
    if !folder.manifest().is_judged() {
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
    std::fs::create_dir_all(temp.path().join("downloads"))
        .map_err(|source| CliError::Io { what: "cannot make a temporary folder".into(), source })?;
    let spec = EpisodeSpec {
        key: key.clone(),
        attempt: 1,
        seed,
        max_steps,
        budget: waldo_devices::Budget::default(),
        style: None,
        packing: waldo_devices::labels::PicturePacking::default(),
        timeouts: Timeouts::default(),
    };
    let Some(task) = tasks.into_iter().find(|task| task.entry().id == key.task) else {
        return Err(TaskError::UnknownTask { name: key.task, suite: suite.id.clone() }.into());
    };
    let session = Opening::on(&args.device, &args.browser).open(Concurrency::One).await?;
    let mut device = session.device().await?;
    let sinks: Vec<Arc<dyn Sink>> = if args.watch { vec![Arc::new(Watch)] } else { Vec::new() };
    let events = Emitter::start(Arc::new(sinks))?;
    let mut agent = Replay::new(recorded);
    let play =
        episode::play(task.as_ref(), device.as_mut(), &mut agent, &spec, temp.path(), &events, &|_| {});
    let played = play.await;
    events.finish().await;
    session.close(device).await?;
    let result = played?;
    let drifted = agent.drifted();
    if args.json {
        let mut said = serde_json::to_value(&result)
            .map_err(|e| CliError::Internal(format!("the result as JSON: {e}")))?;
        said["drifted"] = drifted.into();
        if drifted.is_some() {
            said["success"] = serde_json::Value::Null;
        }
        print_json(&said)?;
    } else if let Some(missing) = drifted {
        let missing = crate::out::plain(missing, 200);
        println!("{key}: no score: the screen has drifted at step {}: {missing} is not there", result.steps);
    } else {
        println!("{key}: success {:.2} in {} steps", result.success, result.steps);
        for check in &result.checks {
            println!("  {} {}", if check.passed { "ok  " } else { "FAIL" }, check.what);
        }
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
fn recording(events: &[Event]) -> Vec<Recorded> {
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
