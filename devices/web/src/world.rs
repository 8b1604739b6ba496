//! Scripts in the isolated worlds of frames, where the page can neither see nor change them.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::cdp::{CdpError, SessionId, text};
use super::live::{Answer, Live};
use super::state::World;
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;

/// The world's name.
pub(crate) const WORLD: &str = "waldo";

/// What runs in every frame's world from its start.
pub(crate) static LIBRARY: LazyLock<String> = LazyLock::new(|| {
    concat!(
        include_str!("activity.js"),
        "\n",
        include_str!("names.js"),
        "\n",
        include_str!("kinds.js"),
        "\n",
        include_str!("texts.js"),
        "\n",
        include_str!("elements.js")
    )
    .replace("__LISTENS__", &LISTENS)
});

/// What runs in the page's own world of every frame, before its scripts and with the console's helpers: it
/// tells [`LIBRARY`] which elements listen.
pub(crate) static LISTENERS: LazyLock<String> =
    LazyLock::new(|| include_str!("listeners.js").replace("__LISTENS__", &LISTENS));

/// The name of the event by which the two talk: one that no page can guess.
static LISTENS: LazyLock<String> = LazyLock::new(|| {
    let random = || RandomState::new().hash_one(std::process::id());
    format!("e{:016x}{:016x}", random(), random())
});

/// Stands for a world whose library is missing.
const MISSING: &str = "\u{1}missing";

impl Live {
    /// Evaluates `script` (an expression over `__waldo`) in the world of `frame`, which is a frame of
    /// `parent`'s process unless it has a session of its own. Survives one navigation under way.
    pub(crate) async fn evaluate(
        &self,
        target: &str,
        frame: &str,
        parent: &SessionId,
        script: &str,
        deadline: Deadline,
    ) -> Result<Answer<Value>, DeviceError> {
        let wrapped = format!("globalThis.__waldo&&__waldo.collect?({script}):'\\u0001missing'");
        let mut tries = 0;
        loop {
            tries += 1;
            let result = self.evaluate_once(target, frame, parent, &wrapped, deadline).await;
            match result {
                Ok(Answer::Done(value)) if value.as_str() == Some(MISSING) && tries < 4 => {
                    let installed = self.evaluate_once(target, frame, parent, &LIBRARY, deadline).await;
                    if let Ok(Answer::Dialog) = installed {
                        return Ok(Answer::Dialog);
                    }
                }
                Err(CallError::Lost) if tries < 4 && !deadline.passed() => {
                    self.shared().update(|state| {
                        if let Some(tab) = state.tab(target) {
                            tab.worlds.remove(frame);
                        }
                    });
                }
                Ok(answer) => return Ok(answer),
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn evaluate_once(
        &self,
        target: &str,
        frame: &str,
        parent: &SessionId,
        script: &str,
        deadline: Deadline,
    ) -> Result<Answer<Value>, CallError> {
        let world = match self.world(target, frame, parent, deadline).await? {
            Answer::Done(world) => world,
            Answer::Dialog => return Ok(Answer::Dialog),
        };
        let params = json!({
            "expression": script, "contextId": world.context, "returnByValue": true, "awaitPromise": true,
        });
        let answer = self.raw(target, &world.session, "Runtime.evaluate", params, deadline).await;
        let mut value = match answer.map_err(CallError::from_raw)? {
            Answer::Done(value) => value,
            Answer::Dialog => return Ok(Answer::Dialog),
        };
        if let Some(details) = value.get("exceptionDetails") {
            let thrown = text(&details["exception"], "description");
            return Err(CallError::Device(DeviceError::Call {
                call: "script".to_owned(),
                message: thrown.to_owned(),
            }));
        }
        Ok(Answer::Done(value["result"].get_mut("value").map(Value::take).unwrap_or_default()))
    }

    /// The isolated world of `frame`.
    pub(crate) async fn world(
        &self,
        target: &str,
        frame: &str,
        parent: &SessionId,
        deadline: Deadline,
    ) -> Result<Answer<World>, CallError> {
        let (known, session) = self.shared().with(|state| {
            let tab = state.tabs.iter().find(|tab| tab.target == target);
            let known = tab.and_then(|tab| tab.worlds.get(frame).cloned());
            let own = tab.and_then(|tab| tab.children.iter().find(|(_, id)| *id == frame));
            (known, own.map_or_else(|| parent.clone(), |(session, _)| session.clone()))
        });
        if let Some(world) = known.filter(|world| world.session == session) {
            return Ok(Answer::Done(world));
        }
        let params = json!({ "frameId": frame, "worldName": WORLD, "grantUniveralAccess": false });
        let answer = self.raw(target, &session, "Page.createIsolatedWorld", params, deadline).await;
        let value = match answer.map_err(CallError::from_raw)? {
            Answer::Done(value) => value,
            Answer::Dialog => return Ok(Answer::Dialog),
        };
        let context = value["executionContextId"].as_i64().unwrap_or_default();
        let world = World { session, context };
        self.shared().update(|state| {
            if let Some(tab) = state.tab(target) {
                tab.worlds.insert(frame.to_owned(), world.clone());
            }
        });
        Ok(Answer::Done(world))
    }
}

/// Why a script did not run.
pub(crate) enum CallError {
    /// Its world or frame is gone: a navigation came between.
    Lost,
    /// Anything else.
    Device(DeviceError),
}

impl CallError {
    pub(crate) fn from_raw(error: RawError) -> Self {
        match error {
            RawError::Crashed(what) => Self::Device(DeviceError::Crashed { what }),
            RawError::Cdp(CdpError::Remote(message))
                if ["context", "navigated", "No frame", "Frame", "frame", "Promise was collected"]
                    .iter()
                    .any(|word| message.contains(word)) =>
            {
                Self::Lost
            }
            RawError::Cdp(CdpError::Detached) => Self::Lost,
            RawError::Cdp(error) => Self::Device(error.on("script")),
        }
    }
}

impl From<CallError> for DeviceError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Lost => {
                Self::Call { call: "script".to_owned(), message: "the page navigated away".to_owned() }
            }
            CallError::Device(error) => error,
        }
    }
}

/// Why a call to a tab failed.
pub(crate) enum RawError {
    /// The tab's page crashed.
    Crashed(String),
    /// The protocol's own failure.
    Cdp(CdpError),
}
