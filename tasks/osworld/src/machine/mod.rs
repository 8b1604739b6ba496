//! The machine that a task is played on, as the importer asks it.
//!
//! A desktop device implements this; `Local` is a machine of commands and files in a folder of its own, for
//! tests and for tasks that show nothing on a screen. Invariant: every call carries a deadline, and an
//! ability that a machine does not have is [`OsworldError::Unsupported`], never an empty answer.

mod device;
mod elsewhere;
mod local;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::Deadline;
use waldo_http::OperatingSystem;

use super::error::{OsworldError, Result};
use super::guest::PROFILE;

use crate::browser::BrowserClient;
pub use crate::browser::Tab;
pub(crate) use device::OnDevice;
pub(crate) use elsewhere::Elsewhere;
pub use elsewhere::Reach;
pub(crate) use local::Local;

/// What talks to browsers, with the address that one listens at.
type BrowserAt = (Arc<dyn BrowserClient>, Option<String>);

/// The home folder that task files are written for.
const GUEST_HOME: &str = "/home/user";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineCommand {
    Program(Vec<String>),
    /// A line for `/bin/sh`.
    Shell(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineOutput {
    pub stdout: String,
    pub stderr: String,
    /// Exit code; -1 when a signal ended it.
    pub code: i32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineWindow {
    pub title: String,
    /// Its class, such as `Mail.thunderbird`.
    pub class: String,
    /// Width and height in physical pixels.
    pub size: (u32, u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowMatch {
    pub name: String,
    pub by: WindowName,
    pub fit: Fit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowName {
    Title,
    Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    Exact,
    /// It contains the other, whatever the case.
    Part,
}

impl WindowMatch {
    pub fn fits(&self, window: &MachineWindow) -> bool {
        let name = match self.by {
            WindowName::Title => &window.title,
            WindowName::Class => &window.class,
        };
        match self.fit {
            Fit::Exact => *name == self.name,
            Fit::Part => name.to_lowercase().contains(&self.name.to_lowercase()),
        }
    }
}

/// A touch of mouse or keyboard that a setup makes. Points are physical pixels of the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum MachineInput {
    /// Keys pressed together, such as `ctrl`, `s`, and let go.
    Chord(Vec<String>),
    KeyDown(String),
    KeyUp(String),
    Text(String),
    Move(f64, f64),
    Click {
        at: Option<(f64, f64)>,
        /// `left`, `middle`, `right`.
        button: String,
        times: u32,
    },
    /// Turns the wheel; positive is up.
    Scroll(f64),
    Pause(Duration),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    pub name: String,
    /// What is in it; nothing for a file.
    pub children: Option<Vec<DirEntry>>,
}

pub fn browser_profile(system: OperatingSystem) -> &'static str {
    match system {
        OperatingSystem::Linux => PROFILE,
        OperatingSystem::Windows => "AppData/Local/Google/Chrome/User Data",
        OperatingSystem::Mac => "Library/Application Support/Google/Chrome",
    }
}

/// A machine.
///
/// Paths are those of the machine; [`Machine::home`] stands for `GUEST_HOME`, which the importer puts in its
/// place wherever a task names it.
///
/// # Errors
/// Of every call: [`OsworldError::Unsupported`] where the machine has no such ability, [`OsworldError::Machine`] where it
/// fails, [`OsworldError::Timeout`] past the deadline.
#[async_trait]
pub trait Machine: Send {
    fn home(&self) -> PathBuf;

    fn system(&self) -> OperatingSystem {
        OperatingSystem::Linux
    }

    /// Whether all of it is the task's own, as the original's is: commands run as they are written, scripts that type
    /// and click and what the superuser does among them. Where not, such scripts are read and done by the device.
    fn is_whole(&self) -> bool {
        false
    }

    /// Width and height of the screen in physical pixels.
    fn screen_size(&self) -> (u32, u32) {
        (1920, 1080)
    }

    /// The password of the user, for commands that ask for it.
    fn password(&self) -> String {
        "password".to_owned()
    }

    async fn run(&mut self, command: &MachineCommand, deadline: Deadline) -> Result<MachineOutput>;

    async fn launch(&mut self, command: &MachineCommand, deadline: Deadline) -> Result<()>;

    /// Writes a file; folders on the way are made.
    async fn put(&mut self, path: &Path, bytes: &[u8], deadline: Deadline) -> Result<()>;

    /// Reads a file; nothing when there is none.
    async fn get(&mut self, path: &Path, deadline: Deadline) -> Result<Option<Vec<u8>>>;

    /// What is in a folder, with all below it; nothing when there is none.
    async fn list(&mut self, path: &Path, deadline: Deadline) -> Result<Option<DirEntry>>;

    /// Opens a file with its program, and waits for a window that names it.
    async fn open(&mut self, _path: &Path, _deadline: Deadline) -> Result<()> {
        Err(OsworldError::unable("open a file"))
    }

    /// Opens a terminal with a window of its own, waits for that, and gives it the keyboard.
    async fn open_terminal(&mut self, _deadline: Deadline) -> Result<()> {
        Err(OsworldError::unable("open a terminal"))
    }

    async fn windows(&mut self, _deadline: Deadline) -> Result<Vec<MachineWindow>> {
        Err(OsworldError::unable("windows"))
    }

    /// Brings a window to the front. One that is not there is no error, as in the original.
    async fn activate(&mut self, _window: &WindowMatch, _deadline: Deadline) -> Result<()> {
        Err(OsworldError::unable("windows"))
    }

    /// Asks a window to close. One that is not there is no error, as in the original.
    async fn close_window(&mut self, _window: &WindowMatch, _deadline: Deadline) -> Result<()> {
        Err(OsworldError::unable("windows"))
    }

    async fn input(&mut self, _inputs: &[MachineInput], _deadline: Deadline) -> Result<()> {
        Err(OsworldError::unable("mouse and keyboard"))
    }

    /// Waits until what was started or touched has come to rest, at most this long.
    async fn settle(&mut self, at_most: Duration, deadline: Deadline) -> Result<()>;

    /// The accessibility tree in the form of the original (elements by role, `st:`, `cp:` … attributes).
    async fn tree(&mut self, _deadline: Deadline) -> Result<String> {
        Err(OsworldError::unable("accessibility tree"))
    }

    async fn terminal(&mut self, _deadline: Deadline) -> Result<Option<String>> {
        Err(OsworldError::unable("terminal text"))
    }

    /// Lays a picture file behind the desktop. One that cannot be laid there is no error, as in the original.
    async fn set_wallpaper(&mut self, path: &Path, deadline: Deadline) -> Result<()> {
        let uri = format!("file://{}", path.display());
        let words = ["gsettings", "set", "org.gnome.desktop.background", "picture-uri", &uri];
        self.run(&MachineCommand::Program(words.map(str::to_owned).to_vec()), deadline).await.map(drop)
    }

    async fn wallpaper(&mut self, _deadline: Deadline) -> Result<Option<Vec<u8>>> {
        Err(OsworldError::unable("wallpaper"))
    }

    /// What talks to browsers, and where the machine's one listens; no address where none answers.
    async fn browser(&mut self, _deadline: Deadline) -> Result<BrowserAt> {
        Err(OsworldError::unable("browser"))
    }

    /// The same, for what cannot be done without a browser.
    async fn running_browser(&mut self, deadline: Deadline) -> Result<(Arc<dyn BrowserClient>, String)> {
        let (browser, address) = self.browser(deadline).await?;
        let none = || OsworldError::machine("the browser", "none was started, or none answers at its port");
        Ok((browser, address.ok_or_else(none)?))
    }

    /// The tabs of the browser; `None` when it cannot be reached.
    async fn tabs(&mut self, deadline: Deadline) -> Result<Option<Vec<Tab>>> {
        match self.browser(deadline).await? {
            (browser, Some(address)) => browser.tabs(&address, deadline).await,
            (_, None) => Ok(None),
        }
    }

    /// Opens a tab and waits until it has loaded, or until the deadline; gives its id.
    async fn open_tab(&mut self, url: &str, deadline: Deadline) -> Result<String> {
        let (browser, address) = self.running_browser(deadline).await?;
        browser.open(&address, url, deadline).await
    }

    async fn close_tab(&mut self, id: &str, deadline: Deadline) -> Result<()> {
        let (browser, address) = self.running_browser(deadline).await?;
        browser.close(&address, id, deadline).await
    }

    /// The value of a JavaScript expression in a tab; [`OsworldError::Machine`] when it throws.
    async fn evaluate(&mut self, tab: &str, script: &str, deadline: Deadline) -> Result<Value> {
        let (browser, address) = self.running_browser(deadline).await?;
        browser.evaluate(&address, tab, script, deadline).await
    }

    async fn print_tab(&mut self, tab: &str, deadline: Deadline) -> Result<Vec<u8>> {
        let (browser, address) = self.running_browser(deadline).await?;
        browser.print(&address, tab, deadline).await
    }

    /// A document of the media player's web interface, such as `requests/status.xml`.
    async fn player(&mut self, _document: &str, _deadline: Deadline) -> Result<Option<Vec<u8>>> {
        Err(OsworldError::unable("media player"))
    }
}

/// Puts the machine's home in the place of the guest's, as a whole path part.
pub(crate) fn to_machine(text: &str, home: &Path) -> String {
    replace_path(text, GUEST_HOME, &home.to_string_lossy())
}

/// A path of a task file on the machine with this home; what is relative is so to the home, where the original's server
/// runs.
pub(crate) fn on_machine(path: &str, home: &Path) -> PathBuf {
    let path = to_machine(path, home);
    let mut start = path.chars();
    let is_drive = matches!((start.next(), start.next(), start.next()), (Some(c), Some(':'), Some('\\' | '/')) if c.is_ascii_alphabetic());
    match path.strip_prefix("~/") {
        _ if is_drive => PathBuf::from(path),
        Some(rest) => home.join(rest),
        None => home.join(path),
    }
}

/// A command without what would lead it to the session bus of the host's user: a display has its own, and
/// names it in the environment.
pub(crate) fn on_own_bus(text: &str) -> String {
    let mut out = text.to_owned();
    for quote in ["'", "\"", ""] {
        let set = format!("DBUS_SESSION_BUS_ADDRESS={quote}unix:path=/run/user/1000/bus{quote}");
        out = out.replace(&format!("export {set}"), ":").replace(&set, "");
    }
    out
}

/// Puts the guest's home in the place of the machine's: what is compared was written for the guest.
pub(crate) fn to_guest(text: &str, home: &Path) -> String {
    replace_path(text, &home.to_string_lossy(), GUEST_HOME)
}

fn replace_path(text: &str, from: &str, to: &str) -> String {
    // Tasks for Windows name its own folders.
    if from == to || !from.starts_with('/') || !to.starts_with('/') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let after = found.get(from.len()..).unwrap_or_default();
        // `/home/user2` and `/home/user-x` are other folders.
        let whole = !after.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
        out.push_str(if whole { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_homes_are_those_of_the_machine() {
        let on = |path: &str, home: &str| on_machine(path, Path::new(home)).display().to_string();
        assert_eq!(on("~/a", "/tmp/h"), "/tmp/h/a");
        assert_eq!(on("/home/user/a", "/tmp/h"), "/tmp/h/a");
        assert_eq!(on("a", "/home/user"), "/home/user/a");
        let windows = "C:\\Users\\Docker";
        assert_eq!(on("C:\\Users\\Docker\\a.txt", windows), "C:\\Users\\Docker\\a.txt");
        assert_eq!(on("~/a.txt", windows), "C:\\Users\\Docker/a.txt");
        assert_eq!(to_guest(windows, Path::new(windows)), windows);
        let home = Path::new("/tmp/h");
        let text = "cat /home/user/a /home/user2/b '/home/user'";
        let there = to_machine(text, home);
        assert_eq!(there, "cat /tmp/h/a /home/user2/b '/tmp/h'");
        assert_eq!(to_guest(&there, home), text);
        assert_eq!(to_machine(text, Path::new(GUEST_HOME)), text);
    }
}
