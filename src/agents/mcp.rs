//! Agents that are clients of the Model Context Protocol.

use serde_json::{Map, Value};
use waldo_agents::{Agent, Result};

use super::kind::{AgentFacts, AgentKind, AgentSettings, AgentSetup, Asks, Prepared};
use crate::mcp::{MCP_AGENT, McpAgent, McpOptions};

pub struct McpKind;

impl AgentKind for McpKind {
    fn facts(&self) -> AgentFacts {
        AgentFacts {
            asks_a_model: false,
            ..AgentFacts::new(
                MCP_AGENT,
                "your own program (--command) that drives the screen by waldo's MCP tools",
            )
        }
    }

    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared> {
        let exec = &setup.settings.exec;
        let (program, hidden) =
            exec.program(MCP_AGENT, "--command 'python3 my_client.py {mcp_url} {goal}'")?;
        let options = McpOptions { program, limit: exec.limit(), secrets: setup.secrets.clone(), hidden };
        let maker =
            move |_: Option<_>| -> Result<Box<dyn Agent>> { Ok(Box::new(McpAgent::new(options.clone()))) };
        Ok(Prepared { maker: Box::new(maker), questions: Vec::new(), asks: Asks::Program })
    }

    fn add_parameters(&self, settings: &AgentSettings, to: &mut Map<String, Value>) {
        to.insert(MCP_AGENT.to_owned(), settings.exec.parameters());
    }
}
