//! Scripts in the isolated worlds of frames, where the page can neither see nor change them.

use serde_json::{Value, json};

use super::cdp::{SessionId, text};
use super::live::{BrowserSession, PageAnswer};
use super::script::{CallError, LIBRARY, WORLD};
use super::state::IsolatedWorld;
use waldo_devices::{Deadline, DeviceError};

/// Stands for a world whose library is missing.
const MISSING: &str = "\u{1}missing";

impl BrowserSession {
    /// Evaluates `script` (an expression over `__waldo`) in the world of `frame`, which is a frame of
    /// `parent`'s process unless it has a session of its own. Survives one navigation under way.
    pub(crate) async fn evaluate(
        &self,
        target: &str,
        frame: &str,
        parent: &SessionId,
        script: &str,
        deadline: Deadline,
    ) -> Result<PageAnswer<Value>, DeviceError> {
        let wrapped = format!("globalThis.__waldo&&__waldo.collect?({script}):'\\u0001missing'");
        let mut tries = 0;
        loop {
            tries += 1;
            let result = self.evaluate_once(target, frame, parent, &wrapped, deadline).await;
            match result {
                Ok(PageAnswer::Done(value)) if value.as_str() == Some(MISSING) && tries < 4 => {
                    let installed = self.evaluate_once(target, frame, parent, &LIBRARY, deadline).await;
                    if let Ok(PageAnswer::Dialog) = installed {
                        return Ok(PageAnswer::Dialog);
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
    ) -> Result<PageAnswer<Value>, CallError> {
        let world = match self.world(target, frame, parent, deadline).await? {
            PageAnswer::Done(world) => world,
            PageAnswer::Dialog => return Ok(PageAnswer::Dialog),
        };
        let params = json!({
            "expression": script, "contextId": world.context, "returnByValue": true, "awaitPromise": true,
        });
        let answer = self.raw(target, &world.session, "Runtime.evaluate", params, deadline).await;
        let mut value = match answer.map_err(CallError::from_raw)? {
            PageAnswer::Done(value) => value,
            PageAnswer::Dialog => return Ok(PageAnswer::Dialog),
        };
        if let Some(details) = value.get("exceptionDetails") {
            let thrown = text(&details["exception"], "description");
            return Err(CallError::Device(DeviceError::Call {
                call: "script".to_owned(),
                message: thrown.to_owned(),
            }));
        }
        Ok(PageAnswer::Done(value["result"].get_mut("value").map(Value::take).unwrap_or_default()))
    }

    pub(crate) async fn world(
        &self,
        target: &str,
        frame: &str,
        parent: &SessionId,
        deadline: Deadline,
    ) -> Result<PageAnswer<IsolatedWorld>, CallError> {
        let (known, session) = self.shared().with(|state| {
            let tab = state.tabs.iter().find(|tab| tab.target == target);
            let known = tab.and_then(|tab| tab.worlds.get(frame).cloned());
            let own = tab.and_then(|tab| tab.children.iter().find(|(_, id)| *id == frame));
            (known, own.map_or_else(|| parent.clone(), |(session, _)| session.clone()))
        });
        if let Some(world) = known.filter(|world| world.session == session) {
            return Ok(PageAnswer::Done(world));
        }
        let params = json!({ "frameId": frame, "worldName": WORLD, "grantUniveralAccess": false });
        let answer = self.raw(target, &session, "Page.createIsolatedWorld", params, deadline).await;
        let value = match answer.map_err(CallError::from_raw)? {
            PageAnswer::Done(value) => value,
            PageAnswer::Dialog => return Ok(PageAnswer::Dialog),
        };
        let context = value["executionContextId"].as_i64().unwrap_or_default();
        let world = IsolatedWorld { session, context };
        self.shared().update(|state| {
            if let Some(tab) = state.tab(target) {
                tab.worlds.insert(frame.to_owned(), world.clone());
            }
        });
        Ok(PageAnswer::Done(world))
    }
}
