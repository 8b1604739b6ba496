//! Keys, as XCTest types them: each is a character.

use waldo_devices::error::DeviceError;

use super::command::bad;

/// The character that a key is.
///
/// # Errors
/// [`DeviceError::BadArgument`] for keys that a phone has not, chords among them.
pub(crate) fn character(chord: &str) -> Result<&'static str, DeviceError> {
    let name = chord.trim().to_ascii_lowercase().replace(['_', '-', ' '], "");
    let name = name.strip_prefix("keycode").unwrap_or(&name);
    Ok(match name {
        "enter" | "return" => "\n",
        "backspace" | "delete" | "del" => "\u{8}",
        "tab" => "\t",
        "space" => " ",
        "escape" | "esc" => "\u{1b}",
        "up" | "arrowup" => "\u{f700}",
        "down" | "arrowdown" => "\u{f701}",
        "left" | "arrowleft" => "\u{f702}",
        "right" | "arrowright" => "\u{f703}",
        _ => {
            let known = "Enter, Backspace, Tab, Space, Escape and the arrows; chords need a keyboard";
            return Err(bad("key", format!("'{chord}' is none of an iPhone's: it has {known}")));
        }
    })
}

/// The characters of a text, one by one as the call takes them.
pub(crate) fn characters(text: &str) -> Vec<String> {
    text.replace("\r\n", "\n").chars().map(String::from).collect()
}
