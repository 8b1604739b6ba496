//! The `reader` *model*: a stand-in that knows what nameless elements mean only from documentation.
//!
//! It is not a model: it understands nothing. It explores by trying what the prompt says is not described
//! yet, in order; it looks back by comparing the lists of elements before and after; and it plays a task
//! from the task's solution, except that an element which the solution can only point at (a step with
//! `means`) is known to it by the documentation in the prompt, and guessed where there is none. So what it
//! scores with documentation over what it scores without is what documentation carried through the chain.

use std::hash::{DefaultHasher, Hash, Hasher};

use waldo_devices::Tag;
use waldo_devices::labels::{ListLine, parse_list};
use waldo_prompts::appagent::{ActionParts, DeployParts, ExploreParts, docs_of};

use super::model::{Solved, reply_with};
use super::{ListedElement, Step};

/// What it types where a field is to be tried.
const WORDS: &str = "Hello";

/// The reply to a prompt of exploring, describing a demonstrated action or looking back; else `None`.
pub fn learn(prompt: &str) -> Option<String> {
    explore(prompt).or_else(|| describe(prompt)).or_else(|| reflect(prompt))
}

/// Tries what is not described yet: first what has the focus, then elements in order, ways on, then back.
fn explore(prompt: &str) -> Option<String> {
    let parts = ExploreParts::of(prompt)?;
    let (thought, call) = if let Some(tag) = parts.typing {
        (format!("Typing into element {tag} is not described."), format!("text(\"{WORDS}\")"))
    } else if let Some(tag) = parts.here.first().filter(|tag| parts.swipe.first().is_none_or(|s| *tag < s)) {
        (format!("Element {tag} is not described."), format!("tap({tag})"))
    } else if let Some(tag) = parts.swipe.first() {
        (format!("Element {tag} was not swiped."), format!("swipe({tag}, \"up\", \"medium\")"))
    } else if let Some(tag) = parts.ways.first() {
        (format!("Element {tag} leads on."), format!("tap({tag})"))
    } else if parts.back {
        ("There is more where this was reached from.".to_owned(), "back()".to_owned())
    } else {
        ("Nothing is left.".to_owned(), "FINISH".to_owned())
    };
    Some(format!(
        "Observation: The stand-in sees a list of elements.\nThought: {thought}\nAction: {call}\n\
         Summary: Tried elements one after the other."
    ))
}

/// Compares the lists: what is new is what the action does.
fn reflect(prompt: &str) -> Option<String> {
    let parts = ActionParts::of_reflect(prompt)?;
    if parts.before == parts.after {
        return Some("Decision: INEFFECTIVE\nThought: The lists are the same.".to_owned());
    }
    let moved = moved(parts.before, parts.after);
    let decision = if moved { "BACK" } else { "CONTINUE" };
    Some(format!(
        "Decision: {decision}\nThought: The lists differ.\nDocumentation: {}",
        note(parts.action, parts.before, parts.after)
    ))
}

/// What a demonstrated action does, by what is new.
fn describe(prompt: &str) -> Option<String> {
    let parts = ActionParts::of_document(prompt)?;
    Some(note(parts.action, parts.before, parts.after))
}

fn place<'a>(text: &'a str, label: &str) -> &'a str {
    text.lines().find(|l| l.starts_with(label)).unwrap_or_default()
}

fn moved(before: &str, after: &str) -> bool {
    place(before, "address: ") != place(after, "address: ")
}

fn note(action: &str, before: &str, after: &str) -> String {
    let title = place(after, "title: ");
    let titled = title != place(before, "title: ");
    let moved = moved(before, after);
    let before: Vec<ListLine> = lines(before);
    let new: Vec<String> = lines(after)
        .into_iter()
        .filter(|line| !before.contains(line))
        .take(4)
        .map(|line| ListLine { tag: None, ..line }.to_string().trim_start_matches("- ").to_owned())
        .collect();
    let mut effects = Vec::new();
    if moved || titled {
        effects.push(format!("opens the page with the {}", title.replacen("title: ", "title ", 1)));
    }
    if !new.is_empty() {
        effects.push(format!("shows {}", new.join(", ")));
    }
    if effects.is_empty() {
        effects.push("takes something off the screen".to_owned());
    }
    let mut letters = action.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{} it {}.", letters.as_str(), effects.join(" and "))
}

