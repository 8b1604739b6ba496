//! Speaking ADB.
//!
//! Two routes lead to a phone: through an adb server, or straight to the phone's TCP port. Both hand
//! out byte streams to named services; the shell's codec works on either.
//!
//! What is `adb_client`'s: pushing and pulling files, and phones that ask for TLS ([`library`]). What is
//! ours, and why: shell and exec (it loses exit codes and may hang for ever), the device list (one odd
//! line fails its whole list), waiting for a device (its tracker never returns), connecting the server to
//! a TCP device (it takes no host names), and the direct route (its own takes 44 ms a command, one at a
//! time, and drops standard error).
//!
//! Invariant: every call ends by its deadline.

mod devices;
mod knock;
mod library;
mod link;
mod server;
mod shell;
mod socket;
mod wire;

pub use devices::{AdbDevice, AdbState};
pub use knock::knock;
pub use server::{Adb, AdbOptions};

pub(crate) use link::{Link, Repeat, Route};

use std::future::Future;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;

/// A byte stream to a service of the phone.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// A byte stream to a service of the phone.
pub(crate) type Stream = Box<dyn Duplex>;

/// Runs `work` until the deadline.
pub(crate) async fn within<T>(
    what: &str,
    deadline: Deadline,
    work: impl Future<Output = Result<T, DeviceError>>,
) -> Result<T, DeviceError> {
    let after = deadline.left();
    match tokio::time::timeout_at(deadline.instant(), work).await {
        Ok(result) => result,
        Err(_) => Err(DeviceError::Timeout { what: short(what), after }),
    }
}

pub(crate) fn gone(reason: impl Into<String>) -> DeviceError {
    DeviceError::Gone { reason: reason.into() }
}

pub(crate) fn failed(call: &str, message: impl Into<String>) -> DeviceError {
    DeviceError::Call { call: short(call), message: message.into() }
}

/// A command as an error names it: long ones (typed text, scripts) are cut.
fn short(call: &str) -> String {
    let mut text: String = call.chars().take(80).collect();
    if text.len() < call.len() {
        text.push('…');
    }
    text
}

/// A broken connection.
pub(crate) fn lost(what: &str, error: &io::Error) -> DeviceError {
    gone(format!("{what}: {error}"))
}
