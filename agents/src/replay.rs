//! Carries out recorded decisions again, aimed anew at the elements that they were about.
//!
//! An element is found again by what it is (role, name, uid, and where it stands among others), then by its picture
//! ([`find`]). Where it was found under another name or by its picture alone, the step has drifted, and that is told. Where
//! it is not there yet, the screen is looked at again for a moment; then another agent may be asked for that one step;
//! without one the replay ends there and says where.
//!
//! Invariants: a recorded step is carried out once, in order, and stays whose it was, a person's or an agent's; what another
//! agent does for a step is asked of it with that step's words alone; a step that was guessed is never told as found.

pub mod find;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use waldo_devices::{Action, Element, Physical, Point, Tag, Tagged};

use self::find::{FoundElement, How, ReplayScreen, counterpart};
use crate::agent::{Agent, Brief, Choice, Decision, Fence, Note, TagScheme, Turn};
use crate::error::Result;

/// Decisions that another agent may make for one step.
pub const TRIES: u32 = 3;
/// How often the screen is looked at again for an element that is not there yet: whoever was recorded took time.
pub const LOOKS: u32 = 8;
/// The pause before each look.
const PAUSE: Duration = Duration::from_millis(400);

#[derive(Clone, Debug)]
pub struct Recorded {
    pub elements: Vec<Element>,
    pub tagged: Vec<Tagged>,
    pub picture: Option<Arc<[u8]>>,
    pub decision: Decision,
    /// Whether its action was carried out then: neither refused nor failed.
    pub done: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    #[default]
    Identity,
    /// At the element that has the number now: to compare with.
    Tags,
    Places,
}

/// A step whose element is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// The step of the recording, from 1.
    pub step: u32,
    pub before: String,
    pub after: String,
    pub how: How,
}

/// A step that was carried out when it was recorded, and could not be now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotDone {
    /// The step of the recording, from 1.
    pub step: u32,
    pub reason: String,
}

#[derive(Clone, Debug, Default)]
pub struct ReplayProgress {
    /// Steps whose elements were not as they were.
    pub drifts: Vec<Drift>,
    /// Steps that were refused or failed, and were not so in the recording.
    pub not_done: Vec<NotDone>,
    /// What was not on the screen any more, where that ended the replay: such a one has no score.
    pub drifted: Option<String>,
    /// Steps of the recording that were carried out or handed to the agent.
    pub done: usize,
}

#[derive(Default)]
pub struct Replay {
    steps: Vec<Recorded>,
    aim: Aim,
    fall_back: Option<Box<dyn Agent>>,
    brief: Option<Brief>,
    at: usize,
    tries: u32,
    looks: u32,
    /// The step of the recording that was decided last, where its action was carried out then.
    last: Option<u32>,
    progress: Arc<Mutex<ReplayProgress>>,
}

impl Replay {
    pub fn new(steps: Vec<Recorded>) -> Self {
        Self { steps, ..Self::default() }
    }

    /// With an agent that is asked where a step cannot be carried out.
    pub fn or(self, agent: Option<Box<dyn Agent>>) -> Self {
        Self { fall_back: agent, ..self }
    }

    pub fn aimed(self, aim: Aim) -> Self {
        Self { aim, ..self }
    }

    /// How it stands, now and later, whoever plays it.
    pub fn progress(&self) -> Arc<Mutex<ReplayProgress>> {
        self.progress.clone()
    }

