//! The keyboard: text of any script, exactly, and chords.
//!
//! Programs look a key up in the map when they read it, not when it is pressed. So no key is bound anew
//! before the program has read what was typed: it is asked with the ping that window managers use, which
//! comes after the keys in the program's own queue; a program that knows no ping is watched until it idles.

use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, KEY_PRESS_EVENT,
    KEY_RELEASE_EVENT,
};
use x11rb::protocol::xtest::ConnectionExt as _;

use super::keymap::{Keymap, Shift, Stroke, symbols};
use super::manager;
use crate::chord::{Chord, Modifier};
use crate::display_thread::JobCaller;
use crate::keysyms;
use crate::x11::program::work_of;
use crate::x11::windows::{Window, speaks};
use crate::x11::x::Answered as _;
use crate::x11::x::X;
use waldo_devices::{Deadline, DeviceError, Result};

/// Keys that are sent before the program is waited for.
const RUN: usize = 200;
/// How long a program may take to read what was typed before that is an error.
const READS_WITHIN: Duration = Duration::from_secs(10);
/// How long it may take to, once nobody waits for the rest.
const LETS_GO_WITHIN: Duration = Duration::from_secs(1);
/// How often it is asked for the window anew that has the keyboard, when it changes meanwhile.
const TRIES: usize = 20;
/// How often it is looked whether anybody still waits.
const LOOK: Duration = Duration::from_millis(50);
/// How long a program without a ping must sleep to count as idle.
const IDLE: Duration = Duration::from_millis(15);

/// The pause between keys that press buttons: longer than GTK shows a button pressed, which takes all keys meanwhile.
const APART: Duration = Duration::from_millis(300);

/// What it is called when it fails.
const TYPING: &str = "typing";

/// Whether keys stay bound after typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bindings {
    /// On a display of our own.
    Keep,
    /// On someone's: their keyboard is put back at once.
    Restore,
}

pub(crate) struct Keyboard {
    keymap: Keymap,
    bindings: Bindings,
    clock: u32,
    /// Whether keys press buttons, so that they may not come at once.
    pub(crate) apart: bool,
    sent: Option<Instant>,
}

impl Keyboard {
    pub(crate) fn new(x: &X, bindings: Bindings) -> Result<Self> {
        Ok(Self { keymap: Keymap::read(x)?, bindings, clock: 1, apart: false, sent: None })
    }

    /// Types text into the window with the keyboard. `next` says which that is before keys are sent, or refuses.
    pub(crate) fn type_text(
        &mut self,
        x: &X,
        text: &str,
        caller: &JobCaller<'_>,
        mut next: impl FnMut(&X) -> Result<Option<Window>>,
    ) -> Result<()> {
        self.keymap.refresh(x)?;
        let caps = self.keymap.caps();
        if caps {
            self.tap(x, keysyms::CAPS_LOCK)?;
        }
        let mut target = next(x)?;
        let done = (|| {
            let all = symbols(text);
            let mut lines = all.split_inclusive(|sym| *sym == keysyms::RETURN).peekable();
            while let Some(line) = lines.next() {
                self.run(x, line, &mut target, &mut next, caller)?;
                if lines.peek().is_some() {
                    // Enter may have closed the window or brought up another.
                    self.reads(x, target.as_ref(), caller)?;
                    target = next(x)?;
                }
            }
            // All of it was sent: what the program makes of it is seen on the screen.
            self.caught_up(x, target.as_ref(), within(caller), caller).map(drop)
        })();
        if done.is_err() {
            // What was sent is read by the map as it is now.
            let nobody = || false;
            let until = Deadline::after(LETS_GO_WITHIN);
            self.caught_up(x, target.as_ref(), until, &JobCaller::new(until, &nobody))?;
        }
        if caps {
            self.tap(x, keysyms::CAPS_LOCK)?;
        }
        if self.bindings == Bindings::Restore {
            self.keymap.restore(x)?;
        }
        done
    }

