//! Waiting for a quiet screen: bounded, and never longer than the page moves.

use std::time::Duration;

use tokio::time::Instant;

use super::elements::{Collected, Gatherer};
use super::live::{BrowserSession, PageAnswer};
use super::requests::Request;
use super::state::{Front, Tab};
use waldo_devices::{Deadline, DeviceError, Settled};

/// How long nothing may have moved for a page to count as quiet, beside the two frames that have to be drawn without a change:
/// a frame and a half of a 60 Hz screen, for frames may come sooner.
const STILL: Duration = Duration::from_millis(24);

#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) settle: Duration,
    /// For a page that loads and has not come, or shows nothing yet.
    pub(crate) load: Duration,
}

impl BrowserSession {
    /// Waits until the tab neither loads nor moves. Also gives the elements that were gathered meanwhile, unless it is
    /// known that something has changed since.
    pub(crate) async fn settle(
        &self,
        front: &Front,
        bounds: Bounds,
        deadline: Deadline,
        gatherer: &mut Gatherer<'_>,
    ) -> Result<(Settled, Option<Collected>), DeviceError> {
        let start = Instant::now();
        let last = deadline.instant();
        let (settle_end, load_end) = ((start + bounds.settle).min(last), (start + bounds.load).min(last));
        let mut shows_nothing = false;
        loop {
            // A tab that went holds nobody up: another one is in front.
            let Some((loads, came)) = self.tab(front, |tab| (tab.is_expected(), tab.came())) else {
                return Ok((Settled::Quiet, None));
            };
            // A page that is there and goes on loading is waited for as any other that does not rest.
            let end = match came {
                _ if !loads => settle_end,
                Some(came) if !shows_nothing => (came + bounds.settle).min(load_end),
                _ => load_end,
            };
            // Answers that nobody reads stop to count after a while, and no event tells of that.
            let unread = self.tab(front, |tab| tab.answers_count_until(end)).flatten();
            let calm = self
                .shared()
                .until(unread.unwrap_or(end), |state| {
                    let Some(tab) = state.tabs.iter().find(|tab| tab.target == front.target) else {
                        return Some(Settled::Quiet);
                    };
                    if tab.dialog.is_some() {
                        return Some(Settled::Dialog);
                    }
                    // A page that began to load after all gets the longer bound in the next round.
                    let began = tab.is_expected() && (!loads || tab.came() != came);
                    // So does an answer that came meanwhile.
                    let answered = tab.answers_count_until(end) != unread;
                    (tab.crashed || began || answered || !tab.busy()).then_some(Settled::Quiet)
                })
                .await;
            match calm {
                Some(Settled::Dialog) => return Ok((Settled::Dialog, None)),
                Some(_) => {}
                None if unread.is_some() => continue,
                None => {
                    let shows = "__waldo.shows()";
                    if loads
                        && end < load_end
                        && self.ask_top(front, shows, deadline).await == Some(false.into())
                    {
                        shows_nothing = true;
                        continue;
                    }
                    self.stop_waiting(
                        front,
                        loads && (came.is_some() || Instant::now() >= start + bounds.load),
                    );
                    return Ok((Settled::StillLoading, None));
                }
            }
            if self.tab(front, Tab::is_expected).unwrap_or_default() {
                if Instant::now() >= load_end {
                    return Ok((Settled::StillLoading, None));
                }
                continue;
            }
            if self.tab(front, |tab| tab.busy() && !tab.crashed).unwrap_or_default() {
                continue;
            }
            let before = self.tab(front, |tab| tab.navigations).unwrap_or_default();
            let left = settle_end.saturating_duration_since(Instant::now());
            let script = format!("__waldo.quiet({}, {})", STILL.as_millis(), left.as_millis());
            // A page whose scripts run without end would answer much later or never.
            let bound = deadline.at_most(left + Duration::from_millis(100));
            let waited = self.evaluate(&front.target, &front.target, &front.session, &script, bound);
            // The wait leaves the page idle: time to gather what the observation will need.
            let (waited, gathered) = tokio::join!(waited, gatherer.ahead(self, front, bound));
            let (quiet, unchanged) = match waited {
                Ok(PageAnswer::Done(value)) => (value.as_u64() > Some(0), value.as_u64() == Some(2)),
                Ok(PageAnswer::Dialog) => return Ok((Settled::Dialog, None)),
                Err(DeviceError::Timeout { .. }) => (false, false),
                Err(DeviceError::Call { .. }) if Instant::now() < settle_end => continue,
                Err(DeviceError::Call { .. }) => (false, false),
                Err(error) => return Err(error),
            };
            let (after, busy) = self.tab(front, |tab| (tab.navigations, tab.busy())).unwrap_or_default();
            if quiet && after == before && !busy {
                let loads = self.tab(front, |tab| tab.loading.contains(&front.target)).unwrap_or_default();
                let settled = if loads { Settled::StillLoading } else { Settled::Quiet };
                return Ok((settled, gathered.filter(|_| unchanged)));
            }
            if !busy && (Instant::now() >= settle_end || (!quiet && after == before)) {
                // What was gathered may still hold: that there is so much of it is what kept the page from its answer.
                return Ok((Settled::StillMoving, gathered));
            }
        }
    }

    pub(crate) fn tab<T>(&self, front: &Front, look: impl FnOnce(&Tab) -> T) -> Option<T> {
        self.shared().with(|state| state.tabs.iter().find(|tab| tab.target == front.target).map(look))
    }

    /// A request that outlived a settling (a long poll, a stuck server) holds up no further one; nor does the load of
    /// a page that is there and took `too_long`.
    fn stop_waiting(&self, front: &Front, too_long: bool) {
        self.shared().update(|state| {
            if let Some(tab) = state.tab(&front.target) {
                for request in tab.requests.values_mut() {
                    *request = Request::Ignored;
                }
                let main = &front.target;
                tab.loading.retain(|frame| frame == main);
                tab.overdue |= too_long && !tab.uncommitted;
            }
        });
    }
}
