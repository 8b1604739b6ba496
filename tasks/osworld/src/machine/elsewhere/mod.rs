//! A machine elsewhere, through the server that the benchmark's own machines run (`desktop_env/server/main.py`), asked for
//! what the original asks it (`desktop_env/controllers/setup.py`, `controllers/python.py`).
//!
//! Invariants: the machine is a stranger. Every call has a deadline, no answer is read further than it may be long, and
//! what it says names nothing on this host: its folders are only ever told to it again.

mod said;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use waldo_devices::{Deadline, DeviceError};
use waldo_http::{FormFile, OperatingSystem, RemoteServer, StatusFault};

use super::{
    BrowserAt, DirEntry, Machine, MachineCommand, MachineInput, MachineOutput, MachineWindow, WindowMatch,
    WindowName,
};
use crate::browser::BrowserClient;
use crate::error::{OsworldError, Result};

/// The most bytes of what a command wrote, or of a tree.
const OUTPUT_BYTES: usize = 32 << 20;
const FILE_BYTES: usize = 256 << 20;
/// The most bytes of an answer that only says something.
const WORD_BYTES: usize = 1 << 20;
/// The names that Python has on the machines.
const PYTHONS: [&str; 2] = ["python3", "python"];
/// The port of the media player's web interface there, and the password that the benchmark's machines give it.
const PLAYER: &str = r#"import base64, sys, urllib.request as web
ask = web.Request('http://127.0.0.1:8080/' + sys.argv[1])
ask.add_header('Authorization', 'Basic ' + base64.b64encode(b':password').decode())
print(base64.b64encode(web.urlopen(ask, timeout=20).read(1 << 22)).decode())"#;

#[derive(Clone)]
pub struct Reach {
    pub server: RemoteServer,
    pub browser_port: Option<RemoteServer>,
    /// The socket that leads to that port, where one does.
    pub browser_socket: Option<PathBuf>,
    pub browser: Option<Arc<dyn BrowserClient>>,
    /// The password of its user, for commands that ask for it.
    pub password: String,
}

pub(crate) struct Elsewhere {
    reach: Reach,
    system: OperatingSystem,
    home: PathBuf,
    size: (u32, u32),
    python: &'static str,
}

type Answer = Result<Vec<u8>, StatusFault>;

fn failed(error: DeviceError) -> OsworldError {
    match error {
        DeviceError::Timeout { what, .. } => OsworldError::Timeout { call: what },
        other => OsworldError::machine("the machine", other),
    }
}

fn refused(call: &str, status: &StatusFault) -> OsworldError {
    OsworldError::machine(call, format!("the server answered {}: {}", status.code, status.said))
}

fn body_of(call: &str, answer: Answer) -> Result<Vec<u8>> {
    answer.map_err(|status| refused(call, &status))
}

/// What a step asked for that the original only logs when the server refuses it.
fn tolerated(call: &str, answer: Answer) {
    if let Err(StatusFault { code, said }) = answer {
        tracing::warn!(code, said, "{call} was refused");
    }
}

fn path_text(path: &Path) -> Result<&str> {
    let text = path.to_str().filter(|text| !text.is_empty() && !text.contains(['\0', '\r', '\n']));
    text.ok_or_else(|| OsworldError::machine("a path", format!("{} is not a plain path", path.display())))
}

impl Reach {
    async fn post(&self, call: &str, body: &Value, most: usize, deadline: Deadline) -> Result<Answer> {
        self.server.post(call, body, most, deadline).await.map_err(failed)
    }

    pub async fn system(&self, deadline: Deadline) -> Result<OperatingSystem> {
        let answer = self.server.get("platform", WORD_BYTES, deadline).await.map_err(failed)?;
        said::system(&body_of("platform", answer)?)
    }

    async fn run(&self, command: &MachineCommand, deadline: Deadline) -> Result<MachineOutput> {
        let body = said::command(command);
        said::output(&body_of("execute", self.post("setup/execute", &body, OUTPUT_BYTES, deadline).await?)?)
    }

