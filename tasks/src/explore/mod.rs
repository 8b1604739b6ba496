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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSensitive {
    Skip,
    Ask,
    Allow,
}

/// Asks a person about something that the stop rule bars.
pub trait SensitiveApprover: Send + Sync {
    /// Whether the person agrees that `element` is touched although `hit` speaks against it.
    fn allows(&self, element: Option<&Element>, call: &str, hit: &StopHit) -> bool;
}

#[derive(Clone)]
pub struct ExploreSpec {
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
    pub sensitive: OnSensitive,
    pub style: LabelStyle,
    pub timeouts: Timeouts,
    pub seed: u64,
}

pub struct Exploration<'a> {
    pub spec: &'a ExploreSpec,
    pub device: &'a mut dyn Device,
    pub explorer: &'a Explorer,
    pub store: &'a mut DocsStore,
    pub folder: &'a EpisodeFolder,
    /// Takes every event, and writes what is kept of the exploration.
    pub events: &'a Emitter,
    /// Is asked under [`OnSensitive::Ask`].
    pub warden: Option<Arc<dyn SensitiveApprover>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explored {
    /// For the record; success is the share of what was seen that is documented or known to do nothing.
    pub result: EpisodeResult,
    pub why: String,
    pub documented: u32,
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
