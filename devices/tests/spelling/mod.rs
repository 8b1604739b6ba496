//! Chords as people and models write them. Shared by the tests of the drivers that press them.

use proptest::prelude::*;
use waldo_devices::Action;

pub fn key(chord: &str) -> Action {
    Action::Key { chord: chord.to_owned() }
}

/// One to four names of keys, as written by people, models and other tools.
pub fn spelling() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        "ctrl|Control_L|ctrlleft|shift|ALT|alt_r|option|meta|cmd|super|Enter|Return|KP_Enter|Tab|space| |\
         Left|arrow_left|Left Arrow|right|F4|f5|f05|F6|Page_Down|next|home|BackSpace|del|Insert|w|W|r|t|l|\
         h|v|1|+|-|é|ſ|K|menu|<ctrl>|xf86back|play"
            .split('|')
            .collect::<Vec<_>>(),
    );
    let sign = prop::sample::select(vec!["+", "-", " + ", " ", "+ "]);
    (prop::collection::vec((word, sign), 1..4)).prop_map(|parts| {
        let last = parts.len() - 1;
        parts
            .iter()
            .enumerate()
            .map(|(n, (word, sign))| if n == last { (*word).to_owned() } else { format!("{word}{sign}") })
            .collect()
    })
}
