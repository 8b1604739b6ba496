//! A chord by which a person takes the display back at once.
//!
//! Invariant: it is heard wherever the keyboard is, for the server gives it to us alone; when it cannot be
//! had, the display is not taken.

use std::sync::Arc;

use tokio::sync::watch;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, GrabMode, ModMask, WindowClass};

use super::authority::DisplayAddress;
use super::x::X;
use crate::chord::{Chord, Modifier};
use crate::x11::x::Answered as _;
use waldo_devices::{Deadline, DeviceError, Result};

/// How long the thread waits before it looks whether it should go on.
const ROUND: std::time::Duration = std::time::Duration::from_secs(3600);

/// Listens for a chord. Dropping it ends the thread and gives the chord back.
pub struct PanicKey {
    pressed: watch::Receiver<bool>,
    x: Arc<X>,
    end: u32,
}

impl std::fmt::Debug for PanicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PanicKey").field("pressed", &*self.pressed.borrow()).finish_non_exhaustive()
    }
}

impl PanicKey {
    /// Listens on `display` for `chord`, such as `ctrl+alt+space`.
    pub fn listen(display: &str, chord: &str) -> Result<Self> {
        let bad = |message: &str| DeviceError::bad_argument(format!("panic key '{chord}'"), message);
        let mut chords = Chord::parse(chord)?;
        let parsed = chords.pop().filter(|_| chords.is_empty());
        let Some((key, modifiers)) = parsed.and_then(|c| Some((c.key?, c.modifiers))) else {
            return Err(bad("write one chord with a key, such as ctrl+alt+space"));
        };
        if modifiers.is_empty() {
            return Err(bad("a key without ctrl, alt or super would be missed by whoever types"));
        }
        let x = Arc::new(X::connect(&DisplayAddress::users(display))?);
        let code = key_code(&x, key)?.ok_or_else(|| bad("the keyboard has no such key"))?;
        let held = modifiers.iter().fold(0_u16, |all, modifier| all | u16::from(mask(*modifier)));
        // Locks count as modifiers: the chord is meant whatever they are.
        let locks = [0, u16::from(ModMask::LOCK), u16::from(ModMask::M2)];
        let locks = locks.into_iter().chain([u16::from(ModMask::LOCK) | u16::from(ModMask::M2)]);
        for lock in locks {
            x.conn
                .grab_key(false, x.root, ModMask::from(held | lock), code, GrabMode::ASYNC, GrabMode::ASYNC)
                .answered()?
                .check()
                .map_err(|_| bad("another program has it; name another with --panic-key"))?;
        }
        let end = x.conn.generate_id().answered()?;
        let unseen = CreateWindowAux::new();
        x.conn
            .create_window(0, end, x.root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &unseen)
            .answered()?
            .check()
            .answered()?;
        let (sender, pressed) = watch::channel(false);
        let heard = x.clone();
        std::thread::Builder::new()
            .name("waldo-panic".to_owned())
            .spawn(move || hear(&heard, &sender))
            .map_err(super::process::io("the thread of the panic key"))?;
        Ok(Self { pressed, x, end })
    }

    /// Whether it was pressed so far, and a way to wait for it.
    pub fn pressed(&self) -> watch::Receiver<bool> {
        self.pressed.clone()
    }
}

impl Drop for PanicKey {
    fn drop(&mut self) {
        self.x.tell_end(self.end);
    }
}

fn hear(x: &X, pressed: &watch::Sender<bool>) {
    loop {
        match x.event(Deadline::after(ROUND)) {
            Ok(Some(Event::KeyPress(_))) => {
                pressed.send_replace(true);
            }
            Ok(Some(Event::ClientMessage(message))) if message.type_ == x.atoms.WALDO_END => return,
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

fn mask(modifier: Modifier) -> ModMask {
    match modifier {
        Modifier::Control => ModMask::CONTROL,
        Modifier::Alt => ModMask::M1,
        Modifier::Shift => ModMask::SHIFT,
        Modifier::Super => ModMask::M4,
    }
}

/// The key that gives a symbol without modifiers.
fn key_code(x: &X, symbol: u32) -> Result<Option<u8>> {
    let setup = x.conn.setup();
    let (first, last) = (setup.min_keycode, setup.max_keycode);
    let count = last.saturating_sub(first).saturating_add(1);
    let map = x.conn.get_keyboard_mapping(first, count).answered()?.reply().answered()?;
    let each = usize::from(map.keysyms_per_keycode).max(1);
    let found = map.keysyms.chunks(each).position(|symbols| symbols.first() == Some(&symbol));
    Ok(found.and_then(|at| u8::try_from(at).ok()).map(|at| first.saturating_add(at)))
}
