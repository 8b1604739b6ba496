//! The one screen of a desktop elsewhere.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use waldo_agents::http;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, Secrets};
use waldo_http::{Address, PlainHttp, Server};
use waldo_remote::{OsServer, RemoteDevice, RemoteOptions};
use waldo_tasks::runner::DeviceSource;

use crate::screens::error::ScreenError;
use crate::screens::kind::{Source, Wanted};

/// The longest wait for the server to say that it is there.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);

/// Where it is.
pub struct RemoteSource {
    server: OsServer,
    options: RemoteOptions,
    approver: Option<Arc<dyn Approver>>,
}

impl RemoteSource {
    /// The machine that is wanted.
    ///
    /// # Errors
    /// When it names none, or plain HTTP off this machine that was not asked for.
    pub fn of(wanted: &Wanted<'_>) -> Result<Self, ScreenError> {
        let address = Address::from_str(wanted.address().unwrap_or_default());
        let address = address.map_err(|error| ScreenError::Input(error.to_string()))?;
        let client = http::client(address.url()).map_err(|error| ScreenError::Input(error.to_string()))?;
        let clear = if wanted.flags.insecure { PlainHttp::Accepted } else { PlainHttp::Refused };
        let reset = match wanted.flags.reset_command.as_deref().map(waldo_desktop::launch::words) {
            Some(words) if words.is_empty() => {
                return Err(ScreenError::Input("--reset-command names no program".to_owned()));
            }
            reset => reset,
        };
        let settle = Duration::from_millis(wanted.browser.settle);
        let options =
            RemoteOptions { settle, reset, secrets: wanted.secrets.clone(), ..RemoteOptions::default() };
        let server = OsServer::new(Server::new(client, address, clear)?);
        Ok(Self { server, options, approver: wanted.approver.clone() })
    }
}

#[async_trait]
impl DeviceSource for RemoteSource {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        // One that is being set back answers again once that is done.
        if self.options.reset.is_none() {
            self.server.system(deadline.at_most(ANSWERS_WITHIN)).await?;
        }
        let device = RemoteDevice::new(self.server.clone(), self.options.clone());
        Ok(Box::new(Guarded::new(Box::new(device), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

#[async_trait]
impl Source for RemoteSource {
    async fn info(&self, _: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(RemoteDevice::new(self.server.clone(), self.options.clone()).info())
    }

    /// There is one screen.
    fn workers(&self, workers: usize) -> usize {
        workers.min(1)
    }
}
