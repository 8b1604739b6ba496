//! The thread that takes events: every write of a record, and whatever else is done about an event, happens there.
//!
//! Invariants: an episode goes on once its event is taken, so whoever is killed loses the step under way at the most;
//! no event is dropped, and those of one episode keep their order; what waits is bounded. Files of an episode are
//! emptied, written and completed in that order, also where an attempt was dropped while its last event was waiting.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::error::{Result, TaskError};
use crate::events::{Event, EventSink};

/// Jobs that may wait; whoever has a further one waits itself.
const WAITING: usize = 64;
/// The longest wait for the thread's end.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce(&dyn EventSink) + Send>;

#[derive(Debug)]
pub struct Emitter {
    jobs: mpsc::Sender<Job>,
    ended: oneshot::Receiver<()>,
}

impl Emitter {
    /// Starts the thread, which hands every event to `sink`.
    pub fn start(sink: Arc<dyn EventSink>) -> Result<Self> {
        let (jobs, mut queue) = mpsc::channel::<Job>(WAITING);
        let (end, ended) = oneshot::channel();
        let take = move || {
            while let Some(job) = queue.blocking_recv() {
                // Whoever waits for it is told that there is no answer, and the thread goes on for the others.
                let _ = std::panic::catch_unwind(AssertUnwindSafe(|| job(sink.as_ref())));
            }
            // With it goes what it holds, such as the lock of a run's folder.
            drop(sink);
            let _ = end.send(());
        };
        let thread = std::thread::Builder::new().name("waldo-record".to_owned());
        thread.spawn(take).map_err(|source| {
            TaskError::Device(waldo_devices::DeviceError::Io {
                what: "starting the thread that records".to_owned(),
                source,
            })
        })?;
        Ok(Self { jobs, ended })
    }

    /// Hands on an event, with the PNG that an [`crate::events::Observed`] names, and waits until it is taken.
    ///
    /// # Errors
    /// When something of the event's episode could not be kept; nothing further of it would be.
    pub async fn emit(&self, event: Event, picture: Option<Arc<[u8]>>) -> Result<()> {
        self.run(move |sink| {
            sink.emit(&event, picture.as_deref());
            sink.write_error(&event.episode).map_or(Ok(()), Err)
        })
        .await
    }

    /// Does something with files of the record, behind all that waits.
    pub async fn write(&self, write: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
        self.run(|_| write()).await
    }

    /// Waits until the thread has ended, and with it everything that it was handed.
    pub async fn finish(self) {
        drop(self.jobs);
        // It hangs where standard output does, which must not hold up the end of the run.
        if tokio::time::timeout(ENDS_WITHIN, self.ended).await.is_err() {
            tracing::warn!("the thread for events does not end");
        }
    }

