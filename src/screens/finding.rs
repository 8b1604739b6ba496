//! What `waldo devices` lists, and what `waldo doctor` finds.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use super::error::ScreenError;

/// The most characters of what somebody else says.
const TOLD: usize = 400;

/// A device, or why there is none of its kind.
pub struct DeviceEntry {
    pub platform: &'static str,
    pub text: String,
    pub json: Value,
    /// Why there is none, for a command that asked for this very one.
    pub error: Option<ScreenError>,
}

impl DeviceEntry {
    /// A device, as `--device` takes it, and whether it is ready.
    pub fn new(platform: &'static str, product: &str, device: &str, ready: bool) -> Self {
        let json = json!({ "platform": platform, "product": product, "ready": ready, "device": device });
        Self { platform, text: format!("{product}  --device {device}"), json, error: None }
    }

    /// A kind of which there is none here: the reason, and what would fix it.
    pub fn none(platform: &'static str, device: &str, why: &str) -> Self {
        let json = json!({ "platform": platform, "device": device, "ready": false, "error": why });
        Self { platform, text: format!("none: {why}"), json, error: None }
    }
}

#[derive(Debug, Serialize)]
pub struct Finding {
    pub what: &'static str,
    pub ok: bool,
    pub found: String,
    /// What cannot be done without it; the rest can, so that its absence is not a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Cow<'static, str>>,
}

impl Finding {
    /// What was found, or the error and how to fix it.
    pub fn of<T: ToString, E: ToString>(what: &'static str, found: Result<T, E>, hint: &'static str) -> Self {
        match found {
            Ok(found) => Self::note(what, found.to_string()),
            Err(e) => Self { what, ok: false, found: e.to_string(), costs: None, hint: Some(hint.into()) },
        }
    }

    /// The same of what others say, in one line of bounded length.
    #[allow(dead_code, reason = "a build may lack the kinds that ask others")]
    pub fn foreign(what: &'static str, found: Result<String, String>, hint: &'static str) -> Self {
        let brief = |text: String| crate::out::plain(&text, TOLD);
        Self::of(what, found.map(brief).map_err(brief), hint)
    }

    /// Something that is not a fault, whatever it is.
    pub fn note(what: &'static str, found: String) -> Self {
        Self { what, ok: true, found, costs: None, hint: None }
    }

    /// Something that is missing, what cannot be done without it, and how to have it.
    pub fn lacks(
        what: &'static str,
        found: impl Into<String>,
        costs: &'static str,
        hint: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { what, ok: false, found: found.into(), costs: Some(costs), hint: Some(hint.into()) }
    }

    pub fn is_fault(&self) -> bool {
        !self.ok && self.costs.is_none()
    }
}
