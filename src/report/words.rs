//! Numbers, actions and names in words.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use waldo_devices::Action;
use waldo_tasks::record::Unreadable;

/// What looking back on an action came to, as a paragraph behind the thought.
pub fn reflected(reflected: &waldo_tasks::explore::Reflected) -> String {
    let mut out = format!("\n\nLooking back: {}", reflected.verdict.name());
    if reflected.free {
        out.push_str(" (no model asked)");
    }
    if let Some(thought) = &reflected.thought {
        let _ = write!(out, ". {thought}");
    }
    if let Some(doc) = &reflected.documented {
        let how = if doc.refined { "Refined" } else { "Documented" };
        let _ = write!(out, "\n{how} {} ({}): {}", doc.key, doc.slot, doc.text);
    }
    out
}

/// Agent and model of a contestant whose name does not tell them, and what its figures do not hold.
pub fn described(contestant: &waldo_tasks::Contestant) -> Option<String> {
    let waldo_tasks::Contestant { name, agent, model } = contestant;
    let told = waldo_tasks::Contestant::new(agent, model.as_deref()).name == *name;
    let with = model.as_deref().map(|model| format!(" with {model}")).unwrap_or_default();
    let own_hands =
        contestant.has_own_hands().then(|| "own hands: steps by scripts are not counted".to_owned());
    let all: Vec<String> = (!told).then(|| format!("{agent}{with}")).into_iter().chain(own_hands).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// What stands where there is nothing to count.
pub const NONE: &str = "\u{2013}";

/// A figure of `n` episodes: of none there is none.
pub fn of(n: usize, figure: impl FnOnce() -> String) -> String {
    if n == 0 { NONE.to_owned() } else { figure() }
}

/// Replies that could not be used by what they were: `2 cut off, 1 refused`.
pub fn kinds_of(kinds: &Unreadable) -> String {
    let told = kinds.kinds().into_iter().map(|(count, what)| format!("{count} {what}"));
    told.collect::<Vec<_>>().join(", ")
}

/// How many replies could not be used, and what they were.
pub fn rejects(count: u64, kinds: &Unreadable) -> String {
    if kinds.is_empty() { count.to_string() } else { format!("{count} ({})", kinds_of(kinds)) }
}

pub fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

pub fn percents((low, high): (f64, f64)) -> String {
    format!("{} to {}", percent(low), percent(high))
}

pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// US dollars: cents from a dollar on, four decimals below.
pub fn dollars(amount: f64) -> String {
    if amount >= 1.0 || amount == 0.0 { format!("${amount:.2}") } else { format!("${amount:.4}") }
}

pub fn seconds(s: f64) -> String {
    if s >= 60.0 {
        format!("{} min {:02.0} s", (s / 60.0).floor(), (s % 60.0).floor())
    } else {
        format!("{s:.1} s")
    }
}

/// Text as one segment of an address: everything but letters, digits and `-._~+` is escaped.
pub fn segment(text: &str) -> String {
    const ESCAPED: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'+');
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Text with the characters that mean something in XML and HTML escaped, and those that XML cannot hold
/// replaced.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\r' => out.push_str("&#13;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

pub fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The points of an action on the screen, for drawing: one for a tap, the way of a drag.
pub fn points(action: &Action) -> Vec<[f64; 2]> {
    action.target().points.iter().map(|p| [p.x.round(), p.y.round()]).collect()
}

#[cfg(test)]
mod tests {
    use waldo_devices::{Button, Clicks, Point};

    use super::*;

    #[test]
    fn numbers_read_well_and_an_action_is_told_with_its_place() {
        assert_eq!((percent(0.625), percent(1.0)), ("62.5".into(), "100.0".into()));
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            (dollars(0.0), dollars(0.01234), dollars(12.3)),
            ("$0.00".into(), "$0.0123".into(), "$12.30".into())
        );
        assert_eq!((seconds(3.21), seconds(125.9)), ("3.2 s".into(), "2 min 05 s".into()));
        let tap = Action::Tap { at: Point::new(3.4, 9.6), clicks: Clicks::Double, button: Button::Left };
        assert_eq!(tap.describe(), "double tap at (3, 10)");
        assert_eq!(points(&tap), [[3.0, 10.0]]);
        let scroll =
            Action::scroll(Point::new(1.0, 2.0), waldo_devices::ScrollNotches { right: 0, down: -3 });
        assert_eq!(scroll.describe(), "scroll up 3 at (1, 2)");
    }

    #[test]
    fn nothing_escapes_its_quotes() {
        assert_eq!(xml("<a b=\"c\">&'\u{0}"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;\u{fffd}");
        assert_eq!(segment("a/b c+é"), "a%2Fb%20c+%C3%A9");
        assert_eq!(cut("äöü", 2), "äö…");
    }
}
