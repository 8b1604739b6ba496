//! Gives a call its meaning: the function's name, and which argument is what.

use waldo_devices::labels::Subarea;
use waldo_devices::{DialogReply, Orientation, Tag};

use super::call::{Call, Direction, Distance, Percent, Press, Spot, WAIT_MS};
use super::lex::{Arg, Value};

/// On what picture the reply was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With numbered elements.
    Elements,
    /// With a grid.
    Areas,
}

/// The functions' names, and the other names under which models know them.
const NAMES: [(&str, &[&str]); 35] = [
    ("tap", &["click", "press", "touch", "leftclick"]),
    ("text", &["type", "input", "inputtext", "typetext", "write"]),
    ("secret", &["typesecret", "inputsecret"]),
    ("long_press", &["longtap", "longclick", "presshold"]),
    ("swipe", &[]),
    ("grid", &[]),
    ("scroll", &[]),
    ("enter", &["pressenter"]),
    ("back", &["goback", "pressback"]),
    ("wait", &["sleep"]),
    ("drag", &["draganddrop"]),
    ("tap_at", &["clickat"]),
    ("drag_path", &[]),
    ("pinch", &["zoom"]),
    ("double_tap", &["doubleclick"]),
    ("triple_tap", &["tripleclick"]),
    ("right_tap", &["rightclick"]),
    ("hover", &[]),
    ("key", &["presskey", "hotkey", "keypress", "keys"]),
    ("clear", &[]),
    ("select", &["selectoption"]),
    ("upload", &["uploadfile"]),
    ("open", &["goto", "navigate", "openurl"]),
    ("forward", &["goforward"]),
    ("reload", &["refresh"]),
    ("new_tab", &["opentab"]),
    ("switch_tab", &[]),
    ("close_tab", &[]),
    ("dialog", &[]),
    ("home", &["gohome", "presshome"]),
    ("recents", &["recentapps", "overview"]),
    ("open_app", &["launchapp", "startapp", "launch"]),
    ("stop_app", &["closeapp", "quitapp", "killapp", "endapp"]),
    ("rotate", &["turn", "rotatescreen"]),
    ("answer", &["respond"]),
];

/// A function's name, however it is spelt; `None` when there is none such.
pub(crate) fn function(written: &str) -> Option<&'static str> {
    let bare: String =
        written.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    match bare.as_str() {
        "infeasible" | "impossible" => return Some("infeasible"),
        "finish" => return Some("FINISH"),
        _ => {}
    }
    NAMES
        .iter()
        .find(|(name, others)| name.replace('_', "") == bare || others.contains(&bare.as_str()))
        .map(|(name, _)| *name)
}

/// The place of the argument that holds free text, for the functions that have one.
pub(crate) fn text_argument(function: &str) -> Option<usize> {
    match function {
        "text" | "secret" | "answer" | "infeasible" | "open" | "new_tab" | "open_app" | "stop_app"
        | "key" => Some(0),
        "select" | "dialog" | "upload" => Some(1),
        _ => None,
    }
}

/// The names of a function's parameters; a parameter may have several.
fn parameters(function: &str, form: Form) -> &'static [&'static [&'static str]] {
    const ELEMENT: &[&str] = &["element", "tag", "id", "index", "n", "number", "element_id", "label"];
    const WORDS: &[&str] = &[
        "text_input",
        "text",
        "words",
        "input",
        "value",
        "content",
        "string",
        "message",
        "reason",
        "answer",
    ];
    const DIRECTION: &[&str] = &["direction", "dir", "towards"];
    const AREA: &[&str] = &["area", "start_area"];
    const PART: &[&str] = &["part", "subarea", "start_subarea"];
    const X: &[&str] = &["x"];
    const Y: &[&str] = &["y"];
    match (function, form) {
        ("tap" | "long_press", Form::Areas) => &[AREA, PART],
        ("swipe", Form::Areas) => &[AREA, PART, &["end_area"], &["end_subarea"]],
        ("tap" | "tap_at" | "long_press" | "double_tap" | "triple_tap" | "right_tap" | "hover", _) => {
            &[ELEMENT, X, Y]
        }
        ("text" | "answer" | "infeasible", _) => &[WORDS],
        ("swipe", _) => &[ELEMENT, DIRECTION, &["dist", "distance"]],
        ("scroll", _) => &[ELEMENT, DIRECTION, &["notches", "amount", "by"]],
        ("drag", _) => &[
            &["from", "element", "source", "start"],
            &["to", "target", "destination", "end"],
            &["start_at"],
            &["end_at"],
        ],
        ("drag_path", _) => &[ELEMENT, &["path", "points"]],
        ("pinch", _) => &[ELEMENT, &["percent", "scale", "zoom"]],
        ("key", _) => &[&["keys", "key", "chord"]],
        ("secret", _) => &[&["name", "secret", "text"]],
        ("clear", _) => &[ELEMENT],
        ("select", _) => &[ELEMENT, &["option", "value", "text"]],
        ("open" | "new_tab", _) => &[&["address", "url"]],
        ("rotate", _) => &[&["side", "to", "orientation", "direction"]],
        ("open_app" | "stop_app", _) => &[&["app", "name", "package"]],
        ("switch_tab", _) => &[&["tab", "index", "n"]],
        ("dialog", _) => &[&["reply", "action"], WORDS],
        ("wait", _) => &[&["seconds", "s", "time", "duration"]],
        ("upload", _) => &[ELEMENT, &["file", "path", "name"]],
        _ => &[],
    }
}

