//! Flags of the planner: its grounder, the model's window, what it is sent.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};
use waldo_agents::model::{ModelClient, Secret, Wire};
use waldo_agents::native::{self, ProfileGrounder, ProfileUse};
use waldo_agents::planner::ground::{
    GroundProfile, Grounder, HttpGrounder, HttpOptions, ModelGrounder, TagsGrounder, TextGrounder,
};
use waldo_agents::planner::{ContextWindow, DEFAULT_WINDOW, PlannerOptions, ScreenText};
use waldo_agents::{AgentError, Result};
use waldo_prompts::Prompts;

use super::model_args::{ModelArgs, off};
use crate::numbers::whole;
use crate::preflight::{Asked, Endpoint, PreflightQuestion, Respondent};
use crate::profiles;

/// The variable with a grounder's key where none is named.
const KEY: &str = "GROUNDER_API_KEY";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrounderSpec {
    /// Numbered elements, chosen by the planner's model or by another.
    Tags(Option<String>),
    Text,
    Model(String),
    Http(String),
}

impl FromStr for GrounderSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once('=').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
        match (kind, rest) {
            ("tags", None) => Ok(Self::Tags(None)),
            ("tags", Some(model)) if !model.is_empty() => Ok(Self::Tags(Some(model.to_owned()))),
            ("text", None) => Ok(Self::Text),
            ("model", Some(model)) if !model.is_empty() => Ok(Self::Model(model.to_owned())),
            ("http", Some(address)) => {
                let url = url::Url::parse(address).map_err(|_| format!("'{address}' is not an address"))?;
                if !url.username().is_empty() || url.password().is_some() {
                    return Err(
                        "keep the key out of the address: name its variable with --grounder-key-env".into()
                    );
                }
                Ok(Self::Http(address.to_owned()))
            }
            _ => Err("write tags, tags=MODEL, text, model=MODEL or http=URL".to_owned()),
        }
    }
}

impl std::fmt::Display for GrounderSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tags(None) => f.write_str("tags"),
            Self::Tags(Some(model)) => write!(f, "tags={model}"),
            Self::Text => f.write_str("text"),
            Self::Model(model) => write!(f, "model={model}"),
            // What follows the path may be private.
            Self::Http(address) => write!(f, "http={}", address.split(['?', '#']).next().unwrap_or_default()),
        }
    }
}

/// What of the screen's text a planner is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Text {
    /// Place and elements.
    #[default]
    Elements,
    /// Address, title, tabs and dialogs.
    Place,
    /// Nothing beside the picture.
    None,
}

/// Flags of the planner.
#[derive(Clone, Debug, clap::Args, Serialize)]
#[command(next_help_heading = "Planner")]
pub struct PlannerArgs {
    /// What turns the planner's descriptions into points: tags (its model chooses among numbered elements),
    /// tags=MODEL (another does), text (names of elements, no model), model=MODEL (a grounding model that
    /// answers with coordinates), http=URL (a grounding service).
    #[arg(long, value_name = "SPEC", default_value_t = GrounderSpec::Tags(None))]
    #[serde(serialize_with = "as_text")]
    pub grounder: GrounderSpec,
    /// The endpoint of the grounder's model [default: that of --base-url].
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url)]
    #[serde(skip)]
    pub grounder_base_url: Option<String>,
    /// The environment variable that holds the grounder's key [default: GROUNDER_API_KEY; without
    /// --grounder-base-url that of --api-key-env].
    #[arg(long, value_name = "VARIABLE")]
    #[serde(skip)]
    pub grounder_key_env: Option<String>,
    /// How a grounding model is asked and writes a place: a grounder's profile (a name of `waldo models list`, or a
    /// folder), or a convention: absolute, unit or thousand, then -box, then -yx [default: by the model's name, else
    /// absolute].
    #[arg(long, value_name = "PROFILE", value_hint = clap::ValueHint::AnyPath, value_parser = convention_or_profile)]
    pub grounder_profile: Option<String>,
    /// The context window of the planner's model in tokens; a longer history is shortened.
    #[arg(long, value_name = "TOKENS", default_value_t = DEFAULT_WINDOW, value_parser = whole::<u64>(4096..))]
    pub context_tokens: u64,
    /// Which text of the screen the planner gets besides the picture.
    #[arg(long, value_enum, default_value = "elements")]
    pub screen_text: Text,
    /// The date in the planner's prompt, as YYYY-MM-DD [default: today]. Give it to replay recordings of another day.
    #[arg(long, value_name = "DATE", value_parser = |text: &str| text.parse::<jiff::civil::Date>().map(|d| d.to_string()))]
    pub date: Option<String>,
    /// The planner without its memory: what it stores is not kept, to see what the memory is worth.
    #[arg(long)]
    #[serde(rename = "memory", skip_serializing_if = "std::ops::Not::not", serialize_with = "off")]
    pub no_memory: bool,
}

