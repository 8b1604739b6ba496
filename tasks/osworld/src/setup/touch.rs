//! What a script touches, taken apart by who carries it out: the hands, the clock, or a launch.
//!
//! Invariant: the chord that opens a terminal on the original's desktop is never pressed. A terminal is launched in
//! its place, so that its window, and no other that comes meanwhile, is waited for and gets what is typed next.

use std::time::Duration;

use super::super::machine::MachineInput;

/// The keys that open a terminal on the original's desktop.
const TERMINAL: [&str; 3] = ["ctrl", "alt", "t"];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ScriptPart<'a> {
    Rest(Duration),
    Terminal,
    /// Touches of mouse and keyboard, one after the other.
    Hands(&'a [MachineInput]),
}

pub fn parts(inputs: &[MachineInput]) -> Vec<ScriptPart<'_>> {
    let alike = |a: &MachineInput, b: &MachineInput| match (a, b) {
        (MachineInput::Pause(_), MachineInput::Pause(_)) => true,
        (MachineInput::Pause(_), _) | (_, MachineInput::Pause(_)) => false,
        (a, b) => !is_terminal(a) && !is_terminal(b),
    };
    inputs.chunk_by(alike).map(part).collect()
}

fn part(inputs: &[MachineInput]) -> ScriptPart<'_> {
    match inputs {
        [MachineInput::Pause(_), ..] => ScriptPart::Rest(inputs.iter().map(pause).sum()),
        [input] if is_terminal(input) => ScriptPart::Terminal,
        inputs => ScriptPart::Hands(inputs),
    }
}

pub(crate) fn opens_terminal(inputs: &[MachineInput]) -> bool {
    inputs.iter().any(is_terminal)
}

/// Whether this is the chord; the order of its keys is nothing to it.
fn is_terminal(input: &MachineInput) -> bool {
    let MachineInput::Chord(keys) = input else { return false };
    keys.len() == TERMINAL.len()
        && TERMINAL.iter().all(|wanted| keys.iter().any(|key| key.eq_ignore_ascii_case(wanted)))
}

fn pause(input: &MachineInput) -> Duration {
    if let MachineInput::Pause(time) = input { *time } else { Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(keys: &[&str]) -> MachineInput {
        MachineInput::Chord(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    #[test]
    fn a_terminal_opens_where_its_chord_stands_and_other_chords_are_pressed() {
        let half = Duration::from_millis(500);
        let click = MachineInput::Click { at: Some((9.0, 5.0)), button: "left".into(), times: 1 };
        let text = MachineInput::Text("ls".into());
        let script = [
            click.clone(),
            MachineInput::Pause(half),
            MachineInput::Pause(half),
            chord(&["ctrl", "alt", "t"]),
            text.clone(),
            chord(&["enter"]),
            chord(&["Alt", "ctrl", "T"]),
            chord(&["ctrl", "alt", "t"]),
        ];
        assert_eq!(
            parts(&script),
            [
                ScriptPart::Hands(&[click]),
                ScriptPart::Rest(half * 2),
                ScriptPart::Terminal,
                ScriptPart::Hands(&[text, chord(&["enter"])]),
                ScriptPart::Terminal,
                ScriptPart::Terminal,
            ]
        );
        assert!(opens_terminal(&script));
        let script = [chord(&["ctrl", "t"]), chord(&["ctrl", "alt", "shift", "t"]), chord(&["t", "t", "t"])];
        assert_eq!(parts(&script), [ScriptPart::Hands(&script)]);
        assert!(!opens_terminal(&script) && parts(&[]).is_empty());
    }
}
