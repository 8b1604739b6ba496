//! A program that is asked over its standard streams: a line of JSON each way, one question at a time.
//!
//! Invariants: it runs in a process group of its own, which ends with it, and with an environment that was built for it; no
//! line is longer than a bound, in either direction; one answer belongs to one question, by its number; what it prints to
//! standard error is read all the time, and the last of it kept.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use waldo_devices::child;

/// The longest line either way, in bytes.
pub const LINE_BYTES: usize = 64 << 20;
/// Bytes of standard error that are kept between two questions: the last ones.
pub(crate) const HEARD_BYTES: usize = 64 << 10;
/// Lines of what an agent printed that its failure is told with.
pub const LAST_LINES: usize = 12;
/// How long an agent may take to end once its episode has.
pub const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// How long the last of its streams is waited for, once it has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, Default)]
pub struct ProgramSpec {
    pub exec: Vec<String>,
    /// Where it runs; where waldo does when absent.
    pub dir: Option<PathBuf>,
    pub variables: Vec<(String, OsString)>,
}

impl ProgramSpec {
    /// The same with values in the places of their names. What stands within a value is not replaced.
    #[must_use]
    pub fn filled(mut self, values: &[(&str, &str)]) -> Self {
        for word in &mut self.exec {
            *word = filled(word, values);
        }
        self
    }
}

fn filled(word: &str, values: &[(&str, &str)]) -> String {
    let mut rest = word;
    let mut all = String::new();
    while let Some((at, name, value)) =
        values.iter().filter_map(|(name, value)| Some((rest.find(name)?, name, value))).min()
    {
        all.push_str(&rest[..at]);
        all.push_str(value);
        rest = &rest[at + name.len()..];
    }
    all + rest
}

