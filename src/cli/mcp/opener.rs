//! Opens sessions for clients, as the flags say, and plays each to its end.
//!
//! Invariant: what a client asks for widens nothing: devices, apps and origins are of those that the flags name.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use waldo_devices::count::count;
use waldo_devices::labels::PicturePacking;
use waldo_devices::{Budget, Device, GuardPolicy, Origin, Platform, ResetTo, Secrets};
use waldo_tasks::docs::Library;
use waldo_tasks::episode::{self, EpisodeSpec, Timeouts};
use waldo_tasks::record::{Claim, TaskEntry};
use waldo_tasks::runner::invalid;
use waldo_tasks::{Contestant, Emitter, EpisodeKey, EpisodeResult, Goal, Manifest, RunFolder, Task as _};

use super::super::ask::question;
use super::super::by_hand::{ByHand, Starts, uploads};
use super::super::guard::rule;
use super::super::start::single;
use super::super::{CliError, fresh};
use super::{Args, CALLS, IDLE, delegate};
use crate::mcp::{
    ApprovalCaller, AtClient, ClientAgent, McpServer, NextCapture, Observing, OpenedSession, Restarting,
    SessionOpener, SessionRecord, SessionSetup, SessionStart,
};
use crate::report;
use crate::screens::Concurrency;
use crate::session::{self, Opening, Session};

/// Opens sessions and knows which are played.
pub(super) struct Opener {
    args: Args,
    secrets: Secrets,
    docs: Arc<Library>,
    root: CancellationToken,
    /// As many sessions as may still be opened.
    free: Arc<Semaphore>,
    plays: TaskTracker,
    /// The folder of the first session, where those of the others are.
    folder: OnceLock<PathBuf>,
    opened: AtomicU32,
    /// A session that was opened before a client asked for it.
    prepared: Mutex<Option<OpenedSession>>,
}

impl Opener {
    pub(super) fn new(args: Args, root: CancellationToken) -> Result<Self, CliError> {
        Ok(Self {
            secrets: args.secrets.read()?,
            docs: args.docs.read()?,
            root,
            free: Arc::new(Semaphore::new(args.sessions)),
            plays: TaskTracker::new(),
            folder: OnceLock::new(),
            opened: AtomicU32::new(0),
            prepared: Mutex::default(),
            args,
        })
    }

    pub(super) async fn first(&self) -> Result<Begun, CliError> {
        let mut begun = self.begin(&self.args, self.args.out.as_deref()).await?;
        begun.room = self.free.clone().try_acquire_owned().ok();
        let _ = self.folder.set(begun.folder.path().to_owned());
        Ok(begun)
    }

    /// Has the next client that begins get this session.
    pub(super) fn prepare(&self, session: OpenedSession) {
        *self.prepared.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    }

    /// Waits until every session that clients opened has ended.
    pub(super) async fn ended(&self) {
        self.plays.close();
        self.plays.wait().await;
    }

    async fn begin(&self, args: &Args, out: Option<&Path>) -> Result<Begun, CliError> {
        let to = start(args)?;
        let uploads = uploads(&args.upload)?;
        let names: Vec<String> = uploads.iter().map(|(name, _)| name.clone()).collect();
        let policy = to.policy.clone();
        let task = task(args, to, uploads);
        let contestant = Contestant::new("client", None);
        let manifest = manifest(args, &task, &contestant);
        let key = EpisodeKey { contestant: contestant.name, task: task.entry().id, repeat: 0 };
        let delegate = delegate(args, &self.docs).await?;
        let cancel = self.root.child_token();
        let caller = ApprovalCaller::default();
        let opening = Opening::on(&args.device, &args.browser).secrets(self.secrets.clone());
        let opening = opening.approver(AtClient::new(caller.clone(), cancel.clone(), question));
        let session = opening.stopped_by(cancel.clone()).open(Concurrency::One).await?;
        let device = session.device().await?;
        let claim = claim(out, manifest, &key)?;
        let info = device.info();
        let folder = claim.on(info.clone())?;
        let wanted = Arc::new(NextCapture::default());
        let steps = delegate.as_ref().map(|delegate| delegate.limits.steps);
        let (agent, connection) = ClientAgent::new(wanted.clone(), caller, delegate, cancel.clone());
        let served = SessionSetup {
            device: info,
            policy,
            tools: args.tools,
            secrets: args.secrets.names(),
            uploads: names,
            docs: self.docs.clone(),
            delegate: steps,
            recorded: Some(SessionRecord { folder: folder.clone(), key: key.clone() }),
            goal: None,
        };
        let server = McpServer::new(served, connection);
        let device: Box<dyn Device> = Box::new(Restarting::new(device, session.devices()));
        let device: Box<dyn Device> = Box::new(Observing::new(device, wanted));
        let packing = args.picture.for_anybody();
        Ok(Begun { server, cancel, task, device, agent, folder, key, packing, session, room: None })
    }

