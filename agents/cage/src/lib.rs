//! Runs a model's Python scripts in a caged worker process, with every call to the outside bridged.
//!
//! The parent ([`WorkerEngine`]) starts itself again as a worker, hands it one script, and carries out the
//! calls that the script makes, one after the other, through a [`ToolHost`]. The worker has no environment,
//! no files, no network and little memory and time; what the engine cannot run is refused before the first
//! call. [`ScriptEngine`] is free of the engine's own types.

mod engine;
mod error;
#[cfg(all(feature = "engine", target_os = "linux"))]
mod escape_probe;
#[cfg(feature = "engine")]
mod fence;
mod limits;
#[cfg(feature = "engine")]
mod link;
#[cfg(feature = "engine")]
mod monty;
#[cfg(feature = "engine")]
mod parent;
#[cfg(feature = "engine")]
mod prep;
mod released;
#[cfg(feature = "engine")]
mod straight;
mod val;
#[cfg(feature = "engine")]
mod wire;
#[cfg(feature = "engine")]
mod worker;

pub use engine::{
    ClassSpec, ConstantSpec, ExcKind, HostCall, HostError, LiteralCall, Script, ScriptEngine, ScriptOutcome,
    Stop, StopCause, StraightArg, Surface, ToolHost, Usage,
};
pub use error::{CageError, Refusal, ScriptError, TraceLine};
#[cfg(all(feature = "engine", target_os = "linux"))]
#[doc(hidden)]
pub use escape_probe::escapes;
pub use limits::{Limit, ScriptLimits};
#[cfg(feature = "engine")]
pub use parent::{WORKER_ARG, WorkerEngine};
#[cfg(feature = "engine")]
pub use straight::literal_calls;
pub use val::{Handle, Val};
#[cfg(feature = "engine")]
pub use worker::main as worker_main;
