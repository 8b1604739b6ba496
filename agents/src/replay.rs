//! Carries out recorded decisions again, aimed anew at the elements that they were about.
//!
//! Where an action was aimed at an element, the element of the same role, name and place among its like
//! is looked for on the present screen, and the point keeps its place within it. When it is not there,
//! the screen has drifted: the replay ends and says where.

use async_trait::async_trait;
use waldo_devices::{Action, Element, Physical, Point, Tagged};

use crate::agent::{Agent, Brief, Choice, Decision, Turn};
use crate::error::AgentError;

/// One recorded step: what was on the screen and what was decided.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The elements.
    pub elements: Vec<Element>,
    /// Their tags.
    pub tagged: Vec<Tagged>,
    /// The decision.
    pub decision: Decision,
}

/// Plays a recording.
#[derive(Debug, Default)]
pub struct Replay {
    steps: Vec<Recorded>,
    drifted: Option<String>,
}

impl Replay {
    /// A replay of `steps`.
    pub fn new(steps: Vec<Recorded>) -> Self {
        Self { steps, drifted: None }
    }

    /// What was not on the screen any more, where that ended the replay: such a one has no score.
    pub fn drifted(&self) -> Option<&str> {
        self.drifted.as_deref()
    }
}

#[async_trait]
impl Agent for Replay {
    fn name(&self) -> &'static str {
        "replay"
    }

    fn begin(&mut self, _brief: &Brief) -> Result<(), AgentError> {
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision, AgentError> {
        let Some(recorded) = self.steps.get(turn.step as usize - 1) else {
            // A recording that was stopped has no word of its agent's at its end; nor has its replay.
            return Ok(Decision::of(Choice::GiveUp { reason: "the recording ends here".to_owned() }));
        };
        let mut decision = recorded.decision.clone();
        decision.exchanges.clear();
        let Choice::Act { action } = &recorded.decision.choice else {
            return Ok(decision);
        };
        let elements = &turn.view.observation.elements;
        decision.choice = match aim(action, &recorded.elements, elements) {
            Ok(action) => Choice::Act { action },
            Err(missing) => {
                let reason = format!("the screen has drifted: {missing} is not there");
                self.drifted = Some(missing);
                Choice::GiveUp { reason }
            }
        };
        Ok(decision)
    }
}

/// The element's counterpart: same role and name, and the same place among those.
fn counterpart<'a>(element: &Element, before: &[Element], now: &'a [Element]) -> Result<&'a Element, String> {
    let like = |e: &&Element| e.role == element.role && e.name == element.name;
    let place = before.iter().filter(like).position(|e| e.handle == element.handle).unwrap_or(0);
    now.iter()
        .filter(like)
        .nth(place)
        .ok_or_else(|| format!("{} \"{}\"", element.role.as_str(), element.name))
}

/// The smallest element that holds the point.
fn under(point: Point<Physical>, elements: &[Element]) -> Option<&Element> {
    elements
        .iter()
        .filter(|e| e.bounds.contains(point))
        .min_by(|a, b| a.bounds.area().total_cmp(&b.bounds.area()))
}

fn aim(action: &Action, before: &[Element], now: &[Element]) -> Result<Action, String> {
    let move_point = |p: Point<Physical>| -> Result<Point<Physical>, String> {
        let Some(element) = under(p, before) else { return Ok(p) };
        let found = counterpart(element, before, now)?;
        let (fx, fy) = (
            (p.x - element.bounds.x) / element.bounds.w.max(1.0),
            (p.y - element.bounds.y) / element.bounds.h.max(1.0),
        );
        Ok(found.bounds.at(fx, fy))
    };
    let handle = |h: &waldo_devices::ElementRef| {
        let element = before.iter().find(|e| e.handle == *h).ok_or("the recorded element")?;
        counterpart(element, before, now).map(|e| e.handle.clone())
    };
    let mut action = action.clone();
    // A pointer that is held goes the way that it went.
    let target = action.target();
    if target.pressed && target.points.len() == 1 {
        return Ok(action);
    }
    action.move_targets::<String>(
        &mut |place| {
            *place = move_point(*place)?;
            Ok(())
        },
        &mut |element| {
            *element = handle(element)?;
            Ok(())
        },
    )?;
    Ok(action)
}
