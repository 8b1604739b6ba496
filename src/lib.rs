//! `waldo`: sees a real screen, tags what can be touched, lets an agent choose, acts, and scores.
//!
//! A library of one function, so that it is compiled while the crates below it still are: a program would wait for
//! all of them. `main.rs` calls it.

#![allow(
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    reason = "help of flags is written for terminals"
)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

/// In place of the standard library's macro, which panics when standard output is closed; see [`out`].
macro_rules! print {
    ($($arg:tt)*) => { $crate::out::write(format_args!($($arg)*)) };
}

/// As [`print!`], with the end of the line.
macro_rules! println {
    () => { $crate::out::write(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::out::write(format_args!("{}\n", format_args!($($arg)*))) };
}

/// As [`println!`], to standard error: what is told there is masked and clean, too.
macro_rules! eprint {
    ($($arg:tt)*) => { $crate::out::tell(format_args!($($arg)*)) };
}

/// As [`eprint!`], with the end of the line.
macro_rules! eprintln {
    () => { $crate::out::tell(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::out::tell(format_args!("{}\n", format_args!($($arg)*))) };
}

mod absent;
mod agents;
mod cli;
mod config;
mod environment;
mod envs;
mod events;
mod exit;
mod export;
mod live;
mod masking;
#[cfg(feature = "mcp")]
mod mcp;
mod memory;
mod numbers;
mod offline;
mod out;
mod own_socket;
mod preflight;
mod profiles;
mod progress;
mod progress_bar;
mod prompts;
#[cfg(feature = "fleet")]
mod queue;
mod repeats;
mod report;
mod screens;
mod serve;
mod session;
mod stop;
mod suites;
mod terminal;
mod watch;

use std::process::ExitCode;

pub fn main() -> ExitCode {
    cli::main()
}
