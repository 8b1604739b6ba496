//! What is known of a context's tabs, kept up to date by its events.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::cdp::SessionId;
use super::requests::{NetworkLog, Polls, Request};
use super::traffic::TrafficLog;
use waldo_devices::{Button, DialogInfo, Logical, Origin, Point};

#[derive(Debug, Default)]
pub(crate) struct Tab {
    pub(crate) target: String,
    pub(crate) session: SessionId,
    pub(crate) opener: Option<String>,
    pub(crate) url: String,
    pub(crate) title: String,
    /// Where it was meant to be, while the browser shows an error page of its own.
    pub(crate) unreachable: Option<String>,
    /// Whether its guard and its helpers stand.
    pub(crate) ready: bool,
    pub(crate) crashed: bool,
    /// Whether it was loaded again after a crash, which happens once.
    pub(crate) reloaded: bool,
    /// Counts renderers that took the place of one that crashed.
    pub(crate) revivals: u64,
    pub(crate) dialog: Option<DialogInfo>,
    pub(crate) dialogs: u64,
    pub(crate) loading: HashSet<String>,
    /// Whether the page that loads is there and was waited for in vain: no settling waits for it again.
    pub(crate) overdue: bool,
    /// Whether the page that loads has not taken the place of the old one yet. Until then the browser
    /// keeps back what is asked of the old one's scripts.
    pub(crate) uncommitted: bool,
    pub(crate) requests: HashMap<String, Request>,
    /// What this document asks its server for, and how often that was answered.
    pub(crate) polls: Polls,
    pub(crate) committed: Option<Instant>,
    /// Counts navigations of any frame, within a document too.
    pub(crate) navigations: u64,
    pub(crate) documents: u64,
    pub(crate) requested: u64,
    /// Sessions of frames in processes of their own, by session; the frame's id.
    pub(crate) children: HashMap<SessionId, String>,
    pub(crate) worlds: HashMap<String, IsolatedWorld>,
    /// What each session's documents held when closed shadow trees were last looked for in them.
    pub(crate) searched: HashMap<SessionId, Searched>,
    pub(crate) drag: Option<Value>,
    /// The file field that a page asked files for.
    pub(crate) chooser: Option<i64>,
    pub(crate) unanswered_keys: usize,
}

/// Documents are the same as long as this is: no navigation, no node more or less, no change that was counted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Searched {
    pub(crate) navigations: u64,
    pub(crate) nodes: Value,
    pub(crate) changes: Value,
}

#[derive(Clone, Debug)]
pub(crate) struct IsolatedWorld {
    pub(crate) session: SessionId,
    pub(crate) context: i64,
}

impl Tab {
    pub(crate) fn new(target: &str, session: SessionId, opener: Option<String>, url: &str) -> Self {
        Self { target: target.to_owned(), session, opener, url: url.to_owned(), ..Self::default() }
    }

    /// Whether a session is the tab's own or one of its frames'.
    pub(crate) fn has(&self, session: &SessionId) -> bool {
        self.session == *session || self.children.contains_key(session)
    }

    /// When the page came that is there; `None` while another one is awaited in its place.
    pub(crate) fn came(&self) -> Option<Instant> {
        self.committed.filter(|_| !self.uncommitted)
    }

    /// Whether its page loads, and was not waited for in vain.
    pub(crate) fn is_expected(&self) -> bool {
        self.loading.contains(&self.target) && !self.overdue
    }

    /// Whether something is on its way that a settling waits for.
    pub(crate) fn busy(&self) -> bool {
        !self.ready
            || self.loading.iter().any(|frame| *frame != self.target || !self.overdue)
            || self.requests.values().any(|request| request.is_awaited())
    }

    /// Whether something is on its way that a settling no longer waits for.
    pub(crate) fn is_overdue(&self) -> bool {
        let ignored = |request: &Request| matches!(request, Request::Ignored);
        self.overdue && self.loading.contains(&self.target) || self.requests.values().any(ignored)
    }

    /// Until when responses that a script may still read keep the page busy, if they start nothing new;
    /// `None` where that is past, or later than `end`.
    pub(crate) fn answers_count_until(&self, end: Instant) -> Option<Instant> {
        let now = Instant::now();
        self.requests
            .values()
            .filter_map(|request| request.counts_until())
            .filter(|until| (now..end).contains(until))
            .max()
    }

    pub(crate) fn requests_of(&mut self, start: &str) -> impl Iterator<Item = &mut Request> {
        self.requests.iter_mut().filter(move |(key, _)| key.starts_with(start)).map(|(_, request)| request)
    }

    pub(crate) fn child_gone(&mut self, session: &str) {
        if let Some(frame) = self.children.remove(session) {
            self.forget_frame(&frame);
        }
        self.requests.retain(|id, _| !id.starts_with(session));
    }

