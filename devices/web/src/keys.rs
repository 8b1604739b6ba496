//! Key chords, in whatever spelling a model likes, as the events a keyboard makes.

use waldo_devices::{DeviceError, Modifiers, Result};

/// Modifier bits of the protocol.
pub(crate) const ALT: u8 = 1;
pub(crate) const CTRL: u8 = 2;
pub(crate) const META: u8 = 4;
pub(crate) const SHIFT: u8 = 8;

/// The most chords of one sequence.
const SEQUENCE_MAX: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WebKey {
    /// `KeyboardEvent.key`.
    pub(crate) key: String,
    /// `KeyboardEvent.code`.
    pub(crate) code: String,
    pub(crate) vk: u32,
    /// The text it enters, empty for none.
    pub(crate) text: String,
}

/// A chord: modifiers held while a key is pressed; modifiers alone have no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WebChord {
    pub(crate) modifiers: u8,
    pub(crate) key: Option<WebKey>,
}

/// Names without case, blanks, `_` and `-`, with blanks between; key, code, virtual key code.
const NAMED: [(&str, &str, &str, u32); 24] = [
    ("enter return", "Enter", "Enter", 13),
    ("tab", "Tab", "Tab", 9),
    ("escape esc", "Escape", "Escape", 27),
    ("backspace", "Backspace", "Backspace", 8),
    ("delete del", "Delete", "Delete", 46),
    ("insert ins", "Insert", "Insert", 45),
    ("arrowup up uparrow", "ArrowUp", "ArrowUp", 38),
    ("arrowdown down downarrow", "ArrowDown", "ArrowDown", 40),
    ("arrowleft left leftarrow", "ArrowLeft", "ArrowLeft", 37),
    ("arrowright right rightarrow", "ArrowRight", "ArrowRight", 39),
    ("pageup pgup prior", "PageUp", "PageUp", 33),
    ("pagedown pgdn pgdown next", "PageDown", "PageDown", 34),
    ("home", "Home", "Home", 36),
    ("end", "End", "End", 35),
    ("capslock", "CapsLock", "CapsLock", 20),
    ("contextmenu menu", "ContextMenu", "ContextMenu", 93),
    ("printscreen", "PrintScreen", "PrintScreen", 44),
    ("pause", "Pause", "Pause", 19),
    ("numlock", "NumLock", "NumLock", 144),
    ("scrolllock", "ScrollLock", "ScrollLock", 145),
    ("space spacebar", " ", "Space", 32),
    ("plus", "+", "Equal", 187),
    ("minus", "-", "Minus", 189),
    ("equal", "=", "Equal", 187),
];

/// Keys of a US keyboard that carry signs: unshifted, shifted, code, virtual key code.
const SIGNS: [(char, char, &str, u32); 21] = [
    ('`', '~', "Backquote", 192),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
];

/// The key that enters `c` on a US keyboard, with the Shift it needs; `None` for other characters.
pub(crate) fn of_char(c: char) -> Option<(WebKey, u8)> {
    let key =
        |code: &str, vk: u32| WebKey { key: c.to_string(), code: code.to_owned(), vk, text: c.to_string() };
    if c.is_ascii_alphabetic() {
        let upper = c.to_ascii_uppercase();
        let shift = if c.is_ascii_uppercase() { SHIFT } else { 0 };
        return Some((key(&format!("Key{upper}"), u32::from(upper)), shift));
    }
    match c {
        ' ' => Some((key("Space", 32), 0)),
        '\n' => named("enter").map(|key| (key, 0)),
        '\t' => named("tab").map(|key| (key, 0)),
        _ => SIGNS.iter().find_map(|(plain, shifted, code, vk)| {
            (c == *plain)
                .then(|| (key(code, *vk), 0))
                .or_else(|| (c == *shifted).then(|| (key(code, *vk), SHIFT)))
        }),
    }
}

/// Modifiers: bit, key, code, virtual key code.
pub(crate) const MODIFIERS: [(u8, &str, &str, u32); 4] = [
    (CTRL, "Control", "ControlLeft", 17),
    (ALT, "Alt", "AltLeft", 18),
    (SHIFT, "Shift", "ShiftLeft", 16),
    (META, "Meta", "MetaLeft", 91),
];

pub(crate) fn modifier_key((_, key, code, vk): &(u8, &str, &str, u32)) -> WebKey {
    WebKey { key: (*key).to_owned(), code: (*code).to_owned(), vk: *vk, text: String::new() }
}

/// Keys of the keypad that have no name above: name, what they enter, code, virtual key code.
const KEYPAD: [(&str, &str, &str, u32); 6] = [
    ("add", "+", "NumpadAdd", 107),
    ("subtract", "-", "NumpadSubtract", 109),
    ("multiply", "*", "NumpadMultiply", 106),
    ("divide", "/", "NumpadDivide", 111),
    ("decimal", ".", "NumpadDecimal", 110),
    ("equal", "=", "NumpadEqual", 187),
];

