//! Notes: folders, a list with search, and an editor that keeps every change at once.
//!
//! Providers: `content://notes/notes` (`_id`, `title`, `body`, `folder_id`, `folder`, `pinned` 0 or 1, `created`,
//! `modified` in seconds since 1970) and `content://notes/folders` (`_id`, `name`, `notes`). A note always belongs to
//! a folder that there is; what a deleted folder held goes to the first one.

mod seed;
#[cfg(test)]
mod tests;
mod view;

use crate::apps::prelude::*;

messages! {
    /// What its widgets send.
    enum Msg {
        Folders = "folders",
        /// The notes of one folder are shown on this screen, or of all (0).
        Show(folder: i64) = "show",
        /// A folder is opened on a screen of its own.
        Enter(folder: i64) = "enter",
        Open(id: i64) = "open",
        New(folder: i64) = "new",
        /// The editor's title or text was changed.
        Title = "title",
        Body = "body",
        Pin(id: i64) = "pin",
        Moved(id: i64, folder: i64) = "moved",
        Dropped(id: i64) = "dropped",
        /// What the editor's own buttons do: to its note, which may have to be made first.
        PinThis = "pin_this",
        MoveThis = "moving",
        DropThis = "dropping",
        /// A new folder has its name; a note goes into it, unless that is 0.
        Named(note: i64) = "named",
        Renamed(folder: i64) = "renamed",
        FolderDropped(folder: i64) = "folder_dropped",
    }
}

messages! {
    /// What lies over a screen.
    enum Over {
        /// What can be done to a note.
        Hold(id: i64) = "hold",
        Move(id: i64) = "move",
        Drop(id: i64) = "drop",
        /// What can be done to a folder.
        Folder(id: i64) = "folder",
        DropFolder(id: i64) = "drop_folder",
        /// The name of a new folder; a note goes into it, unless that is 0.
        Naming(note: i64) = "naming",
        Renaming(folder: i64) = "renaming",
    }
}

/// The package of this app.
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

impl Note {
    fn shown_title(&self) -> &str {
        if self.title.is_empty() { "Untitled" } else { &self.title }
    }
}

impl Notes {
    fn note(&self, id: i64) -> Option<&Note> {
        self.notes.iter().find(|n| n.id == id)
    }

    fn folder_name(&self, id: i64) -> &str {
        self.folders.iter().find(|f| f.id == id).map_or("", |f| &f.name)
    }

    /// How many notes a folder holds.
    fn count(&self, folder: &Folder) -> usize {
        self.notes.iter().filter(|n| n.folder == folder.id).count()
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
        let folder = self.folder_or_first(at.extra_int("folder").unwrap_or(0));
        self.notes.push(Note { id, folder, created: now, modified: now, ..Note::default() });
        at.set_local("id", id.to_string());
        id
    }

    fn drop_if_empty(&mut self, at: &Activity) {
        let id = editor_id(at).unwrap_or(0);
        self.notes.retain(|n| n.id != id || !n.title.trim().is_empty() || !n.body.trim().is_empty());
    }

    fn named(&mut self, at: &mut Activity, renamed: Option<i64>, sys: &mut Sys<'_>) -> Option<i64> {
        let taken = |name: &str| {
            self.folders.iter().any(|f| f.name.eq_ignore_ascii_case(name) && Some(f.id) != renamed)
        };
        let name = parts::new_name(at, "folder_name", "folder", taken, sys)?;
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
    at.local("id").parse().ok().or_else(|| at.extra_int("id"))
}

impl App for Notes {
    fn manifest() -> Manifest {
        Manifest {
            activities: &[".MainActivity", ".EditActivity", ".FoldersActivity"],
            authorities: &["notes"],
            tables: &["notes/notes", "notes/folders"],
            ..Manifest::user(PACKAGE, "Notes", Icon::Note, Tone::Rgb(0xc7, 0x86, 0x0a))
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        seed::fresh(seed)
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        match at.name() {
            "EditActivity" => self.editor(at),
            "FoldersActivity" => self.folder_page(at),
            _ => self.main(at, cx),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let Some(message) = ev.message() else {
            if ev.kind == UiEventKind::Back && at.name() == "EditActivity" {
                self.drop_if_empty(at);
            }
            return;
        };
        match message {
            Msg::Folders => sys.open(".FoldersActivity", &[]),
            Msg::Show(folder) => at.set_local("folder", folder.to_string()),
            Msg::Enter(folder) => sys.open(".MainActivity", &[("folder", &folder)]),
            Msg::Open(id) => sys.open(".EditActivity", &[("id", &id)]),
            Msg::New(folder) => sys.open(".EditActivity", &[("folder", &folder)]),
            Msg::Title | Msg::Body => {
                let UiEventKind::Text(text) = &ev.kind else { return };
                if sys.storage_full() {
                    return sys.toast(parts::FULL);
                }
                let id = self.edited(at, sys.now());
                self.change(id, sys.now(), |note| {
                    let to = if message == Msg::Title { &mut note.title } else { &mut note.body };
                    text.clone_into(to);
                });
            }
            Msg::Pin(_) | Msg::PinThis => {
                at.overlay = None;
                let id = if let Msg::Pin(id) = message { id } else { self.edited(at, sys.now()) };
                if let Some(note) = self.notes.iter_mut().find(|x| x.id == id) {
                    note.pinned = !note.pinned;
                    sys.toast(if note.pinned { "Pinned" } else { "Unpinned" });
                }
            }
            Msg::MoveThis => at.overlay = Some(Over::Move(self.edited(at, sys.now())).into()),
            Msg::Moved(id, folder) => {
                let folder = self.folder_or_first(folder);
                self.change(id, sys.now(), |note| note.folder = folder);
                at.overlay = None;
                sys.toast(format!("Moved to {}", self.folder_name(folder)));
            }
            Msg::DropThis => at.overlay = Some(Over::Drop(editor_id(at).unwrap_or(0)).into()),
            Msg::Dropped(id) => {
                self.notes.retain(|x| x.id != id);
                at.overlay = None;
                sys.toast("Note deleted");
                if at.name() == "EditActivity" {
                    sys.finish();
                }
            }
            Msg::Named(note) => {
                // From the dialog that moves a note, the new folder takes it.
                if let Some(folder) = self.named(at, None, sys) {
                    self.change(note, sys.now(), |x| x.folder = folder);
                }
            }
            Msg::Renamed(folder) => {
                self.named(at, Some(folder), sys);
            }
            Msg::FolderDropped(folder) => {
                at.overlay = None;
                if !self.drop_folder(folder) {
                    sys.toast("The last folder stays");
                }
            }
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        match table {
            "notes/notes" => Some(self.notes.iter().map(|n| self.note_row(n)).collect()),
            "notes/folders" => Some(self.folders.iter().map(|f| self.folder_row(f)).collect()),
            _ => None,
        }
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
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
    fn note_row(&self, n: &Note) -> ProviderRow {
        row! {
            _id: n.id, title: &n.title, body: &n.body, folder_id: n.folder, folder: self.folder_name(n.folder),
            pinned: n.pinned, created: n.created, modified: n.modified,
        }
    }

    fn folder_row(&self, f: &Folder) -> ProviderRow {
        row! { _id: f.id, name: &f.name, notes: self.count(f) }
    }

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
