//! What an element is known by across observations.
//!
//! The rule: the driver's own uid where it gives one (on Android AppAgent's), with the name that it bears
//! behind it where it bears one: `…LinearLayout_1080_189_3 “Display”`. For a uid tells a class, a size and a
//! place among siblings: rows of equal height on two pages share it, and do different things. Of a name only
//! its [`title`] counts. Under [`Mode::Compat`] the uid alone is the key, as in AppAgent.
//!
//! Without a uid it is the role and the name, `role|name`, with white space folded, runs of digits written as
//! `0`, and cut to 120 characters. An element without a name is known by its uid, or its role and its size in logical
//! pixels, and by the text of its row: `…Switch_140_84_2 in the row “Dark theme”`. Where nothing is written beside it, and
//! it has no uid, it is known by its place among those of its role and size on the screen, in document order, and by the
//! page or app that it is on: `button|24x24 no. 3 on /mail/`. What lives in a frame has ` in frame N` behind it.
//!
//! No origin, query or fragment is part of a key, so documentation holds wherever an app is served from.
//!
//! Invariant: under [`Mode::Tolerant`] no two elements of one view have the same key. Those that would (buttons of one
//! name, rows that differ in a number) are told apart by their rows, else by their place among each other.

use std::collections::HashMap;

use url::Url;
use waldo_devices::Element;

use super::row::row_text;
use crate::agent::View;
use crate::appagent::Mode;

/// Before the text of a row, in a key.
const ROW: &str = " in the row \u{201c}";
const MAX_NAME: usize = 120;

/// The keys of the tagged elements of a view, in the order of their tags.
pub fn keys(view: &View, mode: Mode) -> Vec<String> {
    let o = &view.observation;
    let row = |index: usize| match mode {
        Mode::Tolerant => row_text(o, index).map(title).filter(|text| !text.is_empty()),
        Mode::Compat => None,
    };
    let mut places: HashMap<String, u32> = HashMap::new();
    let mut by_element: HashMap<usize, String> = HashMap::new();
    let here = place_of(&o.context.location);
    let mut tagged: Vec<usize> = view.tagged.iter().map(|t| t.element).collect();
    tagged.sort_unstable();
    for index in tagged {
        let Some(element) = o.elements.get(index) else { continue };
        let is_nameless = title(&element.name).is_empty();
        let key = key_of(element, mode).filter(|_| !is_nameless || row(index).is_none());
        let key = key.unwrap_or_else(|| {
            let size = nameless(element, o.geometry.scale);
            if let Some(text) = row(index) {
                let known = element.uid.clone().filter(|uid| !uid.is_empty());
                return in_row(&known.unwrap_or_else(|| size + &frame(element)), &text);
            }
            let place = places.entry(format!("{size}{}", frame(element))).or_default();
            *place += 1;
            format!("{size} no. {place}{} on {here}", frame(element))
        });
        by_element.insert(index, key);
    }
    if mode == Mode::Tolerant {
        tell_apart(&mut by_element, |index, key| {
            let own = o.elements.get(index).map(|element| title(&element.name));
            row(index).filter(|text| Some(text) != own.as_ref()).map(|text| in_row(key, &text))
        });
        tell_apart(&mut by_element, |_, _| None);
    }
    view.tagged.iter().map(|t| by_element.get(&t.element).cloned().unwrap_or_default()).collect()
}

/// Gives those that share a key one of their own: by `other`, or, where that knows none for any of them, a number.
fn tell_apart(keys: &mut HashMap<usize, String>, other: impl Fn(usize, &str) -> Option<String>) {
    let mut sharing: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, key) in keys.iter() {
        sharing.entry(key.clone()).or_default().push(*index);
    }
    for (key, mut all) in sharing.into_iter().filter(|(_, all)| all.len() > 1) {
        all.sort_unstable();
        let by_other: Option<Vec<String>> =
            all.iter().map(|index| if key.contains(ROW) { None } else { other(*index, &key) }).collect();
        for (at, index) in all.into_iter().enumerate() {
            let told = by_other.as_ref().and_then(|told| told.get(at)).cloned();
            keys.insert(index, told.unwrap_or_else(|| format!("{key} no. {}", at + 1)));
        }
    }
}

