//! Characters and names of keys, as the numbers that X servers know them by.

/// The bit that marks a number as a character of Unicode.
const UNICODE: u32 = 0x0100_0000;

pub const RETURN: u32 = 0xff0d;
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

/// Names in lower case, without blanks, `_` and `-`.
const NAMED: &[(&str, u32)] = &[
    ("enter", RETURN),
    ("return", RETURN),
    ("linefeed", 0xff0a),
    ("kpenter", 0xff8d),
    ("tab", TAB),
    ("isolefttab", 0xfe20),
    ("escape", 0xff1b),
    ("esc", 0xff1b),
    ("backspace", BACKSPACE),
    ("back", BACKSPACE),
    ("bksp", BACKSPACE),
    ("delete", DELETE),
    ("del", DELETE),
    ("insert", INSERT),
    ("ins", INSERT),
    ("up", 0xff52),
    ("arrowup", 0xff52),
    ("uparrow", 0xff52),
    ("down", 0xff54),
    ("arrowdown", 0xff54),
    ("downarrow", 0xff54),
    ("left", 0xff51),
    ("arrowleft", 0xff51),
    ("leftarrow", 0xff51),
    ("right", 0xff53),
    ("arrowright", 0xff53),
    ("rightarrow", 0xff53),
    ("pageup", 0xff55),
    ("pgup", 0xff55),
    ("prior", 0xff55),
    ("pagedown", 0xff56),
    ("pgdn", 0xff56),
    ("pgdown", 0xff56),
    ("next", 0xff56),
    ("home", 0xff50),
    ("end", END),
    ("capslock", CAPS_LOCK),
    ("numlock", 0xff7f),
    ("scrolllock", 0xff14),
    ("contextmenu", 0xff67),
    ("menu", 0xff67),
    ("apps", 0xff67),
    ("printscreen", 0xff61),
    ("print", 0xff61),
    ("prtsc", 0xff61),
    ("prtscr", 0xff61),
    ("sysrq", 0xff15),
    ("sysreq", 0xff15),
    ("pause", 0xff13),
    ("break", 0xff6b),
    ("help", 0xff6a),
    ("space", 0x20),
    ("spacebar", 0x20),
    ("plus", 0x2b),
    ("minus", 0x2d),
    ("hyphen", 0x2d),
    ("dash", 0x2d),
    ("equal", 0x3d),
    ("equals", 0x3d),
    ("comma", 0x2c),
    ("period", 0x2e),
    ("dot", 0x2e),
    ("slash", 0x2f),
    ("backslash", 0x5c),
    ("semicolon", 0x3b),
    ("colon", 0x3a),
    ("apostrophe", 0x27),
    ("quote", 0x27),
    ("quotedbl", 0x22),
    ("quoteright", 0x27),
    ("quoteleft", 0x60),
    ("grave", 0x60),
    ("backtick", 0x60),
    ("backquote", 0x60),
    ("bracketleft", 0x5b),
    ("bracketright", 0x5d),
    ("braceleft", 0x7b),
    ("braceright", 0x7d),
    ("parenleft", 0x28),
    ("parenright", 0x29),
    ("exclam", 0x21),
    ("at", 0x40),
    ("numbersign", 0x23),
    ("hash", 0x23),
    ("dollar", 0x24),
    ("percent", 0x25),
    ("asciicircum", 0x5e),
    ("caret", 0x5e),
    ("ampersand", 0x26),
    ("asterisk", 0x2a),
    ("underscore", 0x5f),
    ("bar", 0x7c),
    ("pipe", 0x7c),
    ("asciitilde", 0x7e),
    ("tilde", 0x7e),
    ("less", 0x3c),
    ("greater", 0x3e),
    ("question", 0x3f),
    ("kpadd", 0xffab),
    ("add", 0xffab),
    ("kpsubtract", 0xffad),
    ("subtract", 0xffad),
    ("kpmultiply", 0xffaa),
    ("multiply", 0xffaa),
    ("kpdivide", 0xffaf),
    ("divide", 0xffaf),
    ("kpdecimal", 0xffae),
    ("decimal", 0xffae),
    ("kpequal", 0xffbd),
    ("volumeup", 0x1008_ff13),
    ("volumedown", 0x1008_ff11),
    ("volumemute", 0x1008_ff12),
    ("xf86audioraisevolume", 0x1008_ff13),
    ("xf86audiolowervolume", 0x1008_ff11),
    ("xf86audiomute", 0x1008_ff12),
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
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, keysym)| *keysym)
}
