//! Words of an answer: its clauses, what it denies, and which words could be the name of something.

use std::collections::BTreeSet;
use std::ops::Range;

use waldo_devices::word_list;

/// What may stand at either end of an answer, or of a word, without being a part of it.
pub(super) const ENDS: &[char] = &[
    ' ', '.', ',', '!', '?', ':', ';', '"', '\'', '`', '(', ')', '[', ']', '*', '“', '”', '‘', '’', '«', '»',
    '$', '€', '£', '¥',
];

/// Words that end the reach of a negation which stands before them.
const BREAKS: [&str; 16] = [
    "is", "are", "was", "were", "but", "because", "so", "which", "that", "who", "while", "costs", "has",
    "have", "answer", "then",
];
const DENIALS: [&str; 13] =
    word_list("not no never nor neither without cannot except excluding rather instead wasnt isnt");
const WRONG: [&str; 6] = ["not", "never", "wrong", "incorrect", "false", "untrue"];
const HELPERS: [&str; 16] = [
    "is", "are", "was", "were", "does", "do", "did", "can", "could", "will", "would", "has", "have",
    "should", "seems", "may",
];

/// Words that say nothing about which of several things is meant.
const PLAIN: &str = "a an the this that these those there here it its he she they them their his her i we you my your our is \
    are was were be been being am has have had having do does did done will would can could should shall may might must of \
    in on at to for from by with within without into onto under over as and or but so if then than because since which who \
    whom whose what where when how why not no yes only just exactly about all also both each every some any more most less \
    least cheapest lowest highest smallest largest biggest first last next previous final following correct right result \
    answer answers name names named called titled entitled labelled labeled value values item items thing one ones number \
    code file place located found find see shown shows show reads read says say said written listed given stands stand takes \
    take taking held hosts costs cost costing costs comes come happens called according therefore thus hence so namely \
    i.e e.g probably likely looks seems appears based up out now still please sure ok okay contains contain";

#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    /// As it is written, without what stands at its ends.
    pub text: &'a str,
    pub span: Range<usize>,
    /// Whether a sentence begins with it.
    pub initial: bool,
    /// Whether something other than blanks stands between the word before and this one.
    pub cut: bool,
    pub quoted: bool,
}

impl Word<'_> {
    pub fn folded(&self) -> String {
        self.text.to_lowercase().replace('’', "'")
    }

    pub fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    pub fn has_digit(&self) -> bool {
        self.text.contains(|c: char| c.is_ascii_digit())
    }
}

/// The words of a text, in order. What has neither letter nor digit is no word, and parts its neighbours.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut all = Vec::new();
    let (mut initial, mut cut) = (true, true);
    let mut quoted = false;
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += piece.len();
        let line_ends = piece.ends_with(['\n', '\r']);
        let piece = piece.trim_end();
        let body = piece.trim_matches(ENDS);
        let lead = piece.len() - piece.trim_start_matches(ENDS).len();
        let before = piece.get(..lead).unwrap_or_default();
        let after = piece.get(lead + body.len()..).unwrap_or_default();
        let is_quote = |c: char| matches!(c, '"' | '“' | '”' | '«' | '»' | '`');
        if body.contains(char::is_alphanumeric) {
            quoted |= before.contains(is_quote);
            let marks = before.contains([',', ';', ':', '(', '[']);
            let span = start + lead..start + lead + body.len();
            all.push(Word { text: body, span, initial, cut: cut || marks, quoted });
            quoted &= !after.contains(is_quote);
            initial = after.contains(['.', '!', '?', ':']);
            cut = after.contains(['.', '!', '?', ':', ';', ',', ')', ']']);
        } else if !piece.is_empty() {
            (initial, cut) = (initial || piece.contains([':', '.', '=']), true);
        }
        initial |= line_ends;
        cut |= line_ends;
    }
    all
}

/// Whether the words deny what stands at `span`: "not Berlin", "is not 12", "12 is wrong".
pub(super) fn is_denied(text: &str, span: &Range<usize>) -> bool {
    let all = words(text);
    let denies = |word: &Word<'_>| {
        let folded = word.folded();
        DENIALS.contains(&folded.as_str()) || folded.ends_with("n't")
    };
    let first = all.iter().position(|word| word.span.end > span.start).unwrap_or(all.len());
    let last = all.iter().rposition(|word| word.span.start < span.end).unwrap_or(0);
    let mut at = first;
    while at > 0 && !all.get(at).is_some_and(|word| word.cut) {
        at -= 1;
        let Some(word) = all.get(at) else { break };
        if denies(word)
            || (word.folded() == "than"
                && at > 0
                && all.get(at - 1).is_some_and(|other| other.folded() == "other"))
        {
            return true;
        }
        if BREAKS.contains(&word.folded().as_str()) {
            break;
        }
    }
    let mut after =
        all.iter().skip(last + 1).take_while(|word| !word.cut).map(|word| (denies(word), word.folded()));
    let wrong = |(denied, word): &(bool, String)| *denied && word != "no" || WRONG.contains(&word.as_str());
    match after.next() {
        Some(next) if wrong(&next) => true,
        Some((_, next)) if HELPERS.contains(&next.as_str()) => after.next().is_some_and(|next| wrong(&next)),
        _ => false,
    }
}

/// Whether what stands at `span` is one side of an "or", whatever the other side is: "6 or 7 March", "12 or more".
pub(super) fn is_offered(text: &str, span: &Range<usize>) -> bool {
    let all = words(text);
    let before = all.iter().rfind(|word| word.span.end <= span.start);
    let after = all.iter().find(|word| word.span.start >= span.end);
    before.into_iter().chain(after).any(|word| word.folded() == "or")
}

/// Whether `between`, which stands between two values, offers them as alternatives.
pub(super) fn offers(between: &str) -> bool {
    let words: Vec<String> = words(between).iter().map(Word::folded).collect();
    let bare = between.trim();
    (words.len() <= 3 && words.iter().any(|word| word == "or"))
        || (words.is_empty() && ["/", "|"].contains(&bare))
}

/// The form of a word that others of its family share.
fn stem(word: &str) -> String {
    let folded = word.to_lowercase();
    for end in ["ing", "ed", "es", "s", "e"] {
        if let Some(stem) = folded.strip_suffix(end).filter(|stem| stem.chars().count() > 2) {
            return stem.to_owned();
        }
    }
    folded
}

/// Words that a question explains: its own, and those that say nothing.
pub(super) struct Explained {
    plain: BTreeSet<String>,
    asked: BTreeSet<String>,
}

impl Explained {
    pub fn by(goal: &str) -> Self {
        let parts = |text: &str| text.split(|c: char| !c.is_alphanumeric()).map(stem).collect::<Vec<_>>();
        Self {
            plain: PLAIN.split_whitespace().map(stem).collect(),
            asked: words(goal)
                .iter()
                .flat_map(|word| [vec![stem(word.text)], parts(word.text)].concat())
                .collect(),
        }
    }

    pub fn explains(&self, word: &Word<'_>) -> bool {
        let short = word.folded();
        let short = short.split('\'').next().unwrap_or_default();
        [stem(word.text), stem(short)]
            .iter()
            .any(|stem| self.plain.contains(stem) || self.asked.contains(stem))
    }
}
