//! A client of the Model Context Protocol for tests: JSON-RPC on the standard streams of the built binary.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, channel};

use super::support::*;

/// The longest wait for a message.
const WITHIN: Duration = Duration::from_secs(60);

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came while something else was waited for.
    kept: HashMap<u64, Value>,
    pub notifications: Vec<Value>,
    /// What the server asked, and how it is answered: the result of each request.
    pub answers: Option<fn(&Value) -> Value>,
    next: u64,
}

#[derive(Clone, Debug)]
pub struct Called {
    pub text: String,
    pub is_error: bool,
    pub whole: Value,
}

impl Called {
    #[track_caller]
    pub fn ok(self) -> String {
        assert!(!self.is_error, "{}", self.text);
        self.text
    }

    #[track_caller]
    pub fn refused(self) -> String {
        assert!(self.is_error, "{}", self.text);
        self.text
    }
}

impl Client {
    /// Starts `waldo mcp` with `args` in `dir`, and says hello.
    pub fn start(dir: &Path, args: &[&str]) -> Self {
        Self::start_with(dir, args, &[], json!({}))
    }

    pub fn start_with(dir: &Path, args: &[&str], env: &[(&str, &str)], capabilities: Value) -> Self {
        let mut client = Self::open(dir, args, env);
        let hello = client.request(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities,
                    "clientInfo": { "name": "test", "version": "1" } }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "waldo", "{hello}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    pub fn open(dir: &Path, args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_waldo"));
        command.arg("mcp").args(args).current_dir(dir).env("NO_COLOR", "1").env_remove("OPENAI_API_KEY");
        command.env("XDG_CONFIG_HOME", dir.join("no-config")).envs(env.iter().copied());
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let stderr = std::fs::File::create(dir.join("stderr")).unwrap();
        let mut child = streams.stderr(stderr).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|e| panic!("no JSON ({e}): {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let kept = HashMap::new();
        Self { child, stdin, messages, kept, notifications: Vec::new(), answers: None, next: 1 }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message that is not a question of the server's.
    pub fn message(&mut self) -> Value {
        loop {
            let message = self.messages.recv_timeout(WITHIN).unwrap();
            if message.get("method").is_some() && message.get("id").is_some() {
                let result = self.answers.unwrap()(&message);
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
                continue;
            }
            return message;
        }
    }

    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.kept.remove(&id) {
                return answer;
            }
            let message = self.message();
            match message["id"].as_u64() {
                Some(id) => drop(self.kept.insert(id, message)),
                None => self.notifications.push(message),
            }
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    pub fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Called {
        let id = self.begin(tool, arguments);
        called(self.answer(id))
    }

    pub fn tools(&mut self) -> Vec<Value> {
        self.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
    }

    /// The number of the element whose line of the list contains `part`.
    pub fn number(&mut self, part: &str) -> u64 {
        let list = self.call("observe", json!({})).ok();
        number_in(&list, part)
    }

    /// Ends the session as a client does, by the end of the input; the exit code.
    pub fn end(mut self) -> i32 {
        self.stdin = None;
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Kills the client's side, without a word.
    pub fn vanish(mut self) {
        self.stdin = None;
        drop(self.messages);
        self.child.wait().unwrap();
    }

    pub fn stderr(dir: &Path) -> String {
        text_in(dir.join("stderr"))
    }
}

/// A session with a site, recorded in the folder `r`.
pub fn session(site: Server, more: &[&str]) -> (Dir, Server, Client) {
    let dir = tempdir();
    let client = Client::start(&dir, &[&["--url", &site.url("/"), "--out", "r"], more].concat());
    (dir, site, client)
}

/// A result of a tool, read.
pub fn called(answer: Value) -> Called {
    let result = &answer["result"];
    assert!(result.is_object(), "{answer}");
    let texts = result["content"].as_array().unwrap().iter().filter_map(|part| part["text"].as_str());
    Called {
        text: texts.collect::<Vec<_>>().join("\n"),
        is_error: result["isError"].as_bool().unwrap_or(false),
        whole: result.clone(),
    }
}

#[track_caller]
pub fn number_in(list: &str, part: &str) -> u64 {
    let line =
        list.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("no '{part}' in {list}"));
    line.trim_start_matches(['~', '+', ' ']).split(' ').next().unwrap().parse().unwrap()
}
