//! The calls that a reply can hold, and how each is written.
//!
//! Invariant: what [`Call`] displays reads back as the same call.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use waldo_devices::labels::Subarea;
use waldo_devices::{DialogReply, Orientation, Tag};

/// A place within an element, in percent of its width and height, from its top left corner.
pub type Percent = [f64; 2];

/// How an element is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Press {
    Tap,
    DoubleTap,
    TripleTap,
    RightTap,
    LongPress,
    Hover,
}

impl Press {
    /// The function's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tap => "tap",
            Self::DoubleTap => "double_tap",
            Self::TripleTap => "triple_tap",
            Self::RightTap => "right_tap",
            Self::LongPress => "long_press",
            Self::Hover => "hover",
        }
    }
}

/// One of four directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl Direction {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// Reads a direction, without regard to case.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.trim().to_ascii_lowercase().as_str() {
            "up" | "upward" | "upwards" => Self::Up,
            "down" | "downward" | "downwards" => Self::Down,
            "left" | "leftward" | "leftwards" => Self::Left,
            "right" | "rightward" | "rightwards" => Self::Right,
            _ => return None,
        })
    }
}

/// How far a swipe goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Distance {
    Short,
    Medium,
    Long,
}

impl Distance {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Medium => "medium",
            Self::Long => "long",
        }
    }

    /// Reads a distance, without regard to case.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.trim().to_ascii_lowercase().as_str() {
            "short" | "small" => Self::Short,
            "medium" | "middle" => Self::Medium,
            "long" | "large" => Self::Long,
            _ => return None,
        })
    }

    /// 1, 2 or 3 units.
    pub const fn units(self) -> u8 {
        match self {
            Self::Short => 1,
            Self::Medium => 2,
            Self::Long => 3,
        }
    }
}

/// A place of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The area's number.
    pub area: u32,
    /// The place within it.
    pub part: Subarea,
}

/// What a reply asks for.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields are the arguments of the function that the catalogue describes")]
pub enum Call {
    /// `tap` and its kin, at the element's hit point when there is no place.
    Press { how: Press, tag: Tag, at: Option<Percent> },
    /// `text`.
    Text { text: String },
    /// `secret`.
    Secret { name: String },
    /// `swipe` in the direction that a finger would move.
    Swipe { tag: Tag, towards: Direction, distance: Distance },
    /// `scroll` in the direction of what comes into view.
    Scroll { tag: Option<Tag>, towards: Direction, notches: Option<u32> },
    /// `drag` from one element to another.
    Drag { from: Tag, start: Option<Percent>, to: Tag, end: Option<Percent> },
    /// `drag_path` within one element.
    DragPath { tag: Tag, path: Vec<Percent> },
    /// `pinch`: the fingers' last distance over their first, in percent.
    Pinch { tag: Tag, percent: u32 },
    /// `key`.
    Key { chord: String },
    /// `enter`.
    Enter,
    /// `clear`.
    Clear { tag: Tag },
    /// `select`.
    Select { tag: Tag, option: String },
    /// `upload`.
    Upload { tag: Tag, files: Vec<String> },
    /// `open`.
    Open { url: String },
    /// `back`.
    Back,
    /// `forward`.
    Forward,
    /// `reload`.
    Reload,
    /// `new_tab`.
    NewTab { url: Option<String> },
    /// `switch_tab`; tabs count from 1.
    SwitchTab { tab: u32 },
    /// `close_tab`.
    CloseTab,
    /// `dialog`.
    Dialog { reply: DialogReply },
    /// `home`.
    Home,
    /// `recents`.
    Recents,
    /// `open_app`.
    OpenApp { app: String },
    /// `stop_app`.
    StopApp { app: String },
    /// `rotate`.
    Rotate { to: Orientation },
    /// `wait`.
    Wait { ms: u64 },
    /// `grid`.
    Grid,
    /// `tap` or `long_press` on a grid.
    PressArea { how: Press, spot: Spot },
    /// `swipe` on a grid.
    SwipeAreas { from: Spot, to: Spot },
    /// `FINISH`.
    Finish,
    /// `answer`.
    Answer { text: String },
    /// `infeasible`.
    Infeasible { reason: String },
}

