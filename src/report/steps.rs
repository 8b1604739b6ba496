//! One episode as the page's player shows it, made from its events.
//!
//! Kept small: what is long and comes again (the lines of prompts) is stored once for the whole page.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use waldo_agents::{Choice, Exchange, Note};
use waldo_devices::{Element, JsonMembers as _, Settled, Tagged};
use waldo_tasks::events::Observed;
use waldo_tasks::{Event, EventKind};

use super::words;

/// Lines shorter than this are not worth a reference.
const SHORT: usize = 24;

/// A prompt or reply: text, or the number of a line in [`Lines`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PromptLine {
    Known(usize),
    Text(String),
}

/// The lines that come more than once.
#[derive(Debug, Default)]
pub struct Lines {
    seen: HashMap<String, (u32, Option<usize>)>,
    pub table: Vec<String>,
}

impl Lines {
    /// Counts the lines of a text; all texts are counted before the first is packed.
    pub fn count(&mut self, text: &str) {
        for line in text.split('\n').filter(|l| l.len() >= SHORT) {
            match self.seen.get_mut(line) {
                Some((n, _)) => *n += 1,
                None => {
                    self.seen.insert(line.to_owned(), (1, None));
                }
            }
        }
    }

    /// A text as references and lines of its own; neighbours of the latter kind are joined.
    pub fn pack(&mut self, text: &str) -> Vec<PromptLine> {
        let mut out: Vec<PromptLine> = Vec::new();
        for line in text.split('\n') {
            match self.seen.get_mut(line) {
                Some((2.., place)) => {
                    let at = *place.get_or_insert_with(|| {
                        self.table.push(line.to_owned());
                        self.table.len() - 1
                    });
                    out.push(PromptLine::Known(at));
                }
                _ => match out.last_mut() {
                    Some(PromptLine::Text(before)) => {
                        before.push('\n');
                        before.push_str(line);
                    }
                    _ => out.push(PromptLine::Text(line.to_owned())),
                },
            }
        }
        out
    }
}

#[derive(Debug, Default)]
pub struct EventParts {
    pub goal: String,
    pub params: Value,
    pub steps: BTreeMap<u32, ReportStep>,
}

#[derive(Debug, Default)]
pub struct ReportStep {
    /// What was seen before it; the only part of the final screen.
    pub observed: Option<Box<Observed>>,
    pub decided: Option<(Box<waldo_agents::Decision>, Duration)>,
    pub acted: Option<PerformedAction>,
    /// What a person demonstrated, as an agent would write it.
    pub demonstrated: Option<String>,
    /// What happened afterwards without the agent's doing, in words.
    pub happened: Vec<String>,
}

#[derive(Debug)]
pub struct PerformedAction {
    action: waldo_devices::Action,
    report: Option<waldo_devices::ActionReport>,
    note: Option<Note>,
}

impl EventParts {
    pub fn new(events: Vec<Event>) -> Self {
        let mut told = Self::default();
        for event in events {
            told.take(event.kind);
        }
        told
    }

    /// Takes the next event, and gives the number of the step that it is about.
    pub fn take(&mut self, event: EventKind) -> Option<u32> {
        match event {
            EventKind::Started { goal, params, .. } => {
                *self = Self { goal, params, steps: BTreeMap::new() };
                None
            }
            EventKind::Observed(observed) => {
                let step = observed.step;
                self.steps.entry(step).or_default().observed = Some(observed);
                Some(step)
            }
            EventKind::Decided { step, decision, took } => {
                self.steps.entry(step).or_default().decided = Some((decision, took));
                Some(step)
            }
            EventKind::Acted { step, action, report, note } => {
                self.steps.entry(step).or_default().acted = Some(PerformedAction { action, report, note });
                Some(step)
            }
            EventKind::Demonstrated { step, call, .. } => {
                self.steps.entry(step).or_default().demonstrated = Some(call);
                Some(step)
            }
            EventKind::Happened { step, what } => {
                self.steps.entry(step).or_default().happened.push(what);
                Some(step)
            }
            EventKind::Reflected { step, reflected } => {
                if let Some((decision, _)) = &mut self.steps.entry(step).or_default().decided {
                    let thought = decision.thought.get_or_insert_default();
                    thought.push_str(&words::reflected(&reflected));
                    decision.exchanges.extend(reflected.exchanges);
                }
                Some(step)
            }
            _ => None,
        }
    }