/// A call from its name and arguments, or what is wrong with them.
pub(crate) fn bind(function: &'static str, args: Vec<Arg>, form: Form) -> Result<Call, String> {
    let args = Bound::new(function, args, form)?;
    let area = form == Form::Areas;
    let press = |how, needs_place| press(how, needs_place, &args);
    Ok(match function {
        "tap" if area => Call::PressArea { how: Press::Tap, spot: args.spot(0)? },
        "long_press" if area => Call::PressArea { how: Press::LongPress, spot: args.spot(0)? },
        "swipe" if area => Call::SwipeAreas { from: args.spot(0)?, to: args.spot(2)? },
        "tap" => press(Press::Tap, false)?,
        "tap_at" => press(Press::Tap, true)?,
        "double_tap" => press(Press::DoubleTap, false)?,
        "triple_tap" => press(Press::TripleTap, false)?,
        "right_tap" => press(Press::RightTap, false)?,
        "long_press" => press(Press::LongPress, false)?,
        "hover" => press(Press::Hover, false)?,
        "text" => Call::Text { text: args.words(0)? },
        "swipe" => Call::Swipe {
            tag: args.tag(0)?,
            towards: args.direction(1)?,
            // AppAgent takes a distance that it does not know for a short one; a missing one is likelier a slip.
            distance: match args.get(2) {
                None => Distance::Medium,
                Some(v) => Distance::parse(v.text()).ok_or_else(|| {
                    format!("'{}' is no distance: write short, medium or long", cut(v.text()))
                })?,
            },
        },
        "scroll" => Call::Scroll {
            tag: args.get(0).map(|_| args.tag(0)).transpose()?,
            towards: args.direction(1)?,
            notches: args.get(2).map(|v| whole(v, "number of notches", 1..=100)).transpose()?,
        },
        "drag" => {
            Call::Drag { from: args.tag(0)?, to: args.tag(1)?, start: args.place(2)?, end: args.place(3)? }
        }
        "drag_path" => {
            let path = places(args.needed(1)?.text())?;
            if path.len() < 2 {
                return Err("drag_path needs at least two places, such as \"10,50 90,50\"".to_owned());
            }
            Call::DragPath { tag: args.tag(0)?, path }
        }
        "pinch" => Call::Pinch { tag: args.tag(0)?, percent: whole(args.needed(1)?, "percent", 10..=1_000)? },
        "secret" => Call::Secret { name: args.words(0)?.trim().to_owned() },
        "key" => Call::Key { chord: args.words(0)?.trim().to_owned() },
        "enter" => Call::Enter,
        "clear" => Call::Clear { tag: args.tag(0)? },
        "select" => Call::Select { tag: args.tag(0)?, option: args.words(1)? },
        "upload" => {
            let files: Vec<_> = args.values.iter().skip(1).flatten().map(|v| v.text().to_owned()).collect();
            if files.is_empty() {
                return Err("upload needs the name of a file".to_owned());
            }
            Call::Upload { tag: args.tag(0)?, files }
        }
        "open" => Call::Open { url: args.words(0)?.trim().to_owned() },
        "back" => Call::Back,
        "forward" => Call::Forward,
        "reload" => Call::Reload,
        "new_tab" => Call::NewTab {
            url: args.get(0).map(|v| v.text().trim().to_owned()).filter(|url| !url.is_empty()),
        },
        "switch_tab" => Call::SwitchTab { tab: whole(args.needed(0)?, "tab", 1..=10_000)? },
        "close_tab" => Call::CloseTab,
        "dialog" => dialog(&args)?,
        "home" => Call::Home,
        "recents" => Call::Recents,
        "open_app" => Call::OpenApp { app: args.words(0)?.trim().to_owned() },
        "stop_app" => Call::StopApp { app: args.words(0)?.trim().to_owned() },
        "rotate" => Call::Rotate { to: side(args.needed(0)?)? },
        "wait" => Call::Wait { ms: args.get(0).map_or(Ok(WAIT_MS), seconds)? },
        "grid" => Call::Grid,
        "answer" => Call::Answer { text: args.words(0)? },
        "infeasible" => {
            Call::Infeasible { reason: args.get(0).map(|v| v.text().to_owned()).unwrap_or_default() }
        }
        "FINISH" => Call::Finish,
        other => return Err(format!("there is no function {other}")),
    })
}

