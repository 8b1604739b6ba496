//! From names on the command line to agents and models.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use waldo_agents::appagent::{AppAgent, AppAgentOptions, Mode};
use waldo_agents::floors::{Baseline, Noop, Random};
use waldo_agents::frames::{Frames, FramesOptions};
use waldo_agents::model::{self, ModelClient, ModelSpec, OpenAiOptions, PriceTable, Secret};
use waldo_agents::planner::{Planner, PlannerOptions, WidgetSkill};
use waldo_agents::reference::ReferenceAgent;
use waldo_agents::{Agent, AgentError, Brief, Decision, Fence, ModelError, Numbering, Turn};
use waldo_cage::{ScriptEngine, WorkerEngine};
use waldo_prompts::Prompts;
use waldo_tasks::episode::Timeouts;
use waldo_tasks::runner::AgentSource;
use waldo_tasks::{Contestant, TaskError};

use crate::preflight::{Endpoint, Question, Respondent};
use crate::serve::{ReferenceModel, Registry};

/// The most bytes of a table of prices.
const PRICES_BYTES: u64 = 4 << 20;

/// The agents that can be named.
pub const AGENTS: [&str; 7] = ["appagent", "planner", "frames", "reference", "baseline", "random", "noop"];

/// Whether an agent asks a model.
pub fn asks_a_model(agent: &str) -> bool {
    !BOUNDS.contains(&agent)
}

/// The agents that bound a score: from above, then from below.
pub const BOUNDS: [&str; 4] = ["reference", "baseline", "random", "noop"];

/// Flags that say which model to ask and how.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// The model: a name that the endpoint knows, `replay:DIR`, or `reference` (a stand-in that answers
    /// the agent's prompt from the task's reference solution, over HTTP).
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The OpenAI-compatible endpoint, up to /v1.
    #[arg(long, value_name = "URL", default_value = "https://api.openai.com/v1")]
    pub base_url: String,
    /// The environment variable that holds the key.
    #[arg(long, value_name = "VARIABLE", default_value = "OPENAI_API_KEY")]
    pub api_key_env: String,
    /// Sampling temperature.
    #[arg(long, default_value_t = 0.0)]
    pub temperature: f32,
    /// Tokens that a reply may have, thinking included. Where an endpoint allows fewer it is asked for half as
    /// many until it takes them.
    #[arg(long, default_value_t = 8192, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_tokens: u32,
    /// How closely the model looks at pictures.
    #[arg(long, value_name = "DETAIL", value_parser = ["low", "high", "auto"])]
    pub image_detail: Option<String>,
    /// Further fields of the request body, as a JSON object.
    #[arg(long, value_name = "JSON")]
    pub extra_body: Option<String>,
    /// Requests to the model at once.
    #[arg(long, default_value_t = 8)]
    pub model_concurrency: usize,
    /// Seconds that one request may take. A step has twice that and a minute, at least 300 s.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub model_timeout: u64,
    /// How often a failed request is sent again.
    #[arg(long, default_value_t = 5)]
    pub model_retries: u32,
    /// Record every exchange with the model in this folder, for --model replay:DIR.
    #[arg(long, value_name = "DIR")]
    pub record_model: Option<std::path::PathBuf>,
    /// Price table: JSON, {"model": {"prompt": USD per million tokens, "cached": ..., "completion": ...}}.
    #[arg(long, value_name = "FILE")]
    pub prices: Option<std::path::PathBuf>,
    /// Agents as upstream has them: AppAgent's prompt and parser, its defects included; the planner's actions, rules
    /// and examples, and no others.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        default_value_t = false, action = clap::ArgAction::Set)]
    pub compat: bool,
    /// Folder of templates that replace the built-in ones of the same name (see waldo prompts).
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<std::path::PathBuf>,
}

impl ModelArgs {
    /// What changes replies, for the manifest.
    pub fn parameters(&self) -> serde_json::Value {
        serde_json::json!({
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "image_detail": self.image_detail,
            "extra_body": self.extra_body,
            "compat": self.compat,
        })
    }

