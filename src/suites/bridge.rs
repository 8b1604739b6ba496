//! Environments in other languages, judged by their own code: the suite is `bridge:http://HOST:PORT`.

#[cfg(feature = "bridge")]
mod task;

use waldo_devices::Platform;

use super::args::SuiteArgs;
use super::provider::{Listing, Opened, Request, SuiteError, SuiteProvider, SuiteSummary};
use crate::screens::environment_named;

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
