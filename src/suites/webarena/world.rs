//! What judging WebArena's tasks needs of the world: the shop's interface for programs, and a judge model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use reqwest::Client;
use serde_json::Value;
use url::Url;
use waldo_agents::model::{Message, MessagePart, ModelClient, ModelRequest, Speaker, Wire};
use waldo_devices::Deadline;
use waldo_tasks::TaskError;
use waldo_webarena::WebarenaFault;
use waldo_webarena::interface::Http;
use waldo_webarena::question::{Examiner, Graded, JudgeQuestion};

use super::super::webarena_args::WebarenaArgs;
use crate::agents::ModelArgs;
use crate::preflight;
use crate::suites::provider::SuiteError;

/// The most bytes of an answer.
const MOST: usize = 16 << 20;
/// Tokens that a judge's reply may have.
const REPLY: u32 = 768;
/// The variable with the judge's key where its endpoint is its own.
const KEY: &str = "JUDGE_API_KEY";

pub(super) struct Clerk(Client);

impl Clerk {
    /// For the shop at `address`; nothing is sent.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub(super) fn new(address: &str) -> Result<Self, SuiteError> {
        let failed = |error: String| SuiteError::Input(format!("cannot ask the shop at {address}: {error}"));
        let url = Url::parse(address).map_err(|error| failed(error.to_string()))?;
        waldo_agents::http::client(&url).map(Self).map_err(|error| failed(error.to_string()))
    }

    async fn ask(&self, url: &str, token: Option<&str>, body: Option<Value>) -> Result<Value, String> {
        let mut request = if let Some(body) = body { self.0.post(url).json(&body) } else { self.0.get(url) };
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let mut answer = request.send().await.map_err(|error| error.without_url().to_string())?;
        if !answer.status().is_success() {
            return Err(format!("it answered {}", answer.status()));
        }
        let mut bytes = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(|error| error.without_url().to_string())? {
            if bytes.len() + part.len() > MOST {
                return Err(format!("it answered with more than {} MiB", MOST >> 20));
            }
            bytes.extend_from_slice(&part);
        }
        serde_json::from_slice(&bytes).map_err(|_| "it answered with something else than JSON".to_owned())
    }
}

#[async_trait]
impl Http for Clerk {
    async fn json(
        &self,
        url: &str,
        token: Option<&str>,
        body: Option<Value>,
        deadline: Deadline,
    ) -> Result<Value, WebarenaFault> {
        let failed = |why: String| WebarenaFault::World(format!("the shop's interface at {url}: {why}"));
        match tokio::time::timeout_at(deadline.instant(), self.ask(url, token, body)).await {
            Ok(answer) => answer.map_err(failed),
            Err(_) => Err(failed("no answer in time".to_owned())),
        }
    }
}

/// A model as the judge. What it was asked once it is not asked again in the same run.
pub(super) struct ModelJudge {
    client: Arc<dyn ModelClient>,
    known: Mutex<HashMap<JudgeQuestion, Graded>>,
}

impl ModelJudge {
    /// The judge that the flags name, and the question that tests whether it can be asked.
    ///
    /// # Errors
    /// When a flag does not fit.
    pub(super) fn open(
        name: &str,
        place: &WebarenaArgs,
        agents: &ModelArgs,
    ) -> Result<(Self, Option<preflight::PreflightQuestion>), SuiteError> {
        let mut args = agents.clone();
        // As the original asks; what is set for agents is theirs.
        args.temperature = 0.0;
        args.max_tokens = REPLY;
        (args.extra_body, args.image_detail) = (None, None);
        match (&place.judge_key_env, &place.judge_base_url) {
            (Some(variable), _) => args.api_key_env = Some(variable.clone()),
            (None, Some(_)) => args.api_key_env = Some(KEY.to_owned()),
            (None, None) => {}
        }
        if let Some(address) = &place.judge_base_url {
            args.base_url = Some(address.clone());
            args.wire = Wire::default();
        }
        // A cassette holds one model.
        args.record_model = args.record_model.map(|dir| dir.join("judge"));
        let address = args.address();
        let client = args.client(name, &address).map_err(TaskError::from)?;
        let question = args.question(&client, name, &address);
        Ok((Self { client, known: Mutex::default() }, question))
    }
}

fn message(speaker: Speaker, text: String) -> Message {
    Message { speaker, parts: vec![MessagePart::Text(text)] }
}

#[async_trait]
impl Examiner for ModelJudge {
    async fn ask(&self, question: &JudgeQuestion, deadline: Deadline) -> Result<Graded, WebarenaFault> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(question).cloned();
        if let Some(known) = known {
            return Ok(Graded { by: format!("{}, asked before", known.by), ..known });
        }
        let (system, words) = question.words();
        let messages = vec![message(Speaker::System, system.to_owned()), message(Speaker::User, words)];
        let request = ModelRequest { messages, max_tokens: REPLY, ..ModelRequest::default() };
        let failed =
            |error: String| WebarenaFault::World(format!("the judge model could not be asked: {error}"));
        let reply =
            self.client.complete(&request, deadline).await.map_err(|error| failed(error.to_string()))?;
        if let Some(unread) = reply.unread {
            return Err(failed(format!("its reply cannot be read ({unread:?})")));
        }
        let mut by = format!("judge {}", self.client.model());
        if let (Some(prompt), Some(completion)) = (reply.usage.prompt, reply.usage.completion) {
            by.push_str(&format!(", {prompt} + {completion} tokens"));
        }
        if let Some(cost) = reply.usage.micro_usd {
            by.push_str(&format!(", {cost} millionths of a US dollar"));
        }
        let graded = Graded { reply: reply.text, by };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(question.clone(), graded.clone());
        Ok(graded)
    }
}
