use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use waldo_devices::count::{count, either};

use super::eval::{Here, WorkerFlags};
use super::{CliError, Result};
use crate::config::Contestants;
use crate::exit;
use crate::numbers::whole;
use crate::queue::{Offers, Presence, QueueArgs, QueueServer, Refusal, RunOffer};
use crate::screens::DeviceSpec;
use crate::stop::{on_signals, stop_at_once};

/// How long a run that could not be played is left alone.
const RESTS: Duration = Duration::from_secs(20);
/// How often is looked whether a run is offered, when nobody says so.
const LOOKS: Duration = Duration::from_secs(5);

/// Play episodes that waldo eval --queue hands out.
///
/// A worker plays suites, templates and contestants that it has itself, with its own keys: it is told ids and hashes, and
/// compares. Before it takes an episode it looks whether it can play it, and says why where it cannot. Ctrl-C or SIGTERM:
/// what is under way is ended and handed in, nothing more is taken; once more: it is given back at once.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    queue: QueueArgs,
    /// A screen to play on, as --device of eval names it; may be given several times, one for each platform.
    #[arg(long = "lane", value_name = "SPEC", default_value = "web")]
    lanes: Vec<DeviceSpec>,
    /// Episodes at once.
    #[arg(long, default_value_t = 2, value_parser = whole::<u16>(1..=256))]
    slots: u16,
    /// Where episodes are played until they are delivered [default: a temporary folder].
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// End after so many seconds without an episode.
    #[arg(long, value_name = "SECONDS", value_parser = whole::<u64>(0..))]
    idle: Option<u64>,
    /// At the end print how many episodes were delivered as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: WorkerFlags,
}

/// Runs it that are left alone for now, and why.
type Resting = HashMap<String, (Instant, Vec<Refusal>)>;

pub async fn run(args: Args, defined: &Contestants) -> Result<u8> {
    if args.queue.queue.is_none() {
        return Err(CliError::Input("which queue? give --queue nats://HOST".to_owned()));
    }
    let server = QueueServer::connect(&args.queue, "waldo worker").await?;
    let screens = able(&args).await?;
    let own;
    let scratch = match &args.scratch {
        Some(scratch) => scratch.clone(),
        None => {
            own = tempfile::tempdir().map_err(|source| CliError::Io {
                what: "cannot make a folder to play in".to_owned(),
                source,
            })?;
            own.path().to_owned()
        }
    };
    server.await_streams().await?;
    let lanes = screens.iter().map(ToString::to_string).collect();
    let presence = Arc::new(Presence::new(&host(), lanes, args.slots.into()));
    let (drain, cancel) = (CancellationToken::new(), CancellationToken::new());
    let stopper = tokio::spawn(stop(presence.clone(), drain.clone(), cancel.clone()));
    let teller = {
        let (presence, server) = (presence.clone(), server.clone());
        tokio::spawn(async move { presence.tell(&server).await })
    };
    eprintln!("worker {} waits at {}", presence.id, args.queue.address());
    let here = Here { flags: &args.flags, defined, screens: &screens, slots: args.slots.into(), scratch };
    let done = serve(&args, &here, &server, &presence, &drain, &cancel).await;
    teller.abort();
    stopper.abort();
    server.flush().await;
    let played = presence.played();
    eprintln!("{} {} handed in", count(played, "episode"), either(played, "was", "were"));
    done?;
    if args.json {
        super::print_json(&serde_json::json!({ "worker": presence.id, "played": presence.played() }))?;
    }
    Ok(exit::OK)
}

