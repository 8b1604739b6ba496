//! What chords do, in any spelling that a driver reads.
//!
//! Invariant: a chord that is not in the table does everything. It is not asked which driver reads it: where
//! two read a name in two ways, it does both.

use crate::effect_set::{ActionEffect, Effects};
use crate::platform::Platform;
use crate::word_list::word_list;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    ctrl: bool,
    alt: bool,
    shift: bool,
    /// The Windows, Command or Super key.
    logo: bool,
}

impl Held {
    fn hold(&mut self, name: &str) -> bool {
        let held = match name {
            "ctrl" | "control" | "ctl" | "controll" | "controlr" | "ctrll" | "ctrlr" | "ctrlleft"
            | "ctrlright" | "leftctrl" | "rightctrl" | "leftcontrol" | "rightcontrol" | "controlormeta"
            | "cmdorctrl" | "commandorcontrol" => &mut self.ctrl,
            "shift" | "shiftl" | "shiftr" | "shiftleft" | "shiftright" | "leftshift" | "rightshift" => {
                &mut self.shift
            }
            "alt" | "option" | "altl" | "altr" | "altleft" | "altright" | "leftalt" | "rightalt" | "opt" => {
                &mut self.alt
            }
            "meta" | "cmd" | "command" | "super" | "win" | "windows" | "superl" | "superr" | "metal"
            | "metar" | "winleft" | "winright" | "leftwin" | "rightwin" | "leftmeta" | "rightmeta"
            | "superkey" | "winkey" => &mut self.logo,
            _ => return false,
        };
        *held = true;
        true
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    None,
    /// One that enters this, a letter in lower case.
    Char(char),
    /// F1 to F24.
    F(u32),
    Enter,
    Space,
    Tab,
    Escape,
    Delete,
    Backspace,
    Insert,
    /// Moves the caret or the choice up and down.
    Arrow,
    Left,
    Right,
    /// A screenful, or the first or last place.
    Paging,
    LineHome,
    Menu,
    /// Changes the keyboard's own state.
    Lock,
    Media,
    /// The next screenful, or the next track.
    Next,
    Copy,
    Cut,
    Paste,
    BrowserBack,
    BrowserForward,
    BrowserReload,
    BrowserHome,
    PhoneBack,
    PhoneHome,
    PhoneRecents,
}

/// What a chord does, or several with blanks between; pressing keys is among it.
pub(crate) fn effects(text: &str, on: Platform) -> Effects {
    if let Some(effects) = one(text, on) {
        return effects;
    }
    let joined = text.replace(" +", "+").replace("+ ", "+");
    let words: Vec<&str> = joined.split_whitespace().collect();
    if words.len() < 2 {
        return Effects::all();
    }
    words
        .into_iter()
        .map(|word| one(word, on).unwrap_or_else(Effects::all))
        .fold(Effects::default(), Effects::and)
}

/// A chord that is pressed so many times, one after the other.
pub(crate) fn repeated(chord: String, times: u32) -> String {
    // Blanks part chords: within one there are none.
    let one = match one(&chord, Platform::Desktop) {
        Some(_) if times > 1 => chord.split_whitespace().collect(),
        _ => chord,
    };
    vec![one; times.max(1) as usize].join(" ")
}

/// What one chord does; `None` where it is not in the table.
fn one(text: &str, on: Platform) -> Option<Effects> {
    let mut held = Held::default();
    let mut key = Key::None;
    for part in parts(text.trim(), |name| Held::default().hold(name)) {
        let part = part.trim();
        let name = plain(part);
        if held.hold(&name) {
            continue;
        }
        let mut chars = part.chars();
        let found = match (chars.next()?, chars.next()) {
            (c, None) => Key::Char(c.to_ascii_lowercase()),
            _ => named(&name)?,
        };
        // Two keys make no chord.
        if key != Key::None {
            return None;
        }
        key = found;
    }
    meaning(held, key, on).map(|does| does.and(Effects::of(&[ActionEffect::Key])))
}

/// The parts of a chord, at `+`, or at `-` where nothing else parts them and the first one is held; a sign may be a key.
pub fn parts(text: &str, is_held: impl Fn(&str) -> bool) -> Vec<&str> {
    let split = |sign: char| -> Vec<&str> {
        match text.strip_suffix(sign) {
            Some("") => vec![text],
            Some(rest) if rest.trim_end().ends_with(sign) => {
                let before = rest.trim_end().trim_end_matches(sign);
                before.split(sign).chain([&text[text.len() - sign.len_utf8()..]]).collect()
            }
            _ => text.split(sign).collect(),
        }
    };
    let by_plus = split('+');
    if by_plus.len() == 1 && text.contains('-') {
        let by_dash = split('-');
        if by_dash.len() > 1 && is_held(&plain(by_dash[0])) {
            return by_dash;
        }
    }
    by_plus
}

/// A key's name without case, blanks and signs.
pub fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '<' | '>' | '{' | '}'))
        .flat_map(char::to_lowercase)
        .collect()
}

