//! Whether a server keeps the protocol: what `waldo bridge check` asks.

use std::collections::BTreeSet;

use serde::Serialize;

use super::client::Client;
use super::device::{BridgeDevice, BridgeOptions};
use waldo_devices::device::Device as _;
use waldo_devices::{
    Action, AppRule, Capture, Deadline, DeviceError, GuardPolicy, OriginRule, ResetTo, Result,
};
use waldo_http::RemoteServer;

/// The seed of what is begun twice.
const SEED: u64 = 7;
/// What is asked of more than one session.
const ENDS: &str = "close ends a session";

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProtocolCheck {
    pub what: String,
    /// What was found where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Everything is allowed: the check itself only waits and presses nothing.
fn all() -> GuardPolicy {
    let (origins, apps) = (OriginRule::parse("*").into_iter().collect(), vec![AppRule("*".to_owned())]);
    GuardPolicy { origins, apps, ..GuardPolicy::default() }
}

/// Asks a server all that the protocol has. Nothing is pressed and nothing typed; sessions that it begins it ends.
///
/// # Errors
/// When nobody answers, or what answers does not say hello: there is nothing to check then.
pub async fn check(server: RemoteServer, deadline: Deadline) -> Result<(Client, Vec<ProtocolCheck>)> {
    let client = Client::connect(server, deadline).await?;
    let mut found = Vec::new();
    let mut note =
        |what: &str, fault: Option<String>| found.push(ProtocolCheck { what: what.to_owned(), fault });
    let task = client.hello.tasks.first().map(|task| task.id.clone());
    let begin = async || client.reset(task.as_deref(), SEED, "", deadline).await;
    let mut first = match begin().await {
        Ok(first) => first,
        Err(error) => {
            note("reset begins a session", Some(error.to_string()));
            return Ok((client, found));
        }
    };
    note("reset begins a session", None);
    let asks = task.is_none() || !first.goal.trim().is_empty();
    note("a task's session has a goal", (!asks).then(|| "goal is empty".to_owned()));
    // One that plays a single session ends it before the next begins.
    let several = client.hello.sessions > 1;
    if !several {
        note(ENDS, first.close(deadline).await.err().map(|error| error.to_string()));
    }
    match begin().await {
        Ok(second) => {
            let same = first.goal == second.goal && first.params == second.params;
            let fault = (!same).then(|| format!("'{}' and '{}'", first.goal, second.goal));
            note("equal seeds give equal goals and parameters", fault);
            if several {
                note(ENDS, second.close(deadline).await.err().map(|error| error.to_string()));
            } else {
                first = second;
            }
        }
        Err(error) => {
            note("as many sessions are begun as it says, and again", Some(error.to_string()));
            return Ok((client, found));
        }
    }
    let mut device = BridgeDevice::new(client.clone(), BridgeOptions::default());
    let to = ResetTo { start: client.register(&first), policy: all(), ..ResetTo::default() };
    note(
        "a screen joins the session",
        device.reset(&to, deadline).await.err().map(|error| error.to_string()),
    );
    looks(&mut device, deadline, &mut note).await;
    let unknown = Action::OpenApp { app: "waldo-no-such-app".to_owned() };
    let fault = match device.perform(&unknown, deadline).await {
        Err(DeviceError::Timeout { .. }) => Some("it gave no answer".to_owned()),
        // Done, refused or not to be had (422): each is an answer.
        _ => None,
    };
    note("an action that it cannot do is answered", fault);
    let judged = first.judge("gave_up", None, deadline).await;
    let fault = match &judged {
        Ok(judged) if task.is_some() && judged.success >= 1.0 => {
            Some("an episode in which nothing was done is a success".to_owned())
        }
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    };
    note("judge gives a success from 0 to 1, and none for doing nothing", fault);
    note(ENDS, device.close(deadline).await.err().map(|error| error.to_string()));
    let forgotten = first.judge("gave_up", None, deadline).await;
    note(
        "a session that has ended is not known any more",
        forgotten.is_ok().then(|| "it was judged again".to_owned()),
    );
    Ok((client, found))
}

async fn looks(device: &mut BridgeDevice, deadline: Deadline, note: &mut impl FnMut(&str, Option<String>)) {
    let screen = device.info().geometry.physical;
    let seen = match device.observe(Capture::All, deadline).await {
        Ok(seen) => seen,
        Err(error) => return note("observe shows picture and elements", Some(error.to_string())),
    };
    note("observe shows picture and elements", None);
    let size = seen.geometry.physical;
    let fault = || format!("{}x{} in place of {}x{}", size.w, size.h, screen.w, screen.h);
    note("the picture has the size that hello says", (size != screen).then(fault));
    let handles: BTreeSet<&str> = seen.elements.iter().map(|element| element.handle.0.as_str()).collect();
    let distinct = handles.len() == seen.elements.len() && !handles.contains("");
    note("every element has an id of its own", (!distinct).then(|| "ids are missing or equal".to_owned()));
    let bare = device.observe(Capture::Elements, deadline).await;
    note("elements are shown without a picture", bare.err().map(|error| error.to_string()));
}
