//! An agent at whose wheel a person may sit.
//!
//! It stands between episode and agent: before the agent is asked it waits while a person has paused it or acts, and
//! before an action is carried out it asks the person where one wants to be asked.
//!
//! Invariants: an agent is asked only when it has the wheel; what a person did in between is told to it with its next
//! turn; a decision of the agent that is not carried out is told to it as such, and what it cost is counted all the same;
//! a person who steps in while the agent decides is not kept waiting: the decision is dropped, and recorded as dropped.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use waldo_agents::{
    Agent, AskedLog, Brief, Choice, Decision, Exchange, Fence, Note, PersonPart, Result, TagScheme, Turn,
    View,
};
use waldo_devices::{
    Action, ActionEffect, ActionPlace, CallTarget, Deadline, DeviceInfo, Effects, Element, Frames,
    GroundContext, OwnHands, Point, Tag,
};
use waldo_tasks::demo::stroke;
use waldo_tasks::runner::AgentSource;
use waldo_tasks::{EpisodeKey, TaskError};

use super::command::PostedCall;
use super::hub::Hub;
use super::page::episode_key;
use super::wheel::{ApprovalAnswer, Wheel, WheelStep};

/// An agent with a wheel; without an agent the person alone acts.
pub struct Steered {
    inner: Option<Box<dyn Agent>>,
    hub: Arc<Hub>,
    wheel: Arc<Wheel>,
    key: String,
    brief: Option<Brief>,
    /// The device's word on the agent's last action, kept while a person acts.
    note: Option<Note>,
    last: LastTurn,
    /// What the person did since the agent was asked last.
    done: Vec<String>,
    /// What the agent has to be told with its next decision: the person's words, and whether the goal is another.
    unheard: Vec<String>,
    has_new_goal: bool,
    /// What decisions cost that were not carried out.
    spent: Vec<Exchange>,
    /// What the decision under way, or the one that was dropped, has asked models.
    asked: AskedLog,
    /// Why a decision was dropped, where that is not recorded yet.
    dropped: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastTurn {
    Agent,
    Person,
    /// The person's, who looked only.
    Look,
}

impl Steered {
    pub fn new(inner: Option<Box<dyn Agent>>, hub: &Arc<Hub>, key: &EpisodeKey) -> Self {
        Self {
            inner,
            hub: hub.clone(),
            wheel: hub.wheel(key),
            key: episode_key(key),
            brief: None,
            note: None,
            last: LastTurn::Agent,
            done: Vec::new(),
            unheard: Vec::new(),
            has_new_goal: false,
            spent: Vec::new(),
            asked: AskedLog::default(),
            dropped: None,
        }
    }

    fn persons(&mut self, call: &PostedCall, turn: &Turn<'_>) -> Result<Decision, String> {
        let (action, tag, call) = meant(call, turn.view, turn.device)?;
        let on = tag.and_then(|tag| turn.view.element(tag)).map(named).unwrap_or_default();
        self.done.push(format!("{call}{on}"));
        Ok(Decision { tag, call, ..by_person(Choice::Act { action }) })
    }

    /// What the agent is told of a person's doing and words; it is told again until a decision comes of it.
    fn persons_words(&mut self) -> Option<String> {
        let done = std::mem::take(&mut self.done);
        if !done.is_empty() {
            let done = done.join("; ");
            self.unheard.push(format!("since your last action I did this myself: {done}."));
        }
        self.unheard.extend(self.wheel.words());
        (!self.unheard.is_empty()).then(|| self.unheard.join(" "))
    }

    /// A decision of the agent, or `None` where a person has to act first.
    async fn agents(&mut self, turn: &Turn<'_>, left: std::time::Duration) -> Result<Option<Decision>> {
        self.keep_dropped();
        let words = self.persons_words();
        let Some(inner) = &mut self.inner else { return Ok(None) };
        if let (Some(goal), Some(brief)) = (self.wheel.goal(), &mut self.brief) {
            brief.goal = goal;
            inner.begin(brief)?;
            // The last action was for another goal.
            (self.note, self.has_new_goal) = (None, true);
        }
        // The task's own person may have answered besides.
        let told: Vec<&str> = turn.person.into_iter().chain(words.as_deref()).collect();
        let told = (!told.is_empty()).then(|| told.join(" "));
        let own = Turn {
            note: self.note.as_ref(),
            // The time that a person took is not the agent's.
            deadline: Deadline::after(left),
            person: told.as_deref(),
            ..*turn
        };
        let decided = tokio::select! {
            biased;
            why = self.wheel.stepped_in() => Err(why),
            decided = self.asked.during(inner.decide(&own)) => Ok(decided),
        };
        self.wheel.decided();
        let mut decision = match decided {
            Ok(decided) => decided?,
            Err(why) => {
                self.dropped = Some(why.to_owned());
                return Ok(None);
            }
        };
        self.asked.take();
        self.note = None;
        self.unheard.clear();
        if std::mem::take(&mut self.has_new_goal) || words.is_some() {
            decision.person = Some(PersonPart::Advised);
        }
        match &decision.choice {
            Choice::HandOver { reason } => {
                if self.wheel.hand_over(reason).await {
                    self.withdraw(&mut decision);
                    return Ok(None);
                }
                Ok(Some(decision))
            }
            Choice::Act { action } => {
                let effects = action.effects(turn.device.platform);
                if !self.wheel.is_about(effects) {
                    return Ok(Some(decision));
                }
                let mut question = proposed(action, effects, decision.tag);
                question["edit"] = json!(true);
                question["thought"] = json!(decision.thought);
                question["call"] = json!(decision.call);
                let named = decision.tag.and_then(|tag| turn.view.element(tag)).or_else(|| {
                    let at = action.point()?;
                    turn.view.at(at).map(|(_, element)| element)
                });
                if let Some(element) = named {
                    question["element"] = json!({ "role": element.role, "name": element.name });
                }
                Ok(self.answered(question, decision, turn).await)
            }
            _ => Ok(Some(decision)),
        }
    }

