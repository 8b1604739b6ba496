//! The reference *model*: it answers AppAgent's real prompt in AppAgent's reply format.
//!
//! Everything between a prompt and the device is thus run without a model: the template, the list of
//! elements, the reply's parser, the numbers. It knows nothing but the prompt and the solutions; where it
//! stands is carried in the Summary that it wrote itself and that the next prompt gives back. So it is a
//! pure function, and a replayed request has the same answer.

use waldo_devices::labels::{ListLine, parse_list};
use waldo_devices::{DialogReply, Tag};
use waldo_prompts::appagent::Parts;

use super::agent::{LOOKS, patience, swipe};
use super::{Cursor, Item, Move, Step, Verb};
use crate::appagent::{Call, Direction, Percent, Press};

/// A task's goal and how it is reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The goal, as the prompt gives it.
    pub goal: String,
    /// The reference solution.
    pub steps: Vec<Step>,
}

/// Where a solution stands, as the Summary says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    cursor: Cursor,
    looks: u32,
}

const MARK: &str = "Reference progress:";

impl Progress {
    fn write(self) -> String {
        let Cursor { done, repeats } = self.cursor;
        format!("{MARK} {done} done, {repeats} repeats, {} looks.", self.looks)
    }

    /// Reads it back; a summary without it is the beginning.
    fn read(history: &str) -> Self {
        let Some((_, rest)) = history.rsplit_once(MARK) else { return Self::default() };
        let rest = rest.split('.').next().unwrap_or_default();
        let number = |word: &str| {
            rest.split(',').find_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u32>().ok())
        };
        Self {
            cursor: Cursor {
                done: number("done").and_then(|n| usize::try_from(n).ok()).unwrap_or_default(),
                repeats: number("repeats").unwrap_or_default(),
            },
            looks: number("looks").unwrap_or_default(),
        }
    }
}

/// The reply to a prompt; `None` when it is no prompt of AppAgent's, or its goal is not among the
/// solutions.
pub fn reply(prompt_text: &str, solutions: &[Solved]) -> Option<String> {
    reply_with(prompt_text, solutions, |_, tag, _| Some(tag))
}

/// The reply to a prompt, where `find` may know the element of a step better: it is given the step, the
/// element by the solution, and the elements on the screen.
pub(super) fn reply_with(
    prompt_text: &str,
    solutions: &[Solved],
    find: impl Fn(&Step, Tag, &[Item]) -> Option<Tag>,
) -> Option<String> {
    let parts = Parts::of(prompt_text)?;
    let goal = fold(parts.goal);
    let solved = solutions.iter().find(|s| fold(&s.goal) == goal)?;
    let items: Vec<Item> = parse_list(parts.screen).into_iter().filter_map(item).collect();
    let progress = Progress::read(parts.history);
    let (next, after) = progress.cursor.next(&solved.steps, &items);
    let moved = Progress { cursor: after, looks: 0 };
    let (thought, call, progress) = match next {
        Move::Done => ("All steps of the solution are done.".to_owned(), Call::Finish, moved),
        Move::Missing { what } if progress.looks >= LOOKS => {
            (format!("Gave up looking for {}.", fold(&what)), Call::Finish, progress)
        }
        Move::Missing { what } => {
            let look = Progress { looks: progress.looks + 1, ..progress };
            (format!("Waiting for {}.", fold(&what)), Call::Wait { ms: patience(progress.looks) }, look)
        }
        Move::Free(step) => (format!("The next step is {:?}.", step.verb), free(&step), moved),
        Move::On { step, tag, to } => {
            let tag = find(&step, tag, &items).unwrap_or(tag);
            (format!("The next step is {:?} on element {}.", step.verb, tag.0), on(&step, tag, to), moved)
        }
    };
    Some(format!(
        "Observation: {} numbered elements are on the screen.\nThought: {thought}\nAction: {call}\nSummary: {}",
        items.len(),
        progress.write()
    ))
}

/// The element of a line; `None` for a line that is no target.
fn item(line: ListLine) -> Option<Item> {
    Some(Item { tag: line.tag?, role: line.role, name: line.name, value: line.value })
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn percent([x, y]: [f64; 2]) -> Percent {
    [x * 100.0, y * 100.0]
}

fn on(step: &Step, tag: Tag, to: Option<Tag>) -> Call {
    let at = step.at.map(percent);
    let press = |how| Call::Press { how, tag, at };
    match step.verb {
        Verb::Tap => press(Press::Tap),
        Verb::DoubleTap => press(Press::DoubleTap),
        Verb::TripleTap => press(Press::TripleTap),
        Verb::RightTap => press(Press::RightTap),
        Verb::LongPress => press(Press::LongPress),
        Verb::Hover => press(Press::Hover),
        Verb::Clear => Call::Clear { tag },
        Verb::Select => Call::Select { tag, option: step.option.clone().unwrap_or_default() },
        Verb::Upload => Call::Upload { tag, files: step.files.clone() },
        Verb::Swipe => {
            let (towards, distance) = swipe(step);
            Call::Swipe { tag, towards, distance }
        }
        Verb::Scroll => scroll(step, Some(tag)),
        Verb::Drag => match (to, &step.path) {
            (Some(to), _) => {
                let end = step.to.as_ref().and_then(|t| t.at).map(percent);
                Call::Drag { from: tag, start: at, to, end }
            }
            (None, path) => {
                let path = path.iter().flatten().copied().map(percent).collect();
                Call::DragPath { tag, path }
            }
        },
        _ => free(step),
    }
}

fn free(step: &Step) -> Call {
    let text = || step.text.clone().unwrap_or_default();
    match step.verb {
        Verb::Answer => Call::Answer { text: text() },
        Verb::Infeasible => Call::Infeasible { reason: text() },
        Verb::Type => Call::Text { text: text() },
        Verb::Key => Call::Key { chord: step.chord.clone().unwrap_or_default() },
        Verb::Navigate => Call::Open { url: step.url.clone().unwrap_or_default() },
        Verb::Back => Call::Back,
        Verb::Forward => Call::Forward,
        Verb::Reload => Call::Reload,
        Verb::NewTab => Call::NewTab { url: step.url.clone() },
        Verb::SwitchTab => {
            let tab = u32::try_from(step.tab.unwrap_or_default()).unwrap_or(u32::MAX);
            Call::SwitchTab { tab: tab.saturating_add(1) }
        }
        Verb::CloseTab => Call::CloseTab,
        Verb::Home => Call::Home,
        Verb::Recents => Call::Recents,
        Verb::OpenApp => Call::OpenApp { app: step.app.clone().unwrap_or_default() },
        Verb::Dialog if step.accept == Some(false) => Call::Dialog { reply: DialogReply::Dismiss },
        Verb::Dialog => Call::Dialog { reply: DialogReply::Accept { text: step.text.clone() } },
        Verb::Scroll => scroll(step, None),
        Verb::Wait => Call::Wait { ms: 500 },
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
            Call::Infeasible { reason: format!("the solution's {:?} names no element", step.verb) }
        }
    }
}

/// A scroll goes one way at a time, as the rules of suites have it; else the longer way counts.
fn scroll(step: &Step, tag: Option<Tag>) -> Call {
    let (towards, by) = if step.down.unsigned_abs() >= step.right.unsigned_abs() {
        (if step.down < 0 { Direction::Up } else { Direction::Down }, step.down)
    } else {
        (if step.right < 0 { Direction::Left } else { Direction::Right }, step.right)
    };
    Call::Scroll { tag, towards, notches: Some(by.unsigned_abs().max(1)) }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
