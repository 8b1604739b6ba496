//! WebArena's tasks: where they are, which can be played here, and who judges them.

#[cfg(feature = "webarena")]
mod found;
#[cfg(feature = "webarena")]
mod world;

use std::time::Duration;

use serde_json::{Map, Value};
use waldo_devices::Platform;
use waldo_tasks::episode::Timeouts;

use super::args::{PlayArgs, SuiteArgs};
use super::provider::{Listing, Opened, Request, SuiteError, SuiteProvider, SuiteSummary};

/// The name that WebArena's tasks go by.
const WEBARENA: &str = "webarena";

/// What is said where nobody names the folder.
const LACKS: &str = "needs --webarena-dir and --site (see docs/webarena.md)";

/// How long signing in and opening the start, or judging, may take: the sites are slow, and so may a judge be.
const SET_UP: Duration = Duration::from_secs(300);

pub struct Webarena;

/// What to do about a build without the feature.
#[cfg(not(feature = "webarena"))]
fn left_out_of_the_build() -> SuiteError {
    crate::absent::Absent { what: "webarena", feature: "webarena" }.into()
}

impl SuiteProvider for Webarena {
    fn has(&self, suite: &str) -> bool {
        suite == WEBARENA
    }

    fn summaries(&self) -> Result<Vec<SuiteSummary>, SuiteError> {
        Ok(SuiteSummary::elsewhere(WEBARENA, Platform::Web, LACKS))
    }

    fn lacks(&self, _suite: &str, place: &SuiteArgs) -> Option<&'static str> {
        place.webarena.webarena_dir.is_none().then_some(LACKS)
    }

    #[cfg(feature = "webarena")]
    fn list(&self, _: &str, place: &SuiteArgs) -> Result<Listing, SuiteError> {
        found::list(&place.webarena)
    }

    #[cfg(not(feature = "webarena"))]
    fn list(&self, _: &str, _: &SuiteArgs) -> Result<Listing, SuiteError> {
        Err(left_out_of_the_build())
    }

    #[cfg(feature = "webarena")]
    fn open(&self, request: &Request<'_>) -> Result<Opened, SuiteError> {
        found::open(request)?.playable()
    }

    #[cfg(not(feature = "webarena"))]
    fn open(&self, _: &Request<'_>) -> Result<Opened, SuiteError> {
        Err(left_out_of_the_build())
    }

    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        Timeouts { set_up: SET_UP, ..usual }
    }

    fn add_parameters(&self, _: &PlayArgs, opened: &Opened, to: &mut Map<String, Value>) {
        to.insert(WEBARENA.to_owned(), opened.own.clone());
        if !opened.left_out.is_empty() {
            to.insert("left_out".to_owned(), serde_json::json!(opened.left_out));
        }
    }
}
