//! One solving: frames, then the three stages, each with a bounded repair.
//!
//! Invariants: no input leaves before the third stage; a stage's replies are asked for at most
//! `1 + repairs` times, in one conversation that only holds the latest bad one; whatever way the solving
//! ends, a held pointer is let go before its end is told.

use std::sync::Arc;

use waldo_cage::{CageError, HostError, Script, ScriptEngine, ScriptLimits};
use waldo_prompts::frames::{Objective, PixelRect, Repair, Solution, Structure as StructureText};

use super::bridge::{SolveBridge, SolveEnd};
use super::gate::described;
use super::objective::{self, Objective as Read};
use super::structure::Structure;
use super::talk::{ModelChat, block, captioned};
use super::tools::Tools;
use super::tools::offered::ToolOffer;
use super::vision::{PxRect, VisionPicture, foremost, frames};
use super::world::{ElementKind, FrameKind, World};
use crate::chat::retry_messages;
use crate::error::{AgentError, Result};
use crate::model::Message;

/// Frames that are shown, beside the page.
const FRAMES: usize = 12;
/// The third stage's entry function.
const SOLVE: &str = "solve";
const STRUCTURE: &str = "structure_abstraction";

pub(crate) struct Solving {
    pub(crate) goal: String,
    pub(crate) engine: Arc<dyn ScriptEngine>,
    pub(crate) line: SolveBridge,
    pub(crate) talk: ModelChat,
    pub(crate) limits: ScriptLimits,
    /// Times that a failed script of a stage is asked for again.
    pub(crate) repairs: u32,
}

impl Solving {
    pub(crate) async fn run(mut self) {
        let end = match self.stages().await {
            Ok(end) => end,
            Err(fault) => SolveEnd::Failed(fault),
        };
        let end = match self.line.let_go().await {
            Ok(()) => end,
            Err(error) => SolveEnd::GaveUp(error_text(&error)),
        };
        self.line.end(end).await;
    }

    async fn stages(&mut self) -> Result<SolveEnd> {
        if self.line.picture().width() == 0 {
            return Ok(SolveEnd::GaveUp("there is no picture of the screen".into()));
        }
        let mut world = World::of(&self.panels());
        if let Some(end) = self.objective(&mut world).await? {
            return Ok(end);
        }
        if let Some(end) = self.structure(&mut world).await? {
            return Ok(end);
        }
        let mut world = world.flattened();
        self.solution(&mut world).await
    }

    fn panels(&self) -> Vec<PxRect> {
        let picture = self.line.picture();
        let density = self.line.density();
        let found = foremost(&frames(picture, density), FRAMES, density);
        std::iter::once(PxRect::whole(picture)).chain(found).collect()
    }

    fn screen(&self) -> VisionPicture {
        VisionPicture::from(self.line.picture().clone())
    }

    fn shown(&self, text: &str, parts: Vec<(String, PxRect)>) -> Result<Message> {
        let screen = self.screen();
        let pictures = parts
            .into_iter()
            .filter_map(|(caption, rect)| screen.crop(&rect).ok().map(|picture| (Some(caption), picture)));
        captioned(text, pictures).map_err(|e| AgentError::setup("frames", error_text(&e)))
    }

    async fn objective(&mut self, world: &mut World) -> Result<Option<SolveEnd>> {
        let context = Objective {
            task: self.goal.clone(),
            count: world.frames.len(),
            address: self.line.seen().context.location.clone(),
            places: places(world),
        };
        let text = self.talk.prompts.frames_objective(&context)?;
        let parts = captions(world);
        let base = vec![self.shown(&text, parts)?];
        let (mut messages, mut new) = (base.clone(), text);
        for attempt in 0..=self.repairs {
            let purpose = if attempt == 0 { "objective" } else { "repair" };
            let reply = self.talk.stage(purpose, &messages, &new, self.line.deadline()).await?;
            let error = match block(&reply).and_then(|source| objective::take(&source, &*self.engine, world))
            {
                // What it says of the pictures can tell what no text of the page does.
                Ok(Read::Taken) => match described(world.messages()) {
                    Ok(()) => return Ok(None),
                    Err(stop) => return Ok(Some(SolveEnd::HandOver(stop.to_string()))),
                },
                Ok(Read::HandOver(reason)) => return Ok(Some(SolveEnd::HandOver(reason))),
                Err(error) => error,
            };
            (messages, new) = self.again(&base, &reply, &error, "")?;
        }
        Ok(Some(SolveEnd::GaveUp("no usable description of the page came".into())))
    }

