//! `waldo eval --queue`: the run is offered to workers on other machines, and comes back from there.
//!
//! Nothing is started here for it: no device, no model. What workers are told are ids, hashes and numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use waldo_devices::count::{count, either};
use waldo_tasks::record::Claim;
use waldo_tasks::{EpisodeKey, EventSink, Manifest};

use super::chosen::Chosen;
use super::rows::LimitArgs;
use super::{Args, finish, tell_so_far};
use crate::cli::{CliError, Result};
use crate::events::{JsonLines, Log};
use crate::exit;
use crate::numbers::whole;
use crate::progress::Progress;
use crate::queue::{
    Coordinator, EpisodeLimits, Lane, OfferedContestant, OfferedSuite, QueueArgs, QueueEnd, QueueError,
    QueueServer, QueueState, RunOffer, hash,
};
use crate::stop::{command_line, stop_on_signal};
use crate::suites::LeftOut;

/// Parts of a manifest's parameters that only say what was played on or left out where the run was planned.
const OF_THE_PLAN: [&str; 4] = ["budgets", "contestants", "left_out", "suites"];

/// How episodes are handed out.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Queue")]
pub(super) struct FleetArgs {
    #[command(flatten)]
    queue: QueueArgs,
    /// Seconds without a sign of life after which an episode is handed out again.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = whole::<u64>(1..=3600))]
    lease: u64,
    /// How often an episode is handed out before it counts as invalid.
    #[arg(long, value_name = "TIMES", default_value_t = 5, value_parser = whole::<u32>(1..=100))]
    deliveries: u32,
    /// Maximum size of an episode's folder in MiB; a larger one is invalid.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = whole::<u64>(1..=65536))]
    max_artifact: u64,
    /// Episodes of each contestant and suite at once, over all workers, to protect a model's endpoint.
    #[arg(long, value_name = "EPISODES", requires = "queue", value_parser = whole::<u32>(1..))]
    fleet_at_once: Option<u32>,
}

impl FleetArgs {
    pub(super) fn is_on(&self) -> bool {
        self.queue.queue.is_some()
    }
}

/// Has `keys` played by workers, as far as they are missing.
///
/// # Errors
/// When the queue or the disk fails; what came back is kept, and the same command goes on.
pub(super) async fn play(
    args: &Args,
    chosen: &Chosen,
    claim: Claim,
    keys: Vec<EpisodeKey>,
    left_out: &[LeftOut],
) -> Result<u8> {
    if args.live.live.is_some() {
        let message =
            "--live shows what this process plays; with --queue others do: waldo queue status tells of them";
        return Err(CliError::Input(message.to_owned()));
    }
    let mut missing = Vec::new();
    for key in keys {
        // As without a queue, invalid ones are played again.
        if !claim.folder().episode(&key).is_done() {
            missing.push(key);
        }
    }
    let cancel = CancellationToken::new();
    let stopper = tokio::spawn(stop_on_signal(cancel.clone()));
    let fleet = &args.fleet;
    let server = QueueServer::connect(&fleet.queue, "waldo eval").await?;
    let progress = Arc::new(Progress::new(missing.len()));
    let mut sinks: Vec<Arc<dyn EventSink>> = vec![Arc::new(Log), progress.clone()];
    if args.json_events {
        sinks.push(Arc::new(JsonLines::default()));
    }
    let out = claim.folder().path().to_owned();
    let offer = offer(args, chosen, &claim.folder().manifest, &missing)?;
    let artifacts = fleet.queue.artifacts.as_deref();
    let coordinator =
        Coordinator::new(server, artifacts, offer, &out, Arc::new(sinks), fleet.fleet_at_once).await?;
    let wait = either(missing.len(), "waits", "wait");
    eprintln!("{} {wait} at {} for waldo worker", count(missing.len(), "episode"), fleet.queue.address());
    let played = coordinator.play(claim, missing, cancel).await;
    progress.finish();
    stopper.abort();
    match played {
        Ok((Some(folder), QueueEnd::Complete)) => finish(args, &folder, left_out),
        Ok((None, QueueEnd::Complete)) => Err(CliError::Internal("a complete run has no folder".to_owned())),
        Ok((folder, QueueEnd::Stopped(missing))) => {
            eprintln!("stopped with {} missing; workers take no more of them", count(missing, "episode"));
            eprintln!("resume with: {}", command_line());
            if let Some(folder) = folder {
                tell_so_far(args, &folder);
            }
            Ok(exit::STOPPED)
        }
        Err(e) => {
            eprintln!("completed episodes are saved in {}; once this is fixed,", out.display());
            eprintln!("resume with: {}", command_line());
            Err(e.into())
        }
    }
}

