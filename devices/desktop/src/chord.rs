//! Key chords, in whatever spelling a model likes.

use super::keysyms;
use waldo_devices::chords::{parts, plain};
use waldo_devices::{DeviceError, Modifiers, Result};

/// The most chords of one sequence, as in `ctrl+k ctrl+s`.
const SEQUENCE_MAX: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modifier {
    Control,
    Alt,
    Shift,
    /// The key of the system: Windows, Command.
    Super,
}

impl Modifier {
    pub fn of(held: Modifiers) -> Vec<Self> {
        let all = [
            (held.ctrl, Self::Control),
            (held.alt, Self::Alt),
            (held.shift, Self::Shift),
            (held.meta, Self::Super),
        ];
        all.into_iter().filter(|(held, _)| *held).map(|(_, modifier)| modifier).collect()
    }

    /// The number of its left key.
    pub fn keysym(self) -> u32 {
        match self {
            Self::Control => keysyms::CONTROL_L,
            Self::Alt => keysyms::ALT_L,
            Self::Shift => keysyms::SHIFT_L,
            Self::Super => keysyms::SUPER_L,
        }
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ctrl" | "control" | "ctl" | "controll" | "controlr" | "ctrll" | "ctrlr" | "ctrlleft"
            | "ctrlright" | "leftctrl" | "rightctrl" | "leftcontrol" | "rightcontrol" | "controlormeta"
            | "cmdorctrl" | "commandorcontrol" => Self::Control,
            "shift" | "shiftl" | "shiftr" | "shiftleft" | "shiftright" | "leftshift" | "rightshift" => {
                Self::Shift
            }
            "alt" | "option" | "altl" | "altr" | "altleft" | "altright" | "leftalt" | "rightalt" | "opt" => {
                Self::Alt
            }
            "meta" | "cmd" | "command" | "super" | "win" | "windows" | "superl" | "superr" | "metal"
            | "metar" | "winleft" | "winright" | "leftwin" | "rightwin" | "leftmeta" | "rightmeta"
            | "superkey" | "winkey" => Self::Super,
            _ => return None,
        })
    }
}

/// Modifiers that are held while a key is pressed; modifiers alone have no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chord {
    pub modifiers: Vec<Modifier>,
    pub key: Option<u32>,
}

impl Chord {
    /// Reads a chord, or several with blanks between: `Enter`, `ctrl+a`, `Shift + Tab`, `ctrl-shift-t`,
    /// `CONTROL+PAGE_DOWN`, `Page Down`, `+`, `ctrl++`, `ctrl+k ctrl+s`.
    pub fn parse(text: &str) -> Result<Vec<Self>> {
        let whole = Self::one(text);
        if whole.is_ok() {
            return whole.map(|chord| vec![chord]);
        }
        let joined = text.replace(" +", "+").replace("+ ", "+");
        let words: Vec<&str> = joined.split_whitespace().collect();
        let several: Option<Vec<Self>> = words.iter().map(|word| Self::one(word).ok()).collect();
        match several {
            Some(chords) if (2..=SEQUENCE_MAX).contains(&chords.len()) => Ok(chords),
            _ => whole.map(|chord| vec![chord]),
        }
    }

    fn one(text: &str) -> Result<Self> {
        let bad = |key: &str| DeviceError::BadArgument {
            what: format!("key '{}'", text.chars().take(80).collect::<String>()),
            message: format!(
                "'{}' is not a key; write Enter, Tab, Escape, Backspace, Delete, ArrowDown, PageDown, Home, F5, a \
                 single character, or a chord such as ctrl+a or shift+Tab; use type for text",
                key.chars().take(40).collect::<String>()
            ),
        };
        let trimmed = text.trim();
        let parts = parts(trimmed, |name| Modifier::named(name).is_some());
        if parts.is_empty() || trimmed.is_empty() {
            return Err(bad(text));
        }
        let several = parts.len() > 1;
        let (mut modifiers, mut key) = (Vec::new(), None);
        for part in parts {
            let name = plain(part);
            if let Some(modifier) = Modifier::named(&name) {
                modifiers.push(modifier);
                continue;
            }
            let mut chars = part.trim().chars();
            let found = match (chars.next(), chars.next()) {
                // `ctrl+A` means the key; `A` by itself is typed with Shift.
                (Some(c), None) if several && c.is_ascii_alphabetic() => {
                    keysyms::of_char(c.to_ascii_lowercase())
                }
                (Some(c), None) => keysyms::of_char(c),
                _ => keysyms::of_name(&name),
            };
            // Two keys that are not modifiers make no chord.
            if found.is_none() || key.is_some() {
                return Err(bad(part));
            }
            key = found;
        }
        modifiers.sort_unstable();
        modifiers.dedup();
        Ok(Self { modifiers, key })
    }

