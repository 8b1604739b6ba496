//! Text, exactly: a program for each system that types what no key has as well.
//!
//! `pyautogui` types what has a key of its own on an English keyboard and leaves out the rest without a word, so it is not
//! asked. On X11 a character without a key is laid on a spare one for the moment; Windows and macOS take characters as they
//! are. Invariant: the text is a literal of the program, and no part of its code.

use waldo_http::OperatingSystem;

/// Characters of one program: a command line holds so much.
pub(crate) const RUN: usize = 8_000;

/// A text as a literal of Python: every JSON string is one.
pub(crate) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The program that types `text`.
pub(crate) fn program(system: OperatingSystem, text: &str) -> String {
    let body = match system {
        OperatingSystem::Linux => X11,
        OperatingSystem::Windows => WINDOWS,
        OperatingSystem::Mac => MAC,
    };
    format!("text = {}\n{body}", literal(text))
}

const X11: &str = r#"
import time
from Xlib import X, display
from Xlib.ext import xtest
d = display.Display()
first, last = d.display.info.min_keycode, d.display.info.max_keycode
keymap = [list(row) for row in d.get_keyboard_mapping(first, last - first + 1)]
width = len(keymap[0])
shift = d.keysym_to_keycode(0xffe1)
lock = d.keysym_to_keycode(0xffe5)
def symbol(c):
    code = ord(c)
    if c in "\r\n":
        return 0xff0d
    if c == "\t":
        return 0xff09
    return code if 0x20 <= code <= 0x7e or 0xa0 <= code <= 0xff else 0x1000000 | code
keys = {}
for row, symbols in enumerate(keymap):
    for level in (1, 0):
        if level < width and symbols[level] and first + row != shift:
            keys[symbols[level]] = (first + row, level)
    lower = symbols[0]
    if (0x61 <= lower <= 0x7a or 0xe0 <= lower <= 0xfe and lower != 0xf7) and (width < 2 or not symbols[1]):
        keys[lower - 0x20] = (first + row, 1)
spare = [first + row for row, symbols in enumerate(keymap) if not any(symbols)]
def press(code, level):
    if level:
        xtest.fake_input(d, X.KeyPress, shift)
    xtest.fake_input(d, X.KeyPress, code)
    xtest.fake_input(d, X.KeyRelease, code)
    if level:
        xtest.fake_input(d, X.KeyRelease, shift)
    d.sync()
locked = bool(d.screen().root.query_pointer().mask & X.LockMask)
if locked and lock:
    press(lock, 0)
laid = {}
def lay(symbols):
    for code, symbol in zip(spare, symbols):
        d.change_keyboard_mapping(code, [[symbol] * width])
        laid[symbol] = code
    d.sync()
    time.sleep(0.2)
try:
    wanted = [symbol(c) for c in text]
    at = 0
    while at < len(wanted):
        one = wanted[at]
        if one in keys:
            press(*keys[one])
        elif one in laid:
            press(laid[one], 0)
        else:
            if not spare:
                raise SystemExit("no key is free for a character that the keyboard lacks")
            coming = []
            for other in wanted[at:]:
                if other not in keys and other not in coming:
                    coming.append(other)
            if laid:
                time.sleep(0.3)
            laid.clear()
            lay(coming[:min(len(spare), 16)])
            continue
        time.sleep(0.008)
        at += 1
finally:
    if laid:
        time.sleep(0.3)
        for code in laid.values():
            d.change_keyboard_mapping(code, [[0] * width])
        d.sync()
    if locked and lock:
        press(lock, 0)
    d.close()
"#;

const WINDOWS: &str = r#"
import ctypes, time
from ctypes import wintypes
class Key(ctypes.Structure):
    _fields_ = [("vk", wintypes.WORD), ("scan", wintypes.WORD), ("flags", wintypes.DWORD), ("time", wintypes.DWORD),
                ("extra", ctypes.c_size_t)]
class Input(ctypes.Structure):
    _fields_ = [("type", wintypes.DWORD), ("key", Key), ("rest", ctypes.c_ubyte * 8)]
def send(vk, scan, flags):
    one = Input(1, Key(vk, scan, flags, 0, 0))
    if ctypes.windll.user32.SendInput(1, ctypes.byref(one), ctypes.sizeof(Input)) != 1:
        raise SystemExit("the system took no key")
for c in text.replace("\r\n", "\n"):
    if c in "\r\n\t":
        vk = 0x09 if c == "\t" else 0x0d
        send(vk, 0, 0)
        send(vk, 0, 2)
    else:
        units = c.encode("utf-16-le")
        for at in range(0, len(units), 2):
            unit = units[at] | units[at + 1] << 8
            send(0, unit, 4)
            send(0, unit, 6)
    time.sleep(0.008)
"#;

const MAC: &str = r#"
import time, Quartz
def send(code, c):
    for down in (True, False):
        event = Quartz.CGEventCreateKeyboardEvent(None, code, down)
        if c is not None:
            Quartz.CGEventKeyboardSetUnicodeString(event, len(c.encode("utf-16-le")) // 2, c)
        Quartz.CGEventPost(Quartz.kCGHIDEventTap, event)
for c in text.replace("\r\n", "\n"):
    if c in "\r\n":
        send(36, None)
    elif c == "\t":
        send(48, None)
    else:
        send(0, c)
    time.sleep(0.01)
"#;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What Python makes of a program that only shows its text.
    fn shown(literal: &str) -> Vec<u8> {
        let program = format!("text = {literal}\nimport sys\nsys.stdout.buffer.write(text.encode())");
        let done = std::process::Command::new("python3").args(["-c", &program]).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_text_is_a_literal_and_never_code(text in any::<String>()) {
            // A program's text has no zeroes in it, and neither has a command line.
            let text = text.replace('\0', "");
            prop_assert_eq!(shown(&literal(&text)), text.into_bytes());
        }
    }

    #[test]
    fn quotes_and_line_breaks_end_no_literal() {
        let text = "\"; import os #'\"\"\"\n\\\u{2028}{}😀";
        assert_eq!(shown(&literal(text)), text.as_bytes());
    }

    #[test]
    fn every_program_is_python() {
        for system in [OperatingSystem::Linux, OperatingSystem::Windows, OperatingSystem::Mac] {
            let check = format!("compile({}, 'program', 'exec')", literal(&program(system, "a \"b\" ü")));
            let done = std::process::Command::new("python3").args(["-c", &check]).output().unwrap();
            assert!(done.status.success(), "{system:?}: {}", String::from_utf8_lossy(&done.stderr));
        }
    }
}
