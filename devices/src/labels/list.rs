//! The text list: one line an element, written and read back.
//!
//! The grammar of a line, in which every separator is exactly as shown:
//!
//! ```text
//! list    = *( ( line | text ) LF ) [ "(" number " more texts)" LF ] [ cells LF ] [ drawn ]
//! cells   = "(cells with no value known: " runs of addresses with their numbers ")"       see `cells`
//! drawn   = "(found in the picture, without words: " runs ")"   elements that a line would say nothing of
//! runs    = run *( ", " run )                       run = role " " number [ " to " number ]
//! text    = quoted                                   what can be read between the elements, a line for each row
//! line    = ( number | "-" ) " " role [ " " quoted ] [ states ] [ value ] [ options ]
//! role    = 1*( letter | digit | "-" | "_" )        other characters become "-"
//! states  = " (" word *( ", " word ) ")"            word = 1*( a-z )
//! value   = " value=" quoted
//! options = " options: " ( "same as " number | option *( " | " option ) )
//! option  = bare | quoted                           bare: no | " \ or control, no space at an end, no "same as "
//! quoted  = DQUOTE *char DQUOTE                     escapes: \" \\ \n \r \t \u{hex}
//! ```
//!
//! The first quoted text is the name, left out when empty. `-` stands for "cannot be used now": such a
//! line informs and is not a target. State words, in this order: `focused disabled readonly required
//! invalid checked unchecked selected expanded collapsed editable draggable upload droppable hoverable scrollable`;
//! `editable` is left out where the role says it. Names are cut to [`MAX_NAME_CHARS`], values to
//! [`MAX_VALUE_CHARS`] (of several lines to [`MAX_LINES_CHARS`]), options to [`MAX_OPTION_CHARS`] characters; a
//! cut text ends in `…`. Texts end at [`MAX_TEXTS_CHARS`] altogether; how many were left out is said.
//!
//! Invariants: names come from hostile screens, yet an element never takes more than its one line and
//! no text can pose as another field; [`parse_list_line`] gives back exactly what was written.

use std::collections::HashMap;
use std::fmt::{self, Write as _};

use super::cells;
use super::select::is_visible;
use super::{Tag, Tagged};
use crate::element::{Affordance, Element, Source};
use crate::observation::StaticText;

pub const MAX_NAME_CHARS: usize = 200;
pub const MAX_VALUE_CHARS: usize = 200;
/// Longest value of several lines, in characters.
pub const MAX_LINES_CHARS: usize = 1_000;
/// Longest text between elements, in characters.
pub(crate) const MAX_TEXT_CHARS: usize = 300;
/// The longest that all texts of a list may be together, in characters.
pub const MAX_TEXTS_CHARS: usize = 4_000;
pub const MAX_OPTION_CHARS: usize = 60;

/// How the line begins that names what was found in the picture and has no words.
pub const WORDLESS: &str = "(found in the picture, without words: ";

/// How options begin that another line has too; its number follows.
const SAME_AS: &str = "same as ";

