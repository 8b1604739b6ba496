//! Makes a device's action of a planned one and of what was located for it.

use waldo_devices::catalogue::{Arg, CallTarget, ParamKind};
use waldo_devices::{ActionPlace, DeviceInfo, GroundContext, Tool};

use super::act::{Act, FinishStatus};
use super::ground::{PlaceQuery, ScreenSpot};
use super::reply::PlannedAction;
use crate::agent::{Choice, View};

/// Milliseconds of a wait that does not say how long.
const WAIT_MS: u64 = 2_000;

/// What has to be located for an action: nothing, one place, or the two ends of a drag.
pub(crate) fn places(planned: &PlannedAction) -> Vec<PlaceQuery> {
    let Act::Tool(call) = &planned.act else { return Vec::new() };
    let targets: Vec<_> = call
        .args()
        .filter_map(|(param, arg)| match arg {
            Some(Arg::Target(CallTarget::Described(what))) => Some((param, what.clone())),
            _ => None,
        })
        .collect();
    let description = &planned.description;
    if let [(_, Some(start)), (_, Some(end))] = targets.as_slice() {
        let end_of = |which: &str, what: &str| PlaceQuery {
            description: format!("Drag {which} point:{what}. [Full Drag Description:{description}]"),
            element: Some(what.to_owned()),
            needs: None,
            anywhere: false,
        };
        return vec![end_of("Start", start), end_of("End", end)];
    }
    let place = |(param, element): (&waldo_devices::catalogue::Param, Option<String>)| PlaceQuery {
        description: description.clone(),
        element,
        needs: match param.kind {
            ParamKind::Field(needs) => Some(needs),
            _ => None,
        },
        anywhere: param.optional,
    };
    targets.into_iter().map(place).collect()
}

/// The choice that an action comes to at the places located for it; or what is wrong, for the model.
pub(crate) fn choice(
    planned: &PlannedAction,
    spots: &[ScreenSpot],
    view: &View,
    device: &DeviceInfo,
) -> Result<Choice, String> {
    let call = match &planned.act {
        Act::Finish { status: FinishStatus::Success, answer } => {
            return Ok(Choice::Finish { answer: answer.clone() });
        }
        Act::Finish { status: FinishStatus::Failure, answer } => {
            let reason = answer.clone().unwrap_or_else(|| planned.description.clone());
            return Ok(Choice::Infeasible { reason });
        }
        Act::ExtractData { description, .. } => {
            return Ok(Choice::Pass { reason: format!("data extracted: {description}") });
        }
        // The frame policy says what is done.
        Act::Widget { .. } => return Err("a widget is not an action of the device".to_owned()),
        Act::Tool(call) if call.tool == Tool::Wait && call.arg("seconds").is_none() => {
            call.clone().with("seconds", WAIT_MS)
        }
        Act::Tool(call) => call.clone(),
    };
    let locate = |nth: usize, _: &CallTarget| {
        let spot = spots.get(nth).ok_or_else(|| "no place was found for it".to_owned())?;
        let element = spot.element.and_then(|index| view.observation.elements.get(index));
        Ok(ActionPlace { element, point: spot.point })
    };
    let action = call.ground(&GroundContext { seen: &view.observation, device, locate: &locate })?;
    Ok(Choice::Act { action })
}
