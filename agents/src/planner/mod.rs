//! The planner policy: one model plans, another locates.
//!
//! A turn has two stages. The planner is sent the task, its own earlier steps, its memory and the screen,
//! and answers with one JSON object (`json` finds it, `reply`, `bind` and `act` give it a type): what came of the
//! last action, a thought, operations on the memory, and one action whose place is *described*. A grounder
//! (`ground`) turns the description into a point or refuses, which is told to the planner. `history` keeps
//! the steps and makes the messages, `compact` keeps them within the model's window, `stuck` sees when the
//! planner goes round in circles, `brief` says actions and rules in short, `screen` the screen in words, `request` says what the planner is sent, `carry` makes the action, `skill` hands a widget to the frame policy for one
//! step, `agent` ties these together.
//!
//! Invariants: nothing that a model says is an error of the harness; a reply that stays unusable costs a
//! step. What was decided, stored and located is in the decision's [`PlanRecord`].

mod act;
mod agent;
mod bind;
mod brief;
mod carry;
mod catalogue;
mod compact;
mod entry;
pub mod ground;
mod history;
pub(crate) mod json;
mod keys;
mod memory;
pub(crate) mod messages;
mod params;
mod reply;
mod request;
mod schema;
mod screen;
mod skill;
mod specs;
mod stuck;
#[cfg(test)]
pub(crate) mod testing;

pub use crate::plan_record::{ContextUse, Grounding, Hit, InfoType, MemoryOp, PlanRecord};
pub use act::{Act, FinishStatus};
pub use agent::{Planner, PlannerOptions};
pub use catalogue::{Actions, PlannerExtras, actions, offered};
pub use compact::{ContextWindow, DEFAULT_WINDOW};
pub use keys::chord;
pub use memory::Memory;
pub use reply::{PlannedAction, PlannerReply, read};
pub use schema::schema;
pub use screen::ScreenText;
pub(crate) use screen::{NEW, SAME_OPTIONS};
pub use skill::WidgetSkill;
