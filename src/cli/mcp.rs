//! `waldo mcp`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use waldo_devices::count::count;
use waldo_devices::labels::PicturePacking;
use waldo_devices::{Budget, Device, ResetTo};
use waldo_tasks::docs::Library;
use waldo_tasks::episode::{self, EpisodeSpec, Timeouts};
use waldo_tasks::record::{Claim, TaskEntry};
use waldo_tasks::runner::{AgentSource as _, invalid};
use waldo_tasks::{Contestant, Emitter, EpisodeKey, EpisodeResult, Goal, Manifest, RunFolder, Task as _};

use super::ask::question;
use super::docs_arg::DocsArgs;
use super::guard::GuardArgs;
use super::secrets::SecretArgs;
use super::start::single;
use super::{CliError, fresh};
use crate::agents::{
    AgentKind, AgentSettings, PictureChoice, SoleContestant, agent_names, kind, plays_without_solution,
};
use crate::exit;
use crate::mcp::{
    ApprovalCaller, AtClient, ByClient, ClientAgent, Delegate, GoalLimits, Listening, McpServer, NextCapture,
    Observing, SessionRecord, SessionSetup, ToolSet,
};
use crate::numbers::{decimal, port, whole};
use crate::preflight;
use crate::report;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs};
use crate::serve::http::cannot_listen;
use crate::session::{self, Opening, Session};

/// Calls of one session at the most.
const CALLS: u32 = 1_000_000;
/// The longest that a session waits for its next call.
const IDLE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Serve a guarded device to a client of the Model Context Protocol.
///
/// The client drives the device by tools: observe, tap, fill, open and so on. Flags say which device, which
/// origins or apps may be touched, what is denied and which secrets can be typed; nothing that a client says
/// widens them. The session is a run folder: its report shows every step. It ends with the client.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waldo mcp --allow https://example.org
  waldo mcp --url https://example.org --allow 'https://*.example.org'
  waldo mcp --device simphone --open com.android.settings --tools core
  waldo mcp --device desktop --open 'mousepad notes.txt' --deny close_window
  waldo mcp --url https://example.org --agent planner --model my-model --max-steps 20
  waldo mcp --url https://example.org --http=8931")]
pub struct Args {
    /// The page to start on [default: an empty page; what may be opened then is what --allow names].
    #[arg(long, conflicts_with = "open")]
    url: Option<String>,
    /// The app to start in: on a phone its package, or its name (the home screen when absent); on a desktop
    /// a program with its arguments.
    #[arg(long, value_name = "APP")]
    open: Option<String>,
    /// Which tools are offered: all that the device has, or the ten that most tasks need.
    #[arg(long, value_enum, default_value = "all")]
    tools: ToolSet,
    /// A file that may be given to file fields, by its name; may be given several times.
    #[arg(long, value_name = "FILE")]
    upload: Vec<PathBuf>,
    /// Serve over HTTP on loopback, at this port or a free one, in place of standard input and output. Clients
    /// give the token of the variable WALDO_MCP_TOKEN; without one a token is made and shown.
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = port)]
    http: Option<u16>,
    /// The agent that goals can be handed to (the tool delegate); without it there is none.
    #[arg(short, long, value_parser = agent_names())]
    agent: Option<String>,
    /// Step budget of one such goal.
    #[arg(long, default_value_t = 15, value_parser = whole::<u32>(1..), requires = "agent")]
    max_steps: u32,
    /// Time limit of one such goal in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "agent", value_parser = whole::<u64>(0..))]
    max_time: u64,
    /// Cost budget of one such goal in US dollars; needs --prices.
    #[arg(long, value_name = "USD", requires_all = ["agent", "prices"], value_parser = decimal::<f64>)]
    max_cost: Option<f64>,
    /// The run folder [default: runs/mcp-TIME].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How pictures are packed, for the client, the record and an agent that goals are handed to: png, which every client reads;
    /// webp, as exact in a tenth of the bytes; or jpeg:QUALITY.
    #[arg(long, value_name = "FORMAT", default_value = "png")]
    picture: PictureChoice,
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
    docs: DocsArgs,
}

/// The files that may be uploaded, by name.
fn uploads(files: &[PathBuf]) -> Result<Vec<(String, PathBuf)>, CliError> {
    let mut all: Vec<(String, PathBuf)> = Vec::new();
    for file in files {
        let bad = |why: String| CliError::Input(format!("--upload {}: {why}", file.display()));
        let path = file.canonicalize().map_err(|e| bad(e.to_string()))?;
        let name =
            path.file_name().and_then(|name| name.to_str()).ok_or_else(|| bad("it has no name".into()))?;
        if !path.is_file() {
            return Err(bad("it is not a file".into()));
        }
        if all.iter().any(|(known, _)| known == name) {
            return Err(bad(format!("another file is named {name}, too")));
        }
        all.push((name.to_owned(), path.clone()));
    }
    Ok(all)
}

