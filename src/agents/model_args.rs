//! Flags that say which model is asked, and how.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Serialize, Serializer};
use waldo_agents::appagent::Mode;
use waldo_agents::model::{self, EndpointOptions, ModelClient, ModelSpec, PriceTable, Secret, Wire};
use waldo_agents::{AgentError, ModelError};
use waldo_tasks::episode::Timeouts;

use crate::numbers::{decimal, whole};
use crate::preflight::{Asked, Endpoint, PreflightQuestion, Respondent};

const PRICES_BYTES: u64 = 4 << 20;

fn wires() -> impl clap::builder::TypedValueParser<Value = Wire> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(Wire::ALL.map(Wire::as_str)).try_map(|name| name.parse::<Wire>())
}

/// Flags that say which model to ask and how. What changes replies is serialised into the manifest.
#[derive(Clone, Debug, clap::Args, Serialize)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// The model: a name that the endpoint knows, `replay:DIR`, or `reference` (a stand-in that answers
    /// the agent's prompt from the task's reference solution, over HTTP).
    #[arg(long, value_name = "NAME")]
    #[serde(skip)]
    pub model: Option<String>,
    /// The interface of the endpoint: chat (OpenAI-compatible chat completions), responses (OpenAI), anthropic
    /// (Messages), gemini (generateContent).
    #[arg(long, value_name = "WIRE", default_value = "chat", value_parser = wires())]
    #[serde(skip_serializing_if = "is_usual")]
    pub wire: Wire,
    /// The endpoint, up to the version such as /v1 [default: the vendor's: https://api.openai.com/v1,
    /// https://api.anthropic.com/v1, https://generativelanguage.googleapis.com/v1beta].
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url)]
    #[serde(skip)]
    pub base_url: Option<String>,
    /// The environment variable that holds the key [default: OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, by the
    /// wire].
    #[arg(long, value_name = "VARIABLE")]
    #[serde(skip)]
    pub api_key_env: Option<String>,
    /// Sampling temperature.
    #[arg(long, default_value_t = 0.0, value_parser = decimal::<f32>)]
    pub temperature: f32,
    /// Tokens that a reply may have, including thinking. If an endpoint allows fewer, the number is halved until the
    /// endpoint accepts it.
    #[arg(long, default_value_t = 8192, value_parser = whole::<u32>(1..))]
    pub max_tokens: u32,
    /// How closely the model looks at pictures.
    #[arg(long, value_name = "DETAIL", value_parser = ["low", "high", "auto"])]
    pub image_detail: Option<String>,
    /// Further fields of the request body, as a JSON object.
    #[arg(long, value_name = "JSON")]
    pub extra_body: Option<String>,
    /// Requests to the model at once.
    #[arg(long, default_value_t = 8, value_parser = whole::<usize>(1..))]
    #[serde(skip)]
    pub model_concurrency: usize,
    /// Requests to the model within any minute; more wait their turn.
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    #[serde(skip)]
    pub requests_per_minute: Option<u32>,
    /// Tokens of requests and replies within any minute; more wait their turn. They are estimated until the endpoint
    /// reports them.
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    #[serde(skip)]
    pub tokens_per_minute: Option<u64>,
    /// Ask for replies as streams: a request may then take as long as a step has, and --model-timeout bounds how long
    /// the endpoint may be silent.
    #[arg(long)]
    #[serde(skip)]
    pub stream: bool,
    /// Record the token ids and log probabilities of replies, where the endpoint gives them (vLLM: both; others: log
    /// probabilities), for waldo export --to rollouts. Only on the wire chat.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub logprobs: bool,
    /// Seconds that one request may take. A step has twice that and a minute, at least 300 s.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = whole::<u64>(0..))]
    #[serde(skip)]
    pub model_timeout: u64,
    /// How often a failed request is sent again.
    #[arg(long, default_value_t = 5, value_parser = whole::<u32>(0..))]
    #[serde(skip)]
    pub model_retries: u32,
    /// Record every exchange with the model in this folder, for --model replay:DIR.
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub record_model: Option<std::path::PathBuf>,
    /// Price table: JSON, {"model": {"prompt": USD per million tokens, "cached": ..., "completion": ...}}.
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub prices: Option<std::path::PathBuf>,
    /// Agents behave as upstream: AppAgent's prompt and parser, including its defects; only upstream's planner actions,
    /// rules and examples.
    #[arg(long)]
    pub compat: bool,
    /// AppAgent without its summary: nothing is carried from one turn to the next, to see what the summary is worth.
    #[arg(long)]
    #[serde(rename = "summary", skip_serializing_if = "std::ops::Not::not", serialize_with = "off")]
    pub no_summary: bool,
    /// Folder of templates that replace the built-in ones of the same name (see waldo prompts).
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub prompts: Option<std::path::PathBuf>,
}

