//! From words that were read to a name.

#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Its text: untrusted, from the screen.
    pub text: String,
    /// How sure the reader is of it, 0 to 100.
    pub sure: f32,
}

/// How sure a word is that stands in a name.
const SURE: f32 = 60.0;
const BESIDE: f32 = 30.0;
/// How sure a name of one character is: a sign or a drawing is often read as one.
const SINGLE: f32 = 80.0;

/// The name that these words make; empty where none is sure. Signs at its ends may be drawings, and are left out.
pub(crate) fn name(words: &[Word]) -> String {
    let has_letters = |word: &Word| word.text.chars().any(char::is_alphanumeric);
    let is_sure = |word: &Word| word.sure >= SURE && has_letters(word);
    let (Some(first), Some(last)) = (words.iter().position(is_sure), words.iter().rposition(is_sure)) else {
        return String::new();
    };
    let within = words[first..=last].iter().filter(|word| word.sure >= BESIDE);
    let texts: Vec<&str> = within.map(|word| word.text.as_str()).filter(|text| !text.is_empty()).collect();
    let name = texts.join(" ");
    let single = name.chars().filter(|c| c.is_alphanumeric()).count() < 2;
    if single && words[first].sure < SINGLE { String::new() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(words: &[(&str, f32)]) -> String {
        let word = |(text, sure): &(&str, f32)| Word { text: (*text).to_owned(), sure: *sure };
        name(&words.iter().map(word).collect::<Vec<_>>())
    }

    #[test]
    fn sure_words_make_a_name_and_drawings_beside_them_none() {
        assert_eq!(named(&[("Save", 95.0), ("As…", 88.0)]), "Save As…");
        assert_eq!(named(&[("©)", 91.0), ("Desktop", 96.0)]), "Desktop");
        assert_eq!(named(&[("Edit", 96.0), ("|", 40.0), ("View", 96.0)]), "Edit | View");
        assert_eq!(named(&[("fe", 22.0)]), "");
        assert_eq!(named(&[("7", 93.0)]), "7");
        assert_eq!(named(&[("C", 61.0)]), "");
        assert_eq!(named(&[("—", 99.0), ("", 99.0)]), "");
        assert_eq!(named(&[]), "");
    }
}
