//! How a person takes the display back on any system: by pushing the pointer into a corner.
//!
//! Invariant: the corner is the person's alone; no action may go there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use enigo::{Enigo, Mouse as _};
use tokio::sync::watch;

use super::hands::connect;
use waldo_devices::{DeviceError, RefusalKind, Result};

/// How often it is looked where the pointer is.
const LOOK: Duration = Duration::from_millis(50);
const OPENS_WITHIN: Duration = Duration::from_secs(10);
/// How far the corner reaches from the main monitor's left top, in the pointer's units.
const CORNER: i32 = 2;

/// Watches the pointer. Dropping it ends the thread.
#[derive(Debug)]
pub struct ReclaimWatcher {
    pushed: watch::Receiver<bool>,
    end: Arc<AtomicBool>,
}

impl ReclaimWatcher {
    /// Starts to watch. A pointer that is in the corner already has to leave it first.
    pub fn watch() -> Result<Self> {
        let (sender, pushed) = watch::channel(false);
        let end = Arc::new(AtomicBool::new(false));
        let ended = end.clone();
        let (ready, opened) = sync_channel(1);
        std::thread::Builder::new()
            .name("waldo-corner".to_owned())
            // What finds the pointer may belong to one thread.
            .spawn(move || match connect() {
                Ok(pointer) => {
                    let _ = ready.send(Ok(()));
                    look(&pointer, &sender, &ended);
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                }
            })
            .map_err(|source| DeviceError::Io {
                what: "a thread that watches the pointer".to_owned(),
                source,
            })?;
        let opened = opened.recv_timeout(OPENS_WITHIN);
        opened.map_err(|_| DeviceError::timeout("the pointer", OPENS_WITHIN))??;
        Ok(Self { pushed, end })
    }

    /// Whether it was pushed there so far, and a way to wait for it.
    pub fn pushed(&self) -> watch::Receiver<bool> {
        self.pushed.clone()
    }
}

impl Drop for ReclaimWatcher {
    fn drop(&mut self) {
        self.end.store(true, Ordering::SeqCst);
    }
}

fn look(pointer: &Enigo, sender: &watch::Sender<bool>, end: &AtomicBool) {
    let mut was_outside = false;
    while !end.load(Ordering::SeqCst) {
        match pointer.location() {
            Ok(at) if !in_corner(at) => was_outside = true,
            Ok(_) if was_outside => {
                sender.send_replace(true);
                return;
            }
            // A display that does not answer is found out by whoever acts on it.
            Ok(_) | Err(_) => {}
        }
        std::thread::sleep(LOOK);
    }
}

fn in_corner((x, y): (i32, i32)) -> bool {
    x.abs() <= CORNER && y.abs() <= CORNER
}

pub(crate) fn spare(at: (i32, i32)) -> Result<()> {
    if !in_corner(at) {
        return Ok(());
    }
    Err(DeviceError::Refused {
        kind: RefusalKind::Denied,
        reason: "a pointer in the left top corner gives the display back to its owner".to_owned(),
    })
}
