use async_trait::async_trait;
use waldo_agents::Agent;
use waldo_agents::baselines::Noop;
use waldo_devices::{Budget, Device, DeviceLayer, Fault, Secrets};

use super::*;
use crate::record::TaskEntry;
use crate::score::testing;
use crate::task::{RunningTask, SetUp};

struct Idle;

#[async_trait]
impl DeviceLayer for Idle {
    fn inner(&self) -> &dyn Device {
        panic!("no task of it is set up")
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        panic!("no task of it is set up")
    }

    async fn close(&mut self, _: Deadline) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn gone() -> DeviceError {
    DeviceError::Gone { reason: "it was never there".to_owned() }
}

struct Sources;

#[async_trait]
impl DeviceSource for Sources {
    async fn device(&self, _: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        Ok(Box::new(Idle))
    }

    fn secrets(&self) -> Secrets {
        Secrets::default()
    }
}

impl AgentSource for Sources {
    fn agent(&self, _: &str) -> Result<Box<dyn Agent>, TaskError> {
        Ok(Box::<Noop>::default())
    }
}

/// What of a task brings down the worker that asks it anything.
const WORKER: &str = "the worker";

/// A task that cannot be set up: by a panic, or by an error.
struct Broken {
    entry: TaskEntry,
    panics: &'static str,
}
#[async_trait]
impl Task for Broken {
    fn entry(&self) -> TaskEntry {
        self.entry.clone()
    }
    fn budget(&self) -> Budget {
        assert_ne!(self.panics, WORKER);
        Budget::default()
    }
    async fn set_up(&self, _: SetUp<'_>) -> Result<Box<dyn RunningTask>, TaskError> {
        assert!(self.panics.is_empty(), "{}", self.panics);
        Err(gone().into())
    }
}

struct Nobody;

impl EventSink for Nobody {
    fn emit(&self, _: &Event, _: Option<&[u8]>) {}
}

fn run_of(folder: RunFolder, tasks: Vec<Arc<dyn Task>>, options: Options) -> Run {
    Run {
        folder,
        tasks,
        devices: Arc::new(Sources),
        agents: Arc::new(Sources),
        sink: Arc::new(Nobody),
        on_goal: Arc::new(|_| ()),
        options,
        cancel: CancellationToken::new(),
    }
}

#[tokio::test]
async fn a_panic_ends_its_episode_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = testing::manifest(2, 1);
    manifest.contestants.truncate(1);
    let tasks = manifest.tasks.clone().into_iter().zip(["boom", ""]);
    let tasks: Vec<Arc<dyn Task>> =
        tasks.map(|(entry, panics)| Arc::new(Broken { entry, panics }) as Arc<dyn Task>).collect();
    let folder = RunFolder::create_or_resume(dir.path(), manifest).unwrap();
    let keys = folder.keys().collect();
    let run = run_of(folder, tasks, Options { attempts: 2, ..Options::default() });
    let progress = run.play(keys).await.unwrap();
    assert_eq!((progress.played, progress.missing), (2, 0));
    let results = RunFolder::open(dir.path()).unwrap().results().unwrap();
    let reasons: Vec<_> = results.iter().map(|r| (format!("{:?}", r.outcome), r.attempts)).collect();
    assert!(reasons[0].0.contains("waldo broke: boom") && reasons[0].1 == 2, "{reasons:?}");
    assert!(reasons[1].0.contains("never there") && reasons[1].1 == 2, "{reasons:?}");
}

#[tokio::test]
async fn a_workers_panic_is_a_defect_of_waldo_and_no_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = testing::manifest(1, 1);
    let broken = |entry| Arc::new(Broken { entry, panics: WORKER }) as Arc<dyn Task>;
    let tasks = manifest.tasks.iter().cloned().map(broken).collect();
    let folder = RunFolder::create_or_resume(dir.path(), manifest).unwrap();
    let keys = folder.keys().collect();
    let run = run_of(folder, tasks, Options::default());
    let error = run.play(keys).await.unwrap_err();
    assert_eq!(error.fault(), Fault::Internal, "{error}");
    assert!(error.to_string().contains("please report it"), "{error}");
}
