//! Environments for training: episodes whose agent is whoever is at the other end of a connection.
//!
//! Duty: hand out what is asked for as a queue hands out the episodes of a run, so that guard, steps, record and verdict are
//! those of `waldo eval`; `docs/python.md` has the messages. Invariants: the socket is its owner's alone; a connection is one
//! session, and has one episode at a time; whatever ends a connection ends its episode, and no other.

mod desk;
mod server;
mod wire;

pub use desk::EpisodeDesk;
pub use server::{Offer, serve};
