//! From a model's calls to actions of the catalogue, and to endings.

use serde_json::Value;
use waldo_devices::catalogue::{ActionPlace, Arg, CallTarget, Direction, GroundContext, ParamKind};
use waldo_devices::{
    Action, Capability, DeviceInfo, Modifiers, Observation, Physical, Point, ScrollNotches, Tool, ToolCall,
};

use crate::args::Args;
use crate::call::{self, Call};
use crate::profile::Profile;
use crate::rule::Operation;
use crate::scale::Scale;

/// Notches of a scroll that does not say how many.
pub(crate) const NOTCHES: f64 = 5.0;
const MAX_NOTCHES: f64 = 100.0;
/// Logical pixels of a notch.
const NOTCH: f64 = 120.0;
/// The most keys that one call presses.
const MAX_PRESSES: usize = 20;
/// Seconds that one wait takes at the most.
const MAX_SECONDS: f64 = 10.0;
/// The share of the screen that a swipe without a length takes.
const SWIPE: f64 = 0.5;

#[derive(Clone, Debug, PartialEq)]
pub enum Resolved {
    Act(Action),
    Pass(String),
    Finish { answer: Option<String> },
    Infeasible { reason: String },
    HandOver { reason: String },
}

/// What a model's pointer and keys are like between its calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputState {
    pointer: Option<Point<Physical>>,
    /// Keys that are held for the rest of a reply.
    held: Modifiers,
    /// An answer that was given before the end.
    answer: Option<String>,
}

impl InputState {
    /// Lets all keys go: each reply starts without.
    pub fn rest(&mut self) {
        self.held = Modifiers::default();
    }
}

pub struct CallStage<'a> {
    pub seen: &'a Observation,
    pub device: &'a DeviceInfo,
    pub scale: Scale,
    /// Writes a chord of keys as devices take it, from whatever spelling.
    pub chord: fn(&str) -> Result<String, String>,
}

impl Profile {
    pub fn resolve(
        &self,
        call: &Call,
        stage: &CallStage<'_>,
        hand: &mut InputState,
    ) -> Result<Vec<Resolved>, String> {
        let rule = self.rule(call, stage.device).ok_or_else(|| {
            let known = self.offered(stage.device).join(", ");
            format!("'{}' is not among the actions of this device: {known}", call.name)
        })?;
        let operation = rule.operation().ok_or("it comes to nothing")?;
        let args = Args::new(call, rule, stage.scale)?;
        Carry { call, stage, args }.carry(operation, hand)
    }
}

struct Carry<'a> {
    call: &'a Call,
    stage: &'a CallStage<'a>,
    args: Args<'a>,
}

