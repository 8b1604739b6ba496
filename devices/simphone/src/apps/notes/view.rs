//! What the notes app shows.

use super::{Folder, Msg, Note, Notes, Over, editor_id};
use crate::apps::prelude::*;

impl Notes {
    fn listed(&self, folder: i64, wanted: &str) -> Vec<&Note> {
        let fits = |n: &&Note| {
            (folder == 0 || n.folder == folder)
                && (n.title.to_lowercase().contains(wanted) || n.body.to_lowercase().contains(wanted))
        };
        let mut all: Vec<&Note> = self.notes.iter().filter(fits).collect();
        all.sort_by_key(|n| (!n.pinned, -n.modified, n.id));
        all
    }

    fn item(&self, n: &Note) -> Node {
        let mut head = vec![Node::label("note_title", n.shown_title(), 17.0).bold().lines(1).fill()];
        if n.pinned {
            head.push(Node::icon(Icon::Pin, 18.0).id("note_pinned").tone(Tone::Primary));
        }
        let mut lines = vec![Node::row(head).gap(8.0)];
        let first: Vec<&str> = n.body.lines().filter(|l| !l.is_empty()).take(2).collect();
        if !first.is_empty() {
            lines.push(Node::label("note_snippet", first.join(" · "), 14.5).lines(2).muted());
        }
        let day = Civil::of(n.modified).short();
        let meta = format!("{} · {day}", self.folder_name(n.folder));
        lines.push(
            Node::row(vec![
                Node::mark(Icon::Folder, 15.0, Tone::Muted),
                Node::label("note_meta", meta, 13.0).lines(1).muted(),
            ])
            .gap(6.0),
        );
        kit::card(lines).id("note_item").gap(6.0).tap(Msg::Open(n.id)).long(show(Over::Hold(n.id)))
    }

    pub(super) fn main(&self, at: &Activity, _: &Cx<'_>) -> AppScreen {
        let own = at.extra_int("folder").unwrap_or(0);
        let folder = if own > 0 { own } else { at.local("folder").parse().unwrap_or(0) };
        let find = kit::icon_button("action_search", Icon::Search, "", Common::Search);
        let bar = if at.searching() {
            parts::search_bar("Search notes")
        } else if own > 0 {
            kit::up_bar(self.folder_name(own), vec![find])
        } else {
            let folders = kit::icon_button("action_folders", Icon::Folder, "Folders", Msg::Folders);
            kit::app_bar("Notes", vec![find, folders])
        };
        let wanted = at.field("search_src_text").unwrap_or("").to_lowercase();
        let notes = self.listed(folder, &wanted).into_iter().map(|n| self.item(n)).collect();
        let empty = if at.searching() { "No notes found" } else { "No notes here" };
        let mut parts = vec![];
        if own == 0 {
            let chip = |id, name| kit::chip("folder_chip", name, id == folder, Msg::Show(id));
            let mut chips = vec![chip(0, "All")];
            chips.extend(self.folders.iter().map(|f| chip(f.id, &f.name)));
            parts.push(parts::chip_strip("folder_strip", chips));
        }
        parts.push(kit::list_under_fab("note_list", notes, 84.0, (Icon::Note, empty)));
        let fab = kit::fab("fab_add", Icon::Plus, "New note", Msg::New(folder));
        AppScreen::new(kit::page(bar, Node::column(parts).tall(), Some(fab))).over(self.over(at))
    }

