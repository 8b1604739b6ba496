//! The baselines of a suite: what is reached without understanding anything.
//!
//! `noop` does nothing, `refuser` declares every task infeasible, `random` touches anything, `baseline` matches words of
//! the goal to names on the screen. A score means something only above them.
//!
//! Invariant: each but `refuser` ends by saying that it is done, at the latest with its last decision. An episode that ends at its
//! limit is never a success, so a floor that did not say so would be 0 whatever the checks hold.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use waldo_devices::{Action, Affordance, DialogReply, Element, ScrollNotches, Tag};

use crate::agent::{Agent, Brief, Choice, Decision, Turn, View};
use crate::error::Result;

/// Waits, and says with its last decision that it is done: what it solves was solved at the start, or comes by itself.
#[derive(Debug, Default)]
pub struct Noop {
    last: u32,
}

#[async_trait]
impl Agent for Noop {
    fn name(&self) -> &'static str {
        "noop"
    }

    fn looks(&self) -> bool {
        false
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.last = brief.max_steps;
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        Ok(Decision::of(if turn.step >= self.last {
            Choice::Finish { answer: None }
        } else {
            Choice::Act { action: Action::Wait { ms: 0 } }
        }))
    }
}

/// Declares every task infeasible, and touches nothing: what it solves are the tasks that cannot be done.
#[derive(Debug, Default)]
pub struct Refuser;

#[async_trait]
impl Agent for Refuser {
    fn name(&self) -> &'static str {
        "refuser"
    }

    fn looks(&self) -> bool {
        false
    }

    fn begin(&mut self, _brief: &Brief) -> Result<()> {
        Ok(())
    }

    async fn decide(&mut self, _turn: &Turn<'_>) -> Result<Decision> {
        let reason = "this agent declares every task infeasible".to_owned();
        Ok(Decision::of(Choice::Infeasible { reason }))
    }
}

/// Touches, types, scrolls, answers a dialog or brings another screen to the front at random, and says at the end that it is done.
#[derive(Debug)]
pub struct Random {
    last: u32,
    rng: ChaCha12Rng,
    words: Vec<String>,
}

impl Default for Random {
    fn default() -> Self {
        Self { last: u32::MAX, rng: ChaCha12Rng::seed_from_u64(0), words: Vec::new() }
    }
}

#[async_trait]
impl Agent for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn looks(&self) -> bool {
        false
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.last = brief.max_steps;
        self.rng = ChaCha12Rng::seed_from_u64(brief.seed);
        self.words = values(&brief.goal);
        self.words.extend(words(&brief.goal));
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        if turn.step >= self.last {
            // A word at random is the answer where one is asked for.
            return Ok(Decision::of(Choice::Finish { answer: self.words.choose(&mut self.rng).cloned() }));
        }
        let view = turn.view;
        if view.observation.context.dialog.is_some() {
            let reply = if self.rng.random_bool(0.5) {
                DialogReply::Accept { text: None }
            } else {
                DialogReply::Dismiss
            };
            return Ok(Decision::of(Choice::Act { action: Action::Dialog { reply } }));
        }
        let others: Vec<&String> =
            view.observation.context.screens.iter().filter(|screen| !screen.front).map(|s| &s.name).collect();
        if let Some(screen) = others.choose(&mut self.rng)
            && self.rng.random_bool(0.1)
        {
            let screen = (*screen).clone();
            return Ok(Decision::of(Choice::Act { action: Action::SwitchScreen { screen } }));
        }
        let Some((tag, element)) = view
            .tagged
            .choose(&mut self.rng)
            .and_then(|t| view.observation.elements.get(t.element).map(|e| (t.tag, e)))
        else {
            return Ok(Decision::of(Choice::Act { action: Action::Wait { ms: 100 } }));
        };
        let typing = element.states.focused && element.can(Affordance::Edit);
        let action = if typing && self.rng.random_bool(0.7) {
            Action::Type { text: self.words.choose(&mut self.rng).cloned().unwrap_or_default() }
        } else if element.can(Affordance::Select) && !element.options.is_empty() {
            let option = element.options.choose(&mut self.rng).cloned().unwrap_or_default();
            Action::Select { element: element.handle.clone(), option }
        } else if element.can(Affordance::Scroll) && !element.can(Affordance::Click) {
            let down = if self.rng.random_bool(0.7) { 3 } else { -3 };
            Action::scroll(element.hit, ScrollNotches { right: 0, down })
        } else {
            tap(element)
        };
        Ok(tagged(tag, action))
    }
}