/// The wait that `wait()` stands for.
pub const WAIT_MS: u64 = 1000;

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Press { how, tag: Tag(n), at: None } => write!(f, "{}({n})", how.name()),
            Self::Press { how, tag: Tag(n), at: Some([x, y]) } => {
                let name = if *how == Press::Tap { "tap_at" } else { how.name() };
                write!(f, "{name}({n}, {}, {})", Num(*x), Num(*y))
            }
            Self::Text { text } => write!(f, "text({})", Quoted(text)),
            Self::Secret { name } => write!(f, "secret({})", Quoted(name)),
            Self::Swipe { tag: Tag(n), towards, distance } => {
                write!(f, "swipe({n}, \"{}\", \"{}\")", towards.name(), distance.name())
            }
            Self::Scroll { tag, towards, notches } => {
                f.write_str("scroll(")?;
                if let Some(Tag(n)) = tag {
                    write!(f, "{n}, ")?;
                }
                write!(f, "\"{}\"", towards.name())?;
                if let Some(notches) = notches {
                    write!(f, ", {notches}")?;
                }
                f.write_char(')')
            }
            Self::Drag { from: Tag(a), start: None, to: Tag(b), end: None } => write!(f, "drag({a}, {b})"),
            Self::Drag { from: Tag(a), start, to: Tag(b), end } => {
                write!(f, "drag({a}, {b}, \"{}\", \"{}\")", Places(start.as_slice()), Places(end.as_slice()))
            }
            Self::DragPath { tag: Tag(n), path } => write!(f, "drag_path({n}, \"{}\")", Places(path)),
            Self::Pinch { tag: Tag(n), percent } => write!(f, "pinch({n}, {percent})"),
            Self::Key { chord } => write!(f, "key({})", Quoted(chord)),
            Self::Enter => f.write_str("enter()"),
            Self::Clear { tag: Tag(n) } => write!(f, "clear({n})"),
            Self::Select { tag: Tag(n), option } => write!(f, "select({n}, {})", Quoted(option)),
            Self::Upload { tag: Tag(n), files } => {
                write!(f, "upload({n}")?;
                for file in files {
                    write!(f, ", {}", Quoted(file))?;
                }
                f.write_char(')')
            }
            Self::Open { url } => write!(f, "open({})", Quoted(url)),
            Self::Back => f.write_str("back()"),
            Self::Forward => f.write_str("forward()"),
            Self::Reload => f.write_str("reload()"),
            Self::NewTab { url: None } => f.write_str("new_tab()"),
            Self::NewTab { url: Some(url) } => write!(f, "new_tab({})", Quoted(url)),
            Self::SwitchTab { tab } => write!(f, "switch_tab({tab})"),
            Self::CloseTab => f.write_str("close_tab()"),
            Self::Dialog { reply: DialogReply::Accept { text: None } } => f.write_str("dialog(\"accept\")"),
            Self::Dialog { reply: DialogReply::Accept { text: Some(text) } } => {
                write!(f, "dialog(\"accept\", {})", Quoted(text))
            }
            Self::Dialog { reply: DialogReply::Dismiss } => f.write_str("dialog(\"dismiss\")"),
            Self::Home => f.write_str("home()"),
            Self::Recents => f.write_str("recents()"),
            Self::OpenApp { app } => write!(f, "open_app({})", Quoted(app)),
            Self::StopApp { app } => write!(f, "stop_app({})", Quoted(app)),
            Self::Rotate { to } => write!(f, "rotate(\"{}\")", side_name(*to)),
            Self::Wait { ms: WAIT_MS } => f.write_str("wait()"),
            Self::Wait { ms } => write!(f, "wait({}.{:03})", ms / 1000, ms % 1000),
            Self::Grid => f.write_str("grid()"),
            Self::PressArea { how, spot } => write!(f, "{}({spot})", how.name()),
            Self::SwipeAreas { from, to } => write!(f, "swipe({from}, {to})"),
            Self::Finish => f.write_str("FINISH"),
            Self::Answer { text } => write!(f, "answer({})", Quoted(text)),
            Self::Infeasible { reason } => write!(f, "infeasible({})", Quoted(reason)),
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, \"{}\"", self.area, part_name(self.part))
    }
}

/// A side of a phone as it is written.
const fn side_name(side: Orientation) -> &'static str {
    match side {
        Orientation::Natural => "upright",
        Orientation::Left => "left",
        Orientation::Inverted => "upside-down",
        Orientation::Right => "right",
    }
}

/// A part of an area as it is written.
pub(crate) const fn part_name(part: Subarea) -> &'static str {
    match part {
        Subarea::Center => "center",
        Subarea::TopLeft => "top-left",
        Subarea::Top => "top",
        Subarea::TopRight => "top-right",
        Subarea::Left => "left",
        Subarea::Right => "right",
        Subarea::BottomLeft => "bottom-left",
        Subarea::Bottom => "bottom",
        Subarea::BottomRight => "bottom-right",
    }
}

/// The parts of an area, in the order in which a prompt names them.
pub(crate) const PARTS: [Subarea; 9] = [
    Subarea::Center,
    Subarea::TopLeft,
    Subarea::Top,
    Subarea::TopRight,
    Subarea::Left,
    Subarea::Right,
    Subarea::BottomLeft,
    Subarea::Bottom,
    Subarea::BottomRight,
];

/// A number with at most four decimals.
struct Num(f64);

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 10_000.0).round() / 10_000.0)
    }
}

/// Places, as in `10,20 30,40`.
struct Places<'a>(&'a [Percent]);

impl fmt::Display for Places<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, [x, y]) in self.0.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(f, "{gap}{},{}", Num(*x), Num(*y))?;
        }
        Ok(())
    }
}

/// A text in double quotes.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
