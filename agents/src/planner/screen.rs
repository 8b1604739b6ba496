//! The screen in words, as the planner is sent it, and what changed since the turn before.

use std::collections::{HashMap, HashSet};

use waldo_devices::labels::{ListLine, WORDLESS, cells_without_numbers, is_wordless, parse_list_line};
use waldo_prompts::appagent::{ScreenPrompt, place_line};

use super::stuck::ScreenFingerprint;
use crate::agent::{Turn, View};
use crate::appagent::{screen as screen_of, seen_after};

/// Before a line that was not there a turn ago.
pub(crate) const NEW: &str = "+ ";
/// Between a list whose options were told before, and the list where they were.
pub(crate) const SAME_OPTIONS: &str = " options: the same as of ";
/// Characters of what is gone that are said.
const GONE: usize = 160;

/// How much of the screen's text goes along with its picture. Without a picture all of it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScreenText {
    #[default]
    Elements,
    Place,
    None,
}

/// What a request shows of the screen, for the turn after it.
pub(super) struct Seen {
    pub(super) shown: Shown,
    pub(super) screen: ScreenFingerprint,
}

/// What of a screen's text a planner was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    at: String,
    /// Title, windows, tabs: what tells one place from another without the list.
    place: Vec<String>,
    lines: Vec<String>,
}

impl Shown {
    pub(super) fn tells_from(&self, before: &Self) -> bool {
        !self.lines.is_empty() && self != before
    }

    /// The list with marks at what was not in that of before, or not there, and what is gone since.
    fn since(&self, before: &Self) -> String {
        let (kept, kept_before) = in_common(&before.lines, &self.lines);
        let marked = self.lines.iter().zip(&kept);
        let mut out: Vec<String> =
            marked.map(|(line, kept)| if *kept { line.clone() } else { format!("{NEW}{line}") }).collect();
        let named: HashSet<_> = self.lines.iter().filter_map(|line| name_of(line)).collect();
        let all: HashSet<&String> = self.lines.iter().collect();
        // What is elsewhere, or there with another value or state, is not gone.
        let is_gone = |line: &&String| {
            let there = all.contains(line) || name_of(line).is_some_and(|name| named.contains(&name));
            !there && !line.starts_with('(')
        };
        let lost = before.lines.iter().zip(&kept_before).filter(|(_, kept)| !**kept).map(|(line, _)| line);
        let gone: Vec<&str> = lost.filter(is_gone).map(|line| bare(line)).collect();
        out.extend(gone_line(&gone));
        out.join("\n")
    }
}

/// Which lines of two lists are the same, in order: of the second, and of the first.
fn in_common(before: &[String], now: &[String]) -> (Vec<bool>, Vec<bool>) {
    let ends =
        |pairs: &mut dyn Iterator<Item = (&String, &String)>| pairs.take_while(|(a, b)| a == b).count();
    let head = ends(&mut before.iter().zip(now));
    let tail = ends(&mut before[head..].iter().rev().zip(now[head..].iter().rev()));
    let (old, new) = (&before[head..before.len() - tail], &now[head..now.len() - tail]);
    let (middle, middle_before) = common_within(old, new);
    let around = |middle: Vec<bool>| [vec![true; head], middle, vec![true; tail]].concat();
    (around(middle), around(middle_before))
}

