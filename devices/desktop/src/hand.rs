//! Actions of the hands: read, checked and measured before anything is touched.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action has to be named by every driver")]

use std::slice::from_ref;
use std::time::Duration;

use super::chord::{Chord, Modifier};
use super::keysyms;
use waldo_devices::geometry::along;
use waldo_devices::{
    Action, Button, Clicks, Deadline, DeviceError, Effect, ElementRef, Geometry, Modifiers, Physical, Point,
    Result, ScrollNotches, Secrets,
};

const WAIT_MAX: Duration = Duration::from_secs(10);
pub const LONG: Duration = Duration::from_millis(1_000);
/// The pause after each step of a drag: programs that get them all at once see a jump.
pub const STEP: Duration = Duration::from_millis(6);
/// The pause at both ends of a drag: drop targets look where the pointer rests.
pub const REST: Duration = Duration::from_millis(60);
const NOTCHES_MAX: i32 = 200;
const POINTS_MAX: usize = 500;

/// What is said where a button is to be let go and none is down.
pub fn nothing_held() -> DeviceError {
    bad("pointer", "no button is down: press one first")
}

pub fn bad(what: &str, message: impl Into<String>) -> DeviceError {
    DeviceError::BadArgument { what: what.to_owned(), message: message.into() }
}

pub enum InputOp {
    /// Clicks at a place, with keys held.
    Tap(Point<Physical>, Clicks, Button, Modifiers),
    LongPress(Point<Physical>),
    /// The pointer goes to a place, whatever button is held.
    Hover(Point<Physical>),
    /// The wheel turns over a place, with keys held.
    Scroll(Point<Physical>, ScrollNotches, Modifiers),
    /// A button is held along a way, and keys with it.
    Drag(Vec<Point<Physical>>, Button, Modifiers),
    /// A button goes down at a place, and stays down.
    Press(Point<Physical>, Button),
    Release(Point<Physical>),
    Type(String),
    /// Chords are pressed, one after the other.
    Keys(Vec<Chord>),
}

impl InputOp {
    /// The main button is held along a way.
    pub fn by_finger(path: Vec<Point<Physical>>) -> Self {
        Self::Drag(path, Button::Left, Modifiers::default())
    }

    /// Presses a field, empties it by the chords `away`, and types `text` where there is any.
    pub fn filling(at: Point<Physical>, away: &str, text: &str) -> Result<Vec<Self>> {
        let tap = Self::Tap(at, Clicks::Single, Button::Left, Modifiers::default());
        let mut all = vec![tap, Self::Keys(Chord::parse(away)?)];
        if !text.is_empty() {
            all.push(Self::Type(text.to_owned()));
        }
        Ok(all)
    }

    pub fn places(&self) -> &[Point<Physical>] {
        match self {
            Self::Tap(at, ..) | Self::LongPress(at) | Self::Hover(at) | Self::Scroll(at, ..) => from_ref(at),
            Self::Press(at, _) | Self::Release(at) => from_ref(at),
            Self::Drag(path, ..) => path,
            Self::Type(_) | Self::Keys(_) => &[],
        }
    }

    /// Whether keys of it may press buttons, where no field has the keyboard.
    pub fn may_press_buttons(&self) -> bool {
        matches!(self, Self::Type(_)) || self.may_press_default()
    }

    /// Whether it may press the default button of a dialog, or one that Alt and a letter name.
    pub fn may_press_default(&self) -> bool {
        let presses = |chord: &Chord| {
            let key = chord.key.is_some_and(|key| keysyms::char_of(key).is_some() || keysyms::is_enter(key));
            key && !chord.modifiers.contains(&Modifier::Control)
        };
        match self {
            Self::Type(text) => text.ends_with('\n'),
            Self::Keys(chords) => chords.iter().any(presses),
            Self::Tap(..) | Self::LongPress(_) | Self::Hover(_) | Self::Scroll(..) => false,
            Self::Drag(..) | Self::Press(..) | Self::Release(_) => false,
        }
    }

    pub fn needs_free_pointer(&self) -> bool {
        matches!(self, Self::Tap(..) | Self::LongPress(_) | Self::Drag(..) | Self::Press(..))
    }

    /// How what came of it is judged: what answers to the pointer alone often shows nothing.
    pub fn judged(&self) -> fn(Effect) -> Effect {
        if !matches!(self, Self::Hover(_) | Self::Press(..)) {
            return |effect| effect;
        }
        |effect| if effect == Effect::SuspectedNoop { Effect::Unverifiable } else { effect }
    }
}

