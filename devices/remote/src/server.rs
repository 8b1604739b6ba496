//! What the server on the other machine is asked.

use image::RgbImage;
use serde::Deserialize;
use serde_json::{Value, json};

use waldo_devices::{Deadline, DeviceError, Result};
use waldo_http::{OperatingSystem, PICTURE_BYTES, RemoteServer, StatusFault};

const TREE_BYTES: usize = 32 << 20;
/// The most bytes of what a program wrote.
const OUTPUT_BYTES: usize = 16 << 20;
const FILE_BYTES: usize = 256 << 20;
/// The most bytes of an answer that only says something.
const WORD_BYTES: usize = 1 << 20;
/// The most characters of it that an error says again.
const NAME_CHARS: usize = 40;

#[derive(Debug, Deserialize)]
pub(crate) struct CommandResult {
    #[serde(default)]
    pub(crate) output: String,
    #[serde(default)]
    pub(crate) error: String,
    #[serde(default)]
    pub(crate) returncode: i64,
}

/// The server; a clone is cheap.
#[derive(Clone, Debug)]
pub struct OsServer(RemoteServer);

impl OsServer {
    pub fn new(server: RemoteServer) -> Self {
        Self(server)
    }

    pub fn address(&self) -> String {
        self.0.address().to_string()
    }

    pub async fn system(&self, deadline: Deadline) -> Result<OperatingSystem> {
        let bytes = body_of("platform", self.0.get("platform", WORD_BYTES, deadline).await?)?;
        OperatingSystem::of_python(&bytes).ok_or_else(|| {
            let answer = String::from_utf8_lossy(&bytes);
            let start: String = answer.trim().trim_matches('"').chars().take(NAME_CHARS).collect();
            bad("platform", format!("'{start}' is none of Linux, Windows, Darwin"))
        })
    }

    pub async fn screen_size(&self, deadline: Deadline) -> Result<(u32, u32)> {
        let bytes =
            body_of("screen_size", self.0.post("screen_size", &json!({}), WORD_BYTES, deadline).await?)?;
        let said: Value = read("screen_size", &bytes)?;
        let side =
            |key: &str| said[key].as_u64().and_then(|side| u32::try_from(side).ok()).unwrap_or_default();
        let (width, height) = (side("width"), side("height"));
        if width == 0 || height == 0 || u64::from(width) * u64::from(height) > waldo_http::PIXELS_MAX {
            return Err(bad("screen_size", format!("{width}x{height} is not the size of a screen")));
        }
        Ok((width, height))
    }

    pub(crate) async fn screenshot(&self, deadline: Deadline) -> Result<RgbImage> {
        let bytes = body_of("screenshot", self.0.get("screenshot", PICTURE_BYTES, deadline).await?)?;
        waldo_http::decode(&bytes)
    }

    /// What programs tell assistive technology, as XML.
    pub(crate) async fn accessibility(&self, deadline: Deadline) -> Result<String> {
        #[derive(Deserialize)]
        struct Told {
            #[serde(rename = "AT")]
            tree: String,
        }
        let bytes = body_of("accessibility", self.0.get("accessibility", TREE_BYTES, deadline).await?)?;
        read::<Told>("accessibility", &bytes).map(|told| told.tree)
    }

    /// Runs a program to its end, which the server itself bounds at two minutes.
    ///
    /// # Errors
    /// When it could not be run; how it ended is not an error.
    pub(crate) async fn run(&self, command: &[&str], deadline: Deadline) -> Result<CommandResult> {
        let body = json!({ "command": command, "shell": false });
        let bytes = body_of("execute", self.0.post("execute", &body, OUTPUT_BYTES, deadline).await?)?;
        read("execute", &bytes)
    }

    pub(crate) async fn launch(&self, command: &[String], deadline: Deadline) -> Result<()> {
        let body = json!({ "command": command, "shell": false });
        body_of("launch", self.0.post("setup/launch", &body, WORD_BYTES, deadline).await?).map(drop)
    }

    /// A file; `None` where there is none.
    pub(crate) async fn file(&self, path: &str, deadline: Deadline) -> Result<Option<Vec<u8>>> {
        match self.0.post_form("file", &[("file_path", path)], FILE_BYTES, deadline).await? {
            Ok(bytes) => Ok(Some(bytes)),
            Err(StatusFault { code: 404, .. }) => Ok(None),
            Err(status) => body_of("file", Err(status)).map(Some),
        }
    }
}

fn bad(call: &str, message: String) -> DeviceError {
    DeviceError::Call { call: call.to_owned(), message }
}

fn body_of(call: &str, answer: Result<Vec<u8>, StatusFault>) -> Result<Vec<u8>> {
    answer.map_err(|StatusFault { code, said }| bad(call, format!("the server answered {code}: {said}")))
}

fn read<T: serde::de::DeserializeOwned>(call: &str, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes)
        .map_err(|error| bad(call, format!("the answer is not as it should be: {error}")))
}
