//! Characters and names of keys, as the numbers that X servers know them by.

use waldo_devices::word_list;

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

/// Numbers in hexadecimal, and the names of each in lower case, without `_` and `-`.
const NAMED: [&str; 70] = word_list(
    "ff0d=enter|return ff0a=linefeed ff8d=kpenter ff09=tab fe20=isolefttab ff1b=escape|esc \
     ff08=backspace|back|bksp ffff=delete|del ff63=insert|ins ff52=up|arrowup|uparrow \
     ff54=down|arrowdown|downarrow ff51=left|arrowleft|leftarrow ff53=right|arrowright|rightarrow \
     ff55=pageup|pgup|prior ff56=pagedown|pgdn|pgdown|next ff50=home ff57=end ffe5=capslock ff7f=numlock \
     ff14=scrolllock ff67=contextmenu|menu|apps ff61=printscreen|print|prtsc|prtscr ff15=sysrq|sysreq \
     ff13=pause ff6b=break ff6a=help 20=space|spacebar 2b=plus 2d=minus|hyphen|dash 3d=equal|equals \
     2c=comma 2e=period|dot 2f=slash 5c=backslash 3b=semicolon 3a=colon 27=apostrophe|quote|quoteright \
     22=quotedbl 60=quoteleft|grave|backtick|backquote 5b=bracketleft 5d=bracketright 7b=braceleft \
     7d=braceright 28=parenleft 29=parenright 21=exclam 40=at 23=numbersign|hash 24=dollar 25=percent \
     5e=asciicircum|caret 26=ampersand 2a=asterisk 5f=underscore 7c=bar|pipe 7e=asciitilde|tilde 3c=less \
     3e=greater 3f=question ffab=kpadd|add ffad=kpsubtract|subtract ffaa=kpmultiply|multiply \
     ffaf=kpdivide|divide ffae=kpdecimal|decimal ffbd=kpequal 1008ff13=volumeup|xf86audioraisevolume \
     1008ff11=volumedown|xf86audiolowervolume 1008ff12=volumemute|xf86audiomute 1008ff26=browserback \
     1008ff27=browserforward",
);

/// The numbers that have names, with these.
fn named() -> impl Iterator<Item = (u32, std::str::Split<'static, char>)> {
    NAMED.into_iter().filter_map(|known| {
        let (number, names) = known.split_once('=')?;
        Some((u32::from_str_radix(number, 16).ok()?, names.split('|')))
    })
}

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
    named().find(|(_, names)| names.clone().any(|known| known == name)).map(|(number, _)| number)
}

/// The first name of a number.
pub fn name_of(number: u32) -> Option<&'static str> {
    named().find(|(known, _)| *known == number)?.1.next()
}
