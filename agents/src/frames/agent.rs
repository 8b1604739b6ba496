//! The frame-abstraction policy: hands out what its solving asks for, one action a turn.
//!
//! Invariants: every view passes the gate before a decision leaves; once the gate is shut no input leaves
//! any more, not even one that lets go (closing the device does that); a held pointer is let go before any
//! other end. Nothing of an earlier episode remains.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use waldo_cage::{ScriptEngine, ScriptLimits};
use waldo_devices::{Action, OriginGate, OriginRule};
use waldo_prompts::Prompts;

use super::bridge::{Out, RequestLog, ScreenAfter, SharedPointer, SolveBridge, SolveEnd};
use super::gate;
use super::solve::Solving;
use super::talk::ModelChat;
use crate::agent::{Agent, Brief, Choice, Decision, Fence, Turn};
use crate::asked;
use crate::error::{AgentError, Result};
use crate::model::ModelClient;

/// What a solving is given beyond the deadline to say that its model did not answer by then.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub struct FramesOptions {
    pub max_tokens: u32,
    /// Times that a failed script of a stage is asked for again.
    pub repairs: u32,
    /// What a script may use up; `model_calls` counts for the whole solving.
    pub limits: ScriptLimits,
    /// Origins that the task or the command line names, beside a loopback start page. Only exact rules count.
    pub origins: Vec<OriginRule>,
}

impl Default for FramesOptions {
    fn default() -> Self {
        let wall = Duration::from_secs(300);
        let limits = ScriptLimits { wall, ..ScriptLimits::default() };
        Self { max_tokens: 2_048, repairs: 3, limits, origins: Vec::new() }
    }
}

pub struct FramesAgent {
    client: Arc<dyn ModelClient>,
    prompts: Arc<Prompts>,
    engine: Arc<dyn ScriptEngine>,
    options: FramesOptions,
    brief: Option<Brief>,
    running: Option<SolvingTask>,
    fixed: Option<OriginGate>,
    over: Option<SolveEnd>,
}

/// A solving that is under way. Dropped, it is ended, and its script with it.
struct SolvingTask {
    task: JoinHandle<()>,
    asks: mpsc::Receiver<Out>,
    back: mpsc::Sender<ScreenAfter>,
    gate: Arc<OriginGate>,
    held: SharedPointer,
    log: RequestLog,
    /// The ask whose action was handed out last.
    number: u64,
}

impl Drop for SolvingTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FramesAgent {
    /// A policy that asks `client` and runs scripts in `engine`.
    pub fn new(
        client: Arc<dyn ModelClient>,
        prompts: Arc<Prompts>,
        engine: Arc<dyn ScriptEngine>,
        options: FramesOptions,
    ) -> Self {
        Self { client, prompts, engine, options, brief: None, running: None, fixed: None, over: None }
    }

    /// The same behind a gate that was fixed earlier than its own first turn.
    #[must_use]
    pub(crate) fn behind(mut self, gate: OriginGate) -> Self {
        self.fixed = Some(gate);
        self
    }

    fn start(&self, turn: &Turn<'_>) -> Result<Result<SolvingTask, gate::Stop>> {
        let brief = self.brief.as_ref().ok_or_else(|| AgentError::not_begun("frames"))?;
        let gate = Arc::new(self.fixed.clone().unwrap_or_else(|| {
            let mut rules = self.options.origins.clone();
            // A rule for any origin allows the start page alone, and that on this machine only.
            rules.extend(OriginRule::parse("*").ok());
            OriginGate::of(&rules, &turn.view.observation.context.location)
        }));
        // Before anything of the page reaches a model.
        if let Err(stop) = gate::view(&gate, &turn.view.observation) {
            return Ok(Err(stop));
        }
        let (out, asks) = mpsc::channel(1);
        let (back, answers) = mpsc::channel(2);
        let (held, log) = (SharedPointer::default(), RequestLog::default());
        // One for letting go and one for finishing.
        let inputs = brief.max_steps.saturating_sub(turn.step).saturating_sub(1);
        let line = SolveBridge::new((out, answers), seen(turn, 0), gate.clone(), held.clone(), inputs);
        let questions = self.options.limits.model_calls;
        let talk = ModelChat::new(
            self.client.clone(),
            self.prompts.clone(),
            self.options.max_tokens,
            log.clone(),
            questions,
        );
        let solving = Solving {
            goal: brief.goal.clone(),
            engine: self.engine.clone(),
            line,
            talk,
            limits: self.options.limits,
            repairs: self.options.repairs,
        };
        let task = tokio::spawn(asked::by_task(asked::log(), solving.run()));
        Ok(Ok(SolvingTask { task, asks, back, gate, held, log, number: 0 }))
    }