impl Carry<'_> {
    fn carry(&self, operation: Operation, hand: &mut InputState) -> Result<Vec<Resolved>, String> {
        let args = &self.args;
        let one = |action| Ok(vec![Resolved::Act(action)]);
        match operation {
            Operation::Tap => {
                let at = self.place_or("at", hand.pointer)?;
                hand.pointer = Some(at);
                one(self.tap(at, hand)?)
            }
            Operation::Drag => {
                let path = match args.path("path")? {
                    Some(path) => path,
                    None => vec![self.place_or("from", hand.pointer)?, self.place_or("to", None)?],
                };
                hand.pointer = path.last().copied();
                one(self.drag(path, hand)?)
            }
            Operation::Scroll => {
                let center = self.stage.seen.geometry.screen().center();
                let at = args.place("at")?.or(hand.pointer).unwrap_or(center);
                let (right, down) = self.wheel()?;
                let per_notch = args.number("per-notch")?.filter(|n| *n > 0.0).unwrap_or(1.0);
                one(self.scroll(at, (right / per_notch, down / per_notch), self.held(hand)?)?)
            }
            Operation::Swipe => one(self.swipe()?),
            Operation::Type => self.typing(hand),
            Operation::Key => one(self.key(&self.keys()?.join("+"), hand.held)?),
            Operation::Press => {
                let times = args.number("times")?.unwrap_or(1.0).clamp(0.0, 100.0);
                let mut all = Vec::new();
                for key in self.keys()? {
                    all.push(Resolved::Act(self.key(&key, hand.held)?));
                }
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
                let wanted = all.len() * times as usize;
                Ok(all.into_iter().cycle().take(wanted.min(MAX_PRESSES)).collect())
            }
            Operation::Hold | Operation::Release => {
                let keys = self.keys()?.join("+");
                let named = Modifiers::parse(&keys)
                    .ok_or_else(|| format!("'{keys}' cannot be held: only ctrl, alt, shift and meta can"))?;
                let down = operation == Operation::Hold;
                for (held, named) in [
                    (&mut hand.held.ctrl, named.ctrl),
                    (&mut hand.held.alt, named.alt),
                    (&mut hand.held.shift, named.shift),
                    (&mut hand.held.meta, named.meta),
                ] {
                    *held = if named { down } else { *held };
                }
                Ok(Vec::new())
            }
            Operation::System => one(self.system()?),
            Operation::Wait => {
                let seconds = args.number("seconds")?.unwrap_or(1.0).clamp(0.0, MAX_SECONDS);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "0 to 10 seconds"
                )]
                let wait = ToolCall::new(Tool::Wait).with("seconds", (seconds * 1000.0) as u64);
                one(self.ground(&wait)?)
            }
            Operation::Look => {
                Ok(vec![Resolved::Pass("the model asks for another look at the screen".to_owned())])
            }
            Operation::Answer => {
                hand.answer = args.text("answer");
                Ok(vec![Resolved::Pass("the model gives its answer before it ends".to_owned())])
            }
            Operation::Finish => Ok(vec![self.finish(hand)]),
            Operation::Fail => Ok(vec![Resolved::Infeasible { reason: self.reason("reason") }]),
            Operation::Terminate => {
                let status = args.text("status").unwrap_or_else(|| "success".to_owned()).to_lowercase();
                Ok(vec![match status.trim() {
                    "failure" | "fail" | "failed" | "infeasible" | "impossible" => {
                        Resolved::Infeasible { reason: self.reason("answer") }
                    }
                    "success" | "succeeded" | "complete" | "completed" | "done" => self.finish(hand),
                    other => return Err(format!("status must be success or failure, not '{other}'")),
                }])
            }
            Operation::HandOver => Ok(vec![Resolved::HandOver { reason: self.reason("reason") }]),
            Operation::Tool(tool) => {
                let call = self.tool(tool, hand.pointer)?;
                let action = self.ground(&call)?;
                hand.pointer = call.targets().find_map(point_of).or(hand.pointer);
                one(action)
            }
        }
    }

    fn finish(&self, hand: &mut InputState) -> Resolved {
        let given = self.args.text("answer").filter(|text| !text.trim().is_empty());
        Resolved::Finish { answer: given.or_else(|| hand.answer.take()) }
    }

    fn reason(&self, parameter: &str) -> String {
        let given = self.args.text(parameter).filter(|text| !text.trim().is_empty());
        given.unwrap_or_else(|| format!("the model says {}", self.call))
    }

    fn place_or(&self, parameter: &str, else_at: Option<Point<Physical>>) -> Result<Point<Physical>, String> {
        self.args.place(parameter)?.or(else_at).ok_or_else(|| format!("{} needs a place", self.call.name))
    }

    fn tap(&self, at: Point<Physical>, hand: &InputState) -> Result<Action, String> {
        let call = ToolCall::aimed(Tool::TapAt, CallTarget::Place(at));
        let call =
            self.worded(self.worded(call, "clicks", ParamKind::Clicks)?, "button", ParamKind::Button)?;
        self.ground(&call.with("modifiers", self.held(hand)?))
    }

    /// The keys that are held: those of the reply so far, and those that the call names.
    fn held(&self, hand: &InputState) -> Result<Modifiers, String> {
        let held = hand.held;
        let written = match self.args.value("modifiers") {
            Some(Value::Array(all)) => Some(all.iter().map(call::text).collect::<Vec<_>>().join("+")),
            _ => self.args.text("modifiers"),
        };
        let Some(written) = written.filter(|text| !text.trim().is_empty()) else { return Ok(held) };
        let named = Modifiers::parse(&written).ok_or_else(|| format!("'{written}' names no modifiers"))?;
        Ok(Modifiers {
            ctrl: held.ctrl || named.ctrl,
            alt: held.alt || named.alt,
            shift: held.shift || named.shift,
            meta: held.meta || named.meta,
        })
    }

    fn worded(&self, call: ToolCall, parameter: &str, kind: ParamKind) -> Result<ToolCall, String> {
        let Some(word) = self.args.text(parameter) else { return Ok(call) };
        let words = || kind.words().unwrap_or_default().join(", ");
        let arg =
            kind.read_word(&word).ok_or_else(|| format!("{parameter} must be {}, not '{word}'", words()))?;
        Ok(call.with(parameter, arg))
    }

    /// A drag of the catalogue from the first place to the last; what lies between is put into its way.
    fn drag(&self, path: Vec<Point<Physical>>, hand: &InputState) -> Result<Action, String> {
        let (Some(from), Some(to)) = (path.first(), path.last()) else {
            return Err(format!("{} needs two places", self.call.name));
        };
        let call = ToolCall::new(Tool::Drag).with("from", CallTarget::Place(*from));
        let call = self.worded(call, "button", ParamKind::Button)?.with("modifiers", self.held(hand)?);
        match self.ground(&call.with("to", CallTarget::Place(*to)))? {
            Action::Drag { button, modifiers, .. } => Ok(Action::Drag { path, button, modifiers }),
            other => Ok(other),
        }
    }

    /// How far a wheel is turned to the right and down.
    fn wheel(&self) -> Result<(f64, f64), String> {
        let args = &self.args;
        let number = |parameter| Ok::<_, String>(args.number(parameter)?.unwrap_or(0.0));
        let by = (number("right")?, number("down")? - number("up")?);
        if by != (0.0, 0.0) {
            return Ok(by);
        }
        let direction =
            self.direction()?.ok_or_else(|| format!("{} does not say which way", self.call.name))?;
        let amount = args.number("amount")?.unwrap_or(NOTCHES).abs();
        Ok(match direction {
            Direction::Up => (0.0, -amount),
            Direction::Down => (0.0, amount),
            Direction::Left => (-amount, 0.0),
            Direction::Right => (amount, 0.0),
        })
    }

    fn direction(&self) -> Result<Option<Direction>, String> {
        let read = |word: String| {
            Direction::parse(&word)
                .ok_or_else(|| format!("direction must be {}, not '{word}'", Direction::WORDS.join(", ")))
        };
        self.args.text("direction").map(read).transpose()
    }

    fn scroll(
        &self,
        at: Point<Physical>,
        (right, down): (f64, f64),
        held: Modifiers,
    ) -> Result<Action, String> {
        #[expect(clippy::cast_possible_truncation, reason = "-100 to 100")]
        let notches = |n: f64| match n {
            0.0 => 0,
            n => (n.abs().round().clamp(1.0, MAX_NOTCHES) * n.signum()) as i32,
        };
        let call = ToolCall::aimed(Tool::Scroll, CallTarget::Place(at)).with("modifiers", held);
        match self.ground(&call.with("direction", Direction::Down))? {
            Action::Scroll { at, modifiers, .. } => {
                let by = ScrollNotches { right: notches(right), down: notches(down) };
                Ok(Action::Scroll { at, by, modifiers })
            }
            other => Ok(other),
        }
    }

    /// A finger's way; under a mouse the content is scrolled as far.
    fn swipe(&self) -> Result<Action, String> {
        let screen = self.stage.seen.geometry.screen();
        let (from, to) = match (self.args.place("from")?, self.args.place("to")?) {
            (Some(from), Some(to)) => (from, to),
            (from, _) => {
                let direction =
                    self.direction()?.ok_or_else(|| format!("{} needs where it ends", self.call.name))?;
                let share = self.args.number("amount")?.unwrap_or(SWIPE).clamp(0.05, 0.9);
                let (dx, dy) = match direction {
                    Direction::Up => (0.0, -share * screen.h),
                    Direction::Down => (0.0, share * screen.h),
                    Direction::Left => (-share * screen.w, 0.0),
                    Direction::Right => (share * screen.w, 0.0),
                };
                let middle = screen.center();
                let from = match self.args.place("at")?.or(from) {
                    Some(from) => from,
                    None => Point::new(middle.x - dx / 2.0, middle.y - dy / 2.0),
                };
                let inside = |n: f64, most: f64| n.clamp(0.0, (most - 1.0).max(0.0));
                (from, Point::new(inside(from.x + dx, screen.w), inside(from.y + dy, screen.h)))
            }
        };
        if !self.stage.device.capabilities.contains(&Capability::Mouse) {
            return self.drag(vec![from, to], &InputState::default());
        }
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let notch = NOTCH * self.stage.seen.geometry.scale.max(0.1);
        // The content follows the finger, so the view moves the other way.
        let by = if dx.abs() > dy.abs() { (-dx / notch, 0.0) } else { (0.0, -dy / notch) };
        self.scroll(from, by, Modifiers::default())
    }

    fn typing(&self, hand: &mut InputState) -> Result<Vec<Resolved>, String> {
        let mut text = self.args.text("text").unwrap_or_default();
        if self.args.is_set("submit") && !text.ends_with('\n') {
            text.push('\n');
        }
        if text.is_empty() {
            return Err(format!("{} has no text", self.call.name));
        }
        let mut all = Vec::new();
        if let Some(at) = self.args.place("at")? {
            hand.pointer = Some(at);
            all.push(Resolved::Act(self.tap(at, hand)?));
        }
        all.push(Resolved::Act(self.ground(&ToolCall::new(Tool::Type).with("text", text))?));
        Ok(all)
    }

    fn keys(&self) -> Result<Vec<String>, String> {
        fn flat(value: &Value, into: &mut Vec<String>) {
            match value {
                Value::Array(all) => all.iter().for_each(|value| flat(value, into)),
                other => into.push(call::text(other)),
            }
        }
        let mut all = Vec::new();
        if let Some(value) = self.args.value("keys") {
            flat(value, &mut all);
        }
        // A blank is a key of its own.
        let all: Vec<String> =
            all.into_iter().map(|key| if key == " " { "Space".to_owned() } else { key }).collect();
        if all.iter().all(|key| key.trim().is_empty()) {
            return Err(format!("{} names no key", self.call.name));
        }
        Ok(all)
    }

    fn key(&self, written: &str, held: Modifiers) -> Result<Action, String> {
        let chord = if held.is_empty() { written.to_owned() } else { format!("{held}+{written}") };
        self.ground(&ToolCall::new(Tool::Key).with("key", (self.stage.chord)(&chord)?))
    }

    fn system(&self) -> Result<Action, String> {
        let button = self.args.text("button").unwrap_or_default();
        let tool = match button.to_lowercase().as_str() {
            "back" => Tool::Back,
            "home" => Tool::Home,
            "menu" | "recents" | "recent" | "app_switch" => Tool::Recents,
            "enter" => Tool::Enter,
            _ => return Err(format!("'{button}' is not a button: there are back, home, menu and enter")),
        };
        self.ground(&ToolCall::new(tool))
    }

    fn tool(&self, tool: Tool, pointer: Option<Point<Physical>>) -> Result<ToolCall, String> {
        // A button goes down and up where the pointer is, where no place is named.
        let pointer = pointer.filter(|_| matches!(tool, Tool::MouseDown | Tool::MouseUp));
        let mut call = ToolCall::new(tool);
        for (at, param) in tool.spec().params.iter().enumerate() {
            let arg = match param.kind {
                kind if kind.is_target() => {
                    let place = self.args.place(param.name)?.or(pointer);
                    place.map(|p| Arg::Target(CallTarget::Place(p)))
                }
                ParamKind::Keys => {
                    let written = self.args.text(param.name);
                    written.map(|keys| (self.stage.chord)(&keys).map(Arg::Text)).transpose()?
                }
                _ => self.args.value(param.name).map(|value| param.read(value)).transpose()?,
            };
            call.set(at, arg);
        }
        Ok(call)
    }

    fn ground(&self, call: &ToolCall) -> Result<Action, String> {
        let seen = self.stage.seen;
        let locate = |_: usize, target: &CallTarget| {
            let point = point_of(target).ok_or("there is no place in it")?;
            let there = seen.elements.iter().filter(|e| e.bounds.contains(point));
            let element = there.min_by(|a, b| a.bounds.area().total_cmp(&b.bounds.area()));
            Ok(ActionPlace { element, point })
        };
        call.ground(&GroundContext { seen, device: self.stage.device, locate: &locate })
    }
}

fn point_of(target: &CallTarget) -> Option<Point<Physical>> {
    match target {
        CallTarget::Place(point) => Some(*point),
        _ => None,
    }
}
