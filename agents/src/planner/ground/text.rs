//! The `text` grounder: names of elements only, no model.
//!
//! Words in quotation marks within the description are looked for first, in their order; where there are
//! none, or none is a name, the description as a whole is compared with every name. Words for kinds of
//! controls (button, field, link) decide between elements of one name. What is left undecided is refused.

use async_trait::async_trait;
use waldo_devices::Element;

use super::{GroundAnswer, Grounder, LocateRequest, ScreenSpot};
use crate::agent::{Exchange, View};
use crate::error::Result;

/// How alike a description and a name have to be, 0 to 1.
const ENOUGH: f64 = 0.6;
/// How much more alike than the next one.
const MARGIN: f64 = 0.08;

/// Words for a control, and the roles that they stand for.
const KINDS: [(&str, &[&str]); 18] = [
    ("button", &["button"]),
    ("link", &["link"]),
    ("field", &["textbox", "searchbox", "spinbutton", "combobox"]),
    ("input", &["textbox", "searchbox", "spinbutton", "combobox"]),
    ("box", &["textbox", "searchbox", "checkbox", "combobox"]),
    ("textbox", &["textbox", "searchbox"]),
    ("checkbox", &["checkbox"]),
    ("switch", &["switch", "checkbox"]),
    ("toggle", &["switch", "checkbox", "button"]),
    ("radio", &["radio"]),
    ("tab", &["tab"]),
    ("menu", &["menuitem", "menu", "menubar", "button"]),
    ("item", &["menuitem", "listitem", "option", "treeitem"]),
    ("option", &["option", "radio", "menuitem"]),
    ("list", &["combobox", "listbox", "list"]),
    ("dropdown", &["combobox", "listbox"]),
    ("slider", &["slider"]),
    ("icon", &["button", "image", "img", "link"]),
];

#[derive(Clone, Copy, Debug, Default)]
pub struct TextGrounder;

#[async_trait]
impl Grounder for TextGrounder {
    fn name(&self) -> &'static str {
        "text"
    }

    fn guesses(&self) -> bool {
        false
    }

    async fn locate(&self, ask: &LocateRequest<'_>, _log: &mut Vec<Exchange>) -> Result<GroundAnswer> {
        Ok(find(ask))
    }
}

struct NamedElement<'a> {
    index: usize,
    element: &'a Element,
    name: String,
}

fn find(ask: &LocateRequest<'_>) -> GroundAnswer {
    let named: Vec<NamedElement<'_>> = names(ask.view);
    let texts: Vec<&str> = ask.element.into_iter().chain([ask.description]).collect();
    for text in &texts {
        for quoted in quoted(text) {
            let wanted = fold(&quoted);
            let same: Vec<&NamedElement<'_>> = named.iter().filter(|n| n.name == wanted).collect();
            if !same.is_empty() {
                return one_of(&same, text, &quoted);
            }
        }
    }
    for text in &texts {
        for quoted in quoted(text) {
            if let Some(found) = alike(&named, &fold(&quoted), text) {
                return found;
            }
        }
    }
    if ask.anywhere && texts.iter().any(|t| whole(t)) {
        return GroundAnswer::At(ScreenSpot {
            point: ask.view.observation.geometry.screen().center(),
            element: None,
        });
    }
    for text in &texts {
        if let Some(found) = within(&named, &fold(text), text).or_else(|| alike(&named, &fold(text), text)) {
            return found;
        }
    }
    GroundAnswer::Refused("no element has a name like that".to_owned())
}

fn names(view: &View) -> Vec<NamedElement<'_>> {
    view.tagged
        .iter()
        .filter_map(|t| view.observation.elements.get(t.element).map(|element| (t.element, element)))
        .map(|(index, element)| NamedElement { index, element, name: fold(&element.name) })
        .filter(|n| !n.name.is_empty())
        .collect()
}