/// Roles that say by themselves that they take text.
const TEXT_ROLES: [&str; 4] = ["textbox", "searchbox", "combobox", "spinbutton"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListLine {
    /// The number; `None` for what is shown but cannot be used now.
    pub tag: Option<Tag>,
    pub role: String,
    /// The name: untrusted text; empty when there is none.
    pub name: String,
    pub value: Option<String>,
    pub states: Vec<String>,
    /// Names of the options: untrusted text.
    pub options: Vec<String>,
    pub same_options: Option<Tag>,
}

const FEW_OPTIONS: usize = 4;

impl ListLine {
    /// The line for an element, every field cut to its length.
    pub fn of(tag: Option<Tag>, element: &Element) -> Self {
        Self {
            tag,
            role: clean_role(element.role.as_str()),
            name: cut(&element.name, MAX_NAME_CHARS),
            value: element
                .value
                .as_deref()
                .map(|v| cut(v, if v.contains('\n') { MAX_LINES_CHARS } else { MAX_VALUE_CHARS })),
            states: state_words(element).into_iter().map(str::to_owned).collect(),
            options: element.options.iter().map(|o| cut(o, MAX_OPTION_CHARS)).collect(),
            same_options: None,
        }
    }

    pub fn is(&self, word: &str) -> bool {
        self.states.iter().any(|s| s == word)
    }
}

impl fmt::Display for ListLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tag {
            Some(Tag(n)) => write!(f, "{n}")?,
            None => f.write_char('-')?,
        }
        write!(f, " {}", clean_role(&self.role))?;
        if !self.name.is_empty() {
            f.write_char(' ')?;
            quote(f, &self.name)?;
        }
        if !self.states.is_empty() {
            write!(f, " ({})", self.states.join(", "))?;
        }
        if let Some(value) = &self.value {
            f.write_str(" value=")?;
            quote(f, value)?;
        }
        if let Some(Tag(n)) = self.same_options {
            return write!(f, " options: {SAME_AS}{n}");
        }
        for (i, option) in self.options.iter().enumerate() {
            f.write_str(if i == 0 { " options: " } else { " | " })?;
            if is_bare(option) { f.write_str(option)? } else { quote(f, option)? }
        }
        Ok(())
    }
}

/// The list of what is on the screen, one line an element, in document order.
///
/// It holds what is tagged, and without a number what is disabled or is mere text. Twins that
/// [`super::select`] left out and what fell to its cap are left out here too.
pub fn text_list(elements: &[Element], tagged: &[Tagged]) -> String {
    screen_list(elements, tagged, &[])
}

/// The same with the texts between the elements. Texts in one row share a line.
///
/// Options that an earlier numbered line has too are named by that line's number.
pub fn screen_list(elements: &[Element], tagged: &[Tagged], texts: &[StaticText]) -> String {
    let mut tags: Vec<Option<Tag>> = vec![None; elements.len()];
    for t in tagged {
        if let Some(slot) = tags.get_mut(t.element) {
            *slot = Some(t.tag);
        }
    }
    let mut out = String::new();
    let mut rows = Rows::default();
    let mut texts = texts.iter().peekable();
    let mut listed: HashMap<&[String], Tag> = HashMap::new();
    let mut wordless: Vec<(u32, String)> = Vec::new();
    let mut plain: Vec<(u32, &str)> = Vec::new();
    let many_cells = elements.iter().filter(|e| cells::is_plain_cell(e)).count() >= cells::FEW_CELLS;
    for (at, (element, tag)) in elements.iter().zip(tags).enumerate() {
        while let Some(text) = texts.next_if(|text| text.before <= at) {
            rows.add(text, &mut out);
        }
        if let Some(Tag(n)) = tag.filter(|_| is_wordless(element)) {
            wordless.push((n, clean_role(element.role.as_str())));
        } else if let Some(Tag(n)) = tag.filter(|_| many_cells && cells::is_plain_cell(element)) {
            plain.push((n, &element.name));
        } else if tag.is_some() || informs(element) {
            rows.end(&mut out);
            let mut line = ListLine::of(tag, element);
            if element.options.len() >= FEW_OPTIONS {
                match (listed.get(element.options.as_slice()), tag) {
                    (Some(first), _) => line.same_options = Some(*first),
                    (None, Some(tag)) => drop(listed.insert(&element.options, tag)),
                    (None, None) => {}
                }
            }
            if line.same_options.is_some() {
                line.options.clear();
            }
            push_line(&mut out, &line);
        }
    }
    for text in texts {
        rows.add(text, &mut out);
    }
    rows.end(&mut out);
    if rows.left_out > 0 {
        push_line(&mut out, &format_args!("({} more texts)", rows.left_out));
    }
    if !plain.is_empty() {
        push_line(&mut out, &cells::line(&plain));
    }
    if !wordless.is_empty() {
        push_line(&mut out, &format_args!("{WORDLESS}{})", runs(&wordless)));
    }
    out
}

fn push_line(out: &mut String, line: &dyn fmt::Display) {
    if !out.is_empty() {
        out.push('\n');
    }
    // Writing to a String cannot fail.
    let _ = write!(out, "{line}");
}

