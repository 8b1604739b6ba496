//! Watches a screen for changes on a connection of its own, so that whoever waits for one is woken.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::damage::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, WindowClass,
};

use super::authority::DisplayAddress;
use super::x::X;
use crate::x11::x::Answered as _;
use waldo_devices::{Deadline, DeviceError};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Signs {
    pub(crate) drawn: Instant,
    pub(crate) draws: u64,
    /// How often windows came, went, moved, or the focus did.
    pub(crate) windows: u64,
    pub(crate) gone: bool,
}

impl Default for Signs {
    fn default() -> Self {
        Self { drawn: Instant::now(), draws: 0, windows: 0, gone: false }
    }
}

/// The watcher. Dropping it ends its thread.
pub(crate) struct Watcher {
    signs: watch::Receiver<Signs>,
    x: Arc<X>,
    end: u32,
}

impl Watcher {
    pub(crate) fn start(place: &DisplayAddress) -> Result<Self, DeviceError> {
        let x = Arc::new(X::connect(place)?);
        x.conn.damage_query_version(1, 1).answered()?.reply().answered()?;
        let (end, damage) = (x.conn.generate_id().answered()?, x.conn.generate_id().answered()?);
        let root = x.root;
        let unseen = CreateWindowAux::new();
        x.conn
            .create_window(0, end, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &unseen)
            .answered()?
            .check()
            .answered()?;
        let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE;
        x.conn
            .change_window_attributes(root, &ChangeWindowAttributesAux::new().event_mask(mask))
            .answered()?;
        x.conn.damage_create(damage, root, damage::ReportLevel::NON_EMPTY).answered()?.check().answered()?;
        let (sender, signs) = watch::channel(Signs::default());
        let watched = x.clone();
        std::thread::Builder::new()
            .name("waldo-watch".to_owned())
            .spawn(move || {
                watch(&watched, damage, end, &sender);
                sender.send_modify(|signs| signs.gone = true);
            })
            .map_err(super::process::io("a thread that watches the screen"))?;
        Ok(Self { signs, x, end })
    }

    pub(crate) fn signs(&self) -> watch::Receiver<Signs> {
        self.signs.clone()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.x.tell_end(self.end);
    }
}

fn watch(x: &X, damage: u32, end: u32, sender: &watch::Sender<Signs>) {
    while let Ok(event) = x.conn.wait_for_event() {
        let (mut drawn, mut windows) = (false, 0);
        let mut next = Some(event);
        while let Some(event) = next {
            match event {
                Event::DamageNotify(_) => drawn = true,
                Event::ClientMessage(message) if message.window == end => return,
                // A program that answers a ping, and other news between others.
                Event::ClientMessage(_) | Event::MappingNotify(_) => {}
                Event::PropertyNotify(notify) => {
                    windows += u64::from(
                        notify.atom == x.atoms._NET_ACTIVE_WINDOW || notify.atom == x.atoms._NET_CLIENT_LIST,
                    );
                }
                _ => windows += 1,
            }
            next = x.conn.poll_for_event().ok().flatten();
        }
        if drawn
            && x.conn.damage_subtract(damage, x11rb::NONE, x11rb::NONE).and_then(|_| x.conn.flush()).is_err()
        {
            return;
        }
        if drawn || windows > 0 {
            sender.send_modify(|signs| {
                signs.windows += windows;
                if drawn {
                    signs.draws += 1;
                    signs.drawn = Instant::now();
                }
            });
        }
    }
}

/// Waits until `signs` meet `condition`; whether they did by `until`.
pub(crate) async fn wait_for(
    signs: &mut watch::Receiver<Signs>,
    until: Deadline,
    condition: impl FnMut(&Signs) -> bool,
) -> bool {
    matches!(tokio::time::timeout_at(until.instant(), signs.wait_for(condition)).await, Ok(Ok(_)))
}
