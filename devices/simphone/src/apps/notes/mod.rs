//! Notes: folders, a list with search, and an editor that keeps every change at once.
//!
//! Providers: `content://notes/notes` (`_id`, `title`, `body`, `folder_id`, `folder`, `pinned` 0 or 1, `created`,
//! `modified` in seconds since 1970) and `content://notes/folders` (`_id`, `name`, `notes`). A note always belongs to
//! a folder that there is; what a deleted folder held goes to the first one.

use crate::apps::prelude::*;

pub const PACKAGE: &str = "com.waldo.notes";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Notes {
    folders: Vec<Folder>,
    notes: Vec<Note>,
    next: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Folder {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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

    fn folder_or_first(&self, id: i64) -> i64 {
        let there = self.folders.iter().find(|f| f.id == id).or_else(|| self.folders.first());
        there.map_or(0, |f| f.id)
    }

    fn new_id(&mut self) -> i64 {
        self.next += 1;
        self.next
    }
}

impl App for Notes {
    fn fresh(seed: &mut Seed) -> Self {
        let folders: Vec<Folder> = (1..)
            .zip(contents::list("folders"))
            .map(|(id, name)| Folder { id, name: (*name).to_owned() })
            .collect();
        let count = usize::try_from(seed.int(11, 15)).unwrap_or(12);
        let chosen = seed.sample(&contents::records("notes"), count);
        let mut notes: Vec<Note> = Vec::new();
        for (id, [title, body, folder]) in (10_i64..).zip(chosen) {
            let created = seed.start - seed.int(5 * 86_400, 60 * 86_400);
            notes.push(Note {
                id,
                title: title.to_owned(),
                body: contents::lines(body),
                folder: folders.get(folder.parse().unwrap_or(0)).map_or(1, |f| f.id),
                pinned: false,
                created,
                modified: (created + seed.int(60, 4 * 86_400)).min(seed.start - 3_600),
            });
        }
        if let Some(first) = notes.first_mut() {
            first.pinned = true;
        }
        let next = 100;
        Notes { folders, notes, next }
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        match table {
            "notes/notes" => Ok(self.put_note(row)),
            _ => Err(format!("{table} is read-only")),
        }
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        table == "notes/notes" && parts::remove(&mut self.notes, |n| n.id == id)
    }
}

impl Notes {
    fn put_note(&mut self, row: &ProviderRow) -> i64 {
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
