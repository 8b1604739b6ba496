//! What the files app shows.

use super::{Files, Msg, Over, ROOT, SortBy, folder};
use crate::{
    apps::prelude::*,
    files::{Inode, Kind, base_name, join},
};

const FOLDER: Tone = Tone::Rgb(0x2f, 0x5d, 0xa8);

/// A folder's name as people know it.
pub(super) fn title(path: &str) -> &str {
    if path == ROOT { "Internal storage" } else { base_name(path) }
}

fn trail(path: &str) -> String {
    let below = path.strip_prefix(ROOT).unwrap_or(path).replace('/', " > ");
    format!("Internal storage{below}")
}

fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn kind_of(name: &str, node: &Inode) -> (Icon, Tone, &'static str) {
    if node.is_dir() {
        return (Icon::Folder, FOLDER, "Folder");
    }
    match name.rsplit_once('.').map(|(_, e)| e.to_lowercase()).as_deref() {
        Some("jpg" | "jpeg" | "png" | "webp") => (Icon::Image, Tone::Rgb(0x7b, 0x3f, 0x98), "Image"),
        Some("mp3" | "ogg" | "m4a" | "wav") => (Icon::Music, Tone::Rgb(0xb0, 0x2a, 0x5b), "Audio"),
        Some("pdf") => (Icon::File, Tone::Rgb(0xa8, 0x4b, 0x2f), "PDF document"),
        Some("csv") => (Icon::File, Tone::Rgb(0x2e, 0x7d, 0x4f), "Spreadsheet"),
        Some("txt" | "md" | "xml" | "json") => (Icon::File, Tone::Rgb(0x0f, 0x76, 0x80), "Text"),
        _ => (Icon::File, Tone::Rgb(0x4a, 0x55, 0x68), "File"),
    }
}

fn count(cx: &Cx<'_>, path: &str) -> String {
    let n = cx.files.list(path).map_or(0, |l| l.iter().filter(|(n, _)| !n.starts_with('.')).count());
    parts::count(n, "item")
}

/// A folder's rows under its place in the tree.
fn folder_body(dir: &str, rows: Vec<Node>, empty: &str) -> Vec<Node> {
    let trail = Node::label("breadcrumb", trail(dir), 13.5).lines(1).muted().pad(20.0, 6.0).fill();
    vec![trail, kit::list("dir_list", rows, (Icon::Folder, empty))]
}

impl Files {
    /// What is in a folder, folders first, in the chosen order.
    fn listed(&self, path: &str, cx: &Cx<'_>) -> Vec<(String, Inode)> {
        let mut all = cx.files.list(path).unwrap_or_default();
        all.retain(|(name, _)| !name.starts_with('.'));
        all.sort_by_key(|(name, _)| name.to_lowercase());
        match self.sort {
            SortBy::Name => {}
            SortBy::Date => all.sort_by_key(|(_, n)| n.mtime),
            SortBy::Size => all.sort_by_key(|(_, n)| n.size()),
        }
        if self.descending {
            all.reverse();
        }
        all.sort_by_key(|(_, n)| !n.is_dir());
        all
    }

    fn item(dir: &str, name: &str, node: &Inode, cx: &Cx<'_>) -> Node {
        let (icon, ground, _) = kind_of(name, node);
        let day = Civil::of(node.mtime).short();
        let below = if node.is_dir() {
            count(cx, &join(dir, name))
        } else {
            format!("{} · {day}", size_text(node.size()))
        };
        let menu = show(Over::Menu(name.to_owned()));
        let more = kit::icon_button("item_more", Icon::More, "", menu.clone());
        kit::row(Some(kit::badge(icon, ground, 42.0)), name, &below, Some(more))
            .id("item_root")
            .pad(16.0, 9.0)
            .tap(Msg::Open(name.to_owned()))
            .long(menu)
    }

    pub(super) fn browse(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let dir = folder(at);
        let make = ask("folder_name", Over::MakeFolder);
        let buttons = vec![
            kit::icon_button("option_menu_create_dir", Icon::Plus, "New folder", make),
            kit::icon_button("option_menu_sort", Icon::Sort, "", show(Over::Sort)),
        ];
        let bar =
            if dir == ROOT { kit::app_bar("Files", buttons) } else { kit::up_bar(title(&dir), buttons) };
        let rows = self.listed(&dir, cx).iter().map(|(n, f)| Self::item(&dir, n, f, cx)).collect();
        let mut body = folder_body(&dir, rows, "No items");
        if dir == ROOT {
            let room = cx.files.room();
            let (text, tone) = if room.used >= room.total {
                ("Storage is full".to_owned(), Tone::Danger)
            } else {
                (format!("{} of {} used", size_text(room.used), size_text(room.total)), Tone::Muted)
            };
            let summary = Node::label("storage_summary", text, 14.0).tone(tone);
            body.push(
                Node::row(vec![Node::icon(Icon::Storage, 22.0).muted(), summary])
                    .gap(12.0)
                    .pad(20.0, 12.0)
                    .bg(Tone::Card),
            );
        }
        parts::screen(bar, Node::column(body).tall()).over(self.over(at, cx))
    }