/// The key of what has no name of its own, or not alone, by the text of its row.
fn in_row(known: &str, text: &str) -> String {
    format!("{known}{ROW}{text}\u{201d}")
}

pub fn row_of(key: &str) -> Option<&str> {
    let (_, text) = key.rsplit_once(ROW)?;
    Some(text.split_once('\u{201d}').map_or(text, |(text, _)| text))
}

/// What an address says beside origin, query and fragment, digits written as `0`; anything else as it is.
fn place_of(location: &str) -> String {
    match Url::parse(location) {
        Ok(url) if url.has_host() => folded(url.path()),
        _ => location.to_owned(),
    }
}

/// The place of a view: what its address says beside origin, query and fragment.
pub fn place(view: &View) -> String {
    let context = &view.observation.context;
    let path = place_of(&context.location);
    if context.dialog.is_some() { format!("{path} (dialog)") } else { path }
}

/// The key of an element that has a uid or a name; `None` when its place on the screen is needed.
pub fn key_of(element: &Element, mode: Mode) -> Option<String> {
    if let Some(uid) = element.uid.as_ref().filter(|uid| !uid.is_empty()) {
        return Some(match mode {
            Mode::Tolerant => named(uid, &element.name),
            Mode::Compat => uid.clone(),
        });
    }
    let name = folded(&element.name);
    (!name.is_empty()).then(|| format!("{}|{name}{}", element.role.as_str(), frame(element)))
}

/// The key of what has a uid and bears a name; the uid alone where the name is empty, or where the uid ends in
/// it as a desktop's do (`button=Save`).
pub fn named(uid: &str, name: &str) -> String {
    let title = title(name);
    let told = uid.rsplit_once('=').is_some_and(|(_, own)| self::title(own) == title);
    if told || title.is_empty() { uid.to_owned() } else { format!("{uid} \u{201c}{title}\u{201d}") }
}

/// The uid and the title of such a key; `None` for any other.
pub fn split(key: &str) -> Option<(&str, &str)> {
    // Nothing that is known of a uid alone is meant for one row of those that share it.
    if row_of(key).is_some() {
        return None;
    }
    key.strip_suffix('\u{201d}')?.split_once(" \u{201c}")
}

/// What of a name tells one element from another: its first part, digits written as `0`. A row's name is made
/// of its texts, `Wi-Fi, Connected`, of which the later ones say how things stand.
pub fn title(name: &str) -> String {
    let folded = folded(name);
    let first = folded.split(", ").next().unwrap_or_default().trim();
    if first.is_empty() { folded.trim().to_owned() } else { first.to_owned() }
}

/// Whether two names are those of different elements: both are there, and their [`title`]s differ.
pub fn differ(a: &str, b: &str) -> bool {
    let (a, b) = (title(a), title(b));
    !a.is_empty() && !b.is_empty() && a != b
}

fn nameless(element: &Element, scale: f64) -> String {
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let (w, h) = (element.bounds.w / scale, element.bounds.h / scale);
    format!("{}|{w:.0}x{h:.0}", element.role.as_str())
}

fn frame(element: &Element) -> String {
    if element.frame == 0 { String::new() } else { format!(" in frame {}", element.frame) }
}

