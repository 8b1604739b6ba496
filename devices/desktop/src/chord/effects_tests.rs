//! What is pressed, however a chord is written, is among the effects that the guard is told of.

use proptest::prelude::*;
use waldo_devices::{ActionEffect, Platform};

use super::{Chord, Modifier};

#[path = "../../../tests/spelling/mod.rs"]
#[allow(unreachable_pub, reason = "shared with another driver's tests")]
mod spelling;
use spelling::{key, spelling};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_a_desktop_is_sent_is_among_the_effects(text in spelling()) {
        let Ok(chords) = Chord::parse(&text) else { return Ok(()) };
        let does = key(&text).effects(Platform::Desktop);
        for chord in chords {
            let wanted = match (chord.modifiers.as_slice(), chord.key) {
                ([Modifier::Control], Some(0x77)) => Some(ActionEffect::CloseTab),
                ([Modifier::Control], Some(0x72)) => Some(ActionEffect::Reload),
                ([Modifier::Control], Some(0x6c)) => Some(ActionEffect::Navigate),
                ([Modifier::Alt], Some(0xff51)) => Some(ActionEffect::Back),
                ([Modifier::Alt], Some(0xffc1)) => Some(ActionEffect::CloseWindow),
                (_, Some(0xff0d | 0xff8d | 0x20)) => Some(ActionEffect::Press),
                ([] | [Modifier::Shift], Some(key)) if key < 0xff => Some(ActionEffect::Type),
                _ => None,
            };
            if let Some(wanted) = wanted {
                prop_assert!(does.contains(wanted), "{text:?}: {wanted:?}");
            }
        }
    }
}
