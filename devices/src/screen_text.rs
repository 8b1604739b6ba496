//! Text that was read off a screen: hostile until shown to be harmless.

/// Text from the screen without control and direction characters, white space as single blanks, cut.
pub fn clean(text: &str, max: usize) -> String {
    let mut out = String::new();
    let (mut count, mut gap) = (0, false);
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = count > 0;
            continue;
        }
        let hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        // A joiner holds emoji together; the rest only deceives.
        if hidden && c != '\u{200d}' {
            continue;
        }
        if gap {
            out.push(' ');
            count += 1;
            gap = false;
        }
        if count + 1 >= max {
            out.push('…');
            break;
        }
        out.push(c);
        count += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_cleaned_and_cut() {
        assert_eq!(clean("a\u{202e}b\nc\t \u{0}d\u{200b}", 50), "ab c d");
        assert_eq!(clean(&"x".repeat(300), 200).chars().count(), 200);
        assert_eq!(clean("👩\u{200d}🚀", 10), "👩\u{200d}🚀");
    }
}
