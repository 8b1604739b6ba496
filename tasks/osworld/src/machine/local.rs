//! A machine of commands and files: processes of this host with a home folder of their own.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use tokio::process::{Child, Command as Process};
use waldo_devices::{Deadline, child, foreign};

use super::{DirEntry, Machine, MachineCommand, MachineOutput};
use crate::error::{OsworldError, Result};

/// Bytes of a command's output that are kept.
const MOST_OUTPUT: usize = 16 * 1024 * 1024;
const MOST_DEPTH: usize = 32;

/// Processes with a home folder of their own; nothing is shown. What was started ends with it.
#[derive(Debug)]
pub(crate) struct Local {
    home: PathBuf,
    running: Vec<Child>,
}

impl Local {
    /// A machine whose user lives in `home`, a folder that exists.
    pub fn new(home: PathBuf) -> Self {
        Self { home, running: Vec::new() }
    }

    fn process(&self, command: &MachineCommand) -> Option<Process> {
        let mut process = match command {
            MachineCommand::Program(words) => {
                let (program, arguments) = words.split_first()?;
                let mut process = Process::from(child::command(program));
                process.args(arguments);
                process
            }
            MachineCommand::Shell(line) => {
                let mut process = Process::from(child::command("/bin/sh"));
                process.arg("-c").arg(line);
                process
            }
        };
        process.current_dir(&self.home).env("HOME", &self.home);
        process.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("DBUS_SESSION_BUS_ADDRESS");
        process.env("XDG_CONFIG_HOME", self.home.join(".config"));
        process.env("XDG_DATA_HOME", self.home.join(".local/share"));
        process.env("XDG_CACHE_HOME", self.home.join(".cache"));
        process.stdin(Stdio::null()).kill_on_drop(true);
        Some(process)
    }
}

fn output_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..bytes.len().min(MOST_OUTPUT)).unwrap_or_default()).into_owned()
}

#[async_trait]
impl Machine for Local {
    fn home(&self) -> PathBuf {
        self.home.clone()
    }

    async fn run(&mut self, command: &MachineCommand, deadline: Deadline) -> Result<MachineOutput> {
        let call = || format!("run {command:?}");
        let mut process =
            self.process(command).ok_or_else(|| OsworldError::machine(call(), "it is empty"))?;
        let ended = tokio::time::timeout_at(deadline.instant(), process.output()).await;
        let output = ended
            .map_err(|_| OsworldError::Timeout { call: call() })?
            .map_err(|e| OsworldError::machine(call(), e))?;
        let code = output.status.code().unwrap_or(-1);
        Ok(MachineOutput { stdout: output_text(&output.stdout), stderr: output_text(&output.stderr), code })
    }

    async fn launch(&mut self, command: &MachineCommand, _deadline: Deadline) -> Result<()> {
        let call = || format!("launch {command:?}");
        let mut process =
            self.process(command).ok_or_else(|| OsworldError::machine(call(), "it is empty"))?;
        process.stdout(Stdio::null()).stderr(Stdio::null());
        self.running.push(process.spawn().map_err(|e| OsworldError::machine(call(), e))?);
        Ok(())
    }

    async fn put(&mut self, path: &Path, bytes: &[u8], _deadline: Deadline) -> Result<()> {
        let failed = |e: std::io::Error| OsworldError::machine(format!("write {}", path.display()), e);
        if let Some(parent) = path.parent() {
            tokio::fs::create_dir_all(parent).await.map_err(failed)?;
        }
        tokio::fs::write(path, bytes).await.map_err(failed)
    }

    async fn get(&mut self, path: &Path, _deadline: Deadline) -> Result<Option<Vec<u8>>> {
        match foreign::read_named(path, foreign::LARGE_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound || path.is_dir() => Ok(None),
            Err(e) => Err(OsworldError::machine(format!("read {}", path.display()), e)),
        }
    }

    async fn list(&mut self, path: &Path, _deadline: Deadline) -> Result<Option<DirEntry>> {
        Ok(path.is_dir().then(|| entry(path, 0)))
    }

    async fn settle(&mut self, at_most: Duration, deadline: Deadline) -> Result<()> {
        let until = deadline.at_most(at_most);
        for child in &mut self.running {
            // A program that stays is at rest as far as can be told.
            let _ = tokio::time::timeout_at(until.instant(), child.wait()).await;
        }
        self.running.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        Ok(())
    }
}

fn entry(path: &Path, depth: usize) -> DirEntry {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !path.is_dir() || depth >= MOST_DEPTH || path.is_symlink() && depth > 0 {
        return DirEntry { name, children: None };
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let mut children: Vec<DirEntry> = entries.map(|e| entry(&e.path(), depth + 1)).collect();
    children.sort_by(|a, b| a.name.cmp(&b.name));
    DirEntry { name, children: Some(children) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn commands_live_in_a_home_of_their_own() {
        let home = tempfile::tempdir().unwrap();
        let mut machine = Local::new(home.path().to_owned());
        let deadline = Deadline::after(Duration::from_secs(20));
        let line = MachineCommand::Shell("pwd; echo $HOME; echo oops >&2; exit 3".into());
        let output = machine.run(&line, deadline).await.unwrap();
        let here = home.path().to_string_lossy();
        assert_eq!(output.stdout, format!("{here}\n{here}\n"));
        assert_eq!((output.stderr.as_str(), output.code), ("oops\n", 3));
        machine.put(&home.path().join("a/b.txt"), b"x", deadline).await.unwrap();
        assert_eq!(machine.get(&home.path().join("a/b.txt"), deadline).await.unwrap().unwrap(), b"x");
        assert_eq!(machine.get(&home.path().join("none"), deadline).await.unwrap(), None);
        let list = machine.list(home.path(), deadline).await.unwrap().unwrap();
        assert_eq!(list.children.unwrap()[0].children.as_ref().unwrap()[0].name, "b.txt");
    }

    #[tokio::test]
    async fn what_hangs_is_ended_and_what_is_missing_is_said() {
        let home = tempfile::tempdir().unwrap();
        let mut machine = Local::new(home.path().to_owned());
        let soon = Deadline::after(Duration::from_millis(200));
        let hang = MachineCommand::Program(vec!["sleep".into(), "60".into()]);
        assert!(matches!(machine.run(&hang, soon).await, Err(OsworldError::Timeout { .. })));
        let none = MachineCommand::Program(vec!["no-such-program-here".into()]);
        let deadline = Deadline::after(Duration::from_secs(5));
        assert!(matches!(machine.run(&none, deadline).await, Err(OsworldError::Machine { .. })));
        let windows = machine.windows(deadline).await;
        assert!(matches!(windows, Err(OsworldError::Unsupported { .. })));
        machine.launch(&MachineCommand::Shell("touch done".into()), deadline).await.unwrap();
        machine.settle(Duration::from_secs(5), deadline).await.unwrap();
        assert!(home.path().join("done").exists());
    }
}
