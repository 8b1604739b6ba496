//! Programs by the names that people know them by.

use std::collections::HashSet;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

pub use waldo_devices::child::words;
use waldo_devices::{DeviceError, Result, word_list};

/// Where installed programs describe themselves.
const ENTRIES: [&str; 2] = ["/usr/share/applications", "/usr/local/share/applications"];

/// Where programs of macOS are, each in a folder of its own.
const BUNDLES: [&str; 3] = ["/Applications", "/System/Applications", "/System/Applications/Utilities"];

/// Browsers, and programs that are made of one: they tell assistive technology of what is in their windows only
/// when they are started with [`EXPOSES`].
const CHROMIUMS: [&str; 27] = word_list(
    "brave brave-browser chrome chromium chromium-browser code code-insiders code-oss codium cursor discord \
     element-desktop google-chrome google-chrome-beta google-chrome-stable joplin-desktop microsoft-edge \
     microsoft-edge-stable obsidian opera postman signal-desktop slack teams-for-linux vivaldi \
     vivaldi-stable vscodium",
);
/// The flag that makes a browser tell of its pages.
const EXPOSES: &str = "--force-renderer-accessibility";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    pub args: Vec<String>,
}

impl Program {
    /// Its arguments, and before them what makes it tell of what is in its windows.
    pub(crate) fn exposed(&self) -> Vec<&str> {
        let name = name_of(&self.path).to_lowercase();
        let made_of_one = CHROMIUMS.contains(&name.as_str()) || name.starts_with("electron");
        let said = self.args.iter().any(|arg| arg.starts_with(EXPOSES));
        let flag = (made_of_one && !said).then_some(EXPOSES);
        flag.into_iter().chain(self.args.iter().map(String::as_str)).collect()
    }
}

pub fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The program that a command line names; `{HOME}` in it stands for `home`.
pub fn named(line: &[String], home: &str) -> Result<Program> {
    let mut words = line.iter().map(|word| word.replace("{HOME}", home));
    let name = words.next().unwrap_or_default();
    let path = on_path(&name).ok_or_else(|| {
        DeviceError::start(format!("'{name}'"), "no program of this name is on the path", "install it")
    })?;
    Ok(Program { path, args: words.collect() })
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return path.is_file().then(|| path.to_owned());
    }
    if name.is_empty() || name.contains(['/', '\\']) {
        return None;
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let plain = |folder: PathBuf| [folder.join(name), folder.join(format!("{name}{EXE_SUFFIX}"))];
    let bundle = |folder: &str| Path::new(folder).join(format!("{name}.app/Contents/MacOS/{name}"));
    std::env::split_paths(&folders)
        .flat_map(plain)
        .chain(BUNDLES.into_iter().filter(|_| cfg!(target_os = "macos")).map(bundle))
        .find(|path| path.is_file())
}

/// The program that an agent means by `name`: one on the path, or one that calls itself so.
pub fn resolve(name: &str) -> Result<Program> {
    let name = name.trim();
    let bare = !Path::new(name).is_absolute() && !name.starts_with('-');
    if let Some(path) = on_path(name).filter(|_| bare) {
        return Ok(Program { path, args: Vec::new() });
    }
    entry(name).ok_or_else(|| DeviceError::BadArgument {
        what: format!("program '{}'", name.chars().take(80).collect::<String>()),
        message: "no program of this name is installed; write the name of a program, without arguments"
            .to_owned(),
    })
}

fn entry(name: &str) -> Option<Program> {
    let wanted = name.to_lowercase();
    let mut seen = HashSet::new();
    for folder in ENTRIES {
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = file.path();
            let is_entry = path.extension().is_some_and(|end| end == "desktop");
            if !is_entry || !seen.insert(file.file_name()) {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
            let called = value(&text, "Name").map(str::to_lowercase);
            if (called.as_deref() == Some(&wanted) || stem.as_deref() == Some(&wanted))
                && let Some(program) = value(&text, "Exec").and_then(command)
            {
                return Some(program);
            }
        }
    }
    None
}

fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .skip_while(|line| line.trim() != "[Desktop Entry]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('=').map(str::trim))
}

/// A command line of an entry, without the places of files.
fn command(line: &str) -> Option<Program> {
    let mut words = words(line).into_iter().filter(|word| !word.starts_with('%'));
    let path = on_path(&words.next()?)?;
    Some(Program { path, args: words.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_as_a_shell_would_and_names_its_program() {
        assert_eq!(words("a 'b c' \"d \\\" e\" f\\ g ''"), ["a", "b c", "d \" e", "f g", ""]);
        assert!(words("  ").is_empty());
        let text = "[Desktop Entry]\nName[de]=Rechner\nName = Calc\nExec=calc %U\n[Other]\nName=No\n";
        assert_eq!(value(text, "Name"), Some("Calc"));
        assert_eq!(value(text, "Exec"), Some("calc %U"));
        assert_eq!(value(text, "Icon"), None);
        assert!(resolve("sh -c ls").is_err());
        assert!(resolve("/bin/sh").is_err());
        assert!(resolve("../sh").is_err());
        assert_eq!(resolve("sh").unwrap().args, Vec::<String>::new());
    }

    #[test]
    fn what_is_made_of_a_browser_is_made_to_tell() {
        let line = |path: &str, args: &[&str]| {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            Program { path: path.into(), args }.exposed().join(" ")
        };
        assert_eq!(
            line("/usr/bin/chromium", &["--new-window", "a.html"]),
            format!("{EXPOSES} --new-window a.html")
        );
        assert_eq!(line("/opt/Slack/Slack", &[]), EXPOSES);
        assert_eq!(line("/usr/bin/electron37", &["app"]), format!("{EXPOSES} app"));
        assert_eq!(
            line("/usr/bin/code", &["--force-renderer-accessibility=basic"]).matches(EXPOSES).count(),
            1
        );
        assert_eq!(line("/usr/bin/mousepad", &["code"]), "code");
    }
}