    /// Limits of single calls, where one request may take as long as these flags say.
    pub fn timeouts(&self, usual: Timeouts) -> Timeouts {
        usual.for_requests_of(Duration::from_secs(self.model_timeout.max(1)))
    }

    /// What is to be said before anything is sent to an endpoint on the internet without a key.
    fn without_key(&self, base_url: &str) -> Option<String> {
        let url = url::Url::parse(base_url).ok()?;
        let public = match url.host()? {
            url::Host::Ipv4(address) => {
                !(address.is_loopback()
                    || address.is_private()
                    || address.is_link_local()
                    || address.is_unspecified())
            }
            url::Host::Ipv6(address) => {
                !(address.is_loopback() || address.is_unspecified() || address.is_unique_local())
            }
            // A name without a dot is one of a local network.
            url::Host::Domain(name) => {
                name.contains('.')
                    && ![".local", ".internal", ".localhost", ".lan"].iter().any(|end| name.ends_with(end))
            }
        };
        let key = crate::environment::var(&self.api_key_env).is_some_and(|key| !key.trim().is_empty());
        let has = key || !url.username().is_empty() || url.query().is_some();
        (public && !has).then(|| {
            format!(
                "{} is asked without a key: the variable {} is empty; set it, or name another with --api-key-env",
                url.host_str().unwrap_or_default(),
                self.api_key_env
            )
        })
    }

    /// How AppAgent reads replies.
    pub fn mode(&self) -> Mode {
        if self.compat { Mode::Compat } else { Mode::Tolerant }
    }

    /// The question that tests whether `client` can be asked at `base_url`; none where nobody is asked.
    pub fn question(&self, client: &Arc<dyn ModelClient>, model: &str, base_url: &str) -> Option<Question> {
        (!model.starts_with("replay:")).then(|| Question {
            endpoint: Endpoint {
                address: base_url.to_owned(),
                key: self.api_key_env.clone(),
                model: Some(model.to_owned()),
            },
            respondent: Respondent::Model(client.clone()),
            limit: Duration::from_secs(self.model_timeout.max(1)),
        })
    }

    /// The client for `model` at `base_url`.
    ///
    /// # Errors
    /// When a flag does not fit.
    pub fn client(&self, model: &str, base_url: &str) -> Result<Arc<dyn ModelClient>, AgentError> {
        if !model.starts_with("replay:")
            && let Some(said) = self.without_key(base_url)
        {
            // Once for each endpoint, however many clients it has.
            static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
            if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(said.clone()) {
                eprintln!("{said}");
            }
        }
        let mut options = OpenAiOptions::new(base_url, model);
        let key = crate::environment::var(&self.api_key_env);
        crate::masking::know(key.iter().map(|key| (self.api_key_env.clone(), key.trim().to_owned())));
        options.api_key = key.and_then(|key| Secret::new(&key));
        options.temperature = Some(self.temperature);
        options.image_detail.clone_from(&self.image_detail);
        options.concurrency = self.model_concurrency.max(1);
        options.attempt_timeout = Duration::from_secs(self.model_timeout.max(1));
        options.max_retries = self.model_retries;
        if let Some(text) = &self.extra_body {
            options.extra_body = serde_json::from_str(text).map_err(|e| ModelError::Setup {
                what: format!("--extra-body is no JSON object ({e})"),
                mend: "give it like '{\"top_p\": 0.9}'".into(),
            })?;
        }
        if let Some(path) = &self.prices {
            let bad = |message: String| ModelError::Setup {
                what: format!("--prices {}: {message}", path.display()),
                mend: "give a JSON object of models with prompt and completion prices".into(),
            };
            let bytes = waldo_devices::foreign::read_in_its_folder(path, PRICES_BYTES)
                .map_err(|e| bad(e.to_string()))?;
            let text = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8 text".to_owned()))?;
            options.prices = Arc::new(PriceTable::from_json_str(&text)?);
        }
        let mut spec = ModelSpec::parse(model, options)?;
        spec.record.clone_from(&self.record_model);
        Ok(model::open(&spec)?)
    }
}