/// Plays what is offered, until it is told to stop or nothing came for long enough.
async fn serve(
    args: &Args,
    here: &Here<'_>,
    server: &QueueServer,
    presence: &Arc<Presence>,
    drain: &CancellationToken,
    cancel: &CancellationToken,
) -> Result<()> {
    let mut offers = Offers::hear(server).await?;
    let mut resting = Resting::new();
    let mut served: HashMap<String, Instant> = HashMap::new();
    let idle = args.idle.map(Duration::from_secs);
    let mut since = Instant::now();
    while !drain.is_cancelled() {
        if idle.is_some_and(|idle| since.elapsed() >= idle) {
            eprintln!("nothing came for {} s", idle.unwrap_or_default().as_secs());
            break;
        }
        let mut open = tokio::select! {
            () = drain.cancelled() => break,
            open = offers.open() => open?,
        };
        resting.retain(|_, (when, _)| when.elapsed() < RESTS);
        // Who waited longest comes first.
        open.sort_by_key(|offer| served.get(&offer.run).copied());
        let Some((offered, run)) = first_playable(here, open, presence, &mut resting).await? else {
            tokio::select! {
                () = drain.cancelled() => {}
                () = offers.news(LOOKS) => {}
            }
            continue;
        };
        served.insert(run.clone(), Instant::now());
        let left = idle.map(|idle| idle.saturating_sub(since.elapsed()));
        let before = presence.played();
        let done =
            offered.play(server, &args.queue, presence.clone(), drain.clone(), cancel.clone(), left).await;
        if presence.played() > before {
            since = Instant::now();
        }
        if let Err(e) = done {
            let why = crate::masking::mask(e.to_string());
            eprintln!("run {run}: {why}; it is left alone for {} s", RESTS.as_secs());
            let refusal = Refusal { run: run.clone(), part: String::new(), why };
            resting.insert(run, (Instant::now(), vec![refusal]));
        }
    }
    Ok(())
}

/// The first run of which something can be played here; what else there is is refused, with its reasons.
async fn first_playable(
    here: &Here<'_>,
    open: Vec<RunOffer>,
    presence: &Presence,
    resting: &mut Resting,
) -> Result<Option<(super::eval::Offered, String)>> {
    let mut refused = Vec::new();
    let mut found = None;
    for offer in open {
        let run = offer.run.clone();
        if let Some((_, why)) = resting.get(&run) {
            refused.extend(why.iter().cloned());
            continue;
        }
        if found.is_some() {
            continue;
        }
        let (playable, why) = here.examine(offer).await?;
        refused.extend(why.iter().cloned());
        match playable {
            Some(playable) => found = Some((playable, run)),
            None => {
                resting.insert(run, (Instant::now(), why));
            }
        }
    }
    for Refusal { run, part, why } in presence.refuses(refused) {
        let part = if part.is_empty() { String::new() } else { format!(", {part}") };
        eprintln!("takes no work from run {run}{part}: {why}");
    }
    Ok(found)
}

async fn able(args: &Args) -> Result<Vec<DeviceSpec>> {
    let (mut able, mut lacking) = (Vec::new(), Vec::new());
    for lane in &args.lanes {
        let findings = lane.family().examine(args.flags.device(), args.flags.browser()).await;
        match findings.iter().find(|finding| finding.is_fault()) {
            None => able.push(lane.clone()),
            Some(finding) => {
                let hint = finding.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
                lacking.push(format!("{lane}: {} {}{hint}", finding.what, finding.found));
            }
        }
    }
    if able.is_empty() {
        return Err(CliError::Device(waldo_devices::DeviceError::Start {
            what: "any of the worker's screens".to_owned(),
            message: lacking.join("; "),
            hint: "waldo doctor says more".to_owned(),
        }));
    }
    for lane in lacking {
        eprintln!("cannot use the lane {lane}");
    }
    Ok(able)
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "a machine without a name".to_owned(),
        name => crate::out::plain(name, 64),
    }
}

/// The first signal drains, the second gives back, the third ends at once.
async fn stop(presence: Arc<Presence>, drain: CancellationToken, cancel: CancellationToken) {
    on_signals(|| match (drain.is_cancelled(), cancel.is_cancelled()) {
        (false, _) => {
            presence.drains();
            drain.cancel();
            eprintln!("what is under way is ended and handed in; once more to give it back");
        }
        (true, false) => {
            cancel.cancel();
            eprintln!("given back; once more to stop at once");
        }
        (true, true) => stop_at_once(),
    })
    .await;
}