    /// Of these programs the ones that are there, by the names they are started with; nothing where it cannot be told,
    /// which is so on other systems than Linux.
    pub async fn has(&self, programs: &[String], deadline: Deadline) -> Result<Option<Vec<String>>> {
        if self.system(deadline).await? != OperatingSystem::Linux {
            return Ok(None);
        }
        let line = r#"for name; do command -v "$name" >/dev/null 2>&1 && printf '%s\n' "$name"; done; true"#;
        let words = ["sh", "-c", line, "sh"].map(str::to_owned);
        let asked = MachineCommand::Program(words.into_iter().chain(programs.iter().cloned()).collect());
        let found = self.run(&asked, deadline).await?.stdout;
        Ok(Some(found.lines().map(str::to_owned).collect()))
    }
}

impl Elsewhere {
    pub async fn new(reach: Reach, deadline: Deadline) -> Result<Self> {
        let system = reach.system(deadline).await?;
        let mut machine =
            Self { reach, system, home: PathBuf::new(), size: (1920, 1080), python: PYTHONS[0] };
        let asked = "import os; print(os.path.expanduser('~'))";
        machine.home = said::home(&machine.python(asked, &[], deadline).await?.stdout, system)?;
        // macOS does not tell.
        if let Ok(bytes) = machine.reach.post("screen_size", &json!({}), WORD_BYTES, deadline).await? {
            machine.size = said::size(&bytes)?;
        }
        Ok(machine)
    }

