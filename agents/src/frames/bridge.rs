//! The bridge between a solving and the episode loop.
//!
//! A script performs many actions within one solving; an agent decides on one action a turn. So the solving
//! runs as a task of its own that is suspended between turns: it asks for an action ([`SolveBridge::act`]), the
//! agent hands that out as its decision, and the answer is what the loop observed afterwards. The loop stays
//! the only one that acts: guard, recorder and budgets see every action.
//!
//! Invariants: a solving has at most one action under way; an answer belongs to the ask of the same number,
//! and one that nobody waits for any more only brings the view up to date; what is pressed is noted where
//! decisions leave ([`SharedPointer`]), so that it is let go whatever becomes of the task.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use waldo_cage::{ExcKind, HostError};
use waldo_devices::{Action, Deadline, HeldPointer, Observation, OriginGate, Physical, Point, Settled};

use super::vision::{Density, PixelPoint, changed_share};
use crate::agent::{Exchange, Note};
use crate::error::AgentError;

/// Milliseconds that a moving screen is given before it is looked at.
pub(crate) const CALM: u64 = 300;

#[derive(Debug)]
pub(crate) struct ActionRequest {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) action: Action,
    /// The tool that asks, for people.
    pub(crate) call: String,
}

/// What the loop saw after an action; with number 0 what it saw first.
#[derive(Clone, Debug)]
pub(crate) struct ScreenAfter {
    pub(crate) number: u64,
    pub(crate) observation: Observation,
    pub(crate) note: Option<Note>,
    pub(crate) deadline: Deadline,
}

#[derive(Debug)]
pub(crate) enum SolveEnd {
    Done,
    /// A person has to take over: the page asks for one.
    HandOver(String),
    /// It came to no end of its own, for this reason: nothing is claimed.
    GaveUp(String),
    Failed(AgentError),
}

#[derive(Debug)]
pub(crate) enum Out {
    Ask(ActionRequest),
    End(SolveEnd),
}

/// Requests to models since the last decision, for its record. Each has a number, so that what is found out
/// later is told of no other one.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestLog(Arc<Mutex<LogEntries>>);

#[derive(Debug, Default)]
struct LogEntries {
    /// The number of the first that is still here.
    first: u64,
    exchanges: Vec<Exchange>,
}

impl RequestLog {
    fn entries(&self) -> std::sync::MutexGuard<'_, LogEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, exchange: Exchange) -> u64 {
        let mut kept = self.entries();
        kept.exchanges.push(exchange);
        kept.first + kept.exchanges.len() as u64 - 1
    }

    /// Notes why the reply of this number could not be used. One that has gone out with a decision had been
    /// used: its script ran, and what became of it is told in the request that follows.
    pub(crate) fn reject(&self, number: u64, why: &str) {
        let mut kept = self.entries();
        let at = number.checked_sub(kept.first).and_then(|at| usize::try_from(at).ok());
        if let Some(exchange) = at.and_then(|at| kept.exchanges.get_mut(at)) {
            exchange.rejected = Some(why.to_owned());
        }
    }

    pub(crate) fn take(&self) -> Vec<Exchange> {
        let mut kept = self.entries();
        let taken = std::mem::take(&mut kept.exchanges);
        kept.first += taken.len() as u64;
        taken
    }
}

/// Where the pointer is held pressed, as the decisions that were handed out have it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedPointer(Arc<Mutex<HeldPointer>>);

impl SharedPointer {
    pub(crate) fn note(&self, action: &Action) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).follow(action);
    }

    pub(crate) fn at(&self) -> Option<Point<Physical>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).at()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ActionOutcome {
    /// The share of the screen's pixels that changed, 0 to 1.
    pub(crate) changed: f64,
}

impl ActionOutcome {
    pub(crate) fn is_change(self) -> bool {
        self.changed > 0.0
    }
}

pub(crate) struct SolveBridge {
    out: mpsc::Sender<Out>,
    back: mpsc::Receiver<ScreenAfter>,
    latest: ScreenAfter,
    next: u64,
    gate: Arc<OriginGate>,
    pub(crate) held: SharedPointer,
    left: u32,
    /// How far the page was scrolled down when its places were found, in CSS pixels.
    scrolled: Option<u32>,
    touched: Option<Point<Physical>>,
}

fn scrolled(seen: &Observation) -> Option<u32> {
    seen.context.page_scroll.map(|scroll| scroll.above)
}

impl SolveBridge {
    pub(crate) fn new(
        (out, back): (mpsc::Sender<Out>, mpsc::Receiver<ScreenAfter>),
        first: ScreenAfter,
        gate: Arc<OriginGate>,
        held: SharedPointer,
        left: u32,
    ) -> Self {
        let scrolled = scrolled(&first.observation);
        Self { out, back, latest: first, next: 1, gate, held, left, scrolled, touched: None }
    }

