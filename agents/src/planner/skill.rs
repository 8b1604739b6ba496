//! The skill `widget`: one step of the planner in which the frame policy plays one widget.
//!
//! Invariants: what may be played is fixed in an episode's first turn, before any model has spoken: exact
//! origins that the command line names, and the start page's own where it is of this machine. Every input
//! carries that gate to the device. Once the gate was shut in a step, the skill is gone for the episode; a
//! page that asks for a person, or a pointer that cannot be let go behind a shut gate, ends the episode.

use std::sync::Arc;

use waldo_cage::ScriptEngine;
use waldo_devices::{Action, GateClosed, HeldPointer, OriginGate, OriginRule};
use waldo_prompts::Prompts;

use crate::agent::{Agent as _, Brief, Choice, Decision, Exchange, Note, Turn, View};
use crate::error::Result;
use crate::frames::{FramesAgent, FramesOptions, Stop, may_act};
use crate::model::ModelClient;

/// Inputs of one step at most.
const INPUTS: u32 = 160;
/// Steps of the episode that a widget leaves to the planner.
const LEFT: u32 = 1;

#[derive(Clone)]
pub struct WidgetSkill {
    pub engine: Arc<dyn ScriptEngine>,
    /// How widgets are played; `origins` as for the frame policy.
    pub options: FramesOptions,
}

#[derive(Default)]
pub(crate) struct Skill {
    /// Whether an episode's first turn has been.
    begun: bool,
    gate: Option<OriginGate>,
    shut: Option<String>,
    /// Why it cannot be used on what is seen now.
    refusal: Option<String>,
    /// Whether it could be used on what the first turn saw.
    pub(crate) was_usable: bool,
    running: Option<SkillRun>,
}

struct SkillRun {
    frames: FramesAgent,
    inputs: u32,
    held: HeldPointer,
    /// The last input, until it is known whether it was refused.
    last: Option<Action>,
}

pub(crate) enum SkillStep {
    Input(Box<Decision>),
    /// The step is over: whether it went well, what is told of it, and requests that no input came of.
    Over {
        done: bool,
        told: String,
        exchanges: Vec<Exchange>,
    },
    End(Box<Decision>),
}

impl SkillStep {
    fn none() -> Self {
        Self::Over { done: false, told: "it is not at hand".to_owned(), exchanges: Vec::new() }
    }
}

impl Skill {
    /// Looks at what is seen, and in an episode's first turn fixes what may be played.
    pub(crate) fn look(&mut self, with: Option<&WidgetSkill>, brief: &Brief, view: &View) {
        let seen = &view.observation;
        let first = !std::mem::replace(&mut self.begun, true);
        if first
            && let Some(with) = with
            && brief.device.platform.has_pages()
            // A guard that lets pages of any origin through would leave the network open.
            && with.options.origins.iter().all(|rule| rule.exact().is_some())
        {
            let mut rules = with.options.origins.clone();
            // Allows the start page alone, and that on this machine only.
            rules.extend(OriginRule::parse("*").ok());
            self.gate = Some(OriginGate::of(&rules, &seen.context.location));
        }
        self.refusal = match (&self.gate, &self.shut) {
            (None, _) => Some("only pages of exactly allowed origins have them".to_owned()),
            (_, Some(shut)) => Some(shut.clone()),
            (Some(gate), None) => match gate.observed(seen) {
                // Such a page is handed over when a widget on it is to be played.
                Ok(()) | Err(GateClosed::Person(_)) => None,
                Err(shut) => Some(shut.to_string()),
            },
        };
        self.was_usable = if first { self.refusal.is_none() } else { self.was_usable };
    }

    pub(crate) fn usable(&self) -> Result<(), String> {
        match &self.refusal {
            None => Ok(()),
            Some(why) => Err(format!("the tools for widgets cannot be used here: {why}")),
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Drops what is under way: an input that was asked for is not to be made.
    pub(crate) fn abandon(&mut self) {
        self.running = None;
    }

    pub(crate) async fn start(
        &mut self,
        with: &WidgetSkill,
        (client, prompts): (Arc<dyn ModelClient>, Arc<Prompts>),
        goal: String,
        brief: &Brief,
        turn: &Turn<'_>,
    ) -> Result<SkillStep> {
        let Some(gate) = self.gate.clone() else {
            return Ok(SkillStep::none());
        };
        let mut frames =
            FramesAgent::new(client, prompts, with.engine.clone(), with.options.clone()).behind(gate);
        let max_steps = brief.max_steps.saturating_sub(LEFT).min(turn.step.saturating_add(INPUTS));
        frames.begin(&Brief { goal, max_steps, ..brief.clone() })?;
        self.running = Some(SkillRun { frames, inputs: 0, held: HeldPointer::default(), last: None });
        // What is to be told of the planner's last action is not the script's matter.
        self.go_on(&Turn { note: None, ..*turn }).await
    }

    /// Takes what came of the last input, and asks for the next.
    pub(crate) async fn go_on(&mut self, turn: &Turn<'_>) -> Result<SkillStep> {
        let (Some(mut running), Some(gate)) = (self.running.take(), self.gate.clone()) else {
            return Ok(SkillStep::none());
        };
        let last = running.last.take();
        if let Some(note @ Note::Refused { .. }) = turn.note {
            self.shut = note.reason().map(str::to_owned);
            running.inputs = running.inputs.saturating_sub(1);
        } else if let Some(last) = &last {
            running.held.follow(last);
        }
        let stop = may_act(&gate, &turn.view.observation).err();
        if let Some(Stop::Origin(shut)) = &stop {
            self.shut = Some(shut.to_string());
        }
        let mut decision = running.frames.decide(turn).await?;
        let reason = match &decision.choice {
            Choice::Act { action } => {
                running.last = Some(action.clone());
                running.inputs += 1;
                decision.call = format!("widget: {}", decision.call);
                decision.gate = Some(gate);
                self.running = Some(running);
                return Ok(SkillStep::Input(Box::new(decision)));
            }
            Choice::HandOver { .. } | Choice::Fail { .. } => return Ok(SkillStep::End(Box::new(decision))),
            Choice::Infeasible { reason } | Choice::Pass { reason } | Choice::GiveUp { reason } => {
                Some(reason.clone())
            }
            Choice::Finish { .. } => None,
        };
        // Only closing the page can let go.
        if running.held.at().is_some() {
            return Ok(SkillStep::End(Box::new(decision)));
        }
        let inputs = match running.inputs {
            1 => "1 input".to_owned(),
            n => format!("{n} inputs"),
        };
        let told = match &reason {
            None => format!("its script came to its end after {inputs}"),
            Some(reason) => format!("it failed after {inputs}: {reason}"),
        };
        Ok(SkillStep::Over { done: reason.is_none(), told, exchanges: decision.exchanges })
    }
}

pub(crate) fn goal(goal: &str, element: Option<&str>) -> String {
    match element.map(str::trim).filter(|element| !element.is_empty()) {
        Some(element) => format!("{}\n\nThis is about: {element}", goal.trim()),
        None => goal.trim().to_owned(),
    }
}
