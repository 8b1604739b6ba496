//! Agents that are programs of somebody else's.

use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use waldo_agents::exec::{AgentLink, ExecAgent, ExecOptions, LinkMaker, ProgramLink, schema};
use waldo_agents::program::{LINE_BYTES, read_answer};
use waldo_agents::{Agent, AgentError, Result, http};
use waldo_devices::{Deadline, DeviceInfo, Secrets, child};
use waldo_http::{Address, PlainHttp, RemoteServer};

use super::exec_args::{ExecArgs, NAME, is_address};
use super::kind::{AgentFacts, AgentKind, AgentSettings, AgentSetup, Asks, Prepared};
use crate::preflight::{Asked, Endpoint, PreflightQuestion, Respondent};

/// An agent that is asked over HTTP: each message a POST.
struct HttpLink {
    server: RemoteServer,
    asked: AtomicU64,
}

#[async_trait]
impl AgentLink for HttpLink {
    async fn ask(&self, mut message: Value, deadline: Deadline) -> Result<Value, String> {
        let call = message["call"].as_str().unwrap_or_default().to_owned();
        let id = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        message["id"] = json!(id);
        let answer = self.server.post(&call, &message, LINE_BYTES, deadline).await;
        let answer = answer.map_err(|error| error.to_string())?;
        let bytes =
            answer.map_err(|status| format!("it answered with status {}: {}", status.code, status.said))?;
        read_answer(id, &bytes)
    }
}

/// How to play with the program of these flags, or with the agent at `address`.
pub fn program_options(own: &ExecArgs, address: Option<&str>) -> Result<ExecOptions> {
    let (link, hidden): (LinkMaker, Secrets) = match address {
        Some(address) => {
            let setup = |message: String| AgentError::Setup { agent: NAME, message };
            let address = Address::from_str(address).map_err(|error| setup(error.to_string()))?;
            let client = http::client(address.url()).map_err(|error| setup(error.to_string()))?;
            let server = RemoteServer::new(client, address, PlainHttp::Refused)
                .map_err(|error| setup(error.to_string()))?;
            (
                Arc::new(move || Arc::new(HttpLink { server: server.clone(), asked: AtomicU64::new(0) })),
                Secrets::default(),
            )
        }
        None => {
            let (spec, hidden) =
                own.program(NAME, "--command 'python3 my_agent.py', or --agent http://127.0.0.1:PORT")?;
            (Arc::new(move || Arc::new(ProgramLink::new(spec.clone()))), hidden)
        }
    };
    Ok(ExecOptions { link, limit: own.limit(), grounder: None, secrets: Vec::new(), hidden, looks: true })
}

pub struct ExecKind;

impl AgentKind for ExecKind {
    fn facts(&self) -> AgentFacts {
        AgentFacts {
            asks_a_model: false,
            ..AgentFacts::new(
                NAME,
                "your own program (--command), or a server (--agent http://127.0.0.1:PORT), asked in JSON",
            )
        }
    }

    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared> {
        let settings = setup.settings;
        let address = Some(setup.agent).filter(|agent| is_address(agent));
        let mut options = program_options(&settings.exec, address)?;
        let (model, planner) = (&settings.model, &settings.planner);
        let grounder = planner.grounder(model, None, setup.base_url, setup.prompts)?;
        let mut questions: Vec<_> = planner.question(model, setup.base_url, &grounder).into_iter().collect();
        options.grounder = Some(grounder);
        options.secrets.clone_from(&setup.secrets);
        let command =
            settings.exec.command.as_ref().map(|command| child::line(&command.0)).unwrap_or_default();
        questions.push(PreflightQuestion {
            endpoint: Endpoint {
                address: address.map_or(command, str::to_owned),
                key: String::new(),
                asked: Asked::Agent,
            },
            respondent: Respondent::Agent(Box::new(options.clone())),
            limit: options.limit,
        });
        let maker =
            move |_: Option<_>| -> Result<Box<dyn Agent>> { Ok(Box::new(ExecAgent::new(options.clone()))) };
        Ok(Prepared { maker: Box::new(maker), questions, asks: Asks::Program })
    }

    fn add_parameters(&self, settings: &AgentSettings, to: &mut Map<String, Value>) {
        to.insert(NAME.to_owned(), settings.exec.parameters());
        to.insert("grounder".to_owned(), settings.planner.grounder.to_string().into());
    }

    fn schema(&self, _: Option<&DeviceInfo>) -> Option<Value> {
        Some(schema())
    }
}
