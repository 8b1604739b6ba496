//! Waiting for the window manager around a key that may be its own.
//!
//! A key from another keyboard than the last one (a person's, XTEST's), and a key that is bound anew, change the
//! map; a window manager then gives its shortcuts back and takes them again, one by one. A shortcut that is
//! pressed meanwhile goes to a program, which does nothing with it. And what goes on until Alt is let go, such as
//! the change of windows, never ends when that was before the window manager took the keyboard for it.

use std::time::Duration;

use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, WindowClass,
};

use crate::hand::REST;
use crate::x11::windows::{on_root, to_manager};
use crate::x11::x::Answered as _;
use crate::x11::x::X;
use waldo_devices::{Deadline, DeviceError};

/// How long it may take to answer; one that hangs takes no shortcut either.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);

/// Waits until the window manager has done all that came to it before now: it is asked how wide the frame of a
/// window would be. One that does not know the question is given a moment.
pub(super) fn caught_up(x: &X) -> Result<(), DeviceError> {
    if on_root(x, x.atoms._NET_SUPPORTING_WM_CHECK, AtomEnum::WINDOW)?.is_none() {
        return Ok(());
    }
    let known = on_root(x, x.atoms._NET_SUPPORTED, AtomEnum::ATOM)?;
    if !known.unwrap_or_default().contains(&x.atoms._NET_REQUEST_FRAME_EXTENTS) {
        return x.rest(REST);
    }
    let asking = x.conn.generate_id().answered()?;
    let hears = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE).override_redirect(1);
    x.conn
        .create_window(0, asking, x.root, -1, -1, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &hears)
        .answered()?;
    to_manager(x, ClientMessageEvent::new(32, asking, x.atoms._NET_REQUEST_FRAME_EXTENTS, [0; 5]))?;
    let until = Deadline::after(ANSWERS_WITHIN);
    while let Some(event) = x.event(until)? {
        if matches!(event, Event::PropertyNotify(told) if told.window == asking) {
            break;
        }
    }
    x.conn.destroy_window(asking).answered()?;
    x.sync()
}
