//! What a test and the driver in its child process say to each other, line by line.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waldo_devices::{Action, Context, Element, Geometry, GuardPolicy};

#[derive(Serialize, Deserialize)]
pub enum Ask {
    Reset { policy: GuardPolicy, start: String, monitor: Option<String> },
    Look { picture: PathBuf, within: Duration },
    Act { action: Action },
    Monitors,
    Close,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Saw {
    pub elements: Vec<Element>,
    pub context: Context,
    pub geometry: Geometry,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Failed {
    pub told: String,
    pub fault: String,
    pub is_agents_mistake: bool,
}

pub type Answer = Result<serde_json::Value, Failed>;
