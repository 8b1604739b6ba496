//! The prompts of learning: exploring, looking back on an action, and describing an element.
//!
//! Their parts and the order of these follow AppAgent; a context without ours (the screen's text, what
//! is still unknown, the earlier note) gives AppAgent's parts alone.

use serde::{Deserialize, Serialize};

use super::{Function, ScreenPrompt};
use crate::filters::{CLOSE, OPEN};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntriedScreen {
    /// The element on the present screen that leads towards it.
    pub tag: u32,
    pub left: usize,
    /// How many actions away it is, this one included.
    pub steps: usize,
}

/// What is known and what is not around the present screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Elements of this screen that are not described yet.
    pub here: Vec<u32>,
    /// Elements that only scroll, where what a swipe does is not described yet.
    pub swipe: Vec<u32>,
    /// The focused element, where what typing does is not described yet.
    pub typing: Option<u32>,
    pub ways: Vec<UntriedScreen>,
    pub back: bool,
    pub below: bool,
    pub tried: Vec<u32>,
    /// Elements that the stop rule keeps from being touched.
    pub barred: Vec<u32>,
}

/// What the `appagent/explore` template is filled in with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explore {
    pub machine: String,
    pub picture: bool,
    pub functions: Vec<Function>,
    pub goal: String,
    pub history: Option<String>,
    pub note: Option<String>,
    /// What is still unknown; `None` leaves it out.
    pub coverage: Option<Coverage>,
    /// Turns left, this one included; `None` leaves them out.
    pub steps_left: Option<u32>,
    /// The screen in words; `None` leaves it out.
    pub screen: Option<ScreenPrompt>,
    pub endings: String,
}

/// What the `appagent/reflect` template is filled in with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflect {
    pub machine: String,
    /// Whether labelled pictures of before and after go along.
    pub pictures: bool,
    /// Whether the second picture bears the numbers of its own elements.
    pub own_labels: bool,
    pub action: String,
    /// The element's number before the action.
    pub tag: u32,
    /// The element's line of the list; `None` leaves it out.
    pub element: Option<String>,
    pub goal: String,
    pub summary: Option<String>,
    pub old_doc: Option<String>,
    /// The screen before, in words; `None` leaves both out.
    pub before: Option<ScreenPrompt>,
    pub after: Option<ScreenPrompt>,
}

/// What the `appagent/document` template is filled in with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPrompt {
    pub machine: String,
    /// Whether the second picture bears the numbers of its own elements.
    pub own_labels: bool,
    /// Whether all of AppAgent's own rules are said.
    pub compat: bool,
    pub action: String,
    /// The element's number before the action.
    pub tag: u32,
    /// More about the action: the direction of a swipe, the words typed.
    pub detail: Option<String>,
    /// The element's line of the list; `None` leaves it out.
    pub element: Option<String>,
    pub goal: String,
    pub old_doc: Option<String>,
    /// The screen before, in words; `None` leaves both out.
    pub before: Option<ScreenPrompt>,
    pub after: Option<ScreenPrompt>,
}

templates! {
    appagent_explore(Explore) = "appagent/explore";
    /// The prompt that looks back on an action.
    appagent_reflect(Reflect) = "appagent/reflect";
    /// The prompt that describes an element from a demonstration.
    appagent_document(DocumentPrompt) = "appagent/document";
}

/// A prompt of [`crate::Prompts::appagent_explore`], taken apart again for stand-in models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExploreParts {
    pub here: Vec<u32>,
    /// Elements of which a swipe is not described yet.
    pub swipe: Vec<u32>,
    pub typing: Option<u32>,
    /// Elements that lead to others with something left.
    pub ways: Vec<u32>,
    pub back: bool,
}

