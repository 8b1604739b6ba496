//! The devices of a run of several suites: each suite's come from a source of its own.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use waldo_devices::{Deadline, Device, DeviceError, DeviceInfo, Secrets};
use waldo_tasks::record::TaskEntry;
use waldo_tasks::runner::DeviceSource;

use super::kind::ScreenSource;
use super::several::info_of_all;

/// Sources by suite. Suites on devices of one spelling share a source.
pub struct Routed {
    suites: Vec<(String, usize)>,
    sources: Vec<(String, Arc<dyn ScreenSource>)>,
    secrets: Secrets,
}

impl Routed {
    pub fn new(secrets: Secrets) -> Self {
        Self { suites: Vec::new(), sources: Vec::new(), secrets }
    }

    /// Whether a source of this spelling is there already; then the suite is played on it.
    pub fn shares(&mut self, suite: &str, device: &str) -> bool {
        let Some(at) = self.sources.iter().position(|(known, _)| known == device) else { return false };
        self.suites.push((suite.to_owned(), at));
        true
    }

    pub fn add(&mut self, suite: &str, device: &str, source: Arc<dyn ScreenSource>) {
        self.sources.push((device.to_owned(), source));
        self.suites.push((suite.to_owned(), self.sources.len() - 1));
    }
}

#[async_trait]
impl DeviceSource for Routed {
    async fn device(&self, _: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let message = "each suite has a device of its own: name the task".to_owned();
        Err(DeviceError::BadArgument { what: "device".to_owned(), message })
    }

    async fn device_for(&self, task: &TaskEntry, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let of_task = |(suite, _): &&(String, usize)| task.suite.as_ref() == Some(suite);
        match self.suites.iter().find(of_task) {
            Some((_, at)) => self.sources[*at].1.device_for(task, deadline).await,
            None => self.device(deadline).await,
        }
    }

    fn secrets(&self) -> Secrets {
        self.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for Routed {
    async fn info(&self, deadline: Deadline) -> Result<DeviceInfo, DeviceError> {
        info_of_all(&self.suites, self.sources.iter().map(|(_, source)| source), deadline).await
    }

    fn workers(&self, workers: usize) -> usize {
        self.sources.iter().map(|(_, source)| source.workers(workers)).min().unwrap_or(workers)
    }

    async fn close(&self) {
        join_all(self.sources.iter().map(|(_, source)| source.close())).await;
    }
}