    fn run(
        &mut self,
        x: &X,
        syms: &[u32],
        target: &mut Option<Window>,
        next: &mut dyn FnMut(&X) -> Result<Option<Window>>,
        caller: &JobCaller<'_>,
    ) -> Result<()> {
        let mut rest = syms;
        while !rest.is_empty() {
            // As many as keys can be bound for at once.
            let (mut missing, mut known, mut end) = (Vec::new(), Vec::new(), 0);
            let capacity = self.keymap.capacity();
            for sym in rest.iter().take(RUN) {
                if self.keymap.is_lent(*sym) {
                    if !known.contains(sym) {
                        known.push(*sym);
                    }
                } else if self.keymap.find(*sym).is_none() && !missing.contains(sym) {
                    if missing.len() + known.len() >= capacity && end > 0 {
                        break;
                    }
                    missing.push(*sym);
                }
                end += 1;
            }
            if self.apart {
                end = 1;
            }
            let (now, later) = rest.split_at(end.max(1));
            if !missing.is_empty() {
                if !self.keymap.has_spare(missing.len()) {
                    self.reads(x, target.as_ref(), caller)?;
                }
                self.keymap.bind(x, &missing, &known)?;
                self.reads(x, target.as_ref(), caller)?;
            }
            caller.go_on(TYPING)?;
            let strokes: Vec<Stroke> = now.iter().filter_map(|sym| self.keymap.find(*sym)).collect();
            self.keep_apart(x)?;
            *target = self.send(x, &strokes, next)?;
            rest = later;
            if !rest.is_empty() || self.apart {
                self.reads(x, target.as_ref(), caller)?;
            }
            self.sent = self.apart.then(Instant::now);
        }
        Ok(())
    }

    /// Waits until the button that the last key pressed takes keys again.
    fn keep_apart(&self, x: &X) -> Result<()> {
        let left = self.sent.map(|sent| APART.saturating_sub(sent.elapsed()));
        left.filter(|left| self.apart && !left.is_zero()).map_or(Ok(()), |left| x.rest(left))
    }

    /// Presses keys once `next` lets it, and gives the window that they go to. Between its word and the last key
    /// nothing can take the keyboard.
    fn send(
        &self,
        x: &X,
        strokes: &[Stroke],
        next: &mut dyn FnMut(&X) -> Result<Option<Window>>,
    ) -> Result<Option<Window>> {
        for _ in 0..TRIES {
            let focus = x.focus()?;
            let target = next(x)?;
            let sent = x.alone(|| {
                let same = x.focus()? == focus;
                if same {
                    self.strokes(x, strokes)?;
                }
                Ok(same)
            })?;
            if sent {
                return Ok(target);
            }
        }
        let message = "the keyboard goes from window to window; the rest was not typed";
        Err(DeviceError::Call { call: TYPING.to_owned(), message: message.to_owned() })
    }

    /// Waits until the program behind `target` has read what was typed, before more is.
    fn reads(&mut self, x: &X, target: Option<&Window>, caller: &JobCaller<'_>) -> Result<()> {
        if self.caught_up(x, target, within(caller), caller)? {
            return Ok(());
        }
        Err(hangs(caller))
    }

    /// Presses keys one after the other, with Shift held where it is needed.
    fn strokes(&self, x: &X, strokes: &[Stroke]) -> Result<()> {
        let shift = self.keymap.find(keysyms::SHIFT_L).map(|stroke| stroke.code);
        let mut held = Shift::Free;
        for stroke in strokes {
            if stroke.shift != held
                && let Some(shift) = shift
            {
                key(x, shift, if stroke.shift == Shift::Held { KEY_PRESS_EVENT } else { KEY_RELEASE_EVENT })?;
                held = stroke.shift;
            }
            key(x, stroke.code, KEY_PRESS_EVENT)?;
            key(x, stroke.code, KEY_RELEASE_EVENT)?;
        }
        if held == Shift::Held
            && let Some(shift) = shift
        {
            key(x, shift, KEY_RELEASE_EVENT)?;
        }
        x.sync()
    }

