//! Leaving a device to the person whom an agent handed over to.
//!
//! Invariant: until the person is done nothing acts, and nothing of the device is closed. waldo stays that long: a
//! browser's pages and its guard, and the programs of a display, live no longer than it does.

use std::io::IsTerminal as _;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio_util::sync::CancellationToken;
use waldo_devices::{Deadline, Device, StateProbe, StateValue};

/// How often it is looked whether the device is still there, and whether somebody typed.
const LOOKS_EVERY: Duration = Duration::from_millis(500);
/// How long a look may take.
const LOOK: Duration = Duration::from_secs(10);

/// Where a person finds what was handed over: the address of the page in front, else the device.
async fn place(device: &mut dyn Device) -> String {
    match device.probe(&StateProbe::Location, Deadline::after(LOOK)).await {
        Ok(StateValue::Text(place)) if !place.is_empty() => {
            crate::out::plain(&device.secrets().mask(place), 500)
        }
        _ => device.info().product,
    }
}

/// Tells where it was, of a device that nobody sees.
pub async fn tell(device: &mut dyn Device, reason: &str) {
    let place = place(device).await;
    eprintln!("handed over at {place}: {}", crate::out::plain(reason, 500));
}

/// Tells where to go on, and waits until the person is done: Enter at the terminal, a signal (`stop`), or the end
/// of the device.
pub async fn wait(device: &mut dyn Device, reason: &str, stop: &CancellationToken) {
    let place = place(device).await;
    let at_terminal = std::io::stdin().is_terminal();
    let how =
        if at_terminal { "press Enter here when you are done" } else { "end it with Ctrl-C or SIGTERM" };
    eprintln!(
        "handed over to you: {}\ngo on at {place}; it is left as it is, and waldo's guard still holds there; {how}",
        crate::out::plain(reason, 500)
    );
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOKS_EVERY) => {}
        }
        if at_terminal && typed() {
            return;
        }
        if device.probe(&StateProbe::Location, Deadline::after(LOOK)).await.is_err() {
            return;
        }
    }
}

/// Whether a line was typed; it is taken.
fn typed() -> bool {
    let input = std::io::stdin();
    let mut ready = [PollFd::new(&input, PollFlags::IN)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let waits = poll(&mut ready, Some(&at_once)).is_ok_and(|ready| ready > 0);
    // A line or the end of the terminal.
    waits && input.read_line(&mut String::new()).is_ok()
}
