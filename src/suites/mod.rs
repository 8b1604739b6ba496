//! The kinds of suites that can be played: built-in ones and folders, widgets, MiniWoB++, OSWorld, WebArena.
//!
//! Invariant: what differs from kind to kind is said by its [`SuiteProvider`]; each is registered once, in `registry`.

mod args;
mod bridge;
mod files;
mod miniwob;
mod osworld;
mod osworld_args;
mod provider;
mod registry;
mod webarena;
mod webarena_args;
mod widgets;

pub use args::{PlayArgs, SuiteArgs};
pub use provider::{
    FoundPerson, LeftOut, Listing, Opened, Request, SuiteError, SuiteProvider, left_out_text,
};
pub use registry::{PROVIDERS, playable_here, provider};
