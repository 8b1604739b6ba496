//! The solver of widgets by frame abstraction.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use waldo_agents::frames::{self, FramesAgent};
use waldo_agents::{Agent, AgentError, Result};
use waldo_cage::ScriptEngine;
use waldo_devices::DeviceInfo;

use crate::absent::Absent;

use super::kind::{ActionListing, AgentFacts, AgentKind, AgentSettings, AgentSetup, Asks, Prepared};

pub struct FramesKind;

/// Where scripts run: workers of this very program. `None` where it was built without them.
#[cfg(feature = "frames")]
pub fn engine(agent: &'static str) -> Result<Option<Arc<dyn ScriptEngine>>> {
    let engine = waldo_cage::WorkerEngine::of_this_program();
    Ok(Some(Arc::new(engine.map_err(|e| AgentError::Setup { agent, message: e.to_string() })?)))
}

#[cfg(not(feature = "frames"))]
pub fn engine(_: &'static str) -> Result<Option<Arc<dyn ScriptEngine>>> {
    Ok(None)
}

impl AgentKind for FramesKind {
    fn facts(&self) -> AgentFacts {
        AgentFacts {
            needs_origins: true,
            ..AgentFacts::new(
                "frames",
                "asks a model; abstracts a widget of your own page and runs a script on it, in a cage",
            )
        }
    }

    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared> {
        let usual = setup.needed(self.name())?.clone();
        let prompts = setup.prompts.clone();
        let options = setup.settings.frames.options(setup.settings.model.max_tokens, setup.origins);
        let agent = self.name();
        let engine = engine(agent)?.ok_or_else(|| {
            let absent = Absent { what: "the agent frames", feature: "frames" };
            AgentError::Setup { agent, message: absent.to_string() }
        })?;
        let maker = move |client: Option<_>| -> Result<Box<dyn Agent>> {
            let client = client.unwrap_or_else(|| Arc::clone(&usual));
            Ok(Box::new(FramesAgent::new(client, prompts.clone(), Arc::clone(&engine), options.clone())))
        };
        Ok(Prepared { maker: Box::new(maker), questions: Vec::new(), asks: Asks::Endpoint })
    }

    fn add_parameters(&self, settings: &AgentSettings, to: &mut Map<String, Value>) {
        to.insert("frames".to_owned(), settings.frames.parameters());
    }

    fn show(&self, _: &DeviceInfo) -> ActionListing {
        let all = frames::tools();
        let (mut text, mut stage) = (String::new(), "");
        for tool in &all {
            if tool.stage != stage {
                let gap = if stage.is_empty() { "" } else { "\n" };
                text.push_str(&format!("{gap}in the {} stage:\n", tool.stage));
                stage = tool.stage;
            }
            let kinds =
                if tool.kinds.is_empty() { String::new() } else { format!(" ({})", tool.kinds.join(", ")) };
            text.push_str(&format!("  {}\n      {}{kinds}\n", tool.signature, tool.about));
        }
        ActionListing { text, json: json!(all) }
    }
}
