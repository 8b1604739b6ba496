//! Tasks, suites, the episode loop, the recorder and the scores.
//!
//! Invariant: this crate owns the loop, the clock, the limits and the record. One event stream feeds
//! the recorder, the progress display, the report and every export.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

pub mod apps;
pub mod beside;
pub mod demo;
pub mod devices_task;
pub mod docs;
pub mod draft;
pub mod emitter;
pub mod episode;
pub mod error;
pub mod explore;
mod grace;
mod lock;
mod masked;
pub mod miniwob;
pub mod mutants;
mod on_platform;
mod one_screen_task;
pub mod parallel;
mod person_model;
pub mod record;
mod reflected;
pub mod runner;
pub mod score;
pub mod stage;
mod staged;
pub mod state;
pub mod suite;
pub mod task;
pub mod widgets;

pub use emitter::Emitter;
pub use error::TaskError;
pub use lock::FolderLock;
pub use person_model::PersonModel;
pub use record::events::{self, Event, EventKind, EventSink};
pub use record::{Contestant, EpisodeKey, EpisodeResult, Manifest, Outcome, RunFolder};
pub use stage::{RealPhone, Stage};
pub use staged::Staged;
pub use task::{EpisodeEnd, Goal, PictureMode, RunningTask, SetUp, Task, Verdict};
