//! A desktop device as the machine of a task.
//!
//! Files are read and written in the folders of the host, for the device's HOME is one; commands run in the
//! device's session; the browser is asked through its debugging port. What a desktop device cannot answer (a
//! media player, the text of a terminal that exposes none) stays unsupported, so that a task which needs it
//! is invalid and says so.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::{
    Action, Button, Capture, Clicks, Deadline, Device, DeviceError, Physical, Point, ScrollNotches,
    StateProbe, StateValue, WindowInfo, foreign,
};

use super::{
    BrowserAt, DirEntry, Local, Machine, MachineCommand, MachineInput, MachineOutput, MachineWindow,
    WindowMatch, WindowName, tree,
};
use crate::browser::BrowserClient;
use crate::error::{OsworldError, Result};
use crate::guest::{PROFILE, TERMINAL, TERMINAL_TITLE, TERMINALS};

/// Where tasks keep what does not last.
const TEMP: &str = "/tmp";
/// How long a wait action may be.
const WAIT: Duration = Duration::from_secs(10);

/// A desktop device, for the time of a setup or a judgement.
pub(crate) struct OnDevice<'a> {
    device: &'a mut dyn Device,
    home: PathBuf,
    size: (u32, u32),
    /// Reads and writes the host's folders.
    files: Local,
    /// The folder of the host that is `/tmp` there, where the display has one of its own.
    temp: Option<PathBuf>,
    browser: Option<Arc<dyn BrowserClient>>,
}

