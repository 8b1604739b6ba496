//! What an agent may touch: programs, by what lies under a point or has the keyboard; chords; the shell.
//!
//! Invariant: the question is asked on the display's own thread, right before the action, of the windows as
//! they lie then; who lists them says what lies under a point, the rules are the same for all.

use std::path::Path;

use super::chord::{Chord, Modifier};
use super::keysyms as key;
use super::launch::{name_of, on_path};
use super::window::{ClickTarget, Window};
use waldo_devices::{AppRule, DeviceError, GuardPolicy, RefusalKind, Result, ShellUse};

/// The window manager of a private display: its frames and menus are the desktop's own.
const MANAGER: &str = "openbox";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Private: nothing on it is anyone's.
    Own,
    Person,
}

#[derive(Clone, Debug)]
pub struct WindowGuard {
    policy: GuardPolicy,
    owner: Owner,
    refused: Vec<Chord>,
    allowed: Vec<Chord>,
}

fn origin(reason: String) -> DeviceError {
    DeviceError::Refused { kind: RefusalKind::Origin, reason }
}

fn denied(reason: String) -> DeviceError {
    DeviceError::Refused { kind: RefusalKind::Denied, reason }
}

impl WindowGuard {
    /// From a policy.
    ///
    /// # Errors
    /// [`DeviceError::BadArgument`] for a chord of the policy that cannot be read: it would guard nothing.
    pub fn new(policy: &GuardPolicy, owner: Owner) -> Result<Self> {
        let read = |chords: &[String]| -> Result<Vec<Chord>> {
            let read: Result<Vec<_>, _> = chords.iter().map(|chord| Chord::parse(chord)).collect();
            Ok(read?.into_iter().flatten().collect())
        };
        let (refused, allowed) = (read(&policy.deny_chords)?, read(&policy.allow_chords)?);
        let mut policy = policy.clone();
        // A name may be a link to the program, which calls itself otherwise: gimp is gimp-2.10.
        let behind = |AppRule(name): &AppRule| Some(AppRule(name_of(&on_path(name)?.canonicalize().ok()?)));
        policy.apps.extend(policy.apps.iter().filter_map(behind).collect::<Vec<_>>());
        Ok(Self { policy, owner, refused, allowed })
    }

    pub fn allows(&self, program: &str) -> bool {
        self.policy.allows_app(program) || (self.owner == Owner::Own && program == MANAGER)
    }

    pub fn point(&self, under: &ClickTarget) -> Result<()> {
        let program = match under {
            // The bare ground of a private display holds nothing.
            ClickTarget::Ground if self.owner == Owner::Own || self.policy.allows_app("") => return Ok(()),
            ClickTarget::Ground => return Err(origin("no window of an allowed program is there".to_owned())),
            ClickTarget::Window(window) => window.program.clone(),
            ClickTarget::Unseen(program) => program.clone(),
        };
        match program.as_str() {
            program if self.allows(program) => Ok(()),
            "" => Err(origin("waldo cannot tell which program's window is there".to_owned())),
            program => {
                Err(origin(format!("the window there belongs to {program}, which is not an allowed program")))
            }
        }
    }