    /// Whether `other` presses the same keys, capitals aside.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let key = |chord: &Self| {
            chord.key.map(|key| match char::from_u32(key) {
                Some(c) if c.is_ascii_uppercase() => u32::from(c.to_ascii_lowercase()),
                _ => key,
            })
        };
        self.modifiers == other.modifiers && key(self) == key(other)
    }
}

#[cfg(test)]
mod effects_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use Modifier::{Alt, Control, Shift, Super};

    fn one(text: &str) -> (Vec<Modifier>, Option<u32>) {
        let mut chords = Chord::parse(text).unwrap();
        assert_eq!(chords.len(), 1, "{text}");
        let chord = chords.remove(0);
        (chord.modifiers, chord.key)
    }

    #[test]
    fn any_spelling_will_do() {
        for text in
            ["ctrl+s", "Ctrl+S", "CONTROL + s", "ctrl-s", "Control_L+s", "Ctrl-S", "ctrlleft+s", "<ctrl>+s"]
        {
            assert_eq!(one(text), (vec![Control], Some(0x73)), "{text}");
        }
        assert_eq!(one("Shift + Tab"), (vec![Shift], Some(keysyms::TAB)));
        for text in ["Page_Down", "Page Down", "pgdn", "PAGEDOWN", "Next"] {
            assert_eq!(one(text), (vec![], Some(0xff56)), "{text}");
        }
        assert_eq!(one("ctrl-shift-t"), (vec![Control, Shift], Some(0x74)));
        assert_eq!(one("shift+ctrl+alt+Delete"), (vec![Control, Alt, Shift], Some(0xffff)));
        assert_eq!(one("super"), (vec![Super], None));
        assert_eq!(one("Super_L"), (vec![Super], None));
        assert_eq!(one("F12"), (vec![], Some(keysyms::F12)));
        assert_eq!(one("KP_5"), (vec![], Some(0xffb5)));
        assert_eq!(one("A"), (vec![], Some(0x41)));
        assert_eq!(one("é"), (vec![], Some(0xe9)));
        assert_eq!(one("界"), (vec![], Some(0x0100_754c)));
    }

    #[test]
    fn signs_are_keys_too_and_unknown_keys_are_told_with_examples() {
        assert_eq!(one("+"), (vec![], Some(0x2b)));
        assert_eq!(one("ctrl++"), (vec![Control], Some(0x2b)));
        assert_eq!(one("ctrl + +"), (vec![Control], Some(0x2b)));
        assert_eq!(one("-"), (vec![], Some(0x2d)));
        assert_eq!(one("ctrl+-"), (vec![Control], Some(0x2d)));
        assert_eq!(one("ctrl--"), (vec![Control], Some(0x2d)));
        assert_eq!(one("ctrl+plus"), (vec![Control], Some(0x2b)));
        let chords = Chord::parse("ctrl+k Ctrl + S").unwrap();
        assert_eq!(chords.len(), 2);
        assert_eq!(Chord::parse("Tab Tab Enter").unwrap().len(), 3);
        for text in ["", " ", "hello", "ctrl+a+b", "F99", "ctrl+foo", "++a", "a+b"] {
            let message = Chord::parse(text).unwrap_err().to_string();
            assert!(message.contains("ctrl+a or shift+Tab"), "{text}: {message}");
        }
        let chord = |text: &str| Chord::parse(text).unwrap().remove(0);
        assert!(chord("ctrl+alt+Delete").is_like(&chord("Alt-Control-del")));
        assert!(!chord("alt+F4").is_like(&chord("F4")));
    }
}
