//! Exit codes: a public, stable interface, listed in `waldo --help`.

use std::process::ExitCode;

use waldo_devices::Fault;

pub const OK: u8 = 0;
/// Something failed that has no code of its own.
pub const FAILED: u8 = 1;
/// The run is complete and some episodes are invalid.
pub const INVALID: u8 = 3;
/// A file or value that a person gave is wrong.
pub const BAD_INPUT: u8 = 4;
/// Something waldo needs is missing or does not work; `waldo doctor` tells more.
pub const ENVIRONMENT: u8 = 5;
pub const MODEL: u8 = 6;
/// The run is complete and all its episodes are valid, but tasks of the suite were left out that cannot be
/// played here.
pub const LEFT_OUT: u8 = 7;
/// The agent of `run` did not come to an end: a limit, a give-up, a loop; so did a replay that drifted.
pub const NOT_DONE: u8 = 8;
/// The agent of `run` left it to a person.
pub const HANDED_OVER: u8 = 9;
/// A defect of waldo itself.
pub const INTERNAL: u8 = 10;
/// The agent of `run` says that the goal cannot be reached, here or by it, and nothing was checked.
pub const INFEASIBLE: u8 = 11;
/// Stopped by Ctrl-C or SIGTERM; the same command goes on from there.
pub const STOPPED: u8 = 130;

/// The code of a command that an error ended, by whose fault that is.
pub fn of(fault: Fault) -> u8 {
    match fault {
        Fault::Input => BAD_INPUT,
        Fault::Environment => ENVIRONMENT,
        Fault::Model => MODEL,
        Fault::Operation => FAILED,
        Fault::Internal => INTERNAL,
    }
}

pub fn code(code: u8) -> ExitCode {
    ExitCode::from(code)
}
