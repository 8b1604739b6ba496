//! Answers of mutants: the same in other forms, and others in the same forms.

/// Words of a goal that asks for the value and nothing else.
const ALONE: [&str; 4] = ["alone", "nothing else", "nothing but", "only the value"];

fn wants_bare(goal: &str) -> bool {
    ALONE.iter().any(|words| goal.contains(words))
}

/// The same answer in other forms; in sentences where the goal does not ask for the value alone.
pub(super) fn other_forms(text: &str, goal: &str) -> Vec<String> {
    let mut all =
        vec![format!("{text}."), format!("**{text}**"), format!("  {text} "), format!("\"{text}\"")];
    if !wants_bare(goal) {
        all.extend([format!("The answer is {text}."), format!("It is {text}."), format!("Answer: {text}")]);
        if let Some(other) = other(text) {
            all.push(format!("It is {text}, not {other}."));
        }
    }
    for mark in ["; ", "\n"] {
        let items: Vec<&str> = text.split(mark).collect();
        if items.len() > 1 {
            all.push(items.into_iter().rev().collect::<Vec<_>>().join(mark));
        }
    }
    all
}

fn other(text: &str) -> Option<String> {
    let folded = text.to_lowercase();
    // Case may mean nothing.
    other_values(text).into_iter().find(|other| other.to_lowercase() != folded && is_new(other, text))
}

/// Whether more than zeros behind a point has changed.
fn is_new(other: &str, text: &str) -> bool {
    match (other.parse::<f64>(), text.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() > 0.5,
        _ => true,
    }
}

pub(super) fn other_answers(text: &str, goal: &str) -> Vec<String> {
    let mut all =
        vec![format!("not {text}"), format!("It is not {text}."), String::new(), "I do not know.".to_owned()];
    let folded = text.to_lowercase();
    let others =
        other_values(text).into_iter().filter(|other| other.to_lowercase() != folded && is_new(other, text));
    for other in others {
        all.extend([
            format!("The answer is {other}."),
            format!("{text} or {other}"),
            format!("{other}, or maybe {text}"),
        ]);
        all.push(other);
    }
    all.retain(|other| !goal.contains(other.as_str()) || other.is_empty());
    all
}

/// The value with a character added, removed, a digit changed, and in other case.
pub(super) fn other_values(text: &str) -> Vec<String> {
    let end = text.trim_end_matches(char::is_control).len();
    let (body, rest) = text.split_at(end);
    let chars: Vec<char> = body.chars().collect();
    let mut all = Vec::new();
    let Some(last) = chars.last() else { return all };
    let extra = if last.is_ascii_digit() { '7' } else { 'e' };
    all.push(format!("{body}{extra}{rest}"));
    if chars.len() > 1 {
        all.push(chars.iter().take(chars.len() - 1).chain(&rest.chars().collect::<Vec<_>>()).collect());
    }
    if let Some((at, digit)) = chars.iter().enumerate().rev().find(|(_, c)| c.is_ascii_digit()) {
        let next = if *digit == '9' {
            '8'
        } else {
            char::from_digit(digit.to_digit(10).unwrap_or(0) + 1, 10).unwrap_or('0')
        };
        let changed: String =
            chars.iter().enumerate().map(|(n, c)| if n == at { next } else { *c }).collect();
        all.push(format!("{changed}{rest}"));
    }
    for other in [body.to_uppercase(), body.to_lowercase()] {
        all.push(format!("{other}{rest}"));
    }
    all.retain(|other| other != text);
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_keep_the_value_and_others_do_not() {
        let forms = other_forms("K7-204", "What is the code?");
        assert!(forms.iter().all(|form| form.contains("K7-204")));
        assert!(forms.contains(&"The answer is K7-204.".to_owned()));
        assert!(!other_forms("12", "Answer with the number alone.").contains(&"It is 12.".to_owned()));
        let others = other_answers("12.5", "");
        assert!(others.contains(&"The answer is 12.6.".to_owned()) == is_new("12.6", "12.5"));
        assert!(others.contains(&"not 12.5".to_owned()) && !others.contains(&"12.5".to_owned()));
        assert_eq!(other_forms("a; b", "").last().map(String::as_str), Some("b; a"));
    }
}