/// The only one of several, by the kind of control that the text names.
fn one_of(same: &[&NamedElement<'_>], text: &str, what: &str) -> GroundAnswer {
    let fitting: Vec<&&NamedElement<'_>> = same.iter().filter(|n| is_kind(n.element, text)).collect();
    match (same, fitting.as_slice()) {
        ([one], _) => at(one),
        (_, [one]) => at(one),
        _ => {
            let n = if fitting.is_empty() { same.len() } else { fitting.len() };
            let what: String = what.chars().take(80).collect();
            GroundAnswer::Refused(format!("{n} elements are named '{what}', and nothing tells them apart"))
        }
    }
}

fn at(named: &NamedElement<'_>) -> GroundAnswer {
    GroundAnswer::At(ScreenSpot { point: named.element.hit, element: Some(named.index) })
}

/// The longest name that stands in the text as whole words.
fn within(named: &[NamedElement<'_>], folded: &str, text: &str) -> Option<GroundAnswer> {
    let padded = format!(" {folded} ");
    let inside: Vec<&NamedElement<'_>> =
        named.iter().filter(|n| n.name.len() > 2 && padded.contains(&format!(" {} ", n.name))).collect();
    let longest = inside.iter().map(|n| n.name.len()).max()?;
    let best: Vec<&NamedElement<'_>> = inside.into_iter().filter(|n| n.name.len() == longest).collect();
    let name = best.first()?.name.clone();
    Some(if best.iter().all(|n| n.name == name) {
        one_of(&best, text, &name)
    } else {
        GroundAnswer::Refused("several names fit the description equally well".to_owned())
    })
}

/// The name most like a text, where it is like enough and no other comes near.
fn alike(named: &[NamedElement<'_>], wanted: &str, text: &str) -> Option<GroundAnswer> {
    let mut scored: Vec<(f64, &NamedElement<'_>)> =
        named.iter().map(|n| (likeness(&n.name, wanted), n)).filter(|(s, _)| *s >= ENOUGH).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = scored.first()?.0;
    let near: Vec<&NamedElement<'_>> =
        scored.iter().filter(|(s, _)| best - s < MARGIN).map(|(_, n)| *n).collect();
    Some(one_of(&near, text, wanted))
}

/// What two texts have in common of their pairs of neighbouring characters (Dice's coefficient).
fn likeness(a: &str, b: &str) -> f64 {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let padded: Vec<char> = std::iter::once(' ').chain(text.chars().take(300)).chain([' ']).collect();
        padded.windows(2).map(|w| (w[0], w[1])).collect()
    };
    let (a, mut b) = (pairs(a), pairs(b));
    let all = a.len() + b.len();
    let mut common = 0;
    for pair in a {
        if let Some(at) = b.iter().position(|other| *other == pair) {
            b.swap_remove(at);
            common += 1;
        }
    }
    if all == 0 { 0.0 } else { 2.0 * f64::from(common) / all as f64 }
}

fn is_kind(element: &Element, text: &str) -> bool {
    let text = fold(text);
    let role = element.role.as_str();
    text.split(' ')
        .any(|word| word == role || KINDS.iter().any(|(kind, roles)| word == *kind && roles.contains(&role)))
}

fn whole(text: &str) -> bool {
    let text = fold(text);
    text.split(' ').any(|word| matches!(word, "page" | "screen" | "window" | "website" | "document" | "app"))
}

fn quoted(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let close = match chars[i] {
            '"' => '"',
            '\'' if i == 0 || !chars[i - 1].is_alphanumeric() => '\'',
            '\u{201c}' => '\u{201d}',
            '\u{2018}' => '\u{2019}',
            '\u{ab}' => '\u{bb}',
            _ => {
                i += 1;
                continue;
            }
        };
        // An apostrophe within a word closes nothing.
        let end = (i + 1..chars.len()).find(|j| {
            chars[*j] == close && (close != '\'' || chars.get(j + 1).is_none_or(|c| !c.is_alphanumeric()))
        });
        match end {
            Some(end) => {
                let inside: String = chars[i + 1..end].iter().collect();
                if !inside.trim().is_empty() {
                    out.push(inside);
                }
                i = end + 1;
            }
            None => i += 1,
        }
    }
    out
}

/// Lower case, words only.
fn fold(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .flat_map(char::to_lowercase)
        .collect();
    let folded = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.is_empty() { text.trim().to_owned() } else { folded }
}
