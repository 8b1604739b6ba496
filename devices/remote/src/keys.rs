//! Keys by the number that chords know them by, as `pyautogui` calls them.

use waldo_desktop::chord::{Chord, Modifier};
use waldo_desktop::hand::bad;
use waldo_desktop::keysyms;
use waldo_devices::error::Result;
use waldo_http::OperatingSystem;

pub(crate) fn modifier(system: OperatingSystem, modifier: Modifier) -> &'static str {
    match (modifier, system) {
        (Modifier::Control, _) => "ctrl",
        (Modifier::Alt, OperatingSystem::Mac) => "option",
        (Modifier::Alt, _) => "alt",
        (Modifier::Shift, _) => "shift",
        (Modifier::Super, OperatingSystem::Mac) => "command",
        (Modifier::Super, _) => "win",
    }
}

/// The keys of a chord: those that are held, and the one that is pressed.
///
/// # Errors
/// `DeviceError::BadArgument` for a key that `pyautogui` does not press.
pub(crate) fn chord(system: OperatingSystem, chord: &Chord) -> Result<(Vec<&'static str>, Option<String>)> {
    let held = chord.modifiers.iter().map(|held| modifier(system, *held)).collect();
    let key = match chord.key {
        None => None,
        Some(number) => Some(key(number).ok_or_else(|| bad("key", "the machine has no such key"))?),
    };
    Ok((held, key))
}

fn key(number: u32) -> Option<String> {
    let sign = keysyms::char_of(number).filter(|c| *c != ' ');
    if let Some(name) = keysyms::name_of(number).filter(|_| sign.is_none()) {
        let known = match name {
            "linefeed" | "sysrq" | "break" | "help" | "kpequal" => return None,
            "isolefttab" => "tab",
            "contextmenu" => "apps",
            name => name.strip_prefix("kp").unwrap_or(name),
        };
        return Some(known.to_owned());
    }
    if let Some(n) = number.checked_sub(keysyms::F1).filter(|n| *n < 24) {
        return Some(format!("f{}", n + 1));
    }
    if let Some(n) = number.checked_sub(0xffb0).filter(|n| *n < 10) {
        return Some(format!("num{n}"));
    }
    // It knows keys of ASCII alone; what else is typed goes another way.
    sign.filter(char::is_ascii).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_pressed_by_the_names_that_each_system_has() {
        let read = |system, text: &str| chord(system, &Chord::parse(text).unwrap()[0]).unwrap();
        assert_eq!(read(OperatingSystem::Linux, "ctrl+shift+T"), (vec!["ctrl", "shift"], Some("t".into())));
        assert_eq!(read(OperatingSystem::Mac, "cmd+a"), (vec!["command"], Some("a".into())));
        assert_eq!(read(OperatingSystem::Windows, "win+F4"), (vec!["win"], Some("f4".into())));
        assert_eq!(read(OperatingSystem::Linux, "PageDown"), (vec![], Some("pagedown".into())));
        let german = Chord::parse("ctrl+ö").unwrap();
        assert!(chord(OperatingSystem::Linux, &german[0]).is_err());
    }
}
