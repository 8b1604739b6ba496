//! What actions do, whatever they are called: what the guard judges, and where a gate has to look.
//!
//! Invariant: [`Action::placed`] is the one place that says so, and it has no wildcard: an action that is not
//! placed does not compile. Where it cannot be told what an input does, it does everything.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::action::{Action, Button, DialogReply};
use crate::aim::{Focus, Target};
use crate::chords;
use crate::device::Platform;
use crate::geometry::{Physical, Point};

macro_rules! action_effects {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $does:literal;)*) => {
        /// One thing that an action may do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ActionEffect { $(#[doc = $does] $variant,)* }

        impl ActionEffect {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name, as `--deny` and `--ask` take it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, as the end of a sentence that begins with "it".
            pub fn does(self) -> &'static str {
                match self { $(Self::$variant => $does,)* }
            }
        }
    };
}

action_effects! {
    Press = "press", "presses what lies at a place or has the focus";
    Drag = "drag", "moves a pressed pointer or a finger";
    Point = "point", "moves the pointer";
    Scroll = "scroll", "scrolls";
    Zoom = "zoom", "zooms";
    Type = "type", "enters text";
    Secret = "secret", "enters a secret's value";
    Key = "key", "presses keys";
    Clear = "clear", "deletes text";
    Copy = "copy", "copies to the clipboard";
    Paste = "paste", "pastes the clipboard";
    Select = "select", "chooses an option by its name";
    Upload = "upload", "gives a file to the page";
    Save = "save", "saves to a file";
    Navigate = "navigate", "goes to an address of the agent's choice";
    Back = "back", "goes back";
    Forward = "forward", "goes forward";
    Reload = "reload", "loads the page again";
    NewTab = "new_tab", "opens a tab or window";
    SwitchTab = "switch_tab", "brings another tab to the front";
    CloseTab = "close_tab", "closes a tab";
    AnswerDialog = "dialog", "answers a dialog";
    LeaveApp = "leave_app", "leaves the app in front";
    Home = "home", "goes to the home screen";
    Recents = "recents", "lists the recent apps";
    OpenApp = "open_app", "opens an app";
    StopApp = "stop_app", "ends an app";
    FocusWindow = "focus_window", "brings another window to the front";
    CloseWindow = "close_window", "closes a window";
    RunCommand = "run_command", "runs a command";
    Media = "media", "plays, pauses or changes the volume";
    Rotate = "rotate", "turns the screen";
    Wait = "wait", "lets time pass";
}

macro_rules! action_kinds {
    ($($kind:ident = $name:literal => $effect:ident;)*) => {
        /// Which action, without its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ActionKind { $(#[doc = $name] $kind,)* }

        impl ActionKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The action's name as it is serialised.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// What who denies this action denies: every action that does it.
            pub fn characteristic(self) -> ActionEffect {
                match self { $(Self::$kind => ActionEffect::$effect,)* }
            }
        }
    };
}

action_kinds! {
    Tap = "tap" => Press;
    LongPress = "long_press" => Press;
    Hover = "hover" => Point;
    Drag = "drag" => Drag;
    PointerDown = "pointer_down" => Drag;
    PointerMove = "pointer_move" => Drag;
    PointerUp = "pointer_up" => Drag;
    Scroll = "scroll" => Scroll;
    Type = "type" => Type;
    TypeSecret = "type_secret" => Secret;
    Key = "key" => Key;
    Clear = "clear" => Clear;
    Select = "select" => Select;
    Upload = "upload" => Upload;
    Navigate = "navigate" => Navigate;
    Back = "back" => Back;
    Forward = "forward" => Forward;
    Reload = "reload" => Reload;
    NewTab = "new_tab" => NewTab;
    SwitchTab = "switch_tab" => SwitchTab;
    CloseTab = "close_tab" => CloseTab;
    Dialog = "dialog" => AnswerDialog;
    Swipe = "swipe" => Drag;
    Pinch = "pinch" => Zoom;
    Home = "home" => Home;
    Recents = "recents" => Recents;
    OpenApp = "open_app" => OpenApp;
    StopApp = "stop_app" => StopApp;
    FocusWindow = "focus_window" => FocusWindow;
    CloseWindow = "close_window" => CloseWindow;
    Shell = "shell" => RunCommand;
    Paste = "paste" => Paste;
    Rotate = "rotate" => Rotate;
    Wait = "wait" => Wait;
}

/// A set of effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects(u64);

impl Effects {
    /// Everything: what an input does of which nothing is known.
    pub fn all() -> Self {
        Self::of(ActionEffect::ALL)
    }