/// Arguments in the order of their parameters.
struct Bound {
    function: &'static str,
    form: Form,
    values: Vec<Option<Value>>,
}

impl Bound {
    fn new(function: &'static str, args: Vec<Arg>, form: Form) -> Result<Self, String> {
        let names = parameters(function, form);
        let mut values: Vec<Option<Value>> = vec![None; names.len()];
        let mut rest = Vec::new();
        for arg in args {
            let slot = arg
                .name
                .and_then(|name| names.iter().position(|all| all.contains(&name.as_str())))
                .filter(|slot| values[*slot].is_none());
            match slot {
                Some(slot) => values[slot] = Some(arg.value),
                None => rest.push(arg.value),
            }
        }
        // The whole page scrolls when no element is named.
        let page = function == "scroll"
            && values[0].is_none()
            && (rest.is_empty() || rest.first().is_some_and(|v| Direction::parse(v.text()).is_some()));
        let mut free = usize::from(page);
        for value in rest {
            while values.get(free).is_some_and(Option::is_some) {
                free += 1;
            }
            match values.get_mut(free) {
                Some(slot) => *slot = Some(value),
                None if function == "upload" => values.push(Some(value)),
                None => return Err(format!("{} takes {}", function, usage(function, form))),
            }
        }
        for value in &mut values {
            let nothing =
                |v: &Value| matches!(v, Value::Bare(w) if matches!(w.as_str(), "None" | "null" | "none"));
            if value.as_ref().is_some_and(nothing) {
                *value = None;
            }
        }
        Ok(Self { function, form, values })
    }

    fn get(&self, i: usize) -> Option<&Value> {
        self.values.get(i).and_then(Option::as_ref)
    }

    fn needed(&self, i: usize) -> Result<&Value, String> {
        self.get(i).ok_or_else(|| format!("{} takes {}", self.function, usage(self.function, self.form)))
    }

    fn tag(&self, i: usize) -> Result<Tag, String> {
        whole(self.needed(i)?, "number of an element", 0..=u32::MAX).map(Tag)
    }

    fn words(&self, i: usize) -> Result<String, String> {
        Ok(self.needed(i)?.text().to_owned())
    }

    fn direction(&self, i: usize) -> Result<Direction, String> {
        let value = self.needed(i)?;
        Direction::parse(value.text())
            .ok_or_else(|| format!("'{}' is no direction: write up, down, left or right", cut(value.text())))
    }

    fn place(&self, i: usize) -> Result<Option<Percent>, String> {
        let Some(value) = self.get(i) else { return Ok(None) };
        match places(value.text())?.as_slice() {
            [] => Ok(None),
            [place] => Ok(Some(*place)),
            _ => Err(format!("'{}' is more than one place", cut(value.text()))),
        }
    }

    fn spot(&self, i: usize) -> Result<Spot, String> {
        let area = whole(self.needed(i)?, "number of an area", 0..=u32::MAX)?;
        let part = match self.get(i + 1) {
            None => Subarea::Center,
            Some(v) => Subarea::parse(v.text())
                .ok_or_else(|| format!("'{}' is no part of an area", cut(v.text())))?,
        };
        Ok(Spot { area, part })
    }
}

