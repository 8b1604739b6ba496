//! QEMU's machine protocol (QMP): commands with ids and their answers over a Unix socket, and events between them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec};
use waldo_devices::{Deadline, DeviceError, Result};

/// The longest line that is read; QEMU's own are far below.
const LINE: usize = 1 << 20;
/// Between two tries of a socket that is about to be there.
const LOOK: Duration = Duration::from_millis(20);

type Answer = Result<Value, String>;
type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Answer>>>>;

/// What happened to the machine since it was started.
#[derive(Clone, Debug, Default)]
struct Happened {
    events: u64,
    /// Why it is over, where it is.
    end: Option<String>,
}

#[derive(Debug)]
pub struct Qmp {
    to: tokio::sync::Mutex<FramedWrite<OwnedWriteHalf, LinesCodec>>,
    waiting: Waiting,
    happened: watch::Receiver<Happened>,
    next: AtomicU64,
    reader: JoinHandle<()>,
}

impl Drop for Qmp {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

fn failed(call: &str, message: impl Into<String>) -> DeviceError {
    DeviceError::Call { call: format!("{call} of the virtual machine"), message: message.into() }
}

impl Qmp {
    /// Connects as soon as somebody listens, as long as `lives`, and agrees on the protocol.
    ///
    /// # Errors
    /// [`DeviceError::Timeout`], and [`DeviceError::Gone`] where QEMU ended meanwhile.
    pub async fn connect(
        socket: &Path,
        deadline: Deadline,
        mut lives: impl FnMut() -> Result<()>,
    ) -> Result<Self> {
        let within = deadline.left();
        let mut looks = tokio::time::interval(LOOK);
        let stream = loop {
            looks.tick().await;
            match UnixStream::connect(socket).await {
                Ok(stream) => break stream,
                Err(_) => lives()?,
            }
            if deadline.passed() {
                return Err(DeviceError::Timeout { what: "QEMU".to_owned(), after: within });
            }
        };
        let (from, to) = stream.into_split();
        let (tell, happened) = watch::channel(Happened::default());
        let waiting = Waiting::default();
        let from = FramedRead::new(from, LinesCodec::new_with_max_length(LINE));
        let qmp = Self {
            to: tokio::sync::Mutex::new(FramedWrite::new(to, LinesCodec::new())),
            reader: tokio::spawn(read(from, waiting.clone(), tell)),
            waiting,
            happened,
            next: AtomicU64::new(1),
        };
        qmp.ask("qmp_capabilities", json!({}), deadline).await?;
        Ok(qmp)
    }

    /// Why the machine is over; nothing while it is not.
    pub fn end(&self) -> Option<String> {
        self.happened.borrow().end.clone()
    }

    fn gone(reason: &str) -> DeviceError {
        DeviceError::Gone { reason: format!("the virtual machine is gone: {reason}") }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// [`DeviceError::Call`] with what QEMU says against it, [`DeviceError::Timeout`], and [`DeviceError::Gone`].
    pub async fn ask(&self, command: &str, arguments: Value, deadline: Deadline) -> Result<Value> {
        let within = deadline.left();
        if let Some(end) = self.end() {
            return Err(Self::gone(&end));
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, answer);
        let line = json!({ "execute": command, "arguments": arguments, "id": id }).to_string();
        let both = async {
            let sent = self.to.lock().await.send(line).await;
            sent.map_err(|error| Self::gone(&error.to_string()))?;
            let answer = answered.await;
            answer
                .map_err(|_| Self::gone(&self.end().unwrap_or_else(|| "QEMU ended".to_owned())))?
                .map_err(|said| failed(command, said))
        };
        let asked = tokio::time::timeout_at(deadline.instant(), both).await;
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        asked.map_err(|_| DeviceError::timeout(format!("{command} of the virtual machine"), within))?
    }

    /// Does a job, and waits for its end.
    ///
    /// # Errors
    /// Those of [`Qmp::ask`], and what the job itself failed of.
    pub async fn job(&self, command: &str, mut arguments: Value, deadline: Deadline) -> Result<()> {
        let within = deadline.left();
        let id = format!("waldo-{}", self.next.fetch_add(1, Ordering::Relaxed));
        arguments["job-id"] = id.as_str().into();
        let mut happened = self.happened.clone();
        self.ask(command, arguments, deadline).await?;
        loop {
            happened.borrow_and_update();
            let jobs = self.ask("query-jobs", json!({}), deadline).await?;
            let job = jobs.as_array().and_then(|jobs| jobs.iter().find(|job| job["id"] == id.as_str()));
            let Some(job) = job else { return Err(failed(command, "its job is gone")) };
            if job["status"] == "concluded" {
                let error = job["error"].as_str().map(str::to_owned);
                self.ask("job-dismiss", json!({ "id": id }), deadline).await?;
                return error.map_or(Ok(()), |error| Err(failed(command, error)));
            }
            // Each change of a job is an event.
            let changed = tokio::time::timeout_at(deadline.instant(), happened.changed()).await;
            if changed.is_err() {
                return Err(DeviceError::Timeout { what: command.to_owned(), after: within });
            }
        }
    }
}

async fn read(
    mut from: FramedRead<OwnedReadHalf, LinesCodec>,
    waiting: Waiting,
    tell: watch::Sender<Happened>,
) {
    let last = loop {
        let line = match from.next().await {
            None => break "QEMU ended".to_owned(),
            Some(Err(error)) => break format!("QEMU says what cannot be read: {error}"),
            Some(Ok(line)) => line,
        };
        let Ok(said) = serde_json::from_str::<Value>(&line) else {
            break "QEMU's answer is not JSON".to_owned();
        };
        if let Some(id) = said["id"].as_u64() {
            let answer = match said.get("error") {
                None => Ok(said["return"].clone()),
                Some(error) => Err(error["desc"].as_str().unwrap_or("no reason is given").to_owned()),
            };
            let waits = waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            if let Some(waits) = waits {
                let _ = waits.send(answer);
            }
        } else if let Some(event) = said["event"].as_str() {
            let end = match event {
                "GUEST_PANICKED" => Some("its system panicked".to_owned()),
                "SHUTDOWN" => Some(format!(
                    "it was shut down ({})",
                    said["data"]["reason"].as_str().unwrap_or("no reason is given")
                )),
                _ => None,
            };
            tell.send_modify(|happened| {
                happened.events += 1;
                happened.end = happened.end.take().or(end);
            });
        }
    };
    tell.send_modify(|happened| happened.end = happened.end.take().or(Some(last)));
    waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::UnixListener;

    use super::*;

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(5))
    }

