//! Servers of tools: programs of the suite that speak the Model Context Protocol over their standard streams.
//!
//! Invariants: a server runs in a sandbox without a network, with an environment of its own, and ends with its episode; it
//! sees the suite's files and one folder that it may write to, whose files are a store of the whole state; what it answers
//! is bounded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};
use waldo_agents::program::{Heard, LAST_LINES, Program, ProgramSpec};
use waldo_devices::private_dir::{DirKind, ScratchDir, in_memory};
use waldo_devices::{Deadline, DeviceError};

use super::{Answered, OfferedTool};
use crate::apps::{AppFolder, Room, files_below};
use crate::error::{Result, TaskError};
use crate::state::Store;
use crate::suite::TaskDef;

const FOLDER: DirKind = DirKind { prefix: "waldo-tools-", owner: "owner" };
/// The store of the files that servers keep.
const STORE: &str = "tools";
const PROTOCOL: &str = "2025-06-18";
/// The longest line of a server, in bytes.
const LINE_BYTES: usize = 4 << 20;
/// Characters of an answer that count.
const ANSWER: usize = 8_000;
/// How long one answer may take.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);
/// Lists of tools that are asked for at the most, each with the next one's name.
const PAGES: usize = 20;

struct Server {
    /// Its command line, for messages.
    line: String,
    program: Program,
    heard: Heard,
}

pub(super) struct ToolServers {
    servers: Vec<Server>,
    /// Each tool with the place of its server.
    tools: Vec<(usize, OfferedTool)>,
    data: PathBuf,
    _folder: ScratchDir,
}

impl ToolServers {
    pub async fn start(def: &TaskDef, commands: &[Vec<String>], deadline: Deadline) -> Result<Self> {
        let folder = ScratchDir::make(&in_memory(), FOLDER);
        let folder = folder.map_err(TaskError::io("make a folder in", &in_memory()))?;
        let (app, data) = (folder.path().join("app"), folder.path().join("data"));
        for made in [&app, &data] {
            std::fs::create_dir(made).map_err(TaskError::io("make", made))?;
        }
        for (path, bytes) in def.own_files() {
            let path = app.join(path);
            let parent = path.parent().unwrap_or(&app);
            std::fs::create_dir_all(parent).map_err(TaskError::io("make", parent))?;
            std::fs::write(&path, bytes).map_err(TaskError::io("write", &path))?;
        }
        let room = Room { app, data: data.clone(), runtimes: Vec::new(), app_folder: AppFolder::ReadOnly };
        let mut all = Self { servers: Vec::new(), tools: Vec::new(), data, _folder: folder };
        for (at, run) in commands.iter().enumerate() {
            let mut server = Server::start(&room, run)?;
            for tool in server.tools(deadline).await? {
                if all.offered().any(|known| known.name == tool.name) {
                    return Err(server
                        .fault(format!("its tool {} is another server's, too", tool.name))
                        .await);
                }
                all.tools.push((at, tool));
            }
            all.servers.push(server);
        }
        Ok(all)
    }

    pub fn offered(&self) -> impl Iterator<Item = &OfferedTool> {
        self.tools.iter().map(|(_, tool)| tool)
    }

    pub fn stores(&self) -> Result<BTreeMap<String, Store>> {
        let files = files_below(&self.data).map_err(TaskError::io("read", &self.data))?;
        Ok(BTreeMap::from([(STORE.to_owned(), files)]))
    }

    pub async fn call(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        deadline: Deadline,
    ) -> Result<Answered> {
        let wrong = |message: String| DeviceError::BadArgument { what: format!("tool '{tool}'"), message };
        let at = self.tools.iter().find(|(_, known)| known.name == tool).map(|(at, _)| *at);
        let Some(server) = at.and_then(|at| self.servers.get_mut(at)) else {
            let known: Vec<&str> = self.offered().map(|tool| tool.name.as_str()).collect();
            return Err(wrong(format!("the task offers {}", known.join(", "))).into());
        };
        let parameters = json!({ "name": tool, "arguments": arguments });
        let told = server.ask("tools/call", parameters, deadline.at_most(ANSWERS_WITHIN)).await?;
        // The server says itself what is wrong with the arguments.
        let told =
            told.map_err(|error| wrong(error["message"].as_str().unwrap_or("it refuses").to_owned()))?;
        Ok(Answered { text: words(&told).chars().take(ANSWER).collect(), by: None })
    }
}

