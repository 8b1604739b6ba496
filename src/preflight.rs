//! One short question to each endpoint, before anything is started for the models behind it.
//!
//! Invariant: no two questions go to the same model at the same address with the same key.

use std::sync::Arc;
use std::time::Duration;

use waldo_agents::ModelError;
use waldo_agents::exec::{self, ExecOptions};
use waldo_agents::model::ModelClient;
use waldo_agents::planner::ground::Grounder;
use waldo_devices::Deadline;

use crate::config::without_keys;

/// What tells one endpoint from another, and its user what to mend. The key itself is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub address: String,
    /// The variable that holds the key; empty where none is sent.
    pub key: String,
    pub asked: Asked,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Model(String),
    Grounder,
    Agent,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = without_keys(&self.address);
        match &self.asked {
            Asked::Model(model) => write!(f, "the model '{model}' at {address} ")?,
            Asked::Grounder => write!(f, "the grounder at {address} ")?,
            Asked::Agent => return write!(f, "the agent '{address}'"),
        }
        if self.key.is_empty() {
            return f.write_str("(no key)");
        }
        let set = crate::environment::var(&self.key).is_some_and(|key| !key.trim().is_empty());
        write!(f, "(key: {}{})", self.key, if set { "" } else { ", which is empty" })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{endpoint} cannot be used: {source}")]
pub struct PreflightError {
    pub endpoint: Box<Endpoint>,
    pub source: ModelError,
}

pub enum Respondent {
    Model(Arc<dyn ModelClient>),
    Grounder(Arc<dyn Grounder>),
    Agent(Box<ExecOptions>),
}

pub struct PreflightQuestion {
    pub endpoint: Endpoint,
    pub respondent: Respondent,
    pub limit: Duration,
}

/// Whether all endpoints read pictures as WebP. Each is asked once; what finds places is sent pictures by rules of
/// its own, and is not asked.
pub async fn read_webp(questions: &[PreflightQuestion]) -> bool {
    let mut asked: Vec<&Endpoint> = Vec::new();
    for PreflightQuestion { endpoint, respondent, limit } in questions {
        let client = match respondent {
            Respondent::Model(client) => client,
            Respondent::Grounder(_) => return false,
            // It is sent pictures as it says itself.
            Respondent::Agent(_) => continue,
        };
        if asked.contains(&endpoint) {
            continue;
        }
        asked.push(endpoint);
        if !client.reads_webp(Deadline::after(*limit)).await {
            return false;
        }
    }
    true
}

pub async fn ask(questions: &[PreflightQuestion]) -> Result<(), PreflightError> {
    let mut asked: Vec<&Endpoint> = Vec::new();
    for PreflightQuestion { endpoint, respondent, limit } in questions {
        if asked.contains(&endpoint) {
            continue;
        }
        asked.push(endpoint);
        // One that fails at first is asked once more.
        let deadline = Deadline::after(limit.saturating_mul(2));
        let answered = match respondent {
            Respondent::Model(client) => client.preflight(deadline).await,
            Respondent::Grounder(grounder) => grounder.preflight(deadline).await,
            Respondent::Agent(agent) => exec::greet(agent).await,
        };
        answered.map_err(|source| PreflightError { endpoint: Box::new(endpoint.clone()), source })?;
    }
    Ok(())
}