    /// Whether keys may be sent to what has the keyboard; gives that.
    pub fn keys<'a>(&self, windows: &'a [Window]) -> Result<Option<&'a Window>> {
        match windows.iter().find(|window| window.focused) {
            None if self.owner == Owner::Own || self.policy.allows_app("") => Ok(None),
            None => Err(origin("no allowed program's window has the keyboard".to_owned())),
            Some(window) if self.allows(&window.program) => Ok(Some(window)),
            Some(window) => Err(origin(format!(
                "a window of {} has the keyboard, which is not an allowed program",
                if window.program.is_empty() { "an unknown program" } else { &window.program }
            ))),
        }
    }

    /// Whether a window may be brought to the front or closed; gives it.
    pub fn window<'a>(&self, windows: &'a [Window], id: u32) -> Result<&'a Window> {
        let found = windows.iter().find(|window| window.id == id && !window.override_redirect);
        let Some(window) = found else {
            let ids: Vec<String> = windows
                .iter()
                .filter(|window| !window.override_redirect)
                .map(|window| window.id.to_string())
                .collect();
            return Err(DeviceError::BadArgument {
                what: format!("window {id}"),
                message: if ids.is_empty() {
                    "no window is open".to_owned()
                } else {
                    format!("there is no such window; there are {}", ids.join(", "))
                },
            });
        };
        if self.allows(&window.program) {
            return Ok(window);
        }
        Err(origin(format!("the window belongs to {}, which is not an allowed program", window.program)))
    }

    pub fn program(&self, program: &Path) -> Result<()> {
        let name = name_of(program);
        if self.allows(&name) {
            return Ok(());
        }
        Err(origin(format!("{name} is not an allowed program")))
    }

    pub fn chords(&self, chords: &[Chord]) -> Result<()> {
        for chord in chords {
            if self.allowed.iter().any(|allowed| allowed.is_like(chord)) {
                continue;
            }
            if self.refused.iter().any(|refused| refused.is_like(chord)) {
                return Err(denied("the policy denies this chord".to_owned()));
            }
            if let Some(why) = self.ends(chord) {
                return Err(denied(format!("this chord {why}")));
            }
        }
        Ok(())
    }

    /// What a chord would do to the desktop as a whole, if anything.
    fn ends(&self, chord: &Chord) -> Option<&'static str> {
        use Modifier::{Alt, Control, Shift, Super};
        let held =
            |modifiers: &[Modifier]| modifiers.iter().all(|modifier| chord.modifiers.contains(modifier));
        let key = chord.key?;
        let is_q = matches!(key, 0x71 | 0x51);
        if held(&[Control, Alt]) {
            return match key {
                key::BACKSPACE => Some("ends the X server"),
                key::DELETE | key::END => Some("logs out"),
                key::F1..=key::F12 => Some("leaves the desktop for a console"),
                0x6c | 0x4c => Some("locks the screen"),
                // Openers of terminals, which are shells.
                0x74 | 0x54 if self.policy.shell == ShellUse::Refused && self.owner == Owner::Person => {
                    Some("opens a terminal")
                }
                _ => None,
            };
        }
        // The print key with Alt speaks to the kernel.
        if held(&[Alt]) && (key == 0xff61 || key == 0xff15) {
            return Some("speaks to the kernel");
        }
        if self.owner == Owner::Person {
            // Of Windows and macOS as well: who asks for the chord does not say where.
            if held(&[Super]) && matches!(key, 0x6c | 0x4c) || held(&[Super, Control]) && is_q {
                return Some("locks the screen");
            }
            if held(&[Super, Shift]) && is_q {
                return Some("logs out");
            }
            if held(&[Super]) && matches!(key, 0x72 | 0x52) {
                return Some("opens a command line");
            }
            if held(&[Alt]) && key == key::F1 + 3 {
                return Some("ends the window in front");
            }
            if held(&[Alt]) && key == key::F1 + 1 {
                return Some("opens a command line");
            }
        }
        None
    }

    pub fn shell(&self) -> Result<()> {
        match self.policy.shell {
            ShellUse::Allowed => Ok(()),
            ShellUse::Refused => Err(denied("the policy does not allow shell commands".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(policy: &GuardPolicy, owner: Owner, chord: &str) -> bool {
        let window_guard = WindowGuard::new(policy, owner).unwrap();
        window_guard.chords(&Chord::parse(chord).unwrap()).is_err()
    }

    #[test]
    fn the_program_behind_a_link_is_allowed_with_it() {
        let shell = on_path("sh").unwrap().canonicalize().unwrap();
        let policy = GuardPolicy { apps: vec![AppRule("sh".to_owned())], ..GuardPolicy::default() };
        let guard = WindowGuard::new(&policy, Owner::Own).unwrap();
        assert!(guard.allows("sh") && guard.allows(&name_of(&shell)) && !guard.allows("true"));
    }

    #[test]
    fn chords_that_end_the_desktop_are_refused_in_any_spelling() {
        let policy = GuardPolicy::default();
        for chord in [
            "ctrl+alt+Delete",
            "Alt-Control-BackSpace",
            "ctrl+alt+F2",
            "shift+ctrl+alt+del",
            "alt+Print",
            "ctrl+alt+L",
        ] {
            assert!(refused(&policy, Owner::Own, chord), "{chord}");
        }
        for chord in ["ctrl+s", "alt+F4", "ctrl+Delete", "F1", "super+l"] {
            assert!(!refused(&policy, Owner::Own, chord), "{chord}");
        }
        assert!(refused(&policy, Owner::Person, "alt+F4"));
        assert!(refused(&policy, Owner::Person, "ctrl+s Alt_L+F4"));
        for chord in ["win+L", "cmd+ctrl+q", "Shift+Command+Q", "win+r"] {
            assert!(refused(&policy, Owner::Person, chord), "{chord}");
            assert!(!refused(&policy, Owner::Own, chord), "{chord}");
        }
        assert!(!refused(&policy, Owner::Person, "cmd+q"));
    }

    #[test]
    fn a_policy_adds_and_takes_away_chords() {
        let (deny_chords, allow_chords) = (vec!["Ctrl+Q".to_owned()], vec!["alt+f4".to_owned()]);
        let policy = GuardPolicy { deny_chords, allow_chords, ..GuardPolicy::default() };
        assert!(refused(&policy, Owner::Own, "Control_L+q"));
        assert!(!refused(&policy, Owner::Person, "alt+F4"));
        let bad = GuardPolicy { deny_chords: vec!["ctrl+nothing".to_owned()], ..GuardPolicy::default() };
        assert!(WindowGuard::new(&bad, Owner::Own).is_err());
    }
}
