use std::sync::Arc;

use serde_json::{Map, Value, json};
use waldo_agents::planner::{self, Planner, WidgetSkill};
use waldo_agents::{Agent, AgentError, Result};
use waldo_devices::DeviceInfo;

use super::frames::engine;
use super::kind::{
    ActionListing, AgentFacts, AgentKind, AgentSettings, AgentSetup, Asks, PlaceFinder, Prepared,
};
use super::planner_args::GrounderSpec;

pub struct PlannerKind;

impl AgentKind for PlannerKind {
    fn facts(&self) -> AgentFacts {
        AgentFacts::new("planner", "asks a model; plans in words with a memory, a grounder finds the place")
    }

    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared> {
        let usual = setup.needed(self.name())?.clone();
        let (model, own) = (&setup.settings.model, &setup.settings.planner);
        let options = own.options(model, &usual, setup.base_url, setup.prompts, setup.secrets.clone())?;
        let questions = own.question(model, setup.base_url, &options.grounder).into_iter().collect();
        let prompts = setup.prompts.clone();
        let scripts = setup.settings.frames.options(model.max_tokens, setup.origins);
        let maker = move |client: Option<_>| -> Result<Box<dyn Agent>> {
            let widget = engine("planner")?.map(|engine| WidgetSkill { engine, options: scripts.clone() });
            let options = planner::PlannerOptions { widget, ..options.clone() };
            let client = client.unwrap_or_else(|| Arc::clone(&usual));
            Ok(Box::new(Planner::new(client, prompts.clone(), options)))
        };
        Ok(Prepared { maker: Box::new(maker), questions, asks: Asks::Endpoint })
    }

    fn finder(&self, setup: &AgentSetup<'_>) -> Result<PlaceFinder> {
        let usual = setup.needed(self.name())?;
        let (model, own) = (&setup.settings.model, &setup.settings.planner);
        if own.grounder == GrounderSpec::Text {
            let message =
                "the grounder text uses names of elements, which pictures do not have: give another \
                           --grounder"
                    .to_owned();
            return Err(AgentError::Setup { agent: self.name(), message });
        }
        let options = own.options(model, usual, setup.base_url, setup.prompts, Vec::new())?;
        let questions = own.question(model, setup.base_url, &options.grounder).into_iter().collect();
        let numbered = matches!(own.grounder, GrounderSpec::Tags(_));
        let own_model = own.grounder == GrounderSpec::Tags(None);
        Ok(PlaceFinder::Grounds { grounder: options.grounder, numbered, own_model, questions })
    }

    /// A planner hands widgets to scripts.
    fn add_parameters(&self, settings: &AgentSettings, to: &mut Map<String, Value>) {
        to.insert("planner".to_owned(), settings.planner.parameters());
        to.insert("frames".to_owned(), settings.frames.parameters());
    }

    fn schema(&self, device: Option<&DeviceInfo>) -> Option<Value> {
        Some(json!(planner::schema(device)))
    }

    fn show(&self, device: &DeviceInfo) -> ActionListing {
        let extras = planner::PlannerExtras { widgets: true, ..planner::PlannerExtras::default() };
        let all = planner::actions(device, extras);
        let docs: Vec<_> = all.screen.iter().chain(&all.special).collect();
        let mut text = String::new();
        for doc in &docs {
            text.push_str(&format!("{}: {}\n", doc.name, doc.purpose));
            text.extend(doc.parameters.iter().map(|one| format!("    {}: {}\n", one.name, one.what)));
        }
        ActionListing { text, json: json!(docs) }
    }
}
