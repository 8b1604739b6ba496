//! Runs a model's Python scripts in a caged worker process, with every call to the outside bridged.
//!
//! The parent ([`WorkerEngine`]) starts itself again as a worker, hands it one script, and carries out the
//! calls that the script makes, one after the other, through a [`ToolHost`]. The worker has no environment,
//! no files, no network and little memory and time; what the engine cannot run is refused before the first
//! call. [`ScriptEngine`] is free of the engine's own types.

mod engine;
mod error;
#[cfg(target_os = "linux")]
mod escape_probe;
mod fence;
mod limits;
mod link;
mod monty;
mod parent;
mod prep;
mod released;
mod straight;
mod val;
mod wire;
mod worker;

pub use engine::{
    ClassSpec, ConstantSpec, ExcKind, HostError, Script, ScriptEngine, ScriptOutcome, Stop, StopCause,
    Surface, ToolHost, Usage,
};
pub use error::{CageError, Refusal, ScriptError, TraceLine};
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub use escape_probe::escapes;
pub use limits::{Limit, ScriptLimits};
pub use parent::{WORKER_ARG, WorkerEngine};
pub use straight::{LiteralCall, StraightArg, literal_calls};
pub use val::{Handle, Val};
pub use worker::main as worker_main;