    /// Forgets what belongs to a frame that is gone or was replaced.
    pub(crate) fn forget_frame(&mut self, frame: &str) {
        self.loading.remove(frame);
        self.worlds.remove(frame);
    }
}

#[derive(Clone)]
pub(crate) struct Front {
    pub(crate) target: String,
    pub(crate) session: SessionId,
}

impl Front {
    pub(crate) fn of(tab: &Tab) -> Self {
        Self { target: tab.target.clone(), session: tab.session.clone() }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Download {
    pub(crate) guid: String,
    pub(crate) name: String,
    pub(crate) path: Option<PathBuf>,
    pub(crate) done: bool,
    /// Bytes so far.
    pub(crate) received: u64,
}

const VISITED_MAX: usize = 200;
/// The most notices that are kept between two observations.
const NOTICES_MAX: usize = 20;

#[derive(Clone, Debug)]
pub(crate) struct HeldButton {
    pub(crate) tab: String,
    /// Where, in logical pixels.
    pub(crate) at: (f64, f64),
    pub(crate) button: Button,
}

impl HeldButton {
    pub(crate) fn point(&self) -> Point<Logical> {
        Point::new(self.at.0, self.at.1)
    }
}

#[derive(Debug, Default)]
pub(crate) struct ContextState {
    pub(crate) tabs: Vec<Tab>,
    pub(crate) active: Option<String>,
    /// The tab that was in front before one with a dialog came there.
    pub(crate) covered: Option<String>,
    /// The frames of all tabs. The browser tells everyone who shares it of every download, by its frame.
    pub(crate) frames: HashSet<String>,
    pub(crate) downloads: Vec<Download>,
    /// Downloads that were cancelled and have not ended yet.
    pub(crate) unwanted: HashSet<String>,
    /// What became of pages and downloads without anybody's asking, since the last observation.
    pub(crate) notices: Vec<String>,
    pub(crate) tab_changes: u64,
    /// Counts tabs that were closed as they came, since their address is not allowed.
    pub(crate) turned_away: u64,
    /// Origins that had a document, in the order of their first, within bounds.
    pub(crate) visited: Vec<String>,
    /// The session whose tab is filmed, and where its frames go.
    pub(crate) cast: Option<(SessionId, mpsc::UnboundedSender<Value>)>,
    /// Pages that crashed by their own doing, since the last observation.
    pub(crate) page_crashes: usize,
    /// Why a renderer of these pages ended, where that was not a page's doing.
    pub(crate) lost: Option<String>,
    /// How many processes the system had ended for want of memory when the episode began.
    pub(crate) memory_kills: Option<u64>,
    pub(crate) held: Option<HeldButton>,
    pub(crate) network: NetworkLog,
    /// Where the traffic is recorded.
    pub(crate) traffic: Option<TrafficLog>,
}

impl ContextState {
    /// Keeps which frames there are, by an event of one of the tabs.
    pub(crate) fn names_frame(&mut self, method: &str, params: &Value) {
        let Some(frame) = params.get("frameId").and_then(Value::as_str) else { return };
        if method == "Page.frameDetached" {
            // One that only went to a process of its own is still there.
            if params["reason"] != "swap" {
                self.frames.remove(frame);
            }
        } else if !self.frames.contains(frame) {
            self.frames.insert(frame.to_owned());
        }
    }

    pub(crate) fn front(&self) -> Option<&Tab> {
        let active = self.active.as_deref()?;
        self.tabs.iter().find(|tab| tab.target == active)
    }

    /// The tab in front, while its guard stands and its page has not crashed.
    pub(crate) fn usable(&self) -> Option<&Tab> {
        self.front().filter(|tab| tab.ready && !tab.crashed)
    }

    pub(crate) fn tab_of(&mut self, session: &str) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| &*tab.session == session || tab.children.contains_key(session))
    }