/// A contestant of a run, and all that its agent is made of.
pub struct Player {
    /// Its row.
    pub contestant: Contestant,
    /// Asks its model, where it has one.
    pub client: Option<Arc<dyn ModelClient>>,
    /// How its model is asked.
    pub model: Option<ModelArgs>,
    /// Its templates.
    pub prompts: Arc<Prompts>,
    /// How it plays as AppAgent.
    pub appagent: AppAgentOptions,
    /// How it plays as a planner.
    pub planner: Option<PlannerOptions>,
    /// How it plays as the frames agent.
    pub frames: FramesOptions,
}

impl Player {
    /// One that asks no model.
    pub fn without_model(contestant: Contestant, prompts: Arc<Prompts>) -> Self {
        Self {
            contestant,
            client: None,
            model: None,
            prompts,
            appagent: AppAgentOptions::default(),
            planner: None,
            frames: FramesOptions::default(),
        }
    }
}

/// Agents of the contestants of a run.
pub struct Agents {
    players: BTreeMap<String, Player>,
    stand_in: Option<StandIn>,
}

/// Whether a model of this name is a stand-in within this process.
pub fn is_stand_in(model: &str) -> bool {
    matches!(model, "reference" | "reader")
}

/// The stand-in model within this process. Each episode asks it at an address of its own, for instances may
/// differ in what is on the screen only.
pub struct StandIn {
    /// Where it is.
    pub model: ReferenceModel,
    /// What it knows.
    pub registry: Registry,
    places: AtomicU64,
}

impl StandIn {
    /// As `model` serves from `registry`.
    pub fn new(model: ReferenceModel, registry: Registry) -> Self {
        Self { model, registry, places: AtomicU64::new(0) }
    }

    /// A client that asks at a place of its own; `None` where another model is asked, or exchanges are recorded: a
    /// recording knows nothing of addresses.
    fn client(&self, player: &Player) -> Result<Option<AtPlace>, AgentError> {
        let (Some(name), Some(args)) = (&player.contestant.model, &player.model) else { return Ok(None) };
        if !is_stand_in(name) || args.record_model.is_some() {
            return Ok(None);
        }
        let place = format!("e{}", self.places.fetch_add(1, Ordering::Relaxed));
        let client = args.client(name, &self.model.base_url_at(&place))?;
        Ok(Some((client, place)))
    }
}

/// A client, and the place that it asks at.
type AtPlace = (Arc<dyn ModelClient>, String);

/// An agent whose model is the stand-in, asked at a place of the episode's own.
struct Placed {
    inner: Box<dyn Agent>,
    registry: Registry,
    place: String,
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.registry.leave(&self.place);
    }
}

#[async_trait]
impl Agent for Placed {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn fence(&self) -> Fence {
        self.inner.fence()
    }

    fn numbering(&self) -> Numbering {
        self.inner.numbering()
    }

    fn begin(&mut self, brief: &Brief) -> Result<(), AgentError> {
        self.registry.settle(&self.place, &brief.goal, &brief.reference);
        self.inner.begin(brief)
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision, AgentError> {
        self.inner.decide(turn).await
    }
}

impl Agents {
    /// For these contestants.
    pub fn new(players: Vec<Player>) -> Self {
        let players = players.into_iter().map(|player| (player.contestant.name.clone(), player)).collect();
        Self { players, stand_in: None }
    }

