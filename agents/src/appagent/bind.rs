//! Gives a call its meaning: the function's name, and which argument is what.

use waldo_devices::catalogue::{Arg as Given, CallTarget, Param, ParamKind, Percent, Spot, ToolSpec, bare};
use waldo_devices::labels::Subarea;
use waldo_devices::{Modifiers, Tag, Tool, ToolCall};

use super::call::{FunctionCall, name_of, tool_named};
use super::catalogue::is_hidden;
use super::lex::{Arg, ArgValue};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureForm {
    Elements,
    Areas,
}

/// A function's name, however it is spelt; `None` when there is none such.
pub(crate) fn function(written: &str) -> Option<&'static str> {
    let word = bare(written);
    match word.as_str() {
        "infeasible" | "impossible" => return Some("infeasible"),
        "finish" => return Some("FINISH"),
        "answer" | "respond" => return Some("answer"),
        "grid" => return Some("grid"),
        "press" => return Some("tap"),
        _ => {}
    }
    Tool::meant(&word).filter(|tool| !is_hidden(*tool)).map(name_of)
}

/// The place of the argument that holds free text, for the functions that have one.
pub(crate) fn text_argument(function: &str) -> Option<usize> {
    match tool_named(function) {
        Some(tool) => {
            slots(tool.spec(), PictureForm::Elements).iter().position(|slot| slot.param.kind.is_text())
        }
        None => matches!(function, "answer" | "infeasible").then_some(0),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentPart {
    /// All of it, or the element's number.
    Whole,
    /// How far from the element's left edge.
    X,
    /// How far from its top.
    Y,
    Within,
    Area,
    Subarea,
}

struct Slot {
    param: &'static Param,
    part: ArgumentPart,
    /// Its names; the first is told.
    names: Vec<&'static str>,
}

const ELEMENT: [&str; 8] = ["element", "tag", "id", "index", "n", "number", "element_id", "label"];

fn slots(spec: &'static ToolSpec, form: PictureForm) -> Vec<Slot> {
    let places = spec.params.iter().filter(|p| p.kind.takes_area()).count();
    let targets = spec.params.iter().filter(|p| p.kind.is_target()).count();
    let (mut all, mut last) = (Vec::new(), Vec::new());
    let mut areas = 0;
    for param in spec.params.iter().filter(|p| !p.seldom) {
        let mut slot = |part, names: &[&'static str]| all.push(Slot { param, part, names: names.to_vec() });
        if form == PictureForm::Areas && param.kind.takes_area() {
            areas += 1;
            if areas == 1 {
                slot(ArgumentPart::Area, &["area", "start_area"]);
                slot(ArgumentPart::Subarea, &["part", "subarea", "start_subarea"]);
            } else {
                slot(ArgumentPart::Area, &["end_area"]);
                slot(ArgumentPart::Subarea, &["end_subarea"]);
            }
            continue;
        }
        let mut names = vec![param.name];
        names.extend(param.aliases);
        if param.kind.is_target() && targets == 1 {
            names.extend(ELEMENT);
        }
        slot(ArgumentPart::Whole, &names);
        if param.kind.takes_area() && places == 1 {
            slot(ArgumentPart::X, &["x"]);
            slot(ArgumentPart::Y, &["y"]);
        } else if param.kind.takes_area() {
            let names = if last.is_empty() { vec!["start_at"] } else { vec!["end_at"] };
            last.push(Slot { param, part: ArgumentPart::Within, names });
        }
    }
    all.extend(last);
    all
}

/// A call from its name and arguments, or what is wrong with them.
pub(crate) fn bind(
    function: &'static str,
    args: Vec<Arg>,
    form: PictureForm,
) -> Result<FunctionCall, String> {
    // What is drawn over the areas of a grid is a swipe in AppAgent's words.
    let drawn = form == PictureForm::Areas && function == "swipe";
    let tool = if drawn { Some(Tool::Drag) } else { tool_named(function) };
    let slots = tool.map(|tool| slots(tool.spec(), form)).unwrap_or_default();
    let args = Bound::new(function, slots, args, form)?;
    match (tool, function) {
        (Some(tool), _) => args.call(tool).map(FunctionCall::Tool),
        (None, "grid") => {
            let area = args.extra.first().filter(|_| form == PictureForm::Areas);
            let area = area.map(|v| whole(v, "number of an area", 0..=u32::MAX)).transpose()?;
            if area.is_none() {
                args.none()?;
            }
            Ok(FunctionCall::Grid { area })
        }
        (None, "FINISH") => args.none().map(|()| FunctionCall::Finish),
        (None, "answer") => args
            .extra
            .first()
            .map(|v| v.text().to_owned())
            .map(|text| FunctionCall::Answer { text })
            .ok_or_else(|| args.misused()),
        (None, "infeasible") => {
            let reason = args.extra.first().map(|v| v.text().to_owned()).unwrap_or_default();
            Ok(FunctionCall::Infeasible { reason })
        }
        (None, other) => Err(format!("there is no function {other}")),
    }
}

struct Bound {
    function: &'static str,
    form: PictureForm,
    slots: Vec<Slot>,
    values: Vec<Option<ArgValue>>,
    /// What follows the last: further files, or the text of a function that is not a tool.
    extra: Vec<ArgValue>,
}

impl Bound {
    fn new(
        function: &'static str,
        slots: Vec<Slot>,
        args: Vec<Arg>,
        form: PictureForm,
    ) -> Result<Self, String> {
        let values: Vec<Option<ArgValue>> = vec![None; slots.len()];
        let mut bound = Self { function, form, slots, values, extra: Vec::new() };
        let mut rest = Vec::new();
        for arg in args {
            let slot = arg
                .name
                .and_then(|name| bound.slots.iter().position(|slot| slot.names.contains(&name.as_str())))
                .filter(|slot| bound.values[*slot].is_none());
            match slot {
                Some(slot) => bound.values[slot] = Some(arg.value),
                None => rest.push(arg.value),
            }
        }
        // What can be left out before others is left out where the next argument stands in its place.
        let mut free = 0;
        if let [first, second, ..] = bound.slots.as_slice()
            && first.param.optional
            && bound.values[0].is_none()
            && rest.first().is_none_or(|v| second.param.kind.read_word(v.text()).is_some())
        {
            free = 1;
        }
        let more = match bound.slots.last() {
            Some(last) => last.param.kind == ParamKind::Files,
            None => matches!(function, "answer" | "infeasible" | "grid"),
        };
        for value in rest {
            while bound.values.get(free).is_some_and(Option::is_some) {
                free += 1;
            }
            match bound.values.get_mut(free) {
                Some(slot) => *slot = Some(value),
                None if more && (bound.extra.is_empty() || !bound.slots.is_empty()) => {
                    bound.extra.push(value)
                }
                None => return Err(bound.misused()),
            }
        }
        for value in &mut bound.values {
            let nothing = |v: &ArgValue| matches!(v, ArgValue::Bare(w) if matches!(w.as_str(), "None" | "null" | "none"));
            if value.as_ref().is_some_and(nothing) {
                *value = None;
            }
        }
        Ok(bound)
    }

    fn misused(&self) -> String {
        format!("{} takes {}", self.function, self.usage())
    }

    fn none(&self) -> Result<(), String> {
        if self.extra.is_empty() { Ok(()) } else { Err(self.misused()) }
    }

    fn part(&self, param: &Param, part: ArgumentPart) -> Option<&ArgValue> {
        let at = self.slots.iter().position(|slot| slot.param.name == param.name && slot.part == part)?;
        self.values[at].as_ref()
    }

    fn call(&self, tool: Tool) -> Result<ToolCall, String> {
        let mut call = ToolCall::new(tool);
        for (place, param) in tool.spec().params.iter().enumerate() {
            let arg = if self.form == PictureForm::Areas && param.kind.takes_area() {
                Some(Given::Target(CallTarget::Area(self.spot(param)?)))
            } else {
                match self.part(param, ArgumentPart::Whole) {
                    Some(value) => self.arg(param, value)?,
                    None if param.optional => None,
                    None => return Err(self.misused()),
                }
            };
            call.set(place, arg);
        }
        Ok(call)
    }

    fn arg(&self, param: &Param, value: &ArgValue) -> Result<Option<Given>, String> {
        let text = value.text();
        Ok(Some(match param.kind {
            kind if kind.is_target() => {
                let tag = whole(value, "number of an element", 0..=u32::MAX).map(Tag)?;
                Given::Target(CallTarget::Element { tag, at: self.within(param)? })
            }
            ParamKind::Text | ParamKind::Words | ParamKind::Object => Given::Text(text.to_owned()),
            ParamKind::Name | ParamKind::Keys => Given::Text(text.trim().to_owned()),
            ParamKind::Address if param.optional && text.trim().is_empty() => return Ok(None),
            ParamKind::Address => Given::Text(text.trim().to_owned()),
            ParamKind::Files => {
                Given::Files([value].into_iter().chain(&self.extra).map(|v| v.text().to_owned()).collect())
            }
            ParamKind::Path => {
                let path = places(text)?;
                if path.len() < 2 {
                    let function = self.function;
                    return Err(format!("{function} needs at least two places, such as \"10,50 90,50\""));
                }
                Given::Path(path)
            }
            ParamKind::Whole(min, max) => Given::Number(whole(value, param.name, min..=max)?),
            ParamKind::Tab | ParamKind::Window => Given::Number(whole(value, param.name, 1..=10_000)?),
            ParamKind::Seconds => Given::Millis(seconds(value)?),
            ParamKind::Modifiers => Given::Modifiers(Modifiers::parse(text).ok_or_else(|| {
                format!("'{}' is not a modifier: write ctrl, alt, shift or meta", cut(text))
            })?),
            kind => kind.read_word(text).ok_or_else(|| {
                let words = kind.words().unwrap_or_default();
                let (last, others) = words.split_last().unwrap_or((&"", &[]));
                format!(
                    "'{}' is not a valid {}: write {} or {last}",
                    cut(text),
                    param.name,
                    others.join(", ")
                )
            })?,
        }))
    }

    fn within(&self, param: &Param) -> Result<Option<Percent>, String> {
        if let Some(both) = self.part(param, ArgumentPart::Within) {
            return match places(both.text())?.as_slice() {
                [] => Ok(None),
                [place] => Ok(Some(*place)),
                _ => Err(format!("'{}' is more than one place", cut(both.text()))),
            };
        }
        match (self.part(param, ArgumentPart::X), self.part(param, ArgumentPart::Y)) {
            (None, None) if param.kind != ParamKind::PlaceWithin => Ok(None),
            (Some(x), Some(y)) => Ok(Some([percent(x.text())?, percent(y.text())?])),
            (Some(both), None) if both.text().contains(',') => match places(both.text())?.as_slice() {
                [place] => Ok(Some(*place)),
                _ => Err(self.misused()),
            },
            _ => Err(self.misused()),
        }
    }

    fn spot(&self, param: &Param) -> Result<Spot, String> {
        let area = self.part(param, ArgumentPart::Area).ok_or_else(|| self.misused())?;
        let area = whole(area, "number of an area", 0..=u32::MAX)?;
        let part = match self.part(param, ArgumentPart::Subarea) {
            None => Subarea::Center,
            Some(v) => Subarea::parse(v.text())
                .ok_or_else(|| format!("'{}' is not a part of an area", cut(v.text())))?,
        };
        Ok(Spot { area, part })
    }

    fn usage(&self) -> String {
        let wholes: Vec<&Slot> = self
            .slots
            .iter()
            .filter(|s| matches!(s.part, ArgumentPart::Whole | ArgumentPart::Area | ArgumentPart::Subarea))
            .collect();
        let one = |kind: ParamKind| match kind {
            ParamKind::PlaceWithin => "the number of an element, and x and y in percent",
            kind if kind.is_target() => "the number of one element",
            kind if kind.is_text() => "one text in double quotes",
            _ => "one argument",
        };
        match wholes.as_slice() {
            [] if matches!(self.function, "answer" | "infeasible") => "one text in double quotes".to_owned(),
            [] => "no arguments".to_owned(),
            [slot] => one(slot.param.kind).to_owned(),
            [first, rest @ ..] if rest.iter().all(|s| s.param.optional) => {
                let rest: Vec<&str> = rest.iter().map(|s| s.names[0]).collect();
                format!("{}, then {}, each of which may be left out", one(first.param.kind), rest.join(", "))
            }
            [area, _] if area.part == ArgumentPart::Area => {
                "the number of an area and the name of a part".to_owned()
            }
            [area, _, _, _] if area.part == ArgumentPart::Area => "area, part, area and part".to_owned(),
            all => format!("({})", all.iter().map(|s| s.names[0]).collect::<Vec<_>>().join(", ")),
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(40) {
        None => text.to_owned(),
        Some((i, _)) => format!("{}…", &text[..i]),
    }
}

/// A whole number: `5`, `"5"`, `[5]`, `#5`, `5.0`.
fn whole(value: &ArgValue, what: &str, range: std::ops::RangeInclusive<u32>) -> Result<u32, String> {
    let text =
        value.text().trim().trim_start_matches(['[', '#', '<', '(']).trim_end_matches([']', '>', ')']).trim();
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => digits,
        _ => text,
    };
    let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten();
    number
        .filter(|n| range.contains(n))
        .ok_or_else(|| format!("'{}' is not a {what}: write a whole number", cut(value.text())))
}

fn seconds(value: &ArgValue) -> Result<u64, String> {
    let text = value.text().trim().trim_end_matches(['s', ' ']);
    match text.parse::<f64>() {
        // Rounded to whole milliseconds within the range, so the cast is exact.
        Ok(s) if (0.0..=10.0).contains(&s) => Ok((s * 1000.0).round() as u64),
        _ => Err(format!("'{}' is not a number of seconds from 0 to 10", cut(value.text()))),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches(['%', ' ']);
    match number.parse::<f64>() {
        Ok(p) if (0.0..=100.0).contains(&p) => Ok(p),
        _ => Err(format!("'{}' is not a percentage from 0 to 100", cut(text))),
    }
}

/// Places such as `10,20 30,40`, with `;`, brackets and parentheses allowed between the numbers.
fn places(text: &str) -> Result<Vec<Percent>, String> {
    let numbers: Vec<f64> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']'))
        .filter(|word| !word.is_empty())
        .map(percent)
        .collect::<Result<_, _>>()?;
    if numbers.len() % 2 == 1 {
        return Err(format!("'{}' has an odd number of coordinates: write places as x,y", cut(text)));
    }
    Ok(numbers.chunks_exact(2).map(|p| [p[0], p[1]]).collect())
}
