//! From what is to be done to calls of a profile's actions.

use serde_json::{Value, json};
use waldo_devices::{Arg, Button, Capability, Clicks, DeviceInfo, Direction, Modifiers, Tool};

use super::{PlaceShares, Wish};
use crate::call::Call;
use crate::carry::NOTCHES;
use crate::profile::{Profile, plain};
use crate::reply::ReplyForm;
use crate::rule::{ActionRule, ArgumentSource, Operation};

/// How far from the edge of the screen a finger's way ends, as a share of it.
const MARGIN: f64 = 0.02;

/// A profile's actions on a device, with coordinates of one picture.
pub(super) struct CallWriter<'a> {
    profile: &'a Profile,
    device: &'a DeviceInfo,
    extent: [f64; 2],
}

struct Draft<'a> {
    rule: &'a ActionRule,
    call: Call,
}

impl Draft<'_> {
    fn put(&mut self, parameter: &str, value: Value) {
        let argument = match self.rule.with.get(parameter) {
            Some(ArgumentSource::One(names)) => names.split('|').next().unwrap_or(names).to_owned(),
            Some(ArgumentSource::Pair([x, y])) => {
                let first = |names: &str| names.split('|').next().unwrap_or(names).to_owned();
                if let Value::Array(both) = &value {
                    for (names, part) in [x, y].into_iter().zip(both) {
                        self.call.named.insert(first(names), part.clone());
                    }
                }
                return;
            }
            None => parameter.to_owned(),
        };
        if self.rule.args.last().and_then(|last| last.strip_suffix('*')) == Some(argument.as_str()) {
            match value {
                Value::Array(all) => self.call.positional.extend(all),
                one => self.call.positional.push(one),
            }
            return;
        }
        self.call.named.insert(argument, value);
    }
}

/// Whether an action says a parameter, as far as the profile tells.
fn says(rule: &ActionRule, parameter: &str) -> bool {
    rule.with.contains_key(parameter)
        || rule.default.contains_key(parameter)
        || rule.args.iter().any(|name| name == parameter)
}

fn set<'a>(rule: &'a ActionRule, parameter: &str) -> Option<&'a str> {
    rule.set.get(parameter).and_then(Value::as_str)
}

impl<'a> CallWriter<'a> {
    pub(super) fn new(profile: &'a Profile, device: &'a DeviceInfo, extent: [f64; 2]) -> Self {
        Self { profile, device, extent }
    }

    /// The calls that do it; the error names what no action does.
    pub(super) fn calls(&self, wish: &Wish) -> Result<Vec<Call>, String> {
        match wish {
            Wish::Press { at, clicks, button, modifiers } => {
                Ok(vec![self.press(*at, *clicks, *button, *modifiers)?])
            }
            Wish::Drag { path } => self.drag(path),
            Wish::Scroll { at, direction, notches, notch } => self.scroll(*at, *direction, *notches, *notch),
            Wish::Type { text } => {
                let rules =
                    self.rules(Operation::Type).filter(|(_, rule)| !rule.default.contains_key("submit"));
                self.one(rules, "typing", |draft| draft.put("text", json!(text)))
            }
            Wish::Keys { chord } => self.keys(chord),
            Wish::Wait { seconds } => self.one(self.rules(Operation::Wait), "waiting", |draft| {
                if !draft.rule.set.contains_key("seconds") {
                    draft.put("seconds", plain(*seconds));
                }
            }),
            Wish::Do { tool, at, with } => self.tool(*tool, at.as_ref(), with),
            Wish::Finish { answer: None } => {
                let ended = self.one(self.rules(Operation::Terminate), "the end", |draft| {
                    draft.put("status", json!("success"));
                });
                ended.or_else(|_| self.one(self.rules(Operation::Finish), "the end", |_| {}))
            }
            Wish::Finish { answer: Some(answer) } => {
                let put = |draft: &mut Draft<'_>| draft.put("answer", json!(answer));
                self.one(self.rules(Operation::Finish), "an answer", put).or_else(|_| {
                    let mut calls = self.one(self.rules(Operation::Answer), "an answer", put)?;
                    calls.extend(self.calls(&Wish::Finish { answer: None })?);
                    Ok(calls)
                })
            }
            Wish::Fail { reason } => {
                let ended =
                    self.one(self.rules(Operation::Terminate), "a task that cannot be done", |draft| {
                        draft.put("status", json!("failure"));
                        if says(draft.rule, "answer") {
                            draft.put("answer", json!(reason));
                        }
                    });
                let fail = |draft: &mut Draft<'_>| draft.put("reason", json!(reason));
                ended.or_else(|what| self.one(self.rules(Operation::Fail), &what, fail))
            }
        }
    }

