//! Comparing an agent's answer with the right one.
//!
//! Invariant: only what does not change the meaning is forgiven: space, case, punctuation and quotes
//! at the ends, signs of currency, separators of thousands, zeros behind a decimal point.

/// What may stand at either end of an answer without being a part of it.
const ENDS: &[char] = &[
    ' ', '.', ',', '!', '?', ':', ';', '"', '\'', '`', '(', ')', '[', ']', '*', '“', '”', '‘', '’', '«', '»',
    '$', '€', '£', '¥',
];

/// The answer as it is compared.
pub(super) fn normalise(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    without_thousands(folded.trim_matches(ENDS))
}

/// Removes each comma between a digit and a group of exactly three of them.
fn without_thousands(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
    chars
        .iter()
        .enumerate()
        .filter(|(n, c)| {
            let group = (1..=3).all(|k| digit(n.checked_add(k))) && !digit(n.checked_add(4));
            !(**c == ',' && digit(n.checked_sub(1)) && group)
        })
        .map(|(_, c)| *c)
        .collect()
}

/// Whether two answers say the same.
pub(super) fn same(answer: &str, right: &str) -> bool {
    let (answer, right) = (normalise(answer), normalise(right));
    answer == right
        || match (amount(&answer), amount(&right)) {
            (Some(a), Some(b)) => close(a, b, 0.0),
            _ => false,
        }
}

/// Whether the answer is the number: the only one that it contains, so that a unit may stand by it.
pub(super) fn is_number(answer: &str, right: f64, tolerance: f64) -> bool {
    only_number(&normalise(answer)).is_some_and(|found| close(found, right, tolerance))
}

/// Whether the answer lists the right ones, each as often, in any order. Lists are parted by line ends,
/// semicolons or commas, and may have an `and` before the last.
pub(super) fn same_list(answer: &str, right: &[String]) -> bool {
    let cuts: [&[&str]; 4] = [&["\n", ";"], &["\n", ";", ", "], &["\n", ";", ","], &[]];
    cuts.iter().any(|cuts| {
        let items = cut(answer, cuts);
        same_items(&items, right) || and_at_end(&items).is_some_and(|items| same_items(&items, right))
    })
}

fn cut(text: &str, cuts: &[&str]) -> Vec<String> {
    let mut items = vec![text.to_owned()];
    for mark in cuts {
        items = items.iter().flat_map(|item| item.split(mark)).map(str::to_owned).collect();
    }
    items
        .iter()
        .map(|item| without_bullet(item).to_owned())
        .filter(|item| !normalise(item).is_empty())
        .collect()
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
    items.len() == right.len()
        && right
            .iter()
            .all(|right| left.iter().position(|item| same(item, right)).map(|at| left.remove(at)).is_some())
}

/// A normalised answer that is an amount and nothing else. Digits with a zero before them are a code,
/// not an amount: `0042` is not `42`.
fn amount(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text).trim_start_matches(['$', '€', '£', '¥']);
    let code = digits.starts_with('0') && digits.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.')
        && digits.contains(|c: char| c.is_ascii_digit());
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    (plain && !code).then(|| digits.parse::<f64>().ok().map(|amount| sign * amount))?
}

fn only_number(text: &str) -> Option<f64> {
    let mut found = text
        .split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-')))
        .map(|part| part.trim_end_matches(['.', '-']))
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()));
    let first = found.next()?;
    found.next().is_none().then(|| first.parse().ok())?
}

/// Whether two numbers are the same, give or take `tolerance` and the last bits.
pub(super) fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance.max(1e-9 * a.abs().max(b.abs()).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_change_the_meaning_is_forgiven() {
        for (answer, right) in [
            ("  Blue   Lamp. ", "blue lamp"),
            ("\"Berlin\"", "Berlin"),
            ("**Berlin**", "Berlin"),
            ("$1,234.50", "1234.50"),
            ("1234.5", "$1,234.50"),
            ("12.00", "12"),
            ("-$5", "-5"),
            ("12,345,678", "12345678"),
            ("Straße", "STRASSE".to_lowercase().replace("ss", "ß").as_str()),
        ] {
            assert!(same(answer, right), "{answer} / {right}");
        }
    }

    #[test]
    fn what_changes_the_meaning_is_not() {
        for (answer, right) in [
            ("12.50", "12.51"),
            ("0042", "42"),
            ("1,5", "15"),
            ("1,2345", "12345"),
            ("-5", "5"),
            ("not Berlin", "Berlin"),
            ("", "0"),
            ("A-1", "A1"),
            ("Lamp 2", "Lamp"),
        ] {
            assert!(!same(answer, right), "{answer} / {right}");
        }
    }

    #[test]
    fn a_number_may_have_a_unit_but_no_second_number() {
        assert!(is_number("12.5 kg", 12.5, 0.0));
        assert!(is_number("It costs $1,012.50.", 1012.5, 0.0));
        assert!(is_number("about 12.49", 12.5, 0.02));
        assert!(!is_number("12 or 13", 12.0, 0.0));
        assert!(!is_number("twelve", 12.0, 0.0));
        assert!(!is_number("-12", 12.0, 0.0));
    }

    #[test]
    fn a_list_is_compared_without_its_order() {
        let right = ["Ada Lovelace".to_owned(), "Salt and Pepper".to_owned(), "1200".to_owned()];
        for answer in [
            "Ada Lovelace, Salt and Pepper, 1,200",
            "1200; ada lovelace; salt and pepper",
            "- Salt and Pepper\n- 1200\n- Ada Lovelace",
            "1. Ada Lovelace\n2. Salt and Pepper\n3. 1,200",
            "1200, Salt and Pepper, and Ada Lovelace",
            "1200, Salt and Pepper and Ada Lovelace.",
        ] {
            assert!(same_list(answer, &right), "{answer}");
        }
        for answer in ["Ada Lovelace, Salt and Pepper", "Ada Lovelace, Ada Lovelace, 1200", "", "a, b, c, d"]
        {
            assert!(!same_list(answer, &right), "{answer}");
        }
        assert!(same_list("x and y", &["y".to_owned(), "x".to_owned()]));
        assert!(same_list("a,b", &["b".to_owned(), "a".to_owned()]));
    }
}