/// What programs printed to standard error; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Ends with the standard error of the program that was started last.
    hearing: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Heard {
    pub fn take(&self) -> Option<String> {
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// `why`, and the last `lines` that a program printed before it ended.
    pub async fn with_last(&self, why: String, lines: usize) -> String {
        let hearing = self.hearing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(hearing) = hearing {
            // Somebody that it started may still hold its standard error.
            let _ = tokio::time::timeout(LAST_WORDS, hearing).await;
        }
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        let all: Vec<&str> = text.trim_end().lines().collect();
        match &all[all.len().saturating_sub(lines)..] {
            [] => why,
            last => {
                let last: Vec<String> = last.iter().map(|line| beginning(line.as_bytes())).collect();
                format!("{why}; it printed last: {}", last.join("\n"))
            }
        }
    }

    fn listen(&self, errors: ChildStderr) {
        let hearing = tokio::spawn(hear(errors, Arc::clone(&self.bytes)));
        *self.hearing.lock().unwrap_or_else(PoisonError::into_inner) = Some(hearing);
    }
}

/// A program that runs; dropped, it is killed with all of its process group.
#[derive(Debug)]
pub struct Program {
    child: Child,
    group: Option<Pid>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
    most: usize,
    /// Lines that go ahead of the next question.
    ahead: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // Gone already is fine.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Program {
    /// Starts it; no line may have more than `most` bytes.
    pub fn start(spec: &ProgramSpec, heard: &Heard, most: usize) -> Result<Self, String> {
        let (program, arguments) = spec.exec.split_first().ok_or("it names no program")?;
        let mut command = child::command(program);
        command.args(arguments).process_group(0);
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        // What Python would write beside its modules would make the folder another one than a person trusted.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.envs(spec.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Command::from(command)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("'{program}' cannot be started: {error}"))?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(output), Some(errors)) = (output, errors) else {
            return Err("its standard streams are not available".to_owned());
        };
        heard.listen(errors);
        Ok(Self { child, group, input, output: BufReader::new(output), asked: 0, most, ahead: String::new() })
    }

    /// Its process; `None` once it has ended and was waited for.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Puts a question, an object, and gives its answer: an object with the same `id`. One that is dropped meanwhile, or
    /// fails, leaves a program that cannot be asked any more.
    pub async fn put(&mut self, mut question: Value) -> Result<Value, String> {
        self.asked += 1;
        let id = self.asked;
        question["id"] = json!(id);
        let mut line = question.to_string();
        if line.len() >= self.most {
            return Err(format!("the question is larger than {} MiB", self.most >> 20));
        }
        line.push('\n');
        let value = read_answer(id, &self.line(line).await?)?;
        let more = self.output.buffer();
        if !more.trim_ascii().is_empty() {
            return Err(format!("it answered more than once: {}", beginning(more)));
        }
        Ok(value)
    }

    /// Tells it something by JSON-RPC that has no answer, ahead of the next request.
    pub fn notify(&mut self, method: &str) {
        self.ahead.push_str(&format!("{}\n", json!({ "jsonrpc": "2.0", "method": method })));
    }

    /// Puts a request of JSON-RPC: the result, or the error that it answered. What it says of its own accord meanwhile is
    /// passed over. One that is dropped, or fails, leaves a program that cannot be asked any more.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Result<Value, Value>, String> {
        self.asked += 1;
        let id = self.asked;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let mut line = format!("{}{request}\n", std::mem::take(&mut self.ahead));
        loop {
            let answer = self.line(std::mem::take(&mut line)).await?;
            let mut told: Value = serde_json::from_slice(&answer)
                .map_err(|error| format!("its line is not JSON ({error}): {}", beginning(&answer)))?;
            if told["id"] == id && told.get("method").is_none() {
                return Ok(match told.get_mut("result") {
                    Some(result) => Ok(result.take()),
                    None => Err(told["error"].take()),
                });
            }
        }
    }

    async fn line(&mut self, line: String) -> Result<Vec<u8>, String> {
        let broken = |error: std::io::Error| format!("its standard streams broke: {error}");
        let mut answer = Vec::new();
        let Self { child, input, output, most, .. } = self;
        let input = input.as_mut().ok_or("its standard input is closed")?;
        let mut bounded = output.take(u64::try_from(*most).unwrap_or(u64::MAX));
        let (written, read) = {
            let (tell, closed) = oneshot::channel();
            let write = async {
                let written = async {
                    input.write_all(line.as_bytes()).await?;
                    input.flush().await
                };
                let written = written.await;
                if written.is_err() {
                    let _ = tell.send(());
                }
                written
            };
            // A program may write before it has read all.
            let both = async { tokio::join!(write, bounded.read_until(b'\n', &mut answer)) };
            // What it started may hold its streams for ever, and whoever does not read need not answer.
            let over = async {
                tokio::select! {
                    _ = child.wait() => "it ended, and left a program behind that holds its streams",
                    Ok(()) = closed => "it closed its standard input",
                }
            };
            tokio::pin!(both);
            tokio::select! {
                biased;
                both = &mut both => both,
                why = over => match tokio::time::timeout(LAST_WORDS, &mut both).await {
                    Ok(both) => both,
                    Err(_) => return Err(why.to_owned()),
                },
            }
        };
        read.map_err(broken)?;
        if answer.last() != Some(&b'\n') {
            return Err(match answer.len() {
                n if n >= *most => format!("its answer is larger than {} MiB", *most >> 20),
                _ => match written {
                    Err(error) => format!("it ended: {error}"),
                    Ok(()) => "it ended without an answer".to_owned(),
                },
            });
        }
        written.map_err(|error| format!("it closed its standard input: {error}"))?;
        Ok(answer)
    }

    /// Waits for the end of a program that is asked nothing. What it prints on either stream is heard.
    ///
    /// # Errors
    /// How it ended, as a fragment with the last lines that it printed, where it did not end with 0.
    pub async fn ends(mut self, heard: &Heard) -> Result<(), String> {
        self.input = None;
        let Self { child, output, .. } = &mut self;
        let hearing = hear(output, Arc::clone(&heard.bytes));
        tokio::pin!(hearing);
        let mut is_heard = false;
        let ended = loop {
            tokio::select! {
                ended = child.wait() => break ended,
                () = &mut hearing, if !is_heard => is_heard = true,
            }
        };
        if !is_heard {
            // Somebody that it started may still hold its standard output.
            let _ = tokio::time::timeout(LAST_WORDS, hearing).await;
        }
        let why = match ended {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => format!("it ended with {status}"),
            Err(error) => format!("it cannot be waited for: {error}"),
        };
        Err(heard.with_last(why, LAST_LINES).await)
    }

    /// Closes its standard input, and says whether it ended by itself within `limit`.
    pub async fn close(mut self, limit: Duration) -> bool {
        self.input = None;
        tokio::time::timeout(limit, self.child.wait()).await.is_ok()
    }
}

/// Reads the answer to the question of this number: an object with the same `id`.
pub fn read_answer(id: u64, answer: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(answer)
        .map_err(|error| format!("its answer is not UTF-8 ({error}): {}", beginning(answer)))?;
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("its answer is not JSON ({error}): {}", beginning(answer)))?;
    if value["id"] != id {
        return Err(format!("its answer has the id {}, not {id}: {}", value["id"], beginning(answer)));
    }
    Ok(value)
}

pub(crate) fn beginning(answer: &[u8]) -> String {
    String::from_utf8_lossy(&answer[..answer.len().min(200)]).trim_end().to_owned()
}

pub(crate) fn shown(answer: &Value) -> String {
    beginning(answer.to_string().as_bytes())
}

/// Keeps the last of what a program prints; all of it is read.
async fn hear(mut printed: impl AsyncRead + Unpin, heard: Arc<Mutex<Vec<u8>>>) {
    let mut piece = vec![0; 8192];
    while let Ok(n @ 1..) = printed.read(&mut piece).await {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.extend_from_slice(&piece[..n]);
        let over = heard.len().saturating_sub(HEARD_BYTES);
        heard.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_one_word_and_is_not_read_again() {
        let values = [("{goal}", "say {mcp_url}; rm -rf /"), ("{mcp_url}", "http://127.0.0.1:1/mcp")];
        assert_eq!(filled("--goal={goal}", &values), "--goal=say {mcp_url}; rm -rf /");
        assert_eq!(filled("{mcp_url}|{goal}|{mcp_url}", &values).matches("http").count(), 2);
        assert_eq!(filled("{other} {}", &values), "{other} {}");
    }
}
