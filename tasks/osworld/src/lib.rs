//! OSWorld: its task files, loaded, set up and judged by the benchmark's own rules.
//!
//! The files are read from a folder that is not part of waldo; nor are the documents that they name. What the
//! original does is reproduced from its behaviour: setup verbs, getters and metrics have its names, and a task
//! that needs something that is not ported says exactly what. Invariant: a score is the one that the original
//! gives, or there is none.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

pub mod browser;
pub mod cache;
pub mod error;
pub mod fault;
pub mod getters;
pub mod guest;
mod html;
mod html_tree;
mod id3;
pub mod judge;
mod load;
pub mod machine;
pub mod metrics;
pub mod ooxml;
mod pdf_text;
mod picture;
pub mod play;
pub mod py;
mod select;
pub mod setup;
mod sqlite;
pub mod survey;
pub mod task;

pub use browser::BrowserClient;
pub use cache::{Cache, Fetch};
pub use error::OsworldError;
pub use judge::{Ending, Judgement, judge};
pub use load::{Loaded, load, load_set};
pub use machine::Machine;
pub use play::{OsworldStage, Place, PlayedTask};
pub use survey::{HostPrograms, MachinePrograms, Survey};
pub use task::OsTask;
