//! Environments in other languages, judged by their own code: the suite is `bridge:http://HOST:PORT`.

#[cfg(feature = "bridge")]
mod task;

use std::time::Duration;

use waldo_devices::Platform;
use waldo_tasks::episode::Timeouts;

use super::args::SuiteArgs;
use super::provider::{Listing, Opened, Request, SuiteError, SuiteProvider, SuiteSummary};
use crate::screens::environment_named;

/// To prepare a machine or a container from a snapshot, with the servers that a task needs in it: MobileWorld's own time limit.
const SET_UP: Duration = Duration::from_secs(300);
/// For one action: that of a person who is a model, or of a tool, for which MobileWorld's own client waits a minute.
const ACT: Duration = Duration::from_secs(90);

pub struct Environments;

impl SuiteProvider for Environments {
    fn has(&self, suite: &str) -> bool {
        environment_named(suite).is_some()
    }

    /// Nobody knows where there is one.
    fn summaries(&self) -> Result<Vec<SuiteSummary>, SuiteError> {
        Ok(Vec::new())
    }

    fn platform(&self, suite: &str) -> Result<(Platform, Vec<(String, Platform)>), SuiteError> {
        let named = environment_named(suite);
        let (platform, address) =
            named.ok_or_else(|| SuiteError::Input(format!("no environment: {suite}")))?;
        address.map_err(SuiteError::Input)?;
        Ok((platform, Vec::new()))
    }

    fn device(&self, suite: &str) -> Option<String> {
        Some(suite.to_owned())
    }

    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        Timeouts { set_up: usual.set_up.max(SET_UP), device: usual.device.max(ACT), ..usual }
    }

    #[cfg(feature = "bridge")]
    fn list(&self, suite: &str, _: &SuiteArgs) -> Result<Listing, SuiteError> {
        task::list(suite)
    }

    #[cfg(feature = "bridge")]
    fn open(&self, request: &Request<'_>) -> Result<Opened, SuiteError> {
        task::open(request)
    }

    #[cfg(not(feature = "bridge"))]
    fn list(&self, _: &str, _: &SuiteArgs) -> Result<Listing, SuiteError> {
        Err(left_out())
    }

    #[cfg(not(feature = "bridge"))]
    fn open(&self, _: &Request<'_>) -> Result<Opened, SuiteError> {
        Err(left_out())
    }
}

#[cfg(not(feature = "bridge"))]
fn left_out() -> SuiteError {
    crate::absent::Absent { what: "bridges", feature: "bridge" }.into()
}
