//! The shape of a configuration file: its sections and fields.
//!
//! Invariant: a field is named as the flag that it stands in for (`prompts.dir` apart), and holds what
//! that flag takes; the table that ties both is in [`super::keys`].

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choices::{ImageDetail, ScreenText, WireName};
use super::contestants::Contestant;

/// waldo's configuration: what flags are taken to be where none is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// Which model to ask, and how.
    pub model: Model,
    /// How the planner finds what it describes, and what it is sent.
    pub planner: Planner,
    /// What scripts of the agent `frames` may use up.
    pub frames: Frames,
    /// How the model of the agent `native` is shown screens and read.
    pub native: Native,
    /// Which kind of screen.
    pub device: Device,
    /// Which browser and what screen.
    pub browser: Browser,
    /// How `waldo eval` plays a suite.
    pub eval: Eval,
    /// What agents may do on devices that a person names; tasks of suites bring their own.
    pub guard: Guard,
    /// The prompt templates.
    pub prompts: Prompts,
    /// Rows of score tables by name, for `waldo eval --contestant NAME`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub contestant: BTreeMap<String, Contestant>,
}

/// How tags look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// AppAgent's look.
    Appagent,
    /// A box around each element.
    Boxes,
}

/// Section `model`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Model {
    /// A name that the endpoint knows, `replay:DIR`, or `reference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The wire that it is asked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wire: Option<WireName>,
    /// The endpoint, up to the version such as /v1; the vendor's of the wire where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The environment variable that holds the key; the key itself has no place in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Tokens that a reply may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How closely the model looks at pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_detail: Option<ImageDetail>,
    /// Further fields of the request body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_body: Option<serde_json::Map<String, serde_json::Value>>,
    /// Requests to the model at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_concurrency: Option<u32>,
    /// Requests to the model within any minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// Tokens of requests and replies within any minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u64>,
    /// Whether replies are asked for as streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Seconds that one request may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_timeout: Option<u64>,
    /// How often a failed request is sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_retries: Option<u32>,
    /// Price table, a JSON file; relative to this file's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<PathBuf>,
    /// AppAgent exactly as upstream parses replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compat: Option<bool>,
    /// AppAgent without its summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_summary: Option<bool>,
}

/// Section `planner`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Planner {
    /// What turns descriptions into points: tags, tags=MODEL, text, model=MODEL or http=URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder: Option<String>,
    /// The endpoint of the grounder's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder_base_url: Option<String>,
    /// The environment variable that holds the grounder's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder_key_env: Option<String>,
    /// How a grounding model writes a place: absolute, unit or thousand, then -box, then -yx.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder_profile: Option<String>,
    /// The planner's model's window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// What of the screen's text the planner is sent beside the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_text: Option<ScreenText>,
    /// The planner without its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_memory: Option<bool>,
}

/// Section `native`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Native {
    /// A profile's name, or its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// Section `frames`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Frames {
    /// Questions on pictures that a solving may ask a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_questions: Option<u32>,
    /// Seconds that one script may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_time: Option<u64>,
    /// Times that the script of a stage is asked for again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_repairs: Option<u32>,
}

/// Section `device`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Device {
    /// The screen: web, simphone, android, android:SERIAL, tcp:HOST:PORT, usb, usb:SERIAL, desktop,
    /// desktop::0 or desktop::portable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Words for what only a picture shows: auto, off, or tesseract's languages, such as deu+eng.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_recognition: Option<String>,
}

/// Section `browser`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Browser {
    /// DevTools address of a running browser to attach to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cdp: Option<String>,
    /// The browser's program; relative to this file's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser: Option<PathBuf>,
    /// Whether the browser's windows are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headed: Option<bool>,
    /// The visible page in CSS pixels, such as `1280x800`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<String>,
    /// Physical pixels per CSS pixel, from 0.5 to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Milliseconds to wait at the most for a quiet screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settle: Option<u64>,
}

/// Section `eval`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Eval {
    /// Episodes at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u16>,
    /// Episodes per task and agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<u32>,
    /// Run seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Steps per episode, in place of each task's own budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Tokens per episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens_total: Option<u64>,
    /// US dollars per episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
    /// Seconds per episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<u64>,
    /// Attempts at an episode before it counts as invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// Step budgets that the table is also shown for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budgets: Option<Vec<u32>>,
    /// How tags look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
}

/// Section `guard`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Guard {
    #[allow(rustdoc::broken_intra_doc_links, reason = "the text is also that of the help or the schema")]
    /// Allowed origins: scheme://host[:port], scheme://*.host, or *.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Actions that are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<String>>,
    /// Actions that a person is asked about first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Vec<String>>,
}

/// Section `prompts`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Prompts {
    /// Folder of templates that replace the built-in ones; relative to this file's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
}
