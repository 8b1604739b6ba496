//! What commands print.
//!
//! Invariant: a reader that went away (`waldo tasks | head`) ends neither a command nor its clean-up: what it
//! no longer reads is dropped. What cannot be written for any other reason (a full disk) is told at the end. All of
//! it is masked ([`crate::masking`]) and clean ([`terminal`]).

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};
use std::sync::OnceLock;

use crate::terminal;

/// The first thing that kept a text from being written.
static FAILED: OnceLock<io::Error> = OnceLock::new();

pub fn write(text: Arguments<'_>) {
    note(io::stdout().lock().write_all(shown(&text.to_string()).as_bytes()));
}

/// Writes to standard error. Nobody who reads there is no reason to end.
pub fn tell(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_all(shown(&text.to_string()).as_bytes());
}

fn shown(text: &str) -> String {
    terminal::clean(&crate::masking::mask(text.to_owned())).into_owned()
}

/// Why not all that was written got there, where somebody still reads it.
pub fn failed() -> Option<&'static io::Error> {
    note(io::stdout().lock().flush());
    FAILED.get()
}

fn note(written: io::Result<()>) {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => drop(FAILED.set(error)),
        Ok(()) | Err(_) => {}
    }
}

/// Text of a screen, a page or a model on one line, at most `max` characters of it, without those that could drive
/// the terminal or deceive.
pub fn plain(text: &str, max: usize) -> String {
    let bare = |c: char| if c.is_control() || terminal::is_barred(c) { ' ' } else { c };
    text.chars().map(bare).take(max).collect()
}
