//! The first look at a page that was opened: not before it shows something and has come whole, within bounds.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::device::WebDevice;
use super::live::PageAnswer;
use super::state::Tab;
use waldo_devices::{Capture, Deadline, DeviceError, Element, Observation, Picture, Result, Settled};

/// How long a change is waited for before the next look: a picture that comes changes no document.
const LOOKS_AGAIN: Duration = Duration::from_millis(500);

/// How long a page that stays as it is may go on asking its server for more.
const ASKS_FOR: Duration = Duration::from_secs(4);

/// Whether an animation runs on the page, or words stand on it.
const MOVES_OR_SPEAKS: &str = "document.getAnimations().some(a => a.playState === 'running') || \
    /\\S/.test(document.body?.innerText ?? '')";

impl WebDevice {
    /// Looks until the page shows something, and while what it loads still changes it. One that shows nothing when the
    /// time is up counts as loading.
    pub(super) async fn first_look(
        &mut self,
        want: Capture,
        mut seen: Observation,
        deadline: Deadline,
    ) -> Result<Observation> {
        let began = Instant::now();
        let end = began + self.live()?.load.min(deadline.left() / 2);
        loop {
            let blank = self.is_blank(want, &seen, deadline).await?;
            if !blank && seen.settled != Settled::StillLoading {
                return Ok(seen);
            }
            if Instant::now() >= end {
                seen.settled = Settled::StillLoading;
                return Ok(seen);
            }
            self.await_change(deadline).await?;
            let (before, elements) = (std::mem::take(&mut seen.context), std::mem::take(&mut seen.elements));
            seen = self.look_again(want, deadline).await?;
            // A request that outlived the wait holds up no further one: the page may still be on its way.
            let is_last = !blank
                && seen.elements.iter().map(Element::at_rest).eq(elements.iter().map(Element::at_rest))
                && began.elapsed() >= self.stays_alike_for(seen.settled)?;
            if is_last {
                seen.settled = Settled::StillLoading;
            }
            let told: BTreeSet<String> = before.blocked.into_iter().chain(seen.context.blocked).collect();
            seen.context.blocked = told.into_iter().collect();
            let later = std::mem::replace(&mut seen.context.notices, before.notices);
            seen.context.notices.extend(later);
            if is_last {
                return Ok(seen);
            }
        }
    }

    /// How long the page in front has to have stayed as it is for the first look to end.
    fn stays_alike_for(&self, settled: Settled) -> Result<Duration> {
        let settle = self.options.settle;
        let wanted = |tab: &Tab| match settled {
            // It waits for nothing but what nobody here waits for any more.
            Settled::Quiet if tab.is_overdue() => Duration::ZERO,
            _ if tab.overdue && tab.loading.contains(&tab.target) => settle.max(ASKS_FOR / 4),
            _ => settle.max(ASKS_FOR),
        };
        Ok(self.live()?.shared().with(|state| state.front().map_or(Duration::ZERO, wanted)))
    }

    async fn is_blank(&self, want: Capture, seen: &Observation, deadline: Deadline) -> Result<bool> {
        if !seen.elements.is_empty() || seen.context.dialog.is_some() {
            return Ok(false);
        }
        // What only moves, without a word or anything to touch, is a page on its way, unless words came since.
        if seen.texts.is_empty()
            && (seen.settled != Settled::Quiet || self.holds(MOVES_OR_SPEAKS, deadline).await?)
        {
            return Ok(true);
        }
        let shows = match want {
            Capture::All => !is_uniform(&seen.picture),
            Capture::Elements => self.holds("__waldo.shows()", deadline).await?,
        };
        if !shows || !seen.texts.is_empty() {
            return Ok(!shows);
        }
        // What shows may have come since the elements were gathered.
        let live = self.live()?;
        let front = live.front(deadline).await?;
        Ok(!live.is_still(&front, self.generation, &self.places, deadline).await)
    }

    /// Whether the page in front says yes; one that cannot answer says no.
    async fn holds(&self, question: &str, deadline: Deadline) -> Result<bool> {
        let live = self.live()?;
        let front = live.front(deadline).await?;
        let answer = live.evaluate(&front.target, &front.target, &front.session, question, deadline).await?;
        Ok(matches!(answer, PageAnswer::Done(Value::Bool(true))))
    }

    /// Waits for a change of the page, for a moment.
    async fn await_change(&self, deadline: Deadline) -> Result<()> {
        let live = self.live()?;
        let front = live.front(deadline).await?;
        let script = format!("__waldo.changed(__waldo.mark(), {}, [])", LOOKS_AGAIN.as_millis());
        let waited = live.evaluate(&front.target, &front.target, &front.session, &script, deadline).await;
        match waited {
            // The page moved on under the question: that is a change.
            Ok(_) | Err(DeviceError::Call { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn is_uniform(picture: &Picture) -> bool {
    let pixels = picture.pixels();
    let mut all = pixels.pixels();
    let first = all.next();
    all.all(|pixel| Some(pixel) == first)
}
