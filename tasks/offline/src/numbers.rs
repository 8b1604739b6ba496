//! Numbers as Python reads them.

/// The number of a text of digits with at most one point and a sign, whatever script its digits are of.
pub fn number(text: &str) -> Option<f64> {
    let ascii: Option<String> = text.chars().map(|c| if c.is_ascii() { Some(c) } else { digit(c) }).collect();
    ascii?.parse().ok()
}

/// The ASCII digit of a decimal digit of another script. Each script has its ten in a row from zero, and such rows stand
/// one after the other where they touch, so the digits before it say which one it is.
fn digit(c: char) -> Option<char> {
    let decimal = |c: u32| char::from_u32(c).is_some_and(is_decimal);
    if !is_decimal(c) {
        return None;
    }
    let code = u32::from(c);
    let before = (1..=code).take_while(|back| decimal(code - back)).count();
    char::from_digit(u32::try_from(before % 10).ok()?, 10)
}

/// Whether it is of Unicode's category Nd.
fn is_decimal(c: char) -> bool {
    use std::sync::LazyLock;
    static DECIMAL: LazyLock<Option<fancy_regex::Regex>> =
        LazyLock::new(|| fancy_regex::Regex::new(r"^\p{Nd}$").ok());
    let mut buffer = [0; 4];
    DECIMAL.as_ref().is_some_and(|decimal| decimal.is_match(c.encode_utf8(&mut buffer)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_any_script_are_numbers() {
        for (text, want) in
            [("12.5", 12.5), (".5", 0.5), ("-7", -7.0), ("٣٤", 34.0), ("１２", 12.0), ("𝟙𝟚", 12.0)]
        {
            assert_eq!(number(text), Some(want), "{text}");
        }
        assert_eq!(number("²"), None);
    }
}
