//! The agent that a client of the protocol is.
//!
//! It takes calls from a channel, one after the other. A call that acts is grounded on the screen and becomes a
//! decision; the episode guards, carries out and records it, and the next turn tells what came of it, which is the
//! call's answer. A call that only looks becomes a decision to pass, so that every screen that a client was shown is in
//! the record.
//!
//! Invariants: calls are answered in the order in which they were taken; one whose caller has gone is not carried out; a
//! call never ends the episode, only the end of the session does.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use waldo_agents::{Agent, AgentError, Brief, Choice, Decision, Fence, Note, Turn};
use waldo_devices::{ActionPlace, CallTarget, DeviceInfo, Element, GroundContext, StateProbe, Tag, ToolCall};

use super::approval::{ApprovalCaller, Person};
use super::delegate::{Delegate, DelegateEnd, DelegateGoal, DelegateTurn, DelegatedGoal};
use super::numbers::Numbers;
use super::observing::{Awaited, NextCapture};
use super::screen::NumberedScreen;

/// Calls that may wait for their turn.
const WAITING: usize = 256;
/// A screen that was seen so long ago is looked at again before something on it is acted on.
const FRESH: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub enum ClientRequest {
    /// The screen as it is now, or once what is waited for is there; without a picture where nobody asked for one.
    Look {
        awaited: Option<Awaited>,
        picture: bool,
    },
    /// The screen, and what is read of its state: the text of the whole page, for instance.
    Read(StateProbe),
    Act(ToolCall),
    Delegate(DelegateGoal),
    End(Choice),
}

#[derive(Debug)]
pub struct PendingCall {
    asked: ClientRequest,
    person: Person,
    reply: oneshot::Sender<CallOutcome>,
}

/// What came of a call; an error is a fragment for the client.
pub type CallOutcome = Result<CallResult, String>;

#[derive(Clone, Debug)]
pub struct CallResult {
    /// The screen that the call was about.
    pub before: Arc<NumberedScreen>,
    pub after: Arc<NumberedScreen>,
    pub note: Option<Note>,
    /// What was read, where that was asked for and there is one.
    pub text: Option<String>,
    pub delegated: Option<DelegateEnd>,
}

#[derive(Clone, Debug)]
pub struct Connection {
    calls: mpsc::Sender<PendingCall>,
}

impl Connection {
    /// Has a call of `person` carried out. `None` where the session has ended.
    pub async fn call(&self, asked: ClientRequest, person: Person) -> Option<CallOutcome> {
        let (reply, answer) = oneshot::channel();
        self.calls.send(PendingCall { asked, person, reply }).await.ok()?;
        answer.await.ok()
    }
}

pub struct ClientAgent {
    calls: mpsc::Receiver<PendingCall>,
    ended: CancellationToken,
    wanted: Arc<NextCapture>,
    device: Option<DeviceInfo>,
    numbers: Numbers,
    screen: Option<Arc<NumberedScreen>>,
    current: Option<PendingCall>,
    /// A call that wants a fresh screen first.
    next: Option<PendingCall>,
    caller: ApprovalCaller,
    delegate: Option<Delegate>,
    /// The goal that is pursued, for the call under way, and the screen that it began on.
    pursuit: Option<(DelegatedGoal, Arc<NumberedScreen>)>,
    /// Whether decisions are steps that are counted: what is acted on then is the screen of this turn, however old it is,
    /// and the first look at it is no decision.
    is_scored: bool,
}

impl ClientAgent {
    /// The agent, and the connection to it. It ends the episode once `ended` is cancelled.
    pub fn new(
        wanted: Arc<NextCapture>,
        caller: ApprovalCaller,
        delegate: Option<Delegate>,
        ended: CancellationToken,
    ) -> (Self, Connection) {
        let (calls, taken) = mpsc::channel(WAITING);
        let agent = Self {
            calls: taken,
            ended,
            wanted,
            device: None,
            numbers: Numbers::default(),
            screen: None,
            current: None,
            next: None,
            caller,
            delegate,
            pursuit: None,
            is_scored: false,
        };
        (agent, Connection { calls })
    }

    /// The same for an episode whose steps are counted.
    pub fn of_an_episode(self) -> Self {
        Self { is_scored: true, ..self }
    }

