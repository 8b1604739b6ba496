//! Models that were trained on an action space.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use waldo_agents::model::ModelClient;
use waldo_agents::native::{HookModel, HookStage, Native, NativeOptions, ReferenceNative};
use waldo_agents::{Agent, AgentError, Result};
use waldo_devices::DeviceInfo;

use super::kind::{
    ActionListing, AgentFacts, AgentKind, AgentSettings, AgentSetup, Asks, PlaceFinder, Prepared,
};
use super::model_args::is_stand_in;
use super::native_args::{NativeArgs, agents};

/// The stand-in that answers in a profile's form from a task's solution.
const REFERENCE: &str = "reference";

pub struct NativeKind;

impl NativeKind {
    fn stand_in(&self, own: &NativeArgs, max_tokens: u32) -> Result<Prepared> {
        let profile = Arc::new(own.profile(REFERENCE)?);
        if own.hook(&profile).is_some() {
            let message = format!("the stand-in '{REFERENCE}' answers for no profile with a program");
            return Err(AgentError::Setup { agent: self.name(), message });
        }
        let options = NativeOptions { profile, max_tokens, hook: None };
        let maker = move |_: Option<_>| -> Result<Box<dyn Agent>> {
            Ok(Box::new(ReferenceNative::new(options.clone())))
        };
        Ok(Prepared { maker: Box::new(maker), questions: Vec::new(), asks: Asks::Program })
    }
}

impl AgentKind for NativeKind {
    fn facts(&self) -> AgentFacts {
        AgentFacts::new(
            "native",
            "asks a model that was trained on an action space, by its profile; bare pictures, its own prompt and reply",
        )
    }

    fn prepare(&self, setup: &AgentSetup<'_>) -> Result<Prepared> {
        let usual = setup.needed(self.name())?.clone();
        if usual.model() == REFERENCE {
            return self.stand_in(&setup.settings.native, setup.settings.model.max_tokens);
        }
        if is_stand_in(usual.model()) {
            let message = format!("the stand-in '{}' cannot answer in a profile's form", usual.model());
            return Err(AgentError::Setup { agent: self.name(), message });
        }
        let profile = Arc::new(setup.settings.native.profile(usual.model())?);
        let hook = setup.settings.native.hook(&profile);
        let generates = hook.as_ref().filter(|hook| hook.does(HookStage::Generate)).cloned();
        let asks = if generates.is_some() { Asks::Program } else { Asks::Endpoint };
        let usual: Arc<dyn ModelClient> = match generates {
            Some(hook) => Arc::new(HookModel::new(hook, usual.model())),
            None => usual,
        };
        let options = NativeOptions { profile, max_tokens: setup.settings.model.max_tokens, hook };
        let maker = move |client: Option<_>| -> Result<Box<dyn Agent>> {
            let client = client.unwrap_or_else(|| Arc::clone(&usual));
            Ok(Box::new(Native::new(client, options.clone())))
        };
        Ok(Prepared { maker: Box::new(maker), questions: Vec::new(), asks })
    }

    fn finder(&self, setup: &AgentSetup<'_>) -> Result<PlaceFinder> {
        Ok(PlaceFinder::Acts { maker: self.prepare(setup)?.maker, numbered: false })
    }

    fn add_parameters(&self, settings: &AgentSettings, to: &mut Map<String, Value>) {
        let model = settings.model.model.as_deref().unwrap_or_default();
        let profile = settings.native.profile(model).ok();
        let profile = profile.map(|profile| {
            let mut told = json!({ "profile": profile.name(), "sha256": profile.hash() });
            if let Some(wording) = profile.wording() {
                told["wording"] = wording.into();
            }
            told
        });
        to.insert(
            "native".to_owned(),
            profile.unwrap_or_else(|| json!({ "profile": settings.native.profile })),
        );
    }

    fn show(&self, device: &DeviceInfo) -> ActionListing {
        let (mut text, mut list) = (String::new(), Vec::new());
        for (_, profile) in agents() {
            let actions = profile.offered(device);
            text.push_str(&format!("{}: {}\n    {}\n", profile.name(), profile.about(), actions.join(", ")));
            list.push(json!({ "profile": profile.name(), "about": profile.about(), "actions": actions }));
        }
        ActionListing { text, json: json!(list) }
    }
}
