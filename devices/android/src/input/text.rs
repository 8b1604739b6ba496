//! Typing with `input text`, whose only escape is `%s` for a blank.

use super::quote;

/// The longest run of characters in one call: slow fields lose some of longer ones.
const RUN: usize = 16;
/// Calls that one shell command joins.
const CALLS: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypedPart {
    Text(String),
    Enter,
    Tab,
}

/// Splits a text at its line breaks and tabs; other control characters cannot be typed and are left out.
pub(crate) fn pieces(text: &str) -> Vec<TypedPart> {
    let mut all = Vec::new();
    let mut run = String::new();
    for c in text.replace("\r\n", "\n").chars() {
        let key = match c {
            '\n' | '\r' => TypedPart::Enter,
            '\t' => TypedPart::Tab,
            c if c.is_control() => continue,
            c => {
                run.push(c);
                continue;
            }
        };
        if !run.is_empty() {
            all.push(TypedPart::Text(std::mem::take(&mut run)));
        }
        all.push(key);
    }
    if !run.is_empty() {
        all.push(TypedPart::Text(run));
    }
    all
}

pub(crate) fn needs_keyboard(text: &str) -> bool {
    !text.is_ascii()
}

/// Shell commands that type an ASCII text, in order. `input` is the command with its display option.
pub(crate) fn type_commands(input: &str, text: &str) -> Vec<String> {
    let calls: Vec<String> = runs(text).iter().map(|run| format!("{input} text {}", quote(run))).collect();
    calls.chunks(CALLS).map(|calls| calls.join(" && ")).collect()
}

/// Runs that end after a word or before they get long, blanks written as `%s`. A per cent sign that the
/// text itself has before an `s` ends its run: within one call the two would become a blank.
fn runs(text: &str) -> Vec<String> {
    let mut runs = Vec::new();
    let mut run = String::new();
    let (mut length, mut last) = (0, ' ');
    for c in text.chars() {
        let splits =
            (last == '%' && c == 's') || length >= RUN || (last == ' ' && c != ' ' && length > RUN / 2);
        if splits && !run.is_empty() {
            runs.push(std::mem::take(&mut run));
            length = 0;
        }
        match c {
            ' ' => run.push_str("%s"),
            c => run.push(c),
        }
        length += 1;
        last = c;
    }
    if !run.is_empty() {
        runs.push(run);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What Android's `input text` makes of its argument, after its source.
    fn android(arg: &str) -> String {
        let mut out: Vec<char> = arg.chars().collect();
        let (mut escape, mut i) = (false, 0);
        while i < out.len() {
            if escape {
                escape = false;
                if out[i] == 's' {
                    out[i] = ' ';
                    i -= 1;
                    out.remove(i);
                }
            }
            if out[i] == '%' {
                escape = true;
            }
            i += 1;
        }
        out.into_iter().collect()
    }

    #[test]
    fn what_input_reads_otherwise_is_written_otherwise() {
        for text in ["100%sure", "%s", "%%s", "a % s", "% ", "%ss%s s%", "plain words here and more of them"]
        {
            let typed: String = runs(text).iter().map(|run| android(run)).collect();
            assert_eq!(typed, text);
        }
        let seen = pieces("ab\r\nc\td\n\u{7}");
        let text = |t: &str| TypedPart::Text(t.to_owned());
        assert_eq!(
            seen,
            [text("ab"), TypedPart::Enter, text("c"), TypedPart::Tab, text("d"), TypedPart::Enter]
        );
        assert!(pieces("").is_empty());
    }

    proptest! {
        #[test]
        fn any_ascii_arrives(text in "[ -~]{0,80}") {
            let runs = runs(&text);
            prop_assert_eq!(runs.iter().map(|run| android(run)).collect::<String>(), text);
            prop_assert!(runs.iter().all(|run| run.len() <= RUN * 2));
        }
    }
}
