//! Proposes what to try next.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use waldo_devices::labels::{self, Tagged};
use waldo_devices::{
    Affordance, Deadline, DeviceError, DeviceInfo, Direction, LabelStyle, Tag, Tool, word_list,
};
use waldo_prompts::Prompts;
use waldo_prompts::appagent::{Coverage, Explore, Function, Reask, place_line};

use super::stop::StopRule;
use crate::agent::{Choice, Decision, Exchange, View};
use crate::appagent::bind::PictureForm;
use crate::appagent::call::FunctionCall;
use crate::appagent::catalogue::{self, FunctionOffer};
use crate::appagent::docs::Slot;
use crate::appagent::ground::ground;
use crate::appagent::parse::parse;
use crate::appagent::{Mode, compat, prompt};
use crate::chat::{ask, message, retry_messages};
use crate::error::Result;
use crate::model::{Message, MessagePart, ModelClient, ModelReply, Speaker};

/// What may be called while exploring; the rest leads away from the app or needs a task.
const CALLS: [&str; 13] =
    word_list("tap text long_press swipe scroll enter back wait clear select dialog home FINISH");

#[derive(Clone, Debug)]
pub struct ExploreOptions {
    pub mode: Mode,
    pub max_tokens: u32,
    pub style: LabelStyle,
    pub stop: StopRule,
    /// The pause after each model call under [`Mode::Compat`]: AppAgent's REQUEST_INTERVAL.
    pub interval: Duration,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Tolerant,
            max_tokens: 1024,
            style: LabelStyle::default(),
            stop: StopRule::default(),
            interval: Duration::ZERO,
        }
    }
}

#[derive(Debug)]
pub struct ExploreTurn<'a> {
    pub device: &'a DeviceInfo,
    pub goal: &'a str,
    /// What the screen shows; under [`Mode::Compat`] without the useless elements (see [`without`]).
    pub view: &'a View,
    pub keys: &'a [String],
    pub history: Option<&'a str>,
    /// What came of the last turn, where it was not as it should be.
    pub note: Option<&'a str>,
    /// What a screen or a device said of the last turn: untrusted text.
    pub quoted: Option<&'a str>,
    pub coverage: &'a Coverage,
    /// The element that typing would go to, by place in the view: the focused one, or the last tapped.
    pub typing: Option<usize>,
    pub steps_left: u32,
    pub deadline: Deadline,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    pub tag: Tag,
    pub key: String,
    pub slot: Slot,
}