    /// One step for a page that has its elements in full; `picture` gives the reference of a file.
    pub fn step(&self, number: u32, lines: &mut Lines, picture: impl Fn(&str) -> Value) -> Option<Value> {
        let step = self.steps.get(&number)?;
        let mut view = json!({ "n": number });
        if let Some(observed) = step.observed.as_deref() {
            view["seen"] = seen(observed, elements(observed), &picture);
        }
        finish(step, &mut view, lines);
        Some(view)
    }

    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.steps.values().filter_map(|s| s.decided.as_ref()).flat_map(|(d, _)| &d.exchanges)
    }

    /// The steps for the page. `picture` gives the reference of a file in the episode's folder.
    pub fn steps(&self, lines: &mut Lines, picture: impl Fn(&str) -> Value) -> Vec<Value> {
        let mut before: Option<(usize, &Observed)> = None;
        let mut out = Vec::new();
        for (at, (number, step)) in self.steps.iter().enumerate() {
            let mut view = json!({ "n": number });
            if let Some(observed) = step.observed.as_deref() {
                let same =
                    before.filter(|(_, o)| o.elements == observed.elements && o.tagged == observed.tagged);
                let elements = if let Some((place, _)) = same { json!(place) } else { elements(observed) };
                if same.is_none() {
                    before = Some((at, observed));
                }
                view["seen"] = seen(observed, elements, &picture);
            }
            finish(step, &mut view, lines);
            out.push(view);
        }
        out
    }
}

fn finish(step: &ReportStep, view: &mut Value, lines: &mut Lines) {
    view.put_some("decided", step.decided.as_ref().map(|(decision, took)| decided(decision, *took, lines)));
    view.put_some("acted", step.acted.as_ref().map(did));
    view.put_some("demonstrated", &step.demonstrated);
    view.put_filled("happened", &step.happened);
}

fn ms(d: Duration) -> f64 {
    (d.as_secs_f64() * 10_000.0).round() / 10.0
}

fn seen(o: &Observed, elements: Value, picture: &impl Fn(&str) -> Value) -> Value {
    let mut view = json!({
        "pic": o.picture.as_deref().map_or(Value::Null, picture),
        "w": o.geometry.physical.w,
        "h": o.geometry.physical.h,
        "at": o.context.location,
        "title": o.context.title,
        "elements": elements,
        "ms": {
            "settle": ms(o.timings.settle),
            "picture": ms(o.timings.picture),
            "elements": ms(o.timings.elements),
            "observe": ms(o.timings.total),
            "label": ms(o.label_time),
        },
    });
    if o.settled != Settled::Quiet {
        view["settled"] = json!(o.settled);
    }
    if let Some(dialog) = &o.context.dialog {
        view["dialog"] = json!(format!("{}: {}", dialog.kind, dialog.message));
    }
    if let Some(screen) = o.context.screen() {
        view["screen"] = json!(screen);
        view["screens"] = json!(o.context.screens);
    }
    if o.context.tabs.len() > 1 {
        let tabs = o.context.tabs.iter();
        view["tabs"] = tabs
            .map(|t| format!("{}{} ({})", if t.active { "\u{25b8} " } else { "" }, t.title, t.url))
            .collect();
    }
    view.put_filled("blocked", &o.context.blocked);
    view.put_filled("notices", &o.context.notices);
    view
}

/// Each as `[tag or null, role, name, state words, x, y, w, h]`.
fn elements(o: &Observed) -> Value {
    let tags: HashMap<usize, &Tagged> = o.tagged.iter().map(|t| (t.element, t)).collect();
    o.elements
        .iter()
        .enumerate()
        .map(|(i, e)| {
            let b = &e.bounds;
            json!([
                tags.get(&i).map(|t| t.tag),
                e.role,
                e.name,
                states(e),
                b.x.round(),
                b.y.round(),
                b.w.round(),
                b.h.round()
            ])
        })
        .collect()
}

