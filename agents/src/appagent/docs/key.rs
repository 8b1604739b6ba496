//! What an element is known by across observations.
//!
//! The rule: the driver's own uid where it gives one (on Android AppAgent's), with the name that it bears
//! behind it where it bears one: `…LinearLayout_1080_189_3 “Display”`. For a uid tells a class, a size and a
//! place among siblings: rows of equal height on two pages share it, and do different things. Of a name only
//! its [`title`] counts. Under [`Mode::Compat`] the uid alone is the key, as in AppAgent.
//!
//! Without a uid it is the role and the name, `role|name`, with white space folded, runs of digits written as
//! `0` (so that `Cart (2)` and `Cart (3)` are one), and cut to 120 characters. An element without a name is
//! known by its size in logical pixels, its place among those of its role and size on the screen, in document
//! order, and the page or app that it is on: `button|24x24 no. 3 on /mail/`. What lives in a frame has
//! ` in frame N` behind it.
//!
//! No origin, query or fragment is part of a key, so documentation holds wherever an app is served from.
//! Equal rows of a list share a key where they have no uid: what is true of one is true of all.

use std::collections::HashMap;

use url::Url;
use waldo_devices::Element;

use crate::agent::View;
use crate::appagent::Mode;

const MAX_NAME: usize = 120;

/// The keys of the tagged elements of a view, in the order of their tags.
pub fn keys(view: &View, mode: Mode) -> Vec<String> {
    let o = &view.observation;
    let mut places: HashMap<String, u32> = HashMap::new();
    let mut by_element: HashMap<usize, String> = HashMap::new();
    let here = place_of(&o.context.location);
    let mut tagged: Vec<usize> = view.tagged.iter().map(|t| t.element).collect();
    tagged.sort_unstable();
    for index in tagged {
        let Some(element) = o.elements.get(index) else { continue };
        let key = key_of(element, mode).unwrap_or_else(|| {
            let size = nameless(element, o.geometry.scale);
            let place = places.entry(format!("{size}{}", frame(element))).or_default();
            *place += 1;
            format!("{size} no. {place}{} on {here}", frame(element))
        });
        by_element.insert(index, key);
    }
    view.tagged.iter().map(|t| by_element.get(&t.element).cloned().unwrap_or_default()).collect()
}

/// What an address says beside origin, query and fragment, digits written as `0`; what is not an address of
/// a host stays as it is.
pub(crate) fn place_of(location: &str) -> String {
    match Url::parse(location) {
        Ok(url) if url.has_host() => folded(url.path()),
        _ => location.to_owned(),
    }
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
    use waldo_devices::{Affordance, LabelStyle, Picture};

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
