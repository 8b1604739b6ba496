//! Recording: a person drives a device, and each step is kept.

use std::time::Instant;

use waldo_agents::appagent::Mode;
use waldo_agents::appagent::docs::keys;
use waldo_agents::appagent::docs::logs::Recorded;
use waldo_agents::{TagScheme, View};
use waldo_devices::{Capture, Deadline, Device, DeviceError, DeviceInfo, Effect, Frames, LabelStyle};

use super::deed::DemoAction;
use super::folder::DemoFolder;
use super::layout::DemoInfo;
use crate::episode::{Timeouts, film};
use crate::error::Result;
use crate::events::EventKind;
use crate::stage::Stage;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemoActionOutcome {
    Done {
        call: String,
        /// AppAgent's line for it, where its records have one.
        line: Option<String>,
        /// That nothing was seen to change, where nothing was.
        note: Option<String>,
    },
    /// It was not done, and nothing was kept.
    Not { reason: String },
}

/// A recording under way. Dropping it keeps what was done so far, to be gone on with.
pub struct Recording<'a> {
    device: &'a mut dyn Device,
    pub folder: DemoFolder,
    numbering: TagScheme,
    style: LabelStyle,
    timeouts: Timeouts,
    pub info: DeviceInfo,
    pub view: View,
    /// AppAgent's, since they go into its record.
    keys: Vec<String>,
    last: Option<String>,
}

impl<'a> Recording<'a> {
    /// Brings the device to its start and takes the first screen.
    pub async fn begin(
        device: &'a mut dyn Device,
        mut folder: DemoFolder,
        start: &Stage,
        (numbering, style): (TagScheme, LabelStyle),
        timeouts: Timeouts,
    ) -> Result<Self> {
        folder.hide(device.secrets());
        start.set(device, Deadline::after(timeouts.set_up)).await?;
        // What a browser is logged in by is known from its start on.
        folder.hide(device.secrets());
        folder.started()?;
        let observation = device.observe(Capture::All, Deadline::after(timeouts.device)).await?;
        let view = View::numbered(observation, numbering, style)?;
        folder.screen(&view)?;
        let info = device.info();
        let keys = keys(&view, Mode::Compat);
        Ok(Self { device, folder, numbering, style, timeouts, info, view, keys, last: None })
    }

    /// Pictures of the screen between the recorded ones go there, for whoever watches.
    pub fn film(&mut self, frames: &Frames) {
        film(self.device, frames);
    }

    pub async fn look(&mut self) -> Result<()> {
        let deadline = Deadline::after(self.timeouts.device);
        let observation = self.device.observe(Capture::All, deadline).await?;
        let view = View::numbered(observation, self.numbering, self.style)?;
        self.folder.screen(&view)?;
        self.keys = keys(&view, Mode::Compat);
        self.view = view;
        Ok(())
    }

    /// Does something, keeps it, and looks at what came of it. Every action passes the device's guard.
    pub async fn act(&mut self, deed: &DemoAction) -> Result<DemoActionOutcome> {
        let mut plan = match deed.plan(&self.view, &self.keys, &self.info, self.last.as_deref()) {
            Ok(plan) => plan,
            Err(reason) => return Ok(DemoActionOutcome::Not { reason }),
        };
        let step = self.folder.steps + 1;
        let mut acted = Vec::new();
        let mut note = None;
        let start = Instant::now();
        for action in &plan.actions {
            let deadline = Deadline::after(self.timeouts.device);
            let failed = match self.device.perform(action, deadline).await {
                Ok(report) => match &report.effect {
                    Effect::Refused { reason, .. } => Some(reason.clone()),
                    effect => {
                        note = match effect {
                            Effect::SuspectedNoop => Some("nothing was seen to change".to_owned()),
                            Effect::NotAsAsked { found } => Some(format!("'{found}' stands there now")),
                            _ => None,
                        };
                        let (action, report) = (action.clone(), Some(report));
                        acted.push(EventKind::Acted { step, action, report, note: None });
                        None
                    }
                },
                Err(e) if e.is_agents_mistake() => Some(e.to_string()),
                Err(e @ DeviceError::Call { .. }) => Some(e.to_string()),
                Err(e) => return Err(e.into()),
            };
            if let Some(reason) = failed {
                // A part of it may have been done.
                if !acted.is_empty() {
                    self.look().await?;
                }
                return Ok(DemoActionOutcome::Not { reason });
            }
        }
        self.device.secrets().hide(&mut plan.call);
        tracing::debug!(step, call = plan.call, took = ?start.elapsed(), "demonstrated");
        if let Some(Recorded::Tap { uid, .. } | Recorded::Text { uid, .. }) = &plan.recorded {
            self.last = Some(uid.clone());
        }
        let line = plan.recorded.as_ref().map(|line| self.device.secrets().mask(line.to_string()));
        self.folder.step(acted, plan.call.clone(), plan.tag, plan.recorded)?;
        self.look().await?;
        Ok(DemoActionOutcome::Done { call: plan.call, line, note })
    }

    pub fn finish(self) -> Result<DemoInfo> {
        self.folder.finish()
    }

    /// Ends the demonstration and removes all that was recorded of it, before it was gone on with too.
    pub fn discard(self) -> Result<()> {
        self.folder.discard()
    }
}
