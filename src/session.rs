//! What commands share that play on a device: where devices come from, what a run is recorded by, and how it stops.
//!
//! Invariant: whatever was started for a session ends with it, also where its start or its play fails.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Secrets};
use waldo_tasks::record::{Manifest, RECORD_FORMAT};
use waldo_tasks::runner::{AgentSource, GoalHook, Options, Recorder, Run, RunProgress};
use waldo_tasks::{EpisodeKey, EventSink, RunFolder, Task, TaskError};

use crate::events::Log;
use crate::progress::Progress;
use crate::screens::{
    BrowserArgs, Concurrency, DeviceArgs, Routed, STARTS_WITHIN, ScreenError, ScreenSource,
};
use crate::stop::stop_on_signal;

const ENDS_WITHIN: Duration = Duration::from_secs(10);

pub struct Opening<'a> {
    device: &'a DeviceArgs,
    /// Devices of single suites, in place of it.
    routes: Vec<(String, DeviceArgs)>,
    browser: &'a BrowserArgs,
    secrets: Secrets,
    approver: Option<Arc<dyn Approver>>,
    cancel: CancellationToken,
}

impl<'a> Opening<'a> {
    pub fn on(device: &'a DeviceArgs, browser: &'a BrowserArgs) -> Self {
        Self {
            device,
            routes: Vec::new(),
            browser,
            secrets: Secrets::default(),
            approver: None,
            cancel: CancellationToken::new(),
        }
    }

    /// With a device for each suite of the run, where there are several.
    pub fn routed(self, routes: Vec<(String, DeviceArgs)>) -> Self {
        Self { routes, ..self }
    }

    pub fn secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    /// With somebody who is asked before an action that wants it.
    pub fn approver(self, approver: impl Approver + 'static) -> Self {
        Self { approver: Some(Arc::new(approver)), ..self }
    }

    /// Stopped by `cancel`, too.
    pub fn stopped_by(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// Refuses a state of pages where there are none.
    fn logs_in_somewhere(&self) -> Result<(), ScreenError> {
        let Some(flag) = self.browser.logs_in() else { return Ok(()) };
        let routed = self.routes.iter().map(|(_, device)| device);
        let mut all = routed.chain(self.routes.is_empty().then_some(self.device)).map(DeviceArgs::spec);
        match all.any(|spec| spec.screens().iter().any(|screen| screen.family().platform().has_pages())) {
            true => Ok(()),
            false => Err(ScreenError::Input(format!(
                "{flag} goes with --device web, not with {}",
                self.device.spec()
            ))),
        }
    }

    /// Opens it for so many episodes at once.
    pub async fn open(self, many: Concurrency) -> Result<Session, ScreenError> {
        self.logs_in_somewhere()?;
        let source = match self.routes.is_empty() {
            true => self.device.source(self.browser, self.secrets, self.approver, many).await?,
            false => {
                let mut routed = Routed::new(self.secrets.clone());
                for (suite, device) in &self.routes {
                    // Flags of a device are part of what it is.
                    let spelling = format!("{} {:?}", device.spec(), device.flags);
                    if !routed.shares(suite, &spelling) {
                        let (secrets, approver) = (self.secrets.clone(), self.approver.clone());
                        let source = device.source(self.browser, secrets, approver, many).await?;
                        routed.add(suite, &spelling, source);
                    }
                }
                Arc::new(routed)
            }
        };
        Ok(Session { source, cancel: self.cancel, stopper: OnceLock::new() })
    }
}

/// Where devices come from, and what stops the play on them.
pub struct Session {
    source: Arc<dyn ScreenSource>,
    cancel: CancellationToken,
    /// Hears signals since the play began, until the session ends: a person may still be waited for then.
    stopper: OnceLock<JoinHandle<()>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(stopper) = self.stopper.get() {
            stopper.abort();
        }
    }
}

/// What is played, in place of single episodes.
pub struct Episodes {
    pub tasks: Vec<Arc<dyn Task>>,
    pub agents: Arc<dyn AgentSource>,
    pub are_recorded: bool,
    /// Takes every event, beside the record, the log and the progress bar.
    pub sinks: Vec<Arc<dyn EventSink>>,
    pub on_goal: Arc<GoalHook>,
    pub options: Options,
    pub keys: Vec<EpisodeKey>,
}