    fn over(&self, at: &Activity, cx: &Cx<'_>) -> Option<Overlay> {
        let dir = folder(at);
        Some(match at.over()? {
            Over::Menu(name) => {
                let own = || name.clone();
                let mut lines = vec![
                    (Icon::Right, "Open", Msg::Open(own()).into()),
                    (Icon::Edit, "Rename", ask("file_name", Over::Rename(own()))),
                    (Icon::Folder, "Move to…", Msg::Move(own()).into()),
                ];
                if cx.files.stat(&join(&dir, &name)).is_ok_and(|n| !n.is_dir()) {
                    lines.push((Icon::Copy, "Make a copy", Msg::Copy(own()).into()));
                }
                lines.push((Icon::Info, "Details", show(Over::Details(own()))));
                lines.push((Icon::Trash, "Delete", show(Over::Delete(own()))));
                dialogs::sheet(&name, lines)
            }
            Over::Rename(name) => {
                let field = Node::field("file_name", "Name").with_text(&*name);
                dialogs::ask("Rename", field, "OK", Msg::Renamed(name))
            }
            Over::MakeFolder => {
                dialogs::ask("New folder", Node::field("folder_name", "Folder name"), "OK", Msg::Made)
            }
            Over::Details(name) => {
                let path = join(&dir, &name);
                let node = cx.files.stat(&path).ok()?;
                let size = if node.is_dir() { count(cx, &path) } else { size_text(node.size()) };
                let kind = kind_of(&name, node).2.to_owned();
                let lines = [
                    ("details_name", "Name", name),
                    ("details_type", "Type", kind),
                    ("details_size", "Size", size),
                    ("details_modified", "Modified", parts::moment(node.mtime)),
                    ("details_path", "Location", trail(&dir)),
                ];
                let line = |(id, label, value)| {
                    let label = Node::text(label).sp(13.0).muted();
                    Node::column(vec![label, Node::label(id, value, 16.0)]).pad(0.0, 5.0)
                };
                let body = lines.map(|l: (&str, &str, String)| line(l)).to_vec();
                dialogs::notice("Details", body, ("android:id/button1", "Close"))
            }
            Over::Delete(name) => {
                let text = format!("\u{201c}{name}\u{201d} will be deleted for good.");
                dialogs::confirm("Delete?", &text, "Delete", Msg::Deleted(name))
            }
            Over::Sort => dialogs::choice(
                "Sort by",
                SortBy::ALL.iter().map(|(sort, word, label)| {
                    let mine = *sort == self.sort;
                    let arrow = if self.descending { " (descending)" } else { " (ascending)" };
                    let label = format!("{label}{}", if mine { arrow } else { "" });
                    dialogs::option(&label, mine, Msg::By((*word).to_owned()))
                }),
            ),
        })
    }

    pub(super) fn pick(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let dir = folder(at);
        let from = at.extra("from");
        let row = |name: String| {
            let front = kit::badge(Icon::Folder, FOLDER, 42.0);
            kit::row(Some(front), &name, "", None).id("item_root").tap(Msg::Open(name))
        };
        let folders = self.listed(&dir, cx).into_iter().filter(|(_, n)| n.is_dir());
        let mut body = folder_body(&dir, folders.map(|(name, _)| row(name)).collect(), "No folders here");
        let here = crate::files::parent(&from) == dir;
        body.push(
            Node::row(vec![
                kit::text_button("cancel", "Cancel", Msg::Close),
                Node::spring().high(1.0),
                kit::button("move_here", "Move here", Msg::Here).disabled_if(|| here),
            ])
            .pad(16.0, 12.0)
            .bg(Tone::Card),
        );
        let bar = kit::up_bar(&format!("Move {}", base_name(&from)), vec![]);
        parts::screen(bar, Node::column(body).tall())
    }

    pub(super) fn content(at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let path = at.extra("path");
        let name = base_name(&path);
        let bar = kit::up_bar(name, vec![]);
        let Ok(node) = cx.files.stat(&path) else {
            return parts::screen(bar, kit::nothing(Icon::Warning, "File not found"));
        };
        let text = match &node.kind {
            Kind::File(bytes) if bytes.len() <= 20_000 => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        let (icon, _, kind) = kind_of(name, node);
        let body = match text {
            Some(text) => {
                let text = Node::label("text_view", text, 15.5).pad(20.0, 12.0).fill();
                Node::scroll("text_scroll", vec![text])
            }
            None => kit::nothing(icon, &format!("{kind} · {}\nNo preview", size_text(node.size()))),
        };
        parts::screen(bar, body)
    }
}
