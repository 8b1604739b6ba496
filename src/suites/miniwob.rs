//! MiniWoB++'s pages.

use std::path::Path;

use serde_json::{Map, Value};
use waldo_devices::Platform;
use waldo_tasks::miniwob::{Miniwob, PageTimer};

use super::args::{PlayArgs, SuiteArgs};
use super::provider::{Listing, Opened, Request, SuiteError, SuiteProvider, SuiteSummary};

const NAME: &str = "miniwob";

/// What is said where nobody names the folder.
const LACKS: &str = "needs --miniwob-dir (see scripts/miniwob)";

pub struct MiniwobSuite;

fn read(dir: Option<&Path>, timer: PageTimer) -> Result<Miniwob, SuiteError> {
    let dir = dir.ok_or_else(|| {
        SuiteError::Input(
            "the suite miniwob needs --miniwob-dir DIR, the unpacked PyPI package; scripts/miniwob fetches it"
                .into(),
        )
    })?;
    Ok(Miniwob::open(dir, timer)?)
}

impl SuiteProvider for MiniwobSuite {
    fn has(&self, suite: &str) -> bool {
        suite == NAME
    }

    fn summaries(&self) -> Result<Vec<SuiteSummary>, SuiteError> {
        Ok(SuiteSummary::elsewhere(NAME, Platform::Web, LACKS))
    }

    fn lacks(&self, _suite: &str, place: &SuiteArgs) -> Option<&'static str> {
        place.miniwob_dir.is_none().then_some(LACKS)
    }

    fn list(&self, _: &str, place: &SuiteArgs) -> Result<Listing, SuiteError> {
        let suite = read(place.miniwob_dir.as_deref(), PageTimer::Off)?;
        Ok(Listing::Tasks {
            id: NAME.to_owned(),
            title: "MiniWoB++".to_owned(),
            hash: suite.hash().to_owned(),
            entries: suite.entries(),
        })
    }

    fn open(&self, request: &Request<'_>) -> Result<Opened, SuiteError> {
        let suite = read(request.place.miniwob_dir.as_deref(), request.play.miniwob_timer)?;
        let opened = Opened::whole(NAME, Platform::Web, suite.hash(), suite.tasks(request.host));
        opened.only(request.only, NAME)?.playable()
    }

    fn add_parameters(&self, play: &PlayArgs, _: &Opened, to: &mut Map<String, Value>) {
        to.insert("miniwob_timer".to_owned(), play.miniwob_timer.to_string().into());
    }
}
