//! waldo's own widgets.

use serde_json::{Map, Value};
use waldo_devices::Platform;
use waldo_tasks::widgets::{Control, SUITE, Widgets};

use super::args::{PlayArgs, SuiteArgs};
use super::provider::{Listing, Opened, Request, SuiteError, SuiteProvider, SuiteSummary};
use crate::agents::bounds;

/// Inputs of an episode that the agent frames plays, where nothing else is said: a task's own budget is one for single
/// actions; a script looks at many stops before it decides.
const FRAMES_STEPS: u32 = 160;

pub struct OwnWidgets;

impl SuiteProvider for OwnWidgets {
    fn has(&self, suite: &str) -> bool {
        suite == SUITE
    }

    fn summaries(&self) -> Result<Vec<SuiteSummary>, SuiteError> {
        let widgets = Widgets::open(Control::Oracle)?;
        Ok(vec![SuiteSummary {
            id: SUITE.to_owned(),
            level: "L3".to_owned(),
            platform: Platform::Web.as_str(),
            tasks: Some(widgets.archetypes.len()),
            text: format!("{}; a repeat is another instance", widgets.title),
        }])
    }

    fn list(&self, _: &str, _: &SuiteArgs) -> Result<Listing, SuiteError> {
        let suite = Widgets::open(Control::Oracle)?;
        Ok(Listing::Tasks {
            id: SUITE.to_owned(),
            title: suite.title.clone(),
            hash: suite.hash().to_owned(),
            entries: suite.entries(),
        })
    }

    fn open(&self, request: &Request<'_>) -> Result<Opened, SuiteError> {
        let suite = Widgets::open(request.play.widgets_control)?;
        let opened = Opened::whole(SUITE, Platform::Web, suite.hash(), suite.tasks(request.host));
        opened.only(request.only, SUITE)?.playable()
    }

    fn max_steps(&self, agents: &[&str]) -> Option<u32> {
        agents.contains(&"frames").then_some(FRAMES_STEPS)
    }

    fn check(&self, play: &PlayArgs, agents: &[&str]) -> Result<(), SuiteError> {
        let control = play.widgets_control;
        let is_bound = |agent: &str| bounds().any(|bound| bound == agent);
        let heeds = |agent: &str| match control {
            Control::Oracle => true,
            Control::Random => is_bound(agent),
            // It sees pictures alone, and gets blank ones.
            Control::Blind => is_bound(agent) || agent == "frames",
        };
        match agents.iter().find(|agent| !heeds(agent)) {
            None => Ok(()),
            Some(agent) => Err(SuiteError::Input(format!(
                "--widgets-control {control} does not apply to {agent}: random is for the agent reference, blind for \
                 reference and frames"
            ))),
        }
    }

    fn add_parameters(&self, play: &PlayArgs, _: &Opened, to: &mut Map<String, Value>) {
        to.insert("widgets_control".to_owned(), play.widgets_control.to_string().into());
    }
}
