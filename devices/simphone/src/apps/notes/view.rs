//! What the notes app shows.

use super::{Note, Notes, editor_id};
use crate::{
    apps::{Cx, Overlay, Screen, kit, parts},
    ui::{
        icon::Icon,
        node::{Input, Len, Node},
        theme::Tone,
    },
    world::stack::Activity,
};

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
        let title = if n.title.is_empty() { "Untitled" } else { &n.title };
        let mut head = vec![Node::text(title).id("note_title").sp(17.0).bold().lines(1).fill()];
        if n.pinned {
            head.push(Node::icon(Icon::Pin, 18.0).id("note_pinned").tone(Tone::Primary));
        }
        let mut lines = vec![Node::row(head).gap(8.0)];
        let first: Vec<&str> = n.body.lines().filter(|l| !l.is_empty()).take(2).collect();
        if !first.is_empty() {
            lines.push(Node::text(first.join(" · ")).id("note_snippet").sp(14.5).lines(2).tone(Tone::Muted));
        }
        let day = crate::clock::Civil::of(n.modified).short();
        lines.push(
            Node::row(vec![
                Node::icon(Icon::Folder, 15.0).class("android.view.View").tone(Tone::Muted),
                Node::text(format!("{} · {day}", self.folder_name(n.folder)))
                    .id("note_meta")
                    .sp(13.0)
                    .lines(1)
                    .tone(Tone::Muted),
            ])
            .gap(6.0),
        );
        kit::card(lines).id("note_item").gap(6.0).tap(format!("open/{}", n.id)).long(format!("hold/{}", n.id))
    }

    pub(super) fn main(&self, at: &Activity, _: &Cx<'_>) -> Screen {
        let own: i64 = at.extra("folder").parse().unwrap_or(0);
        let folder = if own > 0 { own } else { at.local("folder").parse().unwrap_or(0) };
        let searching = parts::searching(at);
        let bar = if searching {
            parts::search_bar("Search notes")
        } else {
            let title = if own > 0 { self.folder_name(own) } else { "Notes" };
            let find = kit::icon_button("action_search", Icon::Search, "", "find");
            let folders = kit::icon_button("action_folders", Icon::Folder, "Folders", "folders");
            let buttons = if own > 0 { vec![find] } else { vec![find, folders] };
            kit::app_bar(title, (own > 0).then_some("up"), buttons)
        };
        let wanted = at.field("search_src_text").unwrap_or("").to_lowercase();
        let notes = self.listed(folder, &wanted);
        let body = if notes.is_empty() {
            kit::nothing(Icon::Note, if searching { "No notes found" } else { "No notes here" })
        } else {
            // Room below, so that the last note can be scrolled out from under the button.
            let rows = notes.iter().map(|n| self.item(n)).chain([Node::space(1.0, 84.0)]);
            Node::list("note_list", rows.collect())
        };
        let mut parts = vec![];
        if own == 0 {
            let mut chips = vec![kit::chip("folder_chip", "All", folder == 0, "show/0")];
            chips.extend(
                self.folders
                    .iter()
                    .map(|f| kit::chip("folder_chip", &f.name, f.id == folder, &format!("show/{}", f.id))),
            );
            parts.push(parts::chip_strip("folder_strip", chips));
        }
        parts.push(body);
        let page = Node::column(parts).h(Len::Fill(1.0));
        let fab = kit::fab("fab_add", Icon::Plus, "New note", format!("new/{folder}"));
        Screen::new(kit::page(bar, page, Some(fab))).over(self.over(at))
    }

    pub(super) fn editor(&self, at: &Activity) -> Screen {
        let note = editor_id(at).and_then(|id| self.note(id));
        let (title, body) = note.map_or(("", ""), |n| (&n.title, &n.body));
        let pinned = note.is_some_and(|n| n.pinned);
        let pin = kit::icon_button("action_pin", Icon::Pin, "", "pin/this");
        let pin = if pinned { pin.bg(Tone::Tint).radius(24.0) } else { pin }.selected_if(|| pinned);
        let bar = kit::app_bar(
            "",
            Some("up"),
            vec![
                pin,
                kit::icon_button("action_move", Icon::Folder, "Move to folder", "moving"),
                kit::icon_button("action_delete", Icon::Trash, "", "dropping"),
            ],
        );
        let meta = note.map_or_else(
            || "New note".to_owned(),
            |n| format!("{} · edited {}", self.folder_name(n.folder), parts::moment(n.modified)),
        );
        let page = Node::scroll(
            "edit_scroll",
            vec![
                Node::text(meta).id("note_meta").sp(13.0).tone(Tone::Muted).pad(20.0, 4.0),
                Node::field("title", "Title")
                    .with_text(title)
                    .sp(22.0)
                    .bold()
                    .margin(16.0, 4.0)
                    .change("title"),
                Node::field("body", "Note")
                    .input(Input::Lines)
                    .with_text(body)
                    .sp(16.5)
                    .margin(16.0, 4.0)
                    .change("body"),
            ],
        );
        Screen::new(kit::page(bar, page, None)).over(self.over(at))
    }

    pub(super) fn folder_page(&self, at: &Activity) -> Screen {
        let rows = self
            .folders
            .iter()
            .map(|f| {
                let count = self.notes.iter().filter(|n| n.folder == f.id).count();
                let many = if count == 1 { "1 note".to_owned() } else { format!("{count} notes") };
                let more = kit::icon_button("folder_more", Icon::More, "", format!("folder/{}", f.id));
                let front = Node::icon(Icon::Folder, 26.0).tone(Tone::Primary);
                kit::row(Some(front), &f.name, &many, Some(more))
                    .id("folder_item")
                    .tap(format!("enter/{}", f.id))
                    .long(format!("folder/{}", f.id))
            })
            .collect();
        let fab = kit::fab("fab_add_folder", Icon::Plus, "New folder", "naming");
        let bar = kit::app_bar("Folders", Some("up"), vec![]);
        Screen::new(kit::page(bar, Node::list("folder_list", rows), Some(fab))).over(self.over(at))
    }

    fn over(&self, at: &Activity) -> Option<Overlay> {
        let (kind, rest) = at.overlay.as_deref().map(|o| o.split_once('/').unwrap_or((o, "")))?;
        let id: i64 = rest.parse().unwrap_or(0);
        let note = self.note(id);
        let title = note.map_or("Note", |n| if n.title.is_empty() { "Untitled" } else { &n.title });
        match kind {
            "hold" => Some(Overlay::Sheet(parts::sheet(
                title,
                &[
                    (
                        Icon::Pin,
                        if note.is_some_and(|n| n.pinned) { "Unpin" } else { "Pin" },
                        &format!("pin/{id}"),
                    ),
                    (Icon::Folder, "Move to folder", &format!("move/{id}")),
                    (Icon::Trash, "Delete", &format!("drop/{id}")),
                ],
            ))),
            "move" => {
                let rows = self.folders.iter().map(|f| {
                    let mine = note.is_some_and(|n| n.folder == f.id);
                    kit::radio("android:id/text1", mine, &f.name, format!("moved/{id}/{}", f.id))
                        .pad(0.0, 0.0)
                });
                let rows = Node::scroll("move_list", rows.collect())
                    .h(Len::Dp(52.0 * f32::from(u8::try_from(self.folders.len().min(7)).unwrap_or(7))));
                let naming = format!("naming/{id}");
                Some(Overlay::Dialog(kit::dialog(
                    "Move to folder",
                    vec![rows],
                    &[
                        ("new_folder", "New folder", naming.as_str()),
                        ("android:id/button2", "Cancel", "cancel"),
                    ],
                )))
            }
            "drop" => Some(Overlay::Dialog(kit::confirm(
                "Delete note?",
                &format!("\u{201c}{title}\u{201d} will be deleted."),
                "Delete",
                &format!("dropped/{id}"),
            ))),
            "folder" => Some(Overlay::Sheet(parts::sheet(
                self.folder_name(id),
                &[
                    (Icon::Edit, "Rename", &format!("renaming/{id}")),
                    (Icon::Trash, "Delete folder", &format!("drop_folder/{id}")),
                ],
            ))),
            "drop_folder" => Some(Overlay::Dialog(kit::confirm(
                "Delete folder?",
                &format!(
                    "The notes in \u{201c}{}\u{201d} are kept in the first folder.",
                    self.folder_name(id)
                ),
                "Delete",
                &format!("folder_dropped/{id}"),
            ))),
            "naming" | "renaming" => {
                let (head, name, on) = if kind == "naming" {
                    ("New folder", "", if rest.is_empty() { "named".into() } else { format!("named/{rest}") })
                } else {
                    ("Rename folder", self.folder_name(id), format!("renamed/{id}"))
                };
                Some(Overlay::Dialog(kit::dialog(
                    head,
                    vec![Node::field("folder_name", "Folder name").with_text(name).submit(on.clone())],
                    &[("android:id/button2", "Cancel", "cancel"), ("android:id/button1", "OK", &on)],
                )))
            }
            _ => None,
        }
    }
}
