//! What commands print.
//!
//! Invariant: a reader that went away (`waldo tasks | head`) ends neither a command nor its clean-up: what it
//! no longer reads is dropped. What cannot be written for any other reason (a full disk) is told at the end. All of
//! it is masked ([`crate::masking`]).

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};
use std::sync::OnceLock;

/// The first thing that kept a text from being written.
static FAILED: OnceLock<io::Error> = OnceLock::new();

/// Writes to standard output.
pub fn write(text: Arguments<'_>) {
    let text = crate::masking::mask(text.to_string());
    note(io::stdout().lock().write_all(text.as_bytes()));
}

/// Writes to standard error. Nobody who reads there is no reason to end.
pub fn tell(text: Arguments<'_>) {
    let text = crate::masking::mask(text.to_string());
    let _ = io::stderr().lock().write_all(text.as_bytes());
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

/// Text of a screen, a page or a model, at most `max` characters of it, without the control characters that could
/// drive the terminal.
pub fn plain(text: &str, max: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(max).collect()
}