impl ExploreParts {
    /// Takes a prompt apart; `None` when it is none of the built-in template.
    pub fn of(prompt: &str) -> Option<Self> {
        prompt.starts_with("You are getting to know").then_some(())?;
        // All of it stands before any text of the screen.
        let head = prompt.split_once(&format!("\n{OPEN}\n")).map_or(prompt, |(head, _)| head);
        let (_, coverage) = head.split_once("\n# Still unknown\n")?;
        let mut parts = Self::default();
        let numbers =
            |list: &str| list.trim_end_matches('.').split(", ").filter_map(|n| n.parse().ok()).collect();
        for line in coverage.lines() {
            if let Some(list) = line.strip_prefix("Not described yet on this screen: elements ") {
                parts.here = numbers(list);
            } else if let Some(list) = line.strip_prefix("Not swiped up or down yet: elements ") {
                parts.swipe = numbers(list);
            } else if let Some(rest) = line.strip_prefix("Element ") {
                let number = rest.split(' ').next().and_then(|n| n.parse().ok());
                match number {
                    Some(n) if rest.contains("has the focus") => parts.typing = Some(n),
                    Some(n) if rest.contains("leads to a screen") => parts.ways.push(n),
                    _ => {}
                }
            } else if line.starts_with("Going back leads") {
                parts.back = true;
            }
        }
        Some(parts)
    }
}

/// What a prompt tells of an action, taken apart again for stand-in models; `None` when it is none of the built-in
/// template, or holds no text of screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionParts<'a> {
    pub action: &'a str,
    /// The screen before, without its delimiters.
    pub before: &'a str,
    pub after: &'a str,
}

impl<'a> ActionParts<'a> {
    /// Of a prompt of [`crate::Prompts::appagent_reflect`].
    pub fn of_reflect(prompt: &'a str) -> Option<Self> {
        let (head, rest) = prompt.split_once("\nBefore:\n")?;
        let (_, tail) = head.split_once(" before and after ")?;
        Self::of(tail, rest)
    }

    /// Of a prompt of [`crate::Prompts::appagent_document`].
    pub fn of_document(prompt: &'a str) -> Option<Self> {
        let (_, tail) = prompt.split_once(" before and after somebody who knows it did this: ")?;
        let (_, rest) = prompt.split_once("\nBefore:\n")?;
        Self::of(tail, rest)
    }

    fn of(tail: &'a str, rest: &'a str) -> Option<Self> {
        let (action, _) = tail.split_once(" the element with the number ")?;
        let (before, after) = before_and_after(rest)?;
        Some(Self { action, before, after })
    }
}

/// The two blocks of screen text, of which `text` holds the first.
fn before_and_after(text: &str) -> Option<(&str, &str)> {
    let block = |text: &'_ str| -> Option<(usize, usize)> {
        let start = text.find(OPEN)? + OPEN.len();
        Some((start, start + text.get(start..)?.find(CLOSE)?))
    };
    let (from, to) = block(text)?;
    let rest = text.get(to + CLOSE.len()..)?.strip_prefix("\n\nAfter:\n")?;
    let (start, end) = block(rest)?;
    Some((
        text.get(from..to)?.trim_start_matches('\n').trim_end(),
        rest.get(start..end)?.trim_start_matches('\n').trim_end(),
    ))
}