    async fn answered(
        &mut self,
        question: Value,
        mut decision: Decision,
        turn: &Turn<'_>,
    ) -> Option<Decision> {
        loop {
            match self.wheel.ask(question.clone()).await {
                ApprovalAnswer::Yes => {
                    if let Choice::Act { action } = &decision.choice {
                        self.wheel.approved(action);
                    }
                    decision.person.get_or_insert(PersonPart::Approved);
                    return Some(decision);
                }
                ApprovalAnswer::No(words) => {
                    let why = if words.is_empty() { String::new() } else { format!(": {words}") };
                    decision.choice = Choice::Pass { reason: format!("the person refused it{why}") };
                    decision.person = Some(PersonPart::Refused);
                    return Some(decision);
                }
                ApprovalAnswer::Edit(call) => match meant(&call, turn.view, turn.device) {
                    Ok((action, tag, call)) => {
                        self.wheel.approved(&action);
                        self.done.push(format!("{call} in place of {}", decision.call));
                        decision.choice = Choice::Act { action };
                        (decision.tag, decision.call) = (tag, call);
                        decision.person = Some(PersonPart::Edited);
                        return Some(decision);
                    }
                    Err(reason) => tracing::info!(reason, "an edited action means nothing here"),
                },
                ApprovalAnswer::None => {
                    self.withdraw(&mut decision);
                    return None;
                }
            }
        }
    }

    /// Keeps what a dropped decision asked models, for the record.
    fn keep_dropped(&mut self) {
        let asked = self.asked.take();
        let Some(why) = self.dropped.take() else { return };
        self.spent.extend(asked.into_iter().map(|mut one| {
            one.dropped = one.dropped.map(|_| why.clone());
            one
        }));
    }

    /// Keeps what a decision cost that is not carried out, and what the agent has to know of it.
    fn withdraw(&mut self, decision: &mut Decision) {
        self.spent.append(&mut decision.exchanges);
        let reason = "the person took over before it was carried out".to_owned();
        self.note = Some(Note::failed(reason));
    }
}

#[async_trait]
impl Agent for Steered {
    fn name(&self) -> &'static str {
        self.inner.as_ref().map_or("person", |inner| inner.name())
    }

    fn fence(&self) -> Fence {
        self.inner.as_ref().map_or(Fence::Guard, |inner| inner.fence())
    }

    fn numbering(&self, device: &DeviceInfo) -> TagScheme {
        self.inner.as_ref().map_or(TagScheme::Waldo, |inner| inner.numbering(device))
    }

    fn has_own_hands(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.has_own_hands())
    }

    fn take_hands(&mut self, hands: Arc<dyn OwnHands>) {
        if let Some(inner) = &mut self.inner {
            inner.take_hands(hands);
        }
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.brief = Some(brief.clone());
        (self.note, self.last) = (None, LastTurn::Agent);
        self.done.clear();
        if let Some(inner) = &mut self.inner { inner.begin(brief) } else { Ok(()) }
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        self.hub.sees(&self.key, turn.view, turn.device);
        if self.last == LastTurn::Agent {
            self.note = turn.note.cloned();
        } else if self.last == LastTurn::Person {
            let reason = turn.note.and_then(Note::reason);
            self.wheel.says(reason.map(|reason| format!("Not done: {reason}")));
            if let (Some(reason), Some(last)) = (reason, self.done.last_mut()) {
                // The agent reads it among the words of the person.
                last.push_str(&format!(" (not done: {reason})"));
            }
        }
        let mut decision = self.whoever_has_the_wheel(turn).await?;
        self.keep_dropped();
        decision.exchanges.splice(0..0, std::mem::take(&mut self.spent));
        Ok(decision)
    }

    async fn end(&mut self, outcome: &str, last: &View) {
        if let Some(inner) = &mut self.inner {
            inner.end(outcome, last).await;
        }
    }
}

