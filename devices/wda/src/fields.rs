//! Fields: they are pressed, and then asked for as what has the keyboard, since a tree gives no handle that WebDriver takes.

use serde_json::json;

use super::agent::WdaServer;
use super::device::WdaDevice;
use super::keys::characters;
use super::touch::{Finger, actions};
use waldo_devices::action::{Clicks, Effect};
use waldo_devices::device::Deadline;
use waldo_devices::element::{Element, ElementRef};
use waldo_devices::error::DeviceError;

impl WdaDevice {
    /// The element that a handle of the last observation stands for.
    pub(crate) fn element(&self, handle: &ElementRef) -> Result<&Element, DeviceError> {
        let found = self.seen.elements.iter().find(|element| element.handle == *handle);
        found.ok_or_else(|| DeviceError::StaleElement { what: format!("{} (look again)", handle.0) })
    }

    /// Types into what has the keyboard.
    pub(crate) async fn type_text(&self, text: &str, deadline: Deadline) -> Result<(), DeviceError> {
        self.server.act(self.session()?, "wda/keys", &json!({ "value": characters(text) }), deadline).await
    }

    /// Empties a field, and types into it.
    pub(crate) async fn fill(
        &self,
        handle: &ElementRef,
        text: Option<&str>,
        deadline: Deadline,
    ) -> Result<Effect, DeviceError> {
        let element = self.element(handle)?;
        let at = self.screen.to_native(element.hit);
        let session = self.session()?;
        if !element.states.focused {
            let tap = actions(&[Finger::tap(at, Clicks::Single)]);
            self.server.act(session, "actions", &tap, deadline).await?;
        }
        let field = self.server.focused(session, deadline).await?;
        self.server.act(session, &format!("element/{field}/clear"), &json!({}), deadline).await?;
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.type_text(text, deadline).await?;
        }
        // What is told of a secure field says nothing.
        let now = value(&self.server, self, &field, deadline).await?;
        let is_secret = element.value.as_deref().is_some_and(|value| value.starts_with('•'));
        Ok(match (now.as_deref(), text.unwrap_or_default()) {
            (Some(now), wanted) if now == wanted => {
                let what = if wanted.is_empty() { "the field is empty" } else { "the field holds the text" };
                Effect::Confirmed { evidence: what.to_owned() }
            }
            (None, "") => Effect::Confirmed { evidence: "the field is empty".to_owned() },
            _ if is_secret => Effect::Unverifiable,
            (now, _) if now == element.value.as_deref() => Effect::SuspectedNoop,
            _ => Effect::Unverifiable,
        })
    }
}

/// What a field holds: nothing where that is its placeholder.
async fn value(
    server: &WdaServer,
    device: &WdaDevice,
    field: &str,
    deadline: Deadline,
) -> Result<Option<String>, DeviceError> {
    let session = device.session()?;
    let holds = server.attribute(session, field, "value", deadline).await?;
    let placeholder = server.attribute(session, field, "placeholderValue", deadline).await?;
    Ok(holds.filter(|holds| Some(holds) != placeholder.as_ref() && !holds.is_empty()))
}
