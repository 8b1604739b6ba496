//! The driver in a process of its own, for its libraries know only the display of their environment.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod protocol;

use std::time::Duration;

use protocol::{Answer, Ask, Failed, Saw};
use waldo_devices::{Capture, Deadline, Device, DeviceError, ResetTo};
use waldo_portable::{PortableDevice, PortableOptions, monitors};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

fn device(monitor: Option<String>) -> PortableDevice {
    PortableDevice::new(PortableOptions { monitor, ..PortableOptions::default() })
}

/// Carries out what is asked, line by line.
#[tokio::main]
async fn main() {
    let mut driven = device(None);
    for line in std::io::stdin().lines() {
        let answer = match serde_json::from_str(&line.unwrap()).unwrap() {
            Ask::Reset { policy, start, monitor } => {
                driven = device(monitor);
                let to = ResetTo { policy, start, ..ResetTo::default() };
                driven.reset(&to, soon()).await.map(|()| serde_json::Value::Null)
            }
            Ask::Look { picture, within } => {
                driven.observe(Capture::All, Deadline::after(within)).await.map(|seen| {
                    seen.picture.pixels().save(picture).unwrap();
                    let saw = Saw { elements: seen.elements, context: seen.context, geometry: seen.geometry };
                    serde_json::json!(saw)
                })
            }
            Ask::Act { action } => {
                driven.perform(&action, soon()).await.map(|report| serde_json::json!(report))
            }
            Ask::Monitors => monitors(soon()).await.map(|names| serde_json::json!(names)),
            Ask::Close => driven.close(soon()).await.map(|()| serde_json::Value::Null),
        };
        let failed = |error: DeviceError| {
            let (told, fault) = (error.to_string(), format!("{:?}", error.fault()));
            Failed { told, fault, is_agents_mistake: error.is_agents_mistake() }
        };
        let answer: Answer = answer.map_err(failed);
        println!("{}", serde_json::to_string(&answer).unwrap());
    }
}
