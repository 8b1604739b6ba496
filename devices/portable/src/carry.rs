//! Carrying an action out: the guard is asked right before, on the display's own thread, and it is looked
//! through afterwards whose windows were there.

use std::time::{Duration, Instant};

use image::RgbImage;

use super::display_state::DisplayState;
use super::hands::{ChordKeys, EnigoHands, Keystrokes, runs};
use super::settle::LOOK;
use super::system::System;
use super::windows::lies;
use waldo_desktop::change::change;
use waldo_desktop::display_thread::JobCaller;
use waldo_desktop::effect::SHOWS_WITHIN;
use waldo_desktop::guard::WindowGuard;
use waldo_desktop::hand::{InputOp, steps};
use waldo_desktop::window::{ClickTarget, Window};
use waldo_devices::{Deadline, DeviceError, Physical, Point, Result};

/// How long a program may take to answer a key, while more follow.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// How long the screen has to stay the same after a key that may close a window: buttons that keys press are
/// shown pressed for a quarter of a second before they do anything.
const CLOSES_AFTER: Duration = Duration::from_millis(400);
/// How long the window that is meant may take to get the keyboard.
const FOCUS_WITHIN: Duration = Duration::from_millis(500);
/// The pause between two looks at who has the keyboard.
const FOCUS_LOOK: Duration = Duration::from_millis(10);

pub(crate) enum ActionTarget {
    Points(Vec<Point<Physical>>),
    Keyboard,
}

impl ActionTarget {
    pub(crate) fn of(hand: &InputOp) -> Self {
        match hand.places() {
            [] => Self::Keyboard,
            points => Self::Points(points.to_vec()),
        }
    }

    /// What could be acted on there, place by place.
    fn holds<'a>(&self, windows: &'a [Window]) -> Vec<Vec<&'a Window>> {
        let window = |under| if let ClickTarget::Window(window) = under { Some(window) } else { None };
        match self {
            Self::Points(points) => {
                let at = |at: &Point<Physical>| {
                    lies(System::here(), windows, *at).into_iter().filter_map(window).collect()
                };
                points.iter().map(at).collect()
            }
            Self::Keyboard => vec![windows.iter().filter(|window| window.focused).collect()],
        }
    }
}

/// What the guard says of a program's window that came between while something was done: what was meant for
/// another may have gone there. One that lay below and shows because the other closed did not come between.
pub(crate) fn intruder(
    window_guard: &WindowGuard,
    place: &ActionTarget,
    then: &[Window],
    now: &[Window],
) -> Option<String> {
    let here = |window: &&Window| now.iter().any(|w| w.id == window.id && !w.minimised);
    let pairs = place.holds(then).into_iter().zip(place.holds(now));
    pairs
        .flat_map(|(was, is)| {
            let stays = was.iter().any(here);
            is.into_iter().filter(move |window| stays || !then.iter().any(|w| w.id == window.id))
        })
        .find(|window| !window_guard.allows(&window.program))
        .map(|window| {
            let program = if window.program.is_empty() { "an unknown program" } else { &window.program };
            format!("it was done, but a window of {program} is there now, which is not an allowed program")
        })
}

/// Carries a hand's action out, if the guard lets it, of the windows as they lie now.
pub(crate) fn carry_out(
    hand: InputOp,
    s: &mut DisplayState,
    window_guard: &WindowGuard,
    caller: &JobCaller<'_>,
) -> Result<()> {
    let windows = s.windows()?;
    let aim = |s: &DisplayState, at| s.aim(window_guard, &windows, at);
    if hand.needs_free_pointer() {
        s.hands.let_go()?;
    }
    match hand {
        InputOp::Tap(at, clicks, button, held) => {
            let to = aim(s, at)?;
            s.hands.tap(to, clicks, button, &ChordKeys::held(held))
        }
        InputOp::LongPress(at) => {
            let to = aim(s, at)?;
            s.hands.long_press(to, caller)
        }
        InputOp::Hover(at) => {
            let to = aim(s, at)?;
            s.hands.go(to, caller)
        }
        InputOp::Press(at, button) => {
            let to = aim(s, at)?;
            s.hands.press_down(to, button)
        }
        InputOp::Release(at) => {
            let to = aim(s, at)?;
            s.hands.release(to, caller)
        }
        InputOp::Scroll(at, by, held) => {
            let to = aim(s, at)?;
            s.hands.scroll(to, by, &ChordKeys::held(held), caller)
        }
        InputOp::Drag(path, button, held) => {
            let corners: Vec<_> = path.iter().map(|at| aim(s, *at)).collect::<Result<_, _>>()?;
            let way: Vec<_> = steps(&path).into_iter().map(|at| s.display.units.pointer(at)).collect();
            way.iter().try_for_each(|at| super::reclaim::spare(*at))?;
            let with = (button, &ChordKeys::held(held));
            corners.first().map_or(Ok(()), |first| s.hands.drag(*first, &way, with, caller))
        }
        InputOp::Type(text) => {
            let still = |run: &Keystrokes| if run.enters() { CLOSES_AFTER } else { LOOK };
            in_turn(&runs(&text), s, window_guard, caller, EnigoHands::type_run, still)
        }
        InputOp::Keys(chords) => {
            window_guard.chords(&chords)?;
            let all: Vec<ChordKeys> = chords.iter().map(ChordKeys::of).collect::<Result<_, _>>()?;
            in_turn(&all, s, window_guard, caller, EnigoHands::press, |_| CLOSES_AFTER)
        }
    }
}