/// Matches words of the goal to names on the screen: taps the best match that it has not touched,
/// fills text fields with the goal's values, presses what looks like a submit button, and at last opens
/// what is closed. Values are what the goal quotes; a goal without quotes gives its numbers, dates and
/// times. It says that it is done when nothing is left to touch, or no step.
#[derive(Debug, Default)]
pub struct Baseline {
    last: u32,
    goal: HashSet<String>,
    /// Words that single something out: quoted, with digits, or names by their capital.
    telling: HashSet<String>,
    values: Vec<String>,
    touched: HashMap<String, u32>,
    typed: usize,
    field: Option<Tag>,
}

/// Names of buttons that complete something.
const SUBMIT: [&str; 9] = ["submit", "save", "ok", "send", "search", "done", "apply", "next", "create"];

#[async_trait]
impl Agent for Baseline {
    fn name(&self) -> &'static str {
        "baseline"
    }

    fn looks(&self) -> bool {
        false
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        let quoted = values(&brief.goal);
        *self = Self {
            last: brief.max_steps,
            goal: words(&brief.goal).into_iter().collect(),
            telling: telling(&brief.goal, &quoted),
            values: if quoted.is_empty() { figures(&brief.goal) } else { quoted },
            ..Self::default()
        };
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        if turn.step >= self.last {
            return Ok(Decision::of(Choice::Finish { answer: self.values.first().cloned() }));
        }
        let view = turn.view;
        if view.observation.context.dialog.is_some() {
            let reply = DialogReply::Accept { text: self.values.first().cloned() };
            return Ok(Decision::of(Choice::Act { action: Action::Dialog { reply } }));
        }
        if let Some(tag) = self.field.take() {
            let text = self.values.get(self.typed).cloned().unwrap_or_default();
            self.typed += 1;
            return Ok(tagged(tag, Action::Type { text }));
        }
        let Some((tag, element)) = self.best(view) else {
            return Ok(Decision::of(Choice::Finish { answer: self.values.first().cloned() }));
        };
        *self.touched.entry(key(element)).or_default() += 1;
        if element.can(Affordance::Select)
            && let Some(option) = self.option(element)
        {
            let action = Action::Select { element: element.handle.clone(), option };
            return Ok(tagged(tag, action));
        }
        if element.can(Affordance::Edit) {
            self.field = Some(tag);
        }
        Ok(tagged(tag, tap(element)))
    }
}

impl Baseline {
    fn best<'a>(&self, view: &'a View) -> Option<(Tag, &'a Element)> {
        let mut best: Option<(f64, Tag, &Element)> = None;
        for t in &view.tagged {
            let Some(element) = view.observation.elements.get(t.element) else { continue };
            let score = self.score(element);
            if score > best.map_or(0.0, |b| b.0) {
                best = Some((score, t.tag, element));
            }
        }
        best.map(|(_, tag, element)| (tag, element))
    }

    fn score(&self, element: &Element) -> f64 {
        if self.touched.contains_key(&key(element)) {
            return 0.0;
        }
        let name = words(&element.name);
        let hits = name.iter().filter(|word| self.goal.contains(*word)).count();
        #[expect(clippy::cast_precision_loss, reason = "a count of words is small")]
        let share = if name.is_empty() { 0.0 } else { hits as f64 / name.len() as f64 };
        if element.can(Affordance::Edit) {
            let open = self.typed < self.values.len();
            return if open { 1.5 + share } else { 0.0 };
        }
        if element.can(Affordance::Select) && self.option(element).is_some() {
            return 1.2 + share;
        }
        let submits = name.iter().any(|word| SUBMIT.contains(&word.as_str()));
        // A submit button waits until everything that matches has been touched.
        if submits {
            0.3 + share / 10.0
        } else if share >= 0.5 {
            0.5 + share / 2.0
        } else if name.iter().any(|word| self.telling.contains(word)) {
            0.4 + share / 10.0
        } else if closed(element) {
            0.2
        } else {
            0.0
        }
    }

    fn option(&self, element: &Element) -> Option<String> {
        element
            .options
            .iter()
            .find(|option| {
                let option = words(option);
                !option.is_empty() && option.iter().all(|word| self.goal.contains(word))
            })
            .cloned()
    }
}

