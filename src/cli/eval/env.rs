//! `waldo env`: the episodes of a suite, played by whoever asks for them over a socket.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;
use waldo_devices::private_dir::{DirKind, ScratchDir, in_memory};
use waldo_tasks::events::KeptPictures;
use waldo_tasks::record::Claim;
use waldo_tasks::runner::Options;
use waldo_tasks::suite::SiteHost;
use waldo_tasks::{RunFolder, Task};

use super::chosen::Chosen;
use super::rows::add_without_model;
use super::settings::options;
use super::{manifest, tell_so_far};
use crate::cli::real_phone::RealPhoneArgs;
use crate::cli::secrets::SecretArgs;
use crate::cli::{CliError, Result};
use crate::config::Contestants;
use crate::envs::{self, EpisodeDesk, Offer};
use crate::exit;
use crate::numbers::whole;
use crate::own_socket::OwnSocket;
use crate::preflight;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs, NamedScreen};
use crate::serve::{Registry, Sites};
use crate::session::{Episodes, Opening};
use crate::suites::{PlayArgs, SuiteArgs};

/// The folder of a server: its socket, and what it keeps no record of.
const DIR: DirKind = DirKind { prefix: "waldo-env-", owner: "owner" };

/// Serve the tasks of a suite as environments, for training in Python (docs/python.md).
///
/// Prints a line of JSON with the socket once it can be connected to. Each connection is a session with a device of its own
/// for each episode; guard, steps and verdicts are those of waldo eval. Without --socket the server ends once its standard
/// input is closed, so that it goes with the program that started it.
#[derive(Debug, clap::Args)]
pub struct EnvArgs {
    /// The suites, as waldo eval takes them; with several, each task is named SUITE.TASK.
    #[arg(required = true, value_name = "SUITE")]
    suites: Vec<String>,
    /// Only these tasks (with several suites SUITE.TASK); may be given several times.
    #[arg(short, long = "task", value_name = "ID")]
    tasks: Vec<String>,
    /// Sessions at once.
    #[arg(long, default_value_t = 16, value_parser = whole::<u16>(1..=256))]
    sessions: u16,
    /// Run seed: with it the seed N of a session names the instance that repeat N of waldo eval plays.
    #[arg(short, long, default_value_t = 0, value_parser = whole::<u64>(0..))]
    seed: u64,
    /// Steps per episode, in place of each task's own budget.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(1..))]
    max_steps: Option<u32>,
    /// Seconds that a session may take for an action; later its episode has ended.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = whole::<u64>(1..=86_400))]
    action_timeout: u64,
    /// Keep a record of every episode in this run folder, as waldo eval does; without it nothing is kept, which is faster.
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Listen at this path, until a signal ends the server.
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
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
    browser: BrowserArgs,
    #[command(flatten)]
    secrets: SecretArgs,
    #[command(flatten)]
    place: SuiteArgs,
    #[command(flatten)]
    play: PlayArgs,
}

impl EnvArgs {
    fn as_run(&self, out: &Path) -> Result<super::Args> {
        let mut args = super::Args {
            suites: self.suites.clone(),
            tasks: self.tasks.clone(),
            with_bounds: false,
            workers: self.sessions,
            seed: self.seed,
            max_steps: self.max_steps,
            out: Some(out.to_owned()),
            attempts: 1,
            real_phone: self.real_phone,
            on: self.on.clone(),
            device: self.device.clone(),
            browser: self.browser.clone(),
            secrets: self.secrets.clone(),
            place: self.place.clone(),
            play: self.play.clone(),
            ..super::Args::usual()?
        };
        args.settings.exec.agent_timeout = Some(self.action_timeout);
        let mut rows = Vec::new();
        add_without_model(&args, &mut rows, std::iter::once(("env".to_owned(), "exec".to_owned())));
        args.rows = rows;
        Ok(args)
    }
}

/// Serves what the command line says, until it is stopped.
pub async fn serve(env: EnvArgs, defined: &Contestants) -> Result<u8> {
    env.browser.keeps_no_state("env")?;
    let own = ScratchDir::make(&in_memory(), DIR)
        .map_err(|source| CliError::Io { what: "a private folder".to_owned(), source })?;
    let out = env.out.clone().unwrap_or_else(|| own.path().join("run"));
    let args = super::Args { defined: defined.clone(), ..env.as_run(&out)? };
    let host: Arc<dyn SiteHost> = Arc::new(Sites::start().await?);
    let mut chosen = Chosen::open(&args, &host)?;
    chosen.check(&args)?;
    let tasks: Vec<Arc<dyn Task>> = chosen.tasks();
    let prompts = crate::prompts::open(None)?;
    let claim = Claim::of(&out, manifest(&args, &chosen, &prompts)?)?;
    if !claim.new {
        let message = format!("{} holds a run already: give another --out", out.display());
        return Err(CliError::Input(message));
    }
    preflight::ask(&chosen.take_questions()).await?;
    let socket = env.socket.clone().unwrap_or_else(|| own.path().join("socket"));
    let listener = OwnSocket::bind(&socket)
        .await
        .map_err(|source| CliError::Io { what: format!("cannot listen at {}", socket.display()), source })?;
    let secrets = env.secrets.read()?;
    let cancel = CancellationToken::new();
    let opening = Opening::on(chosen.device(), &args.browser).routed(chosen.routes()).secrets(secrets);
    let session = opening.stopped_by(cancel.clone()).open(Concurrency::All).await?;
    let device = session.info().await?;
    let screen = (device.geometry.physical.w, device.geometry.physical.h);
    let folder = claim.on(device)?;
    let sessions = session.workers(usize::from(env.sessions));
    let record = env.out.is_some().then(|| folder.clone());
    let desk = EpisodeDesk::new(record, Duration::from_secs(env.action_timeout), env.secrets.names());
    let mut options = Options { workers: sessions, ..options(&args, &chosen, false) };
    if env.out.is_none() {
        options.pictures = KeptPictures::Needed;
        // What only the session sees, and unpacks at once.
        options.own.values_mut().for_each(|limits| limits.packing = Default::default());
    }
    let offer = Offer {
        suite: chosen.id(),
        tasks: tasks.iter().map(|task| task.entry()).collect(),
        screen,
        sessions,
    };
    let served = tokio::spawn(envs::serve(listener, offer, desk.clone()));
    session.listen();
    if env.socket.is_none() {
        let cancel = cancel.clone();
        tokio::spawn(async move {
            // Whatever comes is of no meaning; its end is.
            while tokio::io::stdin().read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
            cancel.cancel();
        });
    }
    println!("{}", serde_json::json!({ "socket": socket, "suite": chosen.id(), "sessions": sessions }));
    let agents = Arc::new(desk.clone());
    let on_goal = super::on_goal(Registry::default());
    let episodes = Episodes {
        tasks,
        agents,
        are_recorded: env.out.is_some(),
        sinks: vec![Arc::new(desk.clone())],
        on_goal,
        options,
        keys: Vec::new(),
    };
    let played = session.serve(&folder, episodes, Arc::new(desk), sessions).await;
    served.abort();
    // The socket goes before the folder.
    let _ = served.await;
    if env.out.is_some() {
        // It was played more often than it began.
        tell_so_far(&args, &RunFolder::open(&out)?);
    }
    played?;
    Ok(exit::OK)
}
