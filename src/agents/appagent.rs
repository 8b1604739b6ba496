use waldo_agents::Result;
use waldo_agents::appagent::{AppAgent, AppAgentOptions};

use super::kind::{AgentFacts, AgentKind, AgentSetup, Asks, PlaceFinder, Prepared};

pub struct AppAgentKind;

impl AgentKind for AppAgentKind {
    fn facts(&self) -> AgentFacts {
        AgentFacts::new("appagent", "asks a model; numbered elements, one call a step")
    }

    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared> {
        let usual = setup.needed(self.name())?.clone();
        let prompts = setup.prompts.clone();
        let options = AppAgentOptions {
            mode: setup.settings.model.mode(),
            max_tokens: setup.settings.model.max_tokens,
            secrets: setup.secrets.clone(),
            docs: setup.docs.clone(),
            summary: !setup.settings.model.no_summary,
        };
        let maker = move |client: Option<_>| -> Result<Box<dyn waldo_agents::Agent>> {
            let client = client.unwrap_or_else(|| usual.clone());
            Ok(Box::new(AppAgent::new(client, prompts.clone(), options.clone())))
        };
        Ok(Prepared { maker: Box::new(maker), questions: Vec::new(), asks: Asks::Endpoint })
    }

    fn finder(&self, setup: &AgentSetup<'_>) -> Result<PlaceFinder> {
        Ok(PlaceFinder::Acts { maker: self.prepare(setup)?.maker, numbered: true })
    }
}
