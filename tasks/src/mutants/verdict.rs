//! Holding a mutant's score against its end.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::MutantKind;
use crate::record::EpisodeResult;
use crate::state::Difference;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Its end is another, and it scored 0.
    Killed,
    /// Its end is another, and it scored all the same.
    Survived,
    /// Its end is the same, and it scored 1.
    Equivalent,
    /// Its end is the same, and it scored less.
    Refused,
    /// Its steps could not be carried out, or its end could not be compared.
    NotPlayed,
}

waldo_devices::named!(Verdict {
    Killed = "killed", Survived = "survived", Equivalent = "equivalent", Refused = "refused", NotPlayed = "not played"
});

#[derive(Clone, Debug, Serialize)]
pub struct Played {
    pub verdict: Verdict,
    /// How its end differs from that of the solution: of that first what the solution does not have.
    pub difference: Vec<String>,
    /// The checks that did not hold, with what they found.
    pub failed: Vec<String>,
}

/// What may be different between two ends: it changed between two plays of the solution, or the task allows it.
pub struct Allowed<'a> {
    /// The same solution, played once more.
    pub again: Option<&'a EpisodeResult>,
    /// Whether the task lets an entry change.
    pub by_task: &'a dyn Fn(&Difference) -> bool,
}

/// How the names of checks begin that look at what is on the screen, at how it came about or at what a command prints, which
/// no snapshot of what lasts holds.
const PASSING: [&str; 8] =
    ["request ", "js ", "url ", "text of the page", "app in front", "element ", "window ", "`"];

/// Holds a mutant against the solution. `played` says whether its steps were carried out.
pub fn judge(
    kind: MutantKind,
    reference: &EpisodeResult,
    mutant: &EpisodeResult,
    allowed: &Allowed<'_>,
    played: bool,
) -> Played {
    let failed = mutant.checks.iter().filter(|check| !check.passed);
    let failed: Vec<String> = failed.map(|check| format!("{}: {}", check.what, check.found)).collect();
    let difference = difference(reference, mutant, allowed);
    let scored = mutant.is_solved();
    let verdict = match kind {
        _ if !played || !reference.is_solved() => Verdict::NotPlayed,
        MutantKind::OtherAnswer | MutantKind::OtherClaim if scored => Verdict::Survived,
        MutantKind::OtherAnswer | MutantKind::OtherClaim => Verdict::Killed,
        _ if scored && difference.is_empty() => Verdict::Equivalent,
        _ if scored => Verdict::Survived,
        _ if !difference.is_empty() => Verdict::Killed,
        // What is asked for beside what lasts: a request, or what is in front.
        _ if differs_in_passing(reference, mutant) => Verdict::Killed,
        _ if lacks_a_change(reference, mutant, allowed) => Verdict::Killed,
        _ => Verdict::Refused,
    };
    Played { verdict, difference, failed }
}

/// Entries that differ, in words: in the mutant's end, then in the solution's alone.
fn difference(reference: &EpisodeResult, mutant: &EpisodeResult, allowed: &Allowed<'_>) -> Vec<String> {
    let counts = |one: &&Difference| !(allowed.by_task)(one);
    let kept = |result: &EpisodeResult| -> Vec<Difference> {
        result.changes.iter().filter(counts).cloned().collect()
    };
    let mut volatile = Volatile::default();
    if let Some(again) = allowed.again {
        volatile.learn(&kept(reference), &kept(again));
    }
    let (before, after) = (volatile.leave_out(kept(reference)), volatile.leave_out(kept(mutant)));
    let (new, gone) = apart_of(&before, &after);
    let new = new.into_iter().map(Difference::to_string);
    let gone = gone.into_iter().map(|one| format!("not so: {one}"));
    new.chain(gone).collect()
}

/// Whether something stayed as it was that the task lets change and that the solution changes each time.
fn lacks_a_change(reference: &EpisodeResult, mutant: &EpisodeResult, allowed: &Allowed<'_>) -> bool {
    let changes =
        |result: &EpisodeResult, one: &Difference| result.changes.iter().any(|other| is_entry(one, other));
    reference.changes.iter().any(|one| {
        (allowed.by_task)(one)
            && !changes(mutant, one)
            && allowed.again.is_none_or(|again| changes(again, one))
    })
}

fn is_entry(one: &Difference, other: &Difference) -> bool {
    (&one.store, &one.key) == (&other.store, &other.key)
}

