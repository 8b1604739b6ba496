//! A task of WebArena-Verified as its file has it.

use serde::Deserialize;
use serde_json::{Map, Value};
use waldo_devices::Traffic;

use super::json_path::JsonPath;
use super::schema::unknown_types;
use crate::site::Site;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskType {
    #[serde(alias = "RETRIEVE")]
    Retrieve,
    #[serde(alias = "MUTATE")]
    Mutate,
    #[serde(alias = "NAVIGATE")]
    Navigate,
}

impl TaskType {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Retrieve => "RETRIEVE",
            Self::Mutate => "MUTATE",
            Self::Navigate => "NAVIGATE",
        }
    }
}

/// What a task says, in the file's own names.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskFile {
    pub(crate) sites: Vec<String>,
    pub(crate) task_id: u32,
    #[serde(rename = "intent_template_id")]
    _intent_template_id: u32,
    pub(crate) start_urls: Vec<String>,
    pub(crate) intent: String,
    pub(super) eval: Vec<Evaluation>,
    #[serde(rename = "intent_template")]
    _intent_template: String,
    #[serde(rename = "instantiation_dict")]
    _instantiation_dict: Map<String, Value>,
    pub(super) revision: u32,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "evaluator", deny_unknown_fields)]
pub(super) enum Evaluation {
    #[serde(rename = "AgentResponseEvaluator")]
    Response(ResponseCheck),
    #[serde(rename = "NetworkEventEvaluator")]
    Network(Box<NetworkCheck>),
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct ResponseCheck {
    pub(super) expected: ExpectedResponse,
    #[serde(default)]
    pub(super) ordered: bool,
    pub(super) results_schema: Value,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedResponse {
    pub(super) task_type: TaskType,
    pub(super) status: String,
    /// `None` where the file does not name it, which is another thing than null.
    #[serde(default, deserialize_with = "named")]
    pub(super) retrieved_data: Option<Value>,
}

/// Null counts as named.
fn named<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct NetworkCheck {
    pub(super) expected: ExpectedEvent,
    #[serde(default = "yes")]
    pub(super) last_event_only: bool,
    #[serde(default)]
    pub(super) ignored_query_params: Vec<String>,
    #[serde(default)]
    pub(super) ignored_query_params_patterns: Vec<String>,
    #[serde(default)]
    pub(super) decode_base64_query: bool,
    pub(super) query_params_schema: Option<Value>,
    pub(super) post_data_schema: Option<Value>,
    #[serde(default)]
    pub(super) ignored_post_data_params_patterns: Vec<String>,
    #[serde(default)]
    pub(super) should_not_exist: bool,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedEvent {
    /// An address, or a list of which any will do.
    pub(super) url: Value,
    pub(super) headers: Option<Map<String, Value>>,
    pub(super) query_params: Option<serde_json::Map<String, Value>>,
    pub(super) post_data: Option<Map<String, Value>>,
    pub(super) response_content: Option<Map<String, Value>>,
    pub(super) response_cookies: Option<Map<String, Value>>,
    #[serde(default = "ok")]
    pub(super) response_status: i64,
    #[serde(default = "get")]
    pub(super) http_method: String,
}

fn yes() -> bool {
    true
}

fn ok() -> i64 {
    200
}

fn get() -> String {
    "GET".to_owned()
}

#[derive(Clone, Debug, PartialEq)]
pub struct Checks {
    pub(super) all: Vec<Evaluation>,
    /// The task's sites in its own order.
    pub(super) sites: Vec<Site>,
    pub task_type: TaskType,
    pub revision: u32,
    /// Whether the right end is that it cannot be done.
    pub infeasible: bool,
}

impl Checks {
    /// # Errors
    /// What its file has that no evaluator reads.
    pub(crate) fn new(file: &TaskFile, sites: Vec<Site>) -> Result<Self, String> {
        let response = file.eval.iter().find_map(|check| match check {
            Evaluation::Response(check) => Some(check),
            Evaluation::Network(_) => None,
        });
        let response = response.ok_or("its 'eval' has no AgentResponseEvaluator")?;
        for check in &file.eval {
            let schemas = match check {
                Evaluation::Response(check) => vec![&check.results_schema],
                Evaluation::Network(check) => {
                    let expected = [&check.expected.post_data, &check.expected.response_content];
                    for name in expected.into_iter().flatten().flat_map(Map::keys) {
                        JsonPath::parse(name)?;
                    }
                    [&check.query_params_schema, &check.post_data_schema].into_iter().flatten().collect()
                }
            };
            if let Some(name) = schemas.into_iter().flat_map(unknown_types).next() {
                return Err(format!("its schema has the type '{name}', which is not known"));
            }
        }
        Ok(Self {
            sites,
            task_type: response.expected.task_type,
            infeasible: response.expected.status != "SUCCESS",
            revision: file.revision,
            all: file.eval.clone(),
        })
    }

    /// What has to be known of what the network saw.
    pub fn traffic(&self) -> Traffic {
        let of = |check: &Evaluation| match check {
            Evaluation::Response(_) => Traffic::Unrecorded,
            Evaluation::Network(check) => {
                let headers = check.expected.headers.iter().flat_map(Map::keys);
                match check.expected.response_cookies.is_some()
                    || headers.into_iter().any(|name| name.eq_ignore_ascii_case("cookie"))
                {
                    true => Traffic::RecordedWithCookies,
                    false => Traffic::Recorded,
                }
            }
        };
        self.all.iter().map(of).max().unwrap_or_default()
    }
}
