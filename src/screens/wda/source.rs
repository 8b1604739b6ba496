//! The one phone behind a WebDriverAgent.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use waldo_agents::http;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, Secrets};
use waldo_http::{Address, PlainHttp, RemoteServer};
use waldo_tasks::runner::DeviceSource;
use waldo_wda::{WdaDevice, WdaOptions, WdaServer};

use crate::screens::error::ScreenError;
use crate::screens::finding::Finding;
use crate::screens::kind::{ScreenRequest, ScreenSource};

/// The longest wait for the phone to say that it is there.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);
/// The longest that all that doctor asks may take.
const EXAMINED_WITHIN: Duration = Duration::from_secs(60);

pub struct WdaSource {
    server: WdaServer,
    options: WdaOptions,
    approver: Option<Arc<dyn Approver>>,
}

impl WdaSource {
    /// The phone that is wanted.
    ///
    /// # Errors
    /// When it names none, or plain HTTP off this machine that was not asked for.
    pub fn of(wanted: &ScreenRequest<'_>) -> Result<Self, ScreenError> {
        let address = Address::from_str(wanted.address().unwrap_or_default());
        let address = address.map_err(|error| ScreenError::Input(error.to_string()))?;
        let client = http::client(address.url()).map_err(|error| ScreenError::Input(error.to_string()))?;
        let clear = if wanted.flags.insecure { PlainHttp::Accepted } else { PlainHttp::Refused };
        let settle = Duration::from_millis(wanted.browser.settle);
        let options = WdaOptions { settle, secrets: wanted.secrets.clone(), ..WdaOptions::default() };
        let server = WdaServer::new(RemoteServer::new(client, address, clear)?);
        Ok(Self { server, options, approver: wanted.approver.clone() })
    }

    async fn open(&self, deadline: Deadline) -> Result<WdaDevice, DeviceError> {
        let deadline = deadline.at_most(ANSWERS_WITHIN);
        WdaDevice::open(self.server.clone(), self.options.clone(), deadline).await
    }
}

/// What the phone can, and what is wrong with it. Nothing is done there but asked.
pub async fn examine(wanted: &ScreenRequest<'_>) -> Vec<Finding> {
    let source = match WdaSource::of(wanted) {
        Ok(source) => source,
        Err(error) => {
            let hint = "write --device wda:http://HOST:8100, and the flags as they are told";
            return vec![Finding::foreign("phone", Err(error.to_string()), hint)];
        }
    };
    let checks = waldo_wda::check(&source.server, Deadline::after(EXAMINED_WITHIN)).await;
    let is_there = checks.first().is_some_and(|check| check.found.is_ok());
    let mut all: Vec<Finding> =
        checks.into_iter().map(|check| Finding::foreign(check.what, check.found, check.hint)).collect();
    if is_there {
        let clear = match wanted.named.contains("http://") {
            true => "; what is seen and typed goes in the clear, which a tunnel or the cable prevents",
            false => "",
        };
        let told = "this driver follows WebDriverAgent's published protocol, and was not seen on a phone yet";
        all.push(Finding::note("phone proof", format!("{told}{clear}")));
    }
    all
}

#[async_trait]
impl DeviceSource for WdaSource {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let device = Box::new(self.open(deadline).await?);
        Ok(Box::new(Guarded::new(device, self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for WdaSource {
    async fn info(&self, deadline: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(self.open(deadline).await?.info())
    }

    /// There is one screen.
    fn workers(&self, workers: usize) -> usize {
        workers.min(1)
    }
}