    async fn structure(&mut self, world: &mut World) -> Result<Option<SolveEnd>> {
        let text = self.talk.prompts.frames_structure(&StructureText {
            descriptions: world.frames.iter().map(|f| f.description.clone()).collect(),
            places: places(world),
            relations: world.relation_lines(),
            objective: world.objective.clone(),
        })?;
        let parts = captions(world);
        let base = vec![self.shown(&text, parts)?];
        let (mut messages, mut new) = (base.clone(), text);
        for attempt in 0..=self.repairs {
            let purpose = if attempt == 0 { "structure" } else { "repair" };
            let reply = self.talk.stage(purpose, &messages, &new, self.line.deadline()).await?;
            // Every attempt starts from the frames as they were found.
            let mut tried = world.clone();
            let error = match block(&reply) {
                Err(error) => error,
                Ok(source) => {
                    let mut host = Structure {
                        world: &mut tried,
                        screen: self.screen(),
                        density: self.line.density(),
                        deadline: self.line.deadline(),
                        talk: &mut self.talk,
                    };
                    let script = Script::calling(source, STRUCTURE, vec![host.frames()]);
                    match self.engine.run(&script, &mut host, &self.limits).await {
                        Ok(_) => match Structure::verdict(&tried) {
                            Ok(()) => {
                                *world = tried;
                                return Ok(None);
                            }
                            Err(error) => error,
                        },
                        Err(error) => match self.ended(error)? {
                            Ok(end) => return Ok(Some(end)),
                            Err(error) => error,
                        },
                    }
                }
            };
            (messages, new) = self.again(&base, &reply, &error, STRUCTURE)?;
        }
        Ok(Some(SolveEnd::GaveUp("what can be acted on could not be told".into())))
    }

    /// The question of the third stage, with the page as it looks now.
    fn solution_question(&self, world: &World, offer: &ToolOffer) -> Result<(Message, String)> {
        let text = self.talk.prompts.frames_solution(&Solution {
            task: self.goal.clone(),
            objective: world.objective.clone(),
            relations: world.relation_lines(),
            actions: offer.actions(),
            vision: offer.vision(),
            examples: offer.examples(),
            questions: self.talk.left(),
            inputs: self.line.left(),
            seconds: self.limits.wall.as_secs(),
            next: offer.next,
        })?;
        let mut parts = Vec::new();
        for (n, frame) in world.frames.iter().enumerate() {
            parts.push((titled(&format!("Frame {n}"), frame.kind.map(FrameKind::name)), frame.rect));
            for (e, id) in world.interactables(n).enumerate() {
                let Some(element) = world.elements.get(id) else { continue };
                let caption = titled(&format!("Element {n}-{e}"), element.kind.map(ElementKind::name));
                parts.push((caption, element.rect));
            }
        }
        Ok((self.shown(&text, parts)?, text))
    }

