//! The AppAgent policy: one prompt, one reply, one call a step.
//!
//! Invariant: a reply that cannot be used is asked for again once, with the reason; after that the step
//! is passed over. Only a model that cannot be asked is an error.

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::labels::{self, Grid};
use waldo_devices::{Deadline, DeviceInfo, Tag};
use waldo_prompts::Prompts;
use waldo_prompts::appagent::Reask;

use super::bind::PictureForm;
use super::call::FunctionCall;
use super::compat;
use super::ground::{Grounded, ground};
use super::options::{AppAgentOptions, Mode};
use super::parse::{Parsed, parse};
use super::prompt::{self, ENDINGS, TurnMemory};
use super::{catalogue, catalogue::FunctionOffer};
use crate::agent::{Agent, Brief, Choice, Decision, Exchange, Fence, TagScheme, Turn, for_a_person};
use crate::chat::{ask, message, retry_messages};
use crate::error::{AgentError, Result};
use crate::model::{Message, MessagePart, ModelClient, ModelReply, Speaker};

/// Longest summary that is kept, in characters.
const HISTORY_CHARS: usize = 2000;

pub struct AppAgent {
    client: Arc<dyn ModelClient>,
    prompts: Arc<Prompts>,
    options: AppAgentOptions,
    brief: Option<Brief>,
    memory: TurnMemory,
    on_grid: Option<Vec<u32>>,
}

struct UsedReply {
    parsed: Parsed,
    grounded: Result<Grounded, String>,
}

impl AppAgent {
    pub fn new(client: Arc<dyn ModelClient>, prompts: Arc<Prompts>, options: AppAgentOptions) -> Self {
        Self { client, prompts, options, brief: None, memory: TurnMemory::default(), on_grid: None }
    }

    async fn ask(
        &self,
        purpose: &str,
        messages: &[Message],
        text: &str,
        deadline: Deadline,
    ) -> Result<(ModelReply, Exchange)> {
        ask(self.client.as_ref(), self.options.max_tokens, purpose, messages, text, deadline).await
    }

    fn read(&self, reply: &ModelReply, brief: &Brief, turn: &Turn<'_>, grid: Option<&Grid>) -> UsedReply {
        let form = if grid.is_some() { PictureForm::Areas } else { PictureForm::Elements };
        let parsed = parse(&reply.text, form);
        let grounded = match &parsed.call {
            Err(error) if reply.is_cut_off() => Err(format!(
                "{error}; the reply was cut off after {} tokens, so keep the parts short",
                self.options.max_tokens
            )),
            Err(error) => Err(error.clone()),
            Ok(call) => {
                let written = call.to_string();
                let name = catalogue::function_name(&written);
                let known = match call.secret() {
                    Some(name) => self.options.secrets.iter().any(|known| known == name),
                    None => catalogue::offers(&brief.device, name),
                };
                if known {
                    ground(call, turn.view, &brief.device, grid)
                } else if call.secret().is_some() && !self.options.secrets.is_empty() {
                    Err(format!("{written} names no secret; there is {}", self.options.secrets.join(", ")))
                } else {
                    Err(format!("{name} is not among the functions of this device"))
                }
            }
        };
        UsedReply { parsed, grounded }
    }

