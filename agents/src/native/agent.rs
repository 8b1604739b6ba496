//! The agent.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::Geometry;
use waldo_native::{InputState, Material, PastStep, Profile, Reply};

use super::pictures::{messages, sent};
use super::scene::{CallStep, steps};
use crate::agent::{Agent, Brief, Choice, Decision, Exchange, Fence, Note, Turn, for_a_person};
use crate::chat::{ask, retry_messages};
use crate::error::AgentError;
use crate::model::{Message, ModelClient, ModelReply};
use crate::planner::messages::transcript;

/// The agent's name.
const NAME: &str = "native";

/// How the agent plays.
#[derive(Clone, Debug)]
pub struct NativeOptions {
    /// How its model is shown screens and read.
    pub profile: Arc<Profile>,
    /// Tokens that a reply may have.
    pub max_tokens: u32,
}

/// A model that was trained on an action space.
pub struct Native {
    client: Arc<dyn ModelClient>,
    options: NativeOptions,
    brief: Option<Brief>,
    state: State,
}

/// What is kept from step to step.
#[derive(Default)]
struct State {
    steps: Vec<PastStep>,
    /// Pictures as they were sent, of the latest steps; by the steps' numbers.
    pictures: VecDeque<(usize, Arc<[u8]>)>,
    hand: InputState,
    /// What the last reply still wants done, on a screen of this geometry.
    queue: VecDeque<CallStep>,
    geometry: Option<Geometry>,
}

impl Native {
    /// An agent that asks `client`.
    pub fn new(client: Arc<dyn ModelClient>, options: NativeOptions) -> Self {
        Self { client, options, brief: None, state: State::default() }
    }

    /// The next step of the last reply, where it has one and nothing speaks against it.
    fn next(&mut self, turn: &Turn<'_>) -> Option<CallStep> {
        let failed = matches!(turn.note, Some(Note::Refused { .. } | Note::Failed { .. }));
        if failed || self.state.geometry != Some(turn.view.observation.geometry) {
            self.state.queue.clear();
        }
        self.state.queue.pop_front()
    }

    fn setup(message: String) -> AgentError {
        AgentError::Setup { agent: NAME, message }
    }

    /// The messages of this turn.
    fn request(&mut self, brief: &Brief, turn: &Turn<'_>) -> Result<Vec<Message>, AgentError> {
        let profile = &self.options.profile;
        let picture = turn.view.observation.picture.pixels();
        let scale = profile.scale(picture.dimensions()).map_err(|error| Self::setup(error.to_string()))?;
        let present = self.state.steps.len();
        self.state.pictures.retain(|(step, _)| *step != present);
        self.state.pictures.push_back((present, sent(profile, picture, NAME)?));
        while self.state.pictures.len() > profile.pictures() {
            self.state.pictures.pop_front();
        }
        let goal = match turn.person {
            Some(words) => &format!("{}\nThe person who set this task adds: {words}", brief.goal),
            None => &brief.goal,
        };
        let said = profile.messages(&Material {
            goal,
            device: Some(&brief.device),
            scale,
            steps: &self.state.steps,
        })?;
        let picture = |step: usize| self.state.pictures.iter().find(|(n, _)| *n == step).map(|(_, png)| png);
        Ok(messages(said, picture))
    }

    /// A reply, and what it comes to on this screen.
    fn read(&self, reply: &ModelReply, brief: &Brief, turn: &Turn<'_>) -> Result<Usable, String> {
        let profile = &self.options.profile;
        let seen = &turn.view.observation;
        let read = profile.read(&reply.text).map_err(|error| match reply.finish.as_deref() {
            Some("length") => {
                format!("{error}; it was cut off after {} tokens, so keep it short", self.options.max_tokens)
            }
            _ => error,
        })?;
        let scale = profile.scale(seen.picture.size()).map_err(|error| error.to_string())?;
        let mut hand = self.state.hand.clone();
        let all = steps(profile, &read, (seen, &brief.device, scale), &mut hand)?;
        Ok(Usable { read, all, hand })
    }

    /// Takes a reply that can be carried out into the history.
    fn accept(&mut self, usable: Usable, text: &str, turn: &Turn<'_>) -> Decision {
        let Usable { read, all, hand } = usable;
        let state = &mut self.state;
        state.hand = hand;
        state.geometry = Some(turn.view.observation.geometry);
        state.queue = all.into();
        let calls: Vec<String> = read.calls.iter().map(ToString::to_string).collect();
        let call = calls.join("; ");
        let thought = read.thought.clone().or_else(|| read.thinking.clone());
        state.steps.push(PastStep {
            reply: text.split_once("</think>").map_or(text, |(_, rest)| rest).trim().to_owned(),
            thought: thought.clone().unwrap_or_default(),
            operation: read.operation.clone().unwrap_or_else(|| call.clone()),
            call,
        });
        let mut decision = match state.queue.pop_front() {
            Some(first) => decided(first, turn),
            None => Decision::of(Choice::Pass { reason: "there is no call in the reply".to_owned() }),
        };
        decision.thought = thought;
        decision.summary = read.operation;
        decision
    }
}

/// A reply that can be carried out.
struct Usable {
    read: Reply,
    all: Vec<CallStep>,
    hand: InputState,
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

    fn begin(&mut self, brief: &Brief) -> Result<(), AgentError> {
        self.brief = Some(brief.clone());
        self.state = State::default();
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision, AgentError> {
        let brief = self.brief.clone().ok_or_else(|| Self::setup("begin an episode first".to_owned()))?;
        if let Some(decision) = for_a_person(turn.view) {
            return Ok(decision);
        }
        if let Some(next) = self.next(turn) {
            return Ok(decided(next, turn));
        }
        if turn.view.observation.picture.is_empty() {
            let reason =
                "there is no picture of the screen, and the model has nothing else to look at".to_owned();
            return Ok(Decision::of(Choice::Pass { reason }));
        }
        let mut asked = self.request(&brief, turn)?;
        let (mut purpose, mut new) = ("decide", transcript(&asked));
        let mut exchanges: Vec<Exchange> = Vec::with_capacity(2);
        loop {
            let (client, limit) = (self.client.as_ref(), self.options.max_tokens);
            let (reply, mut exchange) = ask(client, limit, purpose, &asked, &new, turn.deadline).await?;
            let usable = self.read(&reply, &brief, turn);
            let error = match usable {
                Ok(usable) => {
                    exchange.thinking.clone_from(&usable.read.thinking);
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
                let mut decision = Decision::of(Choice::Pass { reason: error });
                decision.exchanges = exchanges;
                return Ok(decision);
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
