//! Where the original's tokenizer ends a sentence (NLTK's Punkt with its English model), of texts in lower case.
//!
//! In lower case the trained model comes down to little: a word with a period is the end of a sentence unless it is a
//! known abbreviation; a number or a single letter is none before a word. Invariant: where a word may or may not be known
//! to the model, that is said, and nothing is guessed.

use std::ops::Range;

use super::python::is_space;

/// The abbreviations of one word that end no sentence.
const SHORT: &str = "adm ala ariz aug ave bros c calif chg cie co col colo conn corp cos ct d dec dr e f feb fla fri ft g \
                     ga gen h ill inc jan jr k kan ky l lt ltd m maj messrs mg mich minn mr mrs ms n nev nov oct ok okla \
                     ore p pa prof r rep reps s sen sep sept sr st sw t tenn tues v va vs vt w wash wed wis yr";
/// Abbreviations with periods in them that end no sentence. The model knows more: others of their form are unknown here.
const DOTTED: &str = "a.m d.c n.y p.m ph.d u.k u.n u.s u.s.a u.s.s.r";
/// Words that the model has seen begin a sentence in lower case, and never in upper case.
const BEGINNERS: [&str; 4] = ["z-holiday", "administrators", "r-revised", "b-week"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Yes,
    No,
    Unknown,
}

pub(crate) type Sentences = Vec<Range<usize>>;

/// The ways in which the text may be cut: one where the model's words play no part, else one for each answer to what is
/// unknown; `None` where that are too many.
pub(crate) fn ways(text: &str) -> Option<Vec<Sentences>> {
    let contexts = contexts(text);
    let cuts: Vec<Cut> = contexts.iter().map(|context| cut(&context.text)).collect();
    let unknown: Vec<usize> = (0..cuts.len()).filter(|at| cuts[*at] == Cut::Unknown).collect();
    if unknown.len() > 6 {
        return None;
    }
    let mut ways = Vec::new();
    for mask in 0..(1_u32 << unknown.len()) {
        let is_end = |at: usize| match cuts[at] {
            Cut::Yes => true,
            Cut::No => false,
            Cut::Unknown => {
                unknown.iter().position(|one| *one == at).is_some_and(|bit| mask & (1 << bit) != 0)
            }
        };
        let ends = contexts.iter().enumerate().filter(|(at, _)| is_end(*at)).map(|(_, context)| context);
        ways.push(realigned(text, &slices(text, ends)));
    }
    Some(ways)
}

/// A sign that may end a sentence, with what stands around it.
struct SentenceContext {
    /// The word before it, the sign, and what follows: another sign, or blanks and a word.
    text: String,
    end: usize,
    next: usize,
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '?' | '!')
}

/// The blanks that words are parted at here.
fn is_ascii_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

fn is_non_word(c: char) -> bool {
    ")\";}]*:@'({[?!‘’“”«»".contains(c)
}

/// Every sign that may end a sentence; of several within one word the last.
fn contexts(text: &str) -> Vec<SentenceContext> {
    // The sign's place, the end of what follows it, the start of the next word.
    let signs = text.char_indices().filter(|(_, c)| is_end(*c)).filter_map(|(at, _)| {
        let after = text.get(at + 1..)?;
        let first = after.chars().next()?;
        if is_non_word(first) {
            let end = at + 1 + first.len_utf8();
            return Some((at, end, at + 1));
        }
        let blanks = after.find(|c| !is_space(c)).filter(|blanks| *blanks > 0)?;
        let word = after.get(blanks..)?;
        let len = word.find(is_space).unwrap_or(word.len());
        Some((at, at + 1 + blanks + len, at + 1 + blanks))
    });
    let mut found = Vec::new();
    let mut before: Option<(Range<usize>, (usize, usize, usize))> = None;
    let mut previous = 0..0;
    for sign in signs {
        let between = text.get(previous.end..sign.0).unwrap_or_default();
        let start = match between.char_indices().rfind(|(_, c)| is_ascii_space(*c)) {
            // A blank at the very start counts for none.
            Some((at, c)) if at > 0 => previous.end + at + c.len_utf8(),
            _ => previous.start,
        };
        if let Some((word, sign)) = before.take()
            && word.end <= start
        {
            found.push(context(text, &word, sign));
        }
        previous = start..sign.0;
        before = Some((previous.clone(), sign));
    }
    found.extend(before.map(|(word, sign)| context(text, &word, sign)));
    found
}

fn context(text: &str, word: &Range<usize>, (at, end, next): (usize, usize, usize)) -> SentenceContext {
    let around = text.get(word.start..end).unwrap_or_default().to_owned();
    SentenceContext { text: around, end: at + 1, next }
}

fn cut(context: &str) -> Cut {
    let tokens: Vec<String> = context.split('\n').flat_map(words).collect();
    let mut unknown = false;
    for pair in tokens.windows(2) {
        match ends_sentence(&pair[0], &pair[1]) {
            Cut::Yes => return Cut::Yes,
            Cut::Unknown => unknown = true,
            Cut::No => {}
        }
    }
    if unknown { Cut::Unknown } else { Cut::No }
}