    pub(crate) fn tab(&mut self, target: &str) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.target == target)
    }

    pub(crate) fn visits(&mut self, url: &str) {
        if self.visited.len() >= VISITED_MAX {
            return;
        }
        if let Some(origin) = Origin::of(url).map(|origin| origin.address())
            && !self.visited.contains(&origin)
        {
            self.visited.push(origin);
        }
    }

    pub(crate) fn notice(&mut self, text: String) {
        if self.notices.len() < NOTICES_MAX && !self.notices.contains(&text) {
            self.notices.push(text);
        }
    }

    /// The process of this target, a tab or a frame, crashed: nothing that ran in it answers any more.
    pub(crate) fn crashed(&mut self, target: &str) {
        if let Some(tab) = self.tab(target) {
            tab.crashed = true;
            tab.dialog = None;
            tab.uncommitted = false;
            tab.loading.clear();
            tab.overdue = false;
            tab.requests.clear();
            tab.worlds.clear();
            return;
        }
        for tab in &mut self.tabs {
            let Some(session) =
                tab.children.iter().find(|(_, frame)| *frame == target).map(|(s, _)| s.clone())
            else {
                continue;
            };
            tab.child_gone(&session);
        }
    }

    /// A new process took the place of one that crashed, and loads the page again.
    pub(crate) fn revived(&mut self, session: &str) {
        let Some(tab) = self.tabs.iter_mut().find(|tab| &*tab.session == session) else { return };
        tab.crashed = false;
        tab.revivals += 1;
        tab.uncommitted = true;
        let target = tab.target.clone();
        tab.loading.insert(target);
    }

    /// A dialog of this session's tab opened. The tab comes to the front: those that share its process
    /// answer nothing before the dialog is gone.
    pub(crate) fn dialog_opened(&mut self, session: &str, dialog: DialogInfo) {
        let Some(tab) = self.tab_of(session) else { return };
        tab.dialog = Some(dialog);
        tab.dialogs += 1;
        let target = tab.target.clone();
        if self.active.as_ref() != Some(&target) {
            let front = self.active.replace(target);
            self.covered = self.covered.take().or(front);
        }
    }

    /// The dialog of this session's tab closed; what it covered is in front again.
    pub(crate) fn dialog_closed(&mut self, session: &str) {
        let Some(tab) = self.tab_of(session) else { return };
        tab.dialog = None;
        let target = tab.target.clone();
        if self.active.as_ref() == Some(&target)
            && let Some(covered) = self.covered.take()
            && self.tabs.iter().any(|tab| tab.target == covered)
        {
            self.active = Some(covered);
        }
    }

    /// Removes the tab with this session; the one that opened it, else the last, comes to the front.
    pub(crate) fn remove(&mut self, session: &str) -> bool {
        let Some(at) = self.tabs.iter().position(|tab| &*tab.session == session) else { return false };
        let gone = self.tabs.remove(at);
        self.tab_changes += 1;
        if self.active.as_deref() == Some(&gone.target) {
            let opener = gone.opener.filter(|opener| self.tabs.iter().any(|tab| &tab.target == opener));
            self.active = opener.or_else(|| self.tabs.last().map(|tab| tab.target.clone()));
        }
        true
    }
}

pub(crate) struct SharedState {
    state: Mutex<ContextState>,
    version: watch::Sender<u64>,
}

impl SharedState {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), version: watch::Sender::new(0) }
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&ContextState) -> T) -> T {
        look(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn quietly<T>(&self, change: impl FnOnce(&mut ContextState) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut ContextState) -> T) -> T {
        let result = self.quietly(change);
        self.version.send_modify(|version| *version += 1);
        result
    }

    /// Waits until `check` gives something; `None` when it has not by `end`.
    pub(crate) async fn until<T>(
        &self,
        end: Instant,
        mut check: impl FnMut(&ContextState) -> Option<T>,
    ) -> Option<T> {
        let mut version = self.version.subscribe();
        loop {
            version.borrow_and_update();
            if let Some(found) = self.with(&mut check) {
                return Some(found);
            }
            match tokio::time::timeout_at(end, version.changed()).await {
                Ok(Ok(())) => {}
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tab(name: &str, opener: Option<&str>) -> Tab {
        Tab::new(name, format!("s-{name}").into(), opener.map(str::to_owned), "about:blank")
    }

    #[test]
    fn what_is_asked_again_and_again_is_a_poll() {
        let mut polls = Polls::default();
        let mut ask = |path: &str, n: u64| {
            let url = format!("http://a/{path}{}", 1_795_885_881_525 + n);
            let is_poll = polls.begins(&n.to_string(), &serde_json::json!({ "method": "GET", "url": url }));
            polls.ends(&n.to_string());
            is_poll
        };
        assert_eq!((0..6).filter(|n| ask("news?t=", *n)).count(), 2);
        assert!(!ask("other?t=", 7));
        // Those of a chain are each another, and those that go at once were not answered yet.
        let mut polls = Polls::default();
        let page = |n: u32| serde_json::json!({ "method": "GET", "url": format!("http://a/list?page={n}") });
        assert!(!(0..9).any(|n| {
            let is_poll = polls.begins("1", &page(n));
            polls.ends("1");
            is_poll
        }));
        assert!(!(0..9).any(|n| polls.begins(&n.to_string(), &page(1))));
    }

    #[test]
    fn what_was_waited_for_in_vain_keeps_nobody_waiting() {
        let mut tab = tab("a", None);
        tab.ready = true;
        tab.loading.insert(tab.target.clone());
        assert!(tab.is_expected() && tab.busy());
        tab.overdue = true;
        assert!(!tab.is_expected() && !tab.busy());
        tab.loading.insert("frame".to_owned());
        assert!(tab.busy());
    }
}
