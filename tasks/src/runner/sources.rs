//! Where the devices and agents of a run come from.

use async_trait::async_trait;
use waldo_agents::Agent;
use waldo_devices::{Deadline, Device, DeviceError, Frames, Secrets};

use crate::error::Result;
use crate::record::{EpisodeKey, TaskEntry};

#[async_trait]
pub trait DeviceSource: Send + Sync {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError>;

    /// The same for a task: with the screens that it needs, where it needs several.
    async fn device_for(
        &self,
        _task: &TaskEntry,
        deadline: Deadline,
    ) -> Result<Box<dyn Device>, DeviceError> {
        self.device(deadline).await
    }

    /// The values that its devices type by name: nothing that is kept of an episode shows them, why there was
    /// no device included.
    fn secrets(&self) -> Secrets;
}

pub trait AgentSource: Send + Sync {
    fn agent(&self, contestant: &str) -> Result<Box<dyn Agent>>;

    fn agent_for(&self, key: &EpisodeKey) -> Result<Box<dyn Agent>> {
        self.agent(&key.contestant)
    }

    /// Where pictures between observations of this episode go, where somebody may watch it.
    fn frames_for(&self, _key: &EpisodeKey) -> Option<Frames> {
        None
    }
}
