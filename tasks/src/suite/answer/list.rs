//! Lists: several answers in any order.

use super::words::{is_denied, words};
use super::{AnswerType, infer, is_bare};

/// The items, where they are the right ones, each as often, in any order; else what is wrong. Lists are parted by line
/// ends, semicolons or commas, and may have an `and` before the last. Words may lead to them: "The hosts are a, b and c."
pub(super) fn read(answer: &str, right: &[String]) -> Result<String, String> {
    let cuts: [&[&str]; 4] = [&["\n", ";"], &["\n", ";", ", "], &["\n", ";", ","], &[]];
    let bodies = [Some(answer), after_lead(answer)];
    let items = cuts.iter().flat_map(|cuts| bodies.iter().flatten().map(|body| cut(body, cuts)));
    let is_right = |items: &[String]| same_items(items, right);
    for items in items {
        if let Some(items) =
            [Some(items.clone()), and_at_end(&items)].into_iter().flatten().find(|items| is_right(items))
        {
            return Ok(items.join("; "));
        }
    }
    Err(format!("it does not list these {}, and nothing else", right.len()))
}

/// What follows the words that lead to a list.
fn after_lead(answer: &str) -> Option<&str> {
    let leads = [": ", ":\n", " are ", " is "];
    let (at, lead) = leads.iter().filter_map(|lead| answer.find(lead).map(|at| (at, lead))).min()?;
    let rest = at + lead.len();
    let first = words(answer).into_iter().find(|word| word.span.start >= rest)?;
    (!is_denied(answer, &first.span)).then(|| answer.get(rest..))?
}

fn cut(text: &str, cuts: &[&str]) -> Vec<String> {
    let mut items = vec![text.to_owned()];
    for mark in cuts {
        items = items.iter().flat_map(|item| item.split(mark)).map(str::to_owned).collect();
    }
    let items = items.iter().map(|item| without_bullet(item).to_owned());
    items.filter(|item| !words(item).is_empty()).collect()
}

/// Parts `x and y` at the end of a list, also where a comma stands before the `and`.
fn and_at_end(items: &[String]) -> Option<Vec<String>> {
    let (last, front) = items.split_last()?;
    let mut items = front.to_vec();
    if let Some((a, b)) = last.rsplit_once(" and ").or_else(|| last.rsplit_once(" & ")) {
        items.extend([a.to_owned(), b.to_owned()]);
    } else {
        items.push(last.trim().strip_prefix("and ")?.to_owned());
    }
    Some(items)
}

fn without_bullet(line: &str) -> &str {
    let line = line.trim();
    if let Some(rest) = ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark)) {
        return rest;
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < line.len();
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).filter(|_| numbered).unwrap_or(line)
}

fn same_items(items: &[String], right: &[String]) -> bool {
    let mut left: Vec<&String> = items.iter().collect();
    let same = |item: &str, right: &String| match infer(std::slice::from_ref(right)) {
        AnswerType::YesNo => is_bare(AnswerType::Name, item, right, 0.0),
        kind => is_bare(kind, item, right, 0.0),
    };
    items.len() == right.len()
        && right
            .iter()
            .all(|right| left.iter().position(|item| same(item, right)).map(|at| left.remove(at)).is_some())
}