    /// Runs a program in Python, whatever that is called there.
    async fn python(&mut self, program: &str, words: &[&str], deadline: Deadline) -> Result<MachineOutput> {
        let mut missing = None;
        for name in [self.python].into_iter().chain(PYTHONS) {
            let all = [name, "-c", program].into_iter().chain(words.iter().copied()).map(str::to_owned);
            match self.reach.run(&MachineCommand::Program(all.collect()), deadline).await {
                Ok(output) => {
                    self.python = name;
                    return Ok(output);
                }
                // The server found no such program.
                Err(error @ OsworldError::Machine { .. }) => missing = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(missing.unwrap_or_else(|| OsworldError::unable("Python")))
    }

    async fn of_window(&self, call: &str, window: &WindowMatch, deadline: Deadline) -> Result<()> {
        let (strict, by_class) = (window.fit == super::Fit::Exact, window.by == WindowName::Class);
        let body = json!({ "window_name": window.name, "strict": strict, "by_class": by_class });
        tolerated(call, self.reach.post(call, &body, WORD_BYTES, deadline).await?);
        Ok(())
    }
}

#[async_trait]
impl Machine for Elsewhere {
    fn home(&self) -> PathBuf {
        self.home.clone()
    }

    fn system(&self) -> OperatingSystem {
        self.system
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn screen_size(&self) -> (u32, u32) {
        self.size
    }

    fn password(&self) -> String {
        self.reach.password.clone()
    }

    async fn run(&mut self, command: &MachineCommand, deadline: Deadline) -> Result<MachineOutput> {
        self.reach.run(command, deadline).await
    }

    async fn launch(&mut self, command: &MachineCommand, deadline: Deadline) -> Result<()> {
        let body = said::command(command);
        body_of("launch", self.reach.post("setup/launch", &body, WORD_BYTES, deadline).await?).map(drop)
    }

    async fn put(&mut self, path: &Path, bytes: &[u8], deadline: Deadline) -> Result<()> {
        let place = path_text(path)?;
        let name = place.rsplit(['/', '\\']).next().unwrap_or("file");
        let file = FormFile { field: "file_data", name, content: bytes };
        let server = &self.reach.server;
        let answer =
            server.post_file("setup/upload", &[("file_path", place)], file, WORD_BYTES, deadline).await;
        body_of("upload", answer.map_err(failed)?).map(drop)
    }

    async fn get(&mut self, path: &Path, deadline: Deadline) -> Result<Option<Vec<u8>>> {
        let fields = [("file_path", path_text(path)?)];
        match self.reach.server.post_form("file", &fields, FILE_BYTES, deadline).await.map_err(failed)? {
            Ok(bytes) => Ok(Some(bytes)),
            Err(StatusFault { code: 404, .. }) => Ok(None),
            // A folder, or what its user may not read: the original has no file then.
            Err(StatusFault { code: 500, said }) if said.starts_with("Failed to serve file") => Ok(None),
            Err(status) => Err(refused("file", &status)),
        }
    }

    async fn list(&mut self, path: &Path, deadline: Deadline) -> Result<Option<DirEntry>> {
        let body = json!({ "path": path_text(path)? });
        match self.reach.post("list_directory", &body, OUTPUT_BYTES, deadline).await? {
            Ok(bytes) => said::folder(&bytes).map(Some),
            Err(StatusFault { code: 400, .. }) => Ok(None),
            Err(status) => Err(refused("list_directory", &status)),
        }
    }

    async fn open(&mut self, path: &Path, deadline: Deadline) -> Result<()> {
        let body = json!({ "path": path_text(path)? });
        body_of("open_file", self.reach.post("setup/open_file", &body, WORD_BYTES, deadline).await?).map(drop)
    }

    async fn windows(&mut self, deadline: Deadline) -> Result<Vec<MachineWindow>> {
        if self.system != OperatingSystem::Linux {
            return Err(OsworldError::unable("windows"));
        }
        let words = ["wmctrl", "-lGx"].map(str::to_owned).to_vec();
        Ok(said::windows(&self.reach.run(&MachineCommand::Program(words), deadline).await?.stdout))
    }

    async fn activate(&mut self, window: &WindowMatch, deadline: Deadline) -> Result<()> {
        self.of_window("setup/activate_window", window, deadline).await
    }

    async fn close_window(&mut self, window: &WindowMatch, deadline: Deadline) -> Result<()> {
        self.of_window("setup/close_window", window, deadline).await
    }

    async fn input(&mut self, inputs: &[MachineInput], deadline: Deadline) -> Result<()> {
        let output = self.python(&said::script(inputs), &[], deadline).await?;
        match output.code {
            0 => Ok(()),
            _ => {
                let why = output.stderr.trim().lines().last().unwrap_or("Python gave no reason").to_owned();
                Err(OsworldError::machine("mouse and keyboard", why))
            }
        }
    }

    /// All of the time, as in the original: nobody there tells when a program has come to rest.
    async fn settle(&mut self, at_most: Duration, deadline: Deadline) -> Result<()> {
        tokio::time::sleep_until(deadline.at_most(at_most).instant()).await;
        Ok(())
    }

    async fn tree(&mut self, deadline: Deadline) -> Result<String> {
        let answer = self.reach.server.get("accessibility", OUTPUT_BYTES, deadline).await.map_err(failed)?;
        said::text(&body_of("accessibility", answer)?, "AT")?
            .ok_or_else(|| OsworldError::machine("accessibility", "the answer holds no tree"))
    }

    async fn terminal(&mut self, deadline: Deadline) -> Result<Option<String>> {
        let answer = self.reach.server.get("terminal", OUTPUT_BYTES, deadline).await.map_err(failed)?;
        said::text(&body_of("terminal", answer)?, "output")
    }

    async fn set_wallpaper(&mut self, path: &Path, deadline: Deadline) -> Result<()> {
        let body = json!({ "path": path_text(path)? });
        tolerated(
            "change_wallpaper",
            self.reach.post("setup/change_wallpaper", &body, WORD_BYTES, deadline).await?,
        );
        Ok(())
    }

    async fn wallpaper(&mut self, deadline: Deadline) -> Result<Option<Vec<u8>>> {
        // The original has no picture where the server has none.
        Ok(self.reach.post("wallpaper", &json!({}), FILE_BYTES, deadline).await?.ok())
    }

    async fn browser(&mut self, deadline: Deadline) -> Result<BrowserAt> {
        let unable = || OsworldError::unable("browser");
        let browser = self.reach.browser.clone().ok_or_else(unable)?;
        let port = self.reach.browser_port.as_ref().ok_or_else(unable)?;
        let address = match port.get("json/version", WORD_BYTES, deadline).await {
            Ok(Ok(bytes)) => {
                let path = said::debugging(&bytes)?;
                Some(match &self.reach.browser_socket {
                    Some(socket) => format!("ws+unix:{}:{path}", socket.display()),
                    None => format!("ws://{}{path}", port.address().url().authority()),
                })
            }
            Ok(Err(_)) | Err(DeviceError::Absent { .. } | DeviceError::Call { .. }) => None,
            Err(error) => return Err(failed(error)),
        };
        Ok((browser, address))
    }

    async fn player(&mut self, document: &str, deadline: Deadline) -> Result<Option<Vec<u8>>> {
        let output = self.python(PLAYER, &[document], deadline).await?;
        if output.code == 0 { said::bytes(&output.stdout).map(Some) } else { Ok(None) }
    }
}
