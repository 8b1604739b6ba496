//! The device of a machine: what sees and drives it, and the snapshot before each start.

use async_trait::async_trait;
use waldo_devices::device::DeviceInfo;
use waldo_devices::{
    Action, ActionReport, Capture, Deadline, Device, DeviceError, DeviceLayer, Observation, ResetTo, Result,
    StateProbe, StateValue,
};

use super::pool::Lease;

/// A device that sees and drives the machine that was lent.
pub struct VmDevice {
    // It ends before the machine does.
    inner: Box<dyn Device>,
    lease: Lease,
}

impl VmDevice {
    pub fn new(inner: Box<dyn Device>, lease: Lease) -> Self {
        Self { inner, lease }
    }

    /// Says of an error by which the machine went that it did.
    fn told<T>(&mut self, answer: Result<T>) -> Result<T> {
        let Err(error) = answer else { return answer };
        match self.lease.machine().and_then(super::Machine::lives) {
            Ok(()) => Err(error),
            Err(gone) => {
                self.lease.spoil();
                Err(gone)
            }
        }
    }
}

#[async_trait]
impl DeviceLayer for VmDevice {
    waldo_devices::device_inside!(inner);

    fn info(&self) -> DeviceInfo {
        let info = self.inner.info();
        DeviceInfo { product: format!("virtual machine, {}", info.product), ..info }
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        // Connections of the last start lead to a machine that is no more.
        self.inner.close(deadline).await?;
        self.lease.fresh(deadline).await?;
        let started = self.inner.reset(to, deadline).await;
        if matches!(started, Err(DeviceError::Timeout { .. } | DeviceError::Absent { .. })) {
            self.lease.spoil();
        }
        self.told(started)
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let seen = self.inner.observe(want, deadline).await;
        self.told(seen)
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        let done = self.inner.perform(action, deadline).await;
        self.told(done)
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        if *probe == StateProbe::Machine {
            return Ok(StateValue::Text(self.lease.machine()?.folder().display().to_string()));
        }
        let answer = self.inner.probe(probe, deadline).await;
        self.told(answer)
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        let well = match self.lease.machine()?.runs(deadline).await {
            Ok(()) => self.inner.health(deadline).await,
            ill => ill,
        };
        if well.is_err() {
            self.lease.spoil();
        }
        well.map_err(|error| match error {
            DeviceError::Timeout { .. } => {
                DeviceError::Gone { reason: format!("the virtual machine hangs: {error}") }
            }
            error => error,
        })
    }
}
