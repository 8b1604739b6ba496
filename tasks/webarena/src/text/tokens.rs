//! Words as the original's tokenizer cuts them (NLTK's `word_tokenize`), of texts in lower case.
//!
//! Invariant: an answer is the original's, or it is refused: where it hangs on what only the tokenizer's trained model
//! knows, and where a text holds letters whose kind it takes otherwise than we do.

use std::sync::LazyLock;

use regex::Regex;

use super::python::is_space;
use super::sentence;
use crate::fault::{Result, WebarenaFault};

pub(crate) fn is_one(text: &str) -> Result<bool> {
    same(text, |tokens| tokens.len() == 1)
}

/// Whether `token` is a token of `text`; with `parts`, what stands between the slashes of one counts as well.
pub fn has(text: &str, token: &str, parts: bool) -> Result<bool> {
    same(text, |tokens| {
        tokens.iter().any(|one| {
            one == token || (parts && one.contains('/') && one.split('/').any(|part| part == token))
        })
    })
}

/// The answer to a question about the tokens, where it is the same for each way to cut the text.
fn same(text: &str, ask: impl Fn(&[String]) -> bool) -> Result<bool> {
    let refused = || WebarenaFault::refused("it hangs on how the original's tokenizer cuts the text");
    if text.chars().any(|c| c.is_uppercase() || is_mark(c)) {
        return Err(refused());
    }
    let text: String =
        text.chars().map(|c| if ('\u{1c}'..='\u{1f}').contains(&c) { ' ' } else { c }).collect();
    let ways = sentence::ways(&text).ok_or_else(refused)?;
    let mut answers = ways.iter().map(|way| {
        let all = way.iter().flat_map(|range| tokens(text.get(range.clone()).unwrap_or_default()));
        ask(&all.collect::<Vec<String>>())
    });
    let first = answers.next().unwrap_or_else(|| ask(&[]));
    if answers.all(|answer| answer == first) { Ok(first) } else { Err(refused()) }
}

/// Signs that are a part of a word for one library and none for the other.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && regex_word(c)
}

fn regex_word(c: char) -> bool {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\w$").ok());
    let mut buffer = [0; 4];
    WORD.as_ref().is_none_or(|word| word.is_match(c.encode_utf8(&mut buffer)))
}