    /// Answers the call under way with the screen of this turn.
    fn answer(
        &mut self,
        note: Option<&Note>,
        before: Option<Arc<NumberedScreen>>,
        after: &Arc<NumberedScreen>,
    ) {
        let Some(PendingCall { asked, reply, .. }) = self.current.take() else { return };
        let acted = matches!(asked, ClientRequest::Act(_));
        let text = if matches!(asked, ClientRequest::Read(_)) { self.wanted.text() } else { None };
        let seen = CallResult {
            before: before.unwrap_or_else(|| after.clone()),
            after: after.clone(),
            note: note.filter(|_| acted).cloned(),
            text,
            delegated: None,
        };
        // The caller may have gone meanwhile.
        let _ = reply.send(Ok(seen));
    }

    fn take_up(&self, goal: DelegateGoal) -> Result<DelegatedGoal, String> {
        let delegate = self.delegate.as_ref().ok_or("no agent was named: start waldo mcp with --agent")?;
        let device = self.device.as_ref().ok_or("the session has not begun")?;
        DelegatedGoal::begin(delegate, device, goal)
    }

    /// The next decision of the goal that is pursued; `None` once it has ended without one, and its call is answered.
    async fn pursue(
        &mut self,
        turn: &Turn<'_>,
        note: Option<&Note>,
        screen: &Arc<NumberedScreen>,
    ) -> Option<Decision> {
        let (pursuit, _) = self.pursuit.as_mut()?;
        let ended = self.ended.clone();
        let next = tokio::select! {
            biased;
            () = ended.cancelled() => return None,
            next = pursuit.next(turn, note) => next,
        };
        match next {
            DelegateTurn::Step(decision) => Some(*decision),
            DelegateTurn::End(end, last) => {
                let begun = self.pursuit.take().map(|(_, begun)| begun);
                if let Some(PendingCall { reply, .. }) = self.current.take() {
                    let seen = CallResult {
                        before: begun.unwrap_or_else(|| screen.clone()),
                        after: screen.clone(),
                        note: None,
                        text: None,
                        delegated: Some(end.clone()),
                    };
                    let _ = reply.send(Ok(seen));
                }
                // The record keeps the decision; the session goes on.
                last.map(|last| Decision {
                    choice: looks(&format!("the agent's end: {}", end.outcome)),
                    ..*last
                })
            }
        }
    }

    async fn next_call(&mut self) -> Option<PendingCall> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        let ended = self.ended.clone();
        tokio::select! {
            biased;
            () = ended.cancelled() => None,
            call = self.calls.recv() => call,
        }
    }

    fn ground(&self, call: &ToolCall, screen: &NumberedScreen) -> Result<Choice, String> {
        let device = self.device.as_ref().ok_or("the session has not begun")?;
        let locate = |_: usize, target: &CallTarget| match target {
            CallTarget::Element { tag, at } => Ok(ActionPlace::on(self.element(screen, *tag)?, *at)),
            CallTarget::Place(at) => {
                let point = screen.view.observation.geometry.check(*at).map_err(|e| e.to_string())?;
                Ok(ActionPlace { element: None, point })
            }
            CallTarget::Area(_) => Err("there is no grid here: give the element's number".to_owned()),
            CallTarget::Described(_) => {
                Err("an element is named by its number, as observe lists it".to_owned())
            }
        };
        let action =
            call.ground(&GroundContext { seen: &screen.view.observation, device, locate: &locate })?;
        Ok(Choice::Act { action })
    }

    fn element<'a>(&self, screen: &'a NumberedScreen, tag: Tag) -> Result<&'a Element, String> {
        screen.view.element(tag).ok_or_else(|| {
            if tag.0 >= 1 && tag.0 <= self.numbers.given {
                format!("element {} is not on the screen any more, or not certainly the same: observe lists the numbers of now", tag.0)
            } else {
                format!("no element has the number {}: observe lists the numbers", tag.0)
            }
        })
    }
}