/// Whether a tap would show more: a tab that is not in front, a section or a menu that is not open.
fn closed(element: &Element) -> bool {
    let tab = element.role.as_str() == "tab" && element.states.selected == Some(false);
    tab || element.states.expanded == Some(false)
}

fn key(element: &Element) -> String {
    let (x, y) = (element.bounds.x / 8.0, element.bounds.y / 8.0);
    format!("{}|{}|{x:.0}|{y:.0}", element.role.as_str(), element.name)
}

fn tap(element: &Element) -> Action {
    Action::tap(element.hit)
}

fn tagged(tag: Tag, action: Action) -> Decision {
    Decision { tag: Some(tag), ..Decision::of(Choice::Act { action }) }
}

/// Lower-case words of letters and digits.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The quoted parts of a goal, in order.
fn values(goal: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = goal;
    while let Some(start) = rest.find(['"', '“']) {
        let inner = &rest[start..].chars().next().map_or("", |c| &rest[start + c.len_utf8()..]);
        let Some(end) = inner.find(['"', '”']) else { break };
        if end > 0 {
            found.push(inner[..end].to_owned());
        }
        rest = inner[end..].chars().next().map_or("", |c| &inner[end + c.len_utf8()..]);
    }
    found
}

/// Numbers, dates and times of a goal, in order; `AM` or `PM` behind one belongs to it.
fn figures(goal: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for word in goal.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '$');
        if word.contains(|c: char| c.is_ascii_digit()) {
            found.push(word.to_owned());
            open = true;
            continue;
        }
        if open
            && matches!(word, "AM" | "PM")
            && let Some(last) = found.last_mut()
        {
            *last = format!("{last} {word}");
        }
        open = false;
    }
    found
}

/// Words that single something out: those of quoted values, those with digits, and those that have a
/// capital though they do not begin a sentence.
fn telling(goal: &str, quoted: &[String]) -> HashSet<String> {
    let mut found: HashSet<String> = quoted.iter().flat_map(|value| words(value)).collect();
    let mut begins = true;
    for part in goal.split_whitespace() {
        let plain = part.trim_matches(|c: char| !c.is_alphanumeric());
        let named = !begins && plain.starts_with(char::is_uppercase);
        if named || plain.contains(|c: char| c.is_ascii_digit()) {
            found.extend(words(plain));
        }
        begins = part.ends_with(['.', ':', '!', '?']);
    }
    found.retain(|word| !SUBMIT.contains(&word.as_str()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appagent::testing::{brief, device, turn, view};

    #[tokio::test]
    async fn each_floor_says_at_the_latest_with_its_last_decision_that_it_is_done() {
        let baselines: [Box<dyn Agent>; 3] =
            [Box::<Noop>::default(), Box::<Random>::default(), Box::<Baseline>::default()];
        for mut agent in baselines {
            for max_steps in [1, 4] {
                agent.begin(&Brief { max_steps, ..brief("Save the Photo", vec![]) }).unwrap();
                let view = view();
                for step in 1..=max_steps {
                    let choice = agent.decide(&turn(&device(), step, &view)).await.unwrap().choice;
                    let done = matches!(choice, Choice::Finish { .. });
                    let (last, name) = (step == max_steps, agent.name());
                    assert!(done || !last, "{name} at {step} of {max_steps}");
                    assert!(!done || last || name == "baseline", "{name} at {step} of {max_steps}");
                    if done {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn a_goal_is_taken_apart_into_figures_names_and_words() {
        assert_eq!(figures("Enter 8:24 AM, then 12/15/2017 (not x)."), ["8:24 AM", "12/15/2017"]);
        assert_eq!(figures("Select -100 and pay $3."), ["-100", "$3"]);
        assert_eq!(figures("Press OK."), Vec::<String>::new());
        let found = telling("Find the email by Ann. Click \"Send it\" or Submit", &["Send it".to_owned()]);
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort();
        assert_eq!(found, ["ann", "it"]);
        assert_eq!(values("Enter \"Ann\" and “Bö” then \"\" or \"open"), ["Ann", "Bö"]);
        assert_eq!(words("Save-as PDF, naïve!"), ["save", "as", "pdf", "naïve"]);
    }
}
