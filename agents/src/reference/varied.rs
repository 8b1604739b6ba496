//! Carries out a solution that was changed: some of its steps go to a neighbour of their element, or to whatever the screen
//! offers. What is meant by that is found only when the step is played.

use async_trait::async_trait;
use waldo_devices::{Action, Affordance, Element, Tag, Tool};

use super::agent::{LOOKS, choice, items, patience};
use super::cursor::find;
use super::{Cursor, ListedElement, Move, Step, Verb};
use crate::agent::{Agent, Brief, Choice, Decision, Turn, View};
use crate::error::Result;

#[derive(Clone, Debug, PartialEq)]
pub enum VariedStep {
    Plain(Step),
    /// On the next element of the same role; on the one before where there is none.
    Beside(Step),
    /// A press, or an edit of a field, on one of the elements that the screen offers, drawn by this number.
    Offered(u64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct VariedSolution {
    /// What was changed, in words. The first decision says it.
    pub what: String,
    pub steps: Vec<VariedStep>,
}

/// Changes the solution of an episode; `None` where there is no such change.
pub type Vary = Box<dyn Fn(&Brief) -> Option<VariedSolution> + Send + Sync>;

/// Begins the thought of an agent that cannot carry out its steps.
pub const GAVE_UP: &str = "gave up";
/// What a field is given that a changed solution edits besides.
const EDIT: &str = "x";

pub struct VariedAgent {
    vary: Vary,
    what: Option<String>,
    steps: Vec<VariedStep>,
    plain: Vec<Step>,
    cursor: Cursor,
    missing: u32,
}

impl VariedAgent {
    /// One that plays what `vary` makes of the reference solution.
    pub fn new(vary: Vary) -> Self {
        let (steps, plain) = (Vec::new(), Vec::new());
        Self { vary, what: None, steps, plain, cursor: Cursor::default(), missing: 0 }
    }

    fn gives_up(&self, why: &str) -> Decision {
        Decision {
            thought: Some(format!("{GAVE_UP}: {why}")),
            ..Decision::of(Choice::GiveUp { reason: why.to_owned() })
        }
    }

    fn next(&mut self, turn: &Turn<'_>) -> Decision {
        let items: Vec<ListedElement> = items(turn.view);
        let passed = |cursor: &mut Cursor| *cursor = Cursor { done: cursor.done + 1, repeats: 0 };
        match self.steps.get(self.cursor.done).cloned() {
            Some(VariedStep::Offered(number)) => {
                passed(&mut self.cursor);
                return match offered(turn.view, number) {
                    Some((step, tag)) => on(choice(&step, Some(tag), None, turn.view, turn.device), tag),
                    None => self.gives_up("the screen offers nothing else"),
                };
            }
            Some(VariedStep::Beside(step)) => {
                let found = step.target().and_then(|target| find(&target, &items));
                if let Some(tag) = found {
                    passed(&mut self.cursor);
                    return match beside(&items, tag) {
                        Some(tag) => on(choice(&step, Some(tag), None, turn.view, turn.device), tag),
                        None => self.gives_up("the element has no neighbour"),
                    };
                }
            }
            Some(VariedStep::Plain(_)) | None => {}
        }
        let (next, after) = self.cursor.next(&self.plain, &items);
        match next {
            Move::Done => Decision::of(Choice::Finish { answer: None }),
            Move::Missing { what } if self.missing >= LOOKS => self.gives_up(&format!("looking for {what}")),
            Move::Missing { .. } => {
                self.missing += 1;
                Decision::of(Choice::Act { action: Action::Wait { ms: patience(self.missing - 1) } })
            }
            Move::Free(step) => {
                (self.cursor, self.missing) = (after, 0);
                Decision::of(choice(&step, None, None, turn.view, turn.device))
            }
            Move::On { step, tag, to } => {
                (self.cursor, self.missing) = (after, 0);
                on(choice(&step, Some(tag), to, turn.view, turn.device), tag)
            }
        }
    }
}

fn on(choice: Choice, tag: Tag) -> Decision {
    Decision { tag: Some(tag), ..Decision::of(choice) }
}

/// The next element of the same role, else the one before.
fn beside(items: &[ListedElement], tag: Tag) -> Option<Tag> {
    let at = items.iter().position(|item| item.tag == tag)?;
    let role = &items.get(at)?.role;
    let same = |item: &&ListedElement| item.role == *role;
    let next = items.iter().skip(at + 1).find(same);
    next.or_else(|| items.iter().take(at).rev().find(same)).map(|item| item.tag)
}

/// What else could be done on a screen.
fn offered(view: &View, number: u64) -> Option<(Step, Tag)> {
    let acts = |element: &Element| {
        let known = ["switch", "checkbox", "radio", "button", "cell", "option", "menuitem", "tab", "textbox"];
        element.can(Affordance::Edit) || known.contains(&element.role.as_str())
    };
    let all: Vec<(&Element, Tag)> = view
        .tagged
        .iter()
        .filter_map(|one| view.observation.elements.get(one.element).map(|element| (element, one.tag)))
        .filter(|(element, _)| acts(element))
        .collect();
    let count = u64::try_from(all.len()).ok().filter(|count| *count > 0)?;
    let (element, tag) = all.get(usize::try_from(number % count).ok()?)?;
    let step = match element.can(Affordance::Edit) {
        true => Step { text: Some(EDIT.to_owned()), ..Step::new(Verb::Do(Tool::Fill)) },
        false => Step::new(Verb::Do(Tool::Tap)),
    };
    Some((step, *tag))
}

#[async_trait]
impl Agent for VariedAgent {
    fn name(&self) -> &'static str {
        "mutant"
    }

    fn looks(&self) -> bool {
        false
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        let varied = (self.vary)(brief);
        self.what = varied.as_ref().map(|varied| varied.what.clone());
        self.steps = varied.map(|varied| varied.steps).unwrap_or_default();
        let plain = |step: &VariedStep| match step {
            VariedStep::Plain(step) | VariedStep::Beside(step) => step.clone(),
            VariedStep::Offered(_) => Step::new(Verb::Do(Tool::Wait)),
        };
        self.plain = self.steps.iter().map(plain).collect();
        (self.cursor, self.missing) = (Cursor::default(), 0);
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        if turn.step == 1 && self.what.is_none() {
            return Ok(self.gives_up("the solution has no more changes"));
        }
        let mut decision = self.next(turn);
        if let Some(what) = self.what.take() {
            // A reason for giving up at once follows what was to be played.
            let why = decision.thought.take().map(|why| format!("\n{why}")).unwrap_or_default();
            decision.thought = Some(format!("{what}{why}"));
        }
        Ok(decision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbour_is_the_next_of_the_role_or_the_one_before() {
        let item = |tag, role: &str| ListedElement {
            tag: Tag(tag),
            role: role.into(),
            name: String::new(),
            value: None,
        };
        let items = [item(1, "switch"), item(2, "button"), item(3, "switch")];
        assert_eq!(beside(&items, Tag(1)), Some(Tag(3)));
        assert_eq!(beside(&items, Tag(3)), Some(Tag(1)));
        assert_eq!(beside(&items, Tag(2)), None);
    }
}
