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

pub(crate) fn program(system: OperatingSystem, text: &str) -> String {
    let body = match system {
        OperatingSystem::Linux => X11,
        OperatingSystem::Windows => WINDOWS,
        OperatingSystem::Mac => MAC,
    };
    format!("text = {}\n{body}", literal(text))
}

const X11: &str = include_str!("typing/x11.py");

const WINDOWS: &str = include_str!("typing/windows.py");

const MAC: &str = include_str!("typing/mac.py");

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
        fn a_text_is_a_literal_and_every_program_python(text in any::<String>()) {
            // A program's text has no zeroes in it, and neither has a command line.
            let text = text.replace('\0', "");
            prop_assert_eq!(shown(&literal(&text)), text.into_bytes());
        let text = "\"; import os #'\"\"\"\n\\\u{2028}{}😀";
        assert_eq!(shown(&literal(text)), text.as_bytes());
        for system in [OperatingSystem::Linux, OperatingSystem::Windows, OperatingSystem::Mac] {
            let check = format!("compile({}, 'program', 'exec')", literal(&program(system, "a \"b\" ü")));
            let done = std::process::Command::new("python3").args(["-c", &check]).output().unwrap();
            assert!(done.status.success(), "{system:?}: {}", String::from_utf8_lossy(&done.stderr));
        }
        }
    }
}
