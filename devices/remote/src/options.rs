//! How a device behaves.

use std::time::Duration;

use waldo_devices::secrets::Secrets;

#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for what a start opens to show.
    pub launch: Duration,
    /// The longest wait for the accessibility tree, which some programs take minutes to tell; the picture serves then.
    pub tree: Duration,
    /// The most elements of one observation; the rest is counted.
    pub element_cap: usize,
    /// The command on this machine that brings the other back to its fresh state: program and arguments.
    pub reset: Option<Vec<String>>,
    pub secrets: Secrets,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self {
            settle: Duration::from_secs(2),
            launch: Duration::from_secs(20),
            tree: Duration::from_secs(15),
            element_cap: 1_500,
            reset: None,
            secrets: Secrets::default(),
        }
    }
}