/// The same of lists that begin and end differently.
fn common_within(before: &[String], now: &[String]) -> (Vec<bool>, Vec<bool>) {
    let (n, m) = (before.len(), now.len());
    // How many of the lines from (i, j) on are the same.
    let mut same = vec![vec![0u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            same[i][j] =
                if before[i] == now[j] { same[i + 1][j + 1] + 1 } else { same[i + 1][j].max(same[i][j + 1]) };
        }
    }
    let (mut kept_before, mut kept) = (vec![false; n], vec![false; m]);
    let (mut i, mut j) = (0, 0);
    while i < n && j < m {
        if before[i] == now[j] {
            (kept_before[i], kept[j]) = (true, true);
            (i, j) = (i + 1, j + 1);
        } else if same[i + 1][j] >= same[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    (kept, kept_before)
}

/// The screen in words, without numbers: the planner points at nothing. At the address of a turn ago what is new is
/// marked, and what is gone is named.
pub(super) fn in_words(
    turn: &Turn<'_>,
    wanted: ScreenText,
    before: Option<&Shown>,
) -> (Option<ScreenPrompt>, Shown) {
    let view = turn.view;
    let printed = seen_after(turn.note);
    let mut screen = screen_of(view);
    let context = &view.observation.context;
    // The same address on another of several screens is another place.
    let front = context.screens.iter().find(|screen| screen.front).map_or("", |screen| screen.name.as_str());
    let at = format!("{front} {}", context.location);
    match wanted {
        _ if view.observation.picture.is_empty() => {}
        ScreenText::Elements => {}
        ScreenText::Place => {
            screen.elements = String::new();
            screen.left_out = 0;
        }
        ScreenText::None => {
            let screen =
                printed.map(|line| ScreenPrompt { place: vec![line], elements: String::new(), left_out: 0 });
            return (screen, Shown { at, ..Shown::default() });
        }
    }
    // The numbers are those that switch_window takes.
    for (n, window) in (1..).zip(&view.observation.context.windows) {
        let state = match (window.focused, window.minimised) {
            (true, _) => " (has the keyboard)",
            (_, true) => " (minimised)",
            _ => "",
        };
        let name = format!("{} | {}", window.title, window.program);
        screen.place.push(place_line(&format!("window {n}{state}"), &name));
    }
    let place = screen.place.clone();
    screen.place.extend(printed);
    let list = without_numbers(&screen.elements, wordless(view));
    let now = Shown { at, place, lines: list.lines().map(str::to_owned).collect() };
    screen.elements = before.filter(|before| before.at == now.at).map_or(list, |before| now.since(before));
    (Some(screen), now)
}

/// How many things were found in the picture and have no words: their numbers would say nothing here.
fn wordless(view: &View) -> usize {
    let tagged =
        view.tagged.iter().filter(|t| view.observation.elements.get(t.element).is_some_and(is_wordless));
    tagged.count()
}

/// The list without numbers, and so without what it says by numbers; how many lines were left out is said.
fn without_numbers(list: &str, wordless: usize) -> String {
    let mut options = HashMap::new();
    let mut lines = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with(WORDLESS)) {
        let Some(mut read) = parse_list_line(line) else {
            lines.push(cells_without_numbers(line).unwrap_or_else(|| line.to_owned()));
            continue;
        };
        if let Some(same) = read.same_options.take() {
            let (first, known): &(String, Vec<String>) = match options.get(&same) {
                Some(first) => first,
                None => &Default::default(),
            };
            // Said once; a list without a name cannot be referred to here.
            if first.is_empty() {
                read.options.clone_from(known);
                lines.push(unnumbered(&read.to_string()));
            } else {
                lines.push(format!("{}{SAME_OPTIONS}{first}", unnumbered(&read.to_string())));
            }
            continue;
        }
        if let Some(tag) = read.tag.filter(|_| !read.options.is_empty()) {
            let bare = ListLine { role: read.role, name: read.name, ..ListLine::default() };
            let name = if bare.name.is_empty() { String::new() } else { bare.to_string() };
            let name = name.strip_prefix("- ").unwrap_or_default().to_owned();
            options.insert(tag, (name, read.options));
        }
        lines.push(unnumbered(line));
    }
    if wordless > 0 {
        lines.push(format!("({wordless} more without words, found in the picture alone)"));
    }
    lines.join("\n")
}

/// A line of the list without its number: `*` for what can be acted on, `-` for what informs.
fn unnumbered(line: &str) -> String {
    match line.split_once(' ') {
        Some((number, rest)) if number != "-" => format!("* {rest}"),
        _ => line.to_owned(),
    }
}

fn gone_line(gone: &[&str]) -> Option<String> {
    let (mut words, mut count) = (String::new(), 0);
    for line in gone {
        if !words.is_empty() && words.len() + line.len() > GONE {
            break;
        }
        if !words.is_empty() {
            words.push_str("; ");
        }
        words.extend(line.chars().take(GONE));
        count += 1;
    }
    let more = match gone.len() - count {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Some(format!("(gone: {words}{more})")).filter(|_| !gone.is_empty())
}

/// A line without the sign before it.
fn bare(line: &str) -> &str {
    line.strip_prefix("* ").or_else(|| line.strip_prefix("- ")).unwrap_or(line)
}

fn name_of(line: &str) -> Option<(String, String)> {
    let read = parse_list_line(&format!("1 {}", line.strip_prefix("* ")?))?;
    Some((read.role, read.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[&str]) -> Shown {
        Shown { lines: lines.iter().map(|line| (*line).to_owned()).collect(), ..Shown::default() }
    }

    #[test]
    fn what_is_new_moved_or_gone_is_told() {
        let before = shown(&[
            "* region \"To do\"",
            "* listitem \"A\"",
            "\"2 cards\"",
            "* region \"Done\"",
            "* textbox \"Name\"",
        ]);
        let after = shown(&[
            "* region \"To do\"",
            "* region \"Done\"",
            "* listitem \"A\"",
            "* textbox \"Name\" value=\"Ada\"",
        ]);
        assert_eq!(
            after.since(&before),
            "* region \"To do\"\n* region \"Done\"\n+ * listitem \"A\"\n+ * textbox \"Name\" value=\"Ada\"\n(gone: \"2 cards\")"
        );
        assert_eq!(before.since(&before), before.lines.join("\n"));
        assert!(after.tells_from(&before) && !before.tells_from(&before) && !shown(&[]).tells_from(&before));
        let many: Vec<String> = (0..60).map(|n| format!("\"line {n}\"")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let told = shown(&[]).since(&shown(&many));
        assert!(told.len() < 2 * GONE && told.contains("\"line 3\"") && told.ends_with(" more)"), "{told}");
    }

    #[test]
    fn a_list_has_no_numbers_and_counts_what_has_no_words() {
        let list = "\"44 rows\"\n1 combobox \"A\" value=\"=\" options: = | != | >\n2 combobox \"B\" options: same as 1\n- text \"x\"";
        assert_eq!(
            without_numbers(list, 0),
            "\"44 rows\"\n* combobox \"A\" value=\"=\" options: = | != | >\n* combobox \"B\" options: the same as of combobox \"A\"\n- text \"x\""
        );
        let nameless = "1 combobox options: a | b\n2 combobox options: same as 1";
        assert_eq!(without_numbers(nameless, 0), "* combobox options: a | b\n* combobox options: a | b");
        assert_eq!(
            without_numbers("2 button \"Save\"\n(found in the picture, without words: 1, 3)", 2),
            "* button \"Save\"\n(2 more without words, found in the picture alone)"
        );
    }

    #[test]
    fn only_what_the_picture_told_may_have_no_words() {
        use crate::appagent::testing::{elements, observation};
        use waldo_devices::{LabelStyle, Picture};
        let mut all = elements();
        for element in &mut all {
            element.name.clear();
            element.value = None;
        }
        all[0].source = waldo_devices::Source::Picture;
        let view = View::new(observation(all, Picture::empty()), LabelStyle::default()).unwrap();
        assert_eq!(wordless(&view), 1);
        assert!(view.list.ends_with("(found in the picture, without words: button 1)"), "{}", view.list);
    }
}
