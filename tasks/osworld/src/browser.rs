//! The browser of a display, through its debugging port. The importer has no network of its own.

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::Deadline;

use super::error::Result;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    pub id: String,
    pub url: String,
    pub title: String,
}

/// What talks to browsers. `address` is that of a browser, `ws://127.0.0.1:PORT/devtools/browser/ID`.
#[async_trait]
pub trait BrowserClient: Send + Sync {
    /// The open tabs; nothing when no browser answers there.
    async fn tabs(&self, address: &str, deadline: Deadline) -> Result<Option<Vec<Tab>>>;

    /// Opens a tab and waits until it has loaded; gives its id.
    async fn open(&self, address: &str, url: &str, deadline: Deadline) -> Result<String>;

    async fn close(&self, address: &str, tab: &str, deadline: Deadline) -> Result<()>;

    async fn evaluate(&self, address: &str, tab: &str, script: &str, deadline: Deadline) -> Result<Value>;

    async fn print(&self, address: &str, tab: &str, deadline: Deadline) -> Result<Vec<u8>>;
}
