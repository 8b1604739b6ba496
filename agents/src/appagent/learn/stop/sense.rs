//! Whether a word of a name is meant as something to do.
//!
//! "Delete" always is, wherever it stands. "Report", "Format" and "Order" are verbs and nouns: they are meant as
//! something to do where a name begins with them ("Report user") or is nothing else, and not in "Weekly report", in
//! "Order history", in the menu "Format", or in the file "order.csv".

use waldo_devices::word_list;

/// Words that are verbs and nouns alike.
const BOTH: [&str; 22] = word_list(
    "order post share tweet reply call dial trash reset format clear block report transfer transfers \
     payment purchase purchases checkout submit confirm accept",
);
/// Of these, those that are meant as something to do wherever they stand, unless they only say of what kind something
/// is: a wrong guess would cost money.
const STRONG: [&str; 7] = ["payment", "purchase", "purchases", "checkout", "submit", "confirm", "accept"];
/// Words after which such a word is meant as something to do: "Place order", "Please reply".
const LEADS: [&str; 20] = [
    "place", "make", "do", "please", "quick", "and", "or", "to", "now", "complete", "finish", "create",
    "start", "begin", "send", "file", "my", "your", "this", "the",
];
/// Of these, those that alone name a menu rather than something to do.
const NAMES: [&str; 1] = ["format"];
/// Nouns before which such a word only says of what kind they are.
const KINDS: [&str; 43] = word_list(
    "with due about history log logs list lists details detail number numbers settings setting options \
     preferences status summary type types style date day by id code name names method methods page view \
     tab row card bar header title sheet label text volume sky",
);
/// Parts of an id that say what kind of thing it is of.
const PARTS: [&str; 18] = word_list(
    "btn button action menu item fab ic icon img image view id com android widget nav toolbar imageview",
);
/// What a file's name ends with.
const FILES: [&str; 36] = [
    "csv", "txt", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "png", "jpg",
    "jpeg", "gif", "svg", "mp3", "mp4", "wav", "mkv", "zip", "tar", "gz", "json", "xml", "html", "md", "log",
    "py", "sh", "rs", "apk", "ics", "vcf", "eml",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextOrigin {
    Name,
    /// The name of a menu, which opens something to choose from.
    Menu,
    Id,
}

/// The words of a text in lower case that may name something to do: without the names of files in it.
pub(super) fn words(text: &str, kind: TextOrigin) -> Vec<String> {
    match kind {
        TextOrigin::Id => tokens(text),
        TextOrigin::Name | TextOrigin::Menu => {
            text.split_whitespace().filter(|word| !is_file(word)).flat_map(tokens).collect()
        }
    }
}

fn is_file(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.rsplit_once('.')
        .is_some_and(|(stem, end)| !stem.is_empty() && FILES.contains(&end.to_ascii_lowercase().as_str()))
}

/// Whether the word at `at` is meant as something to do.
pub(super) fn is_deed(words: &[String], at: usize, kind: TextOrigin) -> bool {
    let Some(word) = words.get(at).map(String::as_str) else { return false };
    if !BOTH.contains(&word) {
        return true;
    }
    let bare: Vec<(usize, &str)> = words
        .iter()
        .enumerate()
        .map(|(n, word)| (n, word.as_str()))
        .filter(|(_, word)| kind != TextOrigin::Id || !PARTS.contains(word))
        .collect();
    let Some(place) = bare.iter().position(|(n, _)| *n == at) else { return false };
    let says_kind = bare.get(place + 1).is_some_and(|(_, next)| KINDS.contains(next));
    let led =
        place.checked_sub(1).and_then(|before| bare.get(before)).is_some_and(|(_, w)| LEADS.contains(w));
    if STRONG.contains(&word) || led {
        return !says_kind;
    }
    match (place, bare.get(place + 1)) {
        (0, Some(_)) => !says_kind,
        (0, None) => kind != TextOrigin::Menu && !(kind == TextOrigin::Name && NAMES.contains(&word)),
        // The last word of an id names what it does, that of a name ("Weekly report") need not.
        _ => kind == TextOrigin::Id && place + 1 == bare.len() && words.len() != bare.len(),
    }
}

/// Whether a word says what has been done: "Recently deleted", "Removed items".
pub(super) fn is_done(word: &str) -> bool {
    word.ends_with("ed")
}

/// The words of a text in lower case: parted at what is not a letter, and at the humps of camel case.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for c in text.chars() {
        let hump = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        if (!c.is_alphabetic() || hump) && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deeds(text: &str, kind: TextOrigin) -> Vec<String> {
        let words = words(text, kind);
        (0..words.len())
            .filter(|at| is_deed(&words, *at, kind))
            .filter_map(|at| words.get(at).cloned())
            .collect()
    }

    #[test]
    fn a_word_counts_where_it_is_something_to_do_and_an_id_says_it_too() {
        for (text, word) in [
            ("Order now", "order"),
            ("Report user", "report"),
            ("Format disk", "format"),
            ("Call", "call"),
            ("Share", "share"),
            ("Reset", "reset"),
            ("CHECKOUT", "checkout"),
            ("Delete order.csv", "delete"),
            ("Place delete", "delete"),
        ] {
            assert!(deeds(text, TextOrigin::Name).contains(&word.to_owned()), "{text}");
        }
        for (text, word) in [
            ("Weekly report", "report"),
            ("Order history", "order"),
            ("order.csv", "order"),
            ("my order.csv (2)", "order"),
            ("Format", "format"),
            ("Clock dial", "dial"),
            ("Call log", "call"),
            ("Blog post", "post"),
        ] {
            assert!(!deeds(text, TextOrigin::Name).contains(&word.to_owned()), "{text}");
        }
        assert!(deeds("Share", TextOrigin::Menu).is_empty() && !deeds("Delete", TextOrigin::Menu).is_empty());
        for (id, word) in
            [("btn_call", "call"), ("share_button", "share"), ("fabReply", "reply"), ("report", "report")]
        {
            assert!(deeds(id, TextOrigin::Id).contains(&word.to_owned()), "{id}");
        }
        for (id, word) in
            [("order_row", "order"), ("weekly_report_title", "report"), ("call_log_tab", "call")]
        {
            assert!(!deeds(id, TextOrigin::Id).contains(&word.to_owned()), "{id}");
        }
    }
}
