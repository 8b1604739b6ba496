//! Fresh screens of an environment, each a session of it.

use std::str::FromStr as _;
use std::sync::Arc;

use async_trait::async_trait;
use waldo_agents::http;
use waldo_bridge::{BridgeDevice, BridgeOptions, Client};
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, Secrets};
use waldo_http::{Address, PlainHttp, Server};
use waldo_tasks::runner::DeviceSource;

use super::named::named;
use crate::screens::error::ScreenError;
use crate::screens::kind::{STARTS_WITHIN, Source, Wanted};

/// An environment that has said what it is.
pub struct BridgeSource {
    client: Client,
    options: BridgeOptions,
    approver: Option<Arc<dyn Approver>>,
}

/// The server that `text` names.
///
/// # Errors
/// When it names none, or plain HTTP off this machine that was not asked for.
pub fn server(text: &str, clear: PlainHttp) -> Result<Server, ScreenError> {
    let (_, address) =
        named(text).ok_or_else(|| ScreenError::Input(format!("'{text}' names no environment")))?;
    let address = address.map_err(ScreenError::Input)?;
    let address = Address::from_str(address).map_err(|error| ScreenError::Input(error.to_string()))?;
    let client = http::client(address.url()).map_err(|error| ScreenError::Input(error.to_string()))?;
    Ok(Server::new(client, address, clear)?)
}

impl BridgeSource {
    /// The environment that is wanted.
    ///
    /// # Errors
    /// When nobody answers there, or it is of another platform than it was named with.
    pub async fn of(wanted: &Wanted<'_>) -> Result<Self, ScreenError> {
        let clear = if wanted.flags.insecure { PlainHttp::Accepted } else { PlainHttp::Refused };
        let client = Client::connect(server(wanted.named, clear)?, Deadline::after(STARTS_WITHIN)).await?;
        let named = named(wanted.named).map(|(platform, _)| platform);
        let is = client.hello().platform;
        if named != Some(is) {
            let (is, address) = (is.as_str(), client.address());
            return Err(ScreenError::Input(format!(
                "the environment at {address} has a screen of {is}: write bridge:{is}:{address}"
            )));
        }
        let options = BridgeOptions { secrets: wanted.secrets.clone(), ..BridgeOptions::default() };
        Ok(Self { client, options, approver: wanted.approver.clone() })
    }
}

#[async_trait]
impl DeviceSource for BridgeSource {
    async fn device(&self, _: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let device = BridgeDevice::new(self.client.clone(), self.options.clone());
        Ok(Box::new(Guarded::new(Box::new(device), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

#[async_trait]
impl Source for BridgeSource {
    async fn info(&self, _: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(BridgeDevice::new(self.client.clone(), self.options.clone()).info())
    }

    fn workers(&self, workers: usize) -> usize {
        workers.min(self.client.hello().sessions.max(1))
    }
}
