//! An element's documentation for people: written, and read back after they have changed it.
//!
//! Each slot is a section that ends in a comment with the fingerprint of its text as waldo wrote it. A
//! section whose text does not fit its fingerprint was changed by a person; one without a fingerprint was
//! added by one; one that is empty was taken away. Everything behind `## History` is waldo's.

use std::fmt::Write as _;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use waldo_agents::appagent::Slot;

use super::ElementDoc;

/// A section that a person changed: the new text, empty to forget the slot.
pub type Edit = (Slot, String);

/// The file of an element. `picture` is its address from there, where there is one.
pub fn write(doc: &ElementDoc, picture: Option<&str>) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "# {}\n", line(&doc.label()));
    let _ = writeln!(out, "Key: `{}`\n", line(&doc.key).replace('`', "'"));
    if let Some(picture) = picture {
        let _ = writeln!(out, "![what it looked like]({picture})\n");
    }
    for slot in Slot::ALL {
        if let Some((layer, text)) = doc.layers.get(slot) {
            let text = normal(text);
            let _ = writeln!(out, "## {}\n\n{}\n", slot.title(), escape(&text));
            let _ = writeln!(out, "<!-- {} {} {} -->\n", slot.name(), fingerprint(&text), layer.name());
        }
    }
    let left: Vec<&str> =
        Slot::ALL.into_iter().filter(|s| doc.layers.get(*s).is_none()).map(Slot::title).collect();
    if !left.is_empty() {
        let _ = writeln!(
            out,
            "<!-- You may change the texts above, and add sections: {}. -->\n",
            left.join(", ")
        );
    }
    let _ = writeln!(out, "## History\n");
    for change in doc.history.iter().rev() {
        let when = change.at.strftime("%Y-%m-%d %H:%M");
        let step = change.step.map(|s| format!(", step {s}")).unwrap_or_default();
        let why = if change.why.is_empty() { String::new() } else { format!(", {}", line(&change.why)) };
        let text = if change.text.is_empty() { "(taken away)".to_owned() } else { line(&change.text) };
        let _ = writeln!(out, "- {when} {} {}{step}{why}: {text}", change.layer.name(), change.slot.name());
    }
    if !doc.seen.is_empty() {
        let _ = writeln!(out, "\n## Where it was seen\n");
        for seen in &doc.seen {
            let _ = writeln!(out, "- `{}` {}", line(&seen.place).replace('`', "'"), line(&seen.title));
        }
    }
    out
}

/// What a person changed in a file. A file that waldo wrote and nobody touched gives nothing, however old.
pub(crate) fn edits(text: &str) -> Vec<Edit> {
    let mut out = Vec::new();
    let mut open: Option<(Slot, String, Option<String>)> = None;
    let mut close = |open: &mut Option<(Slot, String, Option<String>)>| {
        if let Some((slot, body, mark)) = open.take() {
            let body = normal(&body);
            if mark.as_deref() != Some(fingerprint(&body).as_str()) && !(mark.is_none() && body.is_empty()) {
                out.push((slot, body));
            }
        }
    };
    for raw in text.lines() {
        if let Some(title) = raw.strip_prefix("## ") {
            close(&mut open);
            match Slot::parse(title) {
                Some(slot) => open = Some((slot, String::new(), None)),
                None if title.trim() == "History" => break,
                None => {}
            }
        } else if let Some((slot, body, mark)) = &mut open {
            let comment = raw.trim().strip_prefix("<!--").and_then(|c| c.strip_suffix("-->")).map(str::trim);
            match comment.map(|c| c.split(' ').collect::<Vec<_>>()) {
                Some(words) if words.first() == Some(&slot.name()) => {
                    *mark = words.get(1).map(|w| (*w).to_owned());
                }
                Some(_) => {}
                None => {
                    body.push_str(raw.strip_prefix('\\').filter(|r| special(r)).unwrap_or(raw));
                    body.push('\n');
                }
            }
        }
    }
    close(&mut open);
    out
}

/// The beginning of a text's SHA-256.
fn fingerprint(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text)[..4])
}

/// Whether a line would be taken for something else than text.
fn special(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("<!--") || line.starts_with('\\')
}

fn escape(text: &str) -> String {
    text.lines()
        .map(|line| if special(line) { format!("\\{line}") } else { line.to_owned() })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Lines without blanks at their ends, no empty lines around.
fn normal(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches(['\n', ' ']).to_owned()
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use waldo_agents::appagent::TextLayer;

    use super::super::{ScreenSighting, TextChange};
    use super::*;

    fn doc() -> ElementDoc {
        let mut doc =
            ElementDoc { key: "button|Save".into(), role: "button".into(), ..ElementDoc::default() };
        doc.name = "Save `all`".into();
        doc.layers.auto.set(Slot::Tap, "Saves.\n# not a heading\n<!-- nor this -->\n\\ nor that");
        doc.layers.demo.set(Slot::LongPress, "Shows more.");
        doc.history.push(TextChange {
            at: jiff::Timestamp::UNIX_EPOCH,
            layer: TextLayer::Auto,
            slot: Slot::Tap,
            text: "Saves.".into(),
            run: None,
            step: Some(3),
            why: "SUCCESS".into(),
        });
        doc.seen.push(ScreenSighting { place: "/edit".into(), title: "Edit".into() });
        doc
    }

    #[test]
    fn what_a_person_changes_is_found_and_nothing_else() {
        let text = write(&doc(), Some("../pictures/x.png"));
        assert_eq!(edits(&text), []);
        assert_eq!(edits(&text.replace('\n', "\r\n")), []);
        assert!(
            text.contains("## Tap\n\nSaves.\n\\# not") && text.contains("step 3, SUCCESS: Saves."),
            "{text}"
        );
        assert_eq!(edits(""), []);
        let text = write(&doc(), None);
        let changed = text.replace("Saves.\n\\#", "Saves it.\n\\#");
        let [(Slot::Tap, body)] = &edits(&changed)[..] else { panic!("{changed}") };
        assert!(body.starts_with("Saves it.\n# not a heading"), "{body}");
        assert_eq!(edits(&text.replace("Shows more.", "")), [(Slot::LongPress, String::new())]);
        let added = text.replace("## History", "## type text\nTakes a name.\n\n## History");
        assert_eq!(edits(&added), [(Slot::Text, "Takes a name.".to_owned())]);
        let odd = text.replace("## History", "## Remarks\nmine\n## History");
        assert_eq!(edits(&odd), []);
    }
}