#[derive(Default)]
struct Rows<'a> {
    row: String,
    last: Option<&'a StaticText>,
    chars: usize,
    left_out: usize,
}

impl<'a> Rows<'a> {
    fn add(&mut self, text: &'a StaticText, out: &mut String) {
        let words = cut(&text.text, MAX_TEXT_CHARS);
        let chars = words.chars().count();
        if words.is_empty() {
            return;
        }
        // What comes after one that did not fit is left out too: the list ends in one place.
        if self.left_out > 0 || self.chars + chars > MAX_TEXTS_CHARS {
            self.left_out += 1;
            return;
        }
        self.chars += chars;
        if !self.last.is_some_and(|last| is_one_row(last, text)) {
            self.end(out);
        }
        if !self.row.is_empty() {
            self.row.push_str(" | ");
        }
        self.row.push_str(&words);
        self.last = Some(text);
    }

    fn end(&mut self, out: &mut String) {
        if !self.row.is_empty() {
            push_line(out, &Quoted(&self.row));
        }
        self.row.clear();
        self.last = None;
    }
}

/// Whether the second stands to the right of the first.
fn is_one_row(first: &StaticText, second: &StaticText) -> bool {
    let (a, b) = (first.bounds, second.bounds);
    let shared = (a.y + a.h).min(b.y + b.h) - a.y.max(b.y);
    b.x >= a.x && shared >= a.h.min(b.h) / 2.0 && a.h.max(b.h) <= 3.0 * a.h.min(b.h)
}

struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quote(f, self.0)
    }
}

/// Whether a line would say nothing of an element: it was found in the picture and has no words.
pub fn is_wordless(element: &Element) -> bool {
    element.source == Source::Picture && element.name.is_empty() && element.value.is_none()
}

/// Numbers with their roles as runs: `button 2 to 7, text 8, button 9`.
fn runs(found: &[(u32, String)]) -> String {
    let mut out = String::new();
    for run in found.chunk_by(|(a, role), (b, other)| a.checked_add(1) == Some(*b) && role == other) {
        let between = if out.is_empty() { "" } else { ", " };
        let _ = match run {
            [(first, role), .., (last, _)] => write!(out, "{between}{role} {first} to {last}"),
            _ => run.iter().try_for_each(|(n, role)| write!(out, "{between}{role} {n}")),
        };
    }
    out
}

fn parse_wordless(line: &str) -> Option<Vec<ListLine>> {
    let inner = line.trim().strip_prefix(WORDLESS)?.strip_suffix(')')?;
    let mut found = Vec::new();
    for run in inner.split(", ") {
        let (role, numbers) = run.split_once(' ')?;
        let (first, last) = numbers.split_once(" to ").unwrap_or((numbers, numbers));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        for n in first..=last.min(first.saturating_add(9_999)) {
            let role = role.to_owned();
            found.push(ListLine { tag: Some(Tag(n)), role, ..ListLine::default() });
        }
    }
    Some(found)
}

/// Reads all elements of a list back, in the order of their numbers; texts are left out.
pub fn parse_list(list: &str) -> Vec<ListLine> {
    let mut lines: Vec<ListLine> = list.lines().filter_map(parse_list_line).collect();
    let grouped = |line| parse_wordless(line).or_else(|| parse_cells(line));
    for found in list.lines().filter_map(grouped).flatten() {
        let at = lines.iter().position(|line| line.tag.is_some_and(|tag| Some(tag) > found.tag));
        lines.insert(at.unwrap_or(lines.len()), found);
    }
    lines
}

/// Whether an element without a number is worth a line.
fn informs(element: &Element) -> bool {
    let says_something = !element.name.is_empty() || element.value.is_some();
    says_something
        && is_visible(&element.bounds)
        && (element.states.disabled || element.affordances.is_empty())
}