fn as_text<S: Serializer>(spec: &GrounderSpec, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(spec)
}

impl PlannerArgs {
    pub fn parameters(&self) -> serde_json::Value {
        serde_json::json!(self)
    }

    /// How a planner plays that asks `planner`, which is at `base_url`.
    pub fn options(
        &self,
        model: &ModelArgs,
        planner: &Arc<dyn ModelClient>,
        base_url: &str,
        prompts: &Arc<Prompts>,
        secrets: Vec<String>,
    ) -> Result<PlannerOptions> {
        Ok(PlannerOptions {
            grounder: self.grounder(model, Some(planner), base_url, prompts)?,
            window: ContextWindow { tokens: self.context_tokens, reply: model.max_tokens },
            date: self.date.clone().unwrap_or_else(|| jiff::Zoned::now().date().to_string()),
            screen: match self.screen_text {
                Text::Elements => ScreenText::Elements,
                Text::Place => ScreenText::Place,
                Text::None => ScreenText::None,
            },
            secrets,
            widget: None,
            compat: model.compat,
            memory: !self.no_memory,
        })
    }

    /// What finds places, for an agent whose own model is `planner`; without one it goes by names of elements where no other
    /// model is named.
    pub fn grounder(
        &self,
        model: &ModelArgs,
        planner: Option<&Arc<dyn ModelClient>>,
        base_url: &str,
        prompts: &Arc<Prompts>,
    ) -> Result<Arc<dyn Grounder>> {
        Ok(match (&self.grounder, planner) {
            (GrounderSpec::Text, _) | (GrounderSpec::Tags(None), None) => Arc::new(TextGrounder),
            (GrounderSpec::Tags(None), Some(planner)) => {
                Arc::new(TagsGrounder::new(planner.clone(), prompts.clone()))
            }
            (GrounderSpec::Tags(Some(name)), _) => {
                Arc::new(TagsGrounder::new(self.client(model, name, base_url)?, prompts.clone()))
            }
            (GrounderSpec::Model(name), _) => self.by_model(self.client(model, name, base_url)?, prompts)?,
            (GrounderSpec::Http(url), _) => {
                let variable = self.grounder_key_env.as_deref().unwrap_or(KEY);
                let key = crate::environment::var(variable);
                crate::masking::know(key.iter().map(|key| (variable.to_owned(), key.trim().to_owned())));
                let options = HttpOptions {
                    url: url.clone(),
                    key: key.and_then(|key| Secret::new(&key)),
                    timeout: Duration::from_secs(model.model_timeout.clamp(1, 100)),
                    retries: model.model_retries,
                };
                Arc::new(HttpGrounder::new(options).map_err(AgentError::from)?)
            }
        })
    }

    fn by_model(&self, client: Arc<dyn ModelClient>, prompts: &Arc<Prompts>) -> Result<Arc<dyn Grounder>> {
        let convention: Option<GroundProfile> =
            self.grounder_profile.as_ref().and_then(|text| text.parse().ok());
        let named = match (&self.grounder_profile, convention) {
            (Some(named), None) => Some(grounding(named)?),
            (Some(_), Some(_)) => None,
            (None, _) => native::of_model(client.model(), ProfileUse::Grounder),
        };
        if let Some(profile) = named {
            return Ok(Arc::new(ProfileGrounder::new(client, Arc::new(profile))));
        }
        let convention = convention.unwrap_or_else(|| GroundProfile::of_model(client.model()));
        Ok(Arc::new(ModelGrounder::new(client, prompts.clone(), convention)))
    }

