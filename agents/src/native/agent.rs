use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::Geometry;
use waldo_native::{HookStage, InputState, Material, PastStep, Profile, Reply};
use waldo_prompts::screen_block;

use super::hook::Hook;
use super::pictures::{messages, sent};
use super::scene::{CallStep, steps};
use super::staged;
use super::talk::Talk;
use crate::agent::{Agent, Brief, Choice, Decision, Exchange, Fence, Note, Turn, for_a_person};
use crate::appagent::printed;
use crate::chat::{ask, retry_messages};
use crate::error::{AgentError, Result};
use crate::model::{Message, ModelClient, ModelReply};
use crate::planner::messages::transcript;

pub(super) const NAME: &str = "native";

#[derive(Clone, Debug)]
pub struct NativeOptions {
    /// How its model is shown screens and read.
    pub profile: Arc<Profile>,
    pub max_tokens: u32,
    pub hook: Option<Arc<Hook>>,
}

/// A model that was trained on an action space.
pub struct Native {
    pub(super) client: Arc<dyn ModelClient>,
    pub(super) options: NativeOptions,
    brief: Option<Brief>,
    pub(super) state: AgentState,
}

#[derive(Default)]
pub(super) struct AgentState {
    steps: Vec<PastStep>,
    /// Pictures as they were sent, of the latest steps; by the steps' numbers.
    pictures: VecDeque<(usize, Arc<[u8]>)>,
    pub(super) hand: InputState,
    /// What the last reply still wants done, on a screen of this geometry.
    queue: VecDeque<CallStep>,
    geometry: Option<Geometry>,
    /// The conversation with a model that acts by its vendor's tool.
    pub(super) talk: Talk,
    /// The place in the last reply of what was decided last.
    last: Option<usize>,
    /// Whether that asked the device for nothing, as an answer before the end does: nothing can have failed then.
    passed: bool,
}

impl Native {
    pub fn new(client: Arc<dyn ModelClient>, options: NativeOptions) -> Self {
        Self { client, options, brief: None, state: AgentState::default() }
    }

    /// The next step of the last reply, where it has one and nothing speaks against it.
    fn next(&mut self, turn: &Turn<'_>) -> Option<CallStep> {
        let passed = std::mem::take(&mut self.state.passed);
        let failed = !passed && matches!(turn.note, Some(Note::Refused { .. } | Note::Failed { .. }));
        if failed || self.state.geometry != Some(turn.view.observation.geometry) {
            self.state.queue.clear();
        }
        let next = self.state.queue.pop_front()?;
        self.state.last = Some(next.n);
        self.state.passed = next.passes();
        Some(next)
    }

    fn hook(&self, stage: HookStage) -> Option<&Hook> {
        self.options.hook.as_deref().filter(|hook| hook.does(stage))
    }

    async fn request(&mut self, brief: &Brief, turn: &Turn<'_>) -> Result<Vec<Message>> {
        let profile = &self.options.profile;
        let picture = turn.view.observation.picture.pixels();
        let scale = profile.scale(picture.dimensions()).map_err(|error| AgentError::setup(NAME, error))?;
        let present = self.state.steps.len();
        self.state.pictures.retain(|(step, _)| *step != present);
        self.state.pictures.push_back((present, sent(profile, picture, NAME)?));
        while self.state.pictures.len() > profile.pictures() {
            self.state.pictures.pop_front();
        }
        let goal = &goal_and_printed(brief, turn);
        let material = Material { goal, device: Some(&brief.device), scale, steps: &self.state.steps };
        let mut asked = match self.hook(HookStage::BuildPrompt) {
            Some(hook) => {
                let pictures: Vec<_> = self.state.pictures.iter().cloned().collect();
                staged::build(hook, &material, &pictures, turn.deadline).await?
            }
            None => {
                let said = self.options.profile.messages(&material)?;
                let picture =
                    |step: usize| self.state.pictures.iter().find(|(n, _)| *n == step).map(|(_, png)| png);
                messages(said, picture)
            }
        };
        if let Some(hook) = self.hook(HookStage::Preprocess) {
            asked = staged::preprocess(hook, &asked, turn.deadline).await?;
        }
        Ok(asked)
    }

