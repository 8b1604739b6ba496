//! Asking somebody at the terminal.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use waldo_agents::appagent::learn::StopHit;
use waldo_devices::{Action, Approver, Element};
use waldo_tasks::explore::Warden;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio_util::sync::CancellationToken;

/// How long a stop may go unnoticed while a question waits.
const LOOKS_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Who sits at the terminal, asked before what needs a person's word.
pub struct AtTerminal {
    stop: CancellationToken,
}

impl AtTerminal {
    /// One who is no longer waited for once `stop` is cancelled.
    pub fn new(stop: CancellationToken) -> Self {
        Self { stop }
    }
}

impl Approver for AtTerminal {
    fn approve(&self, action: &Action) -> bool {
        let text = serde_json::to_string(action).unwrap_or_default();
        yes(&format!("carry out {text}?"), &self.stop)
    }
}

impl Warden for AtTerminal {
    fn allows(&self, element: Option<&Element>, call: &str, hit: &StopHit) -> bool {
        let clean = |text: &str| crate::out::plain(text, usize::MAX);
        let what =
            element.map(|e| format!(" on {} \"{}\"", e.role.as_str(), clean(&e.name))).unwrap_or_default();
        let question =
            format!("'{}' may pay, send or delete something. Carry out {}{what}?", hit.word, clean(call));
        yes(&question, &self.stop)
    }
}

/// Asks at the terminal. Anything but a yes is a no: so is a stop of the run meanwhile, and a pipe, which is
/// nobody who could have seen what is asked.
fn yes(question: &str, stop: &CancellationToken) -> bool {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return false;
    }
    let question = crate::masking::mask(question.to_owned());
    if write!(std::io::stderr(), "{question} [y/N] ").and_then(|()| std::io::stderr().flush()).is_err() {
        return false;
    }
    loop {
        if stop.is_cancelled() {
            return false;
        }
        let mut ready = [PollFd::new(&input, PollFlags::IN)];
        match poll(&mut ready, Some(&LOOKS_EVERY)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => break,
            Err(_) => return false,
        }
    }
    let mut line = String::new();
    input.lock().read_line(&mut line).is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}
