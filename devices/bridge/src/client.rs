//! The environment, and one episode of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use waldo_devices::{Action, Capture, Deadline, DeviceError, Result};
use waldo_http::RemoteServer;

use super::wire::{ActionReply, EpisodeJudgement, Hello, PROTOCOL, ScreenReply, SessionReply, ToolSpec};

/// What a device's start begins with that joins a session which a task has begun: its id follows.
pub const SESSION: &str = "session:";

const PLAIN_BYTES: usize = 4 << 20;
/// The most bytes of an observation: a picture in base64, and its elements.
const SEEN_BYTES: usize = (64 << 20) / 3 * 4 + (32 << 20);
const CHECKS_MAX: usize = 100;
const TOOLS_MAX: usize = 50;
const GOAL_MAX: usize = 20_000;
/// The status by which a server says that its screen cannot do an action.
const CANNOT: u16 = 422;

/// An environment; a clone is cheap.
#[derive(Clone)]
pub struct Client {
    server: RemoteServer,
    pub hello: Arc<Hello>,
}

type Sessions = HashMap<(String, String), Arc<BridgeSession>>;

/// Sessions that tasks have begun and no device has joined yet, by server and id.
static BEGUN: LazyLock<Mutex<Sessions>> = LazyLock::new(Mutex::default);

pub struct BridgeSession {
    server: RemoteServer,
    id: String,
    pub goal: String,
    pub params: Value,
    /// The most questions that the task's person answers; no person without it.
    pub questions: Option<u32>,
    pub tools: Vec<ToolSpec>,
    done: AtomicBool,
    ended: AtomicBool,
}

impl Client {
    pub async fn connect(server: RemoteServer, deadline: Deadline) -> Result<Self> {
        let body = json!({ "protocol": PROTOCOL, "client": concat!("waldo ", env!("CARGO_PKG_VERSION")) });
        let hello: Hello = call(&server, "hello", &body, PLAIN_BYTES, deadline).await?;
        match hello.fault() {
            None => Ok(Self { server, hello: Arc::new(hello) }),
            Some(why) => Err(broken("hello", why)),
        }
    }

    pub fn address(&self) -> String {
        self.server.address().to_string()
    }

    /// Begins an episode: of a task with a seed, or wherever the environment begins without one.
    pub async fn reset(
        &self,
        task: Option<&str>,
        seed: u64,
        start: &str,
        deadline: Deadline,
    ) -> Result<Arc<BridgeSession>> {
        // More than 53 bits are lost in most languages' JSON.
        let body = json!({ "task": task, "seed": seed & 0xffff_ffff, "start": start });
        let started: SessionReply = call(&self.server, "reset", &body, PLAIN_BYTES, deadline).await?;
        if started.session.is_empty() || started.session.len() > 200 {
            return Err(broken("reset", "session is a text of 1 to 200 characters".to_owned()));
        }
        let goal: String = started.goal.chars().take(GOAL_MAX).collect();
        Ok(Arc::new(BridgeSession {
            server: self.server.clone(),
            id: started.session,
            goal,
            params: started.params,
            questions: started.questions.filter(|most| *most > 0),
            tools: started.tools.into_iter().take(TOOLS_MAX).collect(),
            done: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }))
    }

    /// Lets a device claim a session: its start is [`SESSION`] with the id that this gives.
    pub fn register(&self, session: &Arc<BridgeSession>) -> String {
        let mut begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
        begun.insert((self.address(), session.id.clone()), session.clone());
        format!("{SESSION}{}", session.id)
    }

    pub(crate) fn claim(&self, id: &str) -> Option<Arc<BridgeSession>> {
        BEGUN.lock().unwrap_or_else(PoisonError::into_inner).remove(&(self.address(), id.to_owned()))
    }
}

impl BridgeSession {
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::SeqCst)
    }

    fn notes(&self, done: bool) {
        self.done.fetch_or(done, Ordering::SeqCst);
    }

    pub(crate) async fn observe(&self, want: Capture, deadline: Deadline) -> Result<ScreenReply> {
        let want = match want {
            Capture::All => "all",
            Capture::Elements => "elements",
        };
        let body = json!({ "session": self.id, "want": want });
        let seen: ScreenReply = call(&self.server, "observe", &body, SEEN_BYTES, deadline).await?;
        self.notes(seen.done);
        Ok(seen)
    }

    pub(crate) async fn act(&self, action: &Action, deadline: Deadline) -> Result<ActionReply> {
        let body = json!({ "session": self.id, "action": action });
        let acted: ActionReply = match ask(&self.server, "act", &body, PLAIN_BYTES, deadline).await? {
            Ok(acted) => acted,
            Err(status) if status.code == CANNOT => {
                return Err(DeviceError::Unsupported {
                    platform: "the environment",
                    action: format!("{} ({})", action.name(), status.said),
                });
            }
            Err(status) => return Err(refused("act", &status)),
        };
        self.notes(acted.done);
        Ok(acted)
    }

    /// How the environment judges the episode as it is now.
    pub async fn judge(
        &self,
        outcome: &str,
        answer: Option<&str>,
        deadline: Deadline,
    ) -> Result<EpisodeJudgement> {
        let body = json!({ "session": self.id, "outcome": outcome, "answer": answer });
        let mut judged: EpisodeJudgement = call(&self.server, "judge", &body, PLAIN_BYTES, deadline).await?;
        if !(0.0..=1.0).contains(&judged.success) {
            return Err(broken("judge", "success is a number from 0 to 1".to_owned()));
        }
        if judged.score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
            return Err(broken("judge", "score is a number from 0 to 1".to_owned()));
        }
        if judged.checkpoints.iter().any(|one| !(one.weight > 0.0 && one.weight.is_finite())) {
            return Err(broken("judge", "the weight of a checkpoint is a number above 0".to_owned()));
        }
        judged.checks.truncate(CHECKS_MAX);
        judged.checkpoints.truncate(CHECKS_MAX);
        Ok(judged)
    }

    pub async fn close(&self, deadline: Deadline) -> Result<()> {
        if self.ended.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let body = json!({ "session": self.id });
        call::<Value>(&self.server, "close", &body, PLAIN_BYTES, deadline).await.map(drop)
    }
}

fn broken(call: &str, why: String) -> DeviceError {
    DeviceError::call(call, format!("the environment does not follow the protocol: {why}"))
}

fn refused(call: &str, status: &waldo_http::StatusFault) -> DeviceError {
    let said = if status.said.is_empty() { "it says no more" } else { &status.said };
    DeviceError::call(call, format!("the environment refused ({}): {said}", status.code))
}

async fn call<T: DeserializeOwned>(
    server: &RemoteServer,
    name: &str,
    body: &Value,
    most: usize,
    deadline: Deadline,
) -> Result<T> {
    ask(server, name, body, most, deadline).await?.map_err(|status| refused(name, &status))
}

async fn ask<T: DeserializeOwned>(
    server: &RemoteServer,
    name: &str,
    body: &Value,
    most: usize,
    deadline: Deadline,
) -> Result<Result<T, waldo_http::StatusFault>> {
    let bytes = match server.post(name, body, most, deadline).await? {
        Ok(bytes) => bytes,
        Err(status) => return Ok(Err(status)),
    };
    let mut reader = serde_json::Deserializer::from_slice(&bytes);
    serde_path_to_error::deserialize(&mut reader).map(Ok).map_err(|error| {
        let at = error.path().to_string();
        let said = waldo_devices::secrets::brief(&error.inner().to_string(), 300);
        broken(name, format!("{at}: {said}"))
    })
}