fn offer(args: &Args, chosen: &Chosen, manifest: &Manifest, missing: &[EpisodeKey]) -> Result<RunOffer> {
    let suites: Vec<OfferedSuite> = chosen
        .suites()
        .map(|(opened, tasks)| OfferedSuite {
            id: opened.id.clone(),
            hash: opened.hash.clone(),
            platform: opened.platform,
            tasks,
        })
        .collect();
    let of_contestants = contestants(&manifest.parameters);
    let contestants: Vec<OfferedContestant> = args
        .rows
        .iter()
        .map(|row| OfferedContestant {
            contestant: row.contestant.clone(),
            definition: row
                .defined
                .then(|| of_contestants.get(&row.contestant.name).cloned().unwrap_or_default()),
        })
        .collect();
    let mut lanes = Vec::new();
    for suite in &suites {
        let tasks: std::collections::HashSet<&str> = suite.tasks.iter().map(String::as_str).collect();
        for OfferedContestant { contestant, .. } in &contestants {
            let own =
                |key: &&EpisodeKey| key.contestant == contestant.name && tasks.contains(key.task.as_str());
            lanes.push(Lane::of(&suite.id, &contestant.name, missing.iter().filter(own).count()));
        }
    }
    let LimitArgs { max_tokens_total, max_cost, max_time } = args.limits;
    let style = args.style.map(|style| format!("{style:?}").to_lowercase());
    Ok(RunOffer {
        v: 1,
        run: String::new(),
        waldo: env!("WALDO_VERSION").to_owned(),
        state: QueueState::Open,
        suites,
        contestants,
        lanes,
        seed: args.seed,
        repeats: args.repeats,
        same_instance: args.same_instance,
        attempts: args.attempts,
        max_steps: manifest.max_steps,
        style,
        limits: EpisodeLimits { tokens: max_tokens_total, usd: max_cost, seconds: max_time },
        prompts: prompts(manifest)?,
        parameters: parameters(&manifest.parameters),
        lease: args.fleet.lease,
        deliveries: args.fleet.deliveries,
        max_artifact: args.fleet.max_artifact << 20,
        shared_folder: args.fleet.queue.artifacts.is_some(),
        since: Timestamp::now(),
    })
}

pub(super) fn prompts(manifest: &Manifest) -> Result<String> {
    let text = serde_json::to_vec(&manifest.prompts)
        .map_err(|e| CliError::Internal(format!("hashes of templates as JSON: {e}")))?;
    Ok(hash(&[b"prompts", &text]))
}

/// What of a manifest's parameters has to be the same wherever the run is played, by name.
pub(super) fn parameters(all: &Value) -> BTreeMap<String, String> {
    let own = all.as_object().into_iter().flatten();
    own.filter(|(name, _)| !OF_THE_PLAN.contains(&name.as_str()))
        .map(|(name, value)| {
            (name.clone(), hash(&[name.as_bytes(), without_left_out(value).to_string().as_bytes()]))
        })
        .collect()
}

/// The definitions of contestants in a manifest's parameters, by name.
pub(super) fn contestants(all: &Value) -> BTreeMap<String, String> {
    let own = all.get("contestants").and_then(Value::as_object).into_iter().flatten();
    own.map(|(name, value)| (name.clone(), hash(&[name.as_bytes(), value.to_string().as_bytes()]))).collect()
}

/// What is left out of a suite where it was planned is no business of who plays the rest.
fn without_left_out(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(fields) = value.as_object_mut() {
        fields.shift_remove("left_out");
    }
    value
}

impl From<QueueError> for CliError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Input(message) => Self::Input(message),
            QueueError::Task(error) => Self::Task(error),
            other => Self::Queue(other),
        }
    }
}
