//! The live page: a run is watched while it plays, and a person can steer it, approve, take over and hand back.
//!
//! Data flow: events come from the run's one stream (`sink`), screens and questions from the agent's wrapper
//! (`agent`); both go into the hub (`hub`), which tells every page that is open. What a person does comes back through
//! the page's server to the wheel of the episode (`wheel`), on which the wrapper waits.
//!
//! Invariants: a page never holds up an episode, only a person does who paused it, was asked or took over; it is served
//! on loopback only, and nothing but its empty shell to who lacks the token; several may watch, one has the wheel; a
//! decision that a person had a hand in says so, and its episode is scored for nobody.

mod agent;
mod approver;
mod args;
mod command;
mod hub;
mod page;
mod person;
mod server;
mod sink;
mod wheel;

pub use args::{LiveArgs, LivePage};
pub use person::{Demonstrator, PersonRequest};
