//! A window of our own that writes down what reaches it.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use waldo_desktop::DesktopDevice;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use crate::support::connect;

#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A button went down: its number, where on the window, modifiers.
    Down(u8, i16, i16),
    Up(u8, i16, i16),
    Move(i16, i16),
    /// A key: its number on the keyboard's first level, and modifiers.
    Key(u32, u16),
}

/// The window; it goes with the display.
pub struct Logger {
    seen: Receiver<Seen>,
}

impl Logger {
    /// Opens a window of this size at the screen's corner, which no window manager moves.
    pub fn open(device: &DesktopDevice, width: u16, height: u16) -> Self {
        Self::start(device, width, height, None)
    }

    /// Opens one of 150x120 that the window manager looks after, in the middle of a screen of 800x600; its
    /// program says to be of this class, or nothing.
    pub fn managed(device: &DesktopDevice, class: &str) -> Self {
        Self::start(device, 150, 120, Some(class))
    }

    fn start(device: &DesktopDevice, width: u16, height: u16, class: Option<&str>) -> Self {
        let conn = connect(device);
        let root = conn.setup().roots[0].root;
        let white = conn.setup().roots[0].white_pixel;
        let id = conn.generate_id().unwrap();
        let mask = EventMask::BUTTON_PRESS
            | EventMask::BUTTON_RELEASE
            | EventMask::POINTER_MOTION
            | EventMask::KEY_PRESS
            | EventMask::STRUCTURE_NOTIFY
            | EventMask::FOCUS_CHANGE
            | EventMask::EXPOSURE;
        let alone = u32::from(class.is_none());
        let aux = CreateWindowAux::new().event_mask(mask).override_redirect(alone).background_pixel(white);
        conn.create_window(0, id, root, 0, 0, width, height, 0, WindowClass::INPUT_OUTPUT, 0, &aux).unwrap();
        conn.change_property8(PropMode::REPLACE, id, 39_u32, 31_u32, b"logger").unwrap();
        if class.is_some() {
            // Where its user wants it, and nowhere else.
            let mut hints = [0_u32; 18];
            hints[..3].copy_from_slice(&[1, 325, 240]);
            conn.change_property32(PropMode::REPLACE, id, 40_u32, 41_u32, &hints).unwrap();
            let place = ConfigureWindowAux::new().x(325).y(240);
            conn.configure_window(id, &place).unwrap();
        }
        if let Some(class) = class.filter(|class| !class.is_empty()) {
            let both = format!("{class}\0{class}\0");
            conn.change_property8(PropMode::REPLACE, id, 67_u32, 31_u32, both.as_bytes()).unwrap();
        }
        conn.map_window(id).unwrap();
        conn.flush().unwrap();
        loop {
            if let Event::Expose(_) = conn.wait_for_event().unwrap() {
                break;
            }
        }
        conn.set_input_focus(x11rb::protocol::xproto::InputFocus::POINTER_ROOT, id, x11rb::CURRENT_TIME)
            .unwrap();
        conn.sync().unwrap();
        let (first, last) = (conn.setup().min_keycode, conn.setup().max_keycode);
        let (sender, seen) = channel();
        std::thread::spawn(move || {
            while let Ok(event) = conn.wait_for_event() {
                let seen = match event {
                    Event::ButtonPress(e) => Seen::Down(e.detail, e.event_x, e.event_y),
                    Event::ButtonRelease(e) => Seen::Up(e.detail, e.event_x, e.event_y),
                    Event::MotionNotify(e) => Seen::Move(e.event_x, e.event_y),
                    Event::KeyPress(e) => {
                        let map =
                            conn.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
                        let row = usize::from(e.detail - first) * usize::from(map.keysyms_per_keycode);
                        Seen::Key(map.keysyms[row], u16::from(e.state))
                    }
                    _ => continue,
                };
                if sender.send(seen).is_err() {
                    return;
                }
            }
        });
        Self { seen }
    }

    /// What came since the last time.
    pub fn read(&self) -> Vec<Seen> {
        let mut all = Vec::new();
        while let Ok(seen) = self.seen.recv_timeout(Duration::from_millis(300)) {
            all.push(seen);
        }
        all
    }

    /// Waits until a button goes down, and takes what came so far.
    pub async fn began(&self) {
        while !self.seen.try_iter().any(|seen| matches!(seen, Seen::Down(..))) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Buttons that went down since the last time.
    pub fn downs(&self) -> Vec<u8> {
        self.read()
            .iter()
            .filter_map(|seen| if let Seen::Down(n, ..) = seen { Some(*n) } else { None })
            .collect()
    }
}
