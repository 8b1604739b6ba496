use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha12Rng;
use waldo_agents::reference::{Step, VariedStep, Verb};
use waldo_devices::{Platform, Tool};

use super::answers::{other_answers, other_forms, other_values};
use super::{Mutant, MutantKind as Kind};

/// The mutants of a solution, in an order drawn from `seed` in which the kinds take turns. `goal` is what is asked.
pub fn mutants(steps: &[Step], goal: &str, platform: Platform, seed: u64) -> Vec<Mutant> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let mut all = Made { steps, all: Vec::new() };
    for (at, step) in steps.iter().enumerate() {
        all.of_step(at, step, platform, &mut rng);
    }
    all.of_the_end(goal);
    let mut by_kind: Vec<Vec<Mutant>> = Kind::ALL
        .into_iter()
        .map(|kind| all.all.iter().filter(|mutant| mutant.kind == kind).cloned().collect())
        .collect();
    by_kind.iter_mut().for_each(|of_kind| of_kind.shuffle(&mut rng));
    by_kind.shuffle(&mut rng);
    let most = by_kind.iter().map(Vec::len).max().unwrap_or(0);
    (0..most)
        .flat_map(|n| by_kind.iter().filter_map(move |of_kind| of_kind.get(n).cloned()).collect::<Vec<_>>())
        .collect()
}

struct Made<'a> {
    steps: &'a [Step],
    all: Vec<Mutant>,
}

fn words(at: usize, step: &Step) -> String {
    let object = [&step.name, &step.contains, &step.text, &step.option, &step.chord, &step.app, &step.role];
    let object = object.into_iter().flatten().next().map(|object| format!(" {object:?}")).unwrap_or_default();
    format!("step {}, {}{object}", at + 1, step.verb.name())
}

fn waits(step: &Step) -> bool {
    step.verb == Verb::Do(Tool::Wait)
}