#[async_trait]
impl Agent for ClientAgent {
    fn name(&self) -> &'static str {
        "client"
    }

    fn fence(&self) -> Fence {
        self.delegate.as_ref().map_or(Fence::Guard, |delegate| delegate.fence)
    }

    fn begin(&mut self, _: &Brief) -> Result<(), AgentError> {
        self.numbers = Numbers::default();
        self.screen = None;
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision, AgentError> {
        self.device = Some(turn.device.clone());
        let tagged = self.numbers.number(turn.view);
        let screen = Arc::new(NumberedScreen::new(turn.view, tagged));
        let before = self.screen.replace(screen.clone());
        if self.pursuit.is_some() {
            if let Some(decision) = self.pursue(turn, turn.note, &screen).await {
                return Ok(decision);
            }
        } else {
            let answered = turn.person.map(|text| Note::Printed { text: text.to_owned() });
            self.answer(answered.as_ref().or(turn.note), before, &screen);
        }
        let mut is_seen = !self.is_scored;
        loop {
            self.caller.set(Person::Nobody);
            let Some(pending) = self.next_call().await else {
                return Ok(Decision::of(Choice::GiveUp {
                    reason: "the client ended the session".to_owned(),
                }));
            };
            // Nobody waits for it any more: it was cancelled, or its client has gone.
            if pending.reply.is_closed() {
                continue;
            }
            let (choice, call, tag) = match &pending.asked {
                ClientRequest::Look { awaited: None, .. } if !is_seen => {
                    is_seen = true;
                    self.current = Some(pending);
                    self.answer(None, None, &screen);
                    continue;
                }
                ClientRequest::End(choice) => {
                    let choice = choice.clone();
                    let call = serde_json::json!(choice).to_string();
                    self.current = Some(pending);
                    self.answer(None, None, &screen);
                    return Ok(decision(choice, call, None));
                }
                ClientRequest::Look { awaited, picture } => {
                    self.wanted.elements_alone(!picture);
                    if let Some(awaited) = awaited {
                        self.wanted.wait_for(awaited.clone());
                    }
                    (looks("the client looks at the screen"), "observe".to_owned(), None)
                }
                ClientRequest::Read(probe) => {
                    let (reason, call) = match probe {
                        StateProbe::Console => ("the client reads the console", "console"),
                        StateProbe::Network => ("the client reads the network log", "network"),
                        _ => ("the client reads the page", "read"),
                    };
                    self.wanted.read(probe.clone());
                    (looks(reason), call.to_owned(), None)
                }
                ClientRequest::Act(_) | ClientRequest::Delegate(_)
                    if !self.is_scored && is_stale(&pending.asked, &screen) =>
                {
                    self.next = Some(pending);
                    return Ok(decision(
                        looks("the screen may have changed since it was seen"),
                        "observe".to_owned(),
                        None,
                    ));
                }
                ClientRequest::Delegate(goal) => {
                    match self.take_up(goal.clone()) {
                        Ok(pursuit) => self.pursuit = Some((pursuit, screen.clone())),
                        Err(reason) => {
                            let _ = pending.reply.send(Err(reason));
                            continue;
                        }
                    }
                    self.caller.set(pending.person.clone());
                    self.current = Some(pending);
                    match self.pursue(turn, None, &screen).await {
                        Some(decision) => return Ok(decision),
                        None => continue,
                    }
                }
                ClientRequest::Act(call) => match self.ground(call, &screen) {
                    Ok(choice) => {
                        // What came of it is told in words; the record of a scored episode has a picture of each step.
                        self.wanted.elements_alone(!self.is_scored);
                        (choice, written(call), in_record(call, turn, &screen))
                    }
                    Err(reason) => {
                        let _ = pending.reply.send(Err(reason));
                        continue;
                    }
                },
            };
            self.caller.set(pending.person.clone());
            self.current = Some(pending);
            return Ok(decision(choice, call, tag));
        }
    }
}

fn looks(reason: &str) -> Choice {
    Choice::Pass { reason: reason.to_owned() }
}

fn decision(choice: Choice, call: String, tag: Option<Tag>) -> Decision {
    Decision { tag, call, ..Decision::of(choice) }
}

/// Whether a call is about something on a screen that was seen too long ago.
fn is_stale(asked: &ClientRequest, screen: &NumberedScreen) -> bool {
    let of_screen = match asked {
        ClientRequest::Act(call) => call.targets().next().is_some(),
        ClientRequest::Delegate(_) => true,
        ClientRequest::Look { .. } | ClientRequest::Read(_) | ClientRequest::End(_) => false,
    };
    of_screen && screen.at.elapsed() > FRESH
}

fn written(call: &ToolCall) -> String {
    let parameters = serde_json::Value::Object(call.parameters());
    format!("{} {parameters}", call.tool.name())
}

/// The number that the record has for what a call names.
fn in_record(call: &ToolCall, turn: &Turn<'_>, screen: &NumberedScreen) -> Option<Tag> {
    let named = call.tag()?;
    let element = screen.view.tagged.iter().find(|t| t.tag == named)?.element;
    turn.view.tagged.iter().find(|t| t.element == element).map(|t| t.tag)
}