    async fn tolerant(
        &mut self,
        brief: &Brief,
        turn: &Turn<'_>,
        text: String,
        mut messages: Vec<Message>,
        grid: Option<&Grid>,
    ) -> Result<Decision> {
        let (reply, mut exchange) = self.ask("decide", &messages, &text, turn.deadline).await?;
        let mut outcome = self.read(&reply, brief, turn, grid);
        exchange.repairs = std::mem::take(&mut outcome.parsed.repairs);
        let mut exchanges = Vec::with_capacity(2);
        if let Err(error) = &outcome.grounded {
            exchange.rejected = Some(error.clone());
            exchanges.push(exchange);
            let offer = if grid.is_some() { FunctionOffer::Areas } else { FunctionOffer::Elements };
            let functions = prompt::functions(brief, offer, &self.options);
            let question = self.prompts.appagent_reask(&Reask {
                error: error.clone(),
                signatures: functions.into_iter().map(|f| f.signature).filter(|s| s != "FINISH").collect(),
                endings: ENDINGS.to_owned(),
            })?;
            messages.extend(retry_messages(&reply.text, &question));
            let (reply, second) = self.ask("re-ask", &messages, &question, turn.deadline).await?;
            exchange = second;
            outcome = self.read(&reply, brief, turn, grid);
            exchange.repairs = std::mem::take(&mut outcome.parsed.repairs);
        }
        let UsedReply { parsed, grounded } = outcome;
        let call = parsed.call.ok();
        let (choice, tag) = match grounded {
            Ok(Grounded { choice, tag }) => {
                self.remember(parsed.summary.as_deref(), call.as_ref());
                self.memory.passed = matches!(choice, Choice::Pass { .. });
                self.on_grid = self.looks(call.as_ref(), grid.is_some());
                (choice, tag)
            }
            Err(error) => {
                exchange.rejected = Some(error.clone());
                self.memory.trouble = Some(error.clone());
                self.memory.passed = true;
                (Choice::Pass { reason: error }, None)
            }
        };
        exchanges.push(exchange);
        Ok(Decision {
            choice,
            tag,
            call: call.map(|c| c.to_string()).unwrap_or_default(),
            observation: parsed.observation,
            thought: parsed.thought,
            summary: parsed.summary,
            exchanges,
            plan: None,
            person: None,
            gate: None,
        })
    }

    /// The areas through which the next picture's grid looks, after this call.
    fn looks(&self, call: Option<&FunctionCall>, on_grid: bool) -> Option<Vec<u32>> {
        match call {
            Some(FunctionCall::Grid { area: Some(area) }) if on_grid => {
                Some(self.on_grid.iter().flatten().copied().chain([*area]).collect())
            }
            Some(FunctionCall::Grid { .. }) => Some(Vec::new()),
            _ => None,
        }
    }

    /// Keeps the summary; where there is none, the earlier one and the call.
    fn remember(&mut self, summary: Option<&str>, call: Option<&FunctionCall>) {
        let written = call.map(ToString::to_string);
        let history = match (summary.map(str::trim).filter(|s| !s.is_empty()), &written) {
            (Some(summary), _) => Some(summary.to_owned()),
            (None, Some(call)) => {
                let before = self.memory.history.take();
                Some(before.map_or_else(|| format!("Called {call}."), |b| format!("{b} Then called {call}.")))
            }
            (None, None) => self.memory.history.take(),
        };
        self.memory.history = history.map(|h| tail(&h));
        self.memory.call = written;
        self.memory.trouble = None;
    }

    async fn compat(
        &mut self,
        brief: &Brief,
        turn: &Turn<'_>,
        text: String,
        messages: Vec<Message>,
        grid: Option<&Grid>,
    ) -> Result<Decision> {
        let (reply, mut exchange) = self.ask("decide", &messages, &text, turn.deadline).await?;
        let read = if grid.is_some() { compat::parse_areas } else { compat::parse_elements };
        let over = |reason: &str, exchange: &mut Exchange| {
            exchange.rejected = Some(reason.to_owned());
            // AppAgent's run ends here, and nothing is claimed.
            Choice::GiveUp { reason: reason.to_owned() }
        };
        self.on_grid = None;
        let mut decision = Decision::of(match read(&reply.text) {
            compat::CompatReply::Finish => Choice::Finish { answer: None },
            compat::CompatReply::Error => {
                over("AppAgent cannot read this reply, and its run ends", &mut exchange)
            }
            compat::CompatReply::Grid => {
                self.on_grid = Some(Vec::new());
                self.memory.history = Some("grid".to_owned());
                Choice::Pass { reason: "grid".to_owned() }
            }
            compat::CompatReply::Act(act, summary) => {
                self.memory.history = Some(summary);
                compat::ground(&act, turn.view, &brief.device, grid).unwrap_or_else(|| {
                    over("AppAgent's run ends by an exception at this call", &mut exchange)
                })
            }
        });
        let form = if grid.is_some() { PictureForm::Areas } else { PictureForm::Elements };
        let shown = parse(&reply.text, form);
        decision.observation = shown.observation;
        decision.thought = shown.thought;
        decision.summary = shown.summary;
        decision.call = shown.call.map(|c| c.to_string()).unwrap_or_default();
        decision.tag = if grid.is_none() { tag_of(&decision, turn) } else { None };
        decision.exchanges = vec![exchange];
        Ok(decision)
    }
}

