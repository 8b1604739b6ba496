//! The clipboard: a thread that owns it and hands its text to whoever pastes.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, SELECTION_NOTIFY_EVENT,
    SelectionNotifyEvent, SelectionRequestEvent, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use crate::x11::authority::DisplayAddress;
use crate::x11::x::Answered as _;
use crate::x11::x::X;
use waldo_devices::error::{DeviceError, Result};

/// The owner. Dropping it gives the clipboard up.
pub(crate) struct Clipboard {
    x: Arc<X>,
    window: u32,
    text: Arc<Mutex<String>>,
    taken: watch::Receiver<u64>,
}

impl Clipboard {
    /// Starts the thread; the clipboard stays another's until [`Self::set`].
    pub(crate) fn start(place: &DisplayAddress) -> Result<Self> {
        let x = Arc::new(X::connect(place)?);
        let window = x.conn.generate_id().answered()?;
        let unseen = CreateWindowAux::new();
        x.conn
            .create_window(0, window, x.root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &unseen)
            .answered()?
            .check()
            .answered()?;
        let text = Arc::new(Mutex::new(String::new()));
        let (sender, taken) = watch::channel(0);
        let (theirs, shared) = (x.clone(), text.clone());
        std::thread::Builder::new()
            .name("waldo-clipboard".to_owned())
            .spawn(move || serve(&theirs, window, &shared, &sender))
            .map_err(crate::x11::process::io("the clipboard's thread"))?;
        Ok(Self { x, window, text, taken })
    }

    /// Puts text on the clipboard, and where the middle button pastes from.
    pub(crate) fn set(&self, text: &str) -> Result<()> {
        text.clone_into(&mut self.text.lock().unwrap_or_else(PoisonError::into_inner));
        let x = &self.x;
        for selection in [x.atoms.CLIPBOARD, AtomEnum::PRIMARY.into()] {
            x.conn.set_selection_owner(self.window, selection, x11rb::CURRENT_TIME).answered()?;
        }
        let owner = x.conn.get_selection_owner(x.atoms.CLIPBOARD).answered()?.reply().answered()?.owner;
        if owner == self.window {
            Ok(())
        } else {
            Err(DeviceError::call("clipboard", "another program holds on to it"))
        }
    }

    /// Counts how often a program took the text.
    pub(crate) fn taken(&self) -> watch::Receiver<u64> {
        self.taken.clone()
    }
}

impl Drop for Clipboard {
    fn drop(&mut self) {
        self.x.tell_end(self.window);
    }
}

fn serve(x: &X, window: u32, text: &Mutex<String>, taken: &watch::Sender<u64>) {
    while let Ok(event) = x.conn.wait_for_event() {
        match event {
            Event::SelectionRequest(request) => {
                let text = text.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match answer(x, &request, &text) {
                    Ok(PasteOutcome::Text) => taken.send_modify(|count| *count += 1),
                    Ok(PasteOutcome::Other) => {}
                    // Whoever asked may be gone.
                    Err(DeviceError::Call { .. }) => {}
                    Err(_) => return,
                }
            }
            Event::ClientMessage(message) if message.window == window => return,
            _ => {}
        }
    }
}

enum PasteOutcome {
    Text,
    Other,
}

fn answer(x: &X, request: &SelectionRequestEvent, text: &str) -> Result<PasteOutcome> {
    let atoms = &x.atoms;
    // Old programs name no property.
    let property = if request.property == x11rb::NONE { request.target } else { request.property };
    let texts =
        [atoms.UTF8_STRING, atoms.TEXT_PLAIN_UTF8, atoms.TEXT_PLAIN, atoms.TEXT, AtomEnum::STRING.into()];
    let mut gave = PasteOutcome::Other;
    let mut granted = property;
    if request.target == atoms.TARGETS {
        let mut targets = vec![atoms.TARGETS];
        targets.extend(texts);
        x.conn
            .change_property32(PropMode::REPLACE, request.requestor, property, AtomEnum::ATOM, &targets)
            .answered()?
            .check()
            .answered()?;
    } else if texts.contains(&request.target) {
        let latin: Vec<u8>;
        let (kind, bytes) = if request.target == u32::from(AtomEnum::STRING) {
            latin = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
            (AtomEnum::STRING.into(), latin.as_slice())
        } else if request.target == atoms.TEXT {
            (atoms.UTF8_STRING, text.as_bytes())
        } else {
            (request.target, text.as_bytes())
        };
        x.conn
            .change_property8(PropMode::REPLACE, request.requestor, property, kind, bytes)
            .answered()?
            .check()
            .answered()?;
        gave = PasteOutcome::Text;
    } else {
        granted = x11rb::NONE;
    }
    let notify = SelectionNotifyEvent {
        response_type: SELECTION_NOTIFY_EVENT,
        sequence: 0,
        time: request.time,
        requestor: request.requestor,
        selection: request.selection,
        target: request.target,
        property: granted,
    };
    x.conn
        .send_event(false, request.requestor, EventMask::NO_EVENT, notify)
        .answered()?
        .check()
        .answered()?;
    Ok(gave)
}
