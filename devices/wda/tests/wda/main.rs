//! Phones through WebDriverAgent, against a double of it: **no hardware was seen**. The double speaks the wire of Appium's
//! WebDriverAgent (routes, bodies and answers as its sources publish them), and answers "unknown command" to all else.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]
#![allow(clippy::disallowed_methods, reason = "tests make the client that the binary hands in otherwise")]

mod double;
mod guard;
mod hostile;
mod plays;

use std::time::Duration;

use double::Double;
use waldo_devices::{
    Action, AppRule, Button, Capture, Clicks, Deadline, Device, Effect, Element, GuardPolicy, Observation,
    ResetTo, Secrets,
};
use waldo_http::{PlainHttp, RemoteServer};
use waldo_wda::{WdaDevice, WdaOptions, WdaServer};

const NOTES: &str = "org.example.notes";
const OTHER: &str = "org.example.other";

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

fn server(address: &str) -> WdaServer {
    // Another test may have been first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .tls_certs_only([])
        .build()
        .unwrap();
    WdaServer::new(RemoteServer::new(client, address.parse().unwrap(), PlainHttp::Refused).unwrap())
}

fn options() -> WdaOptions {
    WdaOptions {
        settle: Duration::from_millis(500),
        launch: Duration::from_secs(3),
        secrets: Secrets::new([("pin".to_owned(), "4711x".to_owned())]),
        ..WdaOptions::default()
    }
}

fn to(start: &str, apps: &[&str]) -> ResetTo {
    let apps = apps.iter().map(|app| AppRule((*app).to_owned())).collect();
    ResetTo {
        start: start.to_owned(),
        policy: GuardPolicy { apps, ..GuardPolicy::default() },
        ..ResetTo::default()
    }
}

/// A phone with the notes open.
async fn opened(double: &Double, apps: &[&str]) -> WdaDevice {
    let mut device = WdaDevice::open(server(&double.address), options(), soon()).await.unwrap();
    device.reset(&to(NOTES, apps), soon()).await.unwrap();
    device
}

async fn look(device: &mut WdaDevice) -> Observation {
    device.observe(Capture::All, soon()).await.unwrap()
}

async fn act(device: &mut WdaDevice, action: Action) -> Effect {
    device.perform(&action, soon()).await.unwrap().effect
}

fn named<'a>(seen: &'a Observation, name: &str) -> &'a Element {
    let found = seen.elements.iter().find(|element| element.name == name);
    found.unwrap_or_else(|| panic!("no '{name}' in {:?}", names(seen)))
}

fn names(seen: &Observation) -> Vec<&str> {
    seen.elements.iter().map(|element| element.name.as_str()).collect()
}

fn tap(seen: &Observation, name: &str) -> Action {
    Action::Tap { at: named(seen, name).hit, clicks: Clicks::Single, button: Button::Left }
}
