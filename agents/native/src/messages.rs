use serde::Serialize;
use waldo_devices::{Capability, DeviceInfo};
use waldo_prompts::{PromptError, fill};

use crate::message_rule::{MessageRole, MessageRule, PICTURE, REPLY, When};
use crate::profile::{Profile, plain};
use crate::scale::Scale;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PastStep {
    /// The model's reply, without what it thought in a `<think>` block.
    pub reply: String,
    pub thought: String,
    /// What it did, in its own words; else the call.
    pub operation: String,
    pub call: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentPart {
    Text(String),
    /// The picture of a step, from 0; the present one has the number of past steps.
    Picture(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileMessage {
    pub role: MessageRole,
    pub pieces: Vec<ContentPart>,
}

#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// The task; of a grounder the description.
    pub goal: &'a str,
    /// The device; a grounder is not told.
    pub device: Option<&'a DeviceInfo>,
    pub scale: Scale,
    pub steps: &'a [PastStep],
}

#[derive(Debug, Serialize)]
struct MessageContext<'a> {
    goal: &'a str,
    platform: &'static str,
    touch: bool,
    actions: Vec<&'a str>,
    width: u32,
    height: u32,
    right: serde_json::Value,
    bottom: serde_json::Value,
    step: usize,
    first: bool,
    tool: bool,
    steps: Vec<Numbered<'a>>,
    old: Vec<Numbered<'a>>,
    recent: Vec<Numbered<'a>>,
    this: Option<Numbered<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct Numbered<'a> {
    n: usize,
    #[serde(flatten)]
    step: &'a PastStep,
}

impl Profile {
    pub fn messages(&self, material: &Material<'_>) -> Result<Vec<ProfileMessage>, PromptError> {
        self.written(material, false)
    }

    /// The messages that an episode begins with where the vendor's own tool is offered.
    pub fn tool_messages(&self, material: &Material<'_>) -> Result<Vec<ProfileMessage>, PromptError> {
        self.written(&Material { steps: &[], ..*material }, true)
    }

    fn written(&self, material: &Material<'_>, tool: bool) -> Result<Vec<ProfileMessage>, PromptError> {
        let past = material.steps.len();
        let from = past.saturating_sub(self.data.history.window.unwrap_or(past));
        let mut out = Vec::new();
        let mut first = true;
        let mut add = |when: When, step: usize| -> Result<(), PromptError> {
            for rule in self.data.messages.iter().filter(|rule| rule.when == when) {
                let said = self.message(rule, material, (step, from), (first, tool))?;
                out.extend(said.filter(|said| !said.pieces.is_empty()));
            }
            first &= when == When::Start;
            Ok(())
        };
        add(When::Start, past)?;
        for step in from..past {
            add(When::Past, step)?;
        }
        add(When::Now, past)?;
        Ok(out)
    }

    fn message(
        &self,
        rule: &MessageRule,
        material: &Material<'_>,
        (step, from): (usize, usize),
        (first, tool): (bool, bool),
    ) -> Result<Option<ProfileMessage>, PromptError> {
        let past = material.steps.len();
        let mut pieces = Vec::new();
        for part in &rule.parts {
            match part.as_str() {
                PICTURE => pieces
                    .extend((step + self.data.history.pictures > past).then_some(ContentPart::Picture(step))),
                REPLY => {
                    pieces.extend(material.steps.get(step).map(|step| ContentPart::Text(step.reply.clone())))
                }
                name => {
                    let source = self.template(name).unwrap_or_default();
                    let context = self.context(material, (step, from), (first, tool));
                    pieces.push(ContentPart::Text(fill(name, source, &context)?));
                }
            }
        }
        pieces.retain(|piece| !matches!(piece, ContentPart::Text(text) if text.is_empty()));
        Ok(Some(ProfileMessage { role: rule.role, pieces }))
    }

    fn context<'a>(
        &'a self,
        material: &Material<'a>,
        (step, from): (usize, usize),
        (first, tool): (bool, bool),
    ) -> MessageContext<'a> {
        let number = |(at, step): (usize, &'a PastStep)| Numbered { n: at + 1, step };
        let steps: Vec<Numbered<'a>> = material.steps.iter().enumerate().map(number).collect();
        let (width, height) = material.scale.sent;
        let [right, bottom] = material.scale.extent.map(plain);
        MessageContext {
            goal: material.goal,
            platform: material.device.map_or("", |device| device.platform.as_str()),
            touch: material.device.is_some_and(|device| device.capabilities.contains(&Capability::Touch)),
            actions: material.device.map(|device| self.offered(device)).unwrap_or_default(),
            width,
            height,
            right,
            bottom,
            step: step + 1,
            first,
            tool,
            old: steps[..from].to_vec(),
            recent: steps[from..].to_vec(),
            this: steps.get(step).cloned(),
            steps,
        }
    }
}