    fn tap(&self, x: &X, sym: u32) -> Result<()> {
        self.keymap.find(sym).map_or(Ok(()), |stroke| self.strokes(x, &[stroke]))
    }

    pub(crate) fn press(
        &mut self,
        x: &X,
        chords: &[Chord],
        target: Option<&Window>,
        caller: &JobCaller<'_>,
    ) -> Result<()> {
        self.keymap.refresh(x)?;
        for (n, chord) in chords.iter().enumerate() {
            caller.go_on(TYPING)?;
            let bound = match chord.key {
                Some(sym) if self.keymap.find(sym).is_none() => {
                    self.reads(x, target, caller)?;
                    self.keymap.bind(x, &[sym], &[])?;
                    true
                }
                _ => false,
            };
            self.keep_apart(x)?;
            let stroke = chord.key.and_then(|sym| self.keymap.find(sym));
            let mut modifiers = chord.modifiers.clone();
            if stroke.is_some_and(|stroke| stroke.shift == Shift::Held)
                && !modifiers.contains(&Modifier::Shift)
            {
                modifiers.push(Modifier::Shift);
            }
            let held: Vec<u8> = modifiers
                .iter()
                .filter_map(|modifier| self.keymap.find(modifier.keysym()))
                .map(|stroke| stroke.code)
                .collect();
            for code in &held {
                key(x, *code, KEY_PRESS_EVENT)?;
            }
            let pressed = stroke.map_or(Ok(()), |stroke| press_one(x, stroke, !chord.modifiers.is_empty()));
            // Whatever happened, no key stays down.
            for code in held.iter().rev() {
                key(x, *code, KEY_RELEASE_EVENT)?;
            }
            x.sync()?;
            pressed?;
            let read = match bound || chords.len() > 1 || self.apart {
                true => self.caught_up(x, target, within(caller), caller)?,
                false => true,
            };
            self.sent = self.apart.then(Instant::now);
            if bound && self.bindings == Bindings::Restore {
                self.keymap.restore(x)?;
            }
            if !read && n + 1 < chords.len() {
                return Err(hangs(caller));
            }
        }
        Ok(())
    }

    pub(crate) fn holding(
        &mut self,
        x: &X,
        modifiers: &[Modifier],
        act: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.press_keys(x, modifiers)?;
        let done = act();
        // Whatever happened, no key stays down.
        self.release_keys(x, modifiers)?;
        done
    }

    /// Presses modifiers, which stay down until [`Self::release_keys`].
    pub(crate) fn press_keys(&mut self, x: &X, modifiers: &[Modifier]) -> Result<()> {
        if !modifiers.is_empty() {
            self.keymap.refresh(x)?;
        }
        self.keys_of(modifiers).try_for_each(|code| key(x, code, KEY_PRESS_EVENT))
    }

    pub(crate) fn release_keys(&self, x: &X, modifiers: &[Modifier]) -> Result<()> {
        let held: Vec<u8> = self.keys_of(modifiers).collect();
        held.into_iter().rev().try_for_each(|code| key(x, code, KEY_RELEASE_EVENT))?;
        if modifiers.is_empty() { Ok(()) } else { x.sync() }
    }

    fn keys_of(&self, modifiers: &[Modifier]) -> impl Iterator<Item = u8> {
        modifiers.iter().filter_map(|modifier| self.keymap.find(modifier.keysym())).map(|stroke| stroke.code)
    }

