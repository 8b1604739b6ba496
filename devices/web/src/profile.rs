//! Somebody's own browser profile: what it is logged in by, from a copy.
//!
//! Invariant: pages never run in the copy: its state is read and given to episodes, and it reaches no network.

use std::collections::BTreeSet;

use serde_json::json;
use tokio::sync::mpsc;

use super::browser::Browser;
use super::cdp::{CdpEvent, ENDED, SessionId, text};
use super::storage_state::{OriginStorage, StorageState};
use super::stored::{StorageTab, cookies, empty_page};
use waldo_devices::{Deadline, DeviceError, Result};

/// What the copied profile is logged in by: all cookies, and what these origins keep.
pub(super) async fn state(
    browser: &Browser,
    origins: &BTreeSet<String>,
    deadline: Deadline,
) -> Result<StorageState> {
    let Some(turn) = browser.profile() else { return Ok(StorageState::default()) };
    let _turn = turn.lock().await;
    let found = cookies(browser.cdp(), None, deadline).await?;
    if found.is_empty() {
        tracing::warn!(
            "the browser profile shows no cookies: there are none, or they are encrypted with a key of the \
             desktop's keyring, which waldo does not read; use waldo login instead"
        );
    }
    let kept = if origins.is_empty() { Vec::new() } else { stored(browser, origins, deadline).await? };
    Ok(StorageState::new(found, kept))
}

async fn stored(
    browser: &Browser,
    origins: &BTreeSet<String>,
    deadline: Deadline,
) -> Result<Vec<OriginStorage>> {
    let cdp = browser.cdp();
    let call = async |method: &'static str, params| {
        cdp.call(None, method, params, deadline).await.map_err(|error| error.on(method))
    };
    let blank = || json!({ "url": "about:blank" });
    // The context that is the profile's has a name, which a first tab tells.
    let first = call("Target.createTarget", blank()).await?;
    let info = call("Target.getTargetInfo", json!({ "targetId": text(&first, "targetId") })).await?;
    let context = text(&info["targetInfo"], "browserContextId").to_owned();
    let (sink, mut events) = mpsc::unbounded_channel();
    cdp.route_context(&context, sink);
    let read = async {
        let second = call("Target.createTarget", blank()).await?;
        let target = text(&second, "targetId").to_owned();
        let session = attached(&mut events, &target, deadline).await?;
        cdp.fire(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
        let tab = StorageTab::of(cdp, &session, deadline).await?;
        let reading = async {
            let mut kept = Vec::new();
            for origin in origins {
                kept.extend(tab.read(origin, deadline).await?);
            }
            Ok::<_, DeviceError>(kept)
        };
        let kept = tokio::select! {
            kept = reading => kept?,
            () = empty_pages(browser, &session, &mut events) => Vec::new(),
        };
        cdp.fire(None, "Target.closeTarget", json!({ "targetId": target }));
        Ok(kept)
    };
    let kept = read.await;
    cdp.unroute(&context);
    cdp.fire(None, "Target.closeTarget", json!({ "targetId": text(&first, "targetId") }));
    kept
}

async fn attached(
    events: &mut mpsc::UnboundedReceiver<CdpEvent>,
    target: &str,
    deadline: Deadline,
) -> Result<SessionId> {
    let waited = deadline.left();
    let session = async {
        while let Some(event) = events.recv().await {
            if event.method == "Target.attachedToTarget"
                && text(&event.params["targetInfo"], "targetId") == target
            {
                return Some(SessionId::from(text(&event.params, "sessionId")));
            }
        }
        None
    };
    match tokio::time::timeout_at(deadline.instant(), session).await {
        Ok(Some(session)) => Ok(session),
        Ok(None) => Err(DeviceError::Gone { reason: ENDED.to_owned() }),
        Err(_) => Err(DeviceError::Timeout { what: "a tab of the profile".to_owned(), after: waited }),
    }
}

/// Answers what a tab asks for with empty pages, until the browser has ended.
async fn empty_pages(browser: &Browser, session: &SessionId, events: &mut mpsc::UnboundedReceiver<CdpEvent>) {
    while let Some(event) = events.recv().await {
        if event.method == "Fetch.requestPaused" {
            browser.cdp().fire(Some(session), "Fetch.fulfillRequest", empty_page(&event.params));
        }
    }
}
