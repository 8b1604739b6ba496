//! What a phone can do for waldo: what `waldo doctor --device wda:…` asks.
//!
//! Invariant: nothing is pressed, typed, started or unlocked, and no session is opened, which would end somebody's.

use std::time::{Duration, Instant};

use super::agent::WdaServer;
use waldo_devices::device::{Deadline, Platform};

/// How long the server may take to say that it is there.
const SAYS_WITHIN: Duration = Duration::from_secs(10);

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub struct PhoneCheck {
    pub what: &'static str,
    /// What was found, or what is wrong. Either may quote the server, at any length.
    pub found: Result<String, String>,
    pub hint: &'static str,
}

/// Asks the phone for all that an episode asks of it. The first thing is whether it answers at all; where it does not,
/// nothing else is asked.
pub async fn check(server: &WdaServer, deadline: Deadline) -> Vec<PhoneCheck> {
    let began = Instant::now();
    let facts = server.status(deadline.at_most(SAYS_WITHIN)).await;
    let took = began.elapsed().as_millis();
    let mut all = vec![PhoneCheck {
        what: "phone",
        found: match &facts {
            Ok(facts) => {
                let version = match facts.version.as_str() {
                    "" => "of an unknown version",
                    version => version,
                };
                Ok(format!("{} {version}, answers in {took} ms", facts.product()))
            }
            Err(error) => Err(error.to_string()),
        },
        hint: "start WebDriverAgent on the phone (Xcode, or Appium), and bring its port here: iproxy 8100 8100, or pymobiledevice3 \
               usbmux forward 8100 8100; docs/ios.md",
    }];
    if facts.is_err() {
        return all;
    }
    let found = match server.is_locked(deadline).await {
        Ok(false) => Ok("it is unlocked".to_owned()),
        Ok(true) => Err("it is locked".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    all.push(PhoneCheck { what: "phone lock", found, hint: "unlock it, and keep it from locking itself" });
    let began = Instant::now();
    let (picture, screen) = (server.picture(deadline).await, server.screen(deadline).await);
    let took = began.elapsed().as_millis();
    let found = match (picture, screen) {
        (Ok(picture), Ok(screen)) => {
            let ((w, h), points) = (picture.dimensions(), screen.points);
            Ok(format!("{w}x{h} px of {:.0}x{:.0} points, in {took} ms", points.w, points.h))
        }
        (Err(error), _) | (_, Err(error)) => Err(error.to_string()),
    };
    all.push(PhoneCheck {
        what: "phone picture",
        found,
        hint: "unlock the phone; apps that forbid pictures show none",
    });
    let began = Instant::now();
    let tree = server.tree(deadline).await;
    let took = began.elapsed().as_millis();
    let found = tree.map(|tree| format!("{} nodes, told in {took} ms", tree.nodes.len()));
    all.push(PhoneCheck {
        what: "phone elements",
        found: found.map_err(|error| error.to_string()),
        hint: "bring another app to the front, and see whether it tells its tree",
    });
    let found = match server.active(deadline).await {
        Ok(Some(app)) => Ok(format!("{} is in front; apps are kept by bundle id", app.bundle)),
        Ok(None) => Err("it does not tell which app is in front".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    all.push(PhoneCheck {
        what: "phone apps",
        found,
        hint: "without it no app can be kept out: give --allow-app '*' where any may be touched",
    });
    let named = |capability| serde_json::to_value(capability).ok()?.as_str().map(str::to_owned);
    let can: Vec<String> = Platform::Ios.capabilities().iter().filter_map(named).collect();
    all.push(PhoneCheck { what: "phone offers", found: Ok(can.join(", ")), hint: "" });
    all
}
