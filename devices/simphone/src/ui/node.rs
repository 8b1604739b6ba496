//! The widget tree as the apps declare it. Lengths are in dp; layout turns them into pixels.
//!
//! An id is stable: scroll positions, typed text and the caret are kept under it, so it is unique in a screen
//! for everything that scrolls or is typed into. What a widget does is a string, handed back to the app.

use super::{icon::Icon, message::Message, shape::Shape, theme::Tone};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Len {
    Wrap,
    /// What is left, shared by weight among those that fill.
    Fill(f32),
    Dp(f32),
}

/// Where contents stand in room to spare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    #[default]
    Start,
    Centre,
    End,
}

/// Space on four sides, in dp.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Edges {
    pub l: f32,
    pub t: f32,
    pub r: f32,
    pub b: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    X,
    Y,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldInput {
    /// Anything; Enter asks the app ([`On::submit`]).
    #[default]
    Line,
    /// Anything; Enter begins a new line.
    Lines,
    Number,
    Password,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Column,
    Row,
    Stack,
    /// Children below each other in so many columns, behind a window that scrolls.
    Scroll(Axis, u32),
    Text,
    /// A drawn sign, and its side in dp.
    Icon(Icon, f32),
    /// A field to type into; its hint, and what it takes.
    Field(String, FieldInput),
    Switch(bool),
    Check(bool),
    Radio(bool),
    /// A value from 0 to a maximum.
    Slider(i32, i32),
    Progress(i32),
    /// A drawing with no tree inside. Lengths in dp from its corner.
    Canvas(Vec<Shape>),
}

/// What a widget does, as strings that come back in an [`UiEvent`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct On {
    pub tap: Option<String>,
    /// Held for half a second.
    pub long: Option<String>,
    /// Two taps in short order.
    pub double: Option<String>,
    pub dismiss: Option<String>,
    pub change: Option<String>,
    pub submit: Option<String>,
    pub drag: Option<String>,
    /// Two fingers that part or come together.
    pub pinch: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TouchPhase {
    Down,
    Move,
    Up,
    Cancel,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiEvent {
    pub on: String,
    pub kind: UiEventKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UiEventKind {
    /// A tap, at dp from the widget's corner.
    Tap(i32, i32),
    Long,
    Double,
    Dismiss,
    Text(String),
    Value(i32),
    Submit,
    /// A finger at dp from the widget's corner, and whether it touched, moved or lifted.
    Drag(i32, i32, TouchPhase),
    /// Two fingers began, moved or were lifted: thousandths of the distance at which they began, and their
    /// middle at dp from the widget's corner.
    Pinch(TouchPhase, i32, i32, i32),
    /// The screen is in front, for the first time or again.
    Shown,
    OverlayClosed,
    /// Back was pressed; an app that takes it calls `Sys::consume`.
    Back,
    NewIntent,
}

impl UiEvent {
    pub(crate) fn message<M: Message>(&self) -> Option<M> {
        M::parse(&self.on)
    }
}

#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Node {
    pub kind: Kind,
    pub class: &'static str,
    /// Its id without the package (`title`), or whole where it has a colon (`android:id/title`).
    pub id: String,
    pub text: String,
    pub desc: String,
    pub children: Vec<Node>,
    pub w: Len,
    pub h: Len,
    /// Space inside, around the contents.
    pub pad: Edges,
    pub margin: Edges,
    /// Space between children, in dp.
    pub gap: f32,
    /// Where contents stand along the main direction (for text: across).
    pub main: Align,
    pub cross: Align,
    pub bg: Option<Tone>,
    pub border: Option<Tone>,
    pub radius: f32,
    pub tone: Tone,
    pub size: f32,
    pub bold: bool,
    pub max_lines: usize,
    pub on: On,
    pub enabled: bool,
    pub selected: bool,
}

impl Node {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            class: "android.view.View",
            id: String::new(),
            text: String::new(),
            desc: String::new(),
            children: Vec::new(),
            w: Len::Wrap,
            h: Len::Wrap,
            pad: Edges::default(),
            margin: Edges::default(),
            gap: 0.0,
            main: Align::Start,
            cross: Align::Start,
            bg: None,
            border: None,
            radius: 0.0,
            tone: Tone::OnSurface,
            size: 16.0,
            bold: false,
            max_lines: usize::MAX,
            on: On::default(),
            enabled: true,
            selected: false,
        }
    }

    /// A widget as large as can be.
    pub fn whole(kind: Kind, class: &'static str, children: Vec<Self>) -> Self {
        Self { class, children, w: Len::Fill(1.0), h: Len::Fill(1.0), ..Self::new(kind) }
    }

    pub fn stack(children: Vec<Self>) -> Self {
        Self::whole(Kind::Stack, "android.widget.FrameLayout", children)
    }

    pub fn text(text: String) -> Self {
        Self { text, ..Self::whole(Kind::Text, "android.widget.TextView", Vec::new()) }
    }

    // ---- what the tree says of it

    /// Whether it is a control with two states, and which it is in.
    pub fn checked(&self) -> Option<bool> {
        match self.kind {
            Kind::Switch(v) | Kind::Check(v) | Kind::Radio(v) => Some(v),
            _ => None,
        }
    }

    pub fn clickable(&self) -> bool {
        self.on.tap.is_some() || matches!(self.kind, Kind::Field(..))
    }

    pub(crate) fn is_field(&self) -> bool {
        matches!(self.kind, Kind::Field(..))
    }
}
