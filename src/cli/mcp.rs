mod opener;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServerHandler;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use waldo_tasks::docs::Library;
use waldo_tasks::episode::Timeouts;
use waldo_tasks::runner::AgentSource as _;

use self::opener::Opener;
use super::docs_arg::DocsArgs;
use super::guard::GuardArgs;
use super::secrets::SecretArgs;
use super::{CliError, Result};
use crate::agents::{
    AgentSettings, PictureChoice, SoleContestant, agent_names, kind, plays_without_solution,
};
use crate::exit;
use crate::mcp::{Delegate, GoalLimits, Listening, McpSessions, TOKEN_VARIABLE, ToolSet};
use crate::numbers::{decimal, port, whole};
use crate::own_socket::OwnSocket;
use crate::preflight;
use crate::screens::{BrowserArgs, DeviceArgs, DeviceSpec};
use crate::serve::http::cannot_listen;
use crate::stop::stop_on_signal;

const CALLS: u32 = 1_000_000;
/// The longest that a session waits for its next call.
const IDLE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Serve a guarded device to a client of the Model Context Protocol.
///
/// The client drives the device by tools: observe, tap, fill, open and so on. Flags say which device, which
/// origins or apps may be touched, what is denied and which secrets can be typed; nothing that a client says
/// widens them. The session is a run folder: its report shows every step. It ends with the client.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The page to start on [default: an empty page; --allow names what may be opened].
    #[arg(long, conflicts_with = "open")]
    pub(super) url: Option<String>,
    /// The app to start in: on a phone its package, or its name (the home screen when absent); on a desktop
    /// a program with its arguments.
    #[arg(long, value_name = "APP")]
    pub(super) open: Option<String>,
    /// Which tools are listed.
    #[arg(long, value_enum, default_value = "common")]
    tools: ToolSet,
    /// Sessions at once. With more than one, each client over HTTP has its own session, and can open others with
    /// open_session, within what the flags allow; with one, clients share it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>(1..=256))]
    sessions: usize,
    /// A device that open_session may name besides that of --device; may be given several times.
    #[arg(long, value_name = "SPEC")]
    session_device: Vec<DeviceSpec>,
    /// Seconds without a call after which a session ends, if there may be several.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = whole::<u64>(1..=604_800))]
    session_idle: u64,
    /// A file that may be given to file fields, by its name; may be given several times.
    #[arg(long, value_name = "FILE")]
    upload: Vec<PathBuf>,
    /// Serve over HTTP on loopback, at this port or a free one, instead of standard input and output. Clients send the
    /// token of the variable WALDO_MCP_TOKEN; without it a token is made and shown.
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = port)]
    http: Option<u16>,
    /// The agent for goals that are handed to the tool delegate; without it there is no such tool.
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
    /// The format of pictures, for the client, the record and an agent of delegated goals: png, which every client
    /// reads; webp, lossless in a tenth of the bytes; or jpeg:QUALITY.
    #[arg(long, value_name = "FORMAT", default_value = "png")]
    picture: PictureChoice,
    #[command(flatten)]
    pub(super) device: DeviceArgs,
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

/// Who pursues the goals that a client hands over; asked beforehand whether its model can be.
async fn delegate(args: &Args, docs: &Arc<Library>) -> Result<Option<Delegate>> {
    let Some(agent) = &args.agent else { return Ok(None) };
    if args.settings.model.compat {
        return Err(CliError::Input(
            "--compat cannot be used with mcp: the client's numbers are waldo's".into(),
        ));
    }
    plays_without_solution(agent)?;
    if kind(agent).is_some_and(|kind| kind.facts().needs_origins) {
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
        decide: args.settings.timeouts(Timeouts::default()).decide,
    };
    let make = Box::new(move || agents.agent(&contestant.name).map_err(|e| e.to_string()));
    Ok(Some(Delegate { make, fence, limits }))
}

/// The token that clients have to give, and whether it is a new one.
fn http_token() -> Result<(String, TokenSource)> {
    match crate::environment::var(TOKEN_VARIABLE).filter(|token| !token.is_empty()) {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenSource {
    Before,
    Now,
}

async fn listen(port: u16) -> Result<Listening> {
    let at = (std::net::Ipv4Addr::LOCALHOST, port).into();
    Ok(Listening::on(port).await.map_err(cannot_listen(at))?)
}

enum Reached {
    Pipes,
    Http(Listening, (String, TokenSource)),
    /// At a socket of this user, until no client was there for so long.
    Socket(OwnSocket, Duration),
}

/// Serves clients, each by what `handler` makes, until they or a signal end the session.
async fn serve<H: ServerHandler + Clone>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    reached: Reached,
    cancel: &CancellationToken,
) {
    let (listening, (token, made)) = match reached {
        Reached::Pipes => return crate::mcp::stdio(handler(), cancel.clone()).await,
        Reached::Socket(socket, idle) => {
            // Whoever started this process waits for this line.
            println!("{READY}");
            return crate::mcp::at_socket(socket, handler(), idle, cancel.clone()).await;
        }
        Reached::Http(listening, token) => (listening, token),
    };
    eprintln!("serving {}", listening.url());
    if made == TokenSource::Now {
        eprintln!("clients give this header: Authorization: Bearer {token}");
    }
    listening.serve(handler, &token, cancel.clone()).await;
}

/// What a session at a socket prints once its clients are answered.
pub(super) const READY: &str = "ready";

pub async fn run(args: Args) -> Result<u8> {
    let reached = match args.http {
        Some(port) => Reached::Http(listen(port).await?, http_token()?),
        None => Reached::Pipes,
    };
    play_session(args, reached).await
}

/// Serves a session at a socket, until it was idle for so long.
pub(super) async fn run_at(args: Args, socket: OwnSocket, idle: Duration) -> Result<u8> {
    // Whoever types commands reads no list.
    let args = Args { tools: ToolSet::All, ..args };
    play_session(args, Reached::Socket(socket, idle)).await
}

async fn play_session(args: Args, reached: Reached) -> Result<u8> {
    let root = CancellationToken::new();
    let (several, idle) = (args.sessions > 1, Duration::from_secs(args.session_idle));
    let opener = Arc::new(Opener::new(args, root.clone())?);
    let first = opener.first().await?;
    // A signal ends the sessions as the client's end does.
    let _stopper = AbortOnDropHandle::new(tokio::spawn(stop_on_signal(root.clone())));
    let (server, opened) = (first.server.clone(), first.opened());
    let serving = async {
        if several {
            opener.prepare(opened);
            let opener = opener.clone();
            serve(move || McpSessions::new(opener.clone(), idle), reached, &root).await;
        } else {
            serve(move || server.clone(), reached, &root).await;
        }
        root.cancel();
    };
    let (played, ()) = tokio::join!(first.play(), serving);
    opener.ended().await;
    played?;
    Ok(exit::OK)
}
