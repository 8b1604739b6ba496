//! `waldo`: sees a real screen, tags what can be touched, lets an agent choose, acts, and scores.

/// The standard library's of this name panics when nobody reads on; see [`out`].
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

mod agents;
#[cfg(feature = "android")]
mod android;
mod cli;
mod config;
#[cfg(feature = "desktop")]
mod desktop;
mod environment;
mod events;
mod exit;
mod masking;
#[cfg(feature = "osworld")]
mod osworld;
mod out;
mod preflight;
mod progress;
mod prompts;
mod repeats;
mod report;
mod serve;
mod terminal;
mod watch;
#[cfg(feature = "web")]
mod web;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