    pub(super) fn editor(&self, at: &Activity) -> AppScreen {
        let note = editor_id(at).and_then(|id| self.note(id));
        let (title, body) = note.map_or(("", ""), |n| (&n.title, &n.body));
        let pin = kit::icon_button("action_pin", Icon::Pin, "", Msg::PinThis);
        let bar = kit::up_bar(
            "",
            vec![
                kit::lit(pin, note.is_some_and(|n| n.pinned)),
                kit::icon_button("action_move", Icon::Folder, "Move to folder", Msg::MoveThis),
                kit::icon_button("action_delete", Icon::Trash, "", Msg::DropThis),
            ],
        );
        let meta = note.map_or_else(
            || "New note".to_owned(),
            |n| format!("{} · edited {}", self.folder_name(n.folder), parts::moment(n.modified)),
        );
        let field = |id, hint, text: &str| Node::field(id, hint).with_text(text).margin(16.0, 4.0);
        let rows = vec![
            Node::label("note_meta", meta, 13.0).muted().pad(20.0, 4.0),
            field("title", "Title", title).sp(22.0).bold().change(Msg::Title),
            field("body", "Note", body).input(FieldInput::Lines).sp(16.5).change(Msg::Body),
        ];
        parts::screen(bar, Node::scroll("edit_scroll", rows)).over(self.over(at))
    }

    pub(super) fn folder_page(&self, at: &Activity) -> AppScreen {
        let row = |f: &Folder| {
            let more = kit::icon_button("folder_more", Icon::More, "", show(Over::Folder(f.id)));
            let front = Node::icon(Icon::Folder, 26.0).tone(Tone::Primary);
            kit::row(Some(front), &f.name, &parts::count(self.count(f), "note"), Some(more))
                .id("folder_item")
                .tap(Msg::Enter(f.id))
                .long(show(Over::Folder(f.id)))
        };
        let list = Node::list("folder_list", self.folders.iter().map(row).collect());
        let naming = ask("folder_name", Over::Naming(0));
        let fab = kit::fab("fab_add_folder", Icon::Plus, "New folder", naming);
        AppScreen::new(kit::page(kit::up_bar("Folders", vec![]), list, Some(fab))).over(self.over(at))
    }

    fn over(&self, at: &Activity) -> Option<Overlay> {
        let naming = |title, name: &str, on| {
            dialogs::ask(title, Node::field("folder_name", "Folder name").with_text(name), "OK", on)
        };
        let title = |id| self.note(id).map_or("Note", Note::shown_title);
        Some(match at.over()? {
            Over::Hold(id) => {
                let pinned = self.note(id).is_some_and(|n| n.pinned);
                let lines = [
                    (Icon::Pin, if pinned { "Unpin" } else { "Pin" }, Msg::Pin(id).into()),
                    (Icon::Folder, "Move to folder", show(Over::Move(id))),
                    (Icon::Trash, "Delete", show(Over::Drop(id))),
                ];
                dialogs::sheet(title(id), lines)
            }
            Over::Move(id) => {
                let home = self.note(id).map(|n| n.folder);
                let option = |f: &Folder| dialogs::option(&f.name, home == Some(f.id), Msg::Moved(id, f.id));
                let rows = self.folders.iter().map(option).collect();
                let new = ("new_folder", "New folder", ask("folder_name", Over::Naming(id)));
                dialogs::pick("Move to folder", ("move_list", 52.0, rows), new)
            }
            Over::Drop(id) => {
                let text = format!("\u{201c}{}\u{201d} will be deleted.", title(id));
                dialogs::confirm("Delete note?", &text, "Delete", Msg::Dropped(id))
            }
            Over::Folder(id) => {
                let renaming = ask("folder_name", Over::Renaming(id));
                let lines = [
                    (Icon::Edit, "Rename", renaming),
                    (Icon::Trash, "Delete folder", show(Over::DropFolder(id))),
                ];
                dialogs::sheet(self.folder_name(id), lines)
            }
            Over::DropFolder(id) => {
                let name = self.folder_name(id);
                let text = format!("The notes in \u{201c}{name}\u{201d} are kept in the first folder.");
                dialogs::confirm("Delete folder?", &text, "Delete", Msg::FolderDropped(id))
            }
            Over::Naming(note) => naming("New folder", "", Msg::Named(note)),
            Over::Renaming(id) => naming("Rename folder", self.folder_name(id), Msg::Renamed(id)),
        })
    }
}
