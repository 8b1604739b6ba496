//! OSWorld's tasks: where they are, which can be played here, and what of the others.

#[cfg(feature = "osworld")]
mod elsewhere;
#[cfg(feature = "osworld")]
mod found;
#[cfg(feature = "osworld")]
mod world;

use std::time::Duration;

use serde_json::{Map, Value};
use waldo_devices::Platform;
use waldo_tasks::episode::Timeouts;

use super::args::{PlayArgs, SuiteArgs};
use super::provider::{Listing, Opened, Request, SuiteError, SuiteProvider, SuiteSummary};

/// The name that OSWorld's tasks go by.
const OSWORLD: &str = "osworld";

/// What is said where nobody names the folder.
const LACKS: &str = "needs --osworld-dir (see docs/osworld.md)";

/// The screen of the machine that OSWorld's tasks are written for.
const SCREEN: (u32, u32) = (1920, 1080);

/// How long preparing or judging one of them may take: downloads, an office program's start, pauses, a machine
/// that is set back and starts.
const SET_UP: Duration = Duration::from_secs(600);

pub struct Osworld;

/// What to do about a build without the feature.
#[cfg(not(feature = "osworld"))]
fn left_out_of_the_build() -> SuiteError {
    crate::absent::Absent { what: "osworld", feature: "osworld" }.into()
}

impl SuiteProvider for Osworld {
    fn has(&self, suite: &str) -> bool {
        suite == OSWORLD
    }

    fn summaries(&self) -> Result<Vec<SuiteSummary>, SuiteError> {
        Ok(SuiteSummary::elsewhere(OSWORLD, Platform::Desktop, LACKS))
    }

    fn lacks(&self, _suite: &str, place: &SuiteArgs) -> Option<&'static str> {
        place.osworld.osworld_dir.is_none().then_some(LACKS)
    }

    fn platform(&self, _: &str) -> Result<(Platform, Vec<(String, Platform)>), SuiteError> {
        Ok((Platform::Desktop, Vec::new()))
    }

    #[cfg(feature = "osworld")]
    fn list(&self, _: &str, place: &SuiteArgs) -> Result<Listing, SuiteError> {
        let survey = found::read(&place.osworld)?.survey;
        Ok(Listing::Survey { text: survey.text(), json: serde_json::json!(survey.json()) })
    }

    #[cfg(not(feature = "osworld"))]
    fn list(&self, _: &str, _: &SuiteArgs) -> Result<Listing, SuiteError> {
        Err(left_out_of_the_build())
    }

    #[cfg(feature = "osworld")]
    fn open(&self, request: &Request<'_>) -> Result<Opened, SuiteError> {
        found::open(request)?.playable()
    }

    #[cfg(not(feature = "osworld"))]
    fn open(&self, _: &Request<'_>) -> Result<Opened, SuiteError> {
        Err(left_out_of_the_build())
    }

    fn is_played_on(&self, device: &str) -> bool {
        ["osworld:", "qemu:"].iter().any(|kind| device.starts_with(kind))
    }

    fn screen(&self) -> Option<(u32, u32)> {
        Some(SCREEN)
    }

    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        Timeouts { set_up: SET_UP.max(usual.set_up), ..usual }
    }

    fn add_parameters(&self, play: &PlayArgs, opened: &Opened, to: &mut Map<String, Value>) {
        to.insert(
            OSWORLD.to_owned(),
            serde_json::json!({
                "set": opened.set,
                "shell": play.documents.allow_shell,
                "left_out": opened.left_out,
            }),
        );
    }
}