    /// Ends the solving. With a pointer held that is let go first, and the end follows a turn later.
    fn finish(&mut self, end: SolveEnd) -> Result<Decision> {
        let held = self.running.take().and_then(|running| running.held.at());
        if let Some(at) = held {
            self.over = Some(end);
            let choice = Choice::Act { action: Action::PointerUp { at } };
            return Ok(Decision { call: "let go".to_owned(), ..Decision::of(choice) });
        }
        last(end)
    }
}

fn stopped(stop: gate::Stop) -> SolveEnd {
    match stop {
        gate::Stop::Person(_) => SolveEnd::HandOver(stop.to_string()),
        gate::Stop::Origin(_) => SolveEnd::GaveUp(stop.to_string()),
    }
}

fn last(end: SolveEnd) -> Result<Decision> {
    match end {
        SolveEnd::Done => Ok(Decision::of(Choice::Finish { answer: None })),
        SolveEnd::HandOver(reason) => Ok(Decision::of(Choice::HandOver { reason })),
        // Whether the task can be done is not known then: nothing is claimed.
        SolveEnd::GaveUp(reason) => Ok(Decision::of(Choice::GiveUp { reason })),
        SolveEnd::Failed(fault) => Err(fault),
    }
}

fn seen(turn: &Turn<'_>, number: u64) -> ScreenAfter {
    ScreenAfter {
        number,
        observation: turn.view.observation.clone(),
        note: turn.note.cloned(),
        deadline: turn.deadline,
    }
}

#[async_trait]
impl Agent for FramesAgent {
    fn name(&self) -> &'static str {
        "frames"
    }

    fn fence(&self) -> Fence {
        Fence::Origins
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.running = None;
        self.over = None;
        gate::device(&brief.device).map_err(|stop| AgentError::setup("frames", stop))?;
        self.brief = Some(brief.clone());
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        if let Some(end) = self.over.take() {
            return last(end);
        }
        let mut running = match self.running.take() {
            Some(running) => running,
            None => match self.start(turn)? {
                Ok(running) => running,
                Err(stop) => return last(stopped(stop)),
            },
        };
        if let Err(stop) = gate::view(&running.gate, &turn.view.observation) {
            let mut decision = last(stopped(stop))?;
            decision.exchanges = running.log.take();
            return Ok(decision);
        }
        // A solving that has ended says so below.
        if running.number > 0 {
            let _ = running.back.try_send(seen(turn, running.number));
        }
        // A model that is too slow is told by its client at the deadline, and is an error however the two
        // clocks run; only what is slow by itself is ended here.
        let due = turn.deadline.instant() + GRACE;
        let waited = tokio::time::timeout_at(due, running.asks.recv()).await;
        let exchanges = running.log.take();
        let mut decision = match waited {
            Ok(Some(Out::Ask(ask))) => {
                running.number = ask.number;
                running.held.note(&ask.action);
                let mut decision = Decision::of(Choice::Act { action: ask.action });
                decision.call = ask.call;
                self.running = Some(running);
                decision
            }
            ended => {
                let end = match ended {
                    Ok(Some(Out::End(end))) => end,
                    Ok(_) => SolveEnd::Failed(AgentError::setup("frames", "the solving broke off")),
                    Err(_) => SolveEnd::GaveUp("no decision came in time".to_owned()),
                };
                self.running = Some(running);
                self.finish(end)?
            }
        };
        decision.exchanges = exchanges;
        Ok(decision)
    }
}
