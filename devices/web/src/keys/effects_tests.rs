//! What is pressed, however a chord is written, is among the effects that the guard is told of.

use proptest::prelude::*;
use waldo_devices::{ActionEffect, Effects, Platform};

use super::{ALT, CTRL, META, WebChord};

#[path = "../../../tests/spelling/mod.rs"]
#[allow(unreachable_pub, reason = "shared with another driver's tests")]
mod spelling;
use spelling::{key, spelling};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_a_browser_is_sent_is_among_the_effects(text in spelling()) {
        let Ok(chord) = WebChord::parse(&text) else { return Ok(()) };
        let does = key(&text).effects(Platform::Web);
        let Some(pressed) = chord.key else { return Ok(()) };
        let commands = chord.modifiers & (CTRL | ALT | META);
        let wanted = match (pressed.key.as_str(), commands) {
            ("F5", _) => Some(ActionEffect::Reload),
            ("r" | "R", CTRL) => Some(ActionEffect::Reload),
            ("w" | "W" | "F4", CTRL) => Some(ActionEffect::CloseTab),
            ("t", CTRL) => Some(ActionEffect::NewTab),
            ("l", CTRL) => Some(ActionEffect::Navigate),
            ("v" | "V", CTRL) => Some(ActionEffect::Paste),
            ("ArrowLeft", ALT) => Some(ActionEffect::Back),
            ("ArrowRight", ALT) => Some(ActionEffect::Forward),
            ("Enter" | " ", _) => Some(ActionEffect::Press),
            ("Backspace" | "Delete", _) => Some(ActionEffect::Clear),
            (_, 0) if !pressed.text.is_empty() => Some(ActionEffect::Type),
            _ => None,
        };
        // With other modifiers held it may be another chord, which then is none of the table.
        let held = chord.modifiers & META != 0 || commands == CTRL | ALT;
        if let Some(wanted) = wanted {
            prop_assert!(does.contains(wanted) || (held && does == Effects::all()), "{text:?}: {wanted:?}");
        }
    }
}
