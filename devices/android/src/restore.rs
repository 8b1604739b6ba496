//! What has to be put back on the phone, whatever ends us.
//!
//! Invariant: the way back is noted before anything is changed, here and in a file on the phone. It runs
//! once, on close, or where a device is dropped from a thread of its own, within a bound. Where neither came
//! to it (`kill -9`, a pulled cable), the next one that opens the phone finds the file and runs it first.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::adb::{PhoneLink, RepeatRule, Route};
use super::input::quote;
use waldo_devices::{Deadline, DeviceError};

/// How long a dropped device may hold up its owner.
const DROP_WITHIN: Duration = Duration::from_secs(4);

/// Where the phone keeps its way back. Only the shell may write there, which runs what is in it.
const KEPT: &str = "/data/local/tmp/waldo-restore";
/// How what we wrote begins.
const MARK: &str = "waldo 1: ";

/// Commands that put things back, by what they are about.
#[derive(Clone, Default)]
pub(crate) struct Restore {
    commands: Arc<Mutex<Vec<(String, String)>>>,
}

impl Restore {
    /// Notes how to put `what` back; the first note counts, since later ones know our own values.
    pub(crate) fn note(&self, what: &str, command: String) {
        let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        if commands.iter().all(|(known, _)| known != what) {
            commands.push((what.to_owned(), command));
        }
    }

    pub(crate) fn done(&self, what: &str) {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != what);
    }

    pub(crate) fn command(&self, what: &str) -> Option<String> {
        let commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        commands.iter().find(|(known, _)| known == what).map(|(_, command)| command.clone())
    }

    pub(crate) fn forget(&self) {
        self.take();
    }

    /// All of it as one command, the last note first.
    fn script(&self) -> Option<String> {
        let commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<&str> = commands.iter().rev().map(|(_, command)| command.as_str()).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The command that has the phone keep what is noted now; to be run before what is noted is changed.
    pub(crate) fn keep(&self) -> String {
        match self.script() {
            Some(script) => {
                format!("echo {} > {KEPT}.new && mv -f {KEPT}.new {KEPT}", quote(&format!("{MARK}{script}")))
            }
            None => format!("rm -f {KEPT}"),
        }
    }

    /// Puts back what an earlier one of us left behind.
    pub(crate) async fn take_up(link: &PhoneLink, deadline: Deadline) -> Result<(), DeviceError> {
        let kept = link.shell(&format!("cat {KEPT} 2>/dev/null"), RepeatRule::Safe, deadline).await?.text();
        let Some(script) = kept.trim().strip_prefix(MARK) else { return Ok(()) };
        tracing::warn!(phone = link.name(), script, "an earlier waldo did not restore the phone's settings");
        link.shell(&format!("{script}; rm -f {KEPT}"), RepeatRule::Safe, deadline).await.map(drop)
    }

    fn take(&self) -> Option<String> {
        let script = self.script();
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).clear();
        script.map(|script| format!("{script}; rm -f {KEPT}"))
    }

    pub(crate) async fn run(&self, link: &PhoneLink, deadline: Deadline) {
        let Some(script) = self.take() else { return };
        if let Err(error) = link.shell(&script, RepeatRule::Safe, deadline).await {
            tracing::warn!(%error, phone = link.name(), script, "the phone's settings were not restored");
        }
    }

    /// Puts everything back from a thread with a connection of its own, as its owner's runtime may be ending.
    pub(crate) fn run_detached(&self, route: Route) {
        let Some(script) = self.take() else { return };
        let (ended, end) = std::sync::mpsc::channel::<()>();
        let work = move || {
            let _ended = ended;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return };
            let link = PhoneLink::new(route);
            let deadline = Deadline::after(DROP_WITHIN);
            let done = runtime.block_on(link.shell(&script, RepeatRule::Safe, deadline));
            if let Err(error) = done {
                tracing::warn!(%error, script, "the phone's settings were not restored");
            }
            runtime.shutdown_background();
        };
        if std::thread::Builder::new().name("waldo-restore".to_owned()).spawn(work).is_ok() {
            // Ends when the thread lets go of its side.
            let _ = end.recv_timeout(DROP_WITHIN + Duration::from_millis(200));
        }
    }
}
