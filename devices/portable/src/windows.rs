//! The windows of a screen, as `xcap` lists them.
//!
//! Invariants: bottom to top, in pixels of the driven monitor's picture; a window of which it cannot be told
//! whose it is has no program, and what may lie over a point is counted as lying there.

use std::collections::HashMap;

use super::system::{System, Units};
use waldo_desktop::window::{ClickTarget, Window, shown_title};
use waldo_devices::{DeviceError, Physical, Point, Rect};

/// A program's name as rules know it: in lower case, without `.exe`.
pub(crate) fn program_name(told: &str) -> String {
    let name = told.trim().to_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

pub(crate) fn list(units: &Units, started: &HashMap<u32, String>) -> Result<Vec<Window>, DeviceError> {
    let found = xcap::Window::all().map_err(|error| DeviceError::call("the list of windows", error))?;
    // The topmost comes first on every system. One that is gone meanwhile is left out.
    let mut windows: Vec<Window> =
        found.iter().rev().filter_map(|window| describe(window, units, started)).collect();
    windows.sort_by_key(|window| !window.minimised);
    // Some systems know only which program has the keyboard: it is its topmost window then.
    let front = windows.iter().rposition(|window| window.focused && !window.minimised);
    for (at, window) in windows.iter_mut().enumerate() {
        window.focused = front == Some(at);
    }
    Ok(windows)
}

fn describe(window: &xcap::Window, units: &Units, started: &HashMap<u32, String>) -> Option<Window> {
    let id = window.id().ok()?;
    let at = (window.x().ok()?, window.y().ok()?);
    let frame = units.pixels(at, (window.width().ok()?, window.height().ok()?));
    let pid = window.pid().ok();
    let class = window.app_name().unwrap_or_default();
    let own = pid.and_then(|pid| started.get(&pid)).cloned();
    let program = own.unwrap_or_else(|| program_name(&class));
    let title = window.title().unwrap_or_default();
    if program.is_empty() || title.is_empty() {
        // It may have gone while it was asked, and is then no window of an unknown program or of another name.
        window.x().ok()?;
    }
    Some(Window {
        id,
        outer: id,
        pid,
        program,
        class,
        title: shown_title(&title),
        frame,
        client: frame,
        override_redirect: false,
        splash: false,
        focused: window.is_focused().unwrap_or(false),
        minimised: window.is_minimized().unwrap_or(false),
    })
}

/// All that may get a click at `at`, topmost first: windows whose frame, of which the system may not tell, can
/// reach there, and at the end what surely lies there.
pub(crate) fn lies(system: System, windows: &[Window], at: Point<Physical>) -> Vec<ClickTarget<'_>> {
    let (above, beside) = system.rim();
    let mut found = Vec::new();
    for window in windows.iter().rev().filter(|window| !window.minimised) {
        let Rect { x, y, w, h, .. } = window.frame;
        let most: Rect<Physical> = Rect::new(x - beside, y - above, w + 2.0 * beside, h + above + beside);
        if !most.contains(at) {
            continue;
        }
        found.push(ClickTarget::Window(window));
        if window.frame.contains(at) {
            return found;
        }
    }
    found.push(ClickTarget::Ground);
    found
}

#[cfg(test)]
pub use tests::sample;

#[cfg(test)]
mod tests {
    use super::*;

    /// A window that lies there, of this program, called by it and its number.
    pub fn sample(id: u32, program: &str, frame: Rect<Physical>) -> Window {
        Window {
            id,
            outer: id,
            program: program.to_owned(),
            title: format!("{program} {id}"),
            frame,
            client: frame,
            ..Window::default()
        }
    }

    fn window(id: u32, frame: Rect<Physical>) -> Window {
        Window { minimised: id == 9, ..sample(id, "", frame) }
    }

    fn ids(system: System, windows: &[Window], x: f64, y: f64) -> Vec<u32> {
        let id = |under: &ClickTarget| if let ClickTarget::Window(window) = under { window.id } else { 0 };
        lies(system, windows, Point::new(x, y)).iter().map(id).collect()
    }

    #[test]
    fn a_frame_that_is_not_told_counts_for_what_lies_below_it() {
        let windows = [
            window(9, Rect::new(0.0, 0.0, 1000.0, 1000.0)),
            window(1, Rect::new(100.0, 100.0, 400.0, 400.0)),
            window(2, Rect::new(200.0, 200.0, 100.0, 100.0)),
        ];
        for system in [System::Windows, System::Mac] {
            assert_eq!(ids(system, &windows, 250.0, 180.0), [1], "{system:?}");
            assert_eq!(ids(system, &windows, 90.0, 110.0), [0]);
        }
        // Its title bar may lie there, and so may the window below.
        assert_eq!(ids(System::X11, &windows, 250.0, 180.0), [2, 1]);
        assert_eq!(ids(System::X11, &windows, 250.0, 250.0), [2]);
        assert_eq!(ids(System::X11, &windows, 150.0, 450.0), [1]);
        assert_eq!(ids(System::X11, &windows, 90.0, 110.0), [1, 0]);
        assert_eq!(ids(System::X11, &windows, 900.0, 900.0), [0]);
    }

    #[test]
    fn programs_have_one_name_on_all_systems() {
        assert_eq!(program_name("Galculator"), "galculator");
        assert_eq!(program_name(" notepad.EXE"), "notepad");
        assert_eq!(program_name(""), "");
    }
}