    /// The same, with the stand-in that is the model of some of them.
    #[must_use]
    pub fn with_stand_in(mut self, stand_in: Option<StandIn>) -> Self {
        self.stand_in = stand_in;
        self
    }
}

impl AgentSource for Agents {
    fn agent(&self, contestant: &str) -> Result<Box<dyn Agent>, TaskError> {
        let setup = |message: String| AgentError::Setup { agent: "agent", message };
        let player = self
            .players
            .get(contestant)
            .ok_or_else(|| setup(format!("no contestant '{contestant}' in this run")))?;
        let placed = self.stand_in.as_ref().map(|stand_in| stand_in.client(player)).transpose()?.flatten();
        let (client, place) = match placed {
            Some((client, place)) => (Some(client), Some(place)),
            None => (player.client.clone(), None),
        };
        let engine = || -> Result<Arc<dyn ScriptEngine>, AgentError> {
            Ok(Arc::new(WorkerEngine::of_this_program().map_err(|e| setup(e.to_string()))?))
        };
        let agent: Box<dyn Agent> = match player.contestant.agent.as_str() {
            "reference" => Box::<ReferenceAgent>::default(),
            "baseline" => Box::<Baseline>::default(),
            "random" => Box::<Random>::default(),
            "noop" => Box::<Noop>::default(),
            "appagent" => {
                let client = client.ok_or_else(|| {
                    setup("appagent needs --model NAME (and --base-url for your own endpoint)".into())
                })?;
                Box::new(AppAgent::new(client, player.prompts.clone(), player.appagent.clone()))
            }
            "planner" => {
                let (Some(client), Some(mut options)) = (client, player.planner.clone()) else {
                    let message = "planner needs --model NAME (and --base-url for your own endpoint)";
                    return Err(setup(message.into()).into());
                };
                options.widget = Some(WidgetSkill { engine: engine()?, options: player.frames.clone() });
                Box::new(Planner::new(client, player.prompts.clone(), options))
            }
            "frames" => {
                let client = client.clone().ok_or_else(|| {
                    setup("frames needs --model NAME (and --base-url for your own endpoint)".into())
                })?;
                let (prompts, options) = (player.prompts.clone(), player.frames.clone());
                Box::new(Frames::new(client, prompts, engine()?, options))
            }
            other => {
                return Err(setup(format!("no agent '{other}': there are {}", AGENTS.join(", "))).into());
            }
        };
        Ok(match (place, &self.stand_in) {
            (Some(place), Some(stand_in)) => {
                Box::new(Placed { inner: agent, registry: stand_in.registry.clone(), place })
            }
            _ => agent,
        })
    }
}

#[cfg(test)]
mod tests {
    use waldo_agents::Choice;

    use super::*;

    struct Fenced;

    #[async_trait]
    impl Agent for Fenced {
        fn name(&self) -> &'static str {
            "fenced"
        }

        fn fence(&self) -> Fence {
            Fence::Origins
        }

        fn begin(&mut self, _brief: &Brief) -> Result<(), AgentError> {
            Ok(())
        }

        async fn decide(&mut self, _turn: &Turn<'_>) -> Result<Decision, AgentError> {
            Ok(Decision::of(Choice::Finish { answer: None }))
        }
    }

    #[test]
    fn a_missing_key_is_told_of_the_internet_only() {
        #[derive(clap::Parser)]
        struct Flags {
            #[command(flatten)]
            model: ModelArgs,
        }
        let flags: Flags = clap::Parser::parse_from(["x", "--api-key-env", "NO_SUCH_KEY_OF_A_TEST"]);
        for public in ["https://api.openai.com/v1", "http://203.0.113.9/v1"] {
            let said = flags.model.without_key(public).unwrap();
            assert!(said.contains("NO_SUCH_KEY_OF_A_TEST"), "{said}");
        }
        for near in
            ["http://127.0.0.1:8000/v1", "http://gpu:8000/v1", "http://192.168.0.7/v1", "http://[::1]:1/v1"]
        {
            assert_eq!(flags.model.without_key(near), None, "{near}");
        }
        assert_eq!(flags.model.without_key("https://user:password@models.example.org/v1"), None);
        // A step has time for the slowest request, and for that once more.
        let usual = Timeouts::default();
        assert_eq!(flags.model.timeouts(usual).decide, Duration::from_secs(300));
        let slow: Flags = clap::Parser::parse_from(["x", "--model-timeout", "1700"]);
        assert_eq!(slow.model.timeouts(usual).decide, Duration::from_secs(3460));
    }

    #[test]
    fn whoever_asks_the_stand_in_keeps_the_fence_of_its_own() {
        let placed = |inner| Placed { inner, registry: Registry::default(), place: "e0".to_owned() }.fence();
        assert_eq!(placed(Box::new(Fenced)), Fence::Origins);
        assert_eq!(placed(Box::<Noop>::default()), Fence::Guard);
    }
}
