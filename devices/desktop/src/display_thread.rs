//! The one thread that speaks to a display: calls to it block, so they are made there, one after the other.
//!
//! Invariants: the mailbox is bounded; a job whose caller has given up is not begun, and one that takes long
//! looks whether its caller still waits; a call that hangs costs its callers their deadlines and nothing else.
//! The job at hand is waited for when the thread is given up: nothing arrives on the display afterwards.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use waldo_devices::{Deadline, DeviceError, Result};

const WAITING: usize = 16;
/// How long the job at hand may take to end, once nobody waits for it.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

pub struct JobCaller<'a> {
    deadline: Deadline,
    gave_up: &'a dyn Fn() -> bool,
}

impl<'a> JobCaller<'a> {
    /// One that waits until `deadline`, or until `gave_up` says that it does no longer.
    pub fn new(deadline: Deadline, gave_up: &'a dyn Fn() -> bool) -> Self {
        Self { deadline, gave_up }
    }

    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    pub fn gave_up(&self) -> bool {
        (self.gave_up)()
    }

    /// Whether to go on with `what`.
    ///
    /// # Errors
    /// [`DeviceError::Call`] when nobody waits for it any more, or its time is up: what a program holds up is no
    /// fault of the device.
    pub fn go_on(&self, what: &str) -> Result<()> {
        let message = match (self.gave_up(), self.deadline.passed()) {
            (true, _) => "nobody waits for the rest any more",
            (false, true) => "there was no time for the rest of it",
            (false, false) => return Ok(()),
        };
        Err(DeviceError::Call { call: what.to_owned(), message: message.to_owned() })
    }
}

/// The thread's mailbox. Dropping it ends the thread after the job at hand.
pub struct DisplayThread<S> {
    /// `None` once it is given up.
    jobs: Option<SyncSender<Job<S>>>,
    ended: Mutex<Receiver<()>>,
}

impl<S> Drop for DisplayThread<S> {
    fn drop(&mut self) {
        drop(self.jobs.take());
        // A call that hangs is left to itself.
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(ENDS_WITHIN);
    }
}

impl<S: 'static> DisplayThread<S> {
    /// Starts a thread of this name and has it open what it works with, which never leaves it.
    pub async fn start(
        name: &str,
        open: impl FnOnce() -> Result<S> + Send + 'static,
        deadline: Deadline,
    ) -> Result<Self> {
        let (jobs, waiting) = sync_channel::<Job<S>>(WAITING);
        let (ready, opened) = oneshot::channel();
        let (end, ended) = channel::<()>();
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let _end = end;
                let mut station = match open() {
                    Ok(station) => station,
                    Err(error) => {
                        let _ = ready.send(Err(error));
                        return;
                    }
                };
                if ready.send(Ok(())).is_err() {
                    return;
                }
                while let Ok(job) = waiting.recv() {
                    job(&mut station);
                }
            })
            .map_err(|source| DeviceError::Io { what: "the display's thread".to_owned(), source })?;
        answer(opened, "the display", deadline).await??;
        Ok(Self { jobs: Some(jobs), ended: Mutex::new(ended) })
    }

    pub async fn ask<T: Send + 'static>(
        &self,
        what: &str,
        deadline: Deadline,
        job: impl FnOnce(&mut S) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ask_long(what, deadline, |station, _| job(station)).await
    }

    /// As [`Self::ask`], for a job that takes long: it is told who waits, and has two thirds of the time, so that
    /// it can be looked at what came of it.
    pub async fn ask_long<T: Send + 'static>(
        &self,
        what: &str,
        deadline: Deadline,
        job: impl FnOnce(&mut S, &JobCaller<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answered) = oneshot::channel();
        let boxed: Job<S> = Box::new(move |station| {
            if !reply.is_closed() && !deadline.passed() {
                let by = deadline.at_most(deadline.left() * 2 / 3);
                let done = job(station, &JobCaller::new(by, &|| reply.is_closed()));
                let _ = reply.send(done);
            }
        });
        let sent = self.jobs.as_ref().ok_or_else(gone)?.try_send(boxed);
        match sent {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                return Err(DeviceError::Timeout { what: what.to_owned(), after: Duration::ZERO });
            }
            Err(TrySendError::Disconnected(_)) => return Err(gone()),
        }
        answer(answered, what, deadline).await?
    }
}

fn gone() -> DeviceError {
    DeviceError::Gone { reason: "the display's thread ended".to_owned() }
}

async fn answer<T>(receiver: oneshot::Receiver<T>, what: &str, deadline: Deadline) -> Result<T> {
    let left = deadline.left();
    match tokio::time::timeout_at(deadline.instant(), receiver).await {
        Ok(Ok(answer)) => Ok(answer),
        // The thread lets go of a job that came too late.
        Ok(Err(_)) if deadline.passed() => Err(DeviceError::Timeout { what: what.to_owned(), after: left }),
        Ok(Err(_)) => Err(gone()),
        Err(_) => Err(DeviceError::Timeout { what: what.to_owned(), after: left }),
    }
}
