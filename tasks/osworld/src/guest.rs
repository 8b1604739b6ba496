//! What a private display is given to stand for the machine that the tasks are written for: folders of a
//! home, an office program without its greetings, and programs that go by other names or must not reach
//! beyond the display.
//!
//! Invariants: a browser keeps its profile in the episode's home and listens on a port of its own, so that
//! episodes can run side by side; what ends programs by name ends only those of its own display.

use std::path::Path;

use waldo_devices::{DesktopSetup, HomeFile};

use super::error::OsworldError;

/// Where the stand-ins lie in the home.
const BIN: &str = ".local/share/waldo/bin";
/// The folder of the browser's profile, where the tasks look for it.
pub const PROFILE: &str = ".config/google-chrome";
const FOLDERS: [&str; 8] =
    ["Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos"];
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The name that the original's terminal is started with.
pub(crate) const TERMINAL: &str = "gnome-terminal";
/// The terminals that may be there, by the names that they are started with, the likest first.
pub(crate) const TERMINALS: [&str; 3] = [TERMINAL, "xfce4-terminal", "xterm"];
/// The title of a terminal, by which the tasks look for it.
pub(crate) const TERMINAL_TITLE: &str = "Terminal";
/// The shell of the original's user.
const BASH: &str = "/bin/bash";
/// Stands for any terminal whose text can be asked for, which xterm's cannot.
pub(crate) const TELLING_TERMINAL: &str = "terminal that tells its text (gnome-terminal or xfce4-terminal)";
/// Stands for any program that opens documents of the kinds of an office.
pub(crate) const OFFICE_SUITE: &str = "office suite (libreoffice or soffice)";
/// Stands for any program that opens PDF documents.
pub(crate) const PDF_VIEWER: &str = "viewer of PDF documents (such as evince, okular or a browser)";
/// Stands for any program that plays videos.
pub(crate) const PLAYER: &str = "video player (such as vlc, totem or mpv)";
const OFFICE_ENDINGS: [&str; 16] = [
    "doc", "docm", "docx", "odg", "odp", "ods", "odt", "potx", "ppt", "pptm", "pptx", "rtf", "xls", "xlsb",
    "xlsm", "xlsx",
];
const PDF_VIEWERS: &str = "atril evince gv libreoffice mupdf okular papers qpdfview xpdf xreader zathura";
const PLAYERS: [&str; 8] = ["celluloid", "dragon", "ffplay", "mpv", "parole", "smplayer", "totem", "vlc"];
/// What would change the machine, not the display.
const BEYOND: [&str; 9] =
    ["sudo", "su", "shutdown", "reboot", "poweroff", "halt", "systemctl", "loginctl", "useradd"];

/// Starts the browser that there is, with this home's profile and a free port for whoever asks it.
const BROWSER: &str = include_str!("guest/browser.sh");

/// Opens the terminal that there is, and goes on as soon as it is started, as the original's does.
///
/// What runs in it finds the display's own programs first on its path, as everything else here does.
const TERMINAL_OPENER: &str = include_str!("guest/terminal.sh");

/// Ends processes by name, of this display only.
const ENDER: &str = include_str!("guest/ender.sh");

const REFUSAL: &str =
    "#!/bin/sh\necho \"${0##*/}: not on this display: it would change the machine\" >&2\nexit 1\n";

/// Forwards a port in the original; here the browser is asked where it listens.
const FORWARD: &str = "#!/bin/sh\nexit 0\n";

/// The interpreter by its plain name.
const PYTHON: &str = "#!/bin/sh\nold=$PATH\nPATH=${PATH#*:}\nfor name in python python3; do\n  command -v \"$name\" >/dev/null && real=$(command -v \"$name\") && PATH=$old exec \"$real\" \"$@\"\ndone\nexit 127\n";

/// An office program without greetings, tips and questions about formats.
const OFFICE: &str = include_str!("guest/office.xcu");

/// Whether a program is there under this name or another, or stood in for, given what the host has.
pub(crate) fn stands_in(program: &str, has: impl Fn(&str) -> bool) -> bool {
    match program {
        // The browser's port is not forwarded, but asked for.
        "socat" => true,
        "xdg-open" => has("gio") || has("xdg-open"),
        "python" => has("python") || has("python3"),
        TERMINAL => TERMINALS.into_iter().any(has),
        name if BROWSERS.contains(&name) => BROWSERS.into_iter().any(has),
        name => is_there(name, has),
    }
}

/// The same of a machine where nothing stands in for anything: a kind of program is there where one of it is.
pub fn is_there(program: &str, has: impl Fn(&str) -> bool) -> bool {
    names_of(program).iter().any(|name| has(name))
}

pub(crate) fn names_of(program: &str) -> Vec<String> {
    let all: Vec<&str> = match program {
        OFFICE_SUITE => vec!["libreoffice", "soffice"],
        PDF_VIEWER => PDF_VIEWERS.split(' ').chain(BROWSERS).collect(),
        PLAYER => PLAYERS.to_vec(),
        TELLING_TERMINAL => TERMINALS.into_iter().filter(|name| *name != "xterm").collect(),
        name => vec![name],
    };
    all.into_iter().map(str::to_owned).collect()
}

