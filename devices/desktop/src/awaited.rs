//! Waiting for a program to show a window, look by look.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::window::Window;
use waldo_devices::{Deadline, DeviceError};

/// How long after its end a program's window may still come, from one of its kind that was running.
const HANDS_OVER: Duration = Duration::from_secs(3);
/// How long a new window may take to get the keyboard.
const FOCUS_WITHIN: Duration = Duration::from_millis(300);

pub struct Awaited {
    name: String,
    before: Vec<u32>,
    deadline: Deadline,
    waited: Duration,
    handed_over: Option<Instant>,
    shown: Option<Instant>,
}

impl Awaited {
    pub fn new(name: String, before: &[Window], deadline: Deadline) -> Self {
        let before = before.iter().map(|window| window.id).collect();
        Self { name, before, deadline, waited: deadline.left(), handed_over: None, shown: None }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The new window, once it has settled in; `ended` is how the program ended and what it printed, if so.
    pub fn look(
        &mut self,
        windows: Vec<Window>,
        ended: Option<(ExitStatus, String)>,
    ) -> Result<Option<Window>, DeviceError> {
        let late = self.deadline.passed();
        let fresh = windows.into_iter().rev().find(|window| {
            // What only says that the program is starting goes again; it is taken when nothing else came.
            (!window.splash || late)
                && !window.override_redirect
                && !window.minimised
                && !self.before.contains(&window.id)
        });
        if let Some(window) = fresh {
            // The window manager gives it the keyboard in a moment, if it does.
            let since = *self.shown.get_or_insert_with(Instant::now);
            if window.focused || since.elapsed() > FOCUS_WITHIN || late {
                return Ok(Some(window));
            }
        }
        let name = &self.name;
        if late {
            return Err(DeviceError::timeout(format!("{name} to show a window"), self.waited));
        }
        // One that hands over to another of its kind ends well.
        let well = ended.as_ref().is_some_and(|(status, _)| status.success());
        let since = well.then(|| *self.handed_over.get_or_insert_with(Instant::now));
        let over = since.is_some_and(|since| since.elapsed() > HANDS_OVER);
        match ended {
            Some((status, said)) if !well || over => Err(DeviceError::Call {
                call: format!("starting {name}"),
                message: format!("it ended without a window ({status}) {said}"),
            }),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_devices::geometry::Rect;

    #[test]
    fn a_splash_screen_is_not_the_window_that_is_waited_for() {
        let frame = Rect::new(0.0, 0.0, 400.0, 200.0);
        let focused = |id| Window { focused: true, ..Window::sample(id, "office", frame) };
        let splash = || Window { splash: true, ..focused(1) };
        let mut awaited = Awaited::new("office".into(), &[], Deadline::after(Duration::from_secs(60)));
        assert_eq!(awaited.look(vec![splash()], None).unwrap(), None);
        assert_eq!(awaited.look(vec![focused(2), splash()], None).unwrap().map(|w| w.id), Some(2));
        // A program that shows nothing else is there all the same.
        let mut late = Awaited::new("office".into(), &[], Deadline::after(Duration::ZERO));
        assert_eq!(late.look(vec![splash()], None).unwrap().map(|w| w.id), Some(1));
    }
}