    async fn run(&self, job: impl FnOnce(&dyn EventSink) -> Result<()> + Send + 'static) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |sink| {
            // Nobody waits for it where the attempt was dropped.
            let _ = answer.send(job(sink));
        });
        let broke = || TaskError::Internal("the thread for events failed".to_owned());
        self.jobs.send(job).await.map_err(|_| broke())?;
        answered.await.map_err(|_| broke())?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc as blocking};

    use futures::FutureExt as _;
    use jiff::Timestamp;

    use super::*;
    use crate::events::{EventKind, FORMAT};
    use crate::record::{EpisodeKey, RunFolder};
    use crate::runner::Recorder;
    use crate::score::testing;

    fn key(repeat: u32) -> EpisodeKey {
        let manifest = testing::manifest(1, 1);
        EpisodeKey {
            contestant: manifest.contestants[0].name.clone(),
            task: manifest.tasks[0].id.clone(),
            repeat,
        }
    }

    fn event(episode: EpisodeKey, attempt: u32) -> Event {
        let params = serde_json::Value::Null;
        let kind = EventKind::Started { attempt, seed: 0, goal: String::new(), params, max_steps: 1 };
        Event { v: FORMAT, at: Timestamp::UNIX_EPOCH, episode, kind }
    }

    fn attempt(event: &Event) -> u32 {
        let EventKind::Started { attempt, .. } = event.kind else { panic!("{event:?}") };
        attempt
    }

    /// A sink that takes an event once it is let to, and keeps the number of its attempt.
    struct Slow {
        gate: Mutex<blocking::Receiver<()>>,
        taken: Mutex<Vec<u32>>,
    }

    impl EventSink for Slow {
        fn emit(&self, event: &Event, _: Option<&[u8]>) {
            self.gate.lock().unwrap().recv().unwrap();
            assert_ne!(attempt(event), 0, "the sink breaks");
            self.taken.lock().unwrap().push(attempt(event));
        }
    }

    fn slow() -> (blocking::Sender<()>, Arc<Slow>) {
        let (open, gate) = blocking::channel();
        (open, Arc::new(Slow { gate: Mutex::new(gate), taken: Mutex::default() }))
    }

    /// On a runtime of one thread nothing else would ever be done where the event's own task wrote.
    #[tokio::test]
    async fn a_write_that_lasts_holds_up_its_own_episode_alone() {
        let (open, sink) = slow();
        let emitter = Emitter::start(sink.clone()).unwrap();
        let mut emitted = Box::pin(emitter.emit(event(key(0), 1), None));
        assert!(emitted.as_mut().now_or_never().is_none(), "it is not taken yet");
        // Others go on meanwhile, and the write with them.
        tokio::spawn(async move { open.send(()).unwrap() }).await.unwrap();
        emitted.await.unwrap();
        assert_eq!(*sink.taken.lock().unwrap(), [1]);
        emitter.finish().await;
    }

    #[tokio::test]
    async fn no_event_is_dropped_and_what_waits_is_bounded() {
        let (open, sink) = slow();
        let emitter = Emitter::start(sink.clone()).unwrap();
        let all = u32::try_from(3 * WAITING).unwrap();
        let mut emits: Vec<_> = (1..=all).map(|n| Box::pin(emitter.emit(event(key(n), n), None))).collect();
        let waiting = emits.iter_mut().filter_map(|emit| emit.as_mut().now_or_never()).count();
        assert_eq!((waiting, emitter.jobs.capacity()), (0, 0), "the others wait outside");
        for _ in 0..all {
            open.send(()).unwrap();
        }
        futures::future::try_join_all(emits).await.unwrap();
        // Which of several episodes comes first is open.
        let mut taken = std::mem::take(&mut *sink.taken.lock().unwrap());
        taken.sort_unstable();
        assert_eq!(taken, (1..=all).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_consumer_that_breaks_is_a_defect_and_the_next_event_is_taken() {
        let (open, sink) = slow();
        let emitter = Emitter::start(sink.clone()).unwrap();
        open.send(()).unwrap();
        open.send(()).unwrap();
        let broken = emitter.emit(event(key(0), 0), None).await.unwrap_err();
        assert_eq!(broken.fault(), waldo_devices::Fault::Internal);
        sink.gate.clear_poison();
        emitter.emit(event(key(0), 2), None).await.unwrap();
        assert_eq!(*sink.taken.lock().unwrap(), [2]);
    }

    #[tokio::test]
    async fn an_event_of_a_dropped_attempt_is_none_of_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let folder = RunFolder::create_or_resume(dir.path(), testing::manifest(1, 1)).unwrap();
        let (open, sink) = slow();
        let sinks: Vec<Arc<dyn EventSink>> = vec![sink, Arc::new(Recorder::new(folder.clone()))];
        let emitter = Emitter::start(Arc::new(sinks)).unwrap();
        let episode = folder.episode(&key(0));
        let begin = {
            let episode = episode.clone();
            move || episode.begin()
        };
        emitter.write(begin.clone()).await.unwrap();
        // The watchdog ends the first attempt while its event waits.
        assert!(emitter.emit(event(key(0), 1), None).now_or_never().is_none());
        open.send(()).unwrap();
        emitter.write(begin).await.unwrap();
        open.send(()).unwrap();
        emitter.emit(event(key(0), 2), None).await.unwrap();
        let kept: Vec<u32> = episode.events().unwrap().iter().map(attempt).collect();
        assert_eq!(kept, [2]);
        // What the thread holds is free once it has ended: the folder can be claimed again.
        drop(folder);
        emitter.finish().await;
        RunFolder::create_or_resume(dir.path(), testing::manifest(1, 1)).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_first_event_that_cannot_be_kept_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let folder = RunFolder::create_or_resume(dir.path(), testing::manifest(1, 1)).unwrap();
        let emitter = Emitter::start(Arc::new(Recorder::new(folder.clone()))).unwrap();
        let episode = folder.episode(&key(0));
        episode.begin().unwrap();
        emitter.emit(event(key(0), 1), None).await.unwrap();
        let events = episode.path().join(crate::record::EVENTS);
        std::fs::remove_file(&events).unwrap();
        std::os::unix::fs::symlink("/dev/full", &events).unwrap();
        let full = emitter.emit(event(key(0), 2), None).await.unwrap_err();
        assert!(full.to_string().contains("No space left"), "{full}");
        assert!(emitter.emit(event(key(0), 3), None).await.is_err(), "and it stays so");
    }
}
