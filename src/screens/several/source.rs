//! Several devices as one, opened and closed together.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use waldo_devices::{
    Capability, Deadline, Device, DeviceError, DeviceInfo, Geometry, Platform, Screens, Secrets,
};
use waldo_tasks::record::TaskEntry;
use waldo_tasks::runner::DeviceSource;

use crate::screens::kind::ScreenSource;

pub struct SeveralSource {
    /// Names, and the place of each one's source.
    screens: Vec<(String, usize)>,
    sources: Vec<Arc<dyn ScreenSource>>,
    secrets: Secrets,
}

impl SeveralSource {
    /// Screens by name, each from the source at that place.
    pub fn new(screens: Vec<(String, usize)>, sources: Vec<Arc<dyn ScreenSource>>, secrets: Secrets) -> Self {
        Self { screens, sources, secrets }
    }

    /// How many screens come from the source at this place.
    fn shares(&self, at: usize) -> usize {
        self.screens.iter().filter(|(_, source)| *source == at).count()
    }

    async fn open(&self, names: &[&str], deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let opened = names.iter().map(async |name| {
            let (_, at) = self.screens.iter().find(|(known, _)| known == name).ok_or_else(|| {
                let message = "no device was named for it: give --on NAME=DEVICE".to_owned();
                DeviceError::BadArgument { what: format!("screen '{name}'"), message }
            })?;
            Ok(((*name).to_owned(), self.sources[*at].device(deadline).await?))
        });
        // What was opened beside one that failed ends as it is dropped.
        let opened: Result<Vec<_>, DeviceError> = join_all(opened).await.into_iter().collect();
        Ok(Box::new(Screens::new(opened?)?))
    }
}

/// What the devices of several sources are together; `named` has names, and the place of each one's source.
pub async fn info_of_all(
    named: &[(String, usize)],
    sources: impl Iterator<Item = &Arc<dyn ScreenSource>>,
    deadline: Deadline,
) -> Result<DeviceInfo, DeviceError> {
    let infos = join_all(sources.map(|source| source.info(deadline))).await;
    let infos: Vec<DeviceInfo> = infos.into_iter().collect::<Result<_, _>>()?;
    let named = named.iter().map(|(name, at)| format!("{name}: {}", infos[*at].product));
    Ok(DeviceInfo {
        platform: Platform::Devices,
        product: named.collect::<Vec<_>>().join("; "),
        geometry: infos.first().map_or_else(|| Geometry::new(0.0, 0.0, 1.0), |info| info.geometry),
        capabilities: vec![Capability::Screens],
    })
}

#[async_trait]
impl DeviceSource for SeveralSource {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let names: Vec<&str> = self.screens.iter().map(|(name, _)| name.as_str()).collect();
        self.open(&names, deadline).await
    }

    async fn device_for(&self, task: &TaskEntry, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        if task.screens.is_empty() {
            return self.device(deadline).await;
        }
        let names: Vec<&str> = task.screens.iter().map(|(name, _)| name.as_str()).collect();
        self.open(&names, deadline).await
    }

    fn secrets(&self) -> Secrets {
        self.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for SeveralSource {
    async fn info(&self, deadline: Deadline) -> Result<DeviceInfo, DeviceError> {
        info_of_all(&self.screens, self.sources.iter(), deadline).await
    }

    fn workers(&self, workers: usize) -> usize {
        let can = |(at, source): (usize, &Arc<dyn ScreenSource>)| {
            // Of a source that has few devices each episode takes several.
            let share = self.shares(at).max(1);
            source.workers(workers.saturating_mul(share)) / share
        };
        self.sources.iter().enumerate().map(can).min().unwrap_or(workers).max(1)
    }

    async fn close(&self) {
        join_all(self.sources.iter().map(|source| source.close())).await;
    }
}
