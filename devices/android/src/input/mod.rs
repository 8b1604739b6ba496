//! Fingers and keys by way of Android's `input` command.
//!
//! Invariant: text that is typed reaches the phone's shell inside single quotes only, and is never run.

mod fingers;
mod ime;
mod keys;
mod text;
mod touch;

pub(crate) use fingers::{Fingers, Held, Panel, Pinch, pinches, sendevent, uinput};
pub(crate) use ime::Unicode;
pub(crate) use keys::AndroidChord;
pub(crate) use text::{TypedPart, needs_keyboard, pieces, type_commands};
pub(crate) use touch::{Touch, scroll_swipes};

pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn a_quoted_text_cannot_leave_its_quotes() {
        assert_eq!(quote("a'b; rm -rf / `x` $(y)"), r"'a'\''b; rm -rf / `x` $(y)'");
        assert_eq!(quote(""), "''");
    }
}