    fn note(&self, note: impl FnOnce(&mut ReplayProgress)) {
        note(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn went_on(&mut self) {
        let done = self.steps.get(self.at).is_some_and(|recorded| recorded.done);
        self.last = done.then(|| self.step());
        (self.at, self.tries, self.looks) = (self.at + 1, 0, 0);
        let done = self.at;
        self.note(|progress| progress.done = done);
    }

    /// Notes what became of the last step, where it could be carried out once and not now.
    fn hear(&mut self, note: Option<&Note>) {
        let (Some(step), Some(Note::Refused { reason, .. } | Note::Failed { reason, .. })) =
            (self.last.take(), note)
        else {
            return;
        };
        let reason = reason.clone();
        self.note(|progress| progress.not_done.push(NotDone { step, reason }));
    }

    fn step(&self) -> u32 {
        u32::try_from(self.at + 1).unwrap_or(u32::MAX)
    }

    /// The step by another agent; `None` where there is none, or it does not know either.
    async fn by_agent(&mut self, turn: &Turn<'_>, missing: &str) -> Result<Option<Decision>> {
        let step = self.step();
        let (Some(agent), Some(brief), Some(recorded)) =
            (&mut self.fall_back, &self.brief, self.steps.get(self.at))
        else {
            return Ok(None);
        };
        if self.tries >= TRIES {
            return Ok(None);
        }
        let Choice::Act { action: meant } = &recorded.decision.choice else { return Ok(None) };
        if self.tries == 0 {
            let goal = format!(
                "Do this one step and nothing else: {}. It was done to {missing}, which has another name or place now. \
                 The step is a part of this: {}",
                meant.describe(),
                brief.goal
            );
            agent.begin(&Brief { goal, ..brief.clone() })?;
        }
        self.tries += 1;
        let mut decision = agent.decide(turn).await?;
        let Choice::Act { action } = &decision.choice else {
            // Its word is not the recording's.
            return Ok(None);
        };
        let after = format!("{} (by {})", action.describe(), agent.name());
        // Something else than was meant brings the element into view, perhaps: the step is still to be done.
        if action.name() == meant.name() {
            let drift = Drift { step, before: missing.to_owned(), after, how: How::Agent };
            self.note(|progress| progress.drifts.push(drift));
            self.went_on();
        }
        let why = format!("the recorded step was about {missing}, which was not found");
        decision.observation = Some(decision.observation.map_or(why.clone(), |own| format!("{why}. {own}")));
        Ok(Some(decision))
    }
}

#[async_trait]
impl Agent for Replay {
    fn name(&self) -> &'static str {
        "replay"
    }

    fn fence(&self) -> Fence {
        self.fall_back.as_ref().map_or(Fence::Guard, |agent| agent.fence())
    }

    fn numbering(&self, device: &waldo_devices::DeviceInfo) -> TagScheme {
        self.fall_back.as_ref().map_or(TagScheme::Waldo, |agent| agent.numbering(device))
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.brief = Some(brief.clone());
        (self.at, self.tries, self.looks, self.last) = (0, 0, 0, None);
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        self.hear(turn.note);
        let Some(recorded) = self.steps.get(self.at) else {
            // A recording that was stopped has no word of its agent's at its end; nor has its replay.
            return Ok(Decision::of(Choice::GiveUp { reason: "the recording ends here".to_owned() }));
        };
        let mut decision = recorded.decision.clone();
        decision.exchanges.clear();
        let Choice::Act { action } = &recorded.decision.choice else {
            self.went_on();
            return Ok(decision);
        };
        let now = ReplayScreen::of(turn.view);
        let aimed = match self.aim {
            Aim::Identity => aim(action, recorded, &now),
            Aim::Tags => by_tag(action, recorded, turn),
            Aim::Places => Ok((action.clone(), None)),
        };
        match aimed {
            Ok((action, found)) => {
                let step = self.step();
                if let Some((before, found)) = found {
                    // The tag of a recording is another's by now.
                    decision.tag = tag_of(&found, turn);
                    if found.how != How::Same {
                        let (before, after) = (named(&before), named(&found.element));
                        let drift = Drift { step, before, after, how: found.how };
                        self.note(|progress| progress.drifts.push(drift));
                    }
                }
                decision.choice = Choice::Act { action };
                self.went_on();
                Ok(decision)
            }
            Err(missing) => {
                if self.aim == Aim::Identity && self.looks < LOOKS && self.tries == 0 {
                    self.looks += 1;
                    tokio::time::sleep(PAUSE).await;
                    let reason = format!("{missing} is not there yet: the screen is looked at again");
                    return Ok(Decision::of(Choice::Pass { reason }));
                }
                if let Some(decision) = self.by_agent(turn, &missing).await? {
                    return Ok(decision);
                }
                let reason = format!("the screen has drifted: {missing} is not there");
                self.note(|progress| progress.drifted = Some(missing));
                decision.choice = Choice::GiveUp { reason };
                Ok(decision)
            }
        }
    }
}

fn tag_of(found: &FoundElement, turn: &Turn<'_>) -> Option<Tag> {
    let elements = &turn.view.observation.elements;
    let at = elements.iter().position(|e| e.handle == found.element.handle)?;
    turn.view.tagged.iter().find(|tagged| tagged.element == at).map(|tagged| tagged.tag)
}

fn named(element: &Element) -> String {
    match (element.name.is_empty(), &element.id) {
        (true, Some(id)) => format!("{} ({id})", element.role.as_str()),
        (true, None) => format!("{} without a name", element.role.as_str()),
        (false, _) => format!("{} \"{}\"", element.role.as_str(), element.name),
    }
}

fn under(point: Point<Physical>, elements: &[Element]) -> Option<&Element> {
    elements
        .iter()
        .filter(|e| e.bounds.contains(point))
        .min_by(|a, b| a.bounds.area().total_cmp(&b.bounds.area()))
}

/// The element that a decision named, else the one at its place.
fn about(recorded: &Recorded, action: &Action) -> Option<Element> {
    let tagged = recorded.decision.tag.and_then(|tag| recorded.tagged.iter().find(|t| t.tag == tag));
    let tagged = tagged.and_then(|tagged| recorded.elements.get(tagged.element));
    let there = |e: &&Element| action.point().is_none_or(|at| e.bounds.contains(at));
    tagged.filter(there).or_else(|| under(action.point()?, &recorded.elements)).cloned()
}

type Aimed = (Action, Option<(Element, FoundElement)>);

fn aim(action: &Action, recorded: &Recorded, now: &ReplayScreen<'_>) -> Result<Aimed, String> {
    let before = ReplayScreen::recorded(recorded);
    let mut worst: Option<(Element, FoundElement)> = None;
    let mut find = |element: &Element| -> Result<Element, String> {
        let found = counterpart(element, &before, now).ok_or_else(|| named(element))?;
        let there = found.element.clone();
        if worst.as_ref().is_none_or(|(_, known)| known.how < found.how) {
            worst = Some((element.clone(), found));
        }
        Ok(there)
    };
    let mut action = action.clone();
    // A pointer that is held goes the way that it went.
    let target = action.target();
    if target.pressed && target.points.len() == 1 {
        return Ok((action, None));
    }
    let own = about(recorded, &action);
    let find = std::cell::RefCell::new(&mut find);
    action.move_targets::<String>(
        &mut |place| {
            let at = *place;
            let named = own.as_ref().filter(|e| e.bounds.contains(at));
            let Some(element) = named.or_else(|| under(at, &recorded.elements)) else { return Ok(()) };
            let found = (find.borrow_mut())(element)?;
            let (fx, fy) = (
                (at.x - element.bounds.x) / element.bounds.w.max(1.0),
                (at.y - element.bounds.y) / element.bounds.h.max(1.0),
            );
            // Where the middle was meant, the place that is known to be the element's is.
            let off = (at.x - element.hit.x).abs() > 1.0 || (at.y - element.hit.y).abs() > 1.0;
            *place = if off { found.bounds.at(fx, fy) } else { found.hit };
            Ok(())
        },
        &mut |element| {
            let known = recorded.elements.iter().find(|e| e.handle == *element);
            let known = known.ok_or("the recorded element")?;
            *element = (find.borrow_mut())(known)?.handle;
            Ok(())
        },
    )?;
    Ok((action, worst))
}

fn by_tag(action: &Action, recorded: &Recorded, turn: &Turn<'_>) -> Result<Aimed, String> {
    let mut action = action.clone();
    let tag_at = |element: &Element| {
        let at = recorded.elements.iter().position(|e| e.handle == element.handle)?;
        recorded.tagged.iter().find(|tagged| tagged.element == at).map(|tagged| tagged.tag)
    };
    let now = |element: Option<&Element>| {
        let tag = element.and_then(tag_at).ok_or("an element without a number")?;
        turn.view.element(tag).ok_or_else(|| format!("number {}", tag.0))
    };
    action.move_targets::<String>(
        &mut |place| {
            let there = under(*place, &recorded.elements);
            *place = now(there)?.hit;
            Ok(())
        },
        &mut |element| {
            let known = recorded.elements.iter().find(|e| e.handle == *element);
            *element = now(known)?.handle.clone();
            Ok(())
        },
    )?;
    Ok((action, None))
}

#[cfg(test)]
mod tests;
