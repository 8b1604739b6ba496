//! The layer that starts a session's device again after it ended: a browser that was killed does not end the session.
//!
//! Invariants: only a device whose health is lost is replaced; whoever drives it learns that it was, and that what it
//! showed is gone; an action is never carried out a second time.

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{
    Action, ActionReport, Capture, Deadline, Device, DeviceError, DeviceLayer, Observation, ResetTo,
};
use waldo_tasks::runner::DeviceSource;

use crate::screens::STARTS_WITHIN;

/// A device that is replaced once it has ended.
pub struct Restarting {
    inner: Box<dyn Device>,
    source: Arc<dyn DeviceSource>,
    /// How it starts; known from its first start on.
    start: Option<ResetTo>,
    /// What the next observation has to say of a restart.
    notice: Option<String>,
}

impl Restarting {
    pub fn new(inner: Box<dyn Device>, source: Arc<dyn DeviceSource>) -> Self {
        Self { inner, source, start: None, notice: None }
    }

    /// Replaces the device if its health is lost; `error` itself where it is well, or cannot be replaced.
    async fn replace_after(&mut self, error: DeviceError) -> Result<String, DeviceError> {
        let Some(start) = &self.start else { return Err(error) };
        let deadline = Deadline::after(STARTS_WITHIN);
        let Err(lost) = self.inner.health(deadline).await else { return Err(error) };
        tracing::warn!(%error, %lost, "starting the device again");
        let mut fresh = self.source.device(deadline).await?;
        fresh.reset(start, deadline).await?;
        let mut ended = std::mem::replace(&mut self.inner, fresh);
        if let Err(error) = ended.close(deadline).await {
            tracing::debug!(%error, "closing what has ended");
        }
        let notice =
            format!("{lost}. It was started again, as the session began; what it showed before is gone");
        self.notice = Some(notice.clone());
        Ok(notice)
    }
}

#[async_trait]
impl DeviceLayer for Restarting {
    waldo_devices::device_inside!(inner);

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<(), DeviceError> {
        self.inner.reset(to, deadline).await?;
        self.start = Some(to.clone());
        Ok(())
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation, DeviceError> {
        let mut seen = match self.inner.observe(want, deadline).await {
            Ok(seen) => seen,
            Err(error) => {
                self.replace_after(error).await?;
                self.inner.observe(want, deadline).await?
            }
        };
        seen.context.notices.extend(self.notice.take());
        Ok(seen)
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport, DeviceError> {
        match self.inner.perform(action, deadline).await {
            Err(error) if !error.is_agents_mistake() => {
                let message = self.replace_after(error).await?;
                Err(DeviceError::Call { call: action.name().to_owned(), message })
            }
            done => done,
        }
    }

    async fn health(&mut self, deadline: Deadline) -> Result<(), DeviceError> {
        match self.inner.health(deadline).await {
            Ok(()) => Ok(()),
            Err(lost) => self.replace_after(lost).await.map(drop),
        }
    }
}
