//! What a demonstration's folder says of itself, and where its files lie.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use waldo_devices::Platform;
use waldo_devices::foreign::PathName;

pub(super) const SCREENS: &str = "screens";
/// Trees of a phone's screens.
pub(super) const XML: &str = "xml";
pub(super) const PARTS: [&str; 5] = [SCREENS, "labeled_screenshots", "raw_screenshots", "elements", XML];

pub(super) const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoInfo {
    pub format: u32,
    /// Its name, in the names of AppAgent's files.
    #[serde(deserialize_with = "PathName::text")]
    pub name: String,
    pub app: String,
    /// The task in words; may be empty.
    pub goal: String,
    pub platform: Platform,
    pub product: String,
    /// What it started with: an address, an app, or a task of a suite. Null where that is not known.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub start: serde_json::Value,
    pub started: Timestamp,
    /// When it was stopped; until then it may go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}

impl DemoInfo {
    pub fn new(name: &str, app: &str, goal: &str, platform: Platform, product: &str) -> Self {
        Self {
            format: FORMAT,
            name: plain(name),
            app: app.to_owned(),
            goal: goal.to_owned(),
            platform,
            product: product.to_owned(),
            start: serde_json::Value::Null,
            started: Timestamp::now(),
            ended: None,
        }
    }

    /// What names the demonstration in the documentation's history: its name may be used again.
    pub fn id(&self) -> String {
        format!("{} of {}", self.name, self.started.strftime("%Y-%m-%d %H:%M:%S"))
    }
}

fn plain(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    name.chars().map(safe).take(120).collect()
}
