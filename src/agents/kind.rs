//! What an agent is to the command line.

use std::sync::Arc;

use serde_json::{Map, Value};
use waldo_agents::model::ModelClient;
use waldo_agents::planner::ground::Grounder;
use waldo_agents::{Agent, AgentError};
use waldo_devices::{DeviceInfo, OriginRule};
use waldo_prompts::Prompts;
use waldo_tasks::docs::Library;

use super::frames_args::FramesArgs;
use super::model_args::ModelArgs;
use super::native_args::NativeArgs;
use super::planner_args::PlannerArgs;
use crate::preflight::PreflightQuestion;

/// What the command line, or the definition of a contestant, says of how an agent plays.
#[derive(Clone, Debug, clap::Args)]
pub struct AgentSettings {
    /// How its model is asked.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The planner's own.
    #[command(flatten)]
    pub planner: PlannerArgs,
    /// What scripts may use up.
    #[command(flatten)]
    pub frames: FramesArgs,
    /// Those of models with a profile.
    #[command(flatten)]
    pub native: NativeArgs,
}

/// All that agents of a kind are made of.
pub struct AgentSetup<'a> {
    pub settings: &'a AgentSettings,
    /// Asks the model, where it has one.
    pub client: Option<&'a Arc<dyn ModelClient>>,
    pub base_url: &'a str,
    pub prompts: &'a Arc<Prompts>,
    /// Names of the values that it may type.
    pub secrets: Vec<String>,
    pub docs: Arc<Library>,
    /// Origins that the command line allows.
    pub origins: &'a [OriginRule],
}

impl<'a> AgentSetup<'a> {
    /// The client of an agent that cannot do without.
    ///
    /// # Errors
    /// When no model was named.
    pub fn needed(&self, agent: &'static str) -> Result<&'a Arc<dyn ModelClient>, AgentError> {
        self.client.ok_or_else(|| AgentError::Setup {
            agent,
            message: "needs --model NAME (and --base-url for your own endpoint)".to_owned(),
        })
    }
}

/// Makes an agent for each episode, which asks this client where it asks one.
pub type Maker =
    Box<dyn Fn(Option<Arc<dyn ModelClient>>) -> Result<Box<dyn Agent>, AgentError> + Send + Sync>;

/// Who answers for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Endpoint,
    /// A program on this machine.
    Program,
}

/// What is ready to play.
pub struct Prepared {
    pub maker: Maker,
    /// Tests whether what is asked besides the model can be asked.
    pub questions: Vec<PreflightQuestion>,
    /// Who answers for its model.
    pub asks: Asks,
}

/// How an agent finds a place on a bare picture.
pub enum PlaceFinder {
    /// By the first action that it decides on.
    Acts {
        /// Makes an agent for each picture.
        maker: Maker,
        /// Whether it is shown numbers on what looks as if it could be touched.
        numbered: bool,
    },
    Grounds {
        grounder: Arc<dyn Grounder>,
        /// Whether it chooses among numbered elements.
        numbered: bool,
        /// Whether it asks the agent's own model.
        own_model: bool,
        /// Tests whether the grounder can be asked.
        questions: Vec<PreflightQuestion>,
    },
}

/// What an agent answers with, for people and for programs.
pub struct ActionListing {
    pub text: String,
    pub json: Value,
}

/// A kind of agent.
pub trait AgentKind: Send + Sync {
    /// What it is asked for by.
    fn name(&self) -> &'static str;

    /// What it is, in a line.
    fn about(&self) -> &'static str;

    /// Makes agents, where it asks no model and bounds the score of those that do.
    fn bound(&self) -> Option<Maker> {
        None
    }

    /// Whether it plays by the task's reference solution, which goals by hand do not have.
    fn needs_solution(&self) -> bool {
        false
    }

    /// Whether it acts on pages alone whose origin can be verified.
    fn needs_origins(&self) -> bool {
        false
    }

    /// Makes it ready to play.
    ///
    /// # Errors
    /// When something is missing, or a flag does not fit.
    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared, AgentError> {
        let maker = self.bound().ok_or_else(|| AgentError::Setup {
            agent: self.name(),
            message: format!("{} cannot play at {}", self.name(), setup.base_url),
        })?;
        Ok(Prepared { maker, questions: Vec::new(), asks: Asks::Endpoint })
    }

    /// How it finds places on bare pictures, for the level L2.
    ///
    /// # Errors
    /// When it finds none, something is missing, or a flag does not fit.
    fn finder(&self, _setup: &AgentSetup<'_>) -> Result<PlaceFinder, AgentError> {
        Err(AgentError::Setup {
            agent: self.name(),
            message: format!("{} needs a live screen: it finds no places on pictures", self.name()),
        })
    }

    /// Adds what of the settings changes its results to a manifest's parameters, beside the model's.
    fn add_parameters(&self, _settings: &AgentSettings, _to: &mut Map<String, Value>) {}

    /// The JSON schema of its model's answer, where it has one.
    fn schema(&self, _device: Option<&DeviceInfo>) -> Option<Value> {
        None
    }

    /// What it answers with on such a device.
    fn show(&self, _device: &DeviceInfo) -> ActionListing {
        let (name, about) = (self.name(), self.about());
        ActionListing {
            text: format!("{name}: {about}\n"),
            json: serde_json::json!({ "name": name, "about": about }),
        }
    }
}
