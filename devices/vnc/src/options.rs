//! How a device behaves.

use std::time::Duration;

use waldo_devices::secrets::Secrets;

/// The name of the secret that opens the connection. It is masked like all of them, and never typed.
pub const PASSWORD: &str = "vnc-password";

/// How a device behaves.
#[derive(Clone, Debug)]
pub struct VncOptions {
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for the server to let somebody in.
    pub connect: Duration,
    /// The most elements of one observation; the rest is counted.
    pub element_cap: usize,
    /// Values that are typed by name, and the server's password ([`PASSWORD`]).
    pub secrets: Secrets,
}

impl Default for VncOptions {
    fn default() -> Self {
        Self {
            settle: Duration::from_secs(2),
            connect: Duration::from_secs(15),
            element_cap: 300,
            secrets: Secrets::default(),
        }
    }
}
