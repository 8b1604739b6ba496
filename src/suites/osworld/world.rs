//! What OSWorld's importer needs of the world: documents from the web, and the browsers of displays.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, StatusCode};
use waldo_devices::Deadline;
use waldo_osworld::{BrowserClient, Fetch, OsworldError};

/// The longest that a connection may take.
const CONNECTS_WITHIN: Duration = Duration::from_secs(20);
/// The longest silence within a download.
const SILENCE: Duration = Duration::from_secs(30);
/// The largest document that is taken, in bytes.
const MOST: usize = 1 << 30;
const ATTEMPTS: u32 = 3;
/// The wait before the second attempt; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Where documents are kept when nobody says where: in the user's folder for what can be had again.
pub fn cache_folder() -> Option<PathBuf> {
    let home = || crate::environment::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let folder =
        crate::environment::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    folder.or_else(home).map(|folder| folder.join("waldo/osworld"))
}

pub struct Downloads {
    http: Client,
}

/// Why an attempt failed, and whether another may do better.
struct Failed {
    message: String,
    again: bool,
}

impl Downloads {
    /// Sets it up; nothing is fetched.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub fn new() -> Result<Self, reqwest::Error> {
        let http =
            waldo_agents::http::builder().connect_timeout(CONNECTS_WITHIN).read_timeout(SILENCE).build()?;
        Ok(Self { http })
    }

    async fn attempt(&self, url: &str) -> Result<Vec<u8>, Failed> {
        let failed = |error: reqwest::Error| {
            let again = !error.is_builder() && !error.is_redirect();
            Failed { message: error_text(&error), again }
        };
        let mut answer = self.http.get(url).send().await.map_err(failed)?;
        let status = answer.status();
        if !status.is_success() {
            let again = status.is_server_error()
                || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status);
            return Err(Failed { message: format!("the server answered {status}"), again });
        }
        let mut bytes = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            if bytes.len() + part.len() > MOST {
                let message = format!("it has more than {} MiB", MOST >> 20);
                return Err(Failed { message, again: false });
            }
            bytes.extend_from_slice(&part);
        }
        // The cache takes an empty file for a download that was cut off.
        if bytes.is_empty() {
            return Err(Failed { message: "the server sent nothing".to_owned(), again: true });
        }
        Ok(bytes)
    }
}

/// An error with its causes, without the address, which is told beside it.
fn error_text(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    text
}

#[async_trait]
impl Fetch for Downloads {
    async fn fetch(&self, url: &str, deadline: Deadline) -> Result<Vec<u8>, OsworldError> {
        let error = |message: String| OsworldError::Download { url: url.to_owned(), message };
        let mut wait = FIRST_WAIT;
        for left in (0..ATTEMPTS).rev() {
            let attempt = tokio::time::timeout_at(deadline.instant(), self.attempt(url)).await;
            match attempt {
                Ok(Ok(bytes)) => return Ok(bytes),
                Ok(Err(failed)) if failed.again && left > 0 && !deadline.passed() => {
                    tracing::debug!(url, reason = failed.message, "a download is tried again");
                }
                Ok(Err(failed)) => return Err(error(failed.message)),
                Err(_) => return Err(error("it did not arrive in time".to_owned())),
            }
            tokio::time::sleep(wait.min(deadline.left())).await;
            wait *= 2;
        }
        Err(error("it could not be obtained".to_owned()))
    }
}

/// What talks to browsers, where this build can.
#[cfg(feature = "web")]
pub fn browser() -> Option<Arc<dyn BrowserClient>> {
    Some(Arc::new(browsers::Browsers))
}

/// As with the feature: this build cannot.
#[cfg(not(feature = "web"))]
pub fn browser() -> Option<Arc<dyn BrowserClient>> {
    None
}

#[cfg(feature = "web")]
mod browsers {
    use async_trait::async_trait;
    use serde_json::Value;
    use waldo_devices::{Deadline, DeviceError};
    use waldo_osworld::machine::Tab;
    use waldo_osworld::{BrowserClient, OsworldError};
    use waldo_web::BrowserPages;

    /// The browsers of displays, over the DevTools protocol.
    pub struct Browsers;

    fn failed(error: DeviceError) -> OsworldError {
        match error {
            DeviceError::Timeout { what, .. } => OsworldError::Timeout { call: what },
            other => OsworldError::machine("the browser", other),
        }
    }

    #[async_trait]
    impl BrowserClient for Browsers {
        async fn tabs(&self, address: &str, deadline: Deadline) -> Result<Option<Vec<Tab>>, OsworldError> {
            // What the last browser left behind, or one that is not up yet.
            let Ok(pages) = BrowserPages::connect(address, deadline).await else { return Ok(None) };
            let found = pages.list(deadline).await.map_err(failed)?;
            Ok(Some(
                found.into_iter().map(|page| Tab { id: page.id, url: page.url, title: page.title }).collect(),
            ))
        }

        async fn open(&self, address: &str, url: &str, deadline: Deadline) -> Result<String, OsworldError> {
            let pages = BrowserPages::connect(address, deadline).await.map_err(failed)?;
            pages.open(url, deadline).await.map_err(failed)
        }

        async fn close(&self, address: &str, tab: &str, deadline: Deadline) -> Result<(), OsworldError> {
            let pages = BrowserPages::connect(address, deadline).await.map_err(failed)?;
            pages.close(tab, deadline).await.map_err(failed)
        }

        async fn evaluate(
            &self,
            address: &str,
            tab: &str,
            script: &str,
            deadline: Deadline,
        ) -> Result<Value, OsworldError> {
            let pages = BrowserPages::connect(address, deadline).await.map_err(failed)?;
            pages.evaluate(tab, script, deadline).await.map_err(failed)
        }

        async fn print(&self, address: &str, tab: &str, deadline: Deadline) -> Result<Vec<u8>, OsworldError> {
            let pages = BrowserPages::connect(address, deadline).await.map_err(failed)?;
            pages.print(tab, deadline).await.map_err(failed)
        }
    }
}
