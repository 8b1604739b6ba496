//! The program of a profile: JSON lines over its standard streams, one question at a time.
//!
//! Invariants: it runs in a process group of its own with an environment that was built for it; it is kept alive from
//! question to question, and started anew after it failed; a question that is not answered by its deadline, or with more
//! than a bounded line, ends it with all that it started; what it prints to standard error is kept for the record, and
//! no more of it than a bound.

use std::fmt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex as Turn;
use tokio::task::JoinHandle;
use waldo_devices::{Deadline, child};
use waldo_native::{HookRule, HookStage};

use crate::error::ModelError;

/// The longest line either way, in bytes.
pub(super) const LINE_BYTES: usize = 64 << 20;
/// Bytes of standard error that are kept between two questions: the last ones.
const HEARD_BYTES: usize = 64 << 10;
/// How long the last of it is waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A program of a profile.
pub struct Hook {
    rule: HookRule,
    dir: PathBuf,
    running: Turn<Option<HookProcess>>,
    heard: Arc<Mutex<Vec<u8>>>,
    /// Ends with its standard error.
    hearing: Mutex<Option<JoinHandle<()>>>,
    most: usize,
}

struct HookProcess {
    // Held for its end.
    _child: Child,
    group: Option<Pid>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Drop for HookProcess {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // Gone already is fine.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Why a question has no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The program says so itself, as a fragment for the model.
    Said(String),
    /// It failed, and was ended.
    Failed(String),
}

impl From<NoAnswer> for ModelError {
    fn from(no: NoAnswer) -> Self {
        let (NoAnswer::Said(message) | NoAnswer::Failed(message)) = no;
        Self::Hook { message }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("rule", &self.rule).field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl Hook {
    /// The program that a profile in `dir` names. Nothing is started yet.
    pub fn new(rule: HookRule, dir: &Path) -> Self {
        Self {
            rule,
            dir: dir.to_owned(),
            running: Turn::new(None),
            heard: Arc::default(),
            hearing: Mutex::default(),
            most: LINE_BYTES,
        }
    }

    /// Whether it does a stage.
    pub fn does(&self, stage: HookStage) -> bool {
        self.rule.stages.contains(&stage)
    }

    /// What it printed to standard error since it was asked for that last.
    pub(super) fn heard(&self) -> Option<String> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = std::mem::take(&mut *heard);
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Asks it; one that fails is started anew once.
    pub(super) async fn ask(
        &self,
        stage: HookStage,
        input: &Value,
        deadline: Deadline,
    ) -> Result<Value, NoAnswer> {
        let late = || NoAnswer::Failed(format!("it did not come to '{}' in time", stage.as_str()));
        let mut turn =
            tokio::time::timeout_at(deadline.instant(), self.running.lock()).await.map_err(|_| late())?;
        let mut again = true;
        loop {
            // Taken out while it is asked: whoever stops waiting ends it, for what it says next is no answer any more.
            let kept = turn.take();
            let fresh = kept.is_none();
            let running = match kept {
                Some(running) => running,
                None => self.start().map_err(NoAnswer::Failed)?,
            };
            let put = self.put(running, stage, input);
            let done = tokio::time::timeout_at(deadline.instant(), put).await;
            match done {
                Ok(Ok((running, answer))) => {
                    *turn = Some(running);
                    return answer;
                }
                // What was kept may have ended meanwhile.
                Ok(Err(_)) if again && !fresh => again = false,
                Ok(Err(why)) => return Err(self.failed(stage, &why).await),
                Err(_) => return Err(self.failed(stage, "no answer by its deadline; it was killed").await),
            }
        }
    }

    /// A failure of one that was ended, with what it printed last.
    async fn failed(&self, stage: HookStage, why: &str) -> NoAnswer {
        let hearing = self.hearing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(hearing) = hearing {
            // Somebody that it started may still hold its standard error.
            let _ = tokio::time::timeout(LAST_WORDS, hearing).await;
        }
        let why = format!("{}: {why}", stage.as_str());
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&heard);
        NoAnswer::Failed(match text.trim_end().lines().next_back() {
            Some(line) => format!("{why}; it printed last: {}", beginning(line.as_bytes())),
            None => why,
        })
    }

    fn start(&self) -> Result<HookProcess, String> {
        let (program, arguments) = self.rule.exec.split_first().ok_or("it names no program")?;
        let mut command = child::command(program);
        command.args(arguments).current_dir(&self.dir).process_group(0);
        // What Python would write beside its modules would make the folder another one than a person trusted.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Command::from(command)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("'{program}' cannot be started: {error}"))?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err("its standard streams cannot be had".to_owned());
        };
        let hearing = tokio::spawn(hear(errors, Arc::clone(&self.heard)));
        *self.hearing.lock().unwrap_or_else(PoisonError::into_inner) = Some(hearing);
        Ok(HookProcess { _child: child, group, input, output: BufReader::new(output), asked: 0 })
    }

    /// One question and its answer. The process comes back with it, where it may be asked again.
    async fn put(
        &self,
        mut running: HookProcess,
        stage: HookStage,
        input: &Value,
    ) -> Result<(HookProcess, Result<Value, NoAnswer>), String> {
        running.asked += 1;
        let id = running.asked;
        let mut line = json!({"id": id, "stage": stage.as_str(), "input": input}).to_string();
        if line.len() >= self.most {
            return Err(format!("the question is larger than {} MiB", self.most >> 20));
        }
        line.push('\n');
        let mut answer = Vec::new();
        {
            // A program may write before it has read all.
            let HookProcess { input, output, .. } = &mut running;
            let most = u64::try_from(self.most).unwrap_or(u64::MAX);
            let mut bounded = output.take(most);
            let write = async {
                input.write_all(line.as_bytes()).await?;
                input.flush().await
            };
            let (written, read) = tokio::join!(write, bounded.read_until(b'\n', &mut answer));
            let broken = |error: std::io::Error| format!("its standard streams broke: {error}");
            read.map_err(broken)?;
            if answer.last() != Some(&b'\n') {
                return Err(match answer.len() {
                    n if n >= self.most => format!("its answer is larger than {} MiB", self.most >> 20),
                    _ => match written {
                        Err(error) => format!("it ended: {error}"),
                        Ok(()) => "it ended without an answer".to_owned(),
                    },
                });
            }
            written.map_err(broken)?;
        }
        let value: Value = serde_json::from_slice(&answer)
            .map_err(|error| format!("its answer is no JSON ({error}): {}", beginning(&answer)))?;
        if value["id"] != id {
            return Err(format!("its answer has the id {}, not {id}: {}", value["id"], beginning(&answer)));
        }
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            let words = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            return Ok((running, Err(NoAnswer::Said(words))));
        }
        match value.get("output") {
            Some(output) => {
                let output = output.clone();
                Ok((running, Ok(output)))
            }
            None => Err(format!("its answer has neither output nor error: {}", beginning(&answer))),
        }
    }
}

/// The beginning of an answer, for messages.
fn beginning(answer: &[u8]) -> String {
    String::from_utf8_lossy(&answer[..answer.len().min(200)]).trim_end().to_owned()
}

/// Keeps the last of what a program prints to standard error; all of it is read.
async fn hear(mut errors: ChildStderr, heard: Arc<Mutex<Vec<u8>>>) {
    let mut piece = vec![0; 8192];
    while let Ok(n @ 1..) = errors.read(&mut piece).await {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.extend_from_slice(&piece[..n]);
        let over = heard.len().saturating_sub(HEARD_BYTES);
        heard.drain(..over);
    }
}

#[cfg(test)]
#[path = "hook_tests.rs"]
mod tests;