    async fn solution(&mut self, world: &mut World) -> Result<SolveEnd> {
        let offer = ToolOffer::of(world);
        world.remember(self.line.picture());
        let (base, text) = self.solution_question(world, &offer)?;
        let mut base = vec![base];
        let (mut messages, mut new) = (base.clone(), text);
        let mut last = String::from("no script that runs came");
        for attempt in 0..=self.repairs {
            let purpose = if attempt == 0 { "solution" } else { "repair" };
            let reply = self.talk.stage(purpose, &messages, &new, self.line.deadline()).await?;
            let error = match block(&reply) {
                Err(error) => error,
                Ok(source) => {
                    let mut host = Tools::new(world, &mut self.line, &mut self.talk, &offer);
                    let script = Script::calling(source, SOLVE, vec![host.frames()]);
                    let done = self.engine.run(&script, &mut host, &self.limits).await;
                    let submitted = host.submitted;
                    // A handle that a script left held would be dragged along by the next one.
                    if let Err(error) = self.line.let_go().await {
                        return Ok(SolveEnd::GaveUp(error_text(&error)));
                    }
                    match done {
                        Ok(_) => return Ok(SolveEnd::Done),
                        // Handed in is handed in: another script would act on the page after it.
                        Err(_) if submitted => return Ok(SolveEnd::Done),
                        Err(error) => match self.ended(error)? {
                            Ok(end) => return Ok(end),
                            Err(error) => error,
                        },
                    }
                }
            };
            last.clone_from(&error);
            // What the inputs of a script left is what its repair works on.
            if self.line.has_acted() {
                let down = match self.line.look_anew().await {
                    Ok(down) => down,
                    Err(error) => return Ok(SolveEnd::GaveUp(error_text(&error))),
                };
                if down != 0 {
                    world.scroll(down, self.line.picture().dimensions());
                }
                world.find_again(self.line.picture(), self.line.touched().filter(|_| down == 0));
                base = vec![self.solution_question(world, &offer)?.0];
            }
            (messages, new) = self.again(&base, &reply, &error, SOLVE)?;
        }
        Ok(SolveEnd::GaveUp(format!("the script failed after {} repairs: {last}", self.repairs)))
    }

    /// What a failed run means: the end, or what to tell the model.
    fn ended(&mut self, error: CageError) -> Result<Result<SolveEnd, String>> {
        if let Some(fault) = self.talk.fault.take() {
            return Err(fault);
        }
        match error {
            CageError::Stopped { why, .. } => Ok(Ok(SolveEnd::GaveUp(why))),
            error if error.is_repairable() => Ok(Err(error.advice())),
            error => Err(AgentError::setup("frames", error)),
        }
    }

    /// The question after a reply that failed: only the latest bad one goes along.
    fn again(
        &self,
        base: &[Message],
        reply: &str,
        error: &str,
        entry: &str,
    ) -> Result<(Vec<Message>, String)> {
        self.talk.reject(error);
        let acted = entry == SOLVE && self.line.has_acted();
        let context = Repair { error: error.to_owned(), entry: entry.to_owned(), acted };
        let question = self.talk.prompts.frames_repair(&context)?;
        let mut messages = base.to_vec();
        messages.extend(retry_messages(reply, &question));
        Ok((messages, question))
    }
}

fn places(world: &World) -> Vec<PixelRect> {
    world.frames.iter().map(|frame| place(&frame.rect)).collect()
}

fn place(rect: &PxRect) -> PixelRect {
    PixelRect { x: rect.x, y: rect.y, w: rect.w, h: rect.h }
}

fn captions(world: &World) -> Vec<(String, PxRect)> {
    let caption =
        |n: usize| if n == 0 { "Frame 0 (the whole page)".to_owned() } else { format!("Frame {n}") };
    world.frames.iter().enumerate().map(|(n, frame)| (caption(n), frame.rect)).collect()
}

fn titled(name: &str, kind: Option<&str>) -> String {
    kind.map_or_else(|| name.to_owned(), |kind| format!("{name} ({kind})"))
}

fn error_text(error: &HostError) -> String {
    match error {
        HostError::Raise { message, .. } => message.clone(),
        HostError::Stop(waldo_cage::Stop::Host(why)) => why.clone(),
        HostError::Stop(waldo_cage::Stop::Limit(limit)) => format!("the limit of {limit} was reached"),
    }
}