    /// A reply, and what it comes to on this screen.
    /// The outer error is of the harness, the inner one a fragment for the model.
    async fn read(
        &self,
        reply: &ModelReply,
        brief: &Brief,
        turn: &Turn<'_>,
    ) -> Result<Result<Usable, String>> {
        let profile = &self.options.profile;
        let seen = &turn.view.observation;
        let scale = match profile.scale(seen.picture.size()) {
            Ok(scale) => scale,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let read = match self.hook(HookStage::ParseResponse) {
            Some(hook) => {
                let material = Material { goal: &brief.goal, device: Some(&brief.device), scale, steps: &[] };
                staged::parse(hook, &reply.text, &material, turn.deadline).await?
            }
            None => profile.read(&reply.text),
        };
        let read = read.map_err(|error| match reply.is_cut_off() {
            true => {
                format!("{error}; it was cut off after {} tokens, so keep it short", self.options.max_tokens)
            }
            false => error,
        });
        let mut hand = self.state.hand.clone();
        Ok(read.and_then(|read| {
            let all = steps(profile, &read, (seen, &brief.device, scale), &mut hand)?;
            Ok(Usable { read, all, hand })
        }))
    }

    /// Takes a reply that can be carried out into the history.
    pub(super) fn accept(&mut self, usable: Usable, text: &str, turn: &Turn<'_>) -> Decision {
        let call = usable.calls();
        let Usable { read, all, hand } = usable;
        let state = &mut self.state;
        state.hand = hand;
        state.geometry = Some(turn.view.observation.geometry);
        state.queue = all.into();
        let thought = read.thought.clone().or_else(|| read.thinking.clone());
        state.steps.push(PastStep {
            reply: text.split_once("</think>").map_or(text, |(_, rest)| rest).trim().to_owned(),
            thought: thought.clone().unwrap_or_default(),
            operation: read.operation.clone().unwrap_or_else(|| call.clone()),
            call,
        });
        let mut decision = match state.queue.pop_front() {
            Some(first) => {
                state.last = Some(first.n);
                state.passed = first.passes();
                decided(first, turn)
            }
            None => Decision::of(Choice::Pass { reason: "there is no call in the reply".to_owned() }),
        };
        decision.thought = thought;
        decision.summary = read.operation;
        decision
    }
}

/// The task, with what the person who set it adds.
pub(super) fn goal(brief: &Brief, turn: &Turn<'_>) -> String {
    match turn.person {
        Some(words) => format!("{}\nThe person who set this task adds: {words}", brief.goal),
        None => brief.goal.clone(),
    }
}

/// The same with what the last action printed, where no conversation tells it.
fn goal_and_printed(brief: &Brief, turn: &Turn<'_>) -> String {
    let goal = goal(brief, turn);
    match turn.note {
        Some(Note::Printed { text }) => format!("{goal}\n{}", screen_block(&printed(text))),
        _ => goal,
    }
}

pub(super) struct Usable {
    pub(super) read: Reply,
    pub(super) all: Vec<CallStep>,
    pub(super) hand: InputState,
}

impl Usable {
    pub(super) fn calls(&self) -> String {
        self.read.calls.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }
}

/// The decision for one call, with the number of the element that it acts on, for the record.
fn decided(step: CallStep, turn: &Turn<'_>) -> Decision {
    let tag = match &step.choice {
        Choice::Act { action } => action.point().and_then(|at| turn.view.at(at)).map(|(tag, _)| tag),
        _ => None,
    };
    Decision { tag, call: step.call, ..Decision::of(step.choice) }
}

#[async_trait]
impl Agent for Native {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fence(&self) -> Fence {
        // Pages that ask for a person are left to one.
        Fence::Persons
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.brief = Some(brief.clone());
        self.state = AgentState::default();
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        let brief = self.brief.clone().ok_or_else(|| AgentError::not_begun(NAME))?;
        if let Some(decision) = for_a_person(turn.view) {
            return Ok(decision);
        }
        if let Some(last) = self.state.last.take() {
            self.state.talk.came(last, turn.note);
        }
        if let Some(next) = self.next(turn) {
            return Ok(decided(next, turn));
        }
        if turn.view.observation.picture.is_empty() {
            let reason =
                "there is no picture of the screen, and the model has nothing else to look at".to_owned();
            return Ok(Decision::of(Choice::Pass { reason }));
        }
        if let Some(turns) = self.tool_turns(&brief) {
            return self.decide_by_tool(&brief, turn, turns).await;
        }
        let mut asked = self.request(&brief, turn).await?;
        let (mut purpose, mut new) = ("decide", transcript(&asked));
        let mut exchanges: Vec<Exchange> = Vec::with_capacity(2);
        loop {
            let (client, limit) = (self.client.as_ref(), self.options.max_tokens);
            let (mut reply, mut exchange) = ask(client, limit, purpose, &asked, &new, turn.deadline).await?;
            if let Some(hook) = self.hook(HookStage::Postprocess) {
                reply.text = staged::postprocess(hook, &reply.text, turn.deadline).await?;
            }
            let usable = self.read(&reply, &brief, turn).await?;
            exchange.stderr = self.options.hook.as_ref().and_then(|hook| hook.heard());
            let error = match usable {
                Ok(usable) => {
                    if let Some(thinking) = &usable.read.thinking {
                        exchange.thinking = Some(thinking.clone());
                    }
                    exchanges.push(exchange);
                    let mut decision = self.accept(usable, &reply.text, turn);
                    decision.exchanges = exchanges;
                    return Ok(decision);
                }
                Err(error) => error,
            };
            exchange.rejected = Some(error.clone());
            exchanges.push(exchange);
            if exchanges.len() > 1 {
                return Ok(Decision { exchanges, ..Decision::of(Choice::Pass { reason: error }) });
            }
            new = format!(
                "That answer could not be used: {error}. Answer once more, in the form that was asked for."
            );
            asked.extend(retry_messages(&reply.text, &new));
            purpose = "re-ask";
        }
    }
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