    fn rules(&self, operation: Operation) -> impl Iterator<Item = (&'a str, &'a ActionRule)> {
        let device = self.device;
        self.profile
            .actions()
            .filter(move |(_, rule)| rule.operation() == Some(operation) && rule.offered(device))
            .map(|(name, rule)| (name.split('@').next().unwrap_or(name), rule))
    }

    fn one(
        &self,
        mut rules: impl Iterator<Item = (&'a str, &'a ActionRule)>,
        what: &str,
        fill: impl FnOnce(&mut Draft<'_>),
    ) -> Result<Vec<Call>, String> {
        let (name, rule) = rules.next().ok_or_else(|| what.to_owned())?;
        let mut draft = Draft { rule, call: Call::bare(name) };
        fill(&mut draft);
        Ok(vec![draft.call])
    }

    fn place(&self, [x, y]: PlaceShares) -> [Value; 2] {
        let write = |share: f64, extent: f64| {
            let n = share * extent;
            plain(if extent <= 1.0 { (n * 10_000.0).round() / 10_000.0 } else { n.round() })
        };
        [write(x, self.extent[0]), write(y, self.extent[1])]
    }

    fn put_place(&self, draft: &mut Draft<'_>, parameter: &str, at: PlaceShares) {
        let [x, y] = self.place(at);
        let pair = matches!(draft.rule.with.get(parameter), Some(ArgumentSource::Pair(_)));
        // Expressions have it as a text.
        let value = match self.profile.form() {
            ReplyForm::Calls if !pair => json!(format!("({x},{y})")),
            _ => json!([x, y]),
        };
        draft.put(parameter, value);
    }

    fn press(
        &self,
        at: PlaceShares,
        clicks: Clicks,
        button: Button,
        modifiers: Modifiers,
    ) -> Result<Call, String> {
        let clicks = match clicks {
            Clicks::Single => "single",
            Clicks::Double => "double",
            Clicks::Triple => "triple",
        };
        let button = Arg::from(button).word().unwrap_or_default();
        let fits = |rule: &ActionRule| {
            set(rule, "clicks").unwrap_or("single") == clicks
                && set(rule, "button").unwrap_or("left") == button
                && (modifiers.is_empty() || rule.with.contains_key("modifiers"))
        };
        let what = || format!("a {clicks} press of the {button} button{}", held(modifiers));
        let rules = self.rules(Operation::Tap).filter(|(_, rule)| fits(rule));
        let calls = self.one(rules, &what(), |draft| {
            self.put_place(draft, "at", at);
            if !modifiers.is_empty() {
                draft.put("modifiers", json!(modifiers.to_string()));
            }
        })?;
        calls.into_iter().next().ok_or_else(what)
    }

    fn drag(&self, path: &[PlaceShares]) -> Result<Vec<Call>, String> {
        let what = || format!("a drag over {} places", path.len());
        let (Some(from), Some(to)) = (path.first(), path.last()) else { return Err(what()) };
        // One whose end has no name takes the whole way.
        if let Some((name, rule)) =
            self.rules(Operation::Drag).find(|(_, rule)| !rule.with.contains_key("to"))
        {
            let mut draft = Draft { rule, call: Call::bare(name) };
            let places = path.iter().map(|at| {
                let [x, y] = self.place(*at);
                json!({ "x": x, "y": y })
            });
            draft.put("path", places.collect());
            return Ok(vec![draft.call]);
        }
        if path.len() != 2 {
            return Err(what());
        }
        let both = |draft: &mut Draft<'_>| {
            self.put_place(draft, "from", *from);
            self.put_place(draft, "to", *to);
        };
        let whole = self.rules(Operation::Drag).filter(|(_, rule)| rule.with.contains_key("from"));
        if let Ok(calls) = self.one(whole, "", both) {
            return Ok(calls);
        }
        if self.has_fingers() {
            return self.one(self.rules(Operation::Swipe), &what(), both);
        }
        // From where the pointer was left.
        let mut calls = self.tool(Tool::Hover, Some(&("element", *from)), &[])?;
        let rest = self.rules(Operation::Drag);
        calls.extend(self.one(rest, &what(), |draft| self.put_place(draft, "to", *to))?);
        Ok(calls)
    }

    fn has_fingers(&self) -> bool {
        let has = |can| self.device.capabilities.contains(&can);
        has(Capability::Touch) && !has(Capability::Mouse)
    }

