//! What tells that something came of an action: windows and picture before and after it.

use std::time::{Duration, Instant};

use image::RgbImage;

use super::change::change;
use super::window::Window;
use waldo_devices::action::{ActionReport, Effect};
use waldo_devices::error::DeviceError;

/// How long an effect may take to show; longer ones are seen by the next observation.
pub const SHOWS_WITHIN: Duration = Duration::from_millis(400);

/// The report on an action that began then; a refusal is one of its effects.
///
/// # Errors
/// All others.
pub fn report(began: Instant, done: Result<Effect, DeviceError>) -> Result<ActionReport, DeviceError> {
    let effect = match done {
        Err(DeviceError::Refused { kind, reason }) => Effect::Refused { kind, reason },
        other => other?,
    };
    Ok(ActionReport { effect, took: began.elapsed() })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeScope {
    All,
    /// Windows that come, go, or get the keyboard.
    Windows,
    /// The same, menus and hints aside: a hint comes whenever the pointer rests.
    Framed,
}

impl ChangeScope {
    /// What still counts of these on a screen that moves by itself.
    pub fn while_moving(self) -> Self {
        if self == Self::All { Self::Windows } else { self }
    }
}

/// What changed between two looks, each the windows and the picture.
pub fn evidence(
    then: (&[Window], &RgbImage),
    now: (&[Window], &RgbImage),
    look: ChangeScope,
    mask: impl Fn(String) -> String,
) -> Option<String> {
    let counted = |all| -> Vec<&Window> {
        <[Window]>::iter(all)
            .filter(|window| look != ChangeScope::Framed || !window.override_redirect)
            .collect()
    };
    let mut evidence = changes_between(&counted(then.0), &counted(now.0), mask);
    if look == ChangeScope::All {
        let changed = change(then.1, now.1).filter(|change| !change.is_caret());
        evidence.extend(changed.map(|change| format!("{} of the screen changed", percent(change.share))));
    }
    (!evidence.is_empty()).then(|| evidence.join(", "))
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p < 1.0 => "less than 1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// A window's title for a message: masked, then cut.
fn shown(window: &Window, mask: impl Fn(String) -> String) -> String {
    let title: String = mask(window.title.clone()).chars().take(60).collect();
    if title.is_empty() { window.program.clone() } else { format!("'{title}'") }
}

/// What happened to windows.
fn changes_between(then: &[&Window], now: &[&Window], mask: impl Fn(String) -> String) -> Vec<String> {
    let shown = |window: &Window| shown(window, &mask);
    let mut news = Vec::new();
    let find = |all: &[&Window], id: u32| all.iter().position(|window| window.id == id);
    for window in now {
        match find(then, window.id).map(|at| then[at]) {
            None if window.override_redirect => news.push("a menu or a hint opened".to_owned()),
            None => news.push(format!("the window {} opened", shown(window))),
            Some(was) => {
                if was.minimised != window.minimised {
                    let what = if window.minimised { "went away" } else { "came back" };
                    news.push(format!("the window {} {what}", shown(window)));
                } else if window.focused && !was.focused {
                    news.push(format!("the window {} has the keyboard", shown(window)));
                } else if was.title != window.title {
                    news.push(format!("a window is called {} now", shown(window)));
                } else if was.frame != window.frame {
                    news.push(format!("the window {} moved", shown(window)));
                }
            }
        }
    }
    for window in then {
        if find(now, window.id).is_none() {
            let what = if window.override_redirect {
                "a menu or a hint closed".to_owned()
            } else {
                format!("the window {} closed", shown(window))
            };
            news.push(what);
        }
    }
    news.truncate(4);
    news
}
