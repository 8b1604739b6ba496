//! `--live`, and the page from its start to its end.

use std::sync::Arc;

use waldo_agents::Agent;
use waldo_devices::{Approver, Effects, Frames};
use waldo_tasks::demo::DemoFolder;
use waldo_tasks::runner::AgentSource;
use waldo_tasks::{EpisodeKey, EventSink, RunFolder, TaskError};

use super::agent::{Steered, SteeredAgents};
use super::approver::AtPage;
use super::hub::{Hub, LivePlayer};
use super::person::Demonstrator;
use super::server::LiveServer;
use super::sink::HubSink;
use crate::numbers::port;

/// The live page.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Live page")]
pub struct LiveArgs {
    /// Serve a page on loopback on which the run is watched and steered: paused, approved, taken over [default PORT: a
    /// free one].
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = port)]
    pub live: Option<u16>,
    /// Ask on the live page before every action.
    #[arg(long, requires = "live")]
    pub approve: bool,
}

pub struct LivePage {
    hub: Arc<Hub>,
    server: LiveServer,
    _opened: Option<tempfile::TempDir>,
}

impl LivePage {
    /// Serves the page, where it is asked for, and tells its address.
    pub async fn start(args: LiveArgs) -> Result<Option<Self>, TaskError> {
        let Some(port) = args.live else { return Ok(None) };
        let about = if args.approve { Effects::all() } else { Effects::default() };
        Ok(Some(Self::serve(port, Hub::new(about, LivePlayer::Agents)).await?))
    }

    pub async fn drive(port: u16) -> Result<Self, TaskError> {
        Self::serve(port, Hub::new(Effects::default(), LivePlayer::Person)).await
    }

    pub async fn demonstrate(port: u16) -> Result<Self, TaskError> {
        Self::serve(port, Hub::new(Effects::default(), LivePlayer::Demonstrator)).await
    }

    /// Shows the demonstration in this folder, and gives who makes it.
    pub fn demonstrator(&self, folder: &DemoFolder, title: &str) -> Demonstrator {
        self.hub.shows_demo(folder.path(), title);
        Demonstrator::new(&self.hub, &folder.key())
    }

    async fn serve(port: u16, hub: Arc<Hub>) -> Result<Self, TaskError> {
        let server = LiveServer::start(port, hub.clone()).await?;
        eprintln!("live page, on this machine: {}", server.url);
        let opened = super::server::open(&server.url);
        Ok(Self { hub, server, _opened: opened })
    }

    pub fn approver(&self) -> impl Approver + 'static {
        AtPage(self.hub.clone())
    }

    pub fn sink(&self) -> Arc<dyn EventSink> {
        Arc::new(HubSink(self.hub.clone()))
    }

    /// Shows this run, of which `missing` episodes are to be played.
    pub fn shows(&self, folder: &RunFolder, title: &str, missing: usize) {
        self.hub.shows(folder, title, missing);
    }

    /// An agent with a wheel for this episode; none: the person alone.
    pub fn steered(&self, agent: Option<Box<dyn Agent>>, key: &EpisodeKey) -> Box<dyn Agent> {
        Box::new(Steered::new(agent, &self.hub, key))
    }

    pub fn frames(&self, key: &EpisodeKey) -> Frames {
        self.hub.frames(key)
    }

    pub fn all_steered(&self, agents: Arc<dyn AgentSource>) -> Arc<dyn AgentSource> {
        Arc::new(SteeredAgents::new(agents, self.hub.clone()))
    }

    pub async fn end(self, said: &str) {
        self.hub.ends(said);
        self.server.end().await;
    }
}
