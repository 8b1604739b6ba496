//! What an agent can do to a device, and what was seen to come of it.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::element::ElementRef;
use crate::geometry::{Physical, Point};

/// How many clicks make up a tap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clicks {
    /// One.
    #[default]
    Single,
    /// Two in quick succession.
    Double,
    /// Three in quick succession.
    Triple,
}

/// The button of a pointing device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    /// The main button, or a finger.
    #[default]
    Left,
    /// The one that opens context menus.
    Right,
    /// The wheel.
    Middle,
}

/// Wheel notches; positive moves the view right and down. A notch is about 120 logical pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScrollNotches {
    /// To the right.
    #[serde(default)]
    pub right: i32,
    /// Downwards.
    #[serde(default)]
    pub down: i32,
}

/// The place of a tab in the order that the observation lists them, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TabIndex(pub usize);

/// The answer to a dialog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum DialogReply {
    /// Press its OK; `text` fills a prompt.
    Accept {
        /// The text of a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Press its Cancel.
    Dismiss,
}

/// Which way a screen is up, as a quarter turn from the device's natural orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    /// The natural one; upright for a phone.
    #[default]
    Natural,
    /// Turned left by 90 degrees.
    Left,
    /// Upside down.
    Inverted,
    /// Turned right by 90 degrees.
    Right,
}

/// One action on a device. Points are physical pixels of the observed screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Action {
    /// Press and release at a point.
    Tap {
        /// Where.
        at: Point<Physical>,
        /// How often.
        #[serde(default)]
        clicks: Clicks,
        /// With which button.
        #[serde(default)]
        button: Button,
    },
    /// Press, hold for about a second, release.
    LongPress {
        /// Where.
        at: Point<Physical>,
    },
    /// Move the pointer there.
    Hover {
        /// Where.
        at: Point<Physical>,
    },
    /// Press at the first point, move along the path, release at the last. At least two points.
    Drag {
        /// The way.
        path: Vec<Point<Physical>>,
    },
    /// Press the main button at a point and keep it pressed. Whatever needs a free pointer lets it go first.
    PointerDown {
        /// Where.
        at: Point<Physical>,
    },
    /// Move the pressed pointer there in a straight line.
    PointerMove {
        /// Where.
        at: Point<Physical>,
    },
    /// Move the pressed pointer there and let it go.
    PointerUp {
        /// Where.
        at: Point<Physical>,
    },
    /// Turn the wheel over a point.
    Scroll {
        /// Where.
        at: Point<Physical>,
        /// How far.
        by: ScrollNotches,
    },
    /// Type text into what has the focus. A newline is the Enter key.
    Type {
        /// Any Unicode text.
        text: String,
    },
    /// Type the value of a named secret; records show the name only.
    TypeSecret {
        /// The secret's name.
        name: String,
    },
    /// Press a key or a chord, such as `Enter`, `ctrl+a`, `Shift+Tab`.
    Key {
        /// Keys joined by `+`.
        chord: String,
    },
    /// Focus a text element and empty it.
    Clear {
        /// The element.
        element: ElementRef,
    },
    /// Choose an option of a list by its name.
    Select {
        /// The list.
        element: ElementRef,
        /// The option's visible name.
        option: String,
    },
    /// Give files to a file field.
    Upload {
        /// The field.
        element: ElementRef,
        /// Files of the host.
        files: Vec<PathBuf>,
    },
    /// Open an address.
    Navigate {
        /// Absolute URL.
        url: String,
    },
    /// One page back in the history; the back key of a phone.
    Back,
    /// One page forward.
    Forward,
    /// Load the page again.
    Reload,
    /// Open a tab.
    NewTab {
        /// What to open in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// Bring a tab to the front.
    SwitchTab {
        /// Which.
        tab: TabIndex,
    },
    /// Close the tab in front; the last one cannot be closed.
    CloseTab,
    /// Answer the open dialog.
    Dialog {
        /// How.
        #[serde(flatten)]
        reply: DialogReply,
    },
    /// Move a finger from one point to another in a straight line, as a swipe or a fling does.
    Swipe {
        /// Where the finger is put down.
        from: Point<Physical>,
        /// Where it is lifted.
        to: Point<Physical>,
        /// How long the way takes, in milliseconds.
        ms: u64,
    },
    /// Move two fingers apart or together around a point.
    Pinch {
        /// The middle between the fingers.
        at: Point<Physical>,
        /// Fingers' last distance over their first, in percent: above 100 zooms in.
        percent: u32,
    },
    /// The home key.
    Home,
    /// The key that lists the recent apps.
    Recents,
    /// Start an app or bring it to the front.
    OpenApp {
        /// Its name as the device lists it, or its package or program.
        app: String,
    },
    /// End an app.
    StopApp {
        /// Its name as the device lists it, or its package or program.
        app: String,
    },
    /// Bring a window to the front and give it the keyboard.
    FocusWindow {
        /// Its id, as [`crate::WindowInfo`] lists it.
        window: u32,
    },
    /// Ask a window to close, as its close button does.
    CloseWindow {
        /// Its id, as [`crate::WindowInfo`] lists it.
        window: u32,
    },
    /// Run a shell command; only where the guard's policy allows it.
    Shell {
        /// The command line.
        command: String,
    },
    /// Put text on the clipboard and paste it into what has the focus.
    Paste {
        /// Any Unicode text.
        text: String,
    },
    /// Turn the screen.
    Rotate {
        /// Which way it is up afterwards.
        to: Orientation,
    },
    /// Let time pass, at most 10 s.
    Wait {
        /// How long, in milliseconds.
        ms: u64,
    },
}

/// Which rule refused an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// An origin, app or window outside the allowed ones.
    Origin,
    /// An action that the task or the command line denies.
    Denied,
    /// An action that a person had to approve, and did not.
    NotApproved,
    /// The budget is used up.
    Budget,
}

/// What was seen to come of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// Something that proves it was seen.
    Confirmed {
        /// What was seen.
        evidence: String,
    },
    /// It was carried out, and nothing tells whether it took.
    Unverifiable,
    /// It was carried out and nothing changed.
    SuspectedNoop,
    /// It was not carried out.
    Refused {
        /// Which kind of rule said no.
        kind: RefusalKind,
        /// The rule and what broke it.
        reason: String,
    },
}

/// The report on one action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionReport {
    /// What was seen.
    #[serde(flatten)]
    pub effect: Effect,
    /// How long carrying it out took, settling excluded.
    pub took: Duration,
}