/// What the answer of a tool says.
fn words(told: &Value) -> String {
    let content = told["content"].as_array().into_iter().flatten();
    let texts = content.map(|part| match (part["type"].as_str(), part["text"].as_str()) {
        (_, Some(text)) => text.to_owned(),
        (kind, None) => format!("({}, which is not shown)", kind.unwrap_or("something")),
    });
    let mut said = texts.collect::<Vec<_>>().join("\n");
    if said.is_empty() && !told["structuredContent"].is_null() {
        said = told["structuredContent"].to_string();
    }
    match told["isError"].as_bool() {
        Some(true) => format!("error: {said}"),
        _ if said.is_empty() => "done".to_owned(),
        _ => said,
    }
}

impl Server {
    fn start(room: &Room, run: &[String]) -> Result<Self> {
        let exec = room.line(&[OsString::from("--clearenv")], run);
        let exec = exec.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let (heard, line) = (Heard::default(), run.join(" "));
        let spec = ProgramSpec { exec, ..ProgramSpec::default() };
        let program = Program::start(&spec, &heard, LINE_BYTES).map_err(|message| DeviceError::Start {
            what: format!("the tools of `{line}`"),
            message,
            hint: "the sandbox needs bwrap (Debian: bubblewrap)".to_owned(),
        })?;
        Ok(Self { line, program, heard })
    }

    /// Shakes hands, and asks for its tools.
    async fn tools(&mut self, deadline: Deadline) -> Result<Vec<OfferedTool>> {
        let deadline = deadline.at_most(ANSWERS_WITHIN);
        let client = json!({ "name": "waldo", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client });
        if let Err(error) = self.ask("initialize", hello, deadline).await? {
            return Err(self.fault(format!("it does not begin: {error}")).await);
        }
        self.program.notify("notifications/initialized");
        let mut all = Vec::new();
        let mut parameters = json!({});
        for _ in 0..PAGES {
            let list = match self.ask("tools/list", parameters, deadline).await? {
                Ok(list) => list,
                Err(error) => return Err(self.fault(format!("it lists no tools: {error}")).await),
            };
            for tool in list["tools"].as_array().into_iter().flatten() {
                let text = |name: &str| tool[name].as_str().unwrap_or_default().to_owned();
                let (name, description) = (text("name"), text("description"));
                let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
                if name.is_empty() || name.len() > 100 || !name.chars().all(plain) {
                    return Err(self.fault(format!("a tool of it has the name '{name}'")).await);
                }
                all.push(OfferedTool { name, description, schema: tool["inputSchema"].clone() });
            }
            match list["nextCursor"].as_str() {
                Some(next) => parameters = json!({ "cursor": next }),
                None => return Ok(all),
            }
        }
        Err(self.fault("its list of tools has no end".to_owned()).await)
    }

    /// Puts a request: its result, or the error that it answered.
    async fn ask(
        &mut self,
        method: &str,
        parameters: Value,
        deadline: Deadline,
    ) -> Result<std::result::Result<Value, Value>> {
        match tokio::time::timeout_at(deadline.instant(), self.program.request(method, parameters)).await {
            Ok(Ok(told)) => Ok(told),
            Ok(Err(why)) => Err(self.fault(why).await),
            Err(_) => Err(self.fault(format!("no answer to {method} in time")).await),
        }
    }

    async fn fault(&self, why: String) -> TaskError {
        let call = format!("the tools of `{}`", self.line);
        DeviceError::Call { call, message: self.heard.with_last(why, LAST_LINES).await }.into()
    }
}
