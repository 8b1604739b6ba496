//! The one screen of a desktop elsewhere.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use waldo_agents::http;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, Secrets};
use waldo_http::{Address, PlainHttp, RemoteServer};
use waldo_remote::{OsServer, RemoteDevice, RemoteOptions};
use waldo_tasks::runner::DeviceSource;

use crate::screens::error::ScreenError;
use crate::screens::finding::Finding;
use crate::screens::kind::{ScreenRequest, ScreenSource};

/// The longest wait for the server to say that it is there.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);

/// The longest that all that doctor asks may take.
const EXAMINED_WITHIN: Duration = Duration::from_secs(60);

pub struct RemoteSource {
    server: OsServer,
    options: RemoteOptions,
    approver: Option<Arc<dyn Approver>>,
}

/// The server of the machine that `text` names.
///
/// # Errors
/// When it names none, or plain HTTP off this machine that was not asked for.
pub fn server(text: &str, clear: PlainHttp) -> Result<RemoteServer, ScreenError> {
    let address = text.strip_prefix("osworld:").unwrap_or_default();
    let address = Address::from_str(address).map_err(|error| ScreenError::Input(error.to_string()))?;
    let client = http::client(address.url()).map_err(|error| ScreenError::Input(error.to_string()))?;
    Ok(RemoteServer::new(client, address, clear)?)
}

impl RemoteSource {
    /// The machine that is wanted.
    ///
    /// # Errors
    /// When it names none, or plain HTTP off this machine that was not asked for.
    pub fn of(wanted: &ScreenRequest<'_>) -> Result<Self, ScreenError> {
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
        let server = OsServer::new(server(wanted.named, clear)?);
        Ok(Self { server, options, approver: wanted.approver.clone() })
    }
}

/// What the machine can, and what is wrong with it. Nothing is done there but asked.
pub async fn examine(wanted: &ScreenRequest<'_>) -> Vec<Finding> {
    let source = match RemoteSource::of(wanted) {
        Ok(source) => source,
        Err(error) => {
            let hint = "write --device osworld:http://HOST:5000, and the flags as they are told";
            return vec![Finding::foreign("machine", Err(error.to_string()), hint)];
        }
    };
    let checks = waldo_remote::check(&source.server, Deadline::after(EXAMINED_WITHIN)).await;
    let is_there = checks.first().is_some_and(|check| check.found.is_ok());
    let mut all: Vec<Finding> =
        checks.into_iter().map(|check| Finding::foreign(check.what, check.found, check.hint)).collect();
    if !is_there {
        return all;
    }
    let clear = match wanted.named.contains("http://") {
        true => "; the screen and everything that is typed are sent unencrypted, which a tunnel prevents",
        false => "",
    };
    all.push(Finding::note(
        "machine fence",
        format!(
            "which program gets an input: give --allow-app '*'; anyone who reaches the server may run anything there{clear}"
        ),
    ));
    all.push(match source.options.reset.as_deref() {
        None => Finding::note(
            "machine reset",
            "a start uses the desktop as it is: --reset-command COMMAND resets it".to_owned(),
        ),
        Some(words) => {
            let program = words.first().map(String::as_str).unwrap_or_default();
            let found = match crate::screens::is_there(program) {
                true => Ok(format!("by {program}, which was not run now")),
                false => Err(format!("there is no program '{program}'")),
            };
            Finding::foreign("machine reset", found, "name a program of this machine with --reset-command")
        }
    });
    all
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
impl ScreenSource for RemoteSource {
    async fn info(&self, _: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(RemoteDevice::new(self.server.clone(), self.options.clone()).info())
    }

    fn workers(&self, workers: usize) -> usize {
        workers.min(1)
    }
}
