use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use waldo_devices::{Deadline, rounded};

use crate::program::{Heard, LAST_LINES, LINE_BYTES, Program, ProgramSpec};

/// Asks an agent. A question that nobody waits for any more is answered all the same, and its answer is dropped.
#[async_trait]
pub trait AgentLink: Send + Sync {
    /// Puts a message, an object whose `call` names it.
    ///
    /// # Errors
    /// Why there is no answer to it, as a fragment; the agent is not asked again then.
    async fn ask(&self, message: Value, deadline: Deadline) -> Result<Value, String>;

    /// What it printed to standard error since this was called last.
    fn heard(&self) -> Option<String> {
        None
    }

    /// Ends it; whether it ended by itself within `limit`, where it is a program that runs.
    async fn close(&self, _limit: Duration) -> Option<bool> {
        None
    }
}

pub type LinkMaker = Arc<dyn Fn() -> Arc<dyn AgentLink> + Send + Sync>;

/// A program on this machine: a line of JSON each way. It is started by the first question.
pub struct ProgramLink {
    running: Arc<Mutex<AgentProcess>>,
    heard: Heard,
    /// The question under way; ends with the link.
    asking: std::sync::Mutex<JoinSet<()>>,
}

enum AgentProcess {
    ToStart(ProgramSpec),
    Runs(Box<Program>),
    Over,
}

impl ProgramLink {
    pub fn new(spec: ProgramSpec) -> Self {
        let running = Arc::new(Mutex::new(AgentProcess::ToStart(spec)));
        Self { running, heard: Heard::default(), asking: std::sync::Mutex::default() }
    }
}

#[async_trait]
impl AgentLink for ProgramLink {
    async fn ask(&self, message: Value, deadline: Deadline) -> Result<Value, String> {
        let (running, heard) = (Arc::clone(&self.running), self.heard.clone());
        let asked = deadline.left();
        let (tell, answer) = tokio::sync::oneshot::channel();
        let put = async move {
            let mut running = running.lock().await;
            let done =
                match tokio::time::timeout_at(deadline.instant(), put(&mut running, &heard, message)).await {
                    Ok(done) => done,
                    Err(_) => Err(format!("no answer within {}; it was killed", rounded(asked))),
                };
            let done = match done {
                Ok(answer) => Ok(answer),
                Err(why) => {
                    *running = AgentProcess::Over;
                    Err(heard.with_last(why, LAST_LINES).await)
                }
            };
            // Nobody may wait for it any more.
            let _ = tell.send(done);
        };
        {
            let mut asking = self.asking.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            while asking.try_join_next().is_some() {}
            asking.spawn(put);
        }
        answer.await.unwrap_or_else(|_| Err("it has been ended".to_owned()))
    }

    fn heard(&self) -> Option<String> {
        self.heard.take()
    }

    async fn close(&self, limit: Duration) -> Option<bool> {
        let mut running = self.running.lock().await;
        match std::mem::replace(&mut *running, AgentProcess::Over) {
            AgentProcess::Runs(program) => Some(program.close(limit).await),
            AgentProcess::ToStart(_) | AgentProcess::Over => None,
        }
    }
}

async fn put(running: &mut AgentProcess, heard: &Heard, message: Value) -> Result<Value, String> {
    if let AgentProcess::ToStart(spec) = running {
        *running = AgentProcess::Runs(Box::new(Program::start(spec, heard, LINE_BYTES)?));
    }
    match running {
        AgentProcess::Runs(program) => program.put(message).await,
        AgentProcess::ToStart(_) | AgentProcess::Over => Err("it has ended".to_owned()),
    }
}