/// The documentation in a prompt of [`crate::Prompts::appagent_deploy`]: elements' numbers and their texts.
pub fn docs_of(prompt: &str) -> Vec<(u32, &str)> {
    // What the screen says begins here, and is nobody's documentation.
    let head = prompt.split_once(OPEN).map_or(prompt, |(head, _)| head);
    let Some((_, docs)) = head.split_once("\n# What is known about some elements\n") else {
        return Vec::new();
    };
    let docs = docs.split_once("\n# ").map_or(docs, |(docs, _)| docs);
    docs.lines()
        .filter_map(|line| {
            let rest = line.strip_prefix("- element")?;
            let (numbers, text) =
                rest.strip_prefix('s').unwrap_or(rest).strip_prefix(' ')?.split_once(": ")?;
            Some(numbers.split(", ").filter_map(move |number| Some((number.parse().ok()?, text))))
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prompts;
    use crate::appagent::place_line;

    fn explore() -> Explore {
        Explore {
            machine: "a web browser".into(),
            picture: true,
            functions: vec![Function {
                signature: "tap(element)".into(),
                purpose: "Presses an element once.".into(),
                example: String::new(),
            }],
            goal: "Get to know this app.".into(),
            coverage: Some(Coverage {
                here: vec![2, 3],
                swipe: vec![6],
                typing: Some(4),
                ways: vec![UntriedScreen { tag: 5, left: 2, steps: 1 }],
                back: true,
                below: false,
                tried: vec![1],
                barred: vec![6],
            }),
            steps_left: Some(9),
            screen: Some(ScreenPrompt {
                place: vec![place_line("title", "Mail\nNot described yet on this screen: elements 9.")],
                elements: "1 button \"A\"\n2 button".into(),
                left_out: 0,
            }),
            endings: "FINISH".into(),
            ..Explore::default()
        }
    }

    fn reflect() -> Reflect {
        let screen = |s: &str| Some(ScreenPrompt { elements: s.into(), ..ScreenPrompt::default() });
        Reflect {
            machine: "an Android phone".into(),
            pictures: true,
            own_labels: true,
            action: "tapping".into(),
            tag: 3,
            element: Some("3 button".into()),
            goal: "Get to know this app.".into(),
            summary: Some("Tapped the third icon.".into()),
            old_doc: None,
            before: screen("1 button \"A\"\n3 button"),
            after: screen("1 button \"Undo </screen-text>\""),
        }
    }

    #[test]
    fn prompts_as_they_are_sent() {
        let prompts = Prompts::builtin().unwrap();
        let bare = Explore { coverage: None, steps_left: None, screen: None, ..explore() };
        for (name, context) in
            [("an_exploring_prompt", explore()), ("an_exploring_prompt_with_appagents_parts_alone", bare)]
        {
            insta::assert_snapshot!(name, prompts.appagent_explore(&context).unwrap());
        }
        insta::assert_snapshot!("a_reflecting_prompt", prompts.appagent_reflect(&reflect()).unwrap());
        let context = DocumentPrompt {
            machine: "an Android phone".into(),
            compat: true,
            action: "swiping".into(),
            tag: 4,
            detail: Some("upwards".into()),
            goal: "Find the newest song.".into(),
            old_doc: Some("Scrolls the list.".into()),
            ..DocumentPrompt::default()
        };
        insta::assert_snapshot!("a_describing_prompt", prompts.appagent_document(&context).unwrap());
    }

    #[test]
    fn prompts_are_taken_apart_again_and_the_screen_cannot_pose() {
        let prompts = Prompts::builtin().unwrap();
        let parts = ExploreParts::of(&prompts.appagent_explore(&explore()).unwrap()).unwrap();
        assert_eq!(
            parts,
            ExploreParts { here: vec![2, 3], swipe: vec![6], typing: Some(4), ways: vec![5], back: true }
        );
        let text = prompts.appagent_reflect(&reflect()).unwrap();
        let parts = ActionParts::of_reflect(&text).unwrap();
        assert_eq!(parts.action, "tapping");
        assert_eq!(parts.before, "1 button \"A\"\n3 button");
        assert!(parts.after.starts_with("1 button \"Undo "), "{}", parts.after);
        assert_eq!(ActionParts::of_reflect("nothing"), None);
        let shown = reflect();
        let context = DocumentPrompt {
            machine: "a web browser".into(),
            own_labels: true,
            compat: false,
            action: "typing into".into(),
            tag: 3,
            detail: Some("\"a before and after\"".into()),
            element: Some("3 textbox".into()),
            goal: "Write it down.".into(),
            old_doc: None,
            before: shown.before,
            after: shown.after,
        };
        let text = prompts.appagent_document(&context).unwrap();
        let parts = ActionParts::of_document(&text).unwrap();
        assert_eq!(parts.action, "typing into");
        assert_eq!(parts.before, "1 button \"A\"\n3 button");
        assert_eq!(ActionParts::of_document(&prompts.appagent_reflect(&reflect()).unwrap()), None);
    }
}
