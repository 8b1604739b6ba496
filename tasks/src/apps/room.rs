//! The sandbox of an application: the system's folders, the application's and the instance's, no network but its own
//! loopback, and processes that end with its first one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tokio::io::AsyncWriteExt as _;
use waldo_devices::Deadline;
use waldo_devices::child;
use waldo_devices::system_view::{SYSTEM, system_folders, tool};

/// Whether the application's own folder can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppFolder {
    ReadOnly,
    Writable,
}

/// What a sandbox shows.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    pub app: PathBuf,
    pub data: PathBuf,
    pub runtimes: Vec<PathBuf>,
    pub app_folder: AppFolder,
}

impl Room {
    /// The command line of `run` in the sandbox; `more` are further arguments of `bwrap`.
    pub fn line(&self, more: &[OsString], run: &[String]) -> Vec<OsString> {
        let mut line: Vec<OsString> = vec![tool("bwrap").into()];
        // The first process is the program itself, with whose end the system ends all others: a process of bwrap's in its
        // place would wait for them.
        let spaces = "--unshare-pid --as-pid-1 --die-with-parent --unshare-net --unshare-ipc --cap-drop ALL";
        line.extend(spaces.split(' ').map(OsString::from));
        if !rustix::process::geteuid().is_root() {
            line.push("--unshare-user".into());
        }
        line.extend(system_folders());
        line.extend(["--tmpfs", "/tmp"].map(OsString::from));
        let mut show = |how: &str, what: &Path, at: &Path| line.extend([how.into(), what.into(), at.into()]);
        let mut path = "/usr/local/bin:/usr/bin:/bin".to_owned();
        for runtime in &self.runtimes {
            show("--ro-bind", runtime, runtime);
            path = format!("{}:{path}", runtime.join("bin").display());
        }
        let app = if self.app_folder == AppFolder::Writable { "--bind" } else { "--ro-bind" };
        show(app, &self.app, Path::new("/app"));
        show("--bind", &self.data, Path::new("/data"));
        line.extend_from_slice(more);
        for (name, value) in [("HOME", "/tmp"), ("LANG", "C.UTF-8"), ("TZ", "UTC")] {
            line.extend(["--setenv", name, value].map(OsString::from));
        }
        line.extend(["--setenv", "PATH", &path].map(OsString::from));
        line.extend(["--chdir", "/data", "--remount-ro", "/", "--"].map(OsString::from));
        line.extend(run.iter().map(OsString::from));
        line
    }

    /// Runs a command to its end; what it printed.
    ///
    /// # Errors
    /// What it said where it failed or took too long.
    pub async fn run(&self, run: &[String], input: &str, deadline: Deadline) -> Result<Vec<u8>, String> {
        let line = self.line(&[], run);
        let mut command = child::bare(&line[0]);
        command.args(&line[1..]);
        output(command, input, deadline).await
    }
}

/// The folder of an interpreter, where the sandbox does not show it anyway.
pub(super) fn beside_system(folder: PathBuf) -> Option<PathBuf> {
    (!SYSTEM.iter().any(|seen| folder.starts_with(seen))).then_some(folder)
}

/// The command with processes that end when waldo does, however it ends: what is killed in the middle goes on with nothing.
pub(super) fn ends_with_waldo(command: &Command) -> Command {
    let mut ends = child::bare(tool("bwrap"));
    ends.args(["--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--die-with-parent", "--"]);
    ends.arg(command.get_program()).args(command.get_args());
    ends.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = command.get_current_dir() {
        ends.current_dir(folder);
    }
    ends
}

/// Runs a command with `input`, in a process group of its own; what it printed.
///
/// # Errors
/// The last that it said where it failed, could not be started or took too long.
pub(super) async fn output(mut command: Command, input: &str, deadline: Deadline) -> Result<Vec<u8>, String> {
    use std::os::unix::process::CommandExt as _;
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut command = tokio::process::Command::from(command);
    let mut child =
        command.kill_on_drop(true).spawn().map_err(|error| format!("{name} cannot be started: {error}"))?;
    let mut pipe = child.stdin.take();
    let input = async move {
        if let Some(pipe) = &mut pipe {
            // One that does not read all of it says why at its end.
            let _ = pipe.write_all(input.as_bytes()).await;
        }
    };
    let both = async { tokio::join!(input, child.wait_with_output()).1 };
    let out = match tokio::time::timeout(deadline.left(), both).await {
        Err(_) => return Err(format!("{name} took too long")),
        Ok(out) => out.map_err(|error| error.to_string())?,
    };
    if out.status.success() {
        return Ok(out.stdout);
    }
    let said = [out.stdout, out.stderr].concat();
    Err(match last_lines(&said) {
        said if said.is_empty() => format!("{name} ended with {}", out.status),
        said => said,
    })
}

pub(super) fn last_lines(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last: String = lines[lines.len().saturating_sub(6)..].join("; ").chars().rev().take(700).collect();
    last.chars().rev().collect()
}
