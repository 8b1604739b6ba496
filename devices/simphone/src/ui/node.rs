//! The widget tree as the apps declare it. Lengths are in dp; layout turns them into pixels.
//!
//! An id is stable: scroll positions, typed text and the caret are kept under it, so it is unique in a screen
//! for everything that scrolls or is typed into. What a widget does is a string, handed back to the app.

use super::{icon::Icon, message::Message, shape::Shape, theme::Tone};

/// A length in one direction.
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

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldInput {
    /// Anything; Enter asks the app ([`On::submit`]).
    #[default]
    Line,
    /// Anything; Enter begins a new line.
    Lines,
    /// Digits and what belongs to numbers.
    Number,
    /// Hidden as it is typed.
    Password,
}

/// What a widget is.
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
    /// A share done, in thousandths.
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
    /// Swiped off to a side.
    pub dismiss: Option<String>,
    /// A field's text or a slider's value has changed.
    pub change: Option<String>,
    /// Enter in a field of one line.
    pub submit: Option<String>,
    /// A finger's way over a canvas.
    pub drag: Option<String>,
    /// Two fingers that part or come together.
    pub pinch: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TouchPhase {
    Down,
    Move,
    Up,
    /// The gesture is given up.
    Cancel,
}

/// What happened, for an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UiEvent {
    pub on: String,
    pub kind: UiEventKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UiEventKind {
    /// A tap, at dp from the widget's corner.
    Tap(i32, i32),
    /// Held for half a second.
    Long,
    /// Two taps in short order.
    Double,
    /// Swiped off to a side.
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
    /// The overlay was closed without a choice.
    OverlayClosed,
    /// Back was pressed; an app that takes it calls `Sys::consume`.
    Back,
    /// An intent came to a screen already in front.
    NewIntent,
}

impl UiEvent {
    /// The app's message that the widget carries.
    pub(crate) fn message<M: Message>(&self) -> Option<M> {
        M::parse(&self.on)
    }
}

/// A widget and what is in it.
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
    /// Where contents stand in the other direction.
    pub cross: Align,
    pub bg: Option<Tone>,
    pub border: Option<Tone>,
    /// Radius of the corners, in dp.
    pub radius: f32,
    /// Colour of text and signs.
    pub tone: Tone,
    /// Size of text, in sp.
    pub size: f32,
    pub bold: bool,
    /// Lines of text at most.
    pub max_lines: usize,
    pub on: On,
    /// Whether it can be used.
    pub enabled: bool,
    /// Whether it is the chosen one of several.
    pub selected: bool,
}

