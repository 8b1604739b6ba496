//! What the console of the page in front shows.
//!
//! Invariant: it is bounded, in lines and in the length of each.

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::cdp::{CdpEvent, SessionId, text};
use super::live::{BrowserSession, PageAnswer};
use super::script::RawError;
use waldo_devices::screen_text::clean;
use waldo_devices::{Deadline, DeviceError};

/// Messages that are told, the last ones.
const KEPT: usize = 200;
/// Characters of a message or an address.
const LINE: usize = 500;

impl BrowserSession {
    /// What the console of the page in front shows since the page was loaded, the last lines of it: of its frames, too.
    pub(crate) async fn console(&self, deadline: Deadline) -> Result<Vec<String>, DeviceError> {
        let front = self.front(deadline).await?;
        let mut targets = vec![front.target.clone()];
        targets.extend(
            self.tab(&front, |tab| tab.children.values().cloned().collect::<Vec<_>>()).unwrap_or_default(),
        );
        let failed = |error: RawError| match error {
            RawError::Crashed(what) => DeviceError::Crashed { what },
            RawError::Cdp(error) => error.on("the page's console"),
        };
        let reading = async {
            let cdp = self.cdp();
            let made = cdp.call(None, "Target.attachToBrowserTarget", json!({}), deadline).await?;
            let root = SessionId::from(text(&made, "sessionId"));
            // Whatever a session below this one hears goes there, in order, and before the answers that follow it.
            let (sink, mut events) = mpsc::unbounded_channel();
            cdp.route_session(&root, sink);
            let asked = async {
                for target in &targets {
                    let attach = json!({ "targetId": target, "flatten": true });
                    let made = cdp.call(Some(&root), "Target.attachToTarget", attach, deadline).await?;
                    let session = SessionId::from(text(&made, "sessionId"));
                    // The browser keeps what was said, and tells it to whoever begins to listen.
                    for domain in ["Runtime.enable", "Log.enable"] {
                        cdp.call(Some(&session), domain, json!({}), deadline).await?;
                    }
                }
                Ok(())
            };
            let asked = asked.await;
            cdp.end_session(&root);
            let mut said: Vec<(f64, String)> = Vec::new();
            while let Ok(event) = events.try_recv() {
                said.extend(message(&event));
            }
            said.sort_by(|a, b| a.0.total_cmp(&b.0));
            asked.map(|()| said)
        };
        let said =
            match self.watched(&front.target, &front.session, reading, deadline).await.map_err(failed)? {
                PageAnswer::Done(said) => said,
                PageAnswer::Dialog => Vec::new(),
            };
        let left_out = said.len().saturating_sub(KEPT);
        Ok(said.into_iter().skip(left_out).map(|(_, line)| line).collect())
    }

    /// The last requests of all pages since the episode began.
    pub(crate) fn network(&self) -> Vec<String> {
        self.shared().with(|state| state.network.lines(self.policy()))
    }
}

/// When a message of the console was written, in milliseconds, and its line.
fn message(event: &CdpEvent) -> Option<(f64, String)> {
    let params = &event.params;
    let (level, words, place) = match event.method.as_str() {
        "Runtime.consoleAPICalled" => {
            let written = |arg: &Value| match (&arg["value"], arg.get("description")) {
                (Value::String(text), _) => text.clone(),
                (Value::Null, Some(Value::String(text))) => text.clone(),
                (Value::Null, _) => text(arg, "type").to_owned(),
                (value, _) => value.to_string(),
            };
            let words: Vec<String> = params["args"].as_array().into_iter().flatten().map(written).collect();
            (text(params, "type"), words.join(" "), &params["stackTrace"]["callFrames"][0])
        }
        "Runtime.exceptionThrown" => {
            let thrown = &params["exceptionDetails"];
            let description = thrown["exception"]["description"].as_str();
            let words = description
                .map_or_else(|| text(thrown, "text"), |all| all.lines().next().unwrap_or_default());
            ("uncaught", words.to_owned(), thrown)
        }
        "Log.entryAdded" => {
            let entry = &params["entry"];
            (text(entry, "level"), text(entry, "text").to_owned(), entry)
        }
        _ => return None,
    };
    let at =
        params["timestamp"].as_f64().or_else(|| params["entry"]["timestamp"].as_f64()).unwrap_or_default();
    let mut line = format!("{level}: {}", clean(&words, LINE));
    let url = text(place, "url");
    if !url.is_empty() {
        // Lines are counted from 0 there.
        let number = place["lineNumber"].as_u64().map_or_else(String::new, |line| format!(":{}", line + 1));
        line.push_str(&format!(" ({}{number})", clean(url, LINE)));
    }
    Some((at, line))
}