    fn scroll(
        &self,
        at: PlaceShares,
        direction: Direction,
        notches: u32,
        notch: PlaceShares,
    ) -> Result<Vec<Call>, String> {
        let (signed, sign): (&[&str], f64) = match direction {
            Direction::Up => (&["up", "down"], 1.0),
            Direction::Down => (&["down", "up"], 1.0),
            Direction::Right => (&["right"], 1.0),
            Direction::Left => (&["right"], -1.0),
        };
        let what = format!("scrolling {}", direction.name());
        for (name, rule) in self.rules(Operation::Scroll) {
            let mut draft = Draft { rule, call: Call::bare(name) };
            self.put_place(&mut draft, "at", at);
            let each = rule.set.get("per-notch").and_then(Value::as_f64).unwrap_or(1.0);
            let amount = f64::from(notches) * each;
            let by_sign = signed.iter().find(|parameter| rule.with.contains_key(**parameter));
            let any_sign = ["up", "down", "right"].iter().any(|parameter| rule.with.contains_key(*parameter));
            if let Some(parameter) = by_sign {
                // The other word of the two counts the other way.
                let sign = if *parameter == signed[0] { sign } else { -sign };
                draft.put(parameter, plain(sign * amount));
                return Ok(vec![draft.call]);
            }
            if any_sign {
                continue;
            }
            draft.put("direction", json!(direction.name()));
            if says(rule, "amount") {
                draft.put("amount", plain(amount));
                return Ok(vec![draft.call]);
            }
            // As often as comes next to it.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 20")]
            let times = (f64::from(notches) / NOTCHES).round().clamp(1.0, 20.0) as usize;
            return Ok(vec![draft.call; times]);
        }
        if !self.has_fingers() {
            return Err(what);
        }
        let inside = |n: f64| n.clamp(MARGIN, 1.0 - MARGIN);
        let (dx, dy) = (f64::from(notches) * notch[0], f64::from(notches) * notch[1]);
        let [x, y] = at;
        let to = match direction {
            Direction::Up => [x, inside(y + dy)],
            Direction::Down => [x, inside(y - dy)],
            Direction::Left => [inside(x + dx), y],
            Direction::Right => [inside(x - dx), y],
        };
        self.one(self.rules(Operation::Swipe), &what, |draft| {
            self.put_place(draft, "from", at);
            self.put_place(draft, "to", to);
        })
    }

    fn keys(&self, chord: &str) -> Result<Vec<Call>, String> {
        let all: Vec<&str> = match chord.split('+').filter(|key| !key.is_empty()).collect::<Vec<_>>() {
            keys if keys.is_empty() => vec![chord],
            keys => keys,
        };
        let at_once = self.one(self.rules(Operation::Key), "", |draft| {
            let list = draft.rule.args.last().is_some_and(|last| last.ends_with('*'));
            let value = match self.profile.form() {
                ReplyForm::Calls => json!(all.join(" ")),
                ReplyForm::Tags | ReplyForm::Code if !list => json!(chord),
                _ => json!(all),
            };
            draft.put("keys", value);
        });
        let one_by_one = || {
            // Each key of the list would be pressed alone: a chord is one of them.
            self.one(self.rules(Operation::Press), "", |draft| draft.put("keys", json!(chord)))
        };
        let button = || {
            let known = ["enter", "back", "home"].contains(&chord.to_lowercase().as_str());
            let rules = self.rules(Operation::System).filter(|_| known);
            self.one(rules, "", |draft| draft.put("button", json!(chord)))
        };
        at_once.or_else(|_| one_by_one()).or_else(|_| button()).map_err(|_| format!("the keys {chord}"))
    }

    fn tool(
        &self,
        tool: Tool,
        at: Option<&(&'static str, PlaceShares)>,
        with: &[(&'static str, Value)],
    ) -> Result<Vec<Call>, String> {
        let what = tool.name().replace('_', " ");
        let own = self.one(self.rules(Operation::Tool(tool)), &what, |draft| {
            if let Some((parameter, at)) = at {
                self.put_place(draft, parameter, *at);
            }
            for (parameter, value) in with {
                draft.put(parameter, value.clone());
            }
        });
        own.or_else(|what| match tool {
            Tool::Back | Tool::Home => {
                let button = json!(tool.name());
                self.one(self.rules(Operation::System), &what, |draft| draft.put("button", button))
            }
            Tool::Enter => self.keys("Enter"),
            _ => Err(what),
        })
    }
}

fn held(modifiers: Modifiers) -> String {
    if modifiers.is_empty() { String::new() } else { format!(" with {modifiers} held") }
}