/// A key of the keypad: `KP_5`, `KP_Add`, `numpad0`, and with its light off `KP_Home`.
fn of_keypad(name: &str) -> Option<WebKey> {
    if let Some(digit) = name.parse::<u32>().ok().filter(|digit| *digit < 10 && name.len() == 1) {
        return Some(WebKey {
            key: name.into(),
            code: format!("Numpad{digit}"),
            vk: 96 + digit,
            text: name.into(),
        });
    }
    if let Some((_, key, code, vk)) = KEYPAD.iter().find(|(known, ..)| *known == name) {
        return Some(WebKey { key: (*key).into(), code: (*code).into(), vk: *vk, text: (*key).into() });
    }
    let moves = ["insert", "end", "down", "pagedown", "left", "begin", "right", "home", "up", "pageup"];
    let code = match (name, moves.iter().position(|known| *known == name)) {
        ("enter", _) => "NumpadEnter".to_owned(),
        ("delete", _) => "NumpadDecimal".to_owned(),
        (_, digit) => format!("Numpad{}", digit?),
    };
    named(name).map(|key| WebKey { code, ..key })
}

fn named(name: &str) -> Option<WebKey> {
    if let Some(name) = name.strip_prefix("kp").or(name.strip_prefix("numpad")) {
        return of_keypad(name);
    }
    if let Some(number) = name.strip_prefix('f').and_then(|n| n.parse::<u32>().ok()) {
        let key = format!("F{number}");
        return (1..=24).contains(&number).then(|| WebKey {
            code: key.clone(),
            key,
            vk: 111 + number,
            text: String::new(),
        });
    }
    NAMED.iter().find(|(known, ..)| known.split(' ').any(|one| one == name)).map(|(_, key, code, vk)| {
        WebKey {
            key: (*key).to_owned(),
            code: (*code).to_owned(),
            vk: *vk,
            text: match *key {
                "Enter" => "\r".to_owned(),
                sign if sign.len() == 1 => sign.to_owned(),
                _ => String::new(),
            },
        }
    })
}

pub(crate) fn bits(held: Modifiers) -> u8 {
    let all = [(held.ctrl, CTRL), (held.alt, ALT), (held.shift, SHIFT), (held.meta, META)];
    all.into_iter().filter(|(held, _)| *held).fold(0, |bits, (_, bit)| bits | bit)
}

fn modifier(name: &str) -> Option<u8> {
    match name {
        "ctrl" | "control" | "ctl" | "controll" | "controlr" => Some(CTRL),
        "controlormeta" | "cmdorctrl" | "commandorcontrol" => {
            Some(if cfg!(target_os = "macos") { META } else { CTRL })
        }
        "shift" | "shiftl" | "shiftr" => Some(SHIFT),
        "alt" | "option" | "altl" | "altr" => Some(ALT),
        "meta" | "cmd" | "command" | "super" | "win" | "windows" => Some(META),
        _ => None,
    }
}

impl WebChord {
    /// Reads a chord, or several with blanks between: `Tab Tab Enter`, `ctrl+a Delete`.
    pub(crate) fn parse_all(text: &str) -> Result<Vec<Self>> {
        let whole = Self::parse(text);
        let words = text.replace(" +", "+").replace("+ ", "+");
        let several: Result<Vec<Self>, _> = words.split_whitespace().map(Self::parse).collect();
        match (whole, several) {
            (Err(_), Ok(chords)) if (2..=SEQUENCE_MAX).contains(&chords.len()) => Ok(chords),
            (whole, _) => Ok(vec![whole?]),
        }
    }

