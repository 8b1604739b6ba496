//! Names in a sentence: whether one of the right ones is said, and nothing else could be meant.

use std::ops::Range;

use super::words::{Explained, Word, is_denied, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Folded,
    Exact,
}

/// The name that a sentence says; else why it says none. `others` are values that would be other answers.
pub(super) fn said(
    text: &str,
    goal: &str,
    rights: &[String],
    others: &[String],
    case: Case,
) -> Result<String, String> {
    let all = words(text);
    let found = occurrences(&all, rights, case);
    let (denied, stated): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|at| is_denied(text, &span(&all, at)));
    let Some(first) = stated.first() else {
        return Err(if denied.is_empty() { "it is not said" } else { "it is denied" }.to_owned());
    };
    let explained = Explained::by(goal);
    let known = |word: &Word<'_>| explained.explains(word);
    for at in &stated {
        neighbours(text, &all, at, &known)?;
    }
    let own: Vec<usize> = stated.iter().chain(&denied).flat_map(Clone::clone).collect();
    let is_other = |at: usize, word: &Word<'_>| {
        let named =
            (word.is_capital() && !word.initial && word.text != "I") || word.has_digit() || word.quoted;
        named && !own.contains(&at) && !known(word) && !is_denied(text, &word.span)
    };
    if let Some((_, word)) = all.iter().enumerate().find(|(at, word)| is_other(*at, word)) {
        return Err(format!("'{}' could be meant as well", word.text));
    }
    let unasked = |other: &&String| occurrences(&words(goal), &[(*other).clone()], case).is_empty();
    let right = |other: &&String| rights.iter().any(|right| is_same(right, other, case));
    for other in others.iter().filter(|other| !right(other)).filter(unasked) {
        let apart = |at: &Range<usize>| !at.clone().any(|word| own.contains(&word));
        let mut there = occurrences(&all, std::slice::from_ref(other), case).into_iter().filter(apart);
        if there.any(|at| !is_denied(text, &span(&all, &at))) {
            return Err(format!("'{other}' is named as well"));
        }
    }
    Ok(text.get(span(&all, first)).unwrap_or_default().to_owned())
}

pub(super) fn is_same(a: &str, b: &str, case: Case) -> bool {
    let fold = |text: &str| {
        let all: Vec<String> = words(text).iter().map(|word| folded(word, case)).collect();
        all.join(" ")
    };
    fold(a) == fold(b)
}

fn folded(word: &Word<'_>, case: Case) -> String {
    if case == Case::Exact { word.text.to_owned() } else { word.folded() }
}

fn occurrences(all: &[Word<'_>], names: &[String], case: Case) -> Vec<Range<usize>> {
    let text: Vec<String> = all.iter().map(|word| folded(word, case)).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    for name in names {
        let name: Vec<String> = words(name).iter().map(|word| folded(word, case)).collect();
        let starts = text.windows(name.len().max(1)).enumerate().filter(|(_, window)| **window == *name);
        let new: Vec<Range<usize>> = starts.map(|(at, _)| at..at + name.len()).collect();
        found.extend(new.into_iter().filter(|new| !new.is_empty()));
    }
    // Of names within one another the longest counts.
    let all = found.clone();
    found.retain(|one| {
        !all.iter().any(|other| other.len() > one.len() && other.start <= one.start && one.end <= other.end)
    });
    found.sort_by_key(|at| at.start);
    found.dedup();
    found
}

fn span(all: &[Word<'_>], at: &Range<usize>) -> Range<usize> {
    let start = all.get(at.start).map_or(0, |word| word.span.start);
    start..all.get(at.end.saturating_sub(1)).map_or(start, |word| word.span.end)
}

/// Refuses a name that its neighbours make part of another one, of a list, or of a choice.
fn neighbours(
    text: &str,
    all: &[Word<'_>],
    at: &Range<usize>,
    known: &dyn Fn(&Word<'_>) -> bool,
) -> Result<(), String> {
    let other = |word: &Word<'_>| Err(format!("'{}' could be meant as well", word.text));
    let before = at.start.checked_sub(1).and_then(|at| all.get(at));
    let two_before = at.start.checked_sub(2).and_then(|at| all.get(at));
    let (after, two_after) = (all.get(at.end), all.get(at.end + 1));
    let joins = |word: &Word<'_>| ["or", "and", "&"].contains(&word.folded().as_str());
    let choice = |word: &Word<'_>| word.folded() == "or";
    for (joint, beyond) in [(before, two_before), (after, two_after)] {
        if let (Some(joint), Some(beyond)) = (joint, beyond)
            && (choice(joint) || (joins(joint) && !known(beyond)))
            && !is_denied(text, &beyond.span)
        {
            return other(beyond);
        }
    }
    let name_cut = all.get(at.start).is_some_and(|word| word.cut);
    let lower = all.get(at.start).is_some_and(|word| !word.is_capital());
    if let Some(word) = before.filter(|word| !known(word) && !is_denied(text, &word.span)) {
        // "Coffee, Tea", but not "Having looked at it, Tea".
        let listed = name_cut && word.cut && !word.text.ends_with(':') && !after_colon(text, word);
        let joined = !name_cut && (word.is_capital() || (lower && !word.text.ends_with("ed")));
        if listed || joined {
            return other(word);
        }
    }
    if let Some(word) = after.filter(|word| !known(word) && !is_denied(text, &word.span)) {
        let new_sentence = word.initial && text_between(text, all, at, word).contains(['.', '!', '?', '\n']);
        if !new_sentence {
            return other(word);
        }
    }
    Ok(())
}

fn text_between<'a>(text: &'a str, all: &[Word<'_>], at: &Range<usize>, next: &Word<'_>) -> &'a str {
    text.get(span(all, at).end..next.span.start).unwrap_or_default()
}

/// Whether a colon stands right behind a word: what follows it is what the word announced.
fn after_colon(text: &str, word: &Word<'_>) -> bool {
    text.get(word.span.end..)
        .is_some_and(|rest| rest.trim_start_matches(['*', '"', '”', ' ']).starts_with([':', '=']))
}