/// The tag whose element an action of the compatible mode was aimed at.
fn tag_of(decision: &Decision, turn: &Turn<'_>) -> Option<Tag> {
    let Choice::Act { action } = &decision.choice else { return None };
    let inside = decision.call.split(['(', ',', ')']).nth(1)?.trim();
    let tag = Tag(inside.parse().ok()?);
    turn.view.element(tag).filter(|e| action.point().is_some_and(|p| e.bounds.contains(p))).map(|_| tag)
}

/// The end of a text that is too long: the latest of what was done.
fn tail(text: &str) -> String {
    match text.chars().count().checked_sub(HISTORY_CHARS) {
        None | Some(0) => text.to_owned(),
        Some(over) => text.chars().skip(over).collect(),
    }
}

#[async_trait]
impl Agent for AppAgent {
    fn name(&self) -> &'static str {
        match self.options.mode {
            Mode::Tolerant => "appagent",
            Mode::Compat => "appagent-compat",
        }
    }

    fn fence(&self) -> Fence {
        match self.options.mode {
            Mode::Tolerant => Fence::Persons,
            Mode::Compat => Fence::Guard,
        }
    }

    fn numbering(&self, device: &DeviceInfo) -> TagScheme {
        self.options.mode.numbering(device)
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.brief = Some(brief.clone());
        self.memory = TurnMemory::default();
        self.on_grid = None;
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        let begun = self.brief.clone().ok_or_else(|| AgentError::not_begun("appagent"))?;
        let brief = Brief { device: turn.device.clone(), ..begun };
        if !self.options.summary {
            self.memory.history = None;
        }
        let mode = self.options.mode;
        // AppAgent knows no such rule.
        if let Some(decision) = for_a_person(turn.view).filter(|_| mode == Mode::Tolerant) {
            return Ok(decision);
        }
        let picture = &turn.view.observation.picture;
        let areas = self.on_grid.clone().filter(|_| !picture.is_empty());
        let grid = areas.as_ref().map(|areas| {
            let (w, h) = picture.size();
            let whole = match mode.numbering(&brief.device) {
                TagScheme::AppAgent => Grid::drawn_by_appagent(w, h),
                TagScheme::Waldo => Grid::for_size(w, h),
            };
            areas.iter().fold(whole, |grid, area| grid.within(*area).unwrap_or(grid))
        });
        let within = areas.as_ref().and_then(|areas| areas.last().copied());
        let text = match &grid {
            Some(grid) => self.prompts.appagent_grid(&prompt::grid(
                &brief,
                turn,
                &self.memory,
                grid,
                within,
                &self.options,
            ))?,
            None => {
                self.prompts.appagent_deploy(&prompt::deploy(&brief, turn, &self.memory, &self.options))?
            }
        };
        let png: Option<Arc<[u8]>> = match &grid {
            Some(grid) if within.is_some() => {
                let (picture, grid) = grid.enlarged(picture.pixels());
                Some(labels::encode_png(&labels::paint_grid(&picture, &grid))?.into())
            }
            Some(grid) => Some(labels::encode_png(&labels::paint_grid(picture.pixels(), grid))?.into()),
            None => (!turn.view.png.is_empty()).then(|| turn.view.png.clone()),
        };
        let mut first = message(Speaker::User, &text);
        first.parts.extend(png.map(MessagePart::Png));
        match mode {
            Mode::Tolerant => self.tolerant(&brief, turn, text, vec![first], grid.as_ref()).await,
            Mode::Compat => self.compat(&brief, turn, text, vec![first], grid.as_ref()).await,
        }
    }
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