const MEDIA: [&str; 16] = word_list(
    "volumeup volumedown volumemute mute play pause playpause previous xf86audiomute \
     xf86audioplay xf86audiopause xf86audiostop xf86audionext xf86audioprev xf86audiolowervolume xf86audioraisevolume",
);

fn named(name: &str) -> Option<Key> {
    if let Some(number) = name.strip_prefix('f').and_then(|n| n.parse::<u32>().ok()) {
        return (1..=24).contains(&number).then_some(Key::F(number));
    }
    if let Some(code) = name.strip_prefix("keycode") {
        return phone(code);
    }
    if let Some(name) = name.strip_prefix("kp").or(name.strip_prefix("numpad")) {
        let signs = [("add", '+'), ("subtract", '-'), ("multiply", '*'), ("divide", '/'), ("decimal", '.')];
        let sign = signs.iter().find(|(known, _)| *known == name).map(|(_, sign)| *sign);
        let digit = name.chars().next().filter(|digit| digit.is_ascii_digit() && name.len() == 1);
        return sign.or(digit).map(Key::Char).or_else(|| named(name));
    }
    Some(match name {
        "enter" | "return" | "center" => Key::Enter,
        "space" | "spacebar" => Key::Space,
        "tab" => Key::Tab,
        "escape" | "esc" => Key::Escape,
        "backspace" => Key::Backspace,
        "delete" | "del" => Key::Delete,
        "insert" | "ins" => Key::Insert,
        "up" | "arrowup" | "uparrow" | "down" | "arrowdown" | "downarrow" => Key::Arrow,
        "left" | "arrowleft" | "leftarrow" => Key::Left,
        "right" | "arrowright" | "rightarrow" => Key::Right,
        "pageup" | "pgup" | "prior" | "pagedown" | "pgdn" | "pgdown" | "end" => Key::Paging,
        "home" => Key::LineHome,
        "next" => Key::Next,
        "menu" | "contextmenu" => Key::Menu,
        "capslock" | "numlock" | "scrolllock" => Key::Lock,
        "plus" => Key::Char('+'),
        "minus" => Key::Char('-'),
        "equal" => Key::Char('='),
        name if MEDIA.contains(&name) => Key::Media,
        "copy" => Key::Copy,
        "cut" => Key::Cut,
        "paste" => Key::Paste,
        "browserback" | "xf86back" => Key::BrowserBack,
        "browserforward" | "xf86forward" => Key::BrowserForward,
        "browserrefresh" | "xf86reload" | "xf86refresh" => Key::BrowserReload,
        "browserhome" | "xf86homepage" => Key::BrowserHome,
        "back" => Key::PhoneBack,
        "recents" => Key::PhoneRecents,
        _ => return None,
    })
}

/// Android's own names of keys, without `KEYCODE_`.
fn phone(code: &str) -> Option<Key> {
    let mut chars = code.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return c.is_ascii_alphanumeric().then_some(Key::Char(c));
    }
    Some(match code {
        "home" => Key::PhoneHome,
        "back" => Key::PhoneBack,
        "appswitch" => Key::PhoneRecents,
        "enter" | "numpadenter" | "dpadcenter" | "buttona" | "buttonselect" => Key::Enter,
        "space" => Key::Space,
        "tab" => Key::Tab,
        "escape" => Key::Escape,
        "del" => Key::Backspace,
        "forwarddel" | "clear" => Key::Delete,
        "insert" => Key::Insert,
        "dpadup" | "dpaddown" => Key::Arrow,
        "dpadleft" => Key::Left,
        "dpadright" => Key::Right,
        "pageup" | "pagedown" | "moveend" => Key::Paging,
        "movehome" => Key::LineHome,
        "menu" => Key::Menu,
        "comma" | "period" | "minus" | "equals" | "plus" | "at" | "pound" | "star" | "slash"
        | "backslash" | "semicolon" | "apostrophe" | "grave" | "leftbracket" | "rightbracket" => {
            Key::Char('.')
        }
        "volumeup" | "volumedown" | "volumemute" | "mute" | "mediaplay" | "mediapause" | "mediaplaypause"
        | "mediastop" | "medianext" | "mediaprevious" | "mediarewind" | "mediafastforward" => Key::Media,
        "copy" => Key::Copy,
        "cut" => Key::Cut,
        "paste" => Key::Paste,
        "forward" => Key::BrowserForward,
        "refresh" => Key::BrowserReload,
        _ => return None,
    })
}

fn meaning(held: Held, key: Key, on: Platform) -> Option<Effects> {
    // What a desktop makes of its own key is anybody's guess.
    if held.logo {
        return None;
    }
    match (held.ctrl, held.alt) {
        (false, false) => bare(key, held.shift, on),
        (true, false) => with_ctrl(key, held.shift),
        (false, true) => with_alt(key, held.shift),
        // Locks, consoles, terminals; on some keyboards the third sign of a key.
        (true, true) => None,
    }
}

