//! The calls that a reply can hold, and how each is written.
//!
//! Invariant: what [`FunctionCall`] displays reads back as the same call.

use std::fmt::{self, Write as _};

use waldo_devices::catalogue::{Arg, CallTarget, ParamKind, Percent, Spot};
use waldo_devices::labels::Subarea;
use waldo_devices::{Tag, Tool, ToolCall};

#[derive(Clone, Debug, PartialEq)]
pub enum FunctionCall {
    Tool(ToolCall),
    /// `grid`: over the whole screen, or over one of the areas that are shown.
    Grid {
        area: Option<u32>,
    },
    Finish,
    Answer {
        text: String,
    },
    Infeasible {
        reason: String,
    },
}

impl From<ToolCall> for FunctionCall {
    fn from(call: ToolCall) -> Self {
        Self::Tool(call)
    }
}

impl FunctionCall {
    pub fn of(tool: Tool) -> Self {
        Self::Tool(ToolCall::new(tool))
    }

    pub fn on(tool: Tool, tag: Tag) -> Self {
        Self::Tool(ToolCall::on(tool, tag, None))
    }

    pub fn tool(&self) -> Option<&ToolCall> {
        match self {
            Self::Tool(call) => Some(call),
            _ => None,
        }
    }

    pub fn secret(&self) -> Option<&str> {
        self.tool().filter(|call| call.tool == Tool::TypeSecret)?.text("name")
    }
}

/// AppAgent's own names of tools; the others bear the catalogue's.
const NAMES: [(Tool, &str); 3] =
    [(Tool::Type, "text"), (Tool::TypeSecret, "secret"), (Tool::Navigate, "open")];

pub(super) fn name_of(tool: Tool) -> &'static str {
    NAMES.iter().find(|(own, _)| *own == tool).map_or(tool.name(), |(_, name)| name)
}

pub(super) fn tool_named(name: &str) -> Option<Tool> {
    Tool::ALL.iter().copied().find(|tool| name_of(*tool) == name)
}

impl fmt::Display for FunctionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(call) => tool_call(call, f),
            Self::Grid { area: None } => f.write_str("grid()"),
            Self::Grid { area: Some(n) } => write!(f, "grid({n})"),
            Self::Finish => f.write_str("FINISH"),
            Self::Answer { text } => write!(f, "answer({})", Quoted(text)),
            Self::Infeasible { reason } => write!(f, "infeasible({})", Quoted(reason)),
        }
    }
}

fn tool_call(call: &ToolCall, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut written: Vec<String> = Vec::new();
    // Of two places those within their elements stand at the end.
    let several = call.args().filter(|(param, _)| param.kind.takes_area()).count() > 1;
    let (mut within, mut on_grid) = (Vec::new(), false);
    let mut skipped = false;
    for (param, arg) in call.args() {
        let Some(arg) = arg else {
            skipped |= !param.kind.is_target();
            continue;
        };
        let first = written.len();
        match arg {
            Arg::Target(CallTarget::Element { tag: Tag(n), at }) => {
                written.push(n.to_string());
                match at {
                    _ if several => within.push(*at),
                    Some([x, y]) => written.extend([Num(*x).to_string(), Num(*y).to_string()]),
                    None => {}
                }
            }
            Arg::Target(CallTarget::Area(Spot { area, part })) => {
                on_grid = true;
                written.extend([area.to_string(), Quoted(part_name(*part)).to_string()]);
            }
            Arg::Target(CallTarget::Place(at)) => {
                written.extend([Num(at.x).to_string(), Num(at.y).to_string()])
            }
            Arg::Target(CallTarget::Described(what)) => {
                written.push(Quoted(what.as_deref().unwrap_or_default()).to_string());
            }
            Arg::Path(path) => written.push(format!("\"{}\"", Places(path))),
            Arg::Text(text) => written.push(Quoted(text).to_string()),
            Arg::Files(files) => written.extend(files.iter().map(|file| Quoted(file).to_string())),
            Arg::Number(n) => written.push(n.to_string()),
            Arg::Modifiers(held) => written.push(Quoted(&held.to_string()).to_string()),
            Arg::Millis(ms) => written.push(format!("{}.{:03}", ms / 1000, ms % 1000)),
            Arg::Direction(_)
            | Arg::Distance(_)
            | Arg::Side(_)
            | Arg::Reply(_)
            | Arg::Clicks(_)
            | Arg::Button(_) => written.push(format!("\"{}\"", arg.word().unwrap_or(param.name))),
        }
        // Behind one that is left out the others say which they are.
        if let Some(argument) = written.get_mut(first).filter(|_| skipped) {
            *argument = format!("{}={argument}", param.name);
        }
    }
    if within.iter().any(Option::is_some) {
        written.extend(within.iter().map(|at| format!("\"{}\"", Places(at.as_slice()))));
    }
    // AppAgent's name for what is drawn from one area to another.
    let name = if on_grid && call.tool == Tool::Drag { "swipe" } else { name_of(call.tool) };
    write!(f, "{name}({})", written.join(", "))
}

pub(super) fn in_signature(kind: ParamKind, name: &str) -> String {
    // AppAgent's words for what the catalogue calls otherwise.
    let word = match name {
        "text" => "words",
        "url" => "address",
        "key" => "keys",
        "app" => "name",
        name => name,
    };
    match kind {
        ParamKind::Place | ParamKind::Element | ParamKind::Field(_) => "element".to_owned(),
        ParamKind::PlaceWithin => "element, x, y".to_owned(),
        ParamKind::Path => "\"x,y x,y ...\"".to_owned(),
        ParamKind::Whole(..) | ParamKind::Tab | ParamKind::Window | ParamKind::Seconds => word.to_owned(),
        _ => format!("\"{word}\""),
    }
}

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
