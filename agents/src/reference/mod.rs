//! A task's reference solution, and how it is carried out.
//!
//! A solution is a list of [`Step`]s that name elements by role and name, never by coordinates. The [`Cursor`] turns
//! the next step into a [`Move`] on what is on the screen now. The same cursor serves the `reference` agent, which
//! acts directly, and the reference *model*, which is given a real prompt and answers it in the agent's own reply
//! format. Readers of prompts are behind the feature `prompt-readers`.

pub(crate) mod agent;
mod cursor;
#[cfg(feature = "prompt-readers")]
pub mod model;
#[cfg(feature = "prompt-readers")]
pub mod notes;
#[cfg(feature = "prompt-readers")]
pub mod planner;
#[cfg(feature = "prompt-readers")]
pub mod reader;
mod varied;

pub use crate::steps::{Step, StepFile, Target, Verb};
pub use agent::ReferenceAgent;
pub use cursor::{Cursor, ListedElement, Move, ReferenceProgress};
pub use varied::{GAVE_UP, VariedAgent, VariedSolution, VariedStep, Vary};