fn is_usual(wire: &Wire) -> bool {
    *wire == Wire::default()
}

/// What a flag that leaves something out says of what it leaves out.
pub(super) fn off<S: Serializer>(_: &bool, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(false)
}

/// Whether a model of this name is a stand-in within this process.
pub fn is_stand_in(model: &str) -> bool {
    matches!(model, "reference" | "reader" | "note-taker")
}

impl ModelArgs {
    pub fn address(&self) -> String {
        self.base_url.clone().unwrap_or_else(|| self.wire.usual_address().to_owned())
    }

    /// The variable that holds the key; empty where none is to be sent.
    pub fn key_variable(&self) -> &str {
        self.api_key_env.as_deref().unwrap_or(self.wire.usual_key())
    }

    /// What changes replies, for the manifest.
    pub fn parameters(&self) -> serde_json::Value {
        serde_json::json!(self)
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
        let key = crate::environment::var(self.key_variable()).is_some_and(|key| !key.trim().is_empty());
        let has = key || !url.username().is_empty() || url.query().is_some();
        (public && !has).then(|| {
            format!(
                "{} is asked without a key: the variable {} is empty; set it, or name another with --api-key-env",
                url.host_str().unwrap_or_default(),
                self.key_variable()
            )
        })
    }

    /// How AppAgent reads replies.
    pub fn mode(&self) -> Mode {
        if self.compat { Mode::Compat } else { Mode::Tolerant }
    }

    /// The question that tests whether `client` can be asked at `base_url`; none where nobody is asked.
    pub fn question(
        &self,
        client: &Arc<dyn ModelClient>,
        model: &str,
        base_url: &str,
    ) -> Option<PreflightQuestion> {
        (!model.starts_with("replay:")).then(|| PreflightQuestion {
            endpoint: Endpoint {
                address: base_url.to_owned(),
                key: self.key_variable().to_owned(),
                asked: Asked::Model(model.to_owned()),
            },
            respondent: Respondent::Model(client.clone()),
            limit: Duration::from_secs(self.model_timeout.max(1)),
        })
    }

    pub fn client(&self, model: &str, base_url: &str) -> Result<Arc<dyn ModelClient>, AgentError> {
        if is_stand_in(model) && base_url == self.wire.usual_address() {
            return Err(AgentError::Setup {
                agent: "model",
                message: format!(
                    "'{model}' is a stand-in that knows solutions of suites, not a vendor's model: it answers in 'waldo eval', \
                     or at the --base-url of 'waldo serve-model {model}'; here name a model"
                ),
            });
        }
        if !model.starts_with("replay:")
            && let Some(said) = self.without_key(base_url)
        {
            // Once for each endpoint, however many clients it has.
            static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
            if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(said.clone()) {
                eprintln!("{said}");
            }
        }
        let mut options = EndpointOptions::new(base_url, model);
        let key = crate::environment::var(self.key_variable());
        crate::masking::know(key.iter().map(|key| (self.key_variable().to_owned(), key.trim().to_owned())));
        options.wire = self.wire;
        options.stream = self.stream;
        options.logprobs = self.logprobs;
        options.requests_per_minute = self.requests_per_minute;
        options.tokens_per_minute = self.tokens_per_minute;
        options.api_key = key.and_then(|key| Secret::new(&key));
        options.temperature = Some(self.temperature);
        options.image_detail.clone_from(&self.image_detail);
        options.concurrency = self.model_concurrency;
        options.attempt_timeout = Duration::from_secs(self.model_timeout.max(1));
        options.max_retries = self.model_retries;
        if let Some(text) = &self.extra_body {
            options.extra_body = serde_json::from_str(text).map_err(|e| ModelError::Setup {
                what: format!("--extra-body is not JSON object ({e})"),
                hint: "give it like '{\"top_p\": 0.9}'".into(),
            })?;
        }
        if let Some(path) = &self.prices {
            let bad = |message: String| ModelError::Setup {
                what: format!("--prices {}: {message}", path.display()),
                hint: "give a JSON object of models with prompt and completion prices".into(),
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
