//! Addresses and history.

use std::time::Duration;

use serde_json::{Value, json};

use super::cdp::text;
use super::live::{BrowserSession, PageAnswer};
use super::state::{Front, Tab};
use waldo_devices::{Deadline, DeviceError, Effect, Result, rounded};

/// How long a step in the history may take to commit before the observation takes over the waiting.
const COMMITS_WITHIN: Duration = Duration::from_secs(5);

/// How long a page may take to stop loading.
const STOPS_WITHIN: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageMove<'a> {
    To(&'a str),
    Back,
    Forward,
    Reload,
}

pub(crate) enum Opened {
    /// The page is there; it may still load.
    Page,
    /// The browser shows an error in its place.
    Failed(String),
    Lost(String),
    Dialog,
}

/// A page whose scripts do not run. Both words are sent whatever else the page does (a dialog that opens ends other
/// calls), and in turn: a page that stayed held would be dead from then on.
pub(crate) struct PausedPage<'l> {
    live: &'l BrowserSession,
    front: &'l Front,
}

impl PausedPage<'_> {
    /// Holds it also where it has moved on meanwhile.
    pub(crate) fn again(&self) {
        self.send(true);
    }

    fn send(&self, held: bool) {
        let params = json!({ "value": held });
        self.live.cdp().fire(Some(&self.front.session), "Emulation.setScriptExecutionDisabled", params);
    }
}

impl Drop for PausedPage<'_> {
    fn drop(&mut self) {
        self.send(false);
    }
}

impl BrowserSession {
    /// Opens `url`, which the guard allowed.
    pub(crate) async fn open(&self, front: &Front, url: &str, deadline: Deadline) -> Result<Opened> {
        self.blocked().take_lost(url);
        let answer = self.call(front, "Page.navigate", json!({ "url": url }), deadline).await?;
        let PageAnswer::Done(answer) = answer else { return Ok(Opened::Dialog) };
        // The browser knows the guard's proxy alone, and that one answered.
        if let Some(why) = self.blocked().take_lost(url) {
            return Ok(Opened::Lost(why));
        }
        Ok(match text(&answer, "errorText") {
            // Aborted: a download, or an answer without content; the page stays.
            "" | "net::ERR_ABORTED" => Opened::Page,
            error => Opened::Failed(explained(error)),
        })
    }

    /// Waits until the page has loaded, at most until the deadline.
    pub(crate) async fn loaded(&self, front: &Front, deadline: Deadline) -> Result<()> {
        let waited = deadline.left();
        let ended = self.shared().until(deadline.instant(), |state| {
            let tab = state.tabs.iter().find(|tab| tab.target == front.target)?;
            if tab.crashed {
                return Some(Err(DeviceError::Crashed { what: tab.url.clone() }));
            }
            (!tab.loading.contains(&front.target) || tab.dialog.is_some()).then_some(Ok(()))
        });
        ended
            .await
            .unwrap_or(Err(DeviceError::Timeout { what: "the page to load".to_owned(), after: waited }))
    }

    /// Whether the tab waits for a page that has not come yet.
    pub(crate) fn awaits_page(&self, front: &Front) -> bool {
        self.tab(front, |tab| tab.uncommitted).unwrap_or_default()
    }

    /// Stops what loads, as a person does after waiting long enough: the page can be used again.
    pub(crate) async fn stop_loading(&self, front: &Front, deadline: Deadline) {
        let bound = deadline.at_most(STOPS_WITHIN);
        // What comes of it is seen by whoever asks the page next.
        let _ = self.call(front, "Page.stopLoading", json!({}), bound).await;
        self.shared()
            .until(bound.instant(), |state| {
                let waits = |tab: &Tab| tab.target == front.target && tab.uncommitted;
                (!state.tabs.iter().any(waits)).then_some(())
            })
            .await;
    }

