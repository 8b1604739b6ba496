//! Fresh screens of an environment, each a session of it.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use waldo_agents::http;
use waldo_bridge::{BridgeDevice, BridgeOptions, Client};
use waldo_devices::count::count;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, Secrets};
use waldo_http::{Address, PlainHttp, RemoteServer};
use waldo_tasks::runner::DeviceSource;

use super::named::named;
use crate::screens::error::ScreenError;
use crate::screens::finding::Finding;
use crate::screens::kind::{STARTS_WITHIN, ScreenRequest, ScreenSource};

/// How long an environment may take to say what it is, when doctor asks.
const EXAMINED_WITHIN: Duration = Duration::from_secs(10);

pub struct BridgeSource {
    client: Client,
    options: BridgeOptions,
    approver: Option<Arc<dyn Approver>>,
}

/// The server that `text` names.
///
/// # Errors
/// When it names none, or plain HTTP off this machine that was not asked for.
pub fn server(text: &str, clear: PlainHttp) -> Result<RemoteServer, ScreenError> {
    let (_, address) =
        named(text).ok_or_else(|| ScreenError::Input(format!("'{text}' names no environment")))?;
    let address = address.map_err(ScreenError::Input)?;
    let address = Address::from_str(address).map_err(|error| ScreenError::Input(error.to_string()))?;
    let client = http::client(address.url()).map_err(|error| ScreenError::Input(error.to_string()))?;
    Ok(RemoteServer::new(client, address, clear)?)
}

impl BridgeSource {
    /// The environment that is wanted.
    ///
    /// # Errors
    /// When nobody answers there, or it is of another platform than it was named with.
    pub async fn of(wanted: &ScreenRequest<'_>) -> Result<Self, ScreenError> {
        Self::within(wanted, STARTS_WITHIN).await
    }

    /// The same, where the environment says within this time what it is.
    async fn within(wanted: &ScreenRequest<'_>, limit: Duration) -> Result<Self, ScreenError> {
        let clear = if wanted.flags.insecure { PlainHttp::Accepted } else { PlainHttp::Refused };
        let client = Client::connect(server(wanted.named, clear)?, Deadline::after(limit)).await?;
        let named = named(wanted.named).map(|(platform, _)| platform);
        let is = client.hello.platform;
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

/// What the environment is and has, and what is wrong with it. No session is begun: `waldo bridge check` does that.
pub async fn examine(wanted: &ScreenRequest<'_>) -> Vec<Finding> {
    let began = Instant::now();
    let source = match BridgeSource::within(wanted, EXAMINED_WITHIN).await {
        Ok(source) => source,
        Err(error) => {
            let hint = "start the environment's server, and name its address and platform as they are; waldo bridge check \
                        URL says more of what it answers";
            return vec![Finding::foreign("bridge", Err(error.to_string()), hint)];
        }
    };
    let took = began.elapsed().as_millis();
    let hello = &source.client.hello;
    let can = hello.can.iter().filter_map(|one| Some(serde_json::to_value(one).ok()?.as_str()?.to_owned()));
    let can: Vec<String> = can.collect();
    let offers = format!(
        "{}, {} at once; its screen can {}",
        count(hello.tasks.len(), "task"),
        count(hello.sessions.max(1), "session"),
        if can.is_empty() { "what every one can".to_owned() } else { can.join(", ") },
    );
    let clear = match source.client.address().starts_with("http://") {
        true => "; the screen and everything that is typed are sent unencrypted, which a tunnel prevents",
        false => "",
    };
    let named = format!(
        "{} {} ({}) at {}, answers in {took} ms",
        hello.name,
        crate::out::plain(&hello.version, 60),
        hello.platform.as_str(),
        source.client.address()
    );
    let [width, height] = hello.screen;
    vec![
        Finding::foreign("bridge", Ok(named), ""),
        Finding::foreign("bridge screen", Ok(format!("{width}x{height} px, scale {}", hello.scale)), ""),
        Finding::foreign("bridge offers", Ok(offers), ""),
        Finding::note(
            "bridge fence",
            format!(
                "origins and apps, so a goal of your own needs --allow '*' or --allow-app '*'; scores of its tasks are its \
                 own{clear}"
            ),
        ),
    ]
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
impl ScreenSource for BridgeSource {
    async fn info(&self, _: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(BridgeDevice::new(self.client.clone(), self.options.clone()).info())
    }

    fn workers(&self, workers: usize) -> usize {
        workers.min(self.client.hello.sessions.max(1))
    }
}