fn states(e: &Element) -> String {
    let mut words = Vec::new();
    if let Some(value) = e.value.as_deref().filter(|v| !v.is_empty()) {
        words.push(format!("\u{201c}{}\u{201d}", words::cut(value, 80)));
    }
    let s = &e.states;
    for (on, word) in [
        (s.focused, "focused"),
        (s.disabled, "disabled"),
        (s.readonly, "read-only"),
        (s.required, "required"),
        (s.invalid, "invalid"),
        (s.checked == Some(true), "checked"),
        (s.checked == Some(false), "not checked"),
        (s.selected == Some(true), "selected"),
        (s.expanded == Some(true), "expanded"),
        (s.expanded == Some(false), "collapsed"),
    ] {
        if on {
            words.push(word.to_owned());
        }
    }
    words.join(", ")
}

fn decided(d: &waldo_agents::Decision, took: Duration, lines: &mut Lines) -> Value {
    let choice = match &d.choice {
        Choice::Act { action } => json!({ "act": action.describe(), "points": words::points(action) }),
        Choice::Pass { reason } => json!({ "pass": reason }),
        Choice::Finish { answer } => json!({ "finish": answer.clone().unwrap_or_default() }),
        Choice::Infeasible { reason } => json!({ "infeasible": reason }),
        Choice::GiveUp { reason } => json!({ "give_up": reason }),
        Choice::HandOver { reason } => json!({ "hand_over": reason }),
        Choice::Fail { reason } => json!({ "fail": reason }),
    };
    let mut view = json!({ "choice": choice, "ms": ms(took) });
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            view[key] = value;
        }
    };
    put("tag", d.tag.map(|t| json!(t)));
    put("call", (!d.call.is_empty()).then(|| json!(d.call)));
    put("observation", d.observation.as_ref().map(|t| json!(t)));
    put("thought", d.thought.as_ref().map(|t| json!(t)));
    put("summary", d.summary.as_ref().map(|t| json!(t)));
    put("person", d.person.map(|part| json!(part)));
    put("plan", d.plan.as_ref().map(|plan| json!(plan)));
    if !d.exchanges.is_empty() {
        put("exchanges", Some(d.exchanges.iter().map(|e| exchange(e, lines)).collect()));
    }
    view
}

fn exchange(e: &Exchange, lines: &mut Lines) -> Value {
    let mut view = json!({
        "purpose": e.purpose,
        "prompt": lines.pack(&e.prompt),
        "reply": lines.pack(&e.reply),
        "pictures": e.pictures,
        "usage": e.usage,
        "ms": ms(e.took),
        "retries": e.retries,
    });
    view.put_filled("repairs", &e.repairs);
    view.put_some("rejected", &e.rejected);
    view.put_some("dropped", &e.dropped);
    view
}

fn did(acted: &PerformedAction) -> Value {
    let mut view = json!({
        "action": acted.action.describe(),
        "name": acted.action.name(),
        "points": words::points(&acted.action),
        "raw": acted.action,
    });
    if let waldo_devices::Action::Scroll { by, .. } = &acted.action {
        view["by"] = json!([by.right, by.down]);
    }
    if let Some(report) = &acted.report {
        view["report"] = json!(report.effect);
        view["ms"] = json!(ms(report.took));
    }
    view.put_some("note", &acted.note);
    view
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_come_again_are_stored_once_and_read_back() {
        let (a, b) = (
            "the same long line of a system prompt\nshort\nonly here, but long enough to count",
            "x\nthe same long line of a system prompt",
        );
        let mut lines = Lines::default();
        lines.count(a);
        lines.count(b);
        let packed = [lines.pack(a), lines.pack(b)];
        assert_eq!(lines.table.len(), 1);
        let back = |packed: &[PromptLine]| {
            packed
                .iter()
                .map(|l| match l {
                    PromptLine::Known(n) => lines.table[*n].clone(),
                    PromptLine::Text(t) => t.clone(),
                })
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!((back(&packed[0]).as_str(), back(&packed[1]).as_str()), (a, b));
        assert_eq!(packed[0].len(), 2);
    }
}
