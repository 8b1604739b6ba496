//! Programs that are started: each with an environment that was built for it.
//!
//! Invariant: a program gets the variables of a fixed list, never ours minus something: what waldo was given
//! beside them (a model's key, secrets) is not there to be read, neither by it nor by what it starts. Nothing
//! but this module makes a [`Command`].

use std::ffi::{OsStr, OsString};
use std::process::Command;

use crate::word_list::word_list;

/// The variables that a program gets from ours: places, user, language, screen; then those of adb, and of Windows.
pub const HANDED: [&str; 62] = word_list(
    "PATH HOME USER LOGNAME SHELL TMPDIR TERM COLORTERM TZ LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE \
     LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME LD_LIBRARY_PATH FONTCONFIG_FILE FONTCONFIG_PATH DISPLAY \
     XAUTHORITY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS XDG_CACHE_HOME XDG_CONFIG_DIRS XDG_CONFIG_HOME \
     XDG_CURRENT_DESKTOP XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR XDG_SEAT XDG_SESSION_CLASS \
     XDG_SESSION_DESKTOP XDG_SESSION_ID XDG_SESSION_TYPE XDG_STATE_HOME XDG_VTNR GDK_BACKEND GDK_SCALE \
     GTK_THEME QT_QPA_PLATFORM QT_SCALE_FACTOR XCURSOR_SIZE \
     ADB_LIBUSB ADB_MDNS ADB_MDNS_AUTO_CONNECT ADB_MDNS_OPENSCREEN ADB_VENDOR_KEYS \
     ANDROID_ADB_SERVER_ADDRESS ANDROID_ADB_SERVER_PORT ANDROID_SDK_HOME ANDROID_USER_HOME \
     APPDATA COMSPEC LOCALAPPDATA PATHEXT SYSTEMROOT TEMP TMP USERPROFILE",
);

/// A command with the variables of [`HANDED`] that are set, and no others.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = bare(program);
    command.envs(environment());
    command
}

#[allow(clippy::disallowed_methods, reason = "the one place that starts programs")]
pub fn bare(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}

/// The variables of [`HANDED`] that are set, with their values.
pub fn environment() -> impl Iterator<Item = (&'static str, OsString)> {
    HANDED.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

/// Splits a command line at blanks; quotes of either kind keep blanks, a backslash keeps what follows (on
/// Windows it parts folders and stands for itself).
pub fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) if !cfg!(windows) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// A command line that [`words`] splits into these words.
pub fn line(words: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    let quoted = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\"'\"'")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_what_it_is_handed_and_nothing_else() {
        // Cargo sets many more for a test.
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
        let out = command("env").output().unwrap();
        let said = String::from_utf8(out.stdout).unwrap();
        let names: Vec<&str> = said.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        assert!(names.contains(&"PATH"), "{said}");
        assert_eq!(names.into_iter().filter(|name| !HANDED.contains(name)).collect::<Vec<_>>(), [""; 0]);
        assert!(bare("/usr/bin/env").output().unwrap().stdout.is_empty());
    }

    #[test]
    fn words_of_a_line_are_its_words_again() {
        let all = ["python3", "-c", "print('a  b')", "", "x\\y\"z", "ä"].map(str::to_owned);
        assert_eq!(words(&line(&all)), all);
        assert_eq!(line(&["python3".to_owned(), "a.py".to_owned()]), "python3 a.py");
    }
}
