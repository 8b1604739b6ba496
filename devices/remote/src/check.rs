//! What a machine can do for waldo: what `waldo doctor --device osworld:…` asks.
//!
//! Invariant: nothing is pressed, typed, started or set back; the one program that is run there asks Python for its modules.

use std::time::{Duration, Instant};

use waldo_devices::device::{Deadline, Device as _};
use waldo_devices::error::DeviceError;

use super::device::{PYTHONS, RemoteDevice};
use super::options::RemoteOptions;
use super::server::OsServer;
use super::tree;
use waldo_http::OperatingSystem;

/// How long the server may take to say that it is there.
const SAYS_WITHIN: Duration = Duration::from_secs(10);
/// What is asked of Python there.
const MODULES: &str = "import sys, pyautogui; print(sys.version.split()[0], pyautogui.__version__)";

#[derive(Clone, Debug)]
pub struct MachineCheck {
    pub what: &'static str,
    /// What was found, or what is wrong. Either may quote the server, at any length.
    pub found: Result<String, String>,
    pub hint: &'static str,
}

/// Asks the machine for all that an episode asks of it; first whether it answers, and if not, nothing else.
pub async fn check(server: &OsServer, deadline: Deadline) -> Vec<MachineCheck> {
    let began = Instant::now();
    let system = server.system(deadline.at_most(SAYS_WITHIN)).await;
    let took = began.elapsed().as_millis();
    let mut all = vec![MachineCheck {
        what: "machine",
        found: system
            .as_ref()
            .map(|system| format!("{} at {}, answers in {took} ms", system.name(), server.address()))
            .map_err(ToString::to_string),
        hint: "start the server inside the machine, and check that its port (5000) can be reached from here, by ssh -L \
               through a tunnel; docs/remote.md",
    }];
    let Ok(system) = system else { return all };
    all.push(picture(server, deadline).await);
    all.push(elements(server, system, deadline).await);
    all.push(input(server, deadline).await);
    let device = RemoteDevice::new(server.clone(), RemoteOptions::default());
    let named = |capability| serde_json::to_value(capability).ok()?.as_str().map(str::to_owned);
    let mut can: Vec<String> = device.info().capabilities.iter().filter_map(named).collect();
    if system == OperatingSystem::Linux {
        can.push("checks by shell".to_owned());
    }
    all.push(MachineCheck { what: "machine offers", found: Ok(can.join(", ")), hint: "" });
    all
}

async fn picture(server: &OsServer, deadline: Deadline) -> MachineCheck {
    let began = Instant::now();
    let seen = server.screenshot(deadline).await;
    let took = began.elapsed().as_millis();
    let told = server.screen_size(deadline).await;
    let found = seen.map_err(|error| error.to_string()).map(|picture| {
        let seen = picture.dimensions();
        let told = match told {
            Ok(told) if told == seen => String::new(),
            Ok((width, height)) => format!(", of a screen of {width}x{height} as the server says"),
            Err(_) => ", and the server does not tell the screen's size".to_owned(),
        };
        format!("{}x{} px in {took} ms{told}", seen.0, seen.1)
    });
    MachineCheck {
        what: "machine picture",
        found,
        hint: "check that a user is logged in there, that the session is X11 and not locked, and that the server's DISPLAY \
               is that session's",
    }
}

async fn elements(server: &OsServer, system: OperatingSystem, deadline: Deadline) -> MachineCheck {
    let began = Instant::now();
    let found = match server.accessibility(deadline).await {
        Ok(xml) => tree::read(&xml, system),
        Err(error) => Err(error.to_string()),
    };
    let took = began.elapsed().as_millis();
    MachineCheck {
        what: "machine elements",
        found: found.and_then(|tree| match (tree.nodes.len(), tree.windows.len()) {
            (0, _) => Err("the tree has no object that is drawn".to_owned()),
            (objects, windows) => Ok(format!("{objects} objects in {windows} windows, told in {took} ms")),
        }),
        hint: "without a tree elements are guessed from the picture: switch accessibility on there (GNOME: gsettings set \
               org.gnome.desktop.interface toolkit-accessibility true), and start programs after that",
    }
}

async fn input(server: &OsServer, deadline: Deadline) -> MachineCheck {
    let mut found = Err("no program of Python was run".to_owned());
    for name in PYTHONS {
        found = match server.run(&[name, "-c", MODULES], deadline).await {
            Ok(done) if done.returncode == 0 => {
                let said: Vec<&str> = done.output.split_whitespace().take(2).collect();
                Ok(match said.as_slice() {
                    [python, module] => format!("{name} {python} with pyautogui {module}"),
                    _ => format!("{name} with pyautogui"),
                })
            }
            Ok(done) => Err(done.error.trim().lines().last().unwrap_or("Python gave no reason").to_owned()),
            // The server found no such program: another name may be right.
            Err(error @ DeviceError::Call { .. }) => Err(error.to_string()),
            Err(error) => {
                found = Err(error.to_string());
                break;
            }
        };
        if found.is_ok() {
            break;
        }
    }
    let hint = "install pyautogui for the Python that the server runs by the name python or python3";
    MachineCheck { what: "machine input", found, hint }
}