/// What kind of program a file is opened with, by the file's ending; nothing where any may do, or none is known.
pub fn opener(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "pdf" => Some(PDF_VIEWER),
        "avi" | "m4v" | "mkv" | "mov" | "mp4" | "webm" => Some(PLAYER),
        ending => OFFICE_ENDINGS.contains(&ending).then_some(OFFICE_SUITE),
    }
}

/// A program as it is told of where it is missing: with what else would do.
pub fn named(program: &str) -> &str {
    if program == TERMINAL { "terminal (gnome-terminal or xfce4-terminal or xterm)" } else { program }
}

/// Files and environment of the display; `path` is the host's search path.
pub fn desktop(path: &str) -> DesktopSetup {
    let program = |name: &str, text: &str| HomeFile {
        path: Path::new(BIN).join(name),
        content: text.as_bytes().to_vec(),
        mode: 0o755,
    };
    let mut files: Vec<HomeFile> = BROWSERS.iter().map(|name| program(name, BROWSER)).collect();
    files.extend(["pkill", "killall"].map(|name| program(name, ENDER)));
    files.extend(BEYOND.map(|name| program(name, REFUSAL)));
    files.push(program("socat", FORWARD));
    files.push(program(TERMINAL, TERMINAL_OPENER));
    files.push(program("python", PYTHON));
    files.push(HomeFile::new(".config/libreoffice/4/user/registrymodifications.xcu", OFFICE));
    let kinds =
        ["DESKTOP", "DOCUMENTS", "DOWNLOAD", "MUSIC", "PICTURES", "PUBLICSHARE", "TEMPLATES", "VIDEOS"];
    let dirs = kinds.iter().zip(FOLDERS).map(|(kind, folder)| format!("XDG_{kind}_DIR=\"$HOME/{folder}\"\n"));
    files.push(HomeFile::new(".config/user-dirs.dirs", dirs.collect::<String>()));
    let mut env = vec![("PATH".to_owned(), format!("{{HOME}}/{BIN}:{path}"))];
    // What terminals run; the tasks are written for this one.
    if Path::new(BASH).is_file() {
        env.push(("SHELL".to_owned(), BASH.to_owned()));
    }
    let chords = [("ctrl+alt+t".to_owned(), format!("{TERMINAL} --title {TERMINAL_TITLE}"))].into();
    DesktopSetup { files, env: env.into_iter().collect(), programs: Vec::new(), chords }
}

pub fn folders(home: &Path) -> Result<(), OsworldError> {
    let make = |name: &&str| std::fs::create_dir_all(home.join(name));
    FOLDERS.iter().try_for_each(make).map_err(|e| OsworldError::machine("make a folder", e))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn stand_ins_take_the_place_of_what_is_missing() {
        let has = |name: &str| ["chromium", "python3"].contains(&name);
        for there in ["google-chrome", "socat", "python", "chromium"] {
            assert!(stands_in(there, has), "{there}");
        }
        assert!(!stands_in("vlc", has));
        assert!(!stands_in(OFFICE_SUITE, has) && stands_in(OFFICE_SUITE, |name| name == "soffice"));
        assert!(stands_in(PDF_VIEWER, has) && !stands_in(PLAYER, has));
        assert!(!stands_in("google-chrome", |_| false));
        assert!(stands_in(TERMINAL, |name| name == "xterm") && !stands_in(TERMINAL, has));
    }

    #[test]
    fn what_ends_programs_ends_those_of_its_display() {
        let home = tempfile::tempdir().unwrap();
        let bin = home.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        for name in ["pkill", "killall"] {
            std::fs::write(bin.join(name), ENDER).unwrap();
            std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        // A name that nothing else on the machine has.
        let name = format!("wq{}", std::process::id());
        let program = home.path().join(&name);
        std::fs::copy("/bin/sleep", &program).unwrap();
        let start = |mark: &str| {
            Command::new(&program).arg("60").env("WALDO_DESKTOP", mark).stdin(Stdio::null()).spawn().unwrap()
        };
        let (mut ours, mut other) = (start("/a"), start("/b"));
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let end = |tool: &str| {
            let mut command = Command::new(bin.join(tool));
            command.arg(&name).env("PATH", &path).env("WALDO_DESKTOP", "/a").env("HOME", home.path());
            command.status().unwrap().success()
        };
        // Where there is no pgrep nothing is ended, either.
        if Command::new("pgrep").arg("-V").stdout(Stdio::null()).status().is_ok() {
            assert!(end("pkill"));
            ours.wait().unwrap();
            assert!(!end("killall"));
        }
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        let _ = ours.kill();
        other.wait().unwrap();
        ours.wait().unwrap();
    }
}
