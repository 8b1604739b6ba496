//! Speaking ADB.
//!
//! Two routes lead to a phone: through an adb server, or straight to the phone's TCP port. Both hand
//! out byte streams to named services; the shell's codec works on either.
//!
//! All of it is ours, because the crates that there are block without a deadline, lose exit codes and standard
//! error, and carry one command at a time. TLS is `rustls`' and `rcgen`'s.
//!
//! Invariant: every call ends by its deadline.

mod devices;
mod link;
mod probe;
mod server;
mod shell;
mod socket;
mod sync;
mod wire;

pub use devices::{AdbDevice, AdbState};
pub use probe::probe_transport;
pub use server::{Adb, AdbOptions};
pub(crate) use wire::DirectAddress;
pub use wire::pair;

pub(crate) use link::{PhoneLink, RepeatRule, Route};

use std::future::Future;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

use waldo_devices::{Deadline, DeviceError, Result};

/// A byte stream to a service of the phone.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

pub(crate) type ServiceStream = Box<dyn Duplex>;

pub(crate) async fn within<T>(
    what: &str,
    deadline: Deadline,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
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

pub(crate) fn lost(what: &str, error: &io::Error) -> DeviceError {
    gone(format!("{what}: {error}"))
}
