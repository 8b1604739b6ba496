//! A run's episodes over many machines, through a NATS server with JetStream.
//!
//! ```text
//! waldo eval --queue          the server                                   waldo worker
//!   offer ───────────────────► WALDO_RUNS     waldo.run.RUN ──────────────► looks whether it can play it
//!   missing episodes ────────► WALDO_WORK     waldo.work.RUN.LANE.EPISODE ► takes one, on a lease, and plays it
//!   takes the folder ◄──────── WALDO_FILES    waldo.file.RUN.UPLOAD.N ◄──── its folder, in chunks
//!   checks, keeps, counts ◄─── WALDO_RESULTS  waldo.result.RUN.EPISODE ◄─── names, sizes, hashes; the first one counts
//!   waldo queue status ◄────── WALDO_WORKERS  waldo.worker.ID ◄──────────── that it lives, and why it takes nothing
//! ```
//!
//! Invariants: no episode counts twice, for a result is put where none is, and none is lost, for what has neither a
//! result nor a place in the queue is put there again. What goes out to workers are ids, hashes and numbers: who plays
//! has the suite, the templates and the keys itself, and compares. What comes back is a stranger's until it has been
//! checked: names, sizes, hashes, whose episode it is, and whether the record says what the result says.

mod args;
mod bundle;
mod coordinator;
mod error;
mod examine;
mod intake;
mod lease;
mod offers;
mod server;
mod serving;
mod status;
mod store;
mod wire;
mod worker;

pub use args::QueueArgs;
pub use coordinator::{Coordinator, QueueEnd, forget_run};
pub use error::QueueError;
pub use examine::examine;
pub use offers::Offers;
pub use server::QueueServer;
pub use serving::{Presence, Serving};
pub use status::QueueStatus;
pub use wire::{EpisodeLimits, Lane, OfferedContestant, OfferedSuite, QueueState, Refusal, RunOffer, hash};
pub use worker::WorkQueue;
