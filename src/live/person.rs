//! The person at the page who demonstrates: there is neither an agent nor an episode, only what they ask for.

use std::sync::Arc;

use waldo_agents::View;
use waldo_agents::appagent::FunctionCall;
use waldo_devices::{CallTarget, DeviceInfo, Point, Tool};
use waldo_tasks::EpisodeKey;
use waldo_tasks::demo::{DemoAction, Touch};

use super::command::PostedCall;
use super::hub::Hub;
use super::page::episode_key;
use super::wheel::{Wheel, WheelStep};

#[derive(Clone, Debug, PartialEq)]
pub enum PersonRequest {
    Do(DemoAction),
    Look,
    /// The end: it is kept as it is.
    Keep,
    /// The end, of which nothing is kept.
    Discard,
    /// An end for now: it can be gone on with.
    Stop,
}

#[derive(Debug)]
pub struct Demonstrator {
    hub: Arc<Hub>,
    wheel: Arc<Wheel>,
    key: String,
}

impl Demonstrator {
    pub(super) fn new(hub: &Arc<Hub>, key: &EpisodeKey) -> Self {
        Self { hub: hub.clone(), wheel: hub.wheel(key), key: episode_key(key) }
    }

    pub async fn wants(&self, view: &View, device: &DeviceInfo) -> PersonRequest {
        self.hub.sees(&self.key, view, device);
        self.hub.tell(&self.key);
        loop {
            match self.wheel.next(false).await {
                WheelStep::Act(call) => match meant(&call) {
                    Ok(action) => return PersonRequest::Do(action),
                    Err(reason) => self.says(Some(format!("Not done: {reason}"))),
                },
                WheelStep::Finish(_) => return PersonRequest::Keep,
                WheelStep::Look => return PersonRequest::Look,
                WheelStep::Discard => return PersonRequest::Discard,
                // There is no agent.
                WheelStep::Stop | WheelStep::Agent => return PersonRequest::Stop,
            }
        }
    }

    pub fn says(&self, said: Option<String>) {
        self.wheel.says(said);
    }
}

/// What a call of the page is in a demonstration: who touches a place means what lies there.
fn meant(call: &PostedCall) -> Result<DemoAction, String> {
    let (name, args) = match call {
        PostedCall::Stroke { from: [x, y], to: [to_x, to_y] } => {
            let (from, to) = (Point::new(*x, *y), Point::new(*to_x, *to_y));
            return Ok(DemoAction::Stroke { from, to });
        }
        PostedCall::Tool { tool, args } => (tool, args),
    };
    let call = PostedCall::tool(name, args)?;
    let how = match call.tool {
        Tool::Tap => Some(Touch::Tap),
        Tool::LongPress => Some(Touch::LongPress),
        _ => None,
    };
    if let (Some(how), Some(CallTarget::Place(at))) = (how, call.targets().next()) {
        return Ok(DemoAction::Point { how, at: *at });
    }
    Ok(DemoAction::Call(FunctionCall::Tool(call)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_touched_place_is_what_lies_there_and_the_rest_are_calls() {
        let read = |call| meant(&serde_json::from_value(call).unwrap());
        let at = Point::new(3.0, 4.5);
        let tap = json!({ "tool": "tap", "args": { "element": { "x": 3, "y": 4.5 } } });
        assert_eq!(read(tap).unwrap(), DemoAction::Point { how: Touch::Tap, at });
        let named = json!({ "tool": "tap", "args": { "element": 2 } });
        assert!(matches!(read(named).unwrap(), DemoAction::Call(call) if call.to_string() == "tap(2)"));
        let stroke = json!({ "from": [3, 4.5], "to": [3, 9] });
        assert_eq!(read(stroke).unwrap(), DemoAction::Stroke { from: at, to: Point::new(3.0, 9.0) });
        assert!(read(json!({ "tool": "fly" })).unwrap_err().contains("'fly'"));
    }
}
