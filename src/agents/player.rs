//! The contestants of a run, each ready to play.

use std::collections::BTreeMap;
use std::sync::Arc;

use waldo_agents::model::ModelClient;
use waldo_agents::{Agent, AgentError, Result};
use waldo_devices::OriginRule;
use waldo_prompts::Prompts;
use waldo_tasks::docs::Library;
use waldo_tasks::runner::AgentSource;
use waldo_tasks::{Contestant, TaskError};

use super::kind::{AgentKind, AgentSettings, AgentSetup, Asks, Maker, Prepared};
use super::model_args::{ModelArgs, is_stand_in};
use super::registry::{kind, names};
use super::stand_in::{Placed, StandIn};
use crate::preflight::PreflightQuestion;
use crate::serve::ReferenceModel;

pub struct Player {
    contestant: Contestant,
    model: Option<ModelArgs>,
    maker: Maker,
}

pub struct RunShared<'a> {
    pub secrets: Vec<String>,
    pub docs: Arc<Library>,
    pub origins: &'a [OriginRule],
    pub stand_in: Option<&'a ReferenceModel>,
}

impl Player {
    /// `contestant` with its own templates, and the questions that test whether what it asks can be asked.
    pub fn new(
        contestant: Contestant,
        settings: &AgentSettings,
        prompts: &Arc<Prompts>,
        shared: &RunShared<'_>,
    ) -> Result<(Self, Vec<PreflightQuestion>)> {
        let kind = known(&contestant.agent)?;
        let args = &settings.model;
        let stand_in = shared.stand_in.filter(|_| contestant.model.as_deref().is_some_and(is_stand_in));
        let base_url = stand_in.map_or_else(|| args.address(), ReferenceModel::base_url);
        let client: Option<Arc<dyn ModelClient>> =
            contestant.model.as_deref().map(|name| args.client(name, &base_url)).transpose()?;
        let Prepared { maker, mut questions, asks } = kind.prepare(&AgentSetup {
            agent: &contestant.agent,
            settings,
            client: client.as_ref(),
            base_url: &base_url,
            prompts,
            secrets: shared.secrets.clone(),
            docs: shared.docs.clone(),
            origins: shared.origins,
        })?;
        if let (Some(name), Some(client), Asks::Endpoint) = (&contestant.model, &client, asks) {
            questions.splice(0..0, args.question(client, name, &base_url));
        }
        if stand_in.is_some() {
            // It is this process.
            questions.clear();
        }
        let model = contestant.model.is_some().then(|| args.clone());
        Ok((Self { contestant, model, maker }, questions))
    }

    pub fn bound(contestant: Contestant) -> Result<Self> {
        let kind = known(&contestant.agent)?;
        let maker = kind.bound().ok_or_else(|| AgentError::Setup {
            agent: kind.name(),
            message: format!("{} asks a model", kind.name()),
        })?;
        Ok(Self { contestant, model: None, maker })
    }

    fn agent(&self, stand_in: Option<&StandIn>) -> Result<Box<dyn Agent>> {
        if let (Some(name), Some(args), Some(stand_in)) = (&self.contestant.model, &self.model, stand_in)
            && let Some((client, place)) = stand_in.client(name, args)?
        {
            let inner = (self.maker)(Some(client))?;
            return Ok(Box::new(Placed { inner, registry: stand_in.registry.clone(), place }));
        }
        (self.maker)(None)
    }
}

fn known(agent: &str) -> Result<&'static dyn AgentKind> {
    kind(agent).ok_or_else(|| {
        let all: Vec<&str> = names().collect();
        let message = format!("no agent '{agent}': there are {}", all.join(", "));
        AgentError::Setup { agent: "agent", message }
    })
}

pub struct Agents {
    players: BTreeMap<String, Player>,
    stand_in: Option<StandIn>,
}

impl Agents {
    pub fn new(players: Vec<Player>) -> Self {
        let players = players.into_iter().map(|player| (player.contestant.name.clone(), player)).collect();
        Self { players, stand_in: None }
    }

    #[must_use]
    pub fn with_stand_in(mut self, stand_in: Option<StandIn>) -> Self {
        self.stand_in = stand_in;
        self
    }
}

impl AgentSource for Agents {
    fn agent(&self, contestant: &str) -> Result<Box<dyn Agent>, TaskError> {
        let player = self.players.get(contestant).ok_or_else(|| AgentError::Setup {
            agent: "agent",
            message: format!("no contestant '{contestant}' in this run"),
        })?;
        Ok(player.agent(self.stand_in.as_ref())?)
    }
}