fn folded(name: &str) -> String {
    let mut out = String::new();
    let mut digits = false;
    for c in name.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !digits {
            out.push('0');
        }
        digits = c.is_ascii_digit();
    }
    out.chars().take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests {
    use waldo_devices::{Affordance, LabelStyle, Observation, Picture};

    use super::*;
    use crate::appagent::testing::{element, observation};

    fn keys_of(elements: Vec<Element>) -> Vec<String> {
        let view = View::new(observation(elements, Picture::empty()), LabelStyle::default()).unwrap();
        keys(&view, Mode::Tolerant)
    }

    #[test]
    fn the_rule() {
        let click = [Affordance::Click];
        let mut uid = element("button", "Send", 0, &click);
        uid.uid = Some("com.app.id_send_2".into());
        let mut framed = element("link", "Next  page", 4, &click);
        framed.frame = 2;
        let mut small = element("button", "", 5, &click);
        small.bounds.w = 24.4;
        let got = keys_of(vec![
            uid,
            element("button", " Cart\n(12) ", 1, &click),
            element("button", "", 2, &click),
            element("button", "", 3, &click),
            framed,
            small,
        ]);
        assert_eq!(
            got,
            [
                "com.app.id_send_2 \u{201c}Send\u{201d}",
                "button|Cart (0)",
                "button|200x30 no. 1 on /a/b",
                "button|200x30 no. 2 on /a/b",
                "link|Next page in frame 2",
                "button|24x30 no. 1 on /a/b"
            ]
        );
    }
    /// Four switches of one uid, each at the right of its row, and what is written there.
    fn settings(rows: &[&str]) -> Observation {
        let mut elements = Vec::new();
        for (n, text) in (0..).zip(rows) {
            let mut switch = element("switch", "", n, &[Affordance::Click]);
            switch.uid = Some("android.widget.Switch_140_84_2".into());
            (switch.bounds.x, switch.bounds.w) = (600.0, 100.0);
            elements.push(switch);
            if !text.is_empty() {
                elements.push(element("text", text, n, &[]));
            }
        }
        observation(elements, Picture::empty())
    }

    #[test]
    fn what_has_no_name_is_known_by_its_row_and_no_two_share_a_key() {
        let keys_in = |mode: Mode, rows: &[&str]| {
            keys(&View::new(settings(rows), LabelStyle::default()).unwrap(), mode)
        };
        let rows = ["Dark theme", "Bluetooth, Off", "Level 7", "Level 7", ""];
        let got = keys_in(Mode::Tolerant, &rows);
        let uid = "android.widget.Switch_140_84_2";
        let row = |text: &str| format!("{uid} in the row \u{201c}{text}\u{201d}");
        let wanted = [
            row("Dark theme"),
            row("Bluetooth"),
            format!("{} no. 1", row("Level 0")),
            format!("{} no. 2", row("Level 0")),
            uid.to_owned(),
        ];
        assert_eq!(got, wanted);
        assert_eq!(row_of(&got[2]), Some("Level 0"));
        assert_eq!((row_of(uid), split(&got[0])), (None, None));
        assert_eq!(keys_in(Mode::Tolerant, &["", ""]), [format!("{uid} no. 1"), format!("{uid} no. 2")]);
        // AppAgent's own.
        assert_eq!(keys_in(Mode::Compat, &rows), [uid; 5]);
        // Buttons of one name.
        let click = [Affordance::Click];
        let delete = |n| {
            let mut delete = element("button", "Delete", n, &click);
            delete.bounds.x = 600.0;
            delete
        };
        let list =
            vec![delete(0), element("text", "Milk", 0, &[]), delete(1), element("text", "Tea", 1, &[])];
        let wanted = ["Milk", "Tea"].map(|text| format!("button|Delete in the row \u{201c}{text}\u{201d}"));
        assert_eq!(keys_of(list), wanted);
    }

    #[test]
    fn a_uid_is_told_apart_by_the_first_part_of_the_name() {
        let row = |name: &str| named("L_1080_189_3", name);
        assert_eq!(row("Display, Dark theme, font"), "L_1080_189_3 \u{201c}Display\u{201d}");
        assert_eq!(row("Wi-Fi, Connected"), row("Wi-Fi, Off"));
        assert_ne!(row("Display"), row("Sound"));
        assert_eq!(row(" "), "L_1080_189_3");
        assert_eq!(named("editor/frame/button=Save all", "Save all"), "editor/frame/button=Save all");
        assert_eq!(split(&row("Level 12")), Some(("L_1080_189_3", "Level 0")));
        assert_eq!(split("L_1080_189_3"), None);
        assert!(differ("Display", "Sound, Volume") && !differ("Sound, Mute", "Sound, Volume"));
        assert!(!differ("", "Sound") && !differ("Sound", " "));
    }
}