    pub(crate) fn has_acted(&self) -> bool {
        self.next > 1
    }

    pub(crate) fn inputs(&self) -> u64 {
        self.next - 1
    }

    pub(crate) fn left(&self) -> u32 {
        self.left
    }

    /// The pixel of the screenshot where the last input was made.
    pub(crate) fn touched(&self) -> Option<PixelPoint> {
        self.touched.map(|at| PixelPoint::new(at.x.max(0.0) as u32, at.y.max(0.0) as u32))
    }

    pub(crate) fn seen(&self) -> &Observation {
        &self.latest.observation
    }

    pub(crate) fn picture(&self) -> &Arc<image::RgbImage> {
        self.latest.observation.picture.pixels()
    }

    pub(crate) fn density(&self) -> Density {
        Density::of(self.latest.observation.geometry.scale)
    }

    pub(crate) fn deadline(&self) -> Deadline {
        self.latest.deadline
    }

    /// Whether what was seen last may be acted on.
    pub(crate) fn check(&self) -> Result<(), HostError> {
        self.gate.observed(self.seen()).map_err(|shut| HostError::stop(shut.to_string()))
    }

    /// Whether places that were found are still where they were.
    fn still(&self) -> Result<(), HostError> {
        let (Some(then), Some(now)) = (self.scrolled, scrolled(self.seen())) else { return Ok(()) };
        if then == now {
            return Ok(());
        }
        Err(HostError::raise(
            ExcKind::Runtime,
            format!(
                "the page has scrolled by {} CSS pixels since it was looked at, and nothing lies where it was \
                 found: no input was made",
                i64::from(now) - i64::from(then)
            ),
        ))
    }

    /// Has an action carried out, and waits for what is seen then.
    ///
    /// Cancel-safe: an answer that is not waited for brings the view up to date at the next ask.
    ///
    /// # Errors
    /// A stop where the origin is not allowed, the guard refuses, or no action is left; an exception where
    /// the page has scrolled under the places, or the device could not do it.
    pub(crate) async fn act(&mut self, action: Action, call: &str) -> Result<ActionOutcome, HostError> {
        self.still()?;
        self.send(action, call).await
    }

    async fn send(&mut self, action: Action, call: &str) -> Result<ActionOutcome, HostError> {
        self.check()?;
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| HostError::stop("all actions of this episode are used up"))?;
        let number = self.next;
        self.next += 1;
        let before = self.picture().clone();
        let gone = || HostError::stop("the episode is over");
        self.touched = match &action {
            Action::Tap { at, .. } | Action::PointerDown { at, .. } | Action::PointerUp { at } => Some(*at),
            Action::Drag { path, .. } => path.last().copied(),
            _ => self.touched,
        };
        let ask = ActionRequest { number, action, call: call.to_owned() };
        self.out.send(Out::Ask(ask)).await.map_err(|_| gone())?;
        loop {
            self.latest = self.back.recv().await.ok_or_else(gone)?;
            if self.latest.number >= number {
                break;
            }
        }
        // Seen before anything else is believed of it.
        self.check()?;
        match &self.latest.note {
            // It ends the script, and stands in the claim alone.
            Some(Note::Refused { reason, .. }) => Err(HostError::stop(format!("refused: {reason}"))),
            // What a script is told it may print, and what it prints stands in no block of untrusted text.
            Some(note @ Note::Failed { .. }) => {
                Err(HostError::raise(ExcKind::Runtime, note.reason().unwrap_or_default().to_owned()))
            }
            Some(
                Note::NoChange
                | Note::Redrawn
                | Note::Changed { .. }
                | Note::NotAsAsked { .. }
                | Note::Printed { .. },
            )
            | None => Ok(ActionOutcome { changed: changed_share(&before, self.picture()) }),
        }
    }

    /// Looks at the page as it is now, once it rests. Returns by how many pixels it has scrolled down since its
    /// places were found: from now on places count that were moved by that.
    pub(crate) async fn look_anew(&mut self) -> Result<i64, HostError> {
        if self.seen().settled == Settled::StillMoving && self.left > 0 {
            self.send(Action::Wait { ms: CALM }, "look").await?;
        }
        let now = scrolled(self.seen());
        let then = std::mem::replace(&mut self.scrolled, now);
        let css = i64::from(now.unwrap_or_default()) - i64::from(then.or(now).unwrap_or_default());
        Ok((css as f64 * self.latest.observation.geometry.scale).round() as i64)
    }

    pub(crate) async fn let_go(&mut self) -> Result<(), HostError> {
        // One more than the budget has: nothing may stay pressed.
        if let Some(at) = self.held.at() {
            self.left = self.left.max(1);
            self.send(Action::PointerUp { at }, "let go").await?;
        }
        Ok(())
    }

    pub(crate) async fn end(self, end: SolveEnd) {
        // An agent that is gone needs no telling.
        let _ = self.out.send(Out::End(end)).await;
    }
}
