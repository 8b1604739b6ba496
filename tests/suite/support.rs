//! Running the built binary.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A run of `waldo` that must end within `limit`.
pub struct Waldo {
    command: Command,
    limit: Duration,
}

/// What came of it.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("no JSON ({e}):\n{}\n{}", self.stdout, self.stderr))
    }

    /// Panics with all output unless the exit code is `code`.
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// `waldo` with `args`, in the folder `dir`.
pub fn waldo(dir: &Path, args: &[&str]) -> Waldo {
    let mut command = Command::new(env!("CARGO_BIN_EXE_waldo"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1").env_remove("OPENAI_API_KEY");
    Waldo { command, limit: Duration::from_secs(300) }
}

impl Waldo {
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it and leaves it running.
    pub fn start(mut self) -> std::process::Child {
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Ended {
        let child =
            self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || send.send(child.wait_with_output()));
        let Output { status, stdout, stderr } = receive
            .recv_timeout(self.limit)
            .unwrap_or_else(|_| {
                let _ = Command::new("kill").arg("-9").arg(pid.to_string()).status();
                panic!("waldo did not end within {:?}", self.limit)
            })
            .unwrap();
        Ended {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }
}

/// Waits until `condition` holds.
pub fn until(what: &str, limit: Duration, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Processes (pid, command line) whose command line contains `text`.
pub fn processes(text: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else { continue };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(text) {
            found.push((pid, line));
        }
    }
    found
}
