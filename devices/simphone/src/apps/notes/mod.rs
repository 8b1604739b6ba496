//! Notes: folders, a list with search, and an editor that keeps every change at once.
//!
//! Providers: `content://notes/notes` (`_id`, `title`, `body`, `folder_id`, `folder`, `pinned` 0 or 1, `created`,
//! `modified` in seconds since 1970) and `content://notes/folders` (`_id`, `name`, `notes`). A note always belongs to
//! a folder that there is; what a deleted folder held goes to the first one.

mod seed;
#[cfg(test)]
mod tests;
mod view;

use serde::{Deserialize, Serialize};

use super::{App, Cx, Entry, Manifest, Screen, Seed, Sys, parts};
use crate::{
    ui::{
        icon::Icon,
        node::{Event, UiEventKind},
        theme::Tone,
    },
    world::{
        providers::{Cell, Row},
        stack::Activity,
    },
};

/// The package of this app.
pub const PACKAGE: &str = "com.waldo.notes";

/// All notes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Notes {
    folders: Vec<Folder>,
    notes: Vec<Note>,
    next: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Folder {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Note {
    id: i64,
    title: String,
    body: String,
    folder: i64,
    pinned: bool,
    created: i64,
    modified: i64,
}

impl Notes {
    fn note(&self, id: i64) -> Option<&Note> {
        self.notes.iter().find(|n| n.id == id)
    }

    fn folder_name(&self, id: i64) -> &str {
        self.folders.iter().find(|f| f.id == id).map_or("", |f| &f.name)
    }

    /// The folder meant, or the first where there is no such.
    fn folder_or_first(&self, id: i64) -> i64 {
        let there = self.folders.iter().find(|f| f.id == id).or_else(|| self.folders.first());
        there.map_or(0, |f| f.id)
    }

    fn new_id(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    fn change(&mut self, id: i64, now: i64, how: impl FnOnce(&mut Note)) {
        if let Some(n) = self.notes.iter_mut().find(|n| n.id == id) {
            how(n);
            n.modified = now;
        }
    }

    /// The note of an editor; a new one is made where it has none yet.
    fn edited(&mut self, at: &mut Activity, now: i64) -> i64 {
        if let Some(id) = editor_id(at) {
            return id;
        }
        let id = self.new_id();
        let folder = self.folder_or_first(at.extra("folder").parse().unwrap_or(0));
        self.notes.push(Note {
            id,
            title: String::new(),
            body: String::new(),
            folder,
            pinned: false,
            created: now,
            modified: now,
        });
        at.set_local("id", id.to_string());
        id
    }

    fn drop_if_empty(&mut self, at: &Activity) {
        let id = editor_id(at).unwrap_or(0);
        self.notes.retain(|n| n.id != id || !n.title.trim().is_empty() || !n.body.trim().is_empty());
    }

    fn named(&mut self, at: &mut Activity, renamed: Option<i64>, sys: &mut Sys<'_>) -> Option<i64> {
        let name = at.field("folder_name").unwrap_or("").trim().to_owned();
        if name.is_empty() {
            sys.toast("Enter a name");
            return None;
        }
        if self.folders.iter().any(|f| f.name.eq_ignore_ascii_case(&name) && Some(f.id) != renamed) {
            sys.toast(format!("There is already a folder {name}"));
            return None;
        }
        if sys.storage_full() {
            sys.toast(parts::FULL);
            return None;
        }
        at.overlay = None;
        at.fields.remove("folder_name");
        match renamed {
            Some(id) => {
                if let Some(f) = self.folders.iter_mut().find(|f| f.id == id) {
                    f.name = name;
                }
                Some(id)
            }
            None => {
                let id = self.new_id();
                self.folders.push(Folder { id, name });
                Some(id)
            }
        }
    }

    fn drop_folder(&mut self, id: i64) -> bool {
        if self.folders.len() < 2 {
            return false;
        }
        let before = self.folders.len();
        self.folders.retain(|f| f.id != id);
        let home = self.folder_or_first(0);
        for n in self.notes.iter_mut().filter(|n| n.folder == id) {
            n.folder = home;
        }
        self.folders.len() < before
    }
}

/// The note that an editor shows, if it has one yet.
fn editor_id(at: &Activity) -> Option<i64> {
    at.local("id").parse().ok().or_else(|| at.extra("id").parse().ok())
}

impl App for Notes {
    fn manifest() -> Manifest {
        Manifest {
            package: PACKAGE,
            label: "Notes",
            icon: Icon::Note,
            colour: Tone::Rgb(0xc7, 0x86, 0x0a),
            activities: &[".MainActivity", ".EditActivity", ".FoldersActivity"],
            entry: Entry::User,
            authorities: &["notes"],
            filters: &[],
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        seed::fresh(seed)
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        match at.name() {
            "EditActivity" => self.editor(at),
            "FoldersActivity" => self.folder_page(at),
            _ => self.main(at, cx),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let (what, rest) = ev.parts();
        let n = ev.number().unwrap_or(0);
        match (what, &ev.kind) {
            ("", UiEventKind::Back) if parts::searching(at) => {
                parts::end_search(at);
                sys.consume();
            }
            ("", UiEventKind::Back) if at.name() == "EditActivity" => self.drop_if_empty(at),
            ("up", _) => {
                self.drop_if_empty(at);
                sys.finish();
            }
            ("find", _) => parts::begin_search(at),
            ("unsearch", _) => parts::end_search(at),
            ("folders", _) => sys.open(".FoldersActivity", &[]),
            ("show", _) => at.set_local("folder", rest),
            ("enter", _) => sys.open(".MainActivity", &[("folder", rest)]),
            ("open", _) => sys.open(".EditActivity", &[("id", rest)]),
            ("new", _) => sys.open(".EditActivity", &[("folder", rest)]),
            ("hold" | "move" | "drop" | "folder", _) => at.overlay = Some(ev.on.clone()),
            ("title" | "body", UiEventKind::Text(text)) => {
                if sys.storage_full() {
                    return sys.toast(parts::FULL);
                }
                let id = self.edited(at, sys.now());
                self.change(id, sys.now(), |note| {
                    let to = if what == "title" { &mut note.title } else { &mut note.body };
                    text.clone_into(to);
                });
            }
            ("pin", _) => {
                at.overlay = None;
                let id = if rest == "this" { self.edited(at, sys.now()) } else { n };
                if let Some(note) = self.notes.iter_mut().find(|x| x.id == id) {
                    note.pinned = !note.pinned;
                    sys.toast(if note.pinned { "Pinned" } else { "Unpinned" });
                }
            }
            ("moving", _) => {
                let id = self.edited(at, sys.now());
                at.overlay = Some(format!("move/{id}"));
            }
            ("moved", _) => {
                let (id, folder) = rest.split_once('/').unwrap_or_default();
                let folder = self.folder_or_first(folder.parse().unwrap_or(0));
                self.change(id.parse().unwrap_or(0), sys.now(), |note| note.folder = folder);
                at.overlay = None;
                sys.toast(format!("Moved to {}", self.folder_name(folder)));
            }
            ("dropping", _) => {
                at.overlay = Some(format!("drop/{}", editor_id(at).unwrap_or(0)));
            }
            ("dropped", _) => {
                self.notes.retain(|x| x.id != n);
                at.overlay = None;
                sys.toast("Note deleted");
                if at.name() == "EditActivity" {
                    sys.finish();
                }
            }
            ("naming" | "renaming", _) => {
                at.fields.remove("folder_name");
                at.overlay = Some(ev.on.clone());
            }
            ("named", _) => {
                let id = self.named(at, None, sys);
                // From the dialog that moves a note, the new folder takes it.
                if let (Some(folder), Ok(note)) = (id, rest.parse::<i64>()) {
                    self.change(note, sys.now(), |x| x.folder = folder);
                }
            }
            ("renamed", _) => {
                self.named(at, Some(n), sys);
            }
            ("drop_folder", _) => at.overlay = Some(ev.on.clone()),
            ("folder_dropped", _) => {
                at.overlay = None;
                if !self.drop_folder(n) {
                    sys.toast("The last folder stays");
                }
            }
            ("cancel", _) => at.overlay = None,
            _ => {}
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<Row>> {
        match table {
            "notes/notes" => Some(
                self.notes
                    .iter()
                    .map(|n| {
                        Row::default()
                            .with("_id", n.id)
                            .with("title", n.title.as_str())
                            .with("body", n.body.as_str())
                            .with("folder_id", n.folder)
                            .with("folder", self.folder_name(n.folder))
                            .with("pinned", i64::from(n.pinned))
                            .with("created", n.created)
                            .with("modified", n.modified)
                    })
                    .collect(),
            ),
            "notes/folders" => Some(
                self.folders
                    .iter()
                    .map(|f| {
                        let count = self.notes.iter().filter(|n| n.folder == f.id).count();
                        Row::default()
                            .with("_id", f.id)
                            .with("name", f.name.as_str())
                            .with("notes", Cell::Int(i64::try_from(count).unwrap_or(0)))
                    })
                    .collect(),
            ),
            _ => None,
        }
    }

    fn put_row(&mut self, table: &str, row: &Row) -> Result<i64, String> {
        match table {
            "notes/notes" => Ok(self.put_note(row)),
            "notes/folders" => {
                let name = row.text("name");
                if name.is_empty() {
                    return Err("a folder needs a name".to_owned());
                }
                let id = row.int("_id").unwrap_or_else(|| self.new_id());
                match self.folders.iter_mut().find(|f| f.id == id) {
                    Some(f) => f.name = name,
                    None => self.folders.push(Folder { id, name }),
                }
                Ok(id)
            }
            _ => Err(format!("{table} is read-only")),
        }
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        if table == "notes/folders" {
            return self.drop_folder(id);
        }
        parts::remove(&mut self.notes, |n| n.id == id)
    }
}

impl Notes {
    fn put_note(&mut self, row: &Row) -> i64 {
        let id = row.int("_id").unwrap_or_else(|| self.new_id());
        let old = self.note(id).cloned();
        // A changed id of the folder counts before a changed name of it.
        let old_folder = old.as_ref().map_or(0, |n| n.folder);
        let by_name = self.folders.iter().find(|f| f.name == row.text("folder")).map(|f| f.id);
        let folder = row.int("folder_id").filter(|f| *f != old_folder).or(by_name).unwrap_or(old_folder);
        // A provider is told no time: what comes without one is as new as the newest.
        let latest = self.notes.iter().map(|n| n.modified).max().unwrap_or(0);
        let note = Note {
            id,
            title: row.text("title"),
            body: row.text("body"),
            folder: self.folder_or_first(folder),
            pinned: row.int("pinned") == Some(1),
            created: row.int("created").unwrap_or(latest),
            modified: row.int("modified").unwrap_or(latest),
        };
        match self.notes.iter_mut().find(|n| n.id == id) {
            Some(n) => *n = note,
            None => self.notes.push(note),
        }
        self.next = self.next.max(id);
        id
    }
}
