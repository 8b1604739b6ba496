//! A thin client of the DevTools protocol: raw JSON, flat sessions, no generated types.
//!
//! Invariants: every call ends by its deadline; a message nobody understands is dropped, never fatal;
//! when the transport ends every pending call fails at once; events keep the order they came in.

mod client;
mod pipe;
mod socket;

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

pub(crate) use client::Cdp;
pub(crate) use pipe::{PipeReader, PipeWriter};
pub(crate) use socket::connect;

use waldo_devices::error::DeviceError;

#[async_trait]
pub(crate) trait MessageReader: Send {
    /// The next message; `None` at the end.
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>>;
}

#[async_trait]
pub(crate) trait MessageWriter: Send {
    async fn send(&mut self, message: String) -> io::Result<()>;
}

pub(crate) type SessionId = Arc<str>;

#[derive(Debug)]
pub(crate) struct CdpEvent {
    /// The session it came from; `None` for the browser itself.
    pub(crate) session: Option<SessionId>,
    /// Its name, such as `Page.frameNavigated`.
    pub(crate) method: String,
    pub(crate) params: Value,
    /// In place of an event, the answer to a call of [`Cdp::begin_in_order`] with that call's number.
    pub(crate) answer: Option<(u64, Result<Value, CdpError>)>,
}

/// What is said of a browser that is not there any more, which it does not end by itself.
pub(crate) const ENDED: &str = "the browser ended: it was killed, crashed, or had no memory left; give the same command \
                                again (with --cdp start that browser first)";

#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum CdpError {
    #[error("{0}")]
    Closed(String),
    #[error("the target was closed")]
    Detached,
    #[error("no answer")]
    Timeout(std::time::Duration),
    #[error("{0}")]
    Remote(String),
}

impl CdpError {
    /// As a device's error on the call `method`.
    pub(crate) fn on(self, method: &str) -> DeviceError {
        match self {
            Self::Closed(reason) => DeviceError::Gone { reason },
            Self::Timeout(after) => DeviceError::Timeout { what: method.to_owned(), after },
            Self::Detached => DeviceError::call(method, "the tab was closed"),
            Self::Remote(message) => DeviceError::Call { call: method.to_owned(), message },
        }
    }
}

/// The string at `key`, or an empty one.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
