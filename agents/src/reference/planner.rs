//! The reference *model* for the planner: it answers the planner's real request and the `tags` grounder's
//! real prompt, each in its own form.
//!
//! Where it stands is kept in the planner's memory, so that this is run too; the elements of a step are
//! described in words, which the second call finds again among the numbers. Both are pure functions.

use serde_json::{Value, json};
use waldo_devices::labels::{ListLine, parse_cells, parse_list, parse_list_line};
use waldo_prompts::planner::{GroundParts, TurnParts};

use super::agent::{LOOKS, patience, swipe};
use super::model::Solved;
use super::{Cursor, Item, Move, Step, Verb};
use crate::appagent::Direction;

/// The key of the memory under which it keeps where it stands.
const KEY: &str = "reference_progress";

/// Where a solution stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    cursor: Cursor,
    looks: u32,
}

impl Progress {
    fn write(self) -> Value {
        let Cursor { done, repeats } = self.cursor;
        json!({
            "type": "store_info",
            "key": KEY,
            "info_type": "data_update",
            "value": { "done": done, "repeats": repeats, "looks": self.looks },
            "description": "how far the solution has come",
        })
    }

    /// Reads it back; a memory without it is the beginning.
    fn read(memory: &str) -> Self {
        let memory: Value = serde_json::from_str(memory).unwrap_or_default();
        let value = &memory["data"][KEY]["value"];
        let number = |name: &str| value[name].as_u64().unwrap_or_default();
        Self {
            cursor: Cursor {
                done: usize::try_from(number("done")).unwrap_or_default(),
                repeats: u32::try_from(number("repeats")).unwrap_or_default(),
            },
            looks: u32::try_from(number("looks")).unwrap_or_default(),
        }
    }
}

/// The answer to a planner's request, of which `message` is the last message; `None` when it is none, or its
/// goal is not that of the solution.
pub fn plan(message: &str, solved: &Solved) -> Option<String> {
    let parts = TurnParts::of(message)?;
    let items = items(parts.screen);
    let progress = Progress::read(parts.memory);
    let (next, after) = progress.cursor.next(&solved.steps, &items);
    let moved = Progress { cursor: after, looks: 0 };
    let (thought, action, progress) = match next {
        Move::Done => ("All steps of the solution are done.".to_owned(), finish(None), moved),
        Move::Missing { what } if progress.looks >= LOOKS => {
            (format!("Gave up looking for {what}."), finish(None), progress)
        }
        Move::Missing { what } => {
            let look = Progress { looks: progress.looks + 1, ..progress };
            let seconds = std::time::Duration::from_millis(patience(progress.looks)).as_secs_f64();
            let wait = action("wait", "Wait for what is missing.", json!({ "seconds": seconds }));
            (format!("Waiting for {what}."), wait, look)
        }
        Move::Free(step) => (format!("The next step is {:?}.", step.verb), free(&step), moved),
        Move::On { step, tag, to } => {
            let place = |tag, at| describe(&items, tag, at);
            let thought = format!("The next step is {:?} on an element.", step.verb);
            let target = place(tag, step.at);
            let end = to.map(|to| place(to, step.to.as_ref().and_then(|t| t.at)));
            let path = step.path.as_deref().unwrap_or_default();
            let action = match (step.verb, end, path) {
                (Verb::Drag, Some(end), _) => drag(&target, &end),
                (Verb::Drag, None, [first, .., last]) => {
                    drag(&place(tag, Some(*first)), &place(tag, Some(*last)))
                }
                _ => on(&step, &target),
            };
            (thought, action, moved)
        }
    };
    let reply = json!({
        "previous_action_result": format!("{} elements can be acted on now.", items.len()),
        "thought": thought,
        "action_description": action["description"],
        "update_memory": [progress.write()],
        "action": action,
    });
    serde_json::to_string_pretty(&reply).ok()
}

/// The elements of the planner's list, numbered in their order as the picture's numbers are.
fn items(screen: &str) -> Vec<Item> {
    let own = screen.lines().filter_map(|line| parse_list_line(&format!("[1] {}", line.strip_prefix("* ")?)));
    let cells = screen.lines().filter_map(parse_cells).flatten();
    let numbered = |(n, line): (u32, ListLine)| Item::of_line(ListLine { tag: Some(waldo_devices::Tag(n)), ..line });
    (1..).zip(own.chain(cells)).filter_map(numbered).collect()
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An element in words that [`ground`] finds again.
fn describe(items: &[Item], tag: waldo_devices::Tag, at: Option<[f64; 2]>) -> String {
    let Some(item) = items.iter().find(|item| item.tag == tag) else { return "nothing".to_owned() };
    let alike: Vec<&Item> =
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
        words.push_str(&format!(" at {}% from its left and {}% from its top", x * 100.0, y * 100.0));
    }
    words
}