    /// These.
    pub const fn of(effects: &[ActionEffect]) -> Self {
        let (mut bits, mut n) = (0, 0);
        while n < effects.len() {
            bits |= 1 << effects[n] as u64;
            n += 1;
        }
        Self(bits)
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is among them.
    pub fn contains(self, effect: ActionEffect) -> bool {
        self.0 & Self::of(&[effect]).0 != 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = ActionEffect> {
        ActionEffect::ALL.iter().copied().filter(move |effect| self.contains(*effect))
    }
}

/// A name of `--deny` or `--ask`: of an action, for what is characteristic of it, or of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "String")]
pub struct GuardName {
    name: &'static str,
    effect: ActionEffect,
}

/// A name that is neither an action nor an effect; it would guard against nothing.
#[derive(Debug, thiserror::Error)]
#[error("there is no action and no effect '{0}'")]
pub struct BadGuardName(pub String);

impl GuardName {
    /// All that there are: the actions in their order, then the effects that no action is named after.
    pub fn all() -> Vec<Self> {
        let actions =
            ActionKind::ALL.iter().map(|kind| Self { name: kind.name(), effect: kind.characteristic() });
        let mut all: Vec<Self> = actions.collect();
        for effect in ActionEffect::ALL {
            if !all.iter().any(|known| known.name == effect.name()) {
                all.push(Self { name: effect.name(), effect: *effect });
            }
        }
        all
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`BadGuardName`] where there is none such.
    pub fn parse(text: &str) -> Result<Self, BadGuardName> {
        Self::all().into_iter().find(|known| known.name == text).ok_or_else(|| BadGuardName(text.to_owned()))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// What it stands for.
    pub fn effect(self) -> ActionEffect {
        self.effect
    }
}

impl fmt::Display for GuardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<'de> Deserialize<'de> for GuardName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl From<GuardName> for String {
    fn from(name: GuardName) -> Self {
        name.name.to_owned()
    }
}

/// All that guard and gate have to know of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<'a> {
    /// Which it is.
    pub kind: ActionKind,
    /// What it does.
    pub effects: Effects,
    /// Where it acts.
    pub target: Target,
    /// The address that it opens.
    pub address: Option<&'a str>,
}

impl<'a> Placed<'a> {
    fn new(kind: ActionKind, effects: &[ActionEffect]) -> Self {
        Self { kind, effects: Effects::of(effects), target: Target::default(), address: None }
    }

    fn and(mut self, effects: Effects) -> Self {
        self.effects = self.effects.and(effects);
        self
    }

    fn at(mut self, points: &[Point<Physical>]) -> Self {
        self.target.points = points.to_vec();
        self
    }

    fn pressed(mut self) -> Self {
        self.target.pressed = true;
        self
    }

    fn keyed(mut self) -> Self {
        self.target.focus = Focus::Used;
        self
    }

    fn opens(mut self, address: &'a str) -> Self {
        self.address = Some(address);
        self
    }
}

impl Action {
    /// What the guard and the gate have to know of it on a device of this platform.
    pub fn placed(&self, on: Platform) -> Placed<'_> {
        use ActionEffect as E;
        use ActionKind as K;
        // On a phone whatever touches is a finger, and a finger that stays within a control presses it.
        let finger =
            if on == Platform::Android { Effects::of(&[E::Press, E::Drag]) } else { Effects::default() };
        let leaves = if on == Platform::Android { Effects::of(&[E::LeaveApp]) } else { Effects::default() };
        match self {
            Self::Tap { at, button, clicks: _ } => Placed::new(K::Tap, by(*button)).at(&[*at]),
            Self::LongPress { at } => Placed::new(K::LongPress, &[E::Press]).at(&[*at]),
            Self::Hover { at } => Placed::new(K::Hover, &[E::Point]).at(&[*at]),
            // Whoever can drag can press: the way may begin and end on one control.
            Self::Drag { path } => Placed::new(K::Drag, &[E::Drag, E::Press, E::Scroll]).at(path).pressed(),
            Self::PointerDown { at } => Placed::new(K::PointerDown, &[E::Press, E::Drag]).at(&[*at]),
            Self::PointerMove { at } => {
                Placed::new(K::PointerMove, &[E::Drag, E::Point]).at(&[*at]).pressed()
            }
            // It lets go of what had to be pressed first.
            Self::PointerUp { at } => Placed::new(K::PointerUp, &[E::Drag]).at(&[*at]).pressed(),
            Self::Scroll { at, by: _ } => Placed::new(K::Scroll, &[E::Scroll]).and(finger).at(&[*at]),
            Self::Type { text } => Placed::new(K::Type, &[E::Type]).and(typed(text)).keyed(),
            // Of its value nothing is known here: a blank in it presses.
            Self::TypeSecret { name: _ } => {
                Placed::new(K::TypeSecret, &[E::Type, E::Secret, E::Press]).keyed()
            }
            Self::Key { chord } => Placed::new(K::Key, &[E::Key]).and(chords::effects(chord, on)).keyed(),
            Self::Clear { element: _ } => Placed::new(K::Clear, &[E::Clear]),
            Self::Select { element: _, option: _ } => Placed::new(K::Select, &[E::Select]),
            Self::Upload { element: _, files: _ } => Placed::new(K::Upload, &[E::Upload]),
            Self::Navigate { url } => {
                let opens: &[E] = if on == Platform::Android { &[E::OpenApp, E::LeaveApp] } else { &[] };
                Placed::new(K::Navigate, &[E::Navigate]).and(Effects::of(opens)).opens(url)
            }
            Self::Back => Placed::new(K::Back, &[E::Back]).and(leaves),
            Self::Forward => Placed::new(K::Forward, &[E::Forward]),
            Self::Reload => Placed::new(K::Reload, &[E::Reload]),
            Self::NewTab { url: None } => Placed::new(K::NewTab, &[E::NewTab]),
            Self::NewTab { url: Some(url) } => Placed::new(K::NewTab, &[E::NewTab, E::Navigate]).opens(url),
            Self::SwitchTab { tab: _ } => Placed::new(K::SwitchTab, &[E::SwitchTab]),
            Self::CloseTab => Placed::new(K::CloseTab, &[E::CloseTab]),
            Self::Dialog { reply } => Placed::new(K::Dialog, &[E::AnswerDialog]).and(answered(reply)),
            Self::Swipe { from, to, ms: _ } => {
                Placed::new(K::Swipe, &[E::Drag, E::Press, E::Scroll]).at(&[*from, *to]).pressed()
            }
            Self::Pinch { at, percent: _ } => Placed::new(K::Pinch, &[E::Zoom]).and(finger).at(&[*at]),
            Self::Home => Placed::new(K::Home, &[E::Home, E::LeaveApp]),
            Self::Recents => Placed::new(K::Recents, &[E::Recents, E::LeaveApp]),
            Self::OpenApp { app: _ } => Placed::new(K::OpenApp, &[E::OpenApp, E::FocusWindow, E::LeaveApp]),
            Self::StopApp { app: _ } => {
                Placed::new(K::StopApp, &[E::StopApp, E::CloseWindow, E::CloseTab, E::LeaveApp])
            }
            Self::FocusWindow { window: _ } => Placed::new(K::FocusWindow, &[E::FocusWindow, E::LeaveApp]),
            // The last window of a program ends it, and takes its tabs along.
            Self::CloseWindow { window: _ } => {
                Placed::new(K::CloseWindow, &[E::CloseWindow, E::CloseTab, E::StopApp, E::LeaveApp])
            }
            Self::Shell { command: _ } => Placed::new(K::Shell, ActionEffect::ALL),
            Self::Paste { text } => Placed::new(K::Paste, &[E::Paste, E::Type]).and(pasted(text)).keyed(),
            Self::Rotate { to: _ } => Placed::new(K::Rotate, &[E::Rotate]),
            Self::Wait { ms: _ } => Placed::new(K::Wait, &[E::Wait]),
        }
    }

    /// What it does on a device of this platform.
    pub fn effects(&self, on: Platform) -> Effects {
        self.placed(on).effects
    }

    /// Which action it is.
    pub fn kind(&self) -> ActionKind {
        // The kind is the same on every platform.
        self.placed(Platform::Web).kind
    }

    /// The action's name as it is serialised.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// The point that the action was aimed at, where it has one; a drag's last point.
    pub fn point(&self) -> Option<Point<Physical>> {
        self.placed(Platform::Web).target.points.last().copied()
    }
}

/// The middle button opens links in tabs, and pastes what is selected.
fn by(button: Button) -> &'static [ActionEffect] {
    match button {
        Button::Left | Button::Right => &[ActionEffect::Press],
        Button::Middle => {
            &[ActionEffect::Press, ActionEffect::NewTab, ActionEffect::Paste, ActionEffect::Type]
        }
    }
}

/// What typing a text does besides entering it: its keys go to what has the focus, and there a blank or the
/// Enter key presses.
fn typed(text: &str) -> Effects {
    let of_char = |c: char| match c {
        '\n' | '\r' => Effects::of(&[ActionEffect::Key, ActionEffect::Press]),
        '\t' => Effects::of(&[ActionEffect::Key]),
        c if c.is_control() => Effects::all(),
        c if c.is_whitespace() => Effects::of(&[ActionEffect::Press]),
        _ => Effects::default(),
    };
    text.chars().map(of_char).fold(Effects::default(), Effects::and)
}

/// A pasted line is carried out by a terminal.
fn pasted(text: &str) -> Effects {
    if text.contains(['\n', '\r']) { Effects::of(&[ActionEffect::Press]) } else { Effects::default() }
}

fn answered(reply: &DialogReply) -> Effects {
    match reply {
        DialogReply::Accept { text: Some(_) } => Effects::of(&[ActionEffect::Press, ActionEffect::Type]),
        DialogReply::Accept { text: None } => Effects::of(&[ActionEffect::Press]),
        DialogReply::Dismiss => Effects::default(),
    }
}

#[cfg(test)]
mod tests;
