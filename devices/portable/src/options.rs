use std::time::Duration;

use waldo_devices::secrets::Secrets;

#[derive(Clone, Debug)]
pub struct PortableOptions {
    /// The monitor, by the name that [`super::monitors`] lists; the main one when absent.
    pub monitor: Option<String>,
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for a program to show a window.
    pub launch: Duration,
    /// The most elements of one observation; the rest is counted in `Context::truncated`.
    pub element_cap: usize,
    pub secrets: Secrets,
}

impl Default for PortableOptions {
    fn default() -> Self {
        Self {
            monitor: None,
            settle: Duration::from_secs(2),
            launch: Duration::from_secs(20),
            element_cap: 1_500,
            secrets: Secrets::default(),
        }
    }
}
