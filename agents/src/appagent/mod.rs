//! The AppAgent policy: numeric tags on a picture, four parts to a reply, one function call a step.
//!
//! A prompt is filled in from the turn (`prompt`, `catalogue`, `docs`), the reply is read (`sections`,
//! `lex`, `bind` into a [`FunctionCall`]; `compat` as AppAgent itself does), and the call becomes an action on
//! what is on the screen (`ground`). `crate::chat` puts it to the model; `agent` ties these together.

mod agent;
mod bind;
mod call;
mod catalogue;
pub mod compat;
pub mod docs;
mod ground;
pub mod learn;
mod lex;
mod options;
mod parse;
mod prompt;
mod sections;
#[cfg(test)]
pub(crate) mod testing;

pub use agent::AppAgent;
pub use bind::PictureForm;
pub use call::FunctionCall;
pub use catalogue::{FunctionOffer, fits, machine, offers};
pub(crate) use catalogue::{rare, usable};
pub use docs::{Docs, Layers, Library, Slot, Slots, TextLayer};
pub(crate) use ground::ground;
pub use options::{AppAgentOptions, Mode};
pub use parse::{Parsed, parse, parse_call};
pub(crate) use prompt::{printed, screen, seen_after};
pub use waldo_devices::{Direction, Distance};
