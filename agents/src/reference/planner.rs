//! The reference *model* for the planner: it answers the planner's real request and the `tags` grounder's
//! real prompt, each in its own form.
//!
//! Where it stands is kept in the planner's memory, so that this is run too; the elements of a step are
//! described in words, which the second call finds again among the numbers. Both are pure functions.

use serde_json::{Value, json};
use waldo_devices::catalogue::{Arg, Percent};
use waldo_devices::labels::{ListLine, parse_cells, parse_list, parse_list_line};
use waldo_devices::{CallTarget, Direction, Distance, Tag, Tool, ToolCall};
use waldo_prompts::planner::{GroundParts, TurnParts};

use super::agent::{LOOKS, patience};
use super::model::Solved;
use super::{Cursor, ListedElement, Move, ReferenceProgress, Step, Verb};
use crate::planner::{Act, FinishStatus, NEW, PlannedAction, SAME_OPTIONS};

/// The key of the memory under which it keeps where it stands.
const KEY: &str = "reference_progress";

/// Where a solution stands, as an operation on the memory.
fn write(ReferenceProgress { cursor, looks }: ReferenceProgress) -> Value {
    let Cursor { done, repeats } = cursor;
    json!({
        "type": "store_info",
        "key": KEY,
        "info_type": "data_update",
        "value": { "done": done, "repeats": repeats, "looks": looks },
        "description": "how far the solution has come",
    })
}

/// Reads it back; a memory without it is the beginning.
fn read(memory: &str) -> ReferenceProgress {
    let memory: Value = serde_json::from_str(memory).unwrap_or_default();
    let value = &memory["data"][KEY]["value"];
    let number = |name: &str| value[name].as_u64().unwrap_or_default();
    ReferenceProgress {
        cursor: Cursor {
            done: usize::try_from(number("done")).unwrap_or_default(),
            repeats: u32::try_from(number("repeats")).unwrap_or_default(),
        },
        looks: u32::try_from(number("looks")).unwrap_or_default(),
    }
}

/// The answer to a planner's request, of which `message` is the last message; `None` when it is none, or its
/// goal is not that of the solution.
pub fn plan(message: &str, solved: &Solved) -> Option<String> {
    let parts = TurnParts::of(message)?;
    let (mut reply, progress) = turn(&parts, &solved.steps, read(parts.memory));
    reply["update_memory"] = json!([write(progress)]);
    serde_json::to_string_pretty(&reply).ok()
}

/// The reply to a request, with no operation on the memory, and where `steps` stand after it.
pub(super) fn turn(
    parts: &TurnParts<'_>,
    steps: &[Step],
    progress: ReferenceProgress,
) -> (Value, ReferenceProgress) {
    let items = items(parts.screen);
    let (next, after) = progress.cursor.next(steps, &items);
    let moved = ReferenceProgress { cursor: after, looks: 0 };
    let (thought, action, progress) = match next {
        Move::Done => ("All steps of the solution are done.".to_owned(), finish(None), moved),
        Move::Missing { what } if progress.looks >= LOOKS => {
            (format!("Gave up looking for {what}."), finish(None), progress)
        }
        Move::Missing { what } => {
            let look = ReferenceProgress { looks: progress.looks + 1, ..progress };
            let wait = ToolCall::new(Tool::Wait).with("seconds", patience(progress.looks));
            (
                format!("Waiting for {what}."),
                action_json("Wait for what is missing.".to_owned(), Act::Tool(wait)),
                look,
            )
        }
        Move::Free(step) => {
            (format!("The next step is {}.", step.verb.name()), action(&step, None, None, &items), moved)
        }
        Move::On { step, tag, to } => {
            let thought = format!("The next step is {} on an element.", step.verb.name());
            (thought, action(&step, Some(tag), to, &items), moved)
        }
    };
    let reply = json!({
        "previous_action_result": format!("{} elements can be acted on now.", items.len()),
        "thought": thought,
        "action_description": action["description"],
        "update_memory": [],
        "action": action,
    });
    (reply, progress)
}

