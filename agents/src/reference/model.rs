//! The reference *model*: it answers AppAgent's real prompt in AppAgent's reply format.
//!
//! Everything between a prompt and the device is thus run without a model: the template, the list of
//! elements, the reply's parser, the numbers. It knows nothing but the prompt and the solutions; where it
//! stands is carried in the Summary that it wrote itself and that the next prompt gives back. So it is a
//! pure function, and a replayed request has the same answer.

use waldo_devices::labels::{ListLine, parse_list};
use waldo_devices::{CallTarget, Tag, Tool, ToolCall};
use waldo_prompts::appagent::DeployParts;

use super::agent::{LOOKS, patience};
use super::{Cursor, ListedElement, Move, ReferenceProgress, Step, Verb};
use crate::appagent::FunctionCall;

/// A task's goal and how it is reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    pub goal: String,
    pub steps: Vec<Step>,
}

const MARK: &str = "Reference progress:";

/// Where a solution stands, as the Summary says it.
fn write(ReferenceProgress { cursor, looks }: ReferenceProgress) -> String {
    let Cursor { done, repeats } = cursor;
    format!("{MARK} {done} done, {repeats} repeats, {looks} looks.")
}

/// Reads it back; a summary without it is the beginning.
fn read(history: &str) -> ReferenceProgress {
    let Some((_, rest)) = history.rsplit_once(MARK) else { return ReferenceProgress::default() };
    let rest = rest.split('.').next().unwrap_or_default();
    let number = |word: &str| {
        rest.split(',').find_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u32>().ok())
    };
    ReferenceProgress {
        cursor: Cursor {
            done: number("done").and_then(|n| usize::try_from(n).ok()).unwrap_or_default(),
            repeats: number("repeats").unwrap_or_default(),
        },
        looks: number("looks").unwrap_or_default(),
    }
}

/// The reply to a prompt; `None` when it is not AppAgent's, or its goal is not among the solutions.
pub fn reply(prompt_text: &str, solutions: &[Solved]) -> Option<String> {
    reply_with(prompt_text, solutions, |_, tag, _| Some(tag))
}

/// The reply to a prompt, where `find` may know the element of a step better: it is given the step, the
/// element by the solution, and the elements on the screen.
pub(super) fn reply_with(
    prompt_text: &str,
    solutions: &[Solved],
    find: impl Fn(&Step, Tag, &[ListedElement]) -> Option<Tag>,
) -> Option<String> {
    let parts = DeployParts::of(prompt_text)?;
    let goal = fold(parts.goal);
    let solved = solutions.iter().find(|s| fold(&s.goal) == goal)?;
    let (turn, progress) = turn(&parts, &solved.steps, read(parts.history), find);
    Some(format!("{turn}\nSummary: {}", write(progress)))
}

/// The reply to a prompt without its Summary, and where `steps` stand after it.
pub(super) fn turn(
    parts: &DeployParts<'_>,
    steps: &[Step],
    progress: ReferenceProgress,
    find: impl Fn(&Step, Tag, &[ListedElement]) -> Option<Tag>,
) -> (String, ReferenceProgress) {
    let items: Vec<ListedElement> = parse_list(parts.screen).into_iter().filter_map(item).collect();
    let (next, after) = progress.cursor.next(steps, &items);
    let moved = ReferenceProgress { cursor: after, looks: 0 };
    let (thought, call, progress) = match next {
        Move::Done => ("All steps of the solution are done.".to_owned(), FunctionCall::Finish, moved),
        Move::Missing { what } if progress.looks >= LOOKS => {
            (format!("Gave up looking for {}.", fold(&what)), FunctionCall::Finish, progress)
        }
        Move::Missing { what } => {
            let look = ReferenceProgress { looks: progress.looks + 1, ..progress };
            (format!("Waiting for {}.", fold(&what)), wait(patience(progress.looks)), look)
        }
        Move::Free(step) => {
            (format!("The next step is {}.", step.verb.name()), call(&step, None, None), moved)
        }
        Move::On { step, tag, to } => {
            let tag = find(&step, tag, &items).unwrap_or(tag);
            let name = step.verb.name();
            (format!("The next step is {name} on element {}.", tag.0), call(&step, Some(tag), to), moved)
        }
    };
    let observed = format!("Observation: {} numbered elements are on the screen.", items.len());
    (format!("{observed}\nThought: {thought}\nAction: {call}"), progress)
}

/// The element of a line; `None` for a line that is not a target.
fn item(line: ListLine) -> Option<ListedElement> {
    Some(ListedElement { tag: line.tag?, role: line.role, name: line.name, value: line.value })
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn wait(ms: u64) -> FunctionCall {
    FunctionCall::Tool(ToolCall::new(Tool::Wait).with("seconds", ms))
}

/// A step as AppAgent writes it.
fn call(step: &Step, tag: Option<Tag>, to: Option<Tag>) -> FunctionCall {
    let text = || step.text.clone().unwrap_or_default();
    let call = match step.verb {
        Verb::Answer => return FunctionCall::Answer { text: text() },
        Verb::Infeasible => return FunctionCall::Infeasible { reason: text() },
        Verb::Do(tool) => step.call(tag, to).unwrap_or_else(|| ToolCall::new(tool)),
    };
    if let Some(param) = call.missing() {
        // A sound solution never brings it here.
        let name = step.verb.name();
        return FunctionCall::Infeasible { reason: format!("the solution's {name} has no {}", param.name) };
    }
    let within = call.targets().find_map(|target| match target {
        CallTarget::Element { tag, at: Some(at) } => Some((*tag, *at)),
        _ => None,
    });
    match within.filter(|_| call.tool == Tool::Tap) {
        // The function that a prompt offers for it.
        Some((tag, at)) => FunctionCall::Tool(ToolCall::on(Tool::TapAt, tag, Some(at))),
        None => FunctionCall::Tool(call),
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
