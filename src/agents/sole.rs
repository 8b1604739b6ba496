//! The one contestant of a command that plays no other.

use std::sync::Arc;

use waldo_agents::AgentError;
use waldo_devices::OriginRule;
use waldo_prompts::Prompts;
use waldo_tasks::Contestant;
use waldo_tasks::docs::Library;

use super::kind::AgentSettings;
use super::player::{Agents, Player, RunShared};
use super::registry::asks_a_model;
use crate::preflight::PreflightQuestion;
use crate::prompts::{self, PromptsError};

pub struct SoleContestant {
    pub contestant: Contestant,
    pub prompts: Arc<Prompts>,
}

impl SoleContestant {
    /// The agent of this name with the model of `settings`, where it asks one.
    pub fn of(agent: &str, settings: &AgentSettings) -> Result<Self, PromptsError> {
        let model = settings.model.model.as_deref().filter(|_| asks_a_model(agent));
        let prompts = Arc::new(prompts::open(settings.model.prompts.as_deref())?);
        Ok(Self { contestant: Contestant::new(agent, model), prompts })
    }

    /// Its agents, and the questions that test whether what it asks can be asked. It may type the values that `secrets`
    /// names, reads `docs`, and acts on what the command line allows of `origins`.
    pub fn agents(
        &self,
        settings: &AgentSettings,
        secrets: Vec<String>,
        docs: Arc<Library>,
        origins: &[OriginRule],
    ) -> Result<(Agents, Vec<PreflightQuestion>), AgentError> {
        let shared = RunShared { secrets, docs, origins, stand_in: None };
        let (player, questions) = Player::new(self.contestant.clone(), settings, &self.prompts, &shared)?;
        Ok((Agents::new(vec![player]), questions))
    }
}