/// Rules that are applied one after the other; the first and the second group are before and behind what two of them need
/// by hand.
struct Rules {
    before: Vec<(Regex, &'static str)>,
    middle: Vec<(Regex, &'static str)>,
    behind: Vec<(Regex, &'static str)>,
    last: Vec<(Regex, &'static str)>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let all = |rules: &[(&str, &'static str)]| {
        rules.iter().filter_map(|(rule, to)| Regex::new(rule).ok().map(|rule| (rule, *to))).collect()
    };
    Rules {
        before: all(&[
            ("([«“‘„]|[`]+)", " $1 "),
            ("^\"", "``"),
            ("(``)", " $1 "),
            (r#"([ (\[{<])("|'{2})"#, "$1 `` "),
        ]),
        middle: all(&[
            (r"([:,])(\D)", " $1 $2"),
            ("([:,])$", " $1 "),
            (r"(\.{2,})", " $1 "),
            ("([;@#$%&])", " $1 "),
            ("([\u{2012}-\u{2015}])", " $1 "),
        ]),
        behind: all(&[
            ("([?!])", " $1 "),
            ("([^'])' ", "$1 ' "),
            ("([*])", " $1 "),
            (r"([\]\[(){}<>])", " $1 "),
            ("(--)", " $1 "),
        ]),
        last: all(&[
            ("([»”’])", " $1 "),
            ("('')", " $1 "),
            ("\"", " '' "),
            (r"\s+", " "),
            ("([^' ])('[sS]|'[mM]|'[dD]|') ", "$1 $2 "),
            ("([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", "$1 $2 "),
            (r"(?i)\b(can)(not)\b", " $1 $2 "),
            (r"(?i)\b(d)('ye)\b", " $1 $2 "),
            (r"(?i)\b(gim)(me)\b", " $1 $2 "),
            (r"(?i)\b(gon)(na)\b", " $1 $2 "),
            (r"(?i)\b(got)(ta)\b", " $1 $2 "),
            (r"(?i)\b(lem)(me)\b", " $1 $2 "),
            (r"(?i)\b(more)('n)\b", " $1 $2 "),
            (r"(?i)\b(wan)(na)(\s)", " $1 $2 $3"),
            ("(?i) ('t)(is)\\b", " $1 $2 "),
            ("(?i) ('t)(was)\\b", " $1 $2 "),
        ]),
    }
});

fn put(text: String, rules: &[(Regex, &'static str)]) -> String {
    rules.iter().fold(text, |text, (rule, to)| rule.replace_all(&text, *to).into_owned())
}

fn tokens(sentence: &str) -> Vec<String> {
    let text = put(sentence.to_owned(), &RULES.before);
    let text = opened(&text);
    let text = closed(&text, "])}>\"'»”’ ", true);
    let text = put(text, &RULES.middle);
    let text = closed(&text, "])}>\"'", false);
    let text = put(text, &RULES.behind);
    let text = put(format!(" {text} "), &RULES.last);
    text.split(is_space).filter(|token| !token.is_empty()).map(str::to_owned).collect()
}

fn opened(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    for (at, c) in chars.iter().enumerate() {
        out.push(*c);
        let after = chars.get(at + 1..).unwrap_or_default();
        let clitic = ["re", "ve", "ll", "m", "t", "s", "d", "n"].iter().any(|clitic| {
            let len = clitic.len();
            let same = after.len() >= len
                && after.iter().zip(clitic.chars()).all(|(one, other)| one.eq_ignore_ascii_case(&other));
            same && !after.get(len).copied().is_some_and(is_word)
        });
        if *c == '\''
            && !at.checked_sub(1).and_then(|at| chars.get(at)).copied().is_some_and(is_word)
            && !clitic
            && after.first().copied().is_some_and(is_word)
        {
            out.push(' ');
        }
    }
    out
}

/// Parts the last period from its word, where only what closes a sentence follows; `apart` puts a blank behind it, too.
fn closed(text: &str, closing: &str, apart: bool) -> String {
    let Some(at) = text.rfind('.') else { return text.to_owned() };
    let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
    let run = after.find(|c| !closing.contains(c)).unwrap_or(after.len());
    let (signs, rest) = (after.get(..run).unwrap_or_default(), after.get(run..).unwrap_or_default());
    if before.is_empty() || before.ends_with('.') || !rest.chars().all(is_space) {
        return text.to_owned();
    }
    let blank = if apart { " " } else { "" };
    format!("{before} .{blank}{signs} ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_as_the_original_cuts_them() {
        for (text, found) in [
            ("the total is 5", vec!["the", "total", "is", "5"]),
            ("it has $0.00/day, ok?", vec!["it", "has", "$", "0.00/day", ",", "ok", "?"]),
            ("\"x\" won't", vec!["``", "x", "''", "wo", "n't"]),
            ("rock 'n' 'roll' it's.", vec!["rock", "'n", "'", "'", "roll", "'", "it", "'s", "."]),
            ("a: b, 1,000 c--d (e.)", vec!["a", ":", "b", ",", "1,000", "c", "--", "d", "(", "e", ".", ")"]),
            ("cannot wanna go", vec!["can", "not", "wan", "na", "go"]),
            ("50% @me;", vec!["50", "%", "@", "me", ";"]),
        ] {
            assert_eq!(tokens(text), found, "{text}");
        }
        assert!(has("made by q.x. then", "q.x", false).is_err());
        assert!(has("made by q.x. then", "made", false).unwrap());
        assert!(!has("it is 5. it was", "5", false).unwrap(), "the original reads no end there");
        assert!(has("it is five. it was", "five", false).unwrap());
        assert!(is_one("five").unwrap() && !is_one("five of").unwrap() && !is_one("").unwrap());
    }
}
