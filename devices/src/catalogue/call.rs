use serde::{Deserialize, Serialize};

use super::table::Tool;
use super::{Direction, Distance, Param, Reply};
use crate::action_parts::{Button, Clicks, Modifiers, Orientation};
use crate::geometry::{Physical, Point};
use crate::labels::Subarea;
use crate::tag::Tag;

/// A place within an element, in percent of its width and height, from its top left corner.
pub type Percent = [f64; 2];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    pub area: u32,
    pub part: Subarea,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallTarget {
    /// An element by its number, and a place within it where its best is not meant.
    Element {
        tag: Tag,
        at: Option<Percent>,
    },
    Area(Spot),
    Place(Point<Physical>),
    Described(Option<String>),
}

/// The value of a parameter, as a player gave it.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    Target(CallTarget),
    Path(Vec<Percent>),
    Text(String),
    Files(Vec<String>),
    Direction(Direction),
    Distance(Distance),
    Number(u32),
    Millis(u64),
    Side(Orientation),
    Reply(Reply),
    Clicks(Clicks),
    Button(Button),
    Modifiers(Modifiers),
}

/// A call of a tool: its arguments in the order of the tool's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub tool: Tool,
    args: Vec<Option<Arg>>,
}

impl ToolCall {
    pub fn new(tool: Tool) -> Self {
        Self { tool, args: vec![None; tool.spec().params.len()] }
    }

    /// With an argument; one that the tool has no parameter for is left out.
    #[must_use]
    pub fn with(mut self, param: &str, arg: impl Into<Arg>) -> Self {
        if let Some(place) = self.tool.spec().position(param) {
            self.args[place] = Some(arg.into());
        }
        self
    }

    /// On an element, at a place within it.
    pub fn on(tool: Tool, tag: Tag, at: Option<Percent>) -> Self {
        Self::aimed(tool, CallTarget::Element { tag, at })
    }

    pub fn aimed(tool: Tool, target: CallTarget) -> Self {
        let mut call = Self::new(tool);
        if let Some(place) = tool.spec().params.iter().position(|p| p.kind.is_target()) {
            call.args[place] = Some(Arg::Target(target));
        }
        call
    }

    pub fn set(&mut self, place: usize, arg: Option<Arg>) {
        if let Some(slot) = self.args.get_mut(place) {
            *slot = arg;
        }
    }

    pub fn arg(&self, param: &str) -> Option<&Arg> {
        self.tool.spec().position(param).and_then(|place| self.args[place].as_ref())
    }

    pub fn args(&self) -> impl Iterator<Item = (&'static Param, Option<&Arg>)> {
        self.tool.spec().params.iter().zip(self.args.iter().map(Option::as_ref))
    }

    pub fn targets(&self) -> impl Iterator<Item = &CallTarget> {
        self.args.iter().filter_map(|arg| match arg {
            Some(Arg::Target(target)) => Some(target),
            _ => None,
        })
    }

    pub fn tag(&self) -> Option<Tag> {
        self.targets().find_map(|target| match target {
            CallTarget::Element { tag, .. } => Some(*tag),
            _ => None,
        })
    }

    pub fn text(&self, param: &str) -> Option<&str> {
        match self.arg(param) {
            Some(Arg::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn direction(&self) -> Option<Direction> {
        self.args.iter().flatten().find_map(|arg| match arg {
            Arg::Direction(direction) => Some(*direction),
            _ => None,
        })
    }

    pub fn missing(&self) -> Option<&'static Param> {
        self.args().find(|(param, arg)| !param.optional && arg.is_none()).map(|(param, _)| param)
    }
}

macro_rules! into_arg {
    ($($type:ty = $kind:ident;)*) => { $(
        impl From<$type> for Arg {
            fn from(value: $type) -> Self {
                Self::$kind(value)
            }
        }
    )* };
}

into_arg! {
    CallTarget = Target;
    Vec<Percent> = Path;
    String = Text;
    Vec<String> = Files;
    Direction = Direction;
    Distance = Distance;
    u32 = Number;
    u64 = Millis;
    Orientation = Side;
    Reply = Reply;
    Clicks = Clicks;
    Button = Button;
    Modifiers = Modifiers;
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Tag> for Arg {
    fn from(tag: Tag) -> Self {
        Self::Target(CallTarget::Element { tag, at: None })
    }
}