pub enum DesktopAction<'a> {
    Hand(InputOp),
    /// A field is emptied, and this is typed into it.
    Fill(&'a ElementRef, &'a str),
    /// Time passes, in milliseconds.
    Wait(u64),
    Open(&'a str),
    Stop(&'a str),
    Focus(u32),
    Close(u32),
    Shell(&'a str),
    Paste(&'a str),
}

impl<'a> DesktopAction<'a> {
    /// Reads an action; what is wrong with it is found before anything is touched. `platform` is how errors name the
    /// device.
    pub fn read(
        action: &'a Action,
        geometry: &Geometry,
        secrets: &Secrets,
        platform: &'static str,
    ) -> Result<Self> {
        let on_screen = |at: &Point<Physical>| geometry.check(*at);
        Ok(Self::Hand(match action {
            Action::Tap { at, clicks, button } => {
                InputOp::Tap(on_screen(at)?, *clicks, *button, Modifiers::default())
            }
            Action::TapAt { at, clicks, button, modifiers } => {
                InputOp::Tap(on_screen(at)?, *clicks, *button, *modifiers)
            }
            Action::LongPress { at } => InputOp::LongPress(on_screen(at)?),
            Action::Hover { at } | Action::PointerMove { at } => InputOp::Hover(on_screen(at)?),
            Action::PointerDown { at, button } => InputOp::Press(on_screen(at)?, *button),
            Action::PointerUp { at } => InputOp::Release(on_screen(at)?),
            Action::Scroll { at, by, modifiers } => InputOp::Scroll(on_screen(at)?, *by, *modifiers),
            Action::Drag { path, button, modifiers } => {
                if path.len() < 2 {
                    return Err(bad("drag", "a path needs two points or more"));
                }
                InputOp::Drag(path.iter().map(on_screen).collect::<Result<_, _>>()?, *button, *modifiers)
            }
            Action::Swipe { from, to, .. } => InputOp::by_finger(vec![on_screen(from)?, on_screen(to)?]),
            Action::Type { text } => InputOp::Type(text.clone()),
            Action::TypeSecret { name } => InputOp::Type(secrets.typed(name)?.into_owned()),
            Action::Key { chord } => InputOp::Keys(Chord::parse(chord)?),
            Action::Clear { element } => return Ok(Self::Fill(element, "")),
            Action::Fill { element, text } => return Ok(Self::Fill(element, text)),
            Action::Wait { ms } => return Ok(Self::Wait(*ms)),
            Action::OpenApp { app } => return Ok(Self::Open(app)),
            Action::StopApp { app } => return Ok(Self::Stop(app)),
            Action::FocusWindow { window } => return Ok(Self::Focus(*window)),
            Action::CloseWindow { window } => return Ok(Self::Close(*window)),
            Action::Shell { command } => return Ok(Self::Shell(command)),
            Action::Paste { text } => return Ok(Self::Paste(text)),
            Action::Select { .. }
            | Action::Upload { .. }
            | Action::Navigate { .. }
            | Action::Back
            | Action::Forward
            | Action::Reload
            | Action::NewTab { .. }
            | Action::SwitchTab { .. }
            | Action::CloseTab
            | Action::Dialog { .. }
            | Action::Pinch { .. }
            | Action::Home
            | Action::Recents
            | Action::Rotate { .. }
            | Action::AskUser { .. }
            | Action::CallTool { .. }
            | Action::SwitchScreen { .. } => return Err(DeviceError::unsupported(platform, action.name())),
        }))
    }
}

/// Lets time pass, a moment less than there is.
pub async fn wait(ms: u64, deadline: Deadline) -> Effect {
    let left = deadline.left().saturating_sub(Duration::from_millis(50));
    tokio::time::sleep(Duration::from_millis(ms).min(WAIT_MAX).min(left)).await;
    Effect::Unverifiable
}

pub fn presses(clicks: Clicks) -> u32 {
    match clicks {
        Clicks::Single => 1,
        Clicks::Double => 2,
        Clicks::Triple => 3,
    }
}

pub fn bounded(by: ScrollNotches) -> ScrollNotches {
    let bound = |n: i32| n.clamp(-NOTCHES_MAX, NOTCHES_MAX);
    ScrollNotches { right: bound(by.right), down: bound(by.down) }
}

/// The points of a drag after the first: corners, and enough between them for programs that watch the way.
pub fn steps(path: &[Point<Physical>]) -> Vec<Point<Physical>> {
    along(path, 12.0, 4, 30).take(POINTS_MAX).collect()
}