impl Tried {
    /// The way that it may open, by the graph of screens. A tap is the element's own; a swipe leads elsewhere.
    pub fn way(&self) -> String {
        match self.slot {
            Slot::Tap => self.key.clone(),
            other => format!("{} ({})", self.key, other.name()),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Proposal {
    /// For the record: choice, call, texts, exchanges.
    pub decision: Decision,
    /// What the action tries; `None` for one that is about no element.
    pub tried: Option<Tried>,
    /// Why AppAgent's run ends here, under [`Mode::Compat`].
    pub over: Option<String>,
}

/// Explores by asking a model. Keeps nothing between turns: what is known is handed in.
pub struct Explorer {
    pub(super) client: Arc<dyn ModelClient>,
    pub(super) prompts: Arc<Prompts>,
    pub(super) options: ExploreOptions,
}

impl Explorer {
    pub fn new(client: Arc<dyn ModelClient>, prompts: Arc<Prompts>, options: ExploreOptions) -> Self {
        Self { client, prompts, options }
    }

    pub fn options(&self) -> &ExploreOptions {
        &self.options
    }

    /// Asks for the next action. A reply that cannot be used is asked for again once, and then passed
    /// over; under [`Mode::Compat`] it ends the run.
    pub async fn propose(&self, turn: &ExploreTurn<'_>) -> Result<Proposal> {
        let functions = self.functions(turn);
        let tolerant = self.options.mode == Mode::Tolerant;
        let picture = !turn.view.png.is_empty();
        let text = self.prompts.appagent_explore(&Explore {
            machine: catalogue::machine(turn.device.platform).to_owned(),
            picture,
            functions: functions.clone(),
            goal: turn.goal.trim().to_owned(),
            history: turn.history.map(str::to_owned),
            note: turn.note.filter(|_| tolerant).map(str::to_owned),
            coverage: tolerant.then(|| turn.coverage.clone()),
            steps_left: tolerant.then_some(turn.steps_left),
            screen: tolerant.then(|| {
                let mut screen = prompt::screen(turn.view);
                screen.place.extend(turn.quoted.map(|said| place_line("of your last action", said)));
                screen
            }),
            endings: "FINISH when nothing is left to try".to_owned(),
        })?;
        let mut first = message(Speaker::User, &text);
        if picture {
            first.parts.push(MessagePart::Png(turn.view.png.clone()));
        }
        let mut messages = vec![first];
        let (reply, exchange) = self.ask("explore", &messages, &text, turn.deadline).await?;
        if !tolerant {
            return Ok(read_compat(&reply.text, exchange, turn));
        }
        match self.read(&reply, turn) {
            Ok(proposal) => Ok(with(proposal, vec![exchange])),
            Err(error) => {
                let refused = Exchange { rejected: Some(error.clone()), ..exchange };
                let question = self.prompts.appagent_reask(&Reask {
                    error,
                    signatures: functions
                        .into_iter()
                        .map(|f| f.signature)
                        .filter(|s| s != "FINISH")
                        .collect(),
                    endings: "FINISH when nothing is left to try".to_owned(),
                })?;
                messages.extend(retry_messages(&reply.text, &question));
                let (reply, mut exchange) = self.ask("re-ask", &messages, &question, turn.deadline).await?;
                let proposal = self.read(&reply, turn).unwrap_or_else(|reason| {
                    exchange.rejected = Some(reason.clone());
                    let decision = Decision::of(Choice::Pass { reason });
                    Proposal { decision, tried: None, over: None }
                });
                Ok(with(proposal, vec![refused, exchange]))
            }
        }
    }

    fn functions(&self, turn: &ExploreTurn<'_>) -> Vec<Function> {
        let offer = match self.options.mode {
            Mode::Tolerant => FunctionOffer::Elements,
            Mode::Compat => FunctionOffer::UpstreamElements,
        };
        let mut functions = catalogue::functions(turn.device, offer);
        functions.retain(|f| CALLS.contains(&catalogue::function_name(&f.signature)));
        functions
    }

    fn read(&self, reply: &ModelReply, turn: &ExploreTurn<'_>) -> Result<Proposal, String> {
        let parsed = parse(&reply.text, PictureForm::Elements);
        let call = parsed.call?;
        let written = call.to_string();
        let name = catalogue::function_name(&written);
        if !CALLS.contains(&name) || !catalogue::offers(turn.device, name) {
            return Err(format!("{name} is not among the functions"));
        }
        let grounded = ground(&call, turn.view, turn.device, None)?;
        let tried = match (slot_of(&call), grounded.tag) {
            (Some(Slot::Text), _) => turn.typing.and_then(|at| tried(turn, at, Slot::Text)),
            (Some(slot), Some(tag)) => {
                let at = turn.view.tagged.iter().position(|t| t.tag == tag);
                at.and_then(|at| tried(turn, at, slot))
            }
            _ => None,
        };
        let decision = Decision {
            choice: grounded.choice,
            tag: tried.as_ref().map(|t| t.tag).or(grounded.tag),
            call: written,
            observation: parsed.observation,
            thought: parsed.thought,
            summary: parsed.summary,
            exchanges: Vec::new(),
            plan: None,
            person: None,
            gate: None,
        };
        Ok(Proposal { decision, tried, over: None })
    }

    pub(super) async fn ask(
        &self,
        purpose: &str,
        messages: &[Message],
        text: &str,
        deadline: Deadline,
    ) -> Result<(ModelReply, Exchange)> {
        ask(self.client.as_ref(), self.options.max_tokens, purpose, messages, text, deadline).await
    }
}

fn with(mut proposal: Proposal, exchanges: Vec<Exchange>) -> Proposal {
    proposal.decision.exchanges = exchanges;
    proposal
}

fn tried(turn: &ExploreTurn<'_>, at: usize, slot: Slot) -> Option<Tried> {
    let tag = turn.view.tagged.get(at)?.tag;
    Some(Tried { tag, key: turn.keys.get(at)?.clone(), slot })
}

fn slot_of(call: &FunctionCall) -> Option<Slot> {
    let call = call.tool()?;
    Some(match call.tool {
        Tool::Tap => Slot::Tap,
        Tool::LongPress => Slot::LongPress,
        Tool::Type => Slot::Text,
        Tool::Swipe | Tool::Scroll => match (call.tag()?, call.direction()?) {
            (_, Direction::Up | Direction::Down) => Slot::VSwipe,
            (_, Direction::Left | Direction::Right) => Slot::HSwipe,
        },
        _ => return None,
    })
}

/// AppAgent's reading: whatever does not fit ends the run, numbers are unchecked (0 is the last element).
fn read_compat(reply: &str, exchange: Exchange, turn: &ExploreTurn<'_>) -> Proposal {
    use compat::{Act, CompatReply};
    let mut over = None;
    let mut found = None;
    let mut summary = None;
    let choice = match compat::parse_elements(reply) {
        CompatReply::Finish => Choice::Finish { answer: None },
        CompatReply::Error | CompatReply::Grid => {
            over = Some("AppAgent cannot read this reply, and its run ends".to_owned());
            Choice::Finish { answer: None }
        }
        CompatReply::Act(act, said) => {
            summary = Some(said);
            let slot = match &act {
                Act::Tap { area } => Some((*area, Slot::Tap)),
                Act::LongPress { area } => Some((*area, Slot::LongPress)),
                Act::Swipe { area, direction, .. } => {
                    let vertical = direction == "up" || direction == "down";
                    Some((*area, if vertical { Slot::VSwipe } else { Slot::HSwipe }))
                }
                _ => None,
            };
            found = slot.and_then(|(area, slot)| {
                let len = i64::try_from(turn.view.tagged.len()).ok()?;
                let at = if area == 0 { len - 1 } else { area - 1 };
                tried(turn, usize::try_from(at).ok()?, slot)
            });
            compat::ground(&act, turn.view, turn.device, None).unwrap_or_else(|| {
                over = Some("AppAgent's run ends by an exception at this call".to_owned());
                Choice::Finish { answer: None }
            })
        }
    };
    let shown = parse(reply, PictureForm::Elements);
    let decision = Decision {
        choice,
        tag: found.as_ref().map(|t| t.tag),
        call: shown.call.map(|c| c.to_string()).unwrap_or_default(),
        observation: shown.observation,
        thought: shown.thought,
        summary: summary.or(shown.summary),
        exchanges: vec![Exchange { rejected: over.clone(), ..exchange }],
        plan: None,
        person: None,
        gate: None,
    };
    Proposal { decision, tried: found, over }
}

/// The place in a view of the element that typing goes to: the focused one that takes text.
pub fn focused(view: &View) -> Option<usize> {
    view.tagged.iter().position(|t| {
        view.observation.elements.get(t.element).is_some_and(|e| e.states.focused && e.can(Affordance::Edit))
    })
}

/// A view without some elements, numbered and drawn anew, as AppAgent leaves useless ones out. Gives the
/// keys of what is left beside it.
pub fn without(
    view: &View,
    keys: &[String],
    gone: &BTreeSet<String>,
    style: LabelStyle,
) -> Result<(View, Vec<String>), DeviceError> {
    let mut out = view.clone();
    let (mut tagged, mut left) = (Vec::new(), Vec::new());
    for (t, key) in view.tagged.iter().zip(keys).filter(|(_, key)| !gone.contains(*key)) {
        let tag = Tag(u32::try_from(tagged.len()).unwrap_or(u32::MAX).saturating_add(1));
        tagged.push(Tagged { tag, element: t.element });
        left.push(key.clone());
    }
    let o = &view.observation;
    out.list = labels::screen_list(&o.elements, &tagged, &o.texts);
    if !o.picture.is_empty() {
        out.png = labels::paint(&o.picture, &o.elements, &tagged, style).encode_png()?.into();
    }
    out.tagged = tagged;
    Ok((out, left))
}

#[cfg(test)]
#[path = "explorer_tests.rs"]
mod tests;
