//! What tells that something came of an action: windows and picture before and after it.

use std::time::{Duration, Instant};

use image::RgbImage;

use super::change::change;
use super::guard::WindowGuard;
use super::hand::bad;
use super::window::Window;
use waldo_devices::{ActionReport, DeviceError, Effect, RefusalKind, Result, Secrets};

/// How long an effect may take to show; longer ones are seen by the next observation.
pub const SHOWS_WITHIN: Duration = Duration::from_millis(400);

/// The report on an action that began then; a refusal is one of its effects.
pub fn report(began: Instant, done: Result<Effect>) -> Result<ActionReport> {
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
        evidence.extend(in_pictures(then.1, now.1));
    }
    (!evidence.is_empty()).then(|| evidence.join(", "))
}

/// What differs between two pictures, a text cursor aside, in words.
pub fn in_pictures(then: &RgbImage, now: &RgbImage) -> Option<String> {
    let changed = change(then, now).filter(|change| !change.is_caret())?;
    Some(match changed.share * 100.0 {
        share if share < 1.0 => "less than 1 % of the screen changed".to_owned(),
        share => format!("{share:.0} % of the screen changed"),
    })
}

/// What came of starting a program by name: an effect, or the window of another program than may be used.
///
/// # Errors
/// Those of the start, but that no window came in time: it may have brought up one that was there before, or need more
/// time.
pub fn opened(
    launched: Result<Window>,
    guard: &WindowGuard,
    secrets: &Secrets,
) -> Result<Result<Effect, Window>> {
    match launched {
        Ok(window) if guard.allows(&window.program) => {
            let title = secrets.mask(window.title);
            let evidence = format!("{} opened the window '{title}'", window.program);
            Ok(Ok(Effect::Confirmed { evidence }))
        }
        Ok(window) => Ok(Err(window)),
        Err(DeviceError::Timeout { .. }) => Ok(Ok(Effect::SuspectedNoop)),
        Err(DeviceError::Call { call, message }) => Err(bad(&call, message)),
        Err(error) => Err(error),
    }
}

/// The refusal of a window that a program opened, which is not the guard's.
pub fn foreign(window: &Window, end: &str) -> Effect {
    let reason = format!("it opened a window of {}, which is not an allowed program{end}", window.program);
    Effect::Refused { kind: RefusalKind::Origin, reason }
}

/// A window's title for a message: masked, then cut.
fn shown(window: &Window, mask: impl Fn(String) -> String) -> String {
    let title: String = mask(window.title.clone()).chars().take(60).collect();
    if title.is_empty() { window.program.clone() } else { format!("'{title}'") }
}

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