/// What differs between two plays of the same solution, such as the time at which a message was sent.
#[derive(Default)]
struct Volatile {
    columns: BTreeSet<(String, String)>,
    /// Whole entries, by store and key.
    entries: BTreeSet<(String, String)>,
}

impl Volatile {
    fn learn(&mut self, one: &[Difference], other: &[Difference]) {
        let (mut new, gone) = apart_of(one, other);
        for entry in gone {
            let alike = (0..new.len())
                .filter_map(|at| Some((at, columns_apart(entry, new.get(at)?)?)))
                .min_by_key(|(_, columns)| columns.len());
            match alike {
                Some((at, columns)) => {
                    new.swap_remove(at);
                    self.columns.extend(columns.into_iter().map(|column| (entry.store.clone(), column)));
                }
                None => drop(self.entries.insert((entry.store.clone(), entry.key.clone()))),
            }
        }
        self.entries.extend(new.into_iter().map(|entry| (entry.store.clone(), entry.key.clone())));
    }

    fn leave_out(&self, mut all: Vec<Difference>) -> Vec<Difference> {
        all.retain(|one| !self.entries.contains(&(one.store.clone(), one.key.clone())));
        for Difference { store, before, after, .. } in &mut all {
            for row in [before, after].into_iter().flatten().filter_map(Value::as_object_mut) {
                row.retain(|column, _| !self.columns.contains(&(store.clone(), column.clone())));
            }
        }
        all
    }
}

/// The columns in which two rows differ that were changed in the same way; `None` where they are not of this kind.
fn columns_apart(one: &Difference, other: &Difference) -> Option<BTreeSet<String>> {
    let mut apart = BTreeSet::new();
    for pair in [(&one.before, &other.before), (&one.after, &other.after)] {
        match pair {
            (None, None) => {}
            (Some(Value::Object(one)), Some(Value::Object(other))) => {
                let names = one.keys().chain(other.keys());
                apart.extend(names.filter(|name| one.get(*name) != other.get(*name)).cloned());
            }
            _ => return None,
        }
    }
    (one.store == other.store).then_some(apart)
}

/// What `after` has beyond `before`, and what it lacks. A row that was added is known by what it holds: the number that a
/// provider gave it says only in which order rows came.
fn apart_of<'a>(
    before: &'a [Difference],
    after: &'a [Difference],
) -> (Vec<&'a Difference>, Vec<&'a Difference>) {
    let mut gone: Vec<&Difference> = before.iter().collect();
    let mut new = Vec::new();
    for one in after {
        match gone.iter().position(|other| is_same(one, other)) {
            Some(at) => drop(gone.swap_remove(at)),
            None => new.push(one),
        }
    }
    (new, gone)
}

fn is_same(a: &Difference, b: &Difference) -> bool {
    let numbered = a.store.contains("content://") && (a.before.is_none() || a.after.is_none());
    let content = |value: &Option<Value>| match value {
        Some(Value::Object(row)) if numbered => {
            let mut row = row.clone();
            row.retain(|column, _| column != "_id");
            Some(Value::Object(row))
        }
        other => other.clone(),
    };
    a.store == b.store
        && (numbered || a.key == b.key)
        && content(&a.before) == content(&b.before)
        && content(&a.after) == content(&b.after)
}