    /// The flags of a session that a client asks for.
    fn narrowed(&self, asked: &SessionStart) -> Result<Args, String> {
        let mut args = self.args.clone();
        let flags = start(&args).map_err(|error| error.to_string())?.policy;
        if let Some(device) = &asked.device {
            let known = args.session_device.iter().find(|spec| spec.as_str() == device);
            let is_usual = args.device.spec().as_str() == device;
            if !is_usual {
                let of_flags = self.devices().join(", ");
                let spec = known.ok_or_else(|| format!("the flags allow these devices: {of_flags}"))?;
                args.device.device = Some(spec.clone());
                (args.url, args.open) = (None, None);
            }
        }
        args.guard.allow = match &asked.allow {
            None => flags.origins,
            Some(asked) => asked.iter().map(|text| narrower(text, &flags)).collect::<Result<_, _>>()?,
        };
        let own = args.guard.policy(None);
        let Some(what) = &asked.start else {
            args.url = args.url.filter(|url| own.allows_url(url));
            return Ok(args);
        };
        if args.device.family().has_origins() {
            if !own.allows_url(what) || Origin::of(what).is_none() {
                let origin = waldo_devices::guard::shown_origin(what);
                return Err(format!(
                    "{origin} is not an allowed origin: --allow of waldo mcp would allow it"
                ));
            }
            args.url = Some(what.clone());
        } else if args.open.as_ref() != Some(what) {
            // A desktop runs whatever program it is given.
            if args.device.platform() != Platform::Android || !own.allows_app(what) {
                return Err(
                    "it may begin with what --open names, and a phone with an app of --allow-app".to_owned()
                );
            }
            args.open = Some(what.clone());
        }
        Ok(args)
    }
}

/// A rule of origins that allows nothing which the flags do not.
fn narrower(text: &str, flags: &GuardPolicy) -> Result<waldo_devices::OriginRule, String> {
    let asked = rule(text)?;
    let is_within = flags.origins.contains(&asked)
        || flags.allows_any_origin()
        || asked.exact().is_some_and(|origin| flags.origins.iter().any(|known| known.allows(origin)));
    is_within
        .then_some(asked)
        .ok_or_else(|| format!("{text} is not an allowed origin: --allow of waldo mcp would allow it"))
}

#[async_trait]
impl SessionOpener for Opener {
    async fn open(&self, asked: &SessionStart) -> Result<OpenedSession, String> {
        if asked.is_usual()
            && let Some(prepared) = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            return Ok(prepared);
        }
        let most = self.args.sessions;
        let room = self.free.clone().try_acquire_owned().map_err(|_| {
            format!(
                "{} {} open, as many as --sessions allows: close_session ends one",
                count(most, "session"),
                if most == 1 { "is" } else { "are" }
            )
        })?;
        let args = self.narrowed(asked)?;
        let number = self.opened.fetch_add(1, Ordering::Relaxed) + 2;
        let out = self.folder.get().map(|first| first.join("sessions").join(number.to_string()));
        let mut begun = self.begin(&args, out.as_deref()).await.map_err(|error| error.to_string())?;
        begun.room = Some(room);
        let opened = begun.opened();
        self.plays.spawn(begun.play());
        Ok(opened)
    }

    fn devices(&self) -> Vec<String> {
        let usual = self.args.device.spec().to_string();
        let more = self.args.session_device.iter().map(ToString::to_string).filter(|more| *more != usual);
        std::iter::once(usual.clone()).chain(more).collect()
    }
}

/// A session that is ready to be played.
pub(super) struct Begun {
    pub(super) server: McpServer,
    cancel: CancellationToken,
    task: ByHand,
    device: Box<dyn Device>,
    agent: ClientAgent,
    folder: RunFolder,
    key: EpisodeKey,
    packing: PicturePacking,
    session: Session,
    room: Option<tokio::sync::OwnedSemaphorePermit>,
}

impl Begun {
    pub(super) fn opened(&self) -> OpenedSession {
        let folder = self.folder.path().display().to_string();
        OpenedSession { server: self.server.clone(), cancel: self.cancel.clone(), folder }
    }

    /// Plays it until it is cancelled or its device is lost, and writes its report.
    pub(super) async fn play(self) -> Result<(), CliError> {
        let Self { server, cancel, task, device, agent, folder, key, packing, session, room } = self;
        let ending = cancel.clone();
        // Another may begin while this one ends.
        tokio::spawn(async move {
            ending.cancelled().await;
            drop(room);
        });
        let played = play(&task, device, agent, &folder, &key, packing, session).await;
        cancel.cancel();
        let result = played.inspect_err(|error| {
            eprintln!("the session has ended: {error}");
            server.end(error.to_string());
        })?;
        let steps = count(result.steps, "step");
        match report::write(&folder, folder.path()) {
            Ok(files) => eprintln!("the session ended after {steps}; report: {}", files.html.display()),
            Err(error) => {
                eprintln!("the session ended after {steps}\n{}", report::warning(&folder, &error));
            }
        }
        Ok(())
    }
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

fn task(args: &Args, to: ResetTo, uploads: Vec<(String, PathBuf)>) -> ByHand {
    let platform = args.device.platform();
    ByHand {
        entry: TaskEntry::single("session", "what a client did", "by a client", platform, CALLS),
        goal: Goal {
            text: "what a client of the Model Context Protocol asks for".into(),
            uploads,
            ..Goal::default()
        },
        starts: Starts::One(Box::new(to)),
        checks: Vec::new(),
    }
}

fn manifest(args: &Args, task: &ByHand, contestant: &Contestant) -> Manifest {
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

/// Plays the session's episode to its end, and ends the device.
async fn play(
    task: &ByHand,
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
