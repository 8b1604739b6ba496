//! Deciding by the vendor's own tool: its calls in place of a reply that is read as text.

use serde_json::Value;
use waldo_devices::Platform;
use waldo_native::{Material, Scale};

use super::agent::{NAME, Native, Usable, goal};
use super::pictures::{messages, sent};
use super::scene::steps;
use crate::agent::{Brief, Choice, Decision, Exchange, Turn};
use crate::chat::put;
use crate::error::AgentError;
use crate::model::{ComputerTool, ModelReply, ModelRequest, ScreenKind, Unread};
use crate::planner::messages::transcript;

impl Native {
    /// How many turns the tool gives back, where it is offered: on the wire that has it, for a device that it is for.
    pub(super) fn tool_turns(&self, brief: &Brief) -> Option<usize> {
        let tool = self.options.profile.tool()?;
        let offered = tool.wire == self.client.wire().as_str() && tool.offered(&brief.device);
        offered.then_some(tool.turns)
    }

    pub(super) async fn decide_by_tool(
        &mut self,
        brief: &Brief,
        turn: &Turn<'_>,
        turns: usize,
    ) -> Result<Decision, AgentError> {
        let profile = std::sync::Arc::clone(&self.options.profile);
        let seen = &turn.view.observation;
        let picture = seen.picture.pixels();
        let scale = profile.scale(picture.dimensions()).map_err(|error| AgentError::setup(NAME, error))?;
        let now = sent(&profile, picture, NAME)?;
        self.state.talk.shorten(turns);
        let goal = &goal(brief, turn);
        let material = Material { goal, device: Some(&brief.device), scale, steps: &[] };
        let first = self.state.talk.first().unwrap_or(&now);
        let start = messages(profile.tool_messages(&material)?, |_| Some(first));
        let mut new = self.state.talk.last_answer();
        if new.is_empty() {
            new = transcript(&start);
        }
        let address = brief.device.platform.has_pages().then_some(seen.context.location.as_str());
        let every = self.client.wire().form().answers_every_call();
        let (width, height) = scale.sent;
        let tool = ComputerTool { width, height, screen: kind(brief.device.platform) };
        let (mut purpose, mut exchanges): (_, Vec<Exchange>) = ("decide", Vec::with_capacity(2));
        loop {
            let asked = self.state.talk.messages(start.clone(), &now, address, every);
            let request = ModelRequest {
                messages: asked,
                max_tokens: self.options.max_tokens,
                tool: Some(tool),
                schema: None,
            };
            let (reply, mut exchange) =
                put(self.client.as_ref(), &request, purpose, &new, turn.deadline).await?;
            if let Some(check) = reply.calls.iter().flat_map(|call| &call.checks).next() {
                exchanges.push(exchange);
                let reason = format!("the model's vendor wants a person to confirm its action: {check}");
                return Ok(Decision { exchanges, ..Decision::of(Choice::HandOver { reason }) });
            }
            let error = match self.read_tool(&reply, brief, turn, (scale, exchanges.len())) {
                Ok(usable) => {
                    exchanges.push(exchange);
                    let words = usable.read.thought.clone().map_or_else(
                        || usable.calls(),
                        |thought| format!("{}: {}", thought.replace('\n', " "), usable.calls()),
                    );
                    self.state.talk.add(&now, &reply, words);
                    let mut decision = self.accept(usable, &reply.text, turn);
                    decision.exchanges = exchanges;
                    return Ok(decision);
                }
                Err(error) => error,
            };
            exchange.rejected = Some(error.clone());
            exchanges.push(exchange);
            new = format!("That answer could not be used: {error}.");
            self.state.talk.add_unusable(&now, &reply, new.clone());
            if exchanges.len() > 1 {
                return Ok(Decision { exchanges, ..Decision::of(Choice::Pass { reason: error }) });
            }
            purpose = "re-ask";
        }
    }

    /// A reply, and what it comes to on this screen; `before` counts those of this step that could not be used.
    fn read_tool(
        &self,
        reply: &ModelReply,
        brief: &Brief,
        turn: &Turn<'_>,
        (scale, before): (Scale, usize),
    ) -> Result<Usable, String> {
        match reply.unread {
            Some(Unread::CutOff) => {
                let limit = self.options.max_tokens;
                return Err(format!("it was cut off after {limit} tokens, so keep it short"));
            }
            Some(Unread::Refusal) => return Err(format!("it is a refusal: {}", reply.text)),
            Some(Unread::Other | Unread::ToolCalls) => {
                return Err("it has no call of the tool that can be read".to_owned());
            }
            Some(Unread::Empty | Unread::Thinking | Unread::Absent) | None => {}
        }
        let wanted: Vec<Value> = reply.calls.iter().flat_map(|call| call.does.iter().cloned()).collect();
        let read = self.options.profile.read_tool(&reply.text, &wanted, before > 0)?;
        let mut hand = self.state.hand.clone();
        let seen = &turn.view.observation;
        let all = steps(&self.options.profile, &read, (seen, &brief.device, scale), &mut hand)?;
        Ok(Usable { read, all, hand })
    }
}

fn kind(platform: Platform) -> ScreenKind {
    match platform {
        Platform::Web => ScreenKind::Browser,
        Platform::Android | Platform::Ios => ScreenKind::Phone,
        Platform::Desktop | Platform::Devices => ScreenKind::Desktop,
    }
}
