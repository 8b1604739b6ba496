//! How many tokens a text has at the most, without a tokenizer.
//!
//! Invariant: for text that screens show the count is not below that of o200k, the tokenizer by which the results are
//! measured; a test compares the two.

/// Letters in a row that are taken for a word.
const WORD: usize = 10;

pub fn at_most(text: &str) -> usize {
    let mut halves = 0_usize;
    let (mut before, mut letters) = (' ', 0);
    for c in text.chars() {
        letters = if c.is_ascii_lowercase() { letters + 1 } else { 0 };
        halves += match c {
            // A blank goes with the word behind it.
            ' ' if before != ' ' => 0,
            // What is longer may be no word.
            'a'..='z' if letters <= WORD => 1,
            'A'..='Z' if before.is_ascii_uppercase() => 1,
            '\u{0}'..='\u{7f}' => 2,
            '\u{80}'..='\u{24f}' | '\u{370}'..='\u{6ff}' => 2,
            '\u{250}'..='\u{ffff}' => 4,
            _ => 8,
        };
        before = c;
    }
    halves.div_ceil(2)
}

/// As many lines of `lines` as fit into `budget` tokens, and how many are left out. A line that alone is longer than a
/// third of the budget is cut.
pub fn fitting(lines: &[String], budget: usize) -> (Vec<String>, usize) {
    let mut kept = Vec::new();
    let mut left = budget;
    for (at, line) in lines.iter().enumerate() {
        let line = cut(line, budget / 3);
        let cost = at_most(&line) + 1;
        if cost > left {
            return (kept, lines.len() - at);
        }
        left -= cost;
        kept.push(line);
    }
    (kept, 0)
}

pub fn cut(text: &str, budget: usize) -> String {
    if at_most(text) <= budget {
        return text.to_owned();
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fits = ends.partition_point(|end| at_most(text.get(..*end).unwrap_or_default()) < budget);
    let end = fits.checked_sub(1).and_then(|at| ends.get(at)).copied().unwrap_or_default();
    format!("{}…", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_has_more_tokens_than_it_is_said_to() {
        let o200k = tiktoken_rs::o200k_base().unwrap();
        let mut texts: Vec<String> = [
            "12 button \"Save changes\" (focused)\n~ 3 textbox \"E-mail\" value=\"ada@example.org\"",
            "gone: 1 to 4, 9, 12 to 100\nhttp://127.0.0.1:40113/a/b?q=1&r=%20x#frag",
            "Größe ändern · Überweisung bestätigen — Straße",
            "设置 语言 和 输入法，重新启动计算机。",
            "設定を変更しますか？ はい いいえ キャンセル",
            "Настройки сохранены успешно",
            "الإعدادات العامة للنظام",
            "हिन्दी में खोजें और सहेजें",
            "한국어 설정을 저장했습니다",
            "👩\u{200d}🚀 🎉🎉 😀",
            "2026-11-23 14:05:09,123 €1.234,56",
            "$$##!!((**))__--==++",
            "UPPER CASE HEADLINE OF A PAGE",
            "mixedCaseIdentifiersLikeThisOne snake_case_ones",
        ]
        .map(str::to_owned)
        .to_vec();
        // Letters and signs without any sense.
        let mut state = 1_u32;
        let mut chance = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        for alphabet in ["abcdefghijklmnopqrstuvwxyz", "aB3 -_./\"[]", "0123456789", "äöüßéèñ ", "日本語設定"]
        {
            let letters: Vec<char> = alphabet.chars().collect();
            let n = u32::try_from(letters.len()).unwrap();
            texts.push((0..300).map(|_| letters[chance(n) as usize]).collect());
        }
        for text in texts {
            let real = o200k.encode_ordinary(&text).len();
            assert!(at_most(&text) >= real, "{} said, {real} real: {text}", at_most(&text));
        }
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let lines: Vec<String> = (0..50).map(|n| format!("{n} button \"Number {n}\"")).collect();
        let (kept, left_out) = fitting(&lines, 100);
        assert!(!kept.is_empty() && kept.len() + left_out == 50, "{kept:?}");
        assert!(at_most(&kept.join("\n")) <= 100);
        let long = "word ".repeat(500);
        let (kept, left_out) = fitting(&[long], 60);
        assert_eq!((kept.len(), left_out), (1, 0));
        assert!(kept[0].ends_with('…') && at_most(&kept[0]) <= 22, "{}", kept[0]);
        assert_eq!(cut("short", 60), "short");
        assert_eq!(cut("", 0), "");
    }
}