fn press(how: Press, needs_place: bool, args: &Bound) -> Result<Call, String> {
    let at = match (args.get(1), args.get(2)) {
        (None, None) if !needs_place => None,
        (Some(x), Some(y)) => Some([percent(x.text())?, percent(y.text())?]),
        (Some(both), None) if both.text().contains(',') => match places(both.text())?.as_slice() {
            [place] => Some(*place),
            _ => return Err(format!("{} takes {}", args.function, usage(args.function, args.form))),
        },
        _ => return Err(format!("{} takes {}", args.function, usage(args.function, args.form))),
    };
    Ok(Call::Press { how, tag: args.tag(0)?, at })
}

fn dialog(args: &Bound) -> Result<Call, String> {
    let word = args.needed(0)?.text().trim().to_ascii_lowercase();
    let reply = match word.as_str() {
        "accept" | "ok" | "yes" | "confirm" | "true" => {
            DialogReply::Accept { text: args.get(1).map(|v| v.text().to_owned()) }
        }
        "dismiss" | "cancel" | "no" | "close" | "false" => DialogReply::Dismiss,
        _ => return Err(format!("'{}' is no reply to a dialog: write accept or dismiss", cut(&word))),
    };
    Ok(Call::Dialog { reply })
}

fn side(value: &Value) -> Result<Orientation, String> {
    let word: String = value.text().chars().filter(char::is_ascii_alphabetic).collect();
    Ok(match word.to_ascii_lowercase().as_str() {
        "upright" | "natural" | "portrait" => Orientation::Natural,
        "left" | "landscape" | "landscapeleft" => Orientation::Left,
        "right" | "landscaperight" => Orientation::Right,
        "upsidedown" | "inverted" => Orientation::Inverted,
        _ => {
            return Err(format!(
                "'{}' is no side: write upright, left, right or upside-down",
                cut(value.text())
            ));
        }
    })
}

/// What a function takes, in words.
fn usage(function: &str, form: Form) -> String {
    match (function, form) {
        ("tap" | "long_press", Form::Areas) => "the number of an area and the name of a part".to_owned(),
        ("swipe", Form::Areas) => "area, part, area and part".to_owned(),
        ("tap_at", _) => "the number of an element, and x and y in percent".to_owned(),
        ("tap" | "long_press" | "double_tap" | "triple_tap" | "right_tap" | "hover", _) => {
            "the number of one element".to_owned()
        }
        ("pinch", _) => "the number of an element and a percentage such as 200".to_owned(),
        ("clear", _) => "the number of one element".to_owned(),
        ("text" | "answer" | "infeasible", _) => "one text in double quotes".to_owned(),
        ("secret", _) => "the secret's name in double quotes".to_owned(),
        ("enter" | "back" | "forward" | "reload" | "close_tab" | "grid" | "FINISH", _) => {
            "no arguments".to_owned()
        }
        _ => {
            let names: Vec<_> =
                parameters(function, form).iter().filter_map(|all| all.first().copied()).collect();
            format!("({})", names.join(", "))
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
fn whole(value: &Value, what: &str, range: std::ops::RangeInclusive<u32>) -> Result<u32, String> {
    let text =
        value.text().trim().trim_start_matches(['[', '#', '<', '(']).trim_end_matches([']', '>', ')']).trim();
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => digits,
        _ => text,
    };
    let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten();
    number
        .filter(|n| range.contains(n))
        .ok_or_else(|| format!("'{}' is no {what}: write a whole number", cut(value.text())))
}

fn seconds(value: &Value) -> Result<u64, String> {
    let text = value.text().trim().trim_end_matches(['s', ' ']);
    match text.parse::<f64>() {
        // Rounded to whole milliseconds within the range, so the cast is exact.
        Ok(s) if (0.0..=10.0).contains(&s) => Ok((s * 1000.0).round() as u64),
        _ => Err(format!("'{}' is no number of seconds from 0 to 10", cut(value.text()))),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches(['%', ' ']);
    match number.parse::<f64>() {
        Ok(p) if (0.0..=100.0).contains(&p) => Ok(p),
        _ => Err(format!("'{}' is no percentage from 0 to 100", cut(text))),
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
