//! Exploring an app: observe, propose, guard, act, look back, document, until nothing is left or a limit.
//!
//! Invariants: what a step learnt is committed with the [`ExplorationState`] in one rename and only then written to
//! the documentation, where a note of the same run and step counts once; so a process that is killed at any
//! moment loses at most the step under way and documents nothing twice. An exploration never does what its
//! stop rule bars unless a person agrees.

mod run;
mod state;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use waldo_agents::appagent::learn::{Explorer, StopHit};
use waldo_devices::{Budget, Device, Element, LabelStyle};

use crate::docs::DocsStore;
use crate::emitter::Emitter;
use crate::episode::Timeouts;
use crate::record::{EpisodeFolder, EpisodeKey, EpisodeResult};
use crate::stage::Stage;

pub use crate::reflected::{Documented, Reflected};
pub use state::ExplorationState;

/// What an exploration does where its stop rule bars something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSensitive {
    Skip,
    /// Asks the [`SensitiveApprover`].
    Ask,
    Allow,
}

/// Asks a person about something that the stop rule bars.
pub trait SensitiveApprover: Send + Sync {
    /// Whether the person agrees that `element` is touched although `hit` speaks against it.
    fn allows(&self, element: Option<&Element>, call: &str, hit: &StopHit) -> bool;
}

/// How an app is to be explored.
#[derive(Clone)]
pub struct ExploreSpec {
    /// Names the exploration in the record.
    pub key: EpisodeKey,
    /// Names the run in the documentation's history, with the time at which it began.
    pub run: String,
    pub goal: String,
    /// Where the device starts, and starts again where an exploration is stuck.
    pub start: Stage,
    pub max_steps: u32,
    /// Other limits, over all parts of a resumed exploration.
    pub budget: Budget,
    /// Steps without anything new after which it ends; 0 for no such limit.
    pub patience: u32,
    /// What is done where the stop rule bars something.
    pub sensitive: OnSensitive,
    pub style: LabelStyle,
    pub timeouts: Timeouts,
    pub seed: u64,
}

/// An exploration under way.
pub struct Exploration<'a> {
    pub spec: &'a ExploreSpec,
    pub device: &'a mut dyn Device,
    pub explorer: &'a Explorer,
    /// Where what is learnt goes.
    pub store: &'a mut DocsStore,
    pub folder: &'a EpisodeFolder,
    /// Takes every event, and writes what is kept of the exploration.
    pub events: &'a Emitter,
    /// Is asked under [`OnSensitive::Ask`].
    pub warden: Option<Arc<dyn SensitiveApprover>>,
}

/// How an exploration ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explored {
    /// For the record; success is the share of what was seen that is documented or known to do nothing.
    pub result: EpisodeResult,
    /// Why it ended, in words.
    pub why: String,
    pub documented: u32,
    /// Notes that replaced an earlier one.
    pub refined: u32,
    /// Judgements made without a model: nothing changed, or it led where it led before.
    pub decided_free: u32,
    pub screens: usize,
    /// Elements known now, and how many of them have nothing left to try.
    pub elements: (usize, usize),
    /// What the stop rule kept from being touched: the element and the word.
    pub barred: Vec<(String, String)>,
}

impl ExploreSpec {
    /// The time that a model call may take.
    fn decide(&self) -> Duration {
        self.timeouts.decide
    }
}