fn failed(error: DeviceError) -> OsworldError {
    match error {
        DeviceError::Timeout { what, .. } => OsworldError::Timeout { call: what },
        DeviceError::Unsupported { action, .. } => OsworldError::unable(action),
        other => OsworldError::machine("device", other),
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn line(command: &MachineCommand) -> String {
    match command {
        MachineCommand::Shell(line) => line.clone(),
        MachineCommand::Program(words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

impl<'a> OnDevice<'a> {
    /// The machine that `device` shows; `browser` talks to browsers on it.
    pub async fn new(
        device: &'a mut dyn Device,
        browser: Option<Arc<dyn BrowserClient>>,
        deadline: Deadline,
    ) -> Result<Self> {
        let home = match device.probe(&StateProbe::Home, deadline).await.map_err(failed)? {
            StateValue::Text(home) => PathBuf::from(home),
            _ => return Err(OsworldError::unable("home folder")),
        };
        let screen = device.info().geometry.physical;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "screens are small")]
        let size = (screen.w.max(0.0) as u32, screen.h.max(0.0) as u32);
        let files = Local::new(home.clone());
        let mut machine = Self { device, home, size, files, temp: None, browser };
        let own = machine.shell(r#"[ /tmp -ef "$TMPDIR" ] && echo "$TMPDIR" || true"#, deadline).await?;
        machine.temp = (!own.is_empty() && own != TEMP).then(|| own.into());
        Ok(machine)
    }

    /// Where the host has what the display has at `path`.
    ///
    /// # Errors
    /// When a link leads out of the display: its programs cannot go there, and must not have it read or written for them.
    fn on_host(&self, path: &Path) -> Result<PathBuf> {
        let Some((temp, own)) = self.temp.as_deref().and_then(|temp| Some((temp, temp.parent()?))) else {
            return Ok(path.to_owned());
        };
        let path = match path.strip_prefix(TEMP) {
            // The display's own folder has the same path in both.
            Ok(below) if !path.starts_with(own) => temp.join(below),
            _ => path.to_owned(),
        };
        if !path.starts_with(own) {
            return Ok(path);
        }
        // What is not there yet will be where the folder around it is, unless it is a link to nowhere.
        let there = path.ancestors().find(|part| part.symlink_metadata().is_ok()).unwrap_or(own);
        let inside = there.canonicalize().is_ok_and(|real| real.starts_with(own) || real.starts_with("/usr"));
        if !inside {
            let what = format!("reach {}", path.display());
            return Err(OsworldError::machine(what, "a link leads out of the display"));
        }
        Ok(path)
    }

    async fn shell(&mut self, line: &str, deadline: Deadline) -> Result<String> {
        match self.device.probe(&StateProbe::Shell(line.to_owned()), deadline).await.map_err(failed)? {
            StateValue::Text(text) => Ok(text),
            _ => Err(OsworldError::unable("shell")),
        }
    }

    async fn act(&mut self, action: Action, deadline: Deadline) -> Result<()> {
        self.device.perform(&action, deadline).await.map(drop).map_err(failed)
    }

    async fn infos(&mut self, deadline: Deadline) -> Result<Vec<WindowInfo>> {
        match self.device.probe(&StateProbe::Windows, deadline).await.map_err(failed)? {
            StateValue::Json(value) => {
                serde_json::from_value(value).map_err(|e| OsworldError::machine("the windows", e))
            }
            _ => Err(OsworldError::unable("windows")),
        }
    }

    async fn accessible(&mut self, deadline: Deadline) -> Result<Value> {
        match self.device.probe(&StateProbe::Accessible, deadline).await.map_err(failed)? {
            StateValue::Json(value) => Ok(value),
            _ => Err(OsworldError::unable("accessibility tree")),
        }
    }

    /// The window that is so, once it is there; `of` says what it is of.
    async fn awaited(
        &mut self,
        of: &str,
        is: impl Fn(&WindowInfo) -> bool + Send,
        deadline: Deadline,
    ) -> Result<u32> {
        loop {
            if let Some(info) = self.infos(deadline).await?.iter().find(|info| is(info)) {
                return Ok(info.id);
            }
            if deadline.passed() {
                return Err(OsworldError::Timeout { call: format!("a window of {of}") });
            }
            self.settle(Duration::from_millis(200), deadline).await?;
        }
    }

    async fn window(&mut self, wanted: &WindowMatch, deadline: Deadline) -> Result<Option<u32>> {
        let all = self.infos(deadline).await?;
        Ok(all.iter().rfind(|info| meant(wanted, &shown(info))).map(|info| info.id))
    }
}

fn shown(info: &WindowInfo) -> MachineWindow {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "windows are small")]
    let size = (info.bounds.w.max(0.0) as u32, info.bounds.h.max(0.0) as u32);
    MachineWindow { title: info.title.clone(), class: info.program.clone(), size }
}

/// Whether a window is meant. A class such as `Mail.thunderbird` names the program behind its dot, which is
/// what the device tells.
fn meant(wanted: &WindowMatch, window: &MachineWindow) -> bool {
    let program = wanted.name.rsplit('.').next().unwrap_or_default();
    wanted.fits(window) || wanted.by == WindowName::Class && window.class.eq_ignore_ascii_case(program)
}

#[async_trait]
impl Machine for OnDevice<'_> {
    fn home(&self) -> PathBuf {
        self.home.clone()
    }

    fn screen_size(&self) -> (u32, u32) {
        self.size
    }

    async fn run(&mut self, command: &MachineCommand, deadline: Deadline) -> Result<MachineOutput> {
        // The device's shell tells neither the code of a command that fails nor the ends of lines.
        let folder = self.on_host(&self.home.join(".cache/waldo"))?;
        let place = |name: &str| folder.join(name);
        std::fs::create_dir_all(&folder).map_err(|e| OsworldError::machine("make a folder", e))?;
        let (out, err) = (place("out"), place("err"));
        let wrapped = format!(
            "( {}\n ) >{} 2>{} </dev/null; echo $?",
            line(command),
            quoted(&out.to_string_lossy()),
            quoted(&err.to_string_lossy()),
        );
        let code = self.shell(&wrapped, deadline).await?;
        let read = |path: &Path| {
            let bytes = foreign::read_named(path, foreign::LARGE_BYTES);
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        };
        let output =
            MachineOutput { stdout: read(&out), stderr: read(&err), code: code.trim().parse().unwrap_or(-1) };
        // A task may well look into its home.
        let _ = std::fs::remove_dir_all(&folder);
        if output.code == 127 && output.stdout.is_empty() && matches!(command, MachineCommand::Program(_)) {
            return Err(OsworldError::machine(format!("run {command:?}"), output.stderr.trim()));
        }
        Ok(output)
    }

    async fn launch(&mut self, command: &MachineCommand, deadline: Deadline) -> Result<()> {
        let detached = format!("setsid sh -c {} >/dev/null 2>&1 </dev/null &", quoted(&line(command)));
        self.shell(&detached, deadline).await.map(drop)
    }

    async fn put(&mut self, path: &Path, bytes: &[u8], deadline: Deadline) -> Result<()> {
        let path = self.on_host(path)?;
        self.files.put(&path, bytes, deadline).await
    }

    async fn get(&mut self, path: &Path, deadline: Deadline) -> Result<Option<Vec<u8>>> {
        let Ok(path) = self.on_host(path) else { return Ok(None) };
        self.files.get(&path, deadline).await
    }

    async fn list(&mut self, path: &Path, deadline: Deadline) -> Result<Option<DirEntry>> {
        let Ok(path) = self.on_host(path) else { return Ok(None) };
        self.files.list(&path, deadline).await
    }

    async fn open(&mut self, path: &Path, deadline: Deadline) -> Result<()> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Where there is no desktop environment the one goes by contents alone, the other by endings first.
        let file = quoted(&path.to_string_lossy());
        let line = format!("if command -v gio >/dev/null; then gio open {file}; else xdg-open {file}; fi");
        self.launch(&MachineCommand::Shell(line), deadline).await?;
        // Some programs leave the ending out of their title.
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).to_lowercase();
        let names = |info: &WindowInfo| info.title.to_lowercase().contains(&stem);
        self.awaited(&name, names, deadline).await.map(drop)
    }

    async fn open_terminal(&mut self, deadline: Deadline) -> Result<()> {
        let before: Vec<u32> = self.infos(deadline).await?.iter().map(|info| info.id).collect();
        let words = [TERMINAL, "--title", TERMINAL_TITLE].map(str::to_owned).to_vec();
        self.launch(&MachineCommand::Program(words), deadline).await?;
        // Other programs that were launched before may show their windows meanwhile.
        let opened = |info: &WindowInfo| {
            let program = info.program.as_str();
            !before.contains(&info.id) && TERMINALS.iter().any(|name| program.starts_with(name))
        };
        let window = self.awaited("a terminal", opened, deadline).await?;
        self.act(Action::FocusWindow { window }, deadline).await
    }

    async fn windows(&mut self, deadline: Deadline) -> Result<Vec<MachineWindow>> {
        Ok(self.infos(deadline).await?.iter().map(shown).collect())
    }

    async fn activate(&mut self, window: &WindowMatch, deadline: Deadline) -> Result<()> {
        match self.window(window, deadline).await? {
            Some(window) => self.act(Action::FocusWindow { window }, deadline).await,
            None => Ok(()),
        }
    }

    async fn close_window(&mut self, window: &WindowMatch, deadline: Deadline) -> Result<()> {
        match self.window(window, deadline).await? {
            Some(window) => self.act(Action::CloseWindow { window }, deadline).await,
            None => Ok(()),
        }
    }

    async fn input(&mut self, inputs: &[MachineInput], deadline: Deadline) -> Result<()> {
        let mut at = Point::<Physical>::new(f64::from(self.size.0) / 2.0, f64::from(self.size.1) / 2.0);
        let mut held: Vec<String> = Vec::new();
        for input in inputs {
            let action = match input {
                MachineInput::Chord(keys) => {
                    Action::Key { chord: [held.as_slice(), keys].concat().join("+") }
                }
                MachineInput::KeyDown(key) => {
                    held.push(key.clone());
                    continue;
                }
                MachineInput::KeyUp(key) => {
                    held.retain(|held| held != key);
                    continue;
                }
                MachineInput::Text(text) => Action::Type { text: text.clone() },
                MachineInput::Move(x, y) => {
                    at = Point::new(*x, *y);
                    Action::Hover { at }
                }
                MachineInput::Click { at: place, button, times } => {
                    if let Some((x, y)) = place {
                        at = Point::new(*x, *y);
                    }
                    let button = match button.as_str() {
                        "right" => Button::Right,
                        "middle" => Button::Middle,
                        _ => Button::Left,
                    };
                    let clicks = match times {
                        0 | 1 => Clicks::Single,
                        2 => Clicks::Double,
                        _ => Clicks::Triple,
                    };
                    Action::Tap { at, clicks, button }
                }
                MachineInput::Scroll(notches) => {
                    #[expect(clippy::cast_possible_truncation, reason = "the wheel is turned by notches")]
                    let down = -notches.clamp(-1000.0, 1000.0).round() as i32;
                    Action::scroll(at, ScrollNotches { right: 0, down })
                }
                MachineInput::Pause(time) => {
                    self.settle(*time, deadline).await?;
                    continue;
                }
            };
            self.act(action, deadline).await?;
        }
        Ok(())
    }

    async fn tree(&mut self, deadline: Deadline) -> Result<String> {
        Ok(tree::xml(&self.accessible(deadline).await?))
    }

    async fn terminal(&mut self, deadline: Deadline) -> Result<Option<String>> {
        if let Some(text) = tree::terminal(&self.accessible(deadline).await?) {
            return Ok(Some(text));
        }
        let mute = ["xterm", "uxterm", "urxvt"];
        match self.infos(deadline).await?.iter().find(|info| mute.contains(&info.program.as_str())) {
            Some(info) => Err(OsworldError::unable(format!("text of {}", info.program))),
            None => Ok(None),
        }
    }

    async fn wallpaper(&mut self, deadline: Deadline) -> Result<Option<Vec<u8>>> {
        let words = ["gsettings", "get", "org.gnome.desktop.background", "picture-uri"];
        let asked = self.run(&MachineCommand::Program(words.map(str::to_owned).to_vec()), deadline).await?;
        if asked.code != 0 {
            return Err(OsworldError::unable("wallpaper"));
        }
        let uri = asked.stdout.trim().trim_matches('\'').to_owned();
        let Some(path) = uri.strip_prefix("file://") else { return Ok(None) };
        self.get(Path::new(path), deadline).await
    }

    async fn browser(&mut self, _deadline: Deadline) -> Result<BrowserAt> {
        let browser = self.browser.clone().ok_or_else(|| OsworldError::unable("browser"))?;
        // A browser that chose its port writes it there: the port, and the path of its own connection.
        let place = self.home.join(PROFILE).join("DevToolsActivePort");
        let found = foreign::read_named(&place, 4096).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let address = found.as_deref().and_then(|text| {
            let mut lines = text.lines();
            let (port, path) = (lines.next()?.trim(), lines.next()?.trim());
            port.parse::<u16>().ok().map(|port| format!("ws://127.0.0.1:{port}{path}"))
        });
        Ok((browser, address))
    }

    async fn settle(&mut self, at_most: Duration, deadline: Deadline) -> Result<()> {
        // An observation waits until the screen is quiet; a wait then gives what does not show its time.
        let until = deadline.at_most(at_most);
        match self.device.observe(Capture::Elements, deadline).await {
            Ok(_) | Err(DeviceError::Timeout { .. }) => {}
            Err(error) => return Err(failed(error)),
        }
        let left = until.left().min(WAIT);
        if left.is_zero() {
            return Ok(());
        }
        let ms = u64::try_from(left.as_millis()).unwrap_or(0);
        self.act(Action::Wait { ms }, deadline).await
    }
}