fn bare(key: Key, shift: bool, on: Platform) -> Option<Effects> {
    use ActionEffect as E;
    Some(Effects::of(match key {
        Key::None | Key::Lock | Key::Tab => &[],
        Key::Char(c) if c.is_whitespace() => &[E::Press, E::Type],
        Key::Char(c) if c.is_control() => return None,
        Key::Char(_) => &[E::Type],
        Key::Space => &[E::Press, E::Type],
        Key::Enter | Key::Menu => &[E::Press],
        // Android makes of it what no app takes: the back key.
        Key::Escape if on.has_packages() => &[E::Back, E::LeaveApp],
        Key::Escape => &[],
        Key::Delete if shift => &[E::Clear, E::Copy],
        Key::Delete | Key::Backspace => &[E::Clear],
        Key::Insert if shift => &[E::Paste, E::Type],
        Key::Insert => &[],
        Key::Arrow | Key::Left | Key::Right | Key::Paging | Key::LineHome => &[E::Scroll],
        Key::Next => &[E::Scroll, E::Media],
        Key::Media => &[E::Media],
        Key::F(5) => &[E::Reload],
        Key::F(6) => &[E::Navigate],
        Key::F(10) => &[E::Press],
        Key::F(_) => return None,
        Key::Copy => &[E::Copy],
        Key::Cut => &[E::Copy, E::Clear],
        Key::Paste => &[E::Paste, E::Type],
        Key::BrowserBack => &[E::Back],
        Key::BrowserForward => &[E::Forward],
        Key::BrowserReload => &[E::Reload],
        Key::BrowserHome => &[E::Navigate, E::OpenApp, E::LeaveApp],
        Key::PhoneBack => &[E::Back, E::LeaveApp],
        Key::PhoneHome => &[E::Home, E::LeaveApp],
        Key::PhoneRecents => &[E::Recents, E::LeaveApp],
    }))
}

fn with_ctrl(key: Key, shift: bool) -> Option<Effects> {
    use ActionEffect as E;
    Some(Effects::of(match (key, shift) {
        (Key::None, _) => &[],
        (Key::Char('a' | 'f' | 'g'), false) | (Key::Char('g'), true) => &[],
        (Key::Char('c'), false) | (Key::Insert, false) => &[E::Copy],
        (Key::Char('x'), false) => &[E::Copy, E::Clear],
        (Key::Char('v'), _) => &[E::Paste, E::Type],
        // They bring back what was there.
        (Key::Char('z'), _) | (Key::Char('y'), false) => &[E::Type, E::Clear],
        (Key::Char('s'), _) => &[E::Save],
        (Key::Char('+' | '-' | '=' | '0'), _) => &[E::Zoom],
        (Key::Char('r'), _) | (Key::F(5), _) => &[E::Reload],
        (Key::Char('t' | 'n'), _) => &[E::NewTab],
        (Key::Char('w'), _) | (Key::F(4), _) => &[E::CloseTab, E::CloseWindow],
        (Key::Char('q'), _) => &[E::CloseTab, E::CloseWindow, E::StopApp, E::LeaveApp],
        (Key::Char('l' | 'k' | 'e'), false) => &[E::Navigate],
        (Key::Char('1'..='9'), false) => &[E::SwitchTab],
        (Key::Tab, _) => &[E::SwitchTab, E::FocusWindow],
        // Turns to another tab, page or place.
        (Key::Paging, _) => &[E::SwitchTab, E::Scroll],
        (Key::Enter, _) => &[E::Press, E::NewTab],
        (Key::Space, _) => &[E::Press],
        (Key::Backspace | Key::Delete, _) => &[E::Clear],
        (Key::Arrow | Key::Left | Key::Right | Key::LineHome, _) => &[E::Scroll],
        _ => return None,
    }))
}

fn with_alt(key: Key, shift: bool) -> Option<Effects> {
    use ActionEffect as E;
    Some(Effects::of(match (key, shift) {
        // The menu bar gets the keyboard.
        (Key::None, _) => &[E::Press],
        (Key::Left, false) => &[E::Back],
        (Key::Right, false) => &[E::Forward],
        (Key::LineHome, false) => &[E::Navigate],
        (Key::F(4), _) => &[E::CloseTab, E::CloseWindow, E::StopApp, E::LeaveApp],
        (Key::Tab, _) => &[E::FocusWindow, E::Recents, E::LeaveApp],
        (Key::Char('d'), false) => &[E::Press, E::Navigate],
        // The letter of a button or a menu.
        (Key::Char(c), _) if c.is_ascii_alphabetic() => &[E::Press],
        (Key::Char('1'..='9'), false) => &[E::Press, E::SwitchTab],
        (Key::Enter, _) => &[E::Press, E::NewTab],
        _ => return None,
    }))
}
