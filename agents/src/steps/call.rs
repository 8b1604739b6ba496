//! What a step asks of the device: a call of the catalogue's tool that it names.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use waldo_devices::catalogue::{Arg, CallTarget, Param, ParamKind, Percent, Reply};
use waldo_devices::{Direction, Distance, Tag, Tool, ToolCall};

use super::Step;

/// What a step does: a tool of the catalogue, or one of two ways to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verb {
    Do(Tool),
    #[default]
    Answer,
    /// Says that the task cannot be done.
    Infeasible,
}

impl Verb {
    pub fn name(self) -> &'static str {
        match self {
            Self::Do(tool) => tool.name(),
            Self::Answer => "answer",
            Self::Infeasible => "infeasible",
        }
    }

    pub fn ends(self) -> bool {
        !matches!(self, Self::Do(_))
    }
}

impl Serialize for Verb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Verb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "answer" => Ok(Self::Answer),
            "infeasible" => Ok(Self::Infeasible),
            name => Tool::named(name).map(Self::Do).ok_or_else(|| {
                let known: Vec<String> = Tool::ALL.iter().map(|tool| format!("`{}`", tool.name())).collect();
                let known = known.join(", ");
                serde::de::Error::custom(format!(
                    "unknown variant `{name}`, expected one of {known}, `answer`, `infeasible`"
                ))
            }),
        }
    }
}

/// Milliseconds of a step that waits.
const WAIT_MS: u64 = 500;

impl Step {
    /// The call that it asks for, on the element with this tag, and on another where a drag ends there; `None` for a
    /// step that ends the episode. What the step leaves out is missing in the call.
    pub fn call(&self, tag: Option<Tag>, to: Option<Tag>) -> Option<ToolCall> {
        let Verb::Do(tool) = self.verb else { return None };
        // One word in a solution for what are two calls.
        let tool = if tool == Tool::Drag && to.is_none() { Tool::DragPath } else { tool };
        let mut call = ToolCall::new(tool);
        let mut targets = [(tag, self.at), (to, self.to.as_ref().and_then(|to| to.at))].into_iter();
        for (place, param) in tool.spec().params.iter().enumerate() {
            let arg = if param.kind.is_target() {
                targets.next().and_then(|(tag, at)| Some(element(tag?, at)))
            } else {
                self.arg(param)
            };
            call.set(place, arg);
        }
        Some(call)
    }

    fn arg(&self, param: &Param) -> Option<Arg> {
        if let Some(value) = self.with.get(param.name) {
            return param.read(value).ok();
        }
        if param.seldom {
            return None;
        }
        match param.kind {
            ParamKind::Direction => Some(Arg::Direction(
                self.scrolled()
                    .map_or_else(|| self.towards.unwrap_or(Direction::Up), |(direction, _)| direction),
            )),
            ParamKind::Distance => Some(Arg::Distance(self.far.unwrap_or(Distance::Medium))),
            ParamKind::Whole(..) => self.scrolled().map(|(_, notches)| Arg::Number(notches)),
            ParamKind::Files => Some(Arg::Files(self.files.clone())).filter(|_| !self.files.is_empty()),
            ParamKind::Path => {
                self.path.as_ref().map(|path| Arg::Path(path.iter().copied().map(percent).collect()))
            }
            ParamKind::Tab => {
                let tab = u32::try_from(self.tab.unwrap_or_default()).unwrap_or(u32::MAX);
                Some(Arg::Number(tab.saturating_add(1)))
            }
            ParamKind::Seconds => Some(Arg::Millis(WAIT_MS)),
            ParamKind::Reply => {
                Some(Arg::Reply(if self.accept == Some(false) { Reply::Dismiss } else { Reply::Accept }))
            }
            _ => self.word(param.name).map(Arg::from),
        }
    }

    fn word(&self, param: &str) -> Option<&str> {
        match param {
            "text" => self.text.as_deref(),
            "option" => self.option.as_deref(),
            "key" => self.chord.as_deref(),
            "url" => self.url.as_deref(),
            "app" => self.app.as_deref(),
            _ => None,
        }
    }

    /// A scroll goes one way at a time, as the rules of suites have it; else the longer way counts.
    fn scrolled(&self) -> Option<(Direction, u32)> {
        let (direction, by) = if self.down.unsigned_abs() >= self.right.unsigned_abs() {
            (if self.down < 0 { Direction::Up } else { Direction::Down }, self.down)
        } else {
            (if self.right < 0 { Direction::Left } else { Direction::Right }, self.right)
        };
        (by != 0).then(|| (direction, by.unsigned_abs()))
    }
}

fn element(tag: Tag, at: Option<[f64; 2]>) -> Arg {
    Arg::Target(CallTarget::Element { tag, at: at.map(percent) })
}

fn percent([x, y]: [f64; 2]) -> Percent {
    [x * 100.0, y * 100.0]
}
