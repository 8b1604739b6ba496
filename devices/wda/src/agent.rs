//! What WebDriverAgent is asked, in its own words. Its answers are `{"value": …, "sessionId": …}`; an error's value is
//! `{"error", "message", "traceback"}` under a status that is not 200.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::RgbImage;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::tree::{self, PhoneTree};
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;
use waldo_devices::geometry::{Native, Size};
use waldo_devices::screen_text::clean;
use waldo_http::{PICTURE_BYTES, RemoteServer, StatusFault};

/// The most bytes of a tree.
const TREE_BYTES: usize = 32 << 20;
/// The most bytes of an answer that only says something.
const WORD_BYTES: usize = 1 << 20;
/// The most characters of somebody's word that are kept.
const NAME_CHARS: usize = 200;
/// The member by which W3C WebDriver refers to an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// What a phone says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhoneFacts {
    /// `iphone`, `ipad`.
    pub(crate) kind: String,
    /// `iOS 17.4`.
    pub(crate) system: String,
    /// WebDriverAgent's own version; empty where it does not tell.
    pub(crate) version: String,
}

impl PhoneFacts {
    /// Product and version for people.
    pub(crate) fn product(&self) -> String {
        let kind = match self.kind.as_str() {
            "iphone" => "iPhone",
            "ipad" => "iPad",
            other => other,
        };
        format!("{kind}, {} by WebDriverAgent", self.system)
    }
}

/// The app in front.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActiveApp {
    pub(crate) bundle: String,
    pub(crate) name: String,
}

/// The screen, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PhoneScreen {
    pub(crate) points: Size<Native>,
    /// Pixels a point.
    pub(crate) scale: f64,
}

/// A session of WebDriver's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionId(String);

/// WebDriverAgent on a phone; a clone is cheap.
#[derive(Clone, Debug)]
pub struct WdaServer(RemoteServer);

#[derive(Deserialize)]
struct WdaAnswer<T> {
    value: T,
}

impl WdaServer {
    pub fn new(server: RemoteServer) -> Self {
        Self(server)
    }

    pub fn address(&self) -> String {
        self.0.address().to_string()
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        most: usize,
        deadline: Deadline,
    ) -> Result<T, DeviceError> {
        let bytes = body_of(path, self.0.get(path, most, deadline).await?)?;
        read(path, &bytes)
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
        deadline: Deadline,
    ) -> Result<T, DeviceError> {
        let bytes = body_of(path, self.0.post(path, body, WORD_BYTES, deadline).await?)?;
        read(path, &bytes)
    }

    /// What it is.
    ///
    /// # Errors
    /// When nobody answers, what answers is no WebDriverAgent, or it is not ready.
    pub(crate) async fn status(&self, deadline: Deadline) -> Result<PhoneFacts, DeviceError> {
        let said: Value = self.get("status", WORD_BYTES, deadline).await?;
        let word = |value: &Value| clean(value.as_str().unwrap_or_default(), 40);
        let (name, version) = (word(&said["os"]["name"]), word(&said["os"]["version"]));
        if name.is_empty() {
            return Err(bad("status", "it does not say what system it runs on: it is no WebDriverAgent"));
        }
        if said["ready"] == json!(false) {
            return Err(bad("status", "WebDriverAgent is not ready"));
        }
        let kind = match word(&said["device"]) {
            kind if kind.is_empty() => "iphone".to_owned(),
            kind => kind,
        };
        let system = format!("{name} {version}").trim().to_owned();
        Ok(PhoneFacts { kind, system, version: word(&said["build"]["version"]) })
    }

    /// Opens a session on whatever is in front. It ends the one that somebody else had.
    ///
    /// # Errors
    /// When none is given.
    pub(crate) async fn open(&self, deadline: Deadline) -> Result<SessionId, DeviceError> {
        let body = json!({ "capabilities": { "alwaysMatch": {}, "firstMatch": [{}] } });
        let bytes = body_of("session", self.0.post("session", &body, WORD_BYTES, deadline).await?)?;
        let said: Value = serde_json::from_slice(&bytes).map_err(|error| unreadable("session", &error))?;
        let id = said["value"]["sessionId"].as_str().or(said["sessionId"].as_str()).unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if id.is_empty() || id.len() > 100 || !id.chars().all(plain) {
            return Err(bad("session", "it gave no session"));
        }
        Ok(SessionId(id.to_owned()))
    }

