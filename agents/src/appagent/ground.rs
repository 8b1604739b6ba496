//! Turns a call into an action on what is on the screen.
//!
//! Invariant: a number that is not on this screen, and a place outside of it, never become an action.

use waldo_devices::catalogue::Spot;
use waldo_devices::labels::Grid;
use waldo_devices::{ActionPlace, CallTarget, DeviceInfo, Element, GroundContext, Physical, Point, Tag};

use super::call::FunctionCall;
use crate::agent::{Choice, View};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grounded {
    pub(crate) choice: Choice,
    pub(crate) tag: Option<Tag>,
}

/// Turns a call into a choice, or says what is wrong with it as a fragment for the model.
pub(crate) fn ground(
    call: &FunctionCall,
    view: &View,
    device: &DeviceInfo,
    grid: Option<&Grid>,
) -> Result<Grounded, String> {
    let call = match call {
        FunctionCall::Finish => return Ok(ends(Choice::Finish { answer: None })),
        FunctionCall::Answer { text } => return Ok(ends(Choice::Finish { answer: Some(text.clone()) })),
        FunctionCall::Infeasible { reason } => {
            return Ok(ends(Choice::Infeasible { reason: reason.clone() }));
        }
        FunctionCall::Grid { .. } if view.observation.picture.is_empty() => {
            return Err("there is no picture now that a grid could be laid over".to_owned());
        }
        FunctionCall::Grid { area } => {
            if let Some(n) = area {
                let grid = grid.ok_or("there is no grid on this picture: call grid() first")?;
                grid.within(*n).ok_or_else(|| match grid.cell(*n) {
                    Some(_) => format!("area {n} is too small to be cut: name a part of it"),
                    None => format!("there is no area {n}; the areas are 1 to {}", grid.areas()),
                })?;
            }
            return Ok(ends(Choice::Pass { reason: "grid".to_owned() }));
        }
        FunctionCall::Tool(call) => call,
    };
    let locate = |_: usize, target: &CallTarget| match target {
        CallTarget::Element { tag, at } => Ok(ActionPlace::on(element(view, *tag, grid.is_some())?, *at)),
        CallTarget::Area(spot) => Ok(ActionPlace { element: None, point: area(grid, *spot)? }),
        CallTarget::Place(at) => {
            let point = view.observation.geometry.check(*at).map_err(|e| e.to_string())?;
            Ok(ActionPlace { element: None, point })
        }
        CallTarget::Described(_) => Err("an element is named by its number".to_owned()),
    };
    let action = call.ground(&GroundContext { seen: &view.observation, device, locate: &locate })?;
    Ok(Grounded { choice: Choice::Act { action }, tag: call.tag() })
}

fn ends(choice: Choice) -> Grounded {
    Grounded { choice, tag: None }
}

fn element(view: &View, tag: Tag, grid: bool) -> Result<&Element, String> {
    if grid {
        return Err("the elements bear no numbers on this picture: name an area and a part of it".to_owned());
    }
    view.element(tag).ok_or_else(|| match view.tagged.last() {
        None => format!("no element has the number {}; this screen has no numbered elements", tag.0),
        Some(last) => {
            format!("no element has the number {}; the numbers on this screen are 1 to {}", tag.0, last.tag.0)
        }
    })
}

fn area(grid: Option<&Grid>, spot: Spot) -> Result<Point<Physical>, String> {
    let grid =
        grid.ok_or("there is no grid on this picture: name an element by its number, or call grid() first")?;
    grid.point(spot.area, spot.part)
        .ok_or_else(|| format!("there is no area {}; the areas are 1 to {}", spot.area, grid.areas()))
}
