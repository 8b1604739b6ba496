//! A client of a session: one connection, one message a line.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use waldo_tasks::suite::problem::suggest;

use super::place::{SessionPlace, failed};
use crate::cli::CliError;

/// The longest that a call takes: an action with all of its waits is done long before.
const CALL: Duration = Duration::from_secs(300);
/// The longest that a session takes to end.
const END: Duration = Duration::from_secs(60);

pub(super) struct SessionLink {
    name: String,
    input: BufReader<OwnedReadHalf>,
    output: OwnedWriteHalf,
    asked: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct SessionTool {
    pub(super) name: String,
    pub(super) description: String,
    /// In their order.
    pub(super) parameters: Vec<String>,
}

impl SessionLink {
    pub(super) async fn to(place: &SessionPlace) -> Result<Self, CliError> {
        let name = place.name().to_owned();
        let stream = UnixStream::connect(place.socket()).await.map_err(|_| {
            CliError::Input(format!(
                "there is no session '{name}': start it with waldo open --session {name}"
            ))
        })?;
        let (input, output) = stream.into_split();
        let mut link = Self { name, input: BufReader::new(input), output, asked: 0 };
        let client = json!({ "name": "waldo", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        link.ask("initialize", hello).await?;
        link.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(link)
    }

    fn ended(&self) -> CliError {
        CliError::Input(format!("the session '{}' has ended: start it again with waldo open", self.name))
    }

    fn late(&self, what: &str, within: Duration) -> CliError {
        let what = format!("the session '{}' did not {what} within {within:?}", self.name);
        CliError::Io { what, source: std::io::ErrorKind::TimedOut.into() }
    }

    async fn send(&mut self, message: &Value) -> Result<(), CliError> {
        let line = format!("{message}\n");
        self.output.write_all(line.as_bytes()).await.map_err(|_| self.ended())
    }

    async fn ask(&mut self, method: &str, params: Value) -> Result<Value, CliError> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        let answered = tokio::time::timeout(CALL, self.answer(id)).await;
        let message = answered.map_err(|_| self.late("answer", CALL))??;
        match message.get("error") {
            Some(error) => {
                Err(CliError::Input(error["message"].as_str().unwrap_or("it was refused").to_owned()))
            }
            None => Ok(message["result"].clone()),
        }
    }

    async fn answer(&mut self, id: u64) -> Result<Value, CliError> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.input.read_line(&mut line).await.unwrap_or(0) == 0 {
                return Err(self.ended());
            }
            let message: Value = serde_json::from_str(&line)
                .map_err(|error| CliError::Internal(format!("what the session said: {error}")))?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    /// Calls a tool; an action that was refused is a result that says so.
    pub(super) async fn call(
        &mut self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, CliError> {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    pub(super) async fn tools(&mut self) -> Result<Vec<SessionTool>, CliError> {
        let listed = self.ask("tools/list", json!({})).await?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let tools = listed["tools"].as_array().into_iter().flatten().map(|tool| {
            let properties = tool["inputSchema"]["properties"].as_object();
            SessionTool {
                name: text(&tool["name"]),
                description: text(&tool["description"]),
                parameters: properties.into_iter().flatten().map(|(name, _)| name.clone()).collect(),
            }
        });
        Ok(tools.collect())
    }

    /// The arguments of a call: values by NAME=VALUE, the others in the order of the tool's parameters.
    pub(super) async fn arguments(
        &mut self,
        tool: &str,
        values: &[String],
    ) -> Result<Map<String, Value>, CliError> {
        if values.is_empty() {
            return Ok(Map::new());
        }
        let tools = self.tools().await?;
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let Some(known) = tools.iter().find(|known| known.name == tool) else {
            return Err(CliError::Input(format!(
                "the session has no tool '{tool}'; {}",
                suggest(tool, &names)
            )));
        };
        named(known, values).map_err(CliError::Input)
    }

    pub(super) async fn end(&self) -> Result<(), CliError> {
        let stream = self.output.as_ref();
        let peer = stream.peer_cred().ok().and_then(|peer| Pid::from_raw(peer.pid()?));
        let process = peer.ok_or_else(|| self.ended())?;
        let gone = pidfd_open(process, PidfdFlags::empty())
            .and_then(|fd| kill_process(process, Signal::TERM).map(|()| fd))
            .map_err(std::io::Error::from)
            .map_err(failed("end", std::path::Path::new(&self.name)))?;
        let limit = Timespec { tv_sec: END.as_secs().cast_signed(), tv_nsec: 0 };
        let ended = tokio::task::spawn_blocking(move || {
            poll(&mut [PollFd::new(&gone, PollFlags::IN)], Some(&limit)).is_ok_and(|ready| ready > 0)
        });
        if ended.await.unwrap_or(false) { Ok(()) } else { Err(self.late("end", END)) }
    }
}

fn named(tool: &SessionTool, values: &[String]) -> Result<Map<String, Value>, String> {
    let mut given = Map::new();
    let mut rest = tool.parameters.iter();
    for text in values {
        let by_name = text.split_once('=').filter(|(name, _)| tool.parameters.iter().any(|one| one == name));
        let (name, text) = match by_name {
            Some((name, text)) => (name.to_owned(), text),
            None => match rest.find(|name| !given.contains_key(*name)) {
                Some(name) => (name.clone(), text.as_str()),
                None => {
                    let takes = tool.parameters.join(", ");
                    return Err(format!("{} takes {takes}; '{text}' is one too many", tool.name));
                }
            },
        };
        // Places and lists are JSON; numbers are read by the tool, which knows what it wants.
        let value = match text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text)) {
            Some(Ok(value)) => value,
            _ => Value::String(text.to_owned()),
        };
        given.insert(name, value);
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_by_name_or_in_order() {
        let parameters = ["element", "text", "clear"].map(str::to_owned).to_vec();
        let tool = SessionTool { name: "fill".to_owned(), description: String::new(), parameters };
        let of = |values: &[&str]| {
            let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
            named(&tool, &values).map(Value::Object)
        };
        assert_eq!(of(&["3", "Ada"]), Ok(json!({ "element": "3", "text": "Ada" })));
        assert_eq!(of(&["text=a=b", "3"]), Ok(json!({ "text": "a=b", "element": "3" })));
        // What is named like no parameter is a text.
        assert_eq!(of(&["3", "x=1"]), Ok(json!({ "element": "3", "text": "x=1" })));
        assert_eq!(of(&["{\"x\": 1}"]), Ok(json!({ "element": { "x": 1 } })));
        assert_eq!(of(&["{not json"]), Ok(json!({ "element": "{not json" })));
        assert!(of(&["1", "2", "3", "4"]).unwrap_err().contains("one too many"));
    }
}
