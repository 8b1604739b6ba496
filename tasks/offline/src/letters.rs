//! Which option a reply names.
//!
//! `upstream` is `parser_answers_into_option` of the benchmark's `utils/misc.py`: six patterns one after the other, the
//! first that is found counts. Python's patterns are written anew for a library whose classes differ: a word character
//! is a letter, a number or `_`, and marks are none; blanks include the four separators U+001C to U+001F.

use std::sync::LazyLock;

use fancy_regex::Regex;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LetterRule {
    /// As the benchmark reads them, its defects included: "Based on the picture, C" is B, "final answer: D" is F.
    #[default]
    Upstream,
    /// By what the reply ends with or says to be its answer; a letter that begins a word is none.
    Careful,
}

waldo_devices::named!(LetterRule { Upstream = "upstream", Careful = "careful" });

/// Compiles patterns in which `W` in `<W>` is a word character and `<S>` a blank, as Python has them.
fn compiled(patterns: &[&str]) -> Vec<Regex> {
    let text = |pattern: &&str| {
        let pattern = pattern
            .replace("<W>", r"[\p{L}\p{N}_]")
            .replace("<S>", r"[\s\x1c-\x1f]")
            .replace("<|", r"(?<![\p{L}\p{N}_])")
            .replace("|>", r"(?![\p{L}\p{N}_])");
        format!("(?im){pattern}")
    };
    patterns.iter().filter_map(|pattern| Regex::new(&text(pattern)).ok()).collect()
}

static UPSTREAM: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"<|([A-F])[\.:](?!<W>)",
        r"<|Option<S>+([A-F])|>",
        r"<|Answer<S>*[:：]?<S>*([A-F])|>",
        r"^[ \t]*([A-F])[\.:]?",
        r#"['"]([A-F])['"]"#,
        r"<|([A-F])|>(?!<S>+<W>)",
    ])
});

/// The last of each counts: reasoning comes before an answer.
static CAREFUL: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"\\boxed\{<S>*([A-Z])<S>*\}",
        r"<answer><S>*\(?([A-Z])\)?[\.:]?<S>*</answer>",
        r"<|(?:answer|choice|option|选项|答案)<S>*(?:is|would<S>+be|:|：|=|-|为|是)*<S>*[\*_`'\x22\(\[\{]*([A-Z])|>(?!<S>+<W>)",
        r"^<S>*[\*_`'\x22\(\[\{]*([A-Z])[\*_`'\x22\)\]\}]*<S>*(?:[\.:：\)]|$)",
        r"<|([A-Z])|>(?!<S>+<W>)",
    ])
});

/// The option that a reply names, upper case; `None` where it names none.
pub fn read_letter(rule: LetterRule, reply: &str) -> Option<char> {
    match rule {
        LetterRule::Upstream => UPSTREAM.iter().find_map(|pattern| letters(pattern, reply).next()),
        LetterRule::Careful => {
            let said = reply.rsplit_once("</think>").map_or(reply, |(_, rest)| rest);
            CAREFUL.iter().find_map(|pattern| letters(pattern, said).last())
        }
    }
}

fn letters<'t>(pattern: &'t Regex, text: &'t str) -> impl Iterator<Item = char> + 't {
    let found = pattern.captures_iter(text).filter_map(Result::ok);
    let letters = found.filter_map(|found| found.get(1)?.as_str().chars().next());
    letters.map(|letter| letter.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_one() {
        assert_eq!((UPSTREAM.len(), CAREFUL.len()), (6, 5));
    }

    #[test]
    fn careful_reading_takes_the_answer_and_not_the_beginning_of_a_word() {
        for (reply, letter) in [
            ("C", "C"),
            ("c", "C"),
            ("(C)", "C"),
            ("**B**", "B"),
            ("B. The second one", "B"),
            ("Answer: D", "D"),
            ("Based on the screenshot, the answer is C", "C"),
            ("A good guess would be D", "D"),
            ("Final: D)", "D"),
            ("final answer: **E**", "E"),
            ("Explanation...\n\nB", "B"),
            ("Thought: Option A opens a menu.\nAction: B", "B"),
            ("<think>A or B? A.</think>\nB", "B"),
            ("\\boxed{B}", "B"),
            ("<answer> D </answer>", "D"),
            ("Ask again later", ""),
            ("None of these", ""),
            ("", ""),
        ] {
            assert_eq!(read_letter(LetterRule::Careful, reply), letter.chars().next(), "{reply:?}");
        }
    }
}
