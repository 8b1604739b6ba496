//! How a device behaves.

use std::time::Duration;

use waldo_devices::guard::GuardPolicy;
use waldo_devices::secrets::Secrets;

/// How a device behaves.
#[derive(Clone, Debug)]
pub struct WdaOptions {
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for an app that is started to be in front.
    pub launch: Duration,
    /// The most elements of one observation; the rest is counted.
    pub element_cap: usize,
    /// Values that are typed by name.
    pub secrets: Secrets,
}

impl Default for WdaOptions {
    fn default() -> Self {
        Self {
            settle: Duration::from_secs(2),
            launch: Duration::from_secs(20),
            element_cap: 1_500,
            secrets: Secrets::default(),
        }
    }
}

/// Whether every app may be touched, so that nothing has to be asked.
pub(crate) fn all_allowed(policy: &GuardPolicy) -> bool {
    policy.apps.iter().any(|rule| rule.0 == "*")
}
