//! Characters and names of keys, as the numbers that X servers know them by.

/// The bit that marks a number as a character of Unicode.
const UNICODE: u32 = 0x0100_0000;

pub const RETURN: u32 = 0xff0d;
pub const KEYPAD_ENTER: u32 = 0xff8d;
pub const TAB: u32 = 0xff09;
pub const CAPS_LOCK: u32 = 0xffe5;
pub const SHIFT_L: u32 = 0xffe1;
pub(crate) const CONTROL_L: u32 = 0xffe3;
pub(crate) const ALT_L: u32 = 0xffe9;
pub(crate) const SUPER_L: u32 = 0xffeb;
pub const BACKSPACE: u32 = 0xff08;
pub const DELETE: u32 = 0xffff;
pub const INSERT: u32 = 0xff63;
pub const END: u32 = 0xff57;
pub const F1: u32 = 0xffbe;
pub const F12: u32 = F1 + 11;

/// The number of a character; `None` for those that no key makes.
pub fn of_char(c: char) -> Option<u32> {
    match c {
        '\n' | '\r' => Some(RETURN),
        '\t' => Some(TAB),
        ' '..='~' | '\u{a0}'..='\u{ff}' => Some(u32::from(c)),
        c if c.is_control() => None,
        c => Some(UNICODE | u32::from(c)),
    }
}

/// The character of a number, where it stands for one.
pub fn char_of(number: u32) -> Option<char> {
    match number {
        0x20..=0x7e | 0xa0..=0xff => char::from_u32(number),
        _ => number.checked_sub(UNICODE).filter(|c| *c > 0xff && *c < UNICODE).and_then(char::from_u32),
    }
}

pub fn is_enter(number: u32) -> bool {
    matches!(number, RETURN | KEYPAD_ENTER)
}

/// Names in lower case, without `_` and `-`, with blanks between.
const NAMED: &[(&str, u32)] = &[
    ("enter return", RETURN),
    ("linefeed", 0xff0a),
    ("kpenter", KEYPAD_ENTER),
    ("tab", TAB),
    ("isolefttab", 0xfe20),
    ("escape esc", 0xff1b),
    ("backspace back bksp", BACKSPACE),
    ("delete del", DELETE),
    ("insert ins", INSERT),
    ("up arrowup uparrow", 0xff52),
    ("down arrowdown downarrow", 0xff54),
    ("left arrowleft leftarrow", 0xff51),
    ("right arrowright rightarrow", 0xff53),
    ("pageup pgup prior", 0xff55),
    ("pagedown pgdn pgdown next", 0xff56),
    ("home", 0xff50),
    ("end", END),
    ("capslock", CAPS_LOCK),
    ("numlock", 0xff7f),
    ("scrolllock", 0xff14),
    ("contextmenu menu apps", 0xff67),
    ("printscreen print prtsc prtscr", 0xff61),
    ("sysrq sysreq", 0xff15),
    ("pause", 0xff13),
    ("break", 0xff6b),
    ("help", 0xff6a),
    ("space spacebar", 0x20),
    ("plus", 0x2b),
    ("minus hyphen dash", 0x2d),
    ("equal equals", 0x3d),
    ("comma", 0x2c),
    ("period dot", 0x2e),
    ("slash", 0x2f),
    ("backslash", 0x5c),
    ("semicolon", 0x3b),
    ("colon", 0x3a),
    ("apostrophe quote quoteright", 0x27),
    ("quotedbl", 0x22),
    ("quoteleft grave backtick backquote", 0x60),
    ("bracketleft", 0x5b),
    ("bracketright", 0x5d),
    ("braceleft", 0x7b),
    ("braceright", 0x7d),
    ("parenleft", 0x28),
    ("parenright", 0x29),
    ("exclam", 0x21),
    ("at", 0x40),
    ("numbersign hash", 0x23),
    ("dollar", 0x24),
    ("percent", 0x25),
    ("asciicircum caret", 0x5e),
    ("ampersand", 0x26),
    ("asterisk", 0x2a),
    ("underscore", 0x5f),
    ("bar pipe", 0x7c),
    ("asciitilde tilde", 0x7e),
    ("less", 0x3c),
    ("greater", 0x3e),
    ("question", 0x3f),
    ("kpadd add", 0xffab),
    ("kpsubtract subtract", 0xffad),
    ("kpmultiply multiply", 0xffaa),
    ("kpdivide divide", 0xffaf),
    ("kpdecimal decimal", 0xffae),
    ("kpequal", 0xffbd),
    ("volumeup xf86audioraisevolume", 0x1008_ff13),
    ("volumedown xf86audiolowervolume", 0x1008_ff11),
    ("volumemute xf86audiomute", 0x1008_ff12),
    ("browserback", 0x1008_ff26),
    ("browserforward", 0x1008_ff27),
];

/// The number of the key of this name, written in lower case without blanks, `_` and `-`.
pub fn of_name(name: &str) -> Option<u32> {
    let numbered = |prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
    if let Some(n) = numbered("f").filter(|n| (1..=24).contains(n)) {
        return Some(F1 + n - 1);
    }
    if let Some(n) =
        numbered("kp").or_else(|| numbered("num")).or_else(|| numbered("numpad")).filter(|n| *n < 10)
    {
        return Some(0xffb0 + n);
    }
    NAMED.iter().find(|(known, _)| known.split(' ').any(|known| known == name)).map(|(_, keysym)| *keysym)
}