impl Made<'_> {
    fn replaced(&mut self, kind: Kind, at: usize, by: Vec<VariedStep>, what: String) {
        let plain = |steps: &[Step]| steps.iter().cloned().map(VariedStep::Plain).collect::<Vec<_>>();
        let (before, after) =
            (self.steps.get(..at).unwrap_or_default(), self.steps.get(at + 1..).unwrap_or_default());
        let steps = [plain(before), by, plain(after)].concat();
        // Names and values come from screens: a line end in them would part the words of a record.
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
        self.all.push(Mutant { kind, what, steps });
    }

    fn of_step(&mut self, at: usize, step: &Step, platform: Platform, rng: &mut ChaCha12Rng) {
        let said = words(at, step);
        let same = || VariedStep::Plain(step.clone());
        let Verb::Do(tool) = step.verb else { return };
        let once = step.until.is_none();
        if !waits(step) && once {
            self.replaced(Kind::LeftOut, at, Vec::new(), said.clone());
            self.replaced(Kind::Twice, at, vec![same(), same()], said.clone());
        }
        if step.target().is_some() && once && step.to.is_none() {
            self.replaced(Kind::Neighbour, at, vec![VariedStep::Beside(step.clone())], said.clone());
            let first = vec![VariedStep::Beside(step.clone()), same()];
            self.replaced(Kind::Corrected, at, first, format!("{said}, first on a neighbour"));
            if step.nth >= 0 && (step.name.is_some() || step.contains.is_some()) {
                let next = Step { nth: step.nth + 1, ..step.clone() };
                self.replaced(Kind::SameName, at, vec![VariedStep::Plain(next)], said.clone());
            }
        }
        if tool == Tool::Tap
            && step.role.as_deref().is_some_and(|role| ["switch", "checkbox"].contains(&role))
            && once
        {
            self.replaced(Kind::Corrected, at, vec![same(), same(), same()], format!("{said}, three times"));
        }
        self.of_value(at, step, tool, &said);
        let number = rng.random();
        self.replaced(Kind::Extra, at, vec![VariedStep::Offered(number), same()], format!("before {said}"));
        let again = rng.random();
        self.replaced(Kind::Extra, at, vec![same(), VariedStep::Offered(again)], format!("after {said}"));
        self.of_keys(at, step, tool, &said, platform);
        let waiting = VariedStep::Plain(Step::new(Verb::Do(Tool::Wait)));
        self.replaced(Kind::OtherWay, at, vec![waiting, same()], format!("{said}, after a wait"));
        if tool == Tool::OpenApp {
            let home = VariedStep::Plain(Step::new(Verb::Do(Tool::Home)));
            if platform.has_packages() {
                self.replaced(Kind::OtherWay, at, vec![home, same()], format!("{said}, by the home screen"));
            }
        }
    }

    fn of_value(&mut self, at: usize, step: &Step, tool: Tool, said: &str) {
        for other in step.text.as_deref().map(other_values).unwrap_or_default() {
            let changed = VariedStep::Plain(Step { text: Some(other.clone()), ..step.clone() });
            self.replaced(Kind::OtherValue, at, vec![changed], format!("{said}, as {other:?}"));
        }
        let (Some(text), Tool::Type) = (&step.text, tool) else { return };
        let key = |chord: &str| {
            VariedStep::Plain(Step { chord: Some(chord.to_owned()), ..Step::new(Verb::Do(Tool::Key)) })
        };
        let typed = |text: &str| VariedStep::Plain(Step { text: Some(text.to_owned()), ..step.clone() });
        if step.target().is_some() || text.is_empty() {
            return;
        }
        if !text.contains(char::is_control) {
            let first = vec![typed(&format!("{text}x")), key("Backspace")];
            self.replaced(
                Kind::Corrected,
                at,
                first,
                format!("{said}, with a letter too many that is taken back"),
            );
        }
        if let Some((cut, _)) = text.char_indices().nth(text.chars().count() / 2).filter(|(cut, _)| *cut > 0)
        {
            let (front, back) = text.split_at(cut);
            self.replaced(
                Kind::OtherWay,
                at,
                vec![typed(front), typed(back)],
                format!("{said}, in two parts"),
            );
        }
        if let Some(line) = text.strip_suffix('\n').filter(|line| !line.is_empty()) {
            self.replaced(
                Kind::OtherWay,
                at,
                vec![typed(line), key("Enter")],
                format!("{said}, Enter as a key"),
            );
        }
    }

    /// Keys that go further, or another way, and letters that fall in between.
    fn of_keys(&mut self, at: usize, step: &Step, tool: Tool, said: &str, platform: Platform) {
        if !platform.has_programs() || !matches!(tool, Tool::Key | Tool::Type) {
            return;
        }
        let key = |chord: &str| {
            VariedStep::Plain(Step { chord: Some(chord.to_owned()), ..Step::new(Verb::Do(Tool::Key)) })
        };
        let same = VariedStep::Plain(step.clone());
        if tool == Tool::Type {
            for chord in ["Down", "Right"] {
                self.replaced(
                    Kind::Neighbour,
                    at,
                    vec![key(chord), same.clone()],
                    format!("{said}, after the key {chord}"),
                );
            }
        }
        let letter =
            VariedStep::Plain(Step { text: Some("x".to_owned()), ..Step::new(Verb::Do(Tool::Type)) });
        self.replaced(Kind::Extra, at, vec![letter, same.clone()], format!("a letter typed before {said}"));
        let by_menu = [
            ("ctrl+s", "File", "Save"),
            ("ctrl+z", "Edit", "Undo"),
            ("ctrl+x", "Edit", "Cut"),
            ("ctrl+c", "Edit", "Copy"),
            ("ctrl+v", "Edit", "Paste"),
            ("ctrl+a", "Edit", "Select All"),
        ];
        let chord = step.chord.as_deref().unwrap_or_default();
        if let Some((_, menu, item)) = by_menu.iter().find(|(keys, ..)| chord.eq_ignore_ascii_case(keys)) {
            let press = |name: &str| {
                VariedStep::Plain(Step { name: Some(name.to_owned()), ..Step::new(Verb::Do(Tool::Tap)) })
            };
            let by = vec![press(menu), press(item)];
            self.replaced(Kind::OtherWay, at, by, format!("{said}, by the menu {menu}"));
        }
        let opposite = [
            ("Down", "Up"),
            ("Right", "Left"),
            ("ctrl+End", "ctrl+Home"),
            ("ctrl+Home", "ctrl+End"),
            ("ctrl+Down", "ctrl+Up"),
        ];
        if let Some((one, other)) = opposite.iter().find(|(one, _)| *one == chord) {
            self.replaced(Kind::Neighbour, at, vec![key(other)], format!("{said}, as {other}"));
            let back = vec![same, key(other), key(one)];
            if !one.contains('+') {
                self.replaced(Kind::Corrected, at, back, format!("{said}, there and back"));
            }
        }
    }

    fn of_the_end(&mut self, goal: &str) {
        let Some((last, front)) = self.steps.split_last() else { return };
        let ends = last.verb.ends();
        let body = if ends { front } else { self.steps };
        for cut in [1, 2, body.len() / 2].into_iter().filter(|cut| *cut < body.len()) {
            let kept = body.get(..body.len() - cut).unwrap_or_default();
            let steps = kept.iter().chain(ends.then_some(last)).cloned().map(VariedStep::Plain).collect();
            self.all.push(Mutant {
                kind: Kind::StoppedEarly,
                what: format!("without the last {cut}"),
                steps,
            });
        }
        let at = self.steps.len() - 1;
        match last.verb {
            Verb::Answer => {
                let text = last.text.clone().unwrap_or_default();
                let step = |text: &str| {
                    vec![VariedStep::Plain(Step { text: Some(text.to_owned()), ..last.clone() })]
                };
                for form in other_forms(&text, goal) {
                    self.replaced(Kind::AnswerForm, at, step(&form), format!("{form:?}"));
                }
                for other in other_answers(&text, goal) {
                    self.replaced(Kind::OtherAnswer, at, step(&other), format!("{other:?}"));
                }
            }
            Verb::Infeasible => {
                self.replaced(Kind::OtherClaim, at, Vec::new(), "says that it is done".to_owned());
            }
            Verb::Do(_) => {
                let reason = Some("cannot be done".to_owned());
                let refuses = VariedStep::Plain(Step { text: reason, ..Step::new(Verb::Infeasible) });
                let by = vec![VariedStep::Plain(last.clone()), refuses];
                self.replaced(Kind::OtherClaim, at, by, "declares it infeasible in the end".to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn solution() -> Vec<Step> {
        serde_json::from_value(json!([
            {"do": "tap", "role": "switch", "name": "Wi-Fi"},
            {"do": "type", "text": "Ann 12\n"},
            {"do": "key", "key": "Down"},
            {"do": "key", "key": "ctrl+s"},
            {"do": "answer", "text": "K7-204"}
        ]))
        .unwrap()
    }

    #[test]
    fn kinds_take_turns_and_each_mutant_differs_from_the_solution() {
        let steps = solution();
        let all = mutants(&steps, "What is the code?", Platform::Desktop, 3);
        let kinds: std::collections::BTreeSet<Kind> = all.iter().map(|mutant| mutant.kind).collect();
        let first: std::collections::BTreeSet<Kind> =
            all.iter().take(kinds.len()).map(|mutant| mutant.kind).collect();
        assert_eq!(first, kinds);
        assert_eq!(kinds.len(), Kind::ALL.len() - 1, "the claim is an answer's: {kinds:?}");
        let plain: Vec<VariedStep> = steps.into_iter().map(VariedStep::Plain).collect();
        assert!(all.iter().all(|mutant| mutant.steps != plain && !mutant.what.contains('\n')));
        assert!(all.iter().any(|mutant| mutant.what == "step 4, key \"ctrl+s\", by the menu File"));
    }

    #[test]
    fn a_value_is_changed_before_its_line_end() {
        assert_eq!(other_values("Ann 12\n"), ["Ann 127\n", "Ann 1\n", "Ann 13\n", "ANN 12\n", "ann 12\n"]);
        assert_eq!(other_values("\n"), Vec::<String>::new());
    }

    #[test]
    fn what_was_played_is_told_by_its_first_thought() {
        let mutant = mutants(&solution(), "", Platform::Desktop, 1).remove(0);
        let varied = waldo_agents::reference::VariedSolution::from(mutant.clone());
        assert_eq!(
            super::super::told(&format!("{}\ngave up", varied.what)),
            Some((mutant.kind, mutant.what))
        );
        assert_eq!(super::super::told("I see a page"), None);
    }

    proptest! {
        #[test]
        fn the_same_seed_gives_the_same_mutants(seed: u64, text in "\\PC{0,20}", goal in "\\PC{0,20}") {
            let mut steps = solution();
            steps[1].text = Some(text.clone());
            steps[4].text = Some(text);
            for platform in [Platform::Web, Platform::Android, Platform::Desktop] {
                let all = mutants(&steps, &goal, platform, seed);
                prop_assert_eq!(&all, &mutants(&steps, &goal, platform, seed));
                prop_assert!(!all.is_empty());
            }
        }
    }
}
