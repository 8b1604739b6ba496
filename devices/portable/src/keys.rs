//! Keys by the number that chords know them by, as `enigo` presses them.

use enigo::Key;

use super::system::System;
use waldo_desktop::chord::Modifier;
use waldo_desktop::hand::bad;
use waldo_desktop::keysyms;
use waldo_devices::error::Result;

const EVERYWHERE: &[(u32, Key)] = &[
    (keysyms::RETURN, Key::Return),
    // The number pad's, and Tab with Shift.
    (0xff8d, Key::Return),
    (0xfe20, Key::Tab),
    (keysyms::TAB, Key::Tab),
    (0xff1b, Key::Escape),
    (keysyms::BACKSPACE, Key::Backspace),
    (keysyms::DELETE, Key::Delete),
    (0x20, Key::Space),
    (0xff50, Key::Home),
    (0xff51, Key::LeftArrow),
    (0xff52, Key::UpArrow),
    (0xff53, Key::RightArrow),
    (0xff54, Key::DownArrow),
    (0xff55, Key::PageUp),
    (0xff56, Key::PageDown),
    (keysyms::END, Key::End),
    (keysyms::CAPS_LOCK, Key::CapsLock),
    (0xff6a, Key::Help),
    (0xffaa, Key::Multiply),
    (0xffab, Key::Add),
    (0xffad, Key::Subtract),
    (0xffae, Key::Decimal),
    (0xffaf, Key::Divide),
    (0x1008_ff11, Key::VolumeDown),
    (0x1008_ff12, Key::VolumeMute),
    (0x1008_ff13, Key::VolumeUp),
];

const FUNCTIONS: [Key; 20] = [
    Key::F1,
    Key::F2,
    Key::F3,
    Key::F4,
    Key::F5,
    Key::F6,
    Key::F7,
    Key::F8,
    Key::F9,
    Key::F10,
    Key::F11,
    Key::F12,
    Key::F13,
    Key::F14,
    Key::F15,
    Key::F16,
    Key::F17,
    Key::F18,
    Key::F19,
    Key::F20,
];

const DIGITS: [Key; 10] = [
    Key::Numpad0,
    Key::Numpad1,
    Key::Numpad2,
    Key::Numpad3,
    Key::Numpad4,
    Key::Numpad5,
    Key::Numpad6,
    Key::Numpad7,
    Key::Numpad8,
    Key::Numpad9,
];

/// Keys of Windows that macOS lacks, by the numbers that Windows knows them by.
const WINDOWS: &[(u32, u32)] = &[
    (keysyms::INSERT, 0x2d),
    (0xff61, 0x2c),
    (0xff13, 0x13),
    (0xff7f, 0x90),
    (0xff14, 0x91),
    (0xff67, 0x5d),
    (0x1008_ff26, 0xa6),
    (0x1008_ff27, 0xa7),
    (keysyms::F1 + 20, 0x84),
    (keysyms::F1 + 21, 0x85),
    (keysyms::F1 + 22, 0x86),
    (keysyms::F1 + 23, 0x87),
];

pub(crate) fn key(system: System, number: u32) -> Result<Key> {
    let listed = EVERYWHERE.iter().find(|(known, _)| *known == number).map(|(_, key)| *key);
    // X11 alone tells it from the other Enter.
    let listed = listed.filter(|_| number != 0xff8d || system != System::X11);
    let at = |from: u32, all: &[Key]| {
        number.checked_sub(from).and_then(|at| usize::try_from(at).ok()).and_then(|at| all.get(at).copied())
    };
    let found = listed
        .or_else(|| at(keysyms::F1, &FUNCTIONS))
        .or_else(|| at(0xffb0, &DIGITS))
        .or_else(|| keysyms::char_of(number).map(Key::Unicode))
        .or_else(|| match system {
            System::X11 => Some(Key::Other(number)),
            System::Windows => {
                WINDOWS.iter().find(|(known, _)| *known == number).map(|(_, own)| Key::Other(*own))
            }
            System::Mac => None,
        });
    found.ok_or_else(|| bad("key", "this system has no such key"))
}

pub(crate) fn modifier(modifier: Modifier) -> Key {
    match modifier {
        Modifier::Control => Key::Control,
        Modifier::Alt => Key::Alt,
        Modifier::Shift => Key::Shift,
        Modifier::Super => Key::Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_desktop::chord::Chord;

    fn of(system: System, text: &str) -> Result<Key> {
        key(system, Chord::parse(text).unwrap()[0].key.unwrap())
    }

    #[test]
    fn keys_are_the_same_everywhere_where_they_are_there() {
        for system in [System::X11, System::Windows, System::Mac] {
            for (text, key) in [
                ("Enter", Key::Return),
                ("Page_Down", Key::PageDown),
                ("F5", Key::F5),
                ("F20", Key::F20),
                ("KP_7", Key::Numpad7),
                ("ctrl+A", Key::Unicode('a')),
                ("é", Key::Unicode('é')),
                ("界", Key::Unicode('界')),
                ("space", Key::Space),
            ] {
                assert_eq!(of(system, text).unwrap(), key, "{text}");
            }
        }
        assert_eq!(of(System::X11, "Insert").unwrap(), Key::Other(keysyms::INSERT));
        assert_eq!(of(System::Windows, "Insert").unwrap(), Key::Other(0x2d));
        assert!(of(System::Mac, "Insert").unwrap_err().is_agents_mistake());
        assert!(of(System::Windows, "F24").is_ok() && of(System::Mac, "F24").is_err());
    }
}
