//! Closed shadow trees: the browser hands them to the worlds of their documents, where scripts cannot find them. That
//! holds for declared ones too, and no page can see it.
//!
//! What is looked for is told apart cheaply: the browser counts all elements, and the world those that it knows. Counting reads
//! all text of the documents, so it is done only where they have changed.

use serde_json::{Value, json};

use super::cdp::{SessionId, text};
use super::elements::ElementFrame;
use super::live::{BrowserSession, PageAnswer};
use super::script::{CallError, RawError};
use super::state::{Front, Searched};
use waldo_devices::{Deadline, DeviceError, Result};

/// What every element is found by, and no text but one that shows markup.
const ANY: &str = "</";
/// Closed trees of one page that are handed over.
const MOST: usize = 500;

impl BrowserSession {
    /// Hands over the closed shadow trees of all documents of a frame's process, where there are new ones. For frames
    /// that share the process of the one around them, which was asked before, it does nothing.
    pub(crate) async fn hand_over_closed(
        &self,
        front: &Front,
        place: &ElementFrame,
        deadline: Deadline,
    ) -> Result<PageAnswer<()>> {
        let own = self.tab(front, |tab| {
            tab.children.iter().find(|(_, frame)| **frame == place.frame).map(|(session, _)| session.clone())
        });
        let session = match own.flatten() {
            Some(session) => session,
            None if place.frame == front.target => front.session.clone(),
            None => return Ok(PageAnswer::Done(())),
        };
        match self.hand_over(front, place, &session, deadline).await {
            Ok(PageAnswer::Dialog) => Ok(PageAnswer::Dialog),
            // What goes meanwhile is nothing to look at; the gathering that follows tells of the rest.
            Ok(PageAnswer::Done(())) | Err(DeviceError::Call { .. }) => Ok(PageAnswer::Done(())),
            Err(error) => Err(error),
        }
    }

    async fn hand_over(
        &self,
        front: &Front,
        place: &ElementFrame,
        session: &SessionId,
        deadline: Deadline,
    ) -> Result<PageAnswer<()>> {
        let target = &front.target;
        let ask = |method, params| async move {
            let answer = self.raw(target, session, method, params, deadline).await;
            answer.map_err(|error| match error {
                RawError::Crashed(what) => DeviceError::Crashed { what },
                RawError::Cdp(error) => error.on(method),
            })
        };
        let changes = "__waldo.mark()[0]";
        let (nodes, changes) = tokio::join!(
            ask("Memory.getDOMCounters", json!({})),
            self.evaluate(target, &place.frame, &place.parent, changes, deadline),
        );
        let now = match (nodes, changes) {
            (Ok(PageAnswer::Done(counted)), Ok(PageAnswer::Done(changes))) => self.tab(front, |tab| {
                Searched { navigations: tab.navigations, nodes: counted["nodes"].clone(), changes }
            }),
            _ => None,
        };
        if now.is_some() && now == self.tab(front, |tab| tab.searched.get(session).cloned()).flatten() {
            return Ok(PageAnswer::Done(()));
        }
        let query = json!({ "query": ANY, "includeUserAgentShadowDOM": false });
        // Sent in one go; the browser keeps their order.
        let (_, counted, _) = tokio::join!(
            ask("DOM.enable", json!({})),
            ask("DOM.performSearch", query),
            ask("DOM.disable", json!({})),
        );
        let PageAnswer::Done(counted) = counted? else { return Ok(PageAnswer::Dialog) };
        let total = counted["resultCount"].as_u64().unwrap_or_default();
        let script = |call: &str| format!("__waldo.{call}({total})");
        let lacks = self.evaluate(target, &place.frame, &place.parent, &script("lacks"), deadline).await?;
        match lacks {
            PageAnswer::Done(Value::Bool(true)) => {}
            PageAnswer::Done(_) => {
                self.shared().quietly(|state| {
                    if let (Some(tab), Some(now)) = (state.tab(&front.target), now) {
                        tab.searched.insert(session.clone(), now);
                    }
                });
                return Ok(PageAnswer::Done(()));
            }
            PageAnswer::Dialog => return Ok(PageAnswer::Dialog),
        }
        let (document, _) = tokio::join!(
            ask("DOM.getDocument", json!({ "depth": -1, "pierce": true })),
            ask("DOM.disable", json!({})),
        );
        let PageAnswer::Done(document) = document? else { return Ok(PageAnswer::Dialog) };
        let mut found = Vec::new();
        closed_in(&document["root"], &place.frame, &mut found);
        for (frame, node) in found {
            let world = match self.world(target, &frame, &place.parent, deadline).await {
                Ok(PageAnswer::Done(world)) if world.session == *session => world,
                Ok(PageAnswer::Dialog) => return Ok(PageAnswer::Dialog),
                Ok(PageAnswer::Done(_)) | Err(CallError::Lost) => continue,
                Err(error) => return Err(error.into()),
            };
            let node = json!({ "backendNodeId": node, "executionContextId": world.context });
            // It may be gone.
            let Ok(PageAnswer::Done(root)) = ask("DOM.resolveNode", node).await else { continue };
            let object = text(&root["object"], "objectId");
            let function = "function () { globalThis.__waldo?.adopt?.(this) }";
            let call = json!({ "objectId": object, "functionDeclaration": function });
            let _ = ask("Runtime.callFunctionOn", call).await;
            self.cdp().fire(Some(session), "Runtime.releaseObject", json!({ "objectId": object }));
        }
        let done = self.evaluate(target, &place.frame, &place.parent, &script("adopted"), deadline).await?;
        Ok(match done {
            PageAnswer::Done(_) => PageAnswer::Done(()),
            PageAnswer::Dialog => PageAnswer::Dialog,
        })
    }
}

/// The closed shadow trees below a node, with the frames of their documents.
fn closed_in(node: &Value, frame: &str, found: &mut Vec<(String, i64)>) {
    if found.len() >= MOST {
        return;
    }
    let below = |name: &str| node[name].as_array().into_iter().flatten();
    for root in below("shadowRoots") {
        if root["shadowRootType"] == "closed" {
            found.extend(root["backendNodeId"].as_i64().map(|id| (frame.to_owned(), id)));
        }
        closed_in(root, frame, found);
    }
    for child in below("children") {
        closed_in(child, frame, found);
    }
    if let Some(document) = node.get("contentDocument") {
        closed_in(document, text(node, "frameId"), found);
    }
}