impl Node {
    /// A bare widget of a kind and class.
    pub fn new(kind: Kind, class: &'static str) -> Self {
        Self {
            kind,
            class,
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

    /// Children below each other, as wide as can be.
    pub fn column(children: Vec<Self>) -> Self {
        let mut n = Self::new(Kind::Column, "android.widget.LinearLayout");
        (n.w, n.children) = (Len::Fill(1.0), children);
        n
    }

    /// Children beside each other, as wide as can be, in the middle of the height.
    pub fn row(children: Vec<Self>) -> Self {
        let mut n = Self::new(Kind::Row, "android.widget.LinearLayout");
        (n.w, n.cross, n.children) = (Len::Fill(1.0), Align::Centre, children);
        n
    }

    /// Children over each other.
    pub fn stack(children: Vec<Self>) -> Self {
        let mut n = Self::new(Kind::Stack, "android.widget.FrameLayout");
        (n.w, n.h, n.children) = (Len::Fill(1.0), Len::Fill(1.0), children);
        n
    }

    /// A list that scrolls and holds only what is seen (`RecyclerView`).
    pub fn list(id: &str, children: Vec<Self>) -> Self {
        Self::grid(id, 1, children)
    }

    /// A list in columns.
    pub fn grid(id: &str, columns: u32, children: Vec<Self>) -> Self {
        let mut n =
            Self::new(Kind::Scroll(Axis::Y, columns.max(1)), "androidx.recyclerview.widget.RecyclerView");
        (n.w, n.h, n.children) = (Len::Fill(1.0), Len::Fill(1.0), children);
        n.id(id)
    }

    /// A page that scrolls (`ScrollView`).
    pub fn scroll(id: &str, children: Vec<Self>) -> Self {
        let mut n = Self::new(Kind::Scroll(Axis::Y, 1), "android.widget.ScrollView");
        (n.w, n.h, n.children) = (Len::Fill(1.0), Len::Fill(1.0), children);
        n.id(id)
    }

    /// A strip that scrolls sideways.
    pub fn strip(id: &str, children: Vec<Self>) -> Self {
        let mut n = Self::new(Kind::Scroll(Axis::X, 1), "android.widget.HorizontalScrollView");
        (n.w, n.cross, n.children) = (Len::Fill(1.0), Align::Centre, children);
        n.id(id)
    }

    pub fn text(text: impl Into<String>) -> Self {
        let mut n = Self::new(Kind::Text, "android.widget.TextView");
        n.text = text.into();
        n
    }

    /// Text of a size in sp, with an id.
    pub fn label(id: &str, text: impl Into<String>, sp: f32) -> Self {
        Self::text(text).id(id).sp(sp)
    }

    /// A sign of a side in dp.
    pub fn icon(icon: Icon, side: f32) -> Self {
        Self::new(Kind::Icon(icon, side), "android.widget.ImageView")
    }

    /// A sign that only adorns what it stands in: the tree says it is a plain view.
    pub fn mark(icon: Icon, side: f32, tone: Tone) -> Self {
        Self::icon(icon, side).class("android.view.View").tone(tone)
    }

    /// A field of a size, empty but for its hint.
    pub fn field(id: &str, hint: &str) -> Self {
        let mut n = Self::new(Kind::Field(hint.to_owned(), FieldInput::Line), "android.widget.EditText");
        (n.w, n.pad) = (Len::Fill(1.0), Edges { l: 16.0, t: 14.0, r: 16.0, b: 14.0 });
        (n.border, n.radius, n.max_lines) = (Some(Tone::Outline), 6.0, 1);
        n.id(id)
    }

    pub fn canvas(class: &'static str, shapes: Vec<Shape>) -> Self {
        let mut n = Self::new(Kind::Canvas(shapes), class);
        (n.w, n.h) = (Len::Fill(1.0), Len::Fill(1.0));
        n
    }

    /// Nothing, so wide and high in dp.
    pub fn space(w: f32, h: f32) -> Self {
        Self::new(Kind::Stack, "android.widget.Space").dp(w, h)
    }

    /// Nothing, taking what is left.
    pub(crate) fn spring() -> Self {
        Self::new(Kind::Stack, "android.widget.Space").size(Len::Fill(1.0), Len::Fill(1.0))
    }

    /// A thin line across.
    pub fn line() -> Self {
        Self::new(Kind::Stack, "android.view.View").size(Len::Fill(1.0), Len::Dp(1.0)).bg(Tone::Line)
    }

    pub fn slider(id: &str, value: i32, max: i32, on: impl Into<String>) -> Self {
        Self::new(Kind::Slider(value.clamp(0, max), max.max(1)), "android.widget.SeekBar")
            .size(Len::Fill(1.0), Len::Dp(40.0))
            .change(on)
            .id(id)
    }

    /// How much is done, from 0 to 1000.
    pub fn progress(thousandths: i32) -> Self {
        Self::new(Kind::Progress(thousandths.clamp(0, 1000)), "android.widget.ProgressBar")
            .size(Len::Fill(1.0), Len::Dp(4.0))
    }

    // ---- what the tree says of it

    /// Whether it is a control with two states, and which it is in.
    pub fn checked(&self) -> Option<bool> {
        match self.kind {
            Kind::Switch(v) | Kind::Check(v) | Kind::Radio(v) => Some(v),
            _ => None,
        }
    }

    /// Whether a tap does something.
    pub fn clickable(&self) -> bool {
        self.on.tap.is_some() || matches!(self.kind, Kind::Field(..))
    }

    /// Whether it is a field to type into.
    pub(crate) fn is_field(&self) -> bool {
        matches!(self.kind, Kind::Field(..))
    }
}