fn ends_sentence(token: &str, next: &str) -> Cut {
    let first = match token {
        "?" | "!" => return Cut::Yes,
        "." => Cut::Yes,
        _ if !token.ends_with('.') || token.ends_with("..") => return Cut::No,
        _ => match is_abbreviation(token.get(..token.len() - 1).unwrap_or_default()) {
            Cut::Yes => return Cut::No,
            Cut::No => Cut::Yes,
            Cut::Unknown => Cut::Unknown,
        },
    };
    let mut letters = token.chars();
    let initial = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_') && letters.as_str() == ".";
    if initial || is_number(token) {
        let sign = matches!(next, ";" | ":" | "," | "." | "!" | "?");
        let lower = next.chars().next().is_some_and(char::is_lowercase);
        if sign || (lower && !BEGINNERS.contains(&next)) {
            return Cut::No;
        }
    }
    first
}

fn is_abbreviation(word: &str) -> Cut {
    let known = |word: &str| SHORT.split(' ').chain(DOTTED.split(' ')).any(|known| known == word);
    let last = word.rsplit('-').next().unwrap_or(word);
    if known(word) || known(last) || word == ". " {
        return Cut::Yes;
    }
    // Those with periods in them have one or two letters, once four, between these.
    let may = |word: &str| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() > 1
            && parts
                .iter()
                .all(|part| (1..=2).contains(&part.len()) && part.chars().all(|c| c.is_ascii_lowercase()))
    };
    if may(word) || may(last) { Cut::Unknown } else { Cut::No }
}

/// Digits with what stands between them, and a sign before.
fn is_number(token: &str) -> bool {
    let token = token.strip_prefix('-').unwrap_or(token);
    let token = token.strip_prefix(['.', ',']).unwrap_or(token);
    let mut chars = token.chars();
    chars.next().is_some_and(|c| c.is_ascii_digit())
        && chars.all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '-'))
}

fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = line.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = line.get(at..).unwrap_or_default();
        let len = match multi(rest) {
            Some(len) => len,
            None if is_space(c) => {
                at += c.len_utf8();
                continue;
            }
            None if "(\"`{[:;&#*@)}]-,".contains(c) => c.len_utf8(),
            None => {
                let ends =
                    |(to, _): &(usize, char)| *to > 0 && is_word_end(rest.get(*to..).unwrap_or_default());
                rest.char_indices().find(ends).map_or(rest.len(), |(to, _)| to)
            }
        };
        found.push(rest.get(..len).unwrap_or_default().to_owned());
        at += len;
    }
    found
}

fn is_word_end(rest: &str) -> bool {
    let stops = |rest: &str| {
        rest.chars().next().is_none_or(|c| is_space(c) || is_non_word(c)) || multi(rest).is_some()
    };
    stops(rest) || rest.strip_prefix(',').is_some_and(stops)
}

/// The length of several dashes, periods, or periods with blanks between them.
fn multi(rest: &str) -> Option<usize> {
    let run = |sign: char| rest.chars().take_while(|c| *c == sign).count();
    if run('-') >= 2 {
        return Some(run('-'));
    }
    if run('.') >= 2 {
        return Some(run('.'));
    }
    // At least two periods with a blank behind each, and one more period.
    let (mut len, mut count) = (0, 0);
    while let Some(blank) = rest.get(len..)?.strip_prefix('.').and_then(|rest| rest.chars().next())
        && is_space(blank)
    {
        len += 1 + blank.len_utf8();
        count += 1;
    }
    (count >= 2 && rest.get(len..)?.starts_with('.')).then_some(len + 1)
}

fn slices<'a>(text: &str, ends: impl Iterator<Item = &'a SentenceContext>) -> Sentences {
    let mut found = Vec::new();
    let mut last = 0;
    for context in ends {
        found.push(last..context.end);
        last = context.next;
    }
    found.push(last..text.trim_end_matches(is_space).len().max(last));
    found
}

/// Gives signs that close a sentence, and stand behind its period, back to it.
fn realigned(text: &str, slices: &[Range<usize>]) -> Sentences {
    let mut found = Vec::new();
    let mut moved = 0;
    for (n, slice) in slices.iter().enumerate() {
        let slice = slice.start + moved..slice.end;
        let Some(next) = slices.get(n + 1) else {
            found.push(slice);
            break;
        };
        let after = text.get(next.clone()).unwrap_or_default();
        let closed = after.find(|c| !"\"')]}‘’“”«»".contains(c)).unwrap_or(after.len());
        let rest = after.get(closed..).unwrap_or_default();
        let blanks = rest.find(|c| !is_space(c)).unwrap_or(rest.len());
        if closed > 0 && (rest.is_empty() || blanks > 0 || rest.starts_with("--")) {
            found.push(slice.start..next.start + closed);
            moved = closed + blanks;
        } else {
            moved = 0;
            found.push(slice);
        }
    }
    found.into_iter().filter(|slice| slice.start < slice.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_model_knows_is_left_open() {
        assert_eq!(ways("by q.x. then").unwrap().len(), 2);
        assert_eq!(ways("in the u.s. then").unwrap().len(), 1);
    }
}