/// The elements of the planner's list, numbered in their order as the picture's numbers are.
fn items(screen: &str) -> Vec<ListedElement> {
    // Marks of what is new say nothing to it.
    let lines = || screen.lines().map(|line| line.strip_prefix(NEW).unwrap_or(line));
    let own = lines().filter_map(|line| {
        let rest = line.strip_prefix("* ")?;
        let read = |rest: &str| parse_list_line(&format!("1 {rest}"));
        read(rest).or_else(|| read(rest.rsplit_once(SAME_OPTIONS)?.0))
    });
    let cells = lines().filter_map(parse_cells).flatten();
    let numbered = |(n, line): (u32, ListLine)| {
        ListedElement::of_line(ListLine { tag: Some(waldo_devices::Tag(n)), ..line })
    };
    (1..).zip(own.chain(cells)).filter_map(numbered).collect()
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An element in words that [`ground`] finds again.
fn describe(items: &[ListedElement], tag: Tag, at: Option<Percent>) -> String {
    let Some(item) = items.iter().find(|item| item.tag == tag) else { return "nothing".to_owned() };
    let alike: Vec<&ListedElement> =
        items.iter().filter(|o| o.role == item.role && fold(&o.name) == fold(&item.name)).collect();
    let mut words = if fold(&item.name).is_empty() {
        format!("the {} without a name", item.role)
    } else {
        format!("the {} named {}", item.role, Value::from(fold(&item.name)))
    };
    if alike.len() > 1 {
        let place = alike.iter().position(|o| o.tag == tag).unwrap_or_default() + 1;
        words.push_str(&format!(" (number {place} of {})", alike.len()));
    }
    if let Some([x, y]) = at {
        words.push_str(&format!(" at {x}% from its left and {y}% from its top"));
    }
    words
}

/// The answer to a prompt of the `tags` grounder; `None` when it is none.
pub fn ground(prompt: &str) -> Option<String> {
    let parts = GroundParts::of(prompt)?;
    let wanted = if parts.element.is_empty() { parts.wanted } else { parts.element };
    let items: Vec<ListedElement> =
        parse_list(parts.elements).into_iter().filter_map(ListedElement::of_line).collect();
    let answer = if wanted.contains("the whole page") {
        json!({ "element": 0 })
    } else {
        match find(wanted, &items) {
            Some((tag, None)) => json!({ "element": tag }),
            Some((tag, Some([x, y]))) => json!({ "element": tag, "x": x, "y": y }),
            None => json!({ "element": null, "reason": "the stand-in finds no such element" }),
        }
    };
    Some(answer.to_string())
}

/// The element of a description, and percent within it.
fn find(wanted: &str, items: &[ListedElement]) -> Option<(Tag, Option<[f64; 2]>)> {
    wanted.match_indices("the ").find_map(|(at, the)| named(&wanted[at + the.len()..], items))
}

/// The element of words such as [`describe`] gives, without their article.
fn named(rest: &str, items: &[ListedElement]) -> Option<(Tag, Option<[f64; 2]>)> {
    let (role, name, rest) = match rest.split_once(" named \"") {
        Some((role, _)) if !role.contains(' ') => {
            let text = &rest[role.len() + " named ".len()..];
            let mut names = serde_json::Deserializer::from_str(text).into_iter::<String>();
            let name = names.next()?.ok()?;
            (role, name, &text[names.byte_offset()..])
        }
        _ => {
            let (role, rest) = rest.split_once(" without a name")?;
            (role, String::new(), rest)
        }
    };
    let (place, rest) = match rest.strip_prefix(" (number ").and_then(|r| r.split_once(" of ")) {
        Some((n, rest)) => (n.parse::<usize>().ok()?, rest.split_once(')')?.1),
        None => (1, rest),
    };
    let at = rest.strip_prefix(" at ").and_then(|rest| {
        let (x, rest) = rest.split_once("% from its left and ")?;
        let (y, _) = rest.split_once("% from its top")?;
        Some([x.parse::<f64>().ok()?, y.parse::<f64>().ok()?])
    });
    let alike = items.iter().filter(|item| item.role == role && fold(&item.name) == name);
    alike.map(|item| item.tag).nth(place.checked_sub(1)?).map(|tag| (tag, at))
}

fn action_json(description: String, act: Act) -> Value {
    PlannedAction { description, act }.json()
}

fn finish(answer: Option<&str>) -> Value {
    let answer = answer.map(str::to_owned);
    action_json("The task is complete.".to_owned(), Act::Finish { status: FinishStatus::Success, answer })
}

fn failed(reason: String) -> Value {
    action_json(reason.clone(), Act::Finish { status: FinishStatus::Failure, answer: Some(reason) })
}

fn action(step: &Step, tag: Option<Tag>, to: Option<Tag>, items: &[ListedElement]) -> Value {
    let text = step.text.as_deref().unwrap_or_default();
    let call = match step.verb {
        Verb::Answer => return finish(Some(text)),
        Verb::Infeasible => return failed(text.to_owned()),
        Verb::Do(tool) => step.call(tag, to).unwrap_or_else(|| ToolCall::new(tool)),
    };
    if let Some(param) = call.missing() {
        // A sound solution never brings it here.
        return failed(format!("the solution's {} has no {}", step.verb.name(), param.name));
    }
    let call = in_its_words(step, call);
    let several = call.targets().count() > 1;
    let mut described = call.clone();
    let mut named = Vec::new();
    for (place, (param, arg)) in call.args().enumerate().filter(|(_, (param, _))| param.kind.is_target()) {
        let words = match arg {
            Some(Arg::Target(CallTarget::Element { tag, at })) => describe(items, *tag, *at),
            _ => "the whole page".to_owned(),
        };
        // Where the action's description says it, it is not said twice.
        let own = (several || param.optional).then(|| words.clone());
        described.set(place, Some(Arg::Target(CallTarget::Described(own))));
        named.push(words);
    }
    let act = Act::Tool(described);
    let name = act.name().replace('_', " ");
    action_json(format!("{name} {}.", named.join(" to ")), act)
}

fn in_its_words(step: &Step, call: ToolCall) -> ToolCall {
    let (Some(target), Some(tag)) = (call.targets().next().cloned(), call.tag()) else { return call };
    match (call.tool, call.arg("path")) {
        (Tool::Swipe, _) => {
            // The content follows the finger, so the view moves the other way.
            let towards = call.direction().unwrap_or(Direction::Up).opposite();
            let units = step.far.unwrap_or(Distance::Medium).units();
            let scroll = ToolCall::aimed(Tool::Scroll, target);
            scroll.with("direction", towards).with("notches", u32::from(units) * 3)
        }
        (Tool::DragPath, Some(Arg::Path(path))) => {
            let end = |at: Option<&Percent>| CallTarget::Element { tag, at: at.copied() };
            ToolCall::aimed(Tool::Drag, end(path.first())).with("to", end(path.last()))
        }
        _ => call,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_described_is_found_again() {
        let item = |tag, role: &str, name: &str| ListedElement {
            tag: Tag(tag),
            role: role.into(),
            name: name.into(),
            value: None,
        };
        let items = [
            item(1, "button", "Save \"all\" (number 2 of 3)"),
            item(2, "button", "Add  to  basket"),
            item(3, "button", "Add to basket"),
            item(4, "textbox", ""),
            item(5, "textbox", ""),
            item(6, "link", "Add to basket"),
        ];
        for item in &items {
            for at in [None, Some([25.0, 50.0])] {
                let words = format!("Give the file to {}.", describe(&items, item.tag, at));
                assert_eq!(find(&words, &items), Some((item.tag, at)), "{words}");
            }
        }
        assert_eq!(find("Click the button named \"Pay\".", &items), None);
        assert_eq!(find("Click somewhere.", &items), None);
    }
}