/// The answer to a prompt of the `tags` grounder; `None` when it is none.
pub fn ground(prompt: &str) -> Option<String> {
    let parts = GroundParts::of(prompt)?;
    let wanted = if parts.element.is_empty() { parts.wanted } else { parts.element };
    let items: Vec<Item> = parse_list(parts.elements).into_iter().filter_map(Item::of_line).collect();
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
fn find(wanted: &str, items: &[Item]) -> Option<(waldo_devices::Tag, Option<[f64; 2]>)> {
    wanted.match_indices("the ").find_map(|(at, the)| named(&wanted[at + the.len()..], items))
}

/// The element of words such as [`describe`] gives, without their article.
fn named(rest: &str, items: &[Item]) -> Option<(waldo_devices::Tag, Option<[f64; 2]>)> {
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

fn action(kind: &str, description: &str, parameters: Value) -> Value {
    let mut action = json!({ "type": kind, "description": description });
    if parameters.as_object().is_some_and(|p| !p.is_empty()) {
        action["parameters"] = parameters;
    }
    action
}

fn finish(answer: Option<&str>) -> Value {
    let mut parameters = json!({ "status": "success" });
    if let Some(answer) = answer {
        parameters["answer"] = answer.into();
    }
    action("finish", "The task is complete.", parameters)
}

fn drag(start: &str, end: &str) -> Value {
    let parameters = json!({ "start_description": start, "end_description": end });
    action("drag", "Drag it to its place.", parameters)
}

fn on(step: &Step, target: &str) -> Value {
    let act = |kind: &str, verb: &str| action(kind, &format!("{verb} {target}."), json!({}));
    match step.verb {
        Verb::Tap => act("click", "Click"),
        Verb::DoubleTap => act("double_click", "Double click"),
        Verb::TripleTap => act("triple_click", "Triple click"),
        Verb::RightTap => act("right_click", "Right click"),
        Verb::LongPress => act("long_press", "Press and hold"),
        Verb::Hover => act("mouse_move", "Move the mouse onto"),
        Verb::Clear => act("clear", "Empty"),
        Verb::Select => action(
            "select_option",
            &format!("Choose an option of {target}."),
            json!({ "option": step.option }),
        ),
        Verb::Upload => action(
            "upload_file",
            &format!("Give the file to {target}."),
            json!({ "file": step.files.first() }),
        ),
        Verb::Swipe => {
            let (towards, far) = swipe(step);
            // The content follows the finger, so the view moves the other way.
            let direction = match towards {
                Direction::Up => "down",
                Direction::Down => "up",
                Direction::Left => "right",
                Direction::Right => "left",
            };
            scrolled(target, direction, u32::from(far.units()) * 3)
        }
        Verb::Scroll => scroll(step, target),
        _ => free(step),
    }
}

/// A scroll goes one way at a time, as the rules of suites have it; else the longer way counts.
fn scroll(step: &Step, target: &str) -> Value {
    let (direction, by) = if step.down.unsigned_abs() >= step.right.unsigned_abs() {
        (if step.down < 0 { "up" } else { "down" }, step.down)
    } else {
        (if step.right < 0 { "left" } else { "right" }, step.right)
    };
    scrolled(target, direction, by.unsigned_abs().max(1))
}

fn scrolled(target: &str, direction: &str, distance: u32) -> Value {
    let parameters = json!({ "element_description": target, "direction": direction, "distance": distance });
    action("scroll", &format!("Scroll {direction}."), parameters)
}

fn free(step: &Step) -> Value {
    let text = step.text.as_deref().unwrap_or_default();
    match step.verb {
        Verb::Answer => finish(Some(text)),
        Verb::Infeasible => action("finish", text, json!({ "status": "failure", "answer": text })),
        Verb::Type => action("type", "Type into the focused field.", json!({ "text": text })),
        Verb::Key => action("key_press", "Press the keys.", json!({ "key": step.chord })),
        Verb::Navigate => action("open_url", "Open the address.", json!({ "url": step.url })),
        Verb::Back => action("go_back", "Go back.", json!({})),
        Verb::Forward => action("go_forward", "Go forward.", json!({})),
        Verb::Reload => action("reload", "Load it again.", json!({})),
        Verb::NewTab => action("open_tab", "Open a tab.", json!({ "url": step.url })),
        Verb::SwitchTab => {
            action("switch_tab", "Go to the tab.", json!({ "tab": step.tab.unwrap_or_default() + 1 }))
        }
        Verb::CloseTab => action("close_tab", "Close the tab.", json!({})),
        Verb::Home => action("press_home", "Go to the home screen.", json!({})),
        Verb::Recents => action("show_recents", "Show the recent apps.", json!({})),
        Verb::OpenApp => action("open_app", "Open the app.", json!({ "app": step.app })),
        Verb::Dialog if step.accept == Some(false) => {
            action("answer_dialog", "Cancel the dialog.", json!({ "reply": "dismiss" }))
        }
        Verb::Dialog => {
            action("answer_dialog", "Agree to the dialog.", json!({ "reply": "accept", "text": step.text }))
        }
        Verb::Scroll => scroll(step, "the whole page"),
        Verb::Wait => action("wait", "Wait a little.", json!({ "seconds": 0.5 })),
        // These name an element, so a sound solution never brings them here.
        Verb::Tap
        | Verb::DoubleTap
        | Verb::TripleTap
        | Verb::RightTap
        | Verb::LongPress
        | Verb::Hover
        | Verb::Clear
        | Verb::Select
        | Verb::Upload
        | Verb::Swipe
        | Verb::Drag => {
            let reason = format!("the solution's {:?} names no element", step.verb);
            action("finish", &reason, json!({ "status": "failure", "answer": reason }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waldo_devices::Tag;

    #[test]
    fn what_is_described_is_found_again() {
        let item = |tag, role: &str, name: &str| Item {
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
            for at in [None, Some([0.25, 0.5])] {
                let words = format!("Give the file to {}.", describe(&items, item.tag, at));
                let percent = at.map(|[x, y]: [f64; 2]| [x * 100.0, y * 100.0]);
                assert_eq!(find(&words, &items), Some((item.tag, percent)), "{words}");
            }
        }
        assert_eq!(find("Click the button named \"Pay\".", &items), None);
        assert_eq!(find("Click somewhere.", &items), None);
    }
}
