//! Where a reference solution stands, and its next move on the present screen.

use waldo_devices::Tag;
use waldo_devices::labels::ListLine;

use super::{Step, Target, Verb};

/// How often a step may repeat while it waits for its `until`.
const MAX_REPEATS: u32 = 60;

/// A tagged element as a solution sees it: from a view, or read back from a prompt's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedElement {
    pub tag: Tag,
    pub role: String,
    pub name: String,
    pub value: Option<String>,
}

impl ListedElement {
    /// From a line of a prompt's list; `None` for a line without a tag.
    pub fn of_line(line: ListLine) -> Option<Self> {
        Some(Self { tag: line.tag?, role: line.role, name: line.name, value: line.value })
    }
}

/// The next move. Tags are of the list that was given.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// A step on the element with this tag, and for a drag onto another one.
    On {
        step: Box<Step>,
        tag: Tag,
        to: Option<Tag>,
    },
    Free(Box<Step>),
    Done,
    /// The step's element is not on the screen.
    Missing {
        what: String,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    pub done: usize,
    pub repeats: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceProgress {
    pub cursor: Cursor,
    /// How often the present step's element was looked for in vain.
    pub looks: u32,
}

impl Cursor {
    /// The next move of `steps` on a screen that shows `items`, and where the solution stands after it.
    pub fn next(self, steps: &[Step], items: &[ListedElement]) -> (Move, Self) {
        let mut at = self;
        while let Some(step) = steps.get(at.done) {
            let Some(until) = &step.until else {
                let after = Self { done: at.done + 1, repeats: 0 };
                return (resolve(step, items), after);
            };
            if find(until, items).is_some() {
                at = Self { done: at.done + 1, repeats: 0 };
                continue;
            }
            if at.repeats >= MAX_REPEATS {
                return (Move::Missing { what: describe(until) }, at);
            }
            let after = Self { done: at.done, repeats: at.repeats + 1 };
            return (resolve(step, items), after);
        }
        (Move::Done, at)
    }
}

fn resolve(step: &Step, items: &[ListedElement]) -> Move {
    let Some(target) = step.target() else {
        return Move::Free(Box::new(step.clone()));
    };
    let Some(tag) = find(&target, items) else {
        return Move::Missing { what: describe(&target) };
    };
    let to = match &step.to {
        None => None,
        Some(to) => match find(to, items) {
            Some(tag) => Some(tag),
            None => return Move::Missing { what: describe(to) },
        },
    };
    debug_assert!(step.verb != Verb::Answer, "an answer has no element");
    Move::On { step: Box::new(step.clone()), tag, to }
}

pub(super) fn find(target: &Target, items: &[ListedElement]) -> Option<Tag> {
    // Where several have one name, each may be called with its heading before it.
    let headed = |given: &str, name: &str| given.strip_suffix(name).is_some_and(|rest| rest.ends_with(": "));
    find_called(target, items, &|given, name| given == name)
        .or_else(|| target.name.as_ref().and_then(|_| find_called(target, items, &headed)))
}

fn find_called(target: &Target, items: &[ListedElement], called: &dyn Fn(&str, &str) -> bool) -> Option<Tag> {
    let mut found = items.iter().filter(|item| {
        target.role.as_ref().is_none_or(|role| *role == item.role)
            && target.name.as_ref().is_none_or(|name| called(&fold(&item.name), &fold(name)))
            && target.contains.as_ref().is_none_or(|part| fold(&item.name).contains(&fold(part)))
            && target.value.as_ref().is_none_or(|value| item.value.as_ref() == Some(value))
    });
    match usize::try_from(target.nth) {
        Ok(nth) => found.nth(nth),
        Err(_) => found.rev().nth(usize::try_from(-1 - target.nth).unwrap_or(usize::MAX)),
    }
    .map(|item| item.tag)
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn describe(target: &Target) -> String {
    let role = target.role.as_deref().unwrap_or("element");
    match (target.name.as_ref().or(target.contains.as_ref()), &target.value) {
        (Some(name), _) => format!("{role} \"{name}\""),
        (None, Some(value)) => format!("{role} with value \"{value}\""),
        (None, None) => role.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(tag: u32, role: &str, name: &str) -> ListedElement {
        ListedElement { tag: Tag(tag), role: role.into(), name: name.into(), value: None }
    }

    fn steps(json: serde_json::Value) -> Vec<Step> {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn an_element_is_found_by_role_and_name_and_place() {
        let s = steps(serde_json::json!([{"do": "tap", "role": "button", "name": "Add  item", "nth": 1}]));
        let items =
            [item(1, "button", "Add item"), item(2, "link", "Add item"), item(3, "button", "Add item")];
        let (m, after) = Cursor::default().next(&s, &items);
        assert!(matches!(m, Move::On { tag: Tag(3), .. }), "{m:?}");
        assert_eq!(after.done, 1);
        assert_eq!(after.next(&s, &items).0, Move::Done);
        // From the end, for what stands above it may come and go.
        let at = |nth: i32| {
            let s = steps(serde_json::json!([{"do": "tap", "role": "button", "nth": nth}]));
            Cursor::default().next(&s, &items).0
        };
        assert!(
            matches!(at(-1), Move::On { tag: Tag(3), .. }) && matches!(at(-2), Move::On { tag: Tag(1), .. })
        );
        assert!(matches!(at(-3), Move::Missing { .. }) && matches!(at(i32::MIN), Move::Missing { .. }));
    }

    #[test]
    fn a_name_is_found_behind_its_heading_or_named_as_missing() {
        let s = steps(serde_json::json!([{"do": "tap", "role": "button", "name": "Python 3", "nth": 1}]));
        let items = [item(1, "button", "Notebook: Python 3"), item(2, "button", "Console: Python 3")];
        let (m, _) = Cursor::default().next(&s, &items);
        assert!(matches!(m, Move::On { tag: Tag(2), .. }), "{m:?}");
        let s = steps(serde_json::json!([{"do": "tap", "role": "button", "name": "Pay"}]));
        let (m, _) = Cursor::default().next(&s, &[]);
        assert_eq!(m, Move::Missing { what: "button \"Pay\"".into() });
    }

    #[test]
    fn until_repeats_and_is_skipped_once_seen() {
        let s = steps(serde_json::json!([
            {"do": "tap", "name": "Next", "until": {"name": "Zoe"}},
            {"do": "tap", "name": "Zoe"}
        ]));
        let (m, after) = Cursor::default().next(&s, &[item(1, "button", "Next")]);
        assert!(matches!(m, Move::On { tag: Tag(1), .. }));
        assert_eq!(after, Cursor { done: 0, repeats: 1 });
        let (m, after) = after.next(&s, &[item(1, "button", "Next"), item(2, "link", "Zoe")]);
        assert!(matches!(m, Move::On { tag: Tag(2), .. }));
        assert_eq!(after.done, 2);
    }
}
