//! Fresh web devices for a run: one browser process, one isolated context per episode.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Mutex;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, Secrets};
use waldo_tasks::runner::DeviceSource;
use waldo_web::{Browser, Contexts, WebOptions};

use crate::screens::browser_args::Origin;
use crate::screens::kind::ScreenSource;

/// A browser that is started when it is first needed, and again when it has died.
pub struct WebSource {
    origin: Origin,
    options: WebOptions,
    approver: Option<Arc<dyn Approver>>,
    browser: Mutex<Option<Browser>>,
    handed: AtomicUsize,
}

impl WebSource {
    /// A source of devices that behave as `options` say.
    pub fn new(origin: Origin, options: WebOptions, approver: Option<Arc<dyn Approver>>) -> Self {
        Self { origin, options, approver, browser: Mutex::new(None), handed: AtomicUsize::new(0) }
    }

    pub async fn browser(&self, deadline: Deadline) -> Result<Browser, DeviceError> {
        let mut slot = self.browser.lock().await;
        if let Some(browser) = slot.as_ref().filter(|browser| browser.is_whole()) {
            return Ok(browser.clone());
        }
        let browser = match &self.origin {
            Origin::Launch(options) => Browser::launch(options, deadline).await?,
            Origin::Remote(address) => Browser::connect(address, deadline).await?,
        };
        *slot = Some(browser.clone());
        Ok(browser)
    }
}

#[async_trait]
impl DeviceSource for WebSource {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let mut options = self.options.clone();
        // Who asks a second time will probably ask again.
        if self.handed.fetch_add(1, Ordering::Relaxed) > 0 {
            options.contexts = Contexts::Ahead;
        }
        let device = self.browser(deadline).await?.new_device(&options)?;
        Ok(Box::new(Guarded::new(Box::new(device), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for WebSource {
    async fn info(&self, deadline: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(self.browser(deadline).await?.new_device(&self.options)?.info())
    }

    async fn close(&self) {
        if let Some(browser) = self.browser.lock().await.take()
            && let Err(e) = browser.close(Deadline::after(Duration::from_secs(5))).await
        {
            tracing::debug!(error = %e, "closing the browser");
        }
    }
}
