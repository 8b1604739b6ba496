//! The stand-in model within this process, and the agents that ask it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use waldo_agents::model::ModelClient;
use waldo_agents::{Agent, Brief, Decision, Fence, Result, TagScheme, Turn, View};
use waldo_devices::{DeviceInfo, OwnHands};

use super::model_args::{ModelArgs, is_stand_in};
use crate::serve::{ReferenceModel, Registry};

/// The stand-in model within this process. Each episode asks it at an address of its own, for instances may
/// differ in what is on the screen only.
pub struct StandIn {
    pub model: ReferenceModel,
    pub registry: Registry,
    places: AtomicU64,
}

impl StandIn {
    /// As `model` serves from `registry`.
    pub fn new(model: ReferenceModel, registry: Registry) -> Self {
        Self { model, registry, places: AtomicU64::new(0) }
    }

    /// A client that asks at a place of its own; `None` where another model is asked, or exchanges are recorded: a
    /// recording knows nothing of addresses.
    pub fn client(&self, name: &str, args: &ModelArgs) -> Result<Option<AtPlace>> {
        if !is_stand_in(name) || args.record_model.is_some() {
            return Ok(None);
        }
        let place = format!("e{}", self.places.fetch_add(1, Ordering::Relaxed));
        let client = args.client(name, &self.model.base_url_at(&place))?;
        Ok(Some((client, place)))
    }
}

pub type AtPlace = (Arc<dyn ModelClient>, String);

/// An agent whose model is the stand-in, asked at a place of the episode's own.
pub struct Placed {
    pub inner: Box<dyn Agent>,
    pub registry: Registry,
    pub place: String,
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.registry.leave(&self.place);
    }
}

#[async_trait]
impl Agent for Placed {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn fence(&self) -> Fence {
        self.inner.fence()
    }

    fn numbering(&self, device: &DeviceInfo) -> TagScheme {
        self.inner.numbering(device)
    }

    fn has_own_hands(&self) -> bool {
        self.inner.has_own_hands()
    }

    fn take_hands(&mut self, hands: Arc<dyn OwnHands>) {
        self.inner.take_hands(hands);
    }

    fn looks(&self) -> bool {
        self.inner.looks()
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.registry.settle(&self.place, &brief.goal, &brief.reference);
        self.inner.begin(brief)
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        self.inner.decide(turn).await
    }

    async fn end(&mut self, outcome: &str, last: &View) {
        self.inner.end(outcome, last).await;
    }
}

#[cfg(test)]
mod tests {
    use waldo_agents::Choice;
    use waldo_agents::baselines::Noop;

    use super::*;

    struct Fenced;

    #[async_trait]
    impl Agent for Fenced {
        fn name(&self) -> &'static str {
            "fenced"
        }

        fn fence(&self) -> Fence {
            Fence::Origins
        }

        fn begin(&mut self, _brief: &Brief) -> Result<()> {
            Ok(())
        }

        async fn decide(&mut self, _turn: &Turn<'_>) -> Result<Decision> {
            Ok(Decision::of(Choice::Finish { answer: None }))
        }
    }

    #[test]
    fn whoever_asks_the_stand_in_keeps_the_fence_of_its_own() {
        let placed = |inner| Placed { inner, registry: Registry::default(), place: "e0".to_owned() }.fence();
        assert_eq!(placed(Box::new(Fenced)), Fence::Origins);
        assert_eq!(placed(Box::<Noop>::default()), Fence::Guard);
    }
}
