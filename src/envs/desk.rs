//! Where episodes that are asked for over connections meet the workers that play them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use waldo_agents::exec::{AgentLink, ExecAgent, ExecOptions};
use waldo_agents::planner::ground::TextGrounder;
use waldo_agents::{Agent, AgentError};
use waldo_devices::Secrets;
use waldo_tasks::record::EpisodeFolder;
use waldo_tasks::runner::{AgentSource, Lease, Queue};
use waldo_tasks::{EpisodeKey, EpisodeResult, Event, EventKind, EventSink, RunFolder, TaskError};

pub(super) const CONTESTANT: &str = "env";

struct Asked {
    key: EpisodeKey,
    instance: u32,
    ended: oneshot::Sender<EpisodeResult>,
}

struct Player {
    link: Arc<dyn AgentLink>,
    looks: bool,
    result: Option<EpisodeResult>,
}

/// Hands out the episodes that were asked for, makes their agents, and hears their results.
#[derive(Clone)]
pub struct EpisodeDesk(Arc<DeskState>);

struct DeskState {
    offers: mpsc::UnboundedSender<Asked>,
    asked: tokio::sync::Mutex<mpsc::UnboundedReceiver<Asked>>,
    players: Mutex<HashMap<EpisodeKey, Player>>,
    /// Episodes of each task so far.
    counts: Mutex<HashMap<String, u32>>,
    /// Where episodes are recorded; what is not is removed once it was played.
    record: Option<Mutex<RunFolder>>,
    /// How long an action may be waited for.
    limit: Duration,
    secrets: Vec<String>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EpisodeDesk {
    /// A desk whose players have `limit` for an action; `record` is the folder where one is kept.
    pub fn new(record: Option<RunFolder>, limit: Duration, secrets: Vec<String>) -> Self {
        let (offers, asked) = mpsc::unbounded_channel();
        Self(Arc::new(DeskState {
            offers,
            asked: tokio::sync::Mutex::new(asked),
            players: Mutex::default(),
            counts: Mutex::default(),
            record: record.map(Mutex::new),
            limit,
            secrets,
        }))
    }

    /// Has an episode of a task played by whoever is at the end of `link`: its result, or why there is none.
    pub(super) async fn play(
        &self,
        task: &str,
        instance: u32,
        (link, looks): (Arc<dyn AgentLink>, bool),
    ) -> Result<EpisodeResult, String> {
        let repeat = {
            let mut counts = lock(&self.0.counts);
            let count = counts.entry(task.to_owned()).or_default();
            let repeat = *count;
            *count = count.checked_add(1).ok_or("the task was played too often")?;
            if let Some(record) = &self.0.record {
                let mut folder = lock(record);
                if repeat >= folder.manifest.repeats {
                    folder.set_repeats(repeat + 1).map_err(|error| error.to_string())?;
                }
            }
            repeat
        };
        let key = EpisodeKey { contestant: CONTESTANT.to_owned(), task: task.to_owned(), repeat };
        let (ended, result) = oneshot::channel();
        lock(&self.0.players).insert(key.clone(), Player { link, looks, result: None });
        let offered = self.0.offers.send(Asked { key, instance, ended });
        let stops = "the server stops";
        offered.map_err(|_| stops)?;
        result.await.map_err(|_| stops.to_owned())
    }

    pub(super) fn folder(&self, key: &EpisodeKey) -> Option<EpisodeFolder> {
        self.0.record.as_ref().map(|record| lock(record).episode(key))
    }
}

#[async_trait]
impl Queue for EpisodeDesk {
    async fn next(&self) -> Result<Option<Box<dyn Lease>>, TaskError> {
        let next = self.0.asked.lock().await.recv().await;
        Ok(next.map(|asked| -> Box<dyn Lease> { Box::new(AskedLease { asked, desk: self.clone() }) }))
    }
}

/// An episode that a worker plays. Whoever asked for it hears of a lease that is dropped.
struct AskedLease {
    asked: Asked,
    desk: EpisodeDesk,
}

#[async_trait]
impl Lease for AskedLease {
    fn key(&self) -> &EpisodeKey {
        &self.asked.key
    }

    fn instance(&self) -> u32 {
        self.asked.instance
    }

    async fn done(self: Box<Self>, folder: &EpisodeFolder) -> Result<(), TaskError> {
        let player = lock(&self.desk.0.players).remove(&self.asked.key);
        if self.desk.0.record.is_none() {
            // It is in a folder that goes with the server.
            let _ = std::fs::remove_dir_all(folder.path());
        }
        if let Some(result) = player.and_then(|player| player.result) {
            // Nobody may wait for it any more.
            let _ = self.asked.ended.send(result);
        }
        Ok(())
    }

    async fn give_back(self: Box<Self>) {
        lock(&self.desk.0.players).remove(&self.asked.key);
    }
}

impl AgentSource for EpisodeDesk {
    fn agent(&self, contestant: &str) -> Result<Box<dyn Agent>, TaskError> {
        let message = format!("{contestant} plays what a connection asks for, and there is none");
        Err(AgentError::Setup { agent: CONTESTANT, message }.into())
    }

    fn agent_for(&self, key: &EpisodeKey) -> Result<Box<dyn Agent>, TaskError> {
        let player = lock(&self.0.players).get(key).map(|player| (player.link.clone(), player.looks));
        let Some((link, looks)) = player else { return self.agent(&key.contestant) };
        Ok(Box::new(ExecAgent::new(ExecOptions {
            link: Arc::new(move || link.clone()),
            limit: self.0.limit,
            grounder: Some(Arc::new(TextGrounder)),
            secrets: self.0.secrets.clone(),
            hidden: Secrets::default(),
            looks,
        })))
    }
}

impl EventSink for EpisodeDesk {
    fn emit(&self, event: &Event, _: Option<&[u8]>) {
        if let EventKind::Ended { result } = &event.kind
            && let Some(player) = lock(&self.0.players).get_mut(&event.episode)
        {
            player.result = Some(result.as_ref().clone());
        }
    }

    fn write_error(&self, _: &EpisodeKey) -> Option<TaskError> {
        None
    }
}