    /// Reads `Enter`, `ctrl+a`, `Shift + Tab`, `ctrl-c`, `CONTROL+PAGE_DOWN`, `+`, `ctrl++`.
    ///
    /// # Errors
    /// [`DeviceError::BadArgument`] that names the unknown key and shows examples.
    pub(crate) fn parse(chord: &str) -> Result<Self> {
        let bad = |key: &str| DeviceError::BadArgument {
            what: format!("key '{chord}'"),
            message: format!(
                "'{key}' is not a key; write Enter, Tab, Escape, Backspace, Delete, ArrowDown, PageDown, Home, F5, \
                 a single character, or a chord such as ctrl+a or shift+Tab; use type for text"
            ),
        };
        let trimmed = chord.trim();
        if trimmed.is_empty() {
            return Err(bad(chord));
        }
        let mut parts: Vec<&str> = match trimmed.strip_suffix('+') {
            Some("") => vec!["+"],
            Some(rest) if rest.ends_with('+') => rest.trim_end_matches('+').split('+').chain(["+"]).collect(),
            _ => trimmed.split('+').collect(),
        };
        if let [one] = parts[..]
            && let Some((first, rest)) = one.split_once('-')
            && modifier(&plain(first)).is_some()
            && !rest.is_empty()
        {
            parts = vec![first, rest];
        }
        let mut modifiers = 0;
        let mut key = None;
        for part in parts {
            let name = plain(part);
            if let Some(bit) = modifier(&name) {
                modifiers |= bit;
                continue;
            }
            if key.is_some() {
                return Err(bad(part));
            }
            let mut chars = part.trim().chars();
            let (first, more) = (chars.next(), chars.next());
            let (found, shift) = match (first, more) {
                (Some(c), None) => of_char(c).or_else(|| {
                    let text = c.to_string();
                    Some((WebKey { key: text.clone(), code: String::new(), vk: 0, text }, 0))
                }),
                _ => named(&name).map(|key| (key, 0)),
            }
            .ok_or_else(|| bad(part))?;
            // `ctrl+A` means the key, not Shift with it.
            let letter = first.is_some_and(|c| c.is_ascii_alphabetic()) && more.is_none();
            modifiers |= if letter { 0 } else { shift };
            key = Some(found);
        }
        let mut chord = Self { modifiers, key };
        chord.finish();
        Ok(chord)
    }

    /// Letters follow Shift; chords with Ctrl, Alt or Meta enter no text.
    fn finish(&mut self) {
        let Some(key) = &mut self.key else { return };
        let letter = key.key.len() == 1 && key.key.chars().all(|c| c.is_ascii_alphabetic());
        let commands = self.modifiers & (CTRL | ALT | META) != 0;
        if letter && (commands || self.modifiers & SHIFT != 0) {
            let shifted = self.modifiers & SHIFT != 0;
            key.key = if shifted { key.key.to_ascii_uppercase() } else { key.key.to_ascii_lowercase() };
            key.text = key.key.clone();
        } else if letter && key.key.chars().all(|c| c.is_ascii_uppercase()) {
            self.modifiers |= SHIFT;
        }
        if commands {
            key.text.clear();
        }
    }
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod effects_tests;

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> (u8, String, String) {
        let chord = WebChord::parse(text).unwrap();
        let key = chord.key.map_or_else(|| (String::new(), String::new()), |key| (key.key, key.text));
        (chord.modifiers, key.0, key.1)
    }

    #[test]
    fn any_spelling_will_do() {
        for text in ["ctrl+a", "Ctrl+A", "CONTROL + a", "ctrl-a", "Control_L+a"] {
            assert_eq!(chord(text), (CTRL, "a".to_owned(), String::new()), "{text}");
        }
        assert_eq!(chord("Shift+Tab"), (SHIFT, "Tab".to_owned(), String::new()));
        assert_eq!(chord("Page_Down").1, "PageDown");
        assert_eq!(chord("return"), (0, "Enter".to_owned(), "\r".to_owned()));
        assert_eq!(chord("F12").1, "F12");
        for (name, key, code) in [
            ("KP_Enter", "Enter", "NumpadEnter"),
            ("KP_7", "7", "Numpad7"),
            ("kp_add", "+", "NumpadAdd"),
            ("KP_Page_Up", "PageUp", "Numpad9"),
        ] {
            let pressed = WebChord::parse(name).unwrap().key.unwrap();
            assert_eq!((pressed.key.as_str(), pressed.code.as_str()), (key, code), "{name}");
        }
        assert_eq!(WebChord::parse_all("Tab Tab ctrl + a").unwrap().len(), 3);
        assert_eq!(WebChord::parse_all("Page Down").unwrap().len(), 1);
        assert_eq!(chord("cmd+shift+z"), (META | SHIFT, "Z".to_owned(), String::new()));
    }

    #[test]
    fn signs_and_single_characters_are_keys_and_others_are_told_with_examples() {
        assert_eq!(chord("+"), (SHIFT, "+".to_owned(), "+".to_owned()));
        assert_eq!(chord("ctrl++"), (CTRL | SHIFT, "+".to_owned(), String::new()));
        assert_eq!(chord("-"), (0, "-".to_owned(), "-".to_owned()));
        assert_eq!(chord("A"), (SHIFT, "A".to_owned(), "A".to_owned()));
        assert_eq!(chord("é"), (0, "é".to_owned(), "é".to_owned()));
        assert_eq!(chord("?"), (SHIFT, "?".to_owned(), "?".to_owned()));
        assert_eq!(chord("shift"), (SHIFT, String::new(), String::new()));
        for text in ["", "hello", "ctrl+a+b", "F99", "ctrl+foo"] {
            let message = WebChord::parse(text).unwrap_err().to_string();
            assert!(message.contains("ctrl+a or shift+Tab"), "{message}");
        }
    }
}
