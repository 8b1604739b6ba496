//! The pages of a browser that somebody else started with a debugging port: listed, opened, closed, asked.
//!
//! For checks and preparations, never for an agent: nothing here is guarded.

use std::time::Duration;

use base64::Engine as _;
use serde_json::{Value, json};

use tokio::sync::mpsc;

use super::cdp::{Cdp, CdpEvent, SessionId, connect, text};
use waldo_devices::{Deadline, DeviceError, Result};

/// Between two looks at whether a page has loaded.
const LOOK: Duration = Duration::from_millis(100);

/// The address of an empty page.
const EMPTY: &str = "about:blank";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// How the browser names it.
    pub id: String,
    pub url: String,
    pub title: String,
}

pub struct BrowserPages {
    cdp: Cdp,
    /// Events of its pages go here, and nobody reads them.
    sink: mpsc::UnboundedSender<CdpEvent>,
}

impl BrowserPages {
    /// Connects to `address` (`ws://127.0.0.1:PORT/devtools/browser/ID`).
    ///
    /// # Errors
    /// [`DeviceError::Start`] when nobody answers there.
    pub async fn connect(address: &str, deadline: Deadline) -> Result<Self> {
        let (reader, writer) = connect(address, deadline).await?;
        let (sink, _) = mpsc::unbounded_channel();
        Ok(Self { cdp: Cdp::start(reader, writer), sink })
    }

    /// The pages, in the browser's order.
    ///
    /// # Errors
    /// [`DeviceError::Timeout`], [`DeviceError::Gone`] when the browser ended.
    pub async fn list(&self, deadline: Deadline) -> Result<Vec<Page>> {
        let found = self.call(None, "Target.getTargets", json!({}), deadline).await?;
        let all = found["targetInfos"].as_array().cloned().unwrap_or_default();
        let mut pages = Vec::new();
        for target in all.iter().filter(|target| text(target, "type") == "page") {
            // Pages of other origins than this connection's are let go by it unless they are known.
            self.cdp.route_context(text(target, "browserContextId"), self.sink.clone());
            let [id, url, title] = ["targetId", "url", "title"].map(|part| text(target, part).to_owned());
            pages.push(Page { id, url, title });
        }
        Ok(pages)
    }

    /// Opens a page in a tab of its own and waits until it has loaded; gives its id.
    ///
    /// # Errors
    /// As [`BrowserPages::list`]; the page stays open when it takes too long.
    pub async fn open(&self, url: &str, deadline: Deadline) -> Result<String> {
        let made = self.call(None, "Target.createTarget", json!({ "url": url }), deadline).await?;
        let id = text(&made, "targetId").to_owned();
        let session = self.attach(&id, deadline).await?;
        let asked = json!({ "expression": "[document.readyState, location.href]", "returnByValue": true });
        loop {
            match self.call(Some(&session), "Runtime.evaluate", asked.clone(), deadline).await {
                // Before it goes anywhere a tab is empty, and has loaded that.
                Ok(now)
                    if now["result"]["value"][0] == "complete"
                        && (url == EMPTY || now["result"]["value"][1] != EMPTY) =>
                {
                    break;
                }
                Err(error @ (DeviceError::Timeout { .. } | DeviceError::Gone { .. })) => return Err(error),
                // A page that goes to another forgets the question.
                Ok(_) | Err(_) => {}
            }
            if deadline.passed() {
                return Err(DeviceError::Timeout { what: format!("{url} to load"), after: LOOK });
            }
            tokio::time::sleep(LOOK.min(deadline.left())).await;
        }
        self.detach(&session);
        Ok(id)
    }

    pub async fn close(&self, id: &str, deadline: Deadline) -> Result<()> {
        self.call(None, "Target.closeTarget", json!({ "targetId": id }), deadline).await.map(drop)
    }

    /// The value of a JavaScript expression in a page; a promise is waited for.
    ///
    /// # Errors
    /// As [`BrowserPages::list`], and [`DeviceError::Call`] when it throws.
    pub async fn evaluate(&self, id: &str, script: &str, deadline: Deadline) -> Result<Value> {
        let session = self.attach(id, deadline).await?;
        let asked = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let answer = self.call(Some(&session), "Runtime.evaluate", asked, deadline).await;
        self.detach(&session);
        let mut answer = answer?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            let said = thrown.pointer("/exception/description").and_then(Value::as_str);
            let message = said.unwrap_or_else(|| text(thrown, "text")).chars().take(400).collect();
            return Err(DeviceError::Call { call: "a script of a page".to_owned(), message });
        }
        Ok(answer.pointer_mut("/result/value").map(Value::take).unwrap_or_default())
    }

    /// A page printed to PDF.
    ///
    /// # Errors
    /// As [`BrowserPages::list`], and [`DeviceError::Call`] when the browser cannot print.
    pub async fn print(&self, id: &str, deadline: Deadline) -> Result<Vec<u8>> {
        let session = self.attach(id, deadline).await?;
        let printed = self.call(Some(&session), "Page.printToPDF", json!({}), deadline).await;
        self.detach(&session);
        base64::engine::general_purpose::STANDARD.decode(text(&printed?, "data")).map_err(|error| {
            DeviceError::Call { call: "Page.printToPDF".to_owned(), message: error.to_string() }
        })
    }

    async fn attach(&self, id: &str, deadline: Deadline) -> Result<SessionId> {
        // Makes the page's context known, without which its session would be let go.
        self.list(deadline).await?;
        let asked = json!({ "targetId": id, "flatten": true });
        let answer = self.call(None, "Target.attachToTarget", asked, deadline).await?;
        Ok(SessionId::from(text(&answer, "sessionId")))
    }

    fn detach(&self, session: &SessionId) {
        self.cdp.fire(None, "Target.detachFromTarget", json!({ "sessionId": &**session }));
    }

    async fn call(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: Value,
        deadline: Deadline,
    ) -> Result<Value> {
        self.cdp.call(session, method, params, deadline).await.map_err(|error| error.on(method))
    }
}
