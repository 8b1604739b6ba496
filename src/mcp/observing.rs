//! The layer around a session's device that waits for something before it looks, and reads more than the screen shows.
//!
//! Invariant: it does nothing that was not asked for once; every wait has an end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waldo_devices::{
    Action, ActionReport, Capture, Deadline, Device, DeviceError, DeviceLayer, Effect, Observation, Settled,
    StateProbe, StateValue,
};

/// The longest that can be waited for something, in seconds.
pub const LONGEST: u64 = 30;
const LOOKS_EVERY: Duration = Duration::from_millis(200);

#[derive(Clone, Debug)]
pub struct Awaited {
    /// Text that the screen shows somewhere, without regard to case.
    pub text: Option<String>,
    /// The name of an element, or a part of it, without regard to case.
    pub element: Option<String>,
    pub within: Duration,
    pub cancel: CancellationToken,
}

impl Awaited {
    /// Whether the screen is as it was waited for. Without any text it only has to be quiet.
    pub fn holds(&self, seen: &Observation) -> bool {
        let has = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        let named = |part: &String| seen.elements.iter().any(|element| has(&element.name, part));
        let shown = |part: &String| {
            let dialog = seen.context.dialog.as_ref().map(|dialog| dialog.message.as_str());
            let mut values = seen.elements.iter().filter_map(|element| element.value.as_deref());
            seen.texts.iter().any(|text| has(&text.text, part))
                || named(part)
                || values.any(|value| has(value, part))
                || has(&seen.context.title, part)
                || dialog.is_some_and(|message| has(message, part))
        };
        let wanted = self.text.as_ref().is_none_or(shown) && self.element.as_ref().is_none_or(named);
        let anything = self.text.is_some() || self.element.is_some();
        wanted && (anything || matches!(seen.settled, Settled::Quiet | Settled::Dialog))
    }
}

/// What is wanted of the next observation, and what came of it.
#[derive(Debug, Default)]
pub struct NextCapture(Mutex<CaptureRequest>);

#[derive(Debug, Default)]
struct CaptureRequest {
    awaited: Option<Awaited>,
    elements_alone: bool,
    probe: Option<StateProbe>,
    read: Option<String>,
}

impl NextCapture {
    fn wants(&self) -> MutexGuard<'_, CaptureRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn wait_for(&self, awaited: Awaited) {
        self.wants().awaited = Some(awaited);
    }

    /// Whether the next observation is without a picture.
    pub fn elements_alone(&self, alone: bool) {
        self.wants().elements_alone = alone;
    }

    /// Has the next observation read this, too.
    pub fn read(&self, probe: StateProbe) {
        let mut wants = self.wants();
        wants.probe = Some(probe);
        wants.read = None;
    }

    /// What was read; `None` where the device has none or cannot tell.
    pub fn text(&self) -> Option<String> {
        self.wants().read.take()
    }
}

/// A device that does what a [`NextCapture`] asks for.
pub struct Observing {
    inner: Box<dyn Device>,
    wanted: Arc<NextCapture>,
}

impl Observing {
    pub fn new(inner: Box<dyn Device>, wanted: Arc<NextCapture>) -> Self {
        Self { inner, wanted }
    }

    async fn wait(&mut self, awaited: &Awaited, deadline: Deadline) -> Result<(), DeviceError> {
        let until = deadline.at_most(awaited.within);
        loop {
            let seen = self.inner.observe(Capture::Elements, deadline).await?;
            if awaited.holds(&seen) || until.passed() || awaited.cancel.is_cancelled() {
                return Ok(());
            }
            tokio::select! {
                () = tokio::time::sleep(LOOKS_EVERY.min(until.left())) => {}
                () = awaited.cancel.cancelled() => {}
            }
        }
    }
}

#[async_trait]
impl DeviceLayer for Observing {
    waldo_devices::device_inside!(inner);

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport, DeviceError> {
        let report = self.inner.perform(action, deadline).await?;
        if matches!(report.effect, Effect::SuspectedNoop) {
            // Only a picture shows that nothing was drawn either.
            self.wanted.elements_alone(false);
        }
        Ok(report)
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation, DeviceError> {
        let awaited = self.wanted.wants().awaited.take();
        if let Some(awaited) = awaited {
            self.wait(&awaited, deadline).await?;
        }
        let alone = std::mem::take(&mut self.wanted.wants().elements_alone);
        let want = if alone { Capture::Elements } else { want };
        let seen = self.inner.observe(want, deadline).await?;
        let probe = self.wanted.wants().probe.take();
        if let Some(probe) = probe.filter(|_| seen.context.dialog.is_none()) {
            match self.inner.probe(&probe, deadline).await {
                Ok(StateValue::Text(text)) => {
                    self.wanted.wants().read = Some(self.inner.secrets().mask(text));
                }
                Ok(_) => {}
                // What is on the screen is told all the same.
                Err(error) => tracing::debug!(%error, ?probe, "reading"),
            }
        }
        Ok(seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::screen::testing::view;

    fn awaited(text: Option<&str>, element: Option<&str>) -> Awaited {
        Awaited {
            text: text.map(Into::into),
            element: element.map(Into::into),
            within: Duration::from_secs(1),
            cancel: CancellationToken::new(),
        }
    }

    #[test]
    fn what_is_waited_for_is_found_in_texts_and_names() {
        let mut seen =
            view("http://a.test/", &[("button", "Pay now")], &[("Order 7 is ready", 0)]).observation;
        assert!(awaited(Some("order 7"), None).holds(&seen));
        assert!(awaited(Some("PAY"), None).holds(&seen));
        assert!(awaited(None, Some("pay")).holds(&seen));
        assert!(!awaited(None, Some("order")).holds(&seen));
        assert!(!awaited(Some("order 8"), None).holds(&seen));
        assert!(awaited(None, None).holds(&seen));
        seen.settled = Settled::StillLoading;
        assert!(!awaited(None, None).holds(&seen));
        assert!(awaited(Some("ready"), None).holds(&seen));
    }
}
