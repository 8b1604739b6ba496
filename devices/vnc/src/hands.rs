//! Hands: pointer and keys, as RFB sends them.
//!
//! Invariant: whatever becomes of an action, no key stays down, and no button but the one that an action of its own pressed:
//! what is held is noted before, and let go at the action's end, or before the next one.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::rfb::RfbClient;
use waldo_desktop::chord::{Chord, Modifier};
use waldo_desktop::hand::{InputOp, LONG, REST, STEP, bad, bounded, nothing_held, presses, steps};
use waldo_desktop::keysyms;
use waldo_devices::{Button, Deadline, DeviceError, Modifiers, Physical, Point, Result};

pub(crate) const NAME: &str = "the screen by VNC";

/// The pause between going down and up, and between two clicks: programs that look too seldom miss shorter ones.
const PRESS: Duration = Duration::from_millis(30);
/// The pause between two characters.
const CHARACTER: Duration = Duration::from_millis(8);
/// The pause around a character that not every keyboard has: the server lays it on a spare key, of which programs hear.
const STRANGER: Duration = Duration::from_millis(60);
/// The time that is kept for letting go.
const LET_GO: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(crate) struct VncHands {
    at: (u16, u16),
    buttons: u8,
    /// The button that stays down between actions; 0 where none does.
    kept: u8,
    keys: Vec<u32>,
}

/// The bit of a button.
///
/// # Errors
/// [`DeviceError::Unsupported`] for the fifth button, of which the protocol has no bit.
fn bit(button: Button) -> Result<u8> {
    match button {
        Button::Left => Ok(1),
        Button::Middle => Ok(2),
        Button::Right => Ok(4),
        // After the four directions of the wheel.
        Button::Back => Ok(128),
        Button::Forward => {
            Err(DeviceError::unsupported(NAME, "press the forward button: the protocol has no bit for it"))
        }
    }
}

fn pixel(at: Point<Physical>) -> (u16, u16) {
    // It was checked to be on the screen, whose sides are of two bytes.
    let whole = |v: f64| v.floor().clamp(0.0, f64::from(u16::MAX)) as u16;
    (whole(at.x), whole(at.y))
}

fn late(deadline: Deadline, began: Instant, what: &str) -> Result<()> {
    match deadline.passed() {
        true => Err(DeviceError::Timeout { what: what.to_owned(), after: began.elapsed() }),
        false => Ok(()),
    }
}

impl VncHands {
    /// Carries an action out. What is wrong with it is found before anything is touched.
    pub(crate) async fn carry_out(
        &mut self,
        op: &InputOp,
        screen: &RfbClient,
        deadline: Deadline,
    ) -> Result<()> {
        if op.needs_free_pointer() {
            self.end(screen, deadline).await?;
        }
        self.let_go(screen, deadline).await?;
        let done = self.run(op, screen, deadline).await;
        let released = self.let_go(screen, Deadline::after(LET_GO)).await;
        done.and(released)
    }

    /// Lets go of all that is held, the button that stays down between actions too.
    pub(crate) async fn end(&mut self, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        self.kept = 0;
        self.let_go(screen, deadline).await
    }

    async fn let_go(&mut self, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        while let Some(key) = self.keys.last().copied() {
            screen.key(key, false, deadline).await?;
            self.keys.pop();
        }
        if self.buttons != self.kept {
            screen.pointer(self.at, self.kept, deadline).await?;
            self.buttons = self.kept;
        }
        Ok(())
    }