    /// Refuses to go on without a page that was waited for and has not come.
    ///
    /// # Errors
    /// As [`Self::excuse`].
    pub(crate) fn excuse_late(&self, front: &Front) -> Result<()> {
        // A page that asks whether it may be left is not late.
        let is_late = self.tab(front, |tab| tab.uncommitted && tab.dialog.is_none()).unwrap_or_default();
        if is_late {
            self.excuse(|| format!("no page came from the application within {}", rounded(self.load)))?;
        }
        Ok(())
    }

    /// Keeps a page's scripts from running until this is dropped: one that moves on by itself faster than it can be
    /// drawn is never there to be seen.
    pub(crate) fn hold<'l>(&'l self, front: &'l Front) -> PausedPage<'l> {
        let held = PausedPage { live: self, front };
        held.again();
        held
    }

    pub(crate) async fn go(&self, front: &Front, to: PageMove<'_>, deadline: Deadline) -> Result<Effect> {
        let before = self.tab(front, |tab| tab.navigations).unwrap_or_default();
        let (method, params) = match to {
            PageMove::To(url) => {
                self.check_url(url)?;
                let opened = match self.open(front, url, deadline.at_most(self.load)).await {
                    // A server that does not answer is not a fault of the device: the page stays, and loads.
                    Err(DeviceError::Timeout { .. }) => return Ok(Effect::Unverifiable),
                    opened => opened?,
                };
                return Ok(match opened {
                    Opened::Page => confirmed("the address was opened"),
                    Opened::Failed(error) | Opened::Lost(error) => {
                        confirmed(&format!("the browser shows an error page: {error}"))
                    }
                    Opened::Dialog => confirmed("a dialog opened"),
                });
            }
            PageMove::Reload => ("Page.reload", json!({})),
            PageMove::Back | PageMove::Forward => {
                let history = self.call(front, "Page.getNavigationHistory", json!({}), deadline).await?;
                let PageAnswer::Done(history) = history else { return Ok(confirmed("a dialog opened")) };
                match neighbour(&history, to == PageMove::Back) {
                    Some(entry) => ("Page.navigateToHistoryEntry", json!({ "entryId": entry })),
                    None => return Ok(Effect::SuspectedNoop),
                }
            }
        };
        if let PageAnswer::Dialog = self.call(front, method, params, deadline).await? {
            return Ok(confirmed("a dialog opened"));
        }
        let committed = self.shared().until(deadline.at_most(COMMITS_WITHIN).instant(), |state| {
            let tab = state.tabs.iter().find(|tab| tab.target == front.target)?;
            if tab.dialog.is_some() {
                return Some("a dialog opened");
            }
            (tab.crashed || tab.navigations != before).then_some("the address or the page changed")
        });
        Ok(committed.await.map_or(Effect::Unverifiable, confirmed))
    }
}

/// The browser's word for why a page did not open, with what to do where that is not plain.
fn explained(error: &str) -> String {
    match error {
        "net::ERR_UNSAFE_PORT" => {
            format!(
                "the browser refuses this port, whatever listens there ({error}): serve the page at another, such as 8080"
            )
        }
        other => other.to_owned(),
    }
}

fn confirmed(evidence: &str) -> Effect {
    Effect::Confirmed { evidence: evidence.to_owned() }
}

/// The entry before or after the present one; the blank page that a tab starts with does not count.
fn neighbour(history: &Value, back: bool) -> Option<u64> {
    let entries = history["entries"].as_array()?;
    let current = usize::try_from(history["currentIndex"].as_u64()?).ok()?;
    let at = if back { current.checked_sub(1)? } else { current + 1 };
    let entry = entries.get(at)?;
    (at > 0 || text(entry, "url") != "about:blank").then(|| entry["id"].as_u64()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_the_browser_refuses_is_told_with_what_to_do() {
        let said = explained("net::ERR_UNSAFE_PORT");
        assert!(said.contains("refuses this port") && said.contains("at another"), "{said}");
        assert_eq!(explained("net::ERR_NAME_NOT_RESOLVED"), "net::ERR_NAME_NOT_RESOLVED");
    }
}