/// Sends one after the other to what has the keyboard then. Each is answered before the next is sent: it may
/// give the keyboard to another.
fn in_turn<T>(
    all: &[T],
    s: &mut DisplayState,
    window_guard: &WindowGuard,
    caller: &JobCaller<'_>,
    send: impl Fn(&mut EnigoHands, &T) -> Result<()>,
    still: impl Fn(&T) -> Duration,
) -> Result<()> {
    for (n, one) in all.iter().enumerate() {
        keyboard(s, window_guard, caller.deadline())
            .map_err(|error| if n > 0 { rest_not_typed(error) } else { error })?;
        let before = (n + 1 < all.len()).then(|| s.display.take()).transpose()?;
        caller.go_on("typing")?;
        send(&mut s.hands, one)?;
        before.map_or(Ok(()), |before| answered(s, &before, still(one), caller))?;
    }
    Ok(())
}

fn rest_not_typed(error: DeviceError) -> DeviceError {
    match error {
        DeviceError::Refused { kind, reason } => {
            DeviceError::Refused { kind, reason: format!("{reason}; the rest was not typed") }
        }
        other => other,
    }
}

/// Whether keys may be sent to what has the keyboard. A window that was clicked at gets it in a moment, and
/// one that closed leaves it to nobody for one.
fn keyboard(s: &DisplayState, window_guard: &WindowGuard, deadline: Deadline) -> Result<()> {
    let bound = deadline.at_most(FOCUS_WITHIN);
    loop {
        let allowed = window_guard.keys(&s.windows()?).map(drop);
        if allowed.is_ok() || bound.passed() {
            return allowed;
        }
        std::thread::sleep(FOCUS_LOOK);
    }
}

/// Waits until the screen shows what came of keys and was the same for as long as `still`: a dialog that they
/// close must be gone before it is asked who has the keyboard. Programs may show nothing.
fn answered(s: &DisplayState, before: &RgbImage, still: Duration, caller: &JobCaller<'_>) -> Result<()> {
    let deadline = caller.deadline();
    let (shows, bound) = (deadline.at_most(SHOWS_WITHIN), deadline.at_most(ANSWERS_WITHIN));
    let differs = |a: &RgbImage, b: &RgbImage| change(a, b).is_some_and(|change| !change.is_caret());
    let (mut last, mut since) = (s.display.take()?, Instant::now());
    loop {
        std::thread::sleep(LOOK);
        let now = s.display.take()?;
        if differs(&last, &now) {
            since = Instant::now();
        }
        let quiet = since.elapsed() >= still && (differs(before, &now) || shows.passed());
        if quiet || bound.passed() || caller.gave_up() {
            return Ok(());
        }
        last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_desktop::guard::Owner;
    use waldo_devices::geometry::Rect;
    use waldo_devices::guard::{AppRule, GuardPolicy};

    fn window(id: u32, program: &str, at: f64) -> Window {
        crate::windows::sample(id, program, Rect::new(at, 100.0, 300.0, 300.0))
    }

    #[test]
    fn a_foreign_window_counts_only_when_it_came_between() {
        let policy = GuardPolicy { apps: vec![AppRule("editor".to_owned())], ..GuardPolicy::default() };
        let window_guard = WindowGuard::new(&policy, Owner::Person).unwrap();
        let editor = || Window { focused: true, ..window(1, "editor", 100.0) };
        let below = || window(2, "other", 100.0);
        let front = |window: Window| Window { focused: true, ..window };
        let back = |window: Window| Window { focused: false, ..window };
        let (at, keys) = (ActionTarget::Points(vec![Point::new(200.0, 200.0)]), ActionTarget::Keyboard);
        let then = [below(), editor()];
        for place in [&at, &keys] {
            let came = |now: &[Window]| intruder(&window_guard, place, &then, now);
            assert_eq!(came(&then), None);
            // It closed, and what lay below shows.
            assert_eq!(came(&[front(below())]), None);
            // It opened another of its own.
            assert_eq!(came(&[below(), back(editor()), front(window(3, "editor", 100.0))]), None);
            // Somebody else's came up, or lay below and was raised.
            let told = came(&[below(), back(editor()), front(window(3, "", 100.0))]).unwrap();
            assert!(told.contains("an unknown program"), "{told}");
            let told = came(&[back(editor()), front(below())]).unwrap();
            assert!(told.contains("other") && told.starts_with("it was done"), "{told}");
            // It came up as the other closed.
            assert!(came(&[below(), front(window(3, "new", 100.0))]).is_some());
        }
    }
}