/// Who pursues the goals that a client hands over; asked beforehand whether its model can be.
async fn delegate(args: &Args, docs: &Arc<Library>) -> Result<Option<Delegate>, CliError> {
    let Some(agent) = &args.agent else { return Ok(None) };
    if args.settings.model.compat {
        return Err(CliError::Input(
            "--compat does not go with mcp: the client's numbers are waldo's".into(),
        ));
    }
    plays_without_solution(agent)?;
    if kind(agent).is_some_and(AgentKind::needs_origins) {
        args.device.has_origins_for(agent)?;
    }
    let sole = SoleContestant::of(agent, &args.settings)?;
    let (agents, questions) =
        sole.agents(&args.settings, args.secrets.names(), docs.clone(), &args.guard.allow)?;
    preflight::ask(&questions).await?;
    let contestant = sole.contestant;
    let fence = agents.agent(&contestant.name)?.fence();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is not negative")]
    let micro_usd = args.max_cost.map(|usd| (usd.max(0.0) * 1e6) as u64);
    let limits = GoalLimits {
        steps: args.max_steps,
        time: Duration::from_secs(args.max_time),
        micro_usd,
        decide: args.settings.model.timeouts(Timeouts::default()).decide,
    };
    let make = Box::new(move || agents.agent(&contestant.name).map_err(|e| e.to_string()));
    Ok(Some(Delegate { make, fence, limits }))
}

/// The token that clients have to give, and whether it is a new one.
fn http_token() -> Result<(String, TokenSource), CliError> {
    match crate::environment::var("WALDO_MCP_TOKEN").filter(|token| !token.is_empty()) {
        Some(token) if token.len() < 16 || !token.bytes().all(|b| b.is_ascii_graphic()) => Err(CliError::Input(
            "WALDO_MCP_TOKEN must have 16 characters or more, none of them blank: make one with 'openssl rand -hex 16'"
                .into(),
        )),
        Some(token) => {
            crate::masking::know([("the token of mcp".to_owned(), token.clone())]);
            Ok((token, TokenSource::Before))
        }
        None => Ok((crate::serve::token()?, TokenSource::Now)),
    }
}

/// When a token was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenSource {
    Before,
    Now,
}

/// How the device starts: a browser of which no page is named with an empty one.
fn start(args: &Args) -> Result<ResetTo, CliError> {
    let (url, open) = (args.url.as_deref(), args.open.as_deref());
    if url.is_some() || open.is_some() || !args.device.family().has_origins() {
        return single(&args.device, &args.guard, url, open);
    }
    let policy = args.guard.policy(None);
    if policy.origins.is_empty() {
        eprintln!(
            "no page may be opened: name origins with --url or --allow, such as --allow https://example.org"
        );
    }
    Ok(ResetTo { policy, ..ResetTo::default() })
}

fn task(args: &Args, to: ResetTo, uploads: Vec<(String, PathBuf)>) -> ByClient {
    let platform = args.device.platform();
    ByClient {
        entry: TaskEntry::single("session", "what a client did", "by a client", platform, CALLS),
        goal: Goal {
            text: "what a client of the Model Context Protocol asks for".into(),
            params: serde_json::Value::Null,
            reference: Vec::new().into(),
            uploads,
            origin: None,
            widget: None,
        },
        to,
    }
}

fn manifest(args: &Args, task: &ByClient, contestant: &Contestant) -> Manifest {
    let mut parameters = serde_json::json!({
        "start": args.url.as_ref().or(args.open.as_ref()),
        "device": args.device.spec().to_string(),
        "agent": args.agent,
        "model": args.agent.as_ref().and(args.settings.model.model.as_ref()),
    });
    if let Some(all) = parameters.as_object_mut() {
        args.device.add_parameters(all);
    }
    Manifest {
        suite: "mcp".into(),
        tasks: vec![task.entry()],
        contestants: vec![contestant.clone()],
        parameters: crate::masking::json(parameters),
        ..session::manifest()
    }
}

/// The folder of the record: one of its own under `runs`, or the one asked for, unless it holds another session.
fn claim(out: Option<&Path>, manifest: Manifest, key: &EpisodeKey) -> Result<Claim, CliError> {
    let name = format!("mcp-{}", manifest.started.strftime("%Y%m%d-%H%M%S"));
    let out = match out {
        Some(out) => out.to_owned(),
        None => fresh::folder(PathBuf::from("runs").join(name))?,
    };
    let claim = Claim::of(&out, manifest)?;
    if claim.folder().episode(key).is_done() {
        let out = out.display();
        return Err(CliError::Input(format!("{out} holds another session: give another --out")));
    }
    Ok(claim)
}

async fn listen(port: u16) -> Result<Listening, CliError> {
    let at = (std::net::Ipv4Addr::LOCALHOST, port).into();
    Ok(Listening::on(port).await.map_err(cannot_listen(at))?)
}

