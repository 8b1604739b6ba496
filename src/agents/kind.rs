//! What an agent is to the command line.

use std::sync::Arc;

use serde_json::{Map, Value};
use waldo_agents::model::ModelClient;
use waldo_agents::planner::ground::Grounder;
use waldo_agents::{Agent, AgentError, Result};
use waldo_devices::{DeviceInfo, OriginRule};
use waldo_prompts::Prompts;
use waldo_tasks::docs::Library;
use waldo_tasks::episode::Timeouts;

use super::exec_args::ExecArgs;
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
    /// Those of agents that are programs.
    #[command(flatten)]
    pub exec: ExecArgs,
}

impl AgentSettings {
    /// Time limits, where single requests of the agent may take as long as its flags say.
    pub fn timeouts(&self, usual: Timeouts) -> Timeouts {
        self.exec.timeouts(self.model.timeouts(usual))
    }
}

pub struct AgentSetup<'a> {
    pub agent: &'a str,
    pub settings: &'a AgentSettings,
    pub client: Option<&'a Arc<dyn ModelClient>>,
    pub base_url: &'a str,
    pub prompts: &'a Arc<Prompts>,
    pub secrets: Vec<String>,
    pub docs: Arc<Library>,
    pub origins: &'a [OriginRule],
}

impl<'a> AgentSetup<'a> {
    /// The client of an agent that cannot do without.
    pub fn needed(&self, agent: &'static str) -> Result<&'a Arc<dyn ModelClient>> {
        self.client.ok_or_else(|| AgentError::Setup {
            agent,
            message: "needs --model NAME (and --base-url for your own endpoint)".to_owned(),
        })
    }
}

/// Makes an agent for each episode, which asks this client where it asks one.
pub type Maker = Box<dyn Fn(Option<Arc<dyn ModelClient>>) -> Result<Box<dyn Agent>> + Send + Sync>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Endpoint,
    Program,
}

pub struct Prepared {
    pub maker: Maker,
    /// Tests whether what is asked besides the model can be asked.
    pub questions: Vec<PreflightQuestion>,
    pub asks: Asks,
}

pub enum PlaceFinder {
    /// By the first action that it decides on.
    Acts {
        maker: Maker,
        /// Whether it is shown numbers on what looks as if it could be touched.
        numbered: bool,
    },
    Grounds {
        grounder: Arc<dyn Grounder>,
        /// Whether it chooses among numbered elements.
        numbered: bool,
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

/// What is always the same of a kind of agent.
pub struct AgentFacts {
    pub name: &'static str,
    pub about: &'static str,
    pub asks_a_model: bool,
    /// Whether it plays by the task's reference solution, which goals by hand do not have.
    pub needs_solution: bool,
    /// Whether it acts on pages alone whose origin can be verified.
    pub needs_origins: bool,
}

impl AgentFacts {
    /// Of an agent that asks a model about any screen.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, asks_a_model: true, needs_solution: false, needs_origins: false }
    }
}

pub trait AgentKind: Send + Sync {
    fn facts(&self) -> AgentFacts;

    fn name(&self) -> &'static str {
        self.facts().name
    }

    /// Makes agents, where it asks no model and bounds the score of those that do.
    fn bound(&self) -> Option<Maker> {
        None
    }

    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared> {
        let maker = self.bound().ok_or_else(|| AgentError::Setup {
            agent: self.name(),
            message: format!("{} cannot play at {}", self.name(), setup.base_url),
        })?;
        Ok(Prepared { maker, questions: Vec::new(), asks: Asks::Endpoint })
    }

    /// How it finds places on bare pictures, for the level L2.
    fn finder(&self, _setup: &AgentSetup<'_>) -> Result<PlaceFinder> {
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

    fn show(&self, _device: &DeviceInfo) -> ActionListing {
        let AgentFacts { name, about, .. } = self.facts();
        ActionListing {
            text: format!("{name}: {about}\n"),
            json: serde_json::json!({ "name": name, "about": about }),
        }
    }
}