fn lines(text: &str) -> Vec<ListLine> {
    // Numbers shift, so they say nothing about what is new; nor does the focus.
    parse_list(text)
        .into_iter()
        .map(|mut line| {
            line.states.retain(|s| s != "focused");
            ListLine { tag: None, ..line }
        })
        .collect()
}

pub fn reply(prompt: &str, solutions: &[Solved]) -> Option<String> {
    let goal = DeployParts::of(prompt)?.goal.to_owned();
    let docs = docs_of(prompt);
    reply_with(prompt, solutions, |step, _, items| {
        let means = step.means.as_ref()?.to_lowercase();
        let documented = docs
            .iter()
            .filter(|(_, text)| text.to_lowercase().contains(&means))
            .find(|(tag, _)| items.iter().any(|i| i.tag.0 == *tag && fits(step, i)));
        match documented {
            Some((tag, _)) => Some(Tag(*tag)),
            None => guess(step, items, &goal),
        }
    })
}

fn fits(step: &Step, item: &ListedElement) -> bool {
    step.role.as_ref().is_none_or(|role| *role == item.role) && item.name.is_empty()
}

/// One of the nameless elements, always the same for the same task and step.
fn guess(step: &Step, items: &[ListedElement], goal: &str) -> Option<Tag> {
    let all: Vec<Tag> = items.iter().filter(|i| fits(step, i)).map(|i| i.tag).collect();
    let mut hash = DefaultHasher::new();
    (goal, &step.means).hash(&mut hash);
    let n = u64::try_from(all.len()).ok().filter(|n| *n > 0)?;
    all.get(usize::try_from(hash.finish() % n).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deploy(docs: &str) -> String {
        format!(
            "You are operating a browser.\n\n# What is known about some elements\n\n{docs}\n\n# Task\n\nArchive it.\n\n\
             # So far\n\nNothing has been done yet.\n\n# Screen\n\n<screen-text untrusted>\n1 button\n2 button\n\
             3 button \"Inbox\"\n</screen-text>\n"
        )
    }

    fn solved() -> Vec<Solved> {
        let step = serde_json::json!({ "do": "tap", "role": "button", "nth": 0, "means": "Undo archiving" });
        vec![Solved { goal: "Archive it.".into(), steps: vec![serde_json::from_value(step).unwrap()] }]
    }

    #[test]
    fn a_nameless_element_is_known_by_its_documentation_only() {
        let with =
            reply(&deploy("- element 2: It can be tapped. Shows button \"Undo archiving\"."), &solved());
        assert!(with.unwrap().contains("Action: tap(2)"));
        let named = reply(&deploy("- element 3: Shows \"Undo archiving\"."), &solved()).unwrap();
        let without = reply(&deploy(""), &solved()).unwrap();
        assert_eq!(named, without, "an element with a name is known by that");
        assert!(without.contains("Action: tap(1)") || without.contains("Action: tap(2)"), "{without}");
    }

    #[test]
    fn looking_back_tells_what_is_new() {
        let prompt = |after: &str| {
            format!(
                "Two pictures: before and after tapping the element with the number 2.\n\nBefore:\n<screen-text untrusted>\n\
                 address: \"a\"\n1 button \"X\"\n2 button\n</screen-text>\n\nAfter:\n<screen-text untrusted>\n{after}\n\
                 </screen-text>\n"
            )
        };
        let same = learn(&prompt("address: \"a\"\n1 button \"X\"\n2 button")).unwrap();
        assert!(same.starts_with("Decision: INEFFECTIVE"), "{same}");
        let new =
            learn(&prompt("address: \"a\"\n1 button \"Undo archiving\"\n2 button \"X\"\n3 button")).unwrap();
        assert!(
            new.contains("CONTINUE") && new.contains("Tapping it shows button \"Undo archiving\"."),
            "{new}"
        );
        let moved = learn(&prompt("address: \"b\"\ntitle: \"B\"")).unwrap();
        assert!(moved.contains("BACK") && moved.contains("title \"B\""), "{moved}");
        assert_eq!(learn("hello"), None);
    }
}
