//! What a program says of itself and its toolkit, asked once a program.

use std::sync::Arc;

use super::bus::Bus;
use super::node::{ObjectKey, ROOT, StateBits};
use super::protocol::State;
use super::toolkit::Toolkit;
use super::walk;
use waldo_devices::device::Deadline;

const APPLICATION: &str = "org.a11y.atspi.Application";
/// Parts of a window that are asked whether they say that they are drawn.
const PARTS: usize = 8;

/// The toolkit of a program; of an unknown one where the program does not answer.
pub(super) async fn toolkit(bus: &Bus, name: &Arc<str>, deadline: Deadline) -> Toolkit {
    if let Some(known) = bus.known_toolkit(name) {
        return known;
    }
    let toolkit = ask(bus, name, deadline).await;
    if !toolkit.name.is_empty() {
        bus.keep_toolkit(name, toolkit.clone());
    }
    toolkit
}

async fn ask(bus: &Bus, name: &Arc<str>, deadline: Deadline) -> Toolkit {
    let root = ObjectKey::new(Arc::clone(name), ROOT);
    let (told, version) = futures::join!(
        bus.property(&root, APPLICATION, "ToolkitName", deadline),
        bus.property(&root, APPLICATION, "Version", deadline),
    );
    let text = |value: Result<zbus::zvariant::OwnedValue, _>| {
        value.ok().and_then(|value| String::try_from(value).ok()).unwrap_or_default()
    };
    let (name, version) = (text(told).to_lowercase(), text(version));
    let mut toolkit = Toolkit { name, hides_showing: false };
    if toolkit.name == "gtk" && version.starts_with("4.") {
        match says_showing(bus, &root, deadline).await {
            Some(says) => toolkit.hides_showing = !says,
            // Nothing is drawn yet: the next look asks again.
            None => toolkit.name.clear(),
        }
    }
    toolkit
}

/// Whether parts of a window that is drawn say that they are; `None` where no window is drawn.
async fn says_showing(bus: &Bus, root: &ObjectKey, deadline: Deadline) -> Option<bool> {
    let mut known = None;
    for window in walk::children(bus, root, deadline).await.ok()? {
        if !states(bus, &window, deadline).await.is_showing() {
            continue;
        }
        for part in walk::children(bus, &window, deadline).await.unwrap_or_default().iter().take(PARTS) {
            let states = states(bus, part, deadline).await;
            if states.is_showing() {
                return Some(true);
            }
            if states.has(State::Visible) {
                known = Some(false);
            }
        }
    }
    known
}

/// The states of an object as its program tells them; none where it does not answer.
pub(super) async fn states(bus: &Bus, key: &ObjectKey, deadline: Deadline) -> StateBits {
    let answer = bus.call(key, walk::ACCESSIBLE, "GetState", &(), deadline).await;
    let told = answer.ok().and_then(|answer| answer.body().deserialize::<Vec<u32>>().ok());
    StateBits::of(&told.unwrap_or_default())
}
