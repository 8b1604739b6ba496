//! An agent that is a program with a client of the protocol: it plays an episode with waldo's tools.
//!
//! Invariants: each episode has a server, a token and a program of its own, which end with it; only a call that acts is a
//! step, and the first look at a screen is none; the program's own words are recorded, and never read as decisions.

use std::future::Future;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::json;
use tempfile::NamedTempFile;
use tokio_util::sync::{CancellationToken, DropGuard};
use waldo_agents::agent::for_a_person;
use waldo_agents::program::{ENDS_WITHIN, Heard, LINE_BYTES, Program, ProgramSpec};
use waldo_agents::{Agent, AgentError, Brief, Choice, Decision, Exchange, Fence, Turn, View};
use waldo_devices::{DeviceInfo, GuardPolicy, Platform, Secrets, rounded};
use waldo_tasks::docs::Library;

use super::approval::ApprovalCaller;
use super::client::ClientAgent;
use super::observing::NextCapture;
use super::serve::{Listening, TOKEN_VARIABLE};
use super::server::{McpServer, SessionSetup};
use super::tools::ToolSet;

pub const NAME: &str = "mcp";

#[derive(Clone)]
pub struct McpOptions {
    /// What is started for each episode. In its arguments `{goal}`, `{mcp_url}` and `{mcp_config}` are replaced.
    pub program: ProgramSpec,
    /// How long it may take from one answer to its next call.
    pub limit: Duration,
    pub secrets: Vec<String>,
    /// Values that it has and that no record shows.
    pub hidden: Secrets,
}

pub struct McpAgent {
    options: McpOptions,
    brief: Option<Brief>,
    session: Option<McpSession>,
}

/// An episode that is played: dropped, its program and its server end.
struct McpSession {
    client: ClientAgent,
    server: McpServer,
    program: Pin<Box<dyn Future<Output = Result<(), String>> + Send>>,
    heard: Heard,
    /// Where clients read the server's address and the token.
    _config: NamedTempFile,
    _serving: DropGuard,
}

impl McpOptions {
    async fn open(&self, brief: &Brief, turn: &Turn<'_>) -> Result<McpSession, AgentError> {
        let setup = |message: String| AgentError::Setup { agent: NAME, message };
        let listening = Listening::on(0).await.map_err(|error| setup(error.to_string()))?;
        let token = crate::serve::token().map_err(|error| setup(error.to_string()))?;
        let config = config(&listening.url(), &token)
            .map_err(|error| setup(format!("the client's configuration cannot be written: {error}")))?;
        let cancel = CancellationToken::new();
        let (client, connection) = ClientAgent::new(
            Arc::new(NextCapture::default()),
            ApprovalCaller::default(),
            None,
            cancel.clone(),
        );
        let server = McpServer::new(
            SessionSetup {
                device: reachable(turn),
                policy: GuardPolicy::default(),
                tools: ToolSet::All,
                secrets: self.secrets.clone(),
                uploads: Vec::new(),
                docs: Arc::new(Library::default()),
                delegate: None,
                recorded: None,
                goal: Some(brief.goal.clone()),
            },
            connection,
        );
        let path = config.path().display().to_string();
        let values =
            [("{goal}", brief.goal.as_str()), ("{mcp_url}", &listening.url()), ("{mcp_config}", &path)];
        let mut spec = self.program.clone().filled(&values);
        spec.variables.push((TOKEN_VARIABLE.to_owned(), token.clone().into()));
        let (serving, served) = (cancel.clone(), server.clone());
        tokio::spawn(async move { listening.serve(move || served.clone(), &token, serving).await });
        let heard = Heard::default();
        let started = Program::start(&spec, &heard, LINE_BYTES);
        let printed = heard.clone();
        let program = Box::pin(async move { started?.ends(&printed).await });
        Ok(McpSession {
            client: client.of_an_episode(),
            server,
            program,
            heard,
            _config: config,
            _serving: cancel.drop_guard(),
        })
    }
}

/// The configuration that clients such as Claude Code read: a file of this user's alone.
fn config(url: &str, token: &str) -> std::io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("waldo-mcp-").suffix(".json").tempfile()?;
    let authorization = format!("Bearer {token}");
    let server = json!({ "type": "http", "url": url, "headers": { "Authorization": authorization } });
    writeln!(file, "{}", json!({ "mcpServers": { "waldo": server } }))?;
    file.flush()?;
    Ok(file)
}

/// The device that tools are offered for: of one that is several screens what any of them may be able to do.
fn reachable(turn: &Turn<'_>) -> DeviceInfo {
    let mut device = turn.device.clone();
    if turn.view.observation.context.screens.len() > 1 {
        for platform in [Platform::Web, Platform::Android, Platform::Desktop] {
            let more = platform.capabilities().iter().copied();
            let more: Vec<_> = more.filter(|can| !device.capabilities.contains(can)).collect();
            device.capabilities.extend(more);
        }
    }
    device
}

#[async_trait]
impl Agent for McpAgent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fence(&self) -> Fence {
        // Pages that ask for a person are left to one.
        Fence::Persons
    }

    fn begin(&mut self, brief: &Brief) -> Result<(), AgentError> {
        *self = Self { brief: Some(brief.clone()), ..Self::new(self.options.clone()) };
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision, AgentError> {
        let (options, brief) = (&self.options, self.brief.as_ref());
        let brief = brief
            .ok_or_else(|| AgentError::Setup { agent: NAME, message: "begin an episode first".to_owned() })?;
        if let Some(decision) = for_a_person(turn.view) {
            return Ok(decision);
        }
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(options.open(brief, turn).await?),
        };
        let started = Instant::now();
        let limit = turn.deadline.at_most(options.limit);
        let failed = |why| Decision::of(Choice::Fail { reason: options.hidden.mask(why) });
        let mut is_over = true;
        let mut decision = tokio::select! {
            biased;
            decision = session.client.decide(turn) => {
                is_over = false;
                decision?
            }
            ended = &mut session.program => match ended {
                Ok(()) => Decision::of(Choice::Finish { answer: None }),
                Err(why) => failed(why),
            },
            () = tokio::time::sleep_until(limit.instant()) => {
                failed(format!("it made no call within {}; it was killed", rounded(started.elapsed())))
            }
        };
        let exchange = Exchange {
            purpose: Exchange::OF_PROGRAM.to_owned(),
            reply: decision.call.clone(),
            stderr: session.heard.take().map(|text| options.hidden.mask(text)),
            took: started.elapsed(),
            ..Exchange::default()
        };
        decision.exchanges.push(exchange);
        if is_over {
            self.session = None;
        }
        Ok(decision)
    }

    async fn end(&mut self, outcome: &str, _: &View) {
        let Some(McpSession { client, server, program, _serving, _config, .. }) = self.session.take() else {
            return;
        };
        server.end(format!("the episode is over: {outcome}"));
        // Whoever waits for an answer learns at once that there is none.
        drop(client);
        if tokio::time::timeout(ENDS_WITHIN, program).await.is_err() {
            tracing::debug!("the program of an episode did not end by itself, and was killed");
        }
    }
}

impl McpAgent {
    pub fn new(options: McpOptions) -> Self {
        Self { options, brief: None, session: None }
    }
}
