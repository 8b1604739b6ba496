//! What a profile says of its vendor's own tool.

use serde::Deserialize;
use waldo_devices::{DeviceInfo, Platform};

use crate::reply::ReplyForm;

/// Lines that end an episode, and the actions of a profile that they come to.
pub(crate) const ENDINGS: [(&str, &str); 3] = [("DONE", "done"), ("FAIL", "fail"), ("PERSON", "call_user")];

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToolRule {
    pub wire: String,
    /// The kinds of devices that it is for.
    on: Vec<Platform>,
    /// Turns that are given back as they were, at the most; of more the older half is told in words.
    pub turns: usize,
}

impl ToolRule {
    pub fn offered(&self, device: &DeviceInfo) -> bool {
        self.on.contains(&device.platform)
    }

    /// What is wrong with a profile that has it, as a fragment.
    pub(crate) fn check(&self, form: ReplyForm, has: impl Fn(&str) -> bool) -> Result<(), String> {
        if form != ReplyForm::Json {
            return Err(
                "a profile with a tool has the reply form json, as which its calls are read".to_owned()
            );
        }
        if self.turns < 2 {
            return Err("the turns of a tool must be 2 at the least".to_owned());
        }
        match ENDINGS.iter().find(|(_, name)| !has(name)) {
            Some((_, name)) => {
                Err(format!("a profile with a tool has the action '{name}', which an episode ends with"))
            }
            None => Ok(()),
        }
    }
}
