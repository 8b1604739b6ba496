//! Values that are almost the same.

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