/// Whether a failed check of what passes found something else than in the solution.
fn differs_in_passing(reference: &EpisodeResult, mutant: &EpisodeResult) -> bool {
    mutant.checks.iter().filter(|check| !check.passed).any(|check| {
        let what = check.what.rsplit(": ").next().unwrap_or(&check.what);
        let passing = PASSING.iter().any(|begin| check.what.starts_with(begin) || what.starts_with(begin));
        let found = reference.checks.iter().find(|other| other.what == check.what).map(|other| &other.found);
        passing && found != Some(&check.found)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::record::{CheckResult, EpisodeKey, Outcome};

    fn result(success: f64, changes: Vec<Difference>) -> EpisodeResult {
        let key = EpisodeKey { contestant: "c".into(), task: "t".into(), repeat: 0 };
        let finished = EpisodeResult::of(key, Outcome::Finished, 9, 1);
        EpisodeResult { success: Some(success), changes, ..finished }
    }

    fn row(key: &str, name: &str) -> Difference {
        let after = Some(json!({"_id": key, "name": name}));
        Difference { store: "content://contacts".into(), key: key.into(), before: None, after }
    }

    fn verdict(kind: MutantKind, mutant: &EpisodeResult) -> Verdict {
        let reference = result(1.0, vec![row("7", "Ann"), row("8", "Bo")]);
        let allowed = Allowed { again: None, by_task: &|one| one.key == "allowed" };
        judge(kind, &reference, mutant, &allowed, true).verdict
    }

    #[test]
    fn the_end_decides_what_the_score_has_to_be() {
        let ends = vec![row("9", "Bo"), row("7", "Ann"), row("allowed", "x")];
        let other = vec![row("7", "Ann"), row("8", "Bob")];
        for (score, changes, wanted) in [
            (1.0, &ends, Verdict::Equivalent),
            (0.0, &ends, Verdict::Refused),
            (1.0, &other, Verdict::Survived),
            (0.0, &other, Verdict::Killed),
        ] {
            assert_eq!(verdict(MutantKind::Twice, &result(score, changes.clone())), wanted);
        }
        assert_eq!(verdict(MutantKind::OtherAnswer, &result(0.0, ends.clone())), Verdict::Killed);
        assert_eq!(verdict(MutantKind::OtherAnswer, &result(1.0, ends)), Verdict::Survived);
    }

    #[test]
    fn what_scores_0_and_leaves_undone_what_the_solution_changes_is_killed() {
        let reference = result(1.0, vec![row("allowed", "Ann")]);
        let allowed = Allowed { again: None, by_task: &|_| true };
        let of = |score, changes| {
            judge(MutantKind::LeftOut, &reference, &result(score, changes), &allowed, true).verdict
        };
        assert_eq!(of(0.0, Vec::new()), Verdict::Killed);
        assert_eq!(of(0.0, vec![row("allowed", "Bo")]), Verdict::Refused);
        assert_eq!(of(1.0, vec![row("allowed", "Bo"), row("9", "Cy")]), Verdict::Equivalent);
    }

    #[test]
    fn what_differs_between_two_plays_of_the_solution_says_nothing() {
        let reference = result(1.0, vec![row("7", "Ann")]);
        let moved = |after: i64| Difference {
            store: "files".into(),
            key: "log".into(),
            before: Some(json!(0)),
            after: Some(json!(after)),
        };
        let again = result(1.0, vec![row("7", "Ann"), moved(1)]);
        let mutant = result(1.0, vec![row("7", "Ann"), moved(2)]);
        let with = |again| Allowed { again, by_task: &|_| false };
        let judged = |again| judge(MutantKind::Twice, &reference, &mutant, &with(again), true).verdict;
        assert_eq!((judged(Some(&again)), judged(None)), (Verdict::Equivalent, Verdict::Survived));
    }

    #[test]
    fn of_a_row_only_the_columns_that_differ_between_two_plays_say_nothing() {
        let sent = |body: &str, date: u32| {
            let after = Some(json!({ "_id": 1, "body": body, "date": date }));
            vec![Difference { store: "content://sms".into(), key: "1".into(), before: None, after }]
        };
        let (reference, again) = (result(1.0, sent("six", 1)), result(1.0, sent("six", 2)));
        let allowed = Allowed { again: Some(&again), by_task: &|_| false };
        for (score, changes, wanted) in [
            (0.0, sent("si", 3), Verdict::Killed),
            (0.0, Vec::new(), Verdict::Killed),
            (1.0, sent("six", 3), Verdict::Equivalent),
        ] {
            let mutant = result(score, changes);
            assert_eq!(judge(MutantKind::OtherValue, &reference, &mutant, &allowed, true).verdict, wanted);
        }
    }

    #[test]
    fn a_request_that_was_made_differs_though_nothing_lasts_of_it() {
        let check = |passed, found: &str| CheckResult::new("request POST /order, exactly 1", passed, found);
        let mut reference = result(1.0, Vec::new());
        reference.checks = vec![check(true, "1 matching")];
        let mut mutant = result(0.0, Vec::new());
        mutant.checks = vec![check(false, "2 matching")];
        let allowed = Allowed { again: None, by_task: &|_| false };
        assert_eq!(judge(MutantKind::Twice, &reference, &mutant, &allowed, true).verdict, Verdict::Killed);
        mutant.checks = vec![check(false, "1 matching")];
        assert_eq!(judge(MutantKind::Twice, &reference, &mutant, &allowed, true).verdict, Verdict::Refused);
    }
}
