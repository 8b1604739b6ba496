//! Stopping in good order, and telling how to go on.

use std::sync::LazyLock;

use tokio_util::sync::CancellationToken;

use crate::exit;

/// The command line as it was typed, for the line that tells how to go on.
pub(crate) fn command_line() -> String {
    waldo_devices::child::line(&std::env::args().collect::<Vec<_>>())
}

/// Cancelled once nothing is waited for any more.
static AT_ONCE: LazyLock<CancellationToken> = LazyLock::new(CancellationToken::new);

/// Ends the command at once: what it started is dropped, so that browsers, displays and temporary folders go with it.
/// Where even that takes too long, the next call ends the process.
pub fn stop_at_once() {
    if AT_ONCE.is_cancelled() {
        std::process::exit(i32::from(exit::STOPPED));
    }
    AT_ONCE.cancel();
}

/// What `command` comes to, unless it is stopped at once.
pub async fn unless_at_once<T>(command: impl Future<Output = T>) -> Option<T> {
    AT_ONCE.run_until_cancelled(command).await
}

/// Ends the run in good order on the first Ctrl-C, SIGTERM or SIGHUP (a terminal that was closed), and at once on
/// the second.
pub async fn stop_on_signal(cancel: CancellationToken) {
    on_signals(|| {
        if cancel.is_cancelled() {
            stop_at_once();
            return;
        }
        cancel.cancel();
        // A terminal that was closed takes no words, and is no reason to stop in bad order.
        eprintln!("stopping; once more to stop at once");
    })
    .await;
}

/// Calls `heard` on each Ctrl-C, SIGTERM and SIGHUP.
pub async fn on_signals(mut heard: impl FnMut()) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut term) = signal(SignalKind::terminate()) else { return };
    let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
    loop {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = term.recv() => {}
            _ = hangup.recv() => {}
        }
        heard();
    }
}
