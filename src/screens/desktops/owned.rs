//! Displays that somebody sits at.
//!
//! Invariants: such a display is taken by one device at a time, after a countdown, and given back for good once its
//! owner asks for it: nothing is done on it any more, and the command ends as if it had been told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};
use waldo_devices::{
    Action, ActionReport, Capture, Deadline, Device, DeviceError, DeviceLayer, Observation, ResetTo,
};

/// Seconds of the countdown, when no other number is given.
pub(super) const COUNTDOWN: u32 = 5;

/// The longest wait for a program to show a window.
pub(super) const LAUNCH: Duration = Duration::from_secs(45);

/// Hears when the owner wants the display back, as long as it lives.
pub(super) struct Listener {
    pub(super) reclaimed: watch::Receiver<bool>,
    pub(super) _source: Box<dyn Send + Sync>,
}

pub(super) struct OwnedDisplay {
    name: String,
    /// What its owner does to have it back.
    by: String,
    /// Seconds before it is taken.
    countdown: u32,
    permit: Arc<Semaphore>,
    listener: Mutex<Option<Listener>>,
    announced: Arc<AtomicBool>,
}

impl OwnedDisplay {
    pub(super) fn new(name: String, by: String, countdown: u32) -> Self {
        Self {
            name,
            by,
            countdown,
            permit: Arc::new(Semaphore::new(1)),
            listener: Mutex::new(None),
            announced: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Takes the display for one device. The owner is listened to since the first one, and the countdown runs
    /// before that one alone.
    pub(super) async fn take(
        &self,
        listen: impl FnOnce() -> Result<Listener, DeviceError> + Send + 'static,
        deadline: Deadline,
    ) -> Result<(OwnedSemaphorePermit, watch::Receiver<bool>), DeviceError> {
        let permit = tokio::time::timeout_at(deadline.instant(), self.permit.clone().acquire_owned()).await;
        let Ok(Ok(permit)) = permit else {
            return Err(DeviceError::Gone { reason: format!("{} is in use", self.name) });
        };
        let mut slot = self.listener.lock().await;
        if let Some(listener) = slot.as_ref() {
            let reclaimed = listener.reclaimed.clone();
            return if *reclaimed.borrow() { Err(taken_back()) } else { Ok((permit, reclaimed)) };
        }
        let listener = tokio::task::spawn_blocking(listen).await??;
        let reclaimed = listener.reclaimed.clone();
        self.count_down(reclaimed.clone()).await?;
        tokio::spawn(stop_when(reclaimed.clone(), self.announced.clone()));
        *slot = Some(listener);
        Ok((permit, reclaimed))
    }

    /// Tells the person what is coming, second by second.
    async fn count_down(&self, mut reclaimed: watch::Receiver<bool>) -> Result<(), DeviceError> {
        eprintln!("taking {}; {} takes it back at any time", self.name, self.by);
        let mut second = tokio::time::interval(Duration::from_secs(1));
        second.tick().await;
        for left in (1..=self.countdown).rev() {
            eprintln!("{left} ...");
            tokio::select! {
                _ = second.tick() => {}
                heard = reclaimed.wait_for(|reclaimed| *reclaimed) => {
                    if heard.is_ok() {
                        return Err(taken_back());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Once the owner calls, has the process stop as a signal would: the record is kept in good order.
async fn stop_when(mut reclaimed: watch::Receiver<bool>, announced: Arc<AtomicBool>) {
    if reclaimed.wait_for(|reclaimed| *reclaimed).await.is_ok() && !announced.swap(true, Ordering::SeqCst) {
        eprintln!("the display is given back to its owner");
        if let Err(errno) =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM)
        {
            tracing::warn!(%errno, "cannot stop by a signal");
        }
    }
}

fn taken_back() -> DeviceError {
    DeviceError::Gone { reason: "the display was given back to its owner, as requested".to_owned() }
}

pub(super) struct ReclaimableDevice {
    pub(super) device: Box<dyn Device>,
    pub(super) reclaimed: watch::Receiver<bool>,
    pub(super) chord: Option<String>,
    pub(super) _permit: OwnedSemaphorePermit,
}

impl ReclaimableDevice {
    fn ours(&self) -> Result<(), DeviceError> {
        if *self.reclaimed.borrow() { Err(taken_back()) } else { Ok(()) }
    }
}

/// Does something unless the owner calls first.
async fn unless<T>(
    mut reclaimed: watch::Receiver<bool>,
    done: impl Future<Output = Result<T, DeviceError>>,
) -> Result<T, DeviceError> {
    let heard = async {
        // A listener that ended has heard nothing, and the display is gone with it.
        if reclaimed.wait_for(|reclaimed| *reclaimed).await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        () = heard => Err(taken_back()),
        done = done => done,
    }
}

#[async_trait]
impl DeviceLayer for ReclaimableDevice {
    waldo_devices::device_inside!(device);

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<(), DeviceError> {
        self.ours()?;
        let mut to = to.clone();
        // The agent must not press it, neither by mistake nor on purpose.
        to.policy.deny_chords.extend(self.chord.clone());
        self.device.reset(&to, deadline).await
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation, DeviceError> {
        unless(self.reclaimed.clone(), self.device.observe(want, deadline)).await
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport, DeviceError> {
        self.ours()?;
        unless(self.reclaimed.clone(), self.device.perform(action, deadline)).await
    }

    async fn health(&mut self, deadline: Deadline) -> Result<(), DeviceError> {
        unless(self.reclaimed.clone(), self.device.health(deadline)).await
    }
}
