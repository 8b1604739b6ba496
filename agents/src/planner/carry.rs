//! Makes a device's action of a planned one and of what was located for it.

use waldo_devices::{Action, Affordance, Button, Clicks, DialogReply, Element, Physical, Point};

use super::act::{Act, DialogWord, Status};
use super::ground::Spot;
use super::reply::PlannedAction;
use crate::agent::{Choice, View};
use crate::appagent::{address, notches, open_tab};

/// Seconds of a wait that does not say how long.
pub const WAIT_SECONDS: f64 = 2.0;

/// One description that an action needs located.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The description.
    pub(crate) description: String,
    /// The element's own description.
    pub(crate) element: Option<String>,
    /// What the element has to be able to do, for actions that go to an element and not to a point.
    pub(crate) needs: Option<Affordance>,
    /// Whether the screen as a whole is a place for it.
    pub(crate) anywhere: bool,
}

/// What has to be located for an action: nothing, one place, or the two ends of a drag.
pub(crate) fn places(planned: &PlannedAction) -> Vec<Place> {
    let description = &planned.description;
    let one = |needs, anywhere| {
        let element = planned.act.element_description().map(str::to_owned);
        vec![Place { description: description.clone(), element, needs, anywhere }]
    };
    match &planned.act {
        Act::Click(_)
        | Act::RightClick(_)
        | Act::DoubleClick(_)
        | Act::TripleClick(_)
        | Act::LongPress(_)
        | Act::Pinch { .. }
        | Act::MouseMove(_) => one(None, false),
        Act::Scroll { .. } => one(None, true),
        Act::Clear(_) => one(Some(Affordance::Edit), false),
        Act::SelectOption { .. } => one(Some(Affordance::Select), false),
        Act::UploadFile { .. } => one(Some(Affordance::Upload), false),
        Act::Drag { start_description, end_description } => {
            let end = |which: &str, what: &str| Place {
                description: format!("Drag {which} point:{what}. [Full Drag Description:{description}]"),
                element: Some(what.to_owned()),
                needs: None,
                anywhere: false,
            };
            vec![end("Start", start_description), end("End", end_description)]
        }
        _ => Vec::new(),
    }
}

/// The choice that an action comes to at the places that were located for it; or what is wrong with it, as a
/// fragment for the model.
pub(crate) fn choice(planned: &PlannedAction, spots: &[Spot], view: &View) -> Result<Choice, String> {
    let spot = || spots.first().ok_or_else(|| "no place was found for it".to_owned());
    let at = || spot().map(|s| s.point);
    let tap = |clicks, button| at().map(|at| Action::Tap { at, clicks, button });
    let element = || -> Result<&Element, String> {
        let index = spot()?.element.ok_or("there is no element at that place")?;
        view.observation.elements.get(index).ok_or_else(|| "the element is gone".to_owned())
    };
    let action = match &planned.act {
        Act::Finish { status: Status::Success, answer } => {
            return Ok(Choice::Finish { answer: answer.clone() });
        }
        Act::Finish { status: Status::Failure, answer } => {
            let reason = answer.clone().unwrap_or_else(|| planned.description.clone());
            return Ok(Choice::Infeasible { reason });
        }
        Act::ExtractData { description, .. } => {
            return Ok(Choice::Pass { reason: format!("data extracted: {description}") });
        }
        // The frame policy says what is done.
        Act::Widget { .. } => return Err("a widget is no action of the device".to_owned()),
        Act::Click(_) => tap(Clicks::Single, Button::Left)?,
        Act::RightClick(_) => tap(Clicks::Single, Button::Right)?,
        Act::DoubleClick(_) => tap(Clicks::Double, Button::Left)?,
        Act::TripleClick(_) => tap(Clicks::Triple, Button::Left)?,
        Act::LongPress(_) => Action::LongPress { at: at()? },
        Act::Pinch { percent, .. } => Action::Pinch { at: at()?, percent: *percent },
        Act::MouseMove(_) => Action::Hover { at: at()? },
        Act::Type { text } => Action::Type { text: text.clone() },
        Act::TypeSecret { name } => Action::TypeSecret { name: name.clone() },
        Act::Scroll { direction, distance, .. } => {
            Action::Scroll { at: at()?, by: notches(*direction, *distance) }
        }
        Act::Drag { .. } => {
            let path: Vec<Point<Physical>> = spots.iter().map(|s| s.point).collect();
            if path.len() < 2 {
                return Err("a drag needs both its ends".to_owned());
            }
            Action::Drag { path }
        }
        Act::KeyPress { key } => Action::Key { chord: key.clone() },
        Act::Clear(_) => Action::Clear { element: element()?.handle.clone() },
        Act::SelectOption { option, .. } => {
            Action::Select { element: element()?.handle.clone(), option: option.clone() }
        }
        Act::UploadFile { file, .. } => {
            // Files come from the task by name; a path would reach into the host.
            if file.contains(['/', '\\', '\0']) || file == ".." {
                return Err(format!(
                    "'{file}' is no file name: write the name that the task gives, without a path"
                ));
            }
            Action::Upload { element: element()?.handle.clone(), files: vec![file.into()] }
        }
        Act::OpenUrl { url } => Action::Navigate { url: address(url, view)? },
        Act::GoBack => Action::Back,
        Act::GoForward => Action::Forward,
        Act::Reload => Action::Reload,
        Act::OpenTab { url } => {
            Action::NewTab { url: url.as_ref().map(|url| address(url, view)).transpose()? }
        }
        Act::SwitchTab { tab } => Action::SwitchTab { tab: open_tab(*tab, view)? },
        Act::CloseTab => Action::CloseTab,
        Act::SwitchWindow { window } => Action::FocusWindow { window: window_id(*window, view)? },
        Act::CloseWindow { window } => Action::CloseWindow { window: window_id(*window, view)? },
        Act::AnswerDialog { reply: DialogWord::Accept, text } => {
            Action::Dialog { reply: DialogReply::Accept { text: text.clone() } }
        }
        Act::AnswerDialog { reply: DialogWord::Dismiss, .. } => {
            Action::Dialog { reply: DialogReply::Dismiss }
        }
        Act::PressHome => Action::Home,
        Act::ShowRecents => Action::Recents,
        Act::OpenApp { app } => Action::OpenApp { app: app.clone() },
        Act::Paste { text } => Action::Paste { text: text.clone() },
        Act::RunCommand { command } => Action::Shell { command: command.clone() },
        Act::Wait { seconds } => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10 seconds")]
            let ms = (seconds.unwrap_or(WAIT_SECONDS) * 1000.0).round() as u64;
            Action::Wait { ms }
        }
    };
    Ok(Choice::Act { action })
}

/// The id of the window at a place of the list.
fn window_id(place: u32, view: &View) -> Result<u32, String> {
    let windows = &view.observation.context.windows;
    let index = usize::try_from(place).ok().and_then(|n| n.checked_sub(1));
    index
        .and_then(|n| windows.get(n))
        .map(|window| window.id)
        .ok_or_else(|| format!("there is no window {place}; {} are listed", windows.len()))
}
