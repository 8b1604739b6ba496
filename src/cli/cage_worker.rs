//! `waldo cage-worker`: the process that runs one script of a model's. Not for people.
//!
//! Invariant: nothing else of this program runs in it, neither the configuration nor the runtime; its fences
//! have to stand before anything else does.

use std::process::ExitCode;

/// The end of this process where it is a worker, none where it is not.
pub fn instead() -> Option<ExitCode> {
    #[cfg(feature = "frames")]
    {
        let first = std::env::args_os().nth(1);
        first.is_some_and(|arg| arg == waldo_cage::WORKER_ARG).then(waldo_cage::worker_main)
    }
    #[cfg(not(feature = "frames"))]
    None
}