    /// Waits until the program behind `target` has read what was typed; whether it has, while somebody waits.
    fn caught_up(
        &mut self,
        x: &X,
        target: Option<&Window>,
        until: Deadline,
        caller: &JobCaller<'_>,
    ) -> Result<bool> {
        x.sync()?;
        let Some(target) = target else {
            x.rest(IDLE)?;
            return Ok(true);
        };
        if speaks(x, target.id, x.atoms._NET_WM_PING) {
            return self.ping(x, target.id, until, caller);
        }
        let mut before = None;
        while !until.passed() && !caller.gave_up() {
            let now = target.pid.and_then(work_of);
            match (now, before) {
                (Some((work, true)), Some(earlier)) if work == earlier => return Ok(true),
                (None, Some(_)) => return Ok(true),
                _ => before = Some(now.map(|(work, _)| work).unwrap_or_default()),
            }
            x.rest(IDLE)?;
        }
        Ok(false)
    }

    /// Asks a window for a sign of life. Its answer comes by way of the root window.
    fn ping(&mut self, x: &X, window: u32, until: Deadline, caller: &JobCaller<'_>) -> Result<bool> {
        let aux = |mask| ChangeWindowAttributesAux::new().event_mask(mask);
        // GTK sends it to whoever asked for the one, Qt for the other.
        let both = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::STRUCTURE_NOTIFY;
        x.conn.change_window_attributes(x.root, &aux(both)).answered()?;
        // It may go instead of answering.
        x.conn.change_window_attributes(window, &aux(EventMask::STRUCTURE_NOTIFY)).answered()?;
        self.clock = self.clock.wrapping_add(1).max(1);
        let stamp = self.clock;
        let data = [x.atoms._NET_WM_PING, stamp, window, 0, 0];
        let message = ClientMessageEvent::new(32, window, x.atoms.WM_PROTOCOLS, data);
        x.conn.send_event(false, window, EventMask::NO_EVENT, message).answered()?;
        x.conn.flush().answered()?;
        let answered = loop {
            match x.event(until.at_most(LOOK))? {
                Some(Event::ClientMessage(message)) if message.type_ == x.atoms.WM_PROTOCOLS => {
                    let data = message.data.as_data32();
                    if data[..3] == [x.atoms._NET_WM_PING, stamp, window] {
                        break true;
                    }
                }
                Some(Event::DestroyNotify(notify)) if notify.window == window => break true,
                // The window went before it was asked.
                Some(Event::Error(error)) if error.bad_value == window => break true,
                Some(_) => {}
                None if until.passed() || caller.gave_up() => break false,
                None => {}
            }
        };
        x.conn.change_window_attributes(x.root, &aux(EventMask::NO_EVENT)).answered()?;
        x.conn.change_window_attributes(window, &aux(EventMask::NO_EVENT)).answered()?;
        x.sync()?;
        while x.conn.poll_for_event().answered()?.is_some() {}
        Ok(answered)
    }
}

fn key(x: &X, code: u8, kind: u8) -> Result<()> {
    x.conn.xtest_fake_input(kind, code, 0, x.root, 0, 0, 0).answered()?;
    Ok(())
}

/// Presses a chord's key while its modifiers are held; one that may be a `shortcut` waits for the window manager.
fn press_one(x: &X, stroke: Stroke, shortcut: bool) -> Result<()> {
    if shortcut {
        manager::caught_up(x)?;
    }
    key(x, stroke.code, KEY_PRESS_EVENT)?;
    key(x, stroke.code, KEY_RELEASE_EVENT)?;
    if shortcut { manager::caught_up(x) } else { Ok(()) }
}

/// Why the rest is not typed.
fn hangs(caller: &JobCaller<'_>) -> DeviceError {
    let hangs =
        DeviceError::call(TYPING, "the program hangs: it does not read its keys; the rest was not typed");
    if caller.gave_up() { caller.go_on(TYPING).err().unwrap_or(hangs) } else { hangs }
}

/// How long a program may take to read, of the time that there is.
fn within(caller: &JobCaller<'_>) -> Deadline {
    caller.deadline().at_most(READS_WITHIN)
}