impl Steered {
    async fn whoever_has_the_wheel(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        let left = turn.deadline.left();
        loop {
            match self.wheel.next(self.inner.is_some()).await {
                WheelStep::Stop | WheelStep::Discard => {
                    let reason = "the person stopped it".to_owned();
                    return Ok(by_person(Choice::GiveUp { reason }));
                }
                WheelStep::Finish(answer) => return Ok(by_person(Choice::Finish { answer })),
                WheelStep::Look => {
                    self.last = LastTurn::Look;
                    let reason = "the person looked again".to_owned();
                    return Ok(by_person(Choice::Pass { reason }));
                }
                WheelStep::Act(call) => {
                    self.last = LastTurn::Person;
                    match self.persons(&call, turn) {
                        Ok(decision) => return Ok(decision),
                        // The record keeps the attempt, and the page is told.
                        Err(reason) => return Ok(by_person(Choice::Pass { reason })),
                    }
                }
                WheelStep::Agent => {
                    if let Some(decision) = self.agents(turn, left).await? {
                        self.last = LastTurn::Agent;
                        return Ok(decision);
                    }
                }
            }
        }
    }
}

fn by_person(choice: Choice) -> Decision {
    Decision { person: Some(PersonPart::Decided), ..Decision::of(choice) }
}

fn named(element: &Element) -> String {
    format!(" on the {} \"{}\"", element.role.as_str(), element.name)
}

/// A question about an action, as the page shows it.
pub(super) fn proposed(action: &Action, effects: Effects, tag: Option<Tag>) -> Value {
    let does: Vec<&str> = match effects == Effects::all() {
        true => vec!["anything"],
        false => effects.iter().map(ActionEffect::name).collect(),
    };
    let scroll = match action {
        Action::Scroll { by, .. } => Some([by.right, by.down]),
        _ => None,
    };
    json!({
        "what": action.describe(),
        "name": action.name(),
        "effects": does,
        "tag": tag,
        "points": crate::report::points(action),
        "by": scroll,
    })
}

/// The action that a person's call comes to, the number that it names, and the call in words.
fn meant(
    call: &PostedCall,
    view: &View,
    device: &DeviceInfo,
) -> Result<(Action, Option<Tag>, String), String> {
    match call {
        PostedCall::Stroke { from, to } => {
            let place = |[x, y]: [f64; 2]| Point::new(x, y);
            stroke(place(*from), place(*to), view, device)
        }
        PostedCall::Tool { tool, args } => tool_call(tool, args, view, device),
    }
}

fn tool_call(
    name: &str,
    args: &Map<String, Value>,
    view: &View,
    device: &DeviceInfo,
) -> Result<(Action, Option<Tag>, String), String> {
    let call = PostedCall::tool(name, args)?;
    let locate = |_: usize, target: &CallTarget| match target {
        CallTarget::Element { tag, at } => {
            let element = view.element(*tag).ok_or_else(|| format!("no element has the number {}", tag.0))?;
            Ok(ActionPlace::on(element, *at))
        }
        CallTarget::Place(at) => {
            let point = view.observation.geometry.check(*at).map_err(|e| e.to_string())?;
            Ok(ActionPlace { element: None, point })
        }
        CallTarget::Area(_) | CallTarget::Described(_) => {
            Err("give the element's number or a place".to_owned())
        }
    };
    let action = call.ground(&GroundContext { seen: &view.observation, device, locate: &locate })?;
    let tag = call.tag().or_else(|| action.point().and_then(|at| view.at(at)).map(|(tag, _)| tag));
    let words = format!("{} {}", call.tool.name(), Value::Object(call.parameters()));
    Ok((action, tag, words))
}

pub struct SteeredAgents {
    inner: Arc<dyn AgentSource>,
    hub: Arc<Hub>,
}

impl SteeredAgents {
    pub fn new(inner: Arc<dyn AgentSource>, hub: Arc<Hub>) -> Self {
        Self { inner, hub }
    }
}

impl AgentSource for SteeredAgents {
    fn agent(&self, contestant: &str) -> Result<Box<dyn Agent>, TaskError> {
        self.inner.agent(contestant)
    }

    fn agent_for(&self, key: &EpisodeKey) -> Result<Box<dyn Agent>, TaskError> {
        let inner = self.inner.agent_for(key)?;
        Ok(Box::new(Steered::new(Some(inner), &self.hub, key)))
    }

    fn frames_for(&self, key: &EpisodeKey) -> Option<Frames> {
        Some(self.hub.frames(key))
    }
}