    /// Whether the session is still there.
    ///
    /// # Errors
    /// [`DeviceError::Gone`] where it is not.
    pub(crate) async fn keeps(&self, session: &SessionId, deadline: Deadline) -> Result<(), DeviceError> {
        let path = format!("session/{}", session.0);
        match self.0.get(&path, WORD_BYTES, deadline).await? {
            Ok(_) => Ok(()),
            Err(status) => Err(DeviceError::Gone {
                reason: format!("WebDriverAgent has another session, or was started anew ({})", status.code),
            }),
        }
    }

    /// Ends a session, and nothing else.
    pub(crate) async fn end(&self, session: &SessionId, deadline: Deadline) -> Result<(), DeviceError> {
        let path = format!("session/{}", session.0);
        body_of("session", self.0.delete(&path, WORD_BYTES, deadline).await?).map(drop)
    }

    /// The screen's size.
    ///
    /// # Errors
    /// When what it tells is none.
    pub(crate) async fn screen(&self, deadline: Deadline) -> Result<PhoneScreen, DeviceError> {
        let said: Value = self.get("wda/screen", WORD_BYTES, deadline).await?;
        let number = |value: &Value| value.as_f64().filter(|n| n.is_finite() && (1.0..=32_768.0).contains(n));
        let size = &said["screenSize"];
        let told = number(&size["width"]).zip(number(&size["height"])).zip(number(&said["scale"]));
        let ((width, height), scale) =
            told.ok_or_else(|| bad("wda/screen", "it tells no size of its screen"))?;
        Ok(PhoneScreen { points: Size::new(width, height), scale })
    }

