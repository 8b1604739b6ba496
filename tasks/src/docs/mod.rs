//! The store of documentation: a folder per app, read by agents, written by learning, edited by people.
//!
//! ```text
//! DOCS/APP/app.json                  which app; what makes the folder an app's
//! DOCS/APP/elements/STEM.json        an element in machine form: layers, history, where it was seen
//! DOCS/APP/elements/STEM.md          the same for people; what they change there is read back
//! DOCS/APP/pictures/STEM.png         what it looked like
//! DOCS/APP/pictures/screen-N.png     what a screen looked like
//! DOCS/APP/screens.json              the screens and the ways between them
//! DOCS/APP/upstream/                 AppAgent's own records and logs that were imported, as they were
//! DOCS/APP/*.lock                    who learns into it, and whose turn it is to change something
//! ```
//!
//! `STEM` is what a file system takes of the element's key, cut, and eight digits of its SHA-256: keys may
//! be longer than a file name or hold any character; the exact key is inside.
//!
//! Invariants: each file is written beside and renamed, so it is old or complete; the JSON is written
//! before the Markdown and is what counts; a person's edit is told from an outdated file by a fingerprint
//! that each section of the Markdown carries. One learner at a time; a person may edit meanwhile, for every
//! change starts from what is on the disk.

mod change;
mod lock;
pub mod markdown;
mod store;
pub mod upstream;
mod write;

use serde::{Deserialize, Serialize};
use waldo_agents::appagent::docs::row_of;
use waldo_agents::appagent::{Layers, Slot};

pub use change::{Changed, compare};
pub use store::{DocsStore, ElementNote, NoteOutcome, app_folders};
pub use waldo_agents::appagent::{Docs, Library, Slots, TextLayer};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ElementDoc {
    pub key: String,
    /// The driver's uid, where that is not the key: what AppAgent knows it by.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Its role when it was last seen; empty for what was imported.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Its name when it was last seen: untrusted text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What is documented, by where it came from.
    pub layers: Layers,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<TextChange>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<ScreenSighting>,
    /// AppAgent's file as it was imported, where writing it anew would not give the same bytes.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub raw: std::collections::BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextChange {
    pub at: jiff::Timestamp,
    pub layer: TextLayer,
    pub slot: Slot,
    /// The new text; empty when it was taken away.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// The verdict that came with it, or how else it came to be.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenSighting {
    pub place: String,
    pub title: String,
}

impl ElementDoc {
    /// What AppAgent knows it by: the driver's uid, else the key. Several elements may share it.
    pub fn uid(&self) -> &str {
        if self.uid.is_empty() { &self.key } else { &self.uid }
    }

    /// What it is called in lists: its role and name, or its key.
    pub fn label(&self) -> String {
        match (self.role.as_str(), self.name.trim()) {
            ("", _) => self.key.clone(),
            (role, "") => match row_of(&self.key) {
                Some(row) => format!("{role} without a name, in the row \u{201c}{row}\u{201d}"),
                None => format!("{role} without a name"),
            },
            (role, name) => format!("{role} \u{201c}{name}\u{201d}"),
        }
    }
}