/// Serves clients until they or a signal end the session: over HTTP, or over standard input and output.
async fn serve(
    server: McpServer,
    http: Option<(Listening, (String, TokenSource))>,
    cancel: &CancellationToken,
) {
    let Some((listening, (token, made))) = http else {
        return crate::mcp::stdio(server, cancel.clone()).await;
    };
    eprintln!("serving {}", listening.url());
    if made == TokenSource::Now {
        eprintln!("clients give this header: Authorization: Bearer {token}");
    }
    listening.serve(server, &token, cancel.clone()).await;
}

pub async fn run(args: Args) -> Result<u8, CliError> {
    let secrets = args.secrets.read()?;
    let to = start(&args)?;
    let uploads = uploads(&args.upload)?;
    let names: Vec<String> = uploads.iter().map(|(name, _)| name.clone()).collect();
    let policy = to.policy.clone();
    let task = task(&args, to, uploads);
    let contestant = Contestant::new("client", None);
    let manifest = manifest(&args, &task, &contestant);
    let key = EpisodeKey { contestant: contestant.name, task: task.entry().id, repeat: 0 };
    let docs = args.docs.read()?;
    let delegate = delegate(&args, &docs).await?;
    let http = match args.http {
        Some(port) => Some((listen(port).await?, http_token()?)),
        None => None,
    };
    let cancel = CancellationToken::new();
    let caller = ApprovalCaller::default();
    let session = Opening::on(&args.device, &args.browser)
        .secrets(secrets)
        .approver(AtClient::new(caller.clone(), cancel.clone(), question))
        .stopped_by(cancel.clone())
        .open(Concurrency::One)
        .await?;
    let device = session.device().await?;
    let claim = claim(args.out.as_deref(), manifest, &key)?;
    let info = device.info();
    let folder = claim.on(info.clone())?;
    // A signal ends the session as the client's end does.
    session.listen();
    let wanted = Arc::new(NextCapture::default());
    let steps = delegate.as_ref().map(|delegate| delegate.limits.steps);
    let (agent, connection) = ClientAgent::new(wanted.clone(), caller, delegate, cancel.clone());
    let served = SessionSetup {
        device: info,
        policy,
        tools: args.tools,
        secrets: args.secrets.names(),
        uploads: names,
        docs,
        delegate: steps,
        recorded: SessionRecord { folder: folder.clone(), key: key.clone() },
    };
    let server = McpServer::new(served, connection);
    let device: Box<dyn Device> = Box::new(Observing::new(device, wanted));
    let played = async {
        let played = play(&task, device, agent, &folder, &key, args.picture.for_anybody(), session).await;
        if let Err(error) = &played {
            eprintln!("the session has ended: {error}");
            server.end(error.to_string());
        }
        played
    };
    let serving = async {
        serve(server.clone(), http, &cancel).await;
        cancel.cancel();
    };
    let (played, ()) = tokio::join!(played, serving);
    let result = played?;
    let steps = count(result.steps, "step");
    match report::write(&folder, folder.path()) {
        Ok(files) => eprintln!("the session ended after {steps}; report: {}", files.html.display()),
        Err(error) => {
            eprintln!("the session ended after {steps}\n{}", report::warning(&folder, &error));
        }
    }
    Ok(exit::OK)
}

/// Plays the session's episode to its end, and ends the device.
async fn play(
    task: &ByClient,
    mut device: Box<dyn Device>,
    mut agent: ClientAgent,
    folder: &RunFolder,
    key: &EpisodeKey,
    packing: PicturePacking,
    session: Session,
) -> Result<EpisodeResult, CliError> {
    let episode = folder.episode(key);
    let spec = EpisodeSpec {
        key: key.clone(),
        attempt: 1,
        seed: 0,
        max_steps: CALLS,
        budget: Budget::default(),
        style: None,
        packing,
        pictures: waldo_tasks::events::KeptPictures::Tagged,
        timeouts: Timeouts { decide: IDLE, device: Duration::from_secs(60), ..Timeouts::default() },
        frames: None,
    };
    let path = episode.path().to_owned();
    let played = async {
        episode.begin()?;
        let events = Emitter::start(Arc::new(session::sinks(folder)))?;
        let played = episode::play(task, device.as_mut(), &mut agent, &spec, &path, &events, &|_| {}).await;
        events.finish().await;
        played
    }
    .await;
    // Whoever waits for an answer learns at once that there is none.
    drop(agent);
    let closed = session.close(device).await;
    match played {
        Ok(result) => {
            episode.complete(&result)?;
            closed?;
            Ok(result)
        }
        Err(error) => {
            // The record says why it has no end.
            let kept = episode.complete(&invalid(&spec, error.to_string()));
            let written = kept.map(|()| report::write(folder, folder.path()).is_ok());
            tracing::debug!(?written, "the record of a session that failed");
            Err(error.into())
        }
    }
}