impl Session {
    /// A device of its own, for one episode.
    pub async fn device(&self) -> Result<Box<dyn Device>, DeviceError> {
        let device = self.source.device(Deadline::after(STARTS_WITHIN)).await;
        if device.is_err() {
            self.source.close().await;
        }
        device
    }

    #[cfg(feature = "mcp")]
    pub fn devices(&self) -> Arc<dyn ScreenSource> {
        self.source.clone()
    }

    pub async fn info(&self) -> Result<DeviceInfo, DeviceError> {
        let info = self.source.info(Deadline::after(STARTS_WITHIN)).await;
        if info.is_err() {
            self.source.close().await;
        }
        info
    }

    /// How many of `workers` can work at once.
    pub fn workers(&self, workers: usize) -> usize {
        self.source.workers(workers)
    }

    /// Plays episodes, and closes the session.
    ///
    /// # Errors
    /// When the run cannot go on; what is complete is kept.
    pub async fn play(
        self,
        folder: &RunFolder,
        episodes: Episodes,
    ) -> Result<(RunProgress, Stopped), TaskError> {
        let missing = episodes.keys.iter().filter(|key| !folder.episode(key).is_done()).count();
        let progress = Arc::new(Progress::new(missing));
        self.listen();
        let (run, keys) = self.run(folder, episodes, Some(progress.clone()));
        let played = run.play(keys).await;
        progress.finish();
        self.source.close().await;
        let stopped = if self.cancel.is_cancelled() { Stopped::Yes } else { Stopped::No };
        Ok((played?, stopped))
    }

    /// A run on its devices, recorded in `folder`, and the episodes that were asked for.
    fn run(
        &self,
        folder: &RunFolder,
        episodes: Episodes,
        progress: Option<Arc<Progress>>,
    ) -> (Run, Vec<EpisodeKey>) {
        let mut sinks = if episodes.are_recorded { sinks(folder) } else { vec![Arc::new(Log) as _] };
        sinks.extend(episodes.sinks);
        sinks.extend(progress.map(|progress| progress as Arc<dyn EventSink>));
        let run = Run {
            folder: folder.clone(),
            tasks: episodes.tasks,
            devices: self.source.clone(),
            agents: episodes.agents,
            sink: Arc::new(sinks),
            on_goal: episodes.on_goal,
            options: episodes.options,
            cancel: self.cancel.clone(),
        };
        (run, episodes.keys)
    }

    /// Plays what a queue hands out, so many episodes at once, and closes the session; how many were played. Signals are
    /// the caller's to hear.
    ///
    /// # Errors
    /// When the play cannot go on; what was not handed in is played elsewhere.
    pub async fn serve(
        self,
        folder: &RunFolder,
        episodes: Episodes,
        queue: Arc<dyn waldo_tasks::runner::Queue>,
        at_once: usize,
    ) -> Result<usize, TaskError> {
        let (run, _) = self.run(folder, episodes, None);
        let played = run.play_from(queue, at_once).await;
        self.source.close().await;
        played
    }

    /// What `play` gives, unless a signal stops it first.
    pub async fn unless_stopped<T>(&self, play: impl Future<Output = T>) -> Option<T> {
        self.listen();
        tokio::select! {
            played = play => Some(played),
            () = self.cancel.cancelled() => None,
        }
    }

    /// From now on a signal stops the session in good order.
    pub fn listen(&self) {
        self.stopper.get_or_init(|| tokio::spawn(stop_on_signal(self.cancel.clone())));
    }

    pub async fn close(self, mut device: Box<dyn Device>) -> Result<(), DeviceError> {
        let closed = device.close(Deadline::after(ENDS_WITHIN)).await;
        drop(device);
        self.source.close().await;
        closed
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Yes,
    No,
}

/// What keeps the record of a run, and the log.
pub fn sinks(folder: &RunFolder) -> Vec<Arc<dyn EventSink>> {
    vec![Arc::new(Recorder::new(folder.clone())), Arc::new(Log)]
}

/// A manifest of this waldo that begins now, of nothing yet.
pub fn manifest() -> Manifest {
    Manifest {
        format: RECORD_FORMAT,
        waldo: env!("CARGO_PKG_VERSION").into(),
        commit: option_env!("WALDO_COMMIT").map(Into::into),
        repeats: 1,
        started: Timestamp::now(),
        ..Manifest::default()
    }
}