/// Reads a line of the list back; `None` when it is not one. White space around it is ignored.
pub fn parse_list_line(line: &str) -> Option<ListLine> {
    let (number, rest) = line.trim().split_once(' ')?;
    let tag = match number {
        "-" => None,
        digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            Some(Tag(digits.parse().ok()?))
        }
        _ => return None,
    };
    let (role, mut rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
    if role.is_empty() || !role.chars().all(is_role_char) {
        return None;
    }
    let mut line = ListLine { tag, role: role.to_owned(), ..ListLine::default() };
    if let Some(text) = rest.strip_prefix(" \"") {
        (line.name, rest) = unquote(text)?;
    }
    if let Some(text) = rest.strip_prefix(" (") {
        let (words, after) = text.split_once(')')?;
        line.states = words.split(", ").map(str::to_owned).collect();
        if !line.states.iter().all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase())) {
            return None;
        }
        rest = after;
    }
    if let Some(text) = rest.strip_prefix(" value=\"") {
        let (value, after) = unquote(text)?;
        (line.value, rest) = (Some(value), after);
    }
    if let Some(text) = rest.strip_prefix(" options: ") {
        if let Some(number) = text.strip_prefix(SAME_AS) {
            line.same_options = Some(Tag(number.parse().ok()?));
            return Some(line);
        }
        (line.options, rest) = (parse_options(text)?, "");
    }
    rest.is_empty().then_some(line)
}

fn parse_options(mut text: &str) -> Option<Vec<String>> {
    let mut options = Vec::new();
    loop {
        let (option, rest) = match text.strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => {
                let (bare, rest) = text.split_at(text.find(" | ").unwrap_or(text.len()));
                if !is_bare(bare) {
                    return None;
                }
                (bare.to_owned(), rest)
            }
        };
        options.push(option);
        if rest.is_empty() {
            return Some(options);
        }
        text = rest.strip_prefix(" | ")?;
    }
}

fn state_words(element: &Element) -> Vec<&'static str> {
    let s = &element.states;
    let editable = element.can(Affordance::Edit) && !TEXT_ROLES.contains(&element.role.as_str());
    let words = [
        (s.focused, "focused"),
        (s.disabled, "disabled"),
        (s.readonly, "readonly"),
        (s.required, "required"),
        (s.invalid, "invalid"),
        (s.checked == Some(true), "checked"),
        (s.checked == Some(false), "unchecked"),
        (s.selected == Some(true), "selected"),
        (s.expanded == Some(true), "expanded"),
        (s.expanded == Some(false), "collapsed"),
        (editable, "editable"),
        (element.can(Affordance::Drag), "draggable"),
        (element.can(Affordance::Upload), "upload"),
        (element.can(Affordance::Drop), "droppable"),
        (element.can(Affordance::Hover), "hoverable"),
        (element.can(Affordance::Scroll), "scrollable"),
    ];
    words.into_iter().filter_map(|(holds, word)| holds.then_some(word)).collect()
}

fn is_role_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

fn clean_role(role: &str) -> String {
    if role.is_empty() {
        return "generic".to_owned();
    }
    role.chars().take(40).map(|c| if is_role_char(c) { c } else { '-' }).collect()
}

/// The text, cut to `max` characters of which the last is `…` when something was cut.
fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Characters that would break the line, or that a reader does not see.
fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn is_bare(option: &str) -> bool {
    !option.is_empty()
        && option.trim() == option
        && !option.starts_with(SAME_AS)
        && !option.chars().any(|c| matches!(c, '|' | '"' | '\\' | '<') || needs_escape(c))
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if needs_escape(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// Reads a text up to its closing quote (the opening one is gone) and gives what follows.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Some((out, &text[i + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'u' => {
                    let (start, brace) = chars.next()?;
                    let (hex, _) = text.get(start + 1..)?.split_once('}')?;
                    if brace != '{' || hex.len() > 6 {
                        return None;
                    }
                    out.push(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?);
                    // The digits and the brace.
                    chars.nth(hex.chars().count())?;
                }
                c @ ('"' | '\\') => out.push(c),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    None
}

/// Reads the line of cells, also where its numbers were taken out; `None` when it is none.
pub fn parse_cells(text: &str) -> Option<Vec<ListLine>> {
    let line = |(tag, name)| ListLine { tag, role: "cell".to_owned(), name, ..ListLine::default() };
    Some(cells::cells_of(text)?.into_iter().map(line).collect())
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