    /// The picture.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) async fn picture(&self, deadline: Deadline) -> Result<RgbImage, DeviceError> {
        // Base64 is a third longer, and broken into lines.
        let packed: String = self.get("screenshot", PICTURE_BYTES / 2 * 3, deadline).await?;
        let job = tokio::task::spawn_blocking(move || {
            let lean: Vec<u8> = packed.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let bytes =
                STANDARD.decode(lean).map_err(|error| bad("screenshot", format!("no base64: {error}")))?;
            waldo_http::decode(&bytes)
        });
        job.await?
    }

    /// The tree of the app in front.
    ///
    /// # Errors
    /// When it is none, or larger than it may be.
    pub(crate) async fn tree(&self, deadline: Deadline) -> Result<PhoneTree, DeviceError> {
        let path = "source?format=json";
        let bytes = body_of("source", self.0.get(path, TREE_BYTES, deadline).await?)?;
        let job = tokio::task::spawn_blocking(move || tree::read(&bytes).map_err(|said| bad("source", said)));
        job.await?
    }

    /// The app in front, where it tells.
    pub(crate) async fn active(&self, deadline: Deadline) -> Result<Option<ActiveApp>, DeviceError> {
        let said: Value = self.get("wda/activeAppInfo", WORD_BYTES, deadline).await?;
        let word = |key: &str| clean(said[key].as_str().unwrap_or_default(), NAME_CHARS);
        let bundle = word("bundleId");
        let is_told = !bundle.is_empty() && bundle != "unknown";
        Ok(is_told.then(|| ActiveApp { bundle, name: word("name") }))
    }

    /// Whether the screen is locked.
    pub(crate) async fn is_locked(&self, deadline: Deadline) -> Result<bool, DeviceError> {
        let said: Value = self.get("wda/locked", WORD_BYTES, deadline).await?;
        // A number of older versions.
        Ok(said == json!(true) || said == json!(1))
    }

    /// Wakes the screen and opens it, where no code stands before it.
    pub(crate) async fn unlock(&self, deadline: Deadline) -> Result<(), DeviceError> {
        self.post::<Value>("wda/unlock", &json!({}), deadline).await.map(drop)
    }

    pub(crate) async fn home(&self, deadline: Deadline) -> Result<(), DeviceError> {
        self.post::<Value>("wda/homescreen", &json!({}), deadline).await.map(drop)
    }

    /// The text of the alert that is open, whosever it is.
    pub(crate) async fn alert(&self, deadline: Deadline) -> Result<Option<String>, DeviceError> {
        match self.0.get("alert/text", WORD_BYTES, deadline).await? {
            Ok(bytes) => {
                let text: Option<String> = read("alert/text", &bytes)?;
                Ok(text.map(|text| clean(&text, 2_000)))
            }
            Err(status) if status.said.contains("no such alert") => Ok(None),
            Err(status) => body_of("alert/text", Err(status)).map(|_| None),
        }
    }

    async fn of_session<T: DeserializeOwned>(
        &self,
        session: &SessionId,
        path: &str,
        body: &Value,
        deadline: Deadline,
    ) -> Result<T, DeviceError> {
        let full = format!("session/{}/{path}", session.0);
        let bytes = body_of(path, self.0.post(&full, body, WORD_BYTES, deadline).await?)?;
        read(path, &bytes)
    }

    /// Does something that answers nothing.
    pub(crate) async fn act(
        &self,
        session: &SessionId,
        path: &str,
        body: &Value,
        deadline: Deadline,
    ) -> Result<(), DeviceError> {
        self.of_session::<Value>(session, path, body, deadline).await.map(drop)
    }

    /// Whether an app runs: 1 is not running, 2 to 4 are states of one that does, 4 the front.
    pub(crate) async fn app_state(
        &self,
        session: &SessionId,
        bundle: &str,
        deadline: Deadline,
    ) -> Result<u64, DeviceError> {
        self.of_session(session, "wda/apps/state", &json!({ "bundleId": bundle }), deadline).await
    }

    /// What an element tells of itself; nothing where it has no such attribute.
    pub(crate) async fn attribute(
        &self,
        session: &SessionId,
        element: &str,
        name: &str,
        deadline: Deadline,
    ) -> Result<Option<String>, DeviceError> {
        let path = format!("session/{}/element/{element}/attribute/{name}", session.0);
        match self.0.get(&path, WORD_BYTES, deadline).await? {
            Ok(bytes) => {
                let value: Value = read("element/attribute", &bytes)?;
                Ok(value.as_str().map(str::to_owned))
            }
            Err(StatusFault { code: 400..=499, .. }) => Ok(None),
            Err(status) => body_of("element/attribute", Err(status)).map(|_| None),
        }
    }

    /// The element that has the keyboard.
    ///
    /// # Errors
    /// Where none has.
    pub(crate) async fn focused(
        &self,
        session: &SessionId,
        deadline: Deadline,
    ) -> Result<String, DeviceError> {
        let path = format!("session/{}/element/active", session.0);
        let bytes = body_of("element/active", self.0.get(&path, WORD_BYTES, deadline).await?)?;
        let said: Value = read("element/active", &bytes)?;
        let id = said[ELEMENT].as_str().or(said["ELEMENT"].as_str()).unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if id.is_empty() || id.len() > 100 || !id.chars().all(plain) {
            return Err(bad("element/active", "no element has the keyboard"));
        }
        Ok(id.to_owned())
    }
}

fn bad(call: &str, message: impl Into<String>) -> DeviceError {
    DeviceError::Call { call: call.to_owned(), message: message.into() }
}

fn unreadable(call: &str, error: &serde_json::Error) -> DeviceError {
    bad(call, format!("its answer is not what WebDriverAgent's is: {error}"))
}

/// The answer, or what the server said in its place.
fn body_of(call: &str, answer: Result<Vec<u8>, StatusFault>) -> Result<Vec<u8>, DeviceError> {
    answer.map_err(|StatusFault { code, said }| bad(call, format!("{code}: {}", clean(&said, 300))))
}

fn read<T: DeserializeOwned>(call: &str, bytes: &[u8]) -> Result<T, DeviceError> {
    serde_json::from_slice::<WdaAnswer<T>>(bytes)
        .map(|answer| answer.value)
        .map_err(|error| unreadable(call, &error))
}