    /// A QEMU that answers each line by what `answer` makes of command and id.
    async fn against(answer: fn(&str, u64) -> String) -> (tempfile::TempDir, Result<Qmp>) {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("qmp")).unwrap();
        tokio::spawn(async move {
            let (from, mut to) = listener.accept().await.unwrap().0.into_split();
            to.write_all(b"{\"QMP\":{\"version\":{}}}\n").await.unwrap();
            let mut lines = BufReader::new(from).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let asked: Value = serde_json::from_str(&line).unwrap();
                let said = answer(asked["execute"].as_str().unwrap(), asked["id"].as_u64().unwrap());
                if to.write_all(said.as_bytes()).await.is_err() || said.is_empty() {
                    return;
                }
            }
        });
        let qmp = Qmp::connect(&folder.path().join("qmp"), soon(), || Ok(())).await;
        (folder, qmp)
    }

    #[tokio::test]
    async fn answers_errors_and_events_are_told_apart() {
        let (_folder, qmp) = against(|command, id| match command {
            "bad" => format!("{{\"error\":{{\"desc\":\"no such thing\"}},\"id\":{id}}}\n"),
            "panic" => format!("{{\"event\":\"GUEST_PANICKED\"}}\n{{\"return\":7,\"id\":{id}}}\n"),
            _ => format!("{{\"event\":\"RESUME\"}}\n{{\"return\":{{\"is\":\"{command}\"}},\"id\":{id}}}\n"),
        })
        .await;
        let qmp = qmp.unwrap();
        assert_eq!(qmp.ask("query-status", json!({}), soon()).await.unwrap()["is"], "query-status");
        let bad = qmp.ask("bad", json!({}), soon()).await.unwrap_err().to_string();
        assert!(bad.contains("no such thing"), "{bad}");
        assert_eq!(qmp.end(), None);
        assert_eq!(qmp.ask("panic", json!({}), soon()).await.unwrap(), 7);
        assert!(matches!(qmp.ask("query-status", json!({}), soon()).await, Err(DeviceError::Gone { .. })));
    }

    #[tokio::test]
    async fn silence_floods_and_ends_are_errors() {
        let greets = |command: &str, id: u64| match command {
            "qmp_capabilities" => format!("{{\"return\":{{}},\"id\":{id}}}\n"),
            "flood" => "x".repeat(2 * LINE) + "\n",
            "end" => String::new(),
            _ => "{\"event\":\"RESUME\"}\n".to_owned(),
        };
        let (_folder, qmp) = against(greets).await;
        let qmp = qmp.unwrap();
        let short = Deadline::after(Duration::from_millis(50));
        assert!(matches!(qmp.ask("silent", json!({}), short).await, Err(DeviceError::Timeout { .. })));
        let flood = qmp.ask("flood", json!({}), soon()).await.unwrap_err().to_string();
        assert!(flood.contains("cannot be read"), "{flood}");
        let (_folder, qmp) = against(greets).await;
        assert!(matches!(qmp.unwrap().ask("end", json!({}), soon()).await, Err(DeviceError::Gone { .. })));
    }
}