    async fn run(&mut self, op: &InputOp, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        let began = Instant::now();
        match op {
            InputOp::Hover(at) => self.go(pixel(*at), screen, deadline).await,
            InputOp::Press(at, button) => {
                let bit = bit(*button)?;
                self.go(pixel(*at), screen, deadline).await?;
                self.button(bit, screen, deadline).await?;
                self.kept = bit;
                Ok(())
            }
            InputOp::Release(at) => {
                if self.kept == 0 {
                    return Err(nothing_held());
                }
                self.go(pixel(*at), screen, deadline).await?;
                sleep(REST).await;
                self.kept = 0;
                self.let_go(screen, deadline).await
            }
            InputOp::Tap(at, clicks, button, held) => {
                let bit = bit(*button)?;
                self.go(pixel(*at), screen, deadline).await?;
                self.hold(*held, screen, deadline).await?;
                for _ in 0..presses(*clicks) {
                    self.button(bit, screen, deadline).await?;
                    sleep(PRESS).await;
                    self.button(0, screen, deadline).await?;
                    sleep(PRESS).await;
                }
                Ok(())
            }
            InputOp::LongPress(at) => {
                self.go(pixel(*at), screen, deadline).await?;
                self.button(1, screen, deadline).await?;
                sleep(LONG).await;
                self.button(0, screen, deadline).await
            }
            InputOp::Drag(path, button, held) => {
                let bit = bit(*button)?;
                let first = path.first().copied().unwrap_or_default();
                self.go(pixel(first), screen, deadline).await?;
                self.hold(*held, screen, deadline).await?;
                self.button(bit, screen, deadline).await?;
                sleep(REST).await;
                for point in steps(path) {
                    late(deadline, began, "a drag")?;
                    self.go(pixel(point), screen, deadline).await?;
                    sleep(STEP).await;
                }
                sleep(REST).await;
                self.button(0, screen, deadline).await
            }
            InputOp::Scroll(at, by, held) => {
                self.go(pixel(*at), screen, deadline).await?;
                self.hold(*held, screen, deadline).await?;
                let by = bounded(*by);
                // A notch is a button that is pressed: 4 up, 5 down, 6 to the left, 7 to the right.
                for (notches, button) in [
                    (by.down, if by.down < 0 { 8 } else { 16 }),
                    (by.right, if by.right < 0 { 32 } else { 64 }),
                ] {
                    for _ in 0..notches.unsigned_abs() {
                        late(deadline, began, "the wheel")?;
                        self.button(self.kept | button, screen, deadline).await?;
                        self.button(self.kept, screen, deadline).await?;
                        sleep(STEP).await;
                    }
                }
                Ok(())
            }
            InputOp::Keys(chords) => {
                for chord in chords {
                    late(deadline, began, "keys")?;
                    self.chord(chord, screen, deadline).await?;
                }
                Ok(())
            }
            InputOp::Type(text) => self.text(text, screen, deadline).await,
        }
    }

    /// Presses modifiers, which are let go at the action's end.
    async fn hold(&mut self, held: Modifiers, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        for key in Modifier::of(held) {
            self.down(key.keysym(), screen, deadline).await?;
        }
        Ok(())
    }

    async fn go(&mut self, at: (u16, u16), screen: &RfbClient, deadline: Deadline) -> Result<()> {
        self.at = at;
        screen.pointer(at, self.buttons, deadline).await
    }

    async fn button(&mut self, buttons: u8, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        self.buttons |= buttons;
        screen.pointer(self.at, buttons, deadline).await?;
        self.buttons = buttons;
        Ok(())
    }

    async fn down(&mut self, key: u32, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        self.keys.push(key);
        screen.key(key, true, deadline).await
    }

    async fn up(&mut self, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        if let Some(key) = self.keys.last().copied() {
            screen.key(key, false, deadline).await?;
            self.keys.pop();
        }
        Ok(())
    }

    async fn chord(&mut self, chord: &Chord, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        for key in &chord.modifiers {
            self.down(key.keysym(), screen, deadline).await?;
        }
        sleep(PRESS).await;
        if let Some(key) = chord.key {
            self.down(key, screen, deadline).await?;
            sleep(PRESS).await;
            self.up(screen, deadline).await?;
        }
        sleep(PRESS).await;
        while !self.keys.is_empty() {
            self.up(screen, deadline).await?;
        }
        sleep(PRESS).await;
        Ok(())
    }

    async fn text(&mut self, text: &str, screen: &RfbClient, deadline: Deadline) -> Result<()> {
        let began = Instant::now();
        for key in keys_of(text)? {
            late(deadline, began, "typing")?;
            // Servers that press keys of a keyboard take a capital letter for its key alone.
            let shifted = (0x41..=0x5a).contains(&key);
            let strange = key >= 0xa0 && keysyms::char_of(key).is_some();
            if strange {
                sleep(STRANGER).await;
            }
            if shifted {
                self.down(keysyms::SHIFT_L, screen, deadline).await?;
            }
            self.down(key, screen, deadline).await?;
            if strange {
                sleep(STRANGER).await;
            }
            self.up(screen, deadline).await?;
            if shifted {
                self.up(screen, deadline).await?;
            }
            sleep(CHARACTER).await;
        }
        Ok(())
    }
}

fn keys_of(text: &str) -> Result<Vec<u32>> {
    let key = |c: char| {
        keysyms::of_char(c)
            .ok_or_else(|| bad("text", format!("no key types the character U+{:04X}", u32::from(c))))
    };
    text.replace("\r\n", "\n").chars().map(key).collect()
}