    /// The question that tests whether the grounder can be asked, where it is not the planner's own model.
    pub fn question(
        &self,
        model: &ModelArgs,
        base_url: &str,
        grounder: &Arc<dyn Grounder>,
    ) -> Option<PreflightQuestion> {
        let endpoint = match &self.grounder {
            GrounderSpec::Tags(None) | GrounderSpec::Text => return None,
            GrounderSpec::Tags(Some(name)) | GrounderSpec::Model(name) => {
                if name.starts_with("replay:") {
                    return None;
                }
                let (args, base) = self.own(model, base_url);
                Endpoint {
                    address: base,
                    key: args.key_variable().to_owned(),
                    asked: Asked::Model(name.clone()),
                }
            }
            GrounderSpec::Http(address) => Endpoint {
                address: address.clone(),
                key: self.grounder_key_env.clone().unwrap_or_else(|| KEY.to_owned()),
                asked: Asked::Grounder,
            },
        };
        let limit = Duration::from_secs(model.model_timeout.max(1));
        Some(PreflightQuestion { endpoint, respondent: Respondent::Grounder(grounder.clone()), limit })
    }

    /// How a grounder's own model is asked, and where.
    fn own(&self, model: &ModelArgs, base_url: &str) -> (ModelArgs, String) {
        let mut args = model.clone();
        match (&self.grounder_key_env, &self.grounder_base_url) {
            (Some(variable), _) => args.api_key_env = Some(variable.clone()),
            (None, Some(_)) => args.api_key_env = Some(KEY.to_owned()),
            (None, None) => {}
        }
        if self.grounder_base_url.is_some() {
            // Grounding models are served as chat completions.
            args.wire = Wire::default();
        }
        (args, self.grounder_base_url.clone().unwrap_or_else(|| base_url.to_owned()))
    }

    /// A client for a grounder's own model. Its recordings get a folder of their own, for a cassette holds
    /// one model.
    fn client(&self, model: &ModelArgs, name: &str, base_url: &str) -> Result<Arc<dyn ModelClient>> {
        let (mut args, base) = self.own(model, base_url);
        args.record_model = args.record_model.map(|dir| dir.join("grounder"));
        args.client(name, &base)
    }
}

fn grounding(named: &str) -> Result<native::Profile> {
    let setup = |message: String| AgentError::Setup { agent: "planner", message };
    let profile = profiles::open(named).map_err(|error| setup(error.to_string()))?;
    if profile.used_as() == ProfileUse::Grounder {
        return Ok(profile);
    }
    let name = profile.name();
    Err(setup(format!(
        "the profile '{name}' is not a grounder's: use it with --agent native --profile {name}"
    )))
}

/// Takes a convention, or what may be the profile of a grounder. Folders are opened later: in a configuration they are
/// relative to its file.
fn convention_or_profile(text: &str) -> Result<String, String> {
    if text.contains('/') || native::names().contains(&text) {
        return Ok(text.to_owned());
    }
    text.parse::<GroundProfile>().map(|_| text.to_owned()).map_err(|error| {
        format!("{error}; or name the profile of a grounder, of `waldo models list`, or a folder as ./NAME")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grounder_is_named_and_nonsense_is_refused() {
        for text in ["tags", "tags=small", "text", "model=ui-tars", "http=http://127.0.0.1:9/ground"] {
            assert_eq!(text.parse::<GrounderSpec>().unwrap().to_string(), text);
        }
        for text in ["", "tag", "model", "model=", "text=x", "http=", "http=nowhere"] {
            assert!(text.parse::<GrounderSpec>().is_err(), "{text}");
        }
        let secret = "http=http://me:hunter22@127.0.0.1/g".parse::<GrounderSpec>().unwrap_err();
        assert!(!secret.contains("hunter22"), "{secret}");
        let query: GrounderSpec = "http=http://127.0.0.1/g?token=abc".parse().unwrap();
        assert!(!query.to_string().contains("abc"));
    }
}
