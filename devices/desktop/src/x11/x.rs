//! A connection to an X server, with the atoms that the driver speaks.
//!
//! Invariant: what breaks the connection is [`DeviceError::Gone`]; what the server refuses is
//! [`DeviceError::Call`]; a wait for an event always has an end.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use x11rb::connection::Connection as _;
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt as _, EventMask, Window};
use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::authority::{Authority, DisplayAddress};
use waldo_devices::{Deadline, DeviceError, Result};

x11rb::atom_manager! {
    /// Names of properties and messages, as numbers of one server.
    pub(crate) Atoms: AtomsCookie {
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_CLOSE_WINDOW,
        _NET_REQUEST_FRAME_EXTENTS,
        _NET_SUPPORTED,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_PING,
        _NET_WM_STATE,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_WINDOW_TYPE,
        _NET_WM_WINDOW_TYPE_SPLASH,
        CLIPBOARD,
        TARGETS,
        TEXT,
        TIMESTAMP,
        UTF8_STRING,
        WM_DELETE_WINDOW,
        WM_PROTOCOLS,
        TEXT_PLAIN_UTF8: b"text/plain;charset=utf-8",
        TEXT_PLAIN: b"text/plain",
        WALDO_END,
        WALDO_CLOCK,
    }
}

pub(crate) struct X {
    pub(crate) conn: RustConnection,
    pub(crate) root: Window,
    pub(crate) atoms: Atoms,
}

impl X {
    pub(crate) fn connect(place: &DisplayAddress) -> Result<Self> {
        let what = format!("a connection to the display {}", place.name);
        let hint = "check that an X server runs there and lets this user in";
        let failed = |message: String| DeviceError::start(&what, message, hint);
        let connected = match &place.authority {
            None => RustConnection::connect(Some(&place.name)),
            Some(authority) => prove(&place.name, authority),
        };
        let (conn, screen) = connected.map_err(|error| failed(error.to_string()))?;
        let root = conn.setup().roots.get(screen).map(|screen| screen.root);
        let root = root.ok_or_else(|| failed("it has no screen".to_owned()))?;
        let atoms = Atoms::new(&conn).answered()?.reply().answered()?;
        Ok(Self { conn, root, atoms })
    }

    pub(crate) fn size(&self) -> Result<(u16, u16)> {
        let root = self.conn.get_geometry(self.root).answered()?.reply().answered()?;
        Ok((root.width, root.height))
    }

    /// Waits until the server has done all that was asked.
    pub(crate) fn sync(&self) -> Result<()> {
        self.conn.get_input_focus().answered()?.reply().map(drop).answered()
    }

    /// The window that has the keyboard, as the server counts them.
    pub(crate) fn focus(&self) -> Result<Window> {
        Ok(self.conn.get_input_focus().answered()?.reply().answered()?.focus)
    }

    /// Does something while the server hears nobody else.
    pub(crate) fn alone<T>(&self, done: impl FnOnce() -> Result<T>) -> Result<T> {
        self.conn.grab_server().answered()?;
        let done = done();
        self.conn.ungrab_server().answered()?;
        self.conn.flush().answered()?;
        done
    }

    /// Sends a thread that waits for events of `window` the word to end. Dropping a connection does not
    /// wake who waits on it.
    pub(crate) fn tell_end(&self, window: Window) {
        let message = ClientMessageEvent::new(32, window, self.atoms.WALDO_END, [0; 5]);
        let sent = self.conn.send_event(false, window, EventMask::NO_EVENT, message).map(drop);
        let _ = sent.and_then(|()| self.conn.flush());
    }

    /// Lets `time` pass; what happens meanwhile is thrown away.
    pub(crate) fn rest(&self, time: Duration) -> Result<()> {
        let until = Deadline::after(time);
        while self.event(until)?.is_some() {}
        Ok(())
    }

    /// The next event, or `None` when none comes by `until`.
    pub(crate) fn event(&self, until: Deadline) -> Result<Option<Event>> {
        loop {
            self.conn.flush().answered()?;
            if let Some(event) = self.conn.poll_for_event().answered()? {
                return Ok(Some(event));
            }
            let left = until.left();
            if left.is_zero() {
                return Ok(None);
            }
            self.readable(left)?;
        }
    }

    /// Waits until something can be read, `left` at most.
    fn readable(&self, left: Duration) -> Result<()> {
        let stream = self.conn.stream();
        let mut fds = [PollFd::new(stream, PollFlags::IN)];
        let left = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        match rustix::event::poll(&mut fds, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(errno) => Err(gone(std::io::Error::from(errno))),
        }
    }
}

/// Connects to a private display, with its cookie.
fn prove(name: &str, authority: &Authority) -> Result<(RustConnection, usize), ConnectError> {
    let socket = UnixStream::connect(socket(name)).map_err(ConnectError::IoError)?;
    let (stream, _) = DefaultStream::from_unix_stream(socket).map_err(ConnectError::IoError)?;
    let (way, proof) = authority.proof();
    Ok((RustConnection::connect_to_stream_with_auth_info(stream, 0, way, proof)?, 0))
}

pub(crate) fn socket(name: &str) -> PathBuf {
    PathBuf::from(format!("/tmp/.X11-unix/X{}", name.trim_start_matches(':')))
}

pub(crate) fn gone(why: impl ToString) -> DeviceError {
    DeviceError::Gone { reason: format!("the X server: {}", why.to_string()) }
}

pub(crate) trait Answered<T> {
    fn answered(self) -> Result<T>;
}

impl<T> Answered<T> for Result<T, ConnectionError> {
    fn answered(self) -> Result<T> {
        self.map_err(gone)
    }
}

impl<T> Answered<T> for Result<T, ReplyError> {
    fn answered(self) -> Result<T> {
        self.map_err(|error| match error {
            ReplyError::ConnectionError(error) => gone(error),
            ReplyError::X11Error(error) => DeviceError::Call {
                call: error.request_name.unwrap_or("a call to the X server").to_owned(),
                message: format!("{:?}", error.error_kind),
            },
        })
    }
}

impl<T> Answered<T> for Result<T, ReplyOrIdError> {
    fn answered(self) -> Result<T> {
        match self {
            Err(ReplyOrIdError::IdsExhausted) => Err(gone("no number is left for a new thing")),
            Err(ReplyOrIdError::ConnectionError(error)) => Err(error).answered(),
            Err(ReplyOrIdError::X11Error(error)) => Err(ReplyError::X11Error(error)).answered(),
            Ok(answer) => Ok(answer),
        }
    }
}
