//! What the files app shows.

use super::{Files, ROOT, SortBy, folder};
use crate::{
    apps::{Cx, Overlay, Screen, kit, parts},
    files::{Kind, Node as FsNode, base_name, join},
    ui::{
        icon::Icon,
        node::{Len, Node},
        theme::Tone,
    },
    world::stack::Activity,
};

/// A folder's name as people know it.
pub(super) fn title(path: &str) -> &str {
    if path == ROOT { "Internal storage" } else { base_name(path) }
}

fn trail(path: &str) -> String {
    let below = path.strip_prefix(ROOT).unwrap_or(path).replace('/', " > ");
    format!("Internal storage{below}")
}

#[allow(clippy::cast_precision_loss, reason = "sizes are far below the limit")]
fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn kind_of(name: &str, node: &FsNode) -> (Icon, Tone, &'static str) {
    if node.is_dir() {
        return (Icon::Folder, Tone::Rgb(0x2f, 0x5d, 0xa8), "Folder");
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
    if n == 1 { "1 item".to_owned() } else { format!("{n} items") }
}

impl Files {
    /// What is in a folder, folders first, in the chosen order.
    fn listed(&self, path: &str, cx: &Cx<'_>) -> Vec<(String, FsNode)> {
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

    fn item(dir: &str, name: &str, node: &FsNode, cx: &Cx<'_>) -> Node {
        let (icon, ground, _) = kind_of(name, node);
        let day = crate::clock::Civil::of(node.mtime).short();
        let below = if node.is_dir() {
            count(cx, &join(dir, name))
        } else {
            format!("{} · {day}", size_text(node.size()))
        };
        let more = kit::icon_button("item_more", Icon::More, "", format!("menu/{name}"));
        kit::row(Some(kit::badge(icon, ground, 42.0)), name, &below, Some(more))
            .id("item_root")
            .pad(16.0, 9.0)
            .tap(format!("open/{name}"))
            .long(format!("menu/{name}"))
    }

    pub(super) fn browse(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let dir = folder(at);
        let back = (dir != ROOT).then_some("up");
        let bar = kit::app_bar(
            if dir == ROOT { "Files" } else { title(&dir) },
            back,
            vec![
                kit::icon_button("option_menu_create_dir", Icon::Plus, "New folder", "mkdir"),
                kit::icon_button("option_menu_sort", Icon::Sort, "", "sort"),
            ],
        );
        let items = self.listed(&dir, cx);
        let list = if items.is_empty() {
            kit::nothing(Icon::Folder, "No items")
        } else {
            Node::list("dir_list", items.iter().map(|(n, f)| Self::item(&dir, n, f, cx)).collect())
        };
        let mut body = vec![
            Node::text(trail(&dir))
                .id("breadcrumb")
                .sp(13.5)
                .lines(1)
                .tone(Tone::Muted)
                .pad(20.0, 6.0)
                .fill(),
            list,
        ];
        if dir == ROOT {
            let room = cx.files.room();
            let full = room.used >= room.total;
            let text = if full {
                "Storage is full".to_owned()
            } else {
                format!("{} of {} used", size_text(room.used), size_text(room.total))
            };
            body.push(
                Node::row(vec![
                    Node::icon(Icon::Storage, 22.0).tone(Tone::Muted),
                    Node::text(text).id("storage_summary").sp(14.0).tone(if full {
                        Tone::Danger
                    } else {
                        Tone::Muted
                    }),
                ])
                .gap(12.0)
                .pad(20.0, 12.0)
                .bg(Tone::Card),
            );
        }
        let body = Node::column(body).h(Len::Fill(1.0));
        Screen::new(kit::page(bar, body, None)).over(self.over(at, cx))
    }

    fn over(&self, at: &Activity, cx: &Cx<'_>) -> Option<Overlay> {
        let (kind, name) = at.overlay.as_deref().map(|o| o.split_once('/').unwrap_or((o, "")))?;
        let ask = |head: &str, field: Node, on: &str| {
            Overlay::Dialog(kit::dialog(
                head,
                vec![field.submit(on)],
                &[("android:id/button2", "Cancel", "cancel"), ("android:id/button1", "OK", on)],
            ))
        };
        match kind {
            "menu" => {
                let on = |verb: &str| format!("{verb}/{name}");
                let (open, rename, moving, copy, details, delete) =
                    (on("open"), on("rename"), on("move"), on("copy"), on("details"), on("delete"));
                let mut lines = vec![
                    (Icon::Right, "Open", open.as_str()),
                    (Icon::Edit, "Rename", &rename),
                    (Icon::Folder, "Move to…", &moving),
                ];
                if cx.files.stat(&join(&folder(at), name)).is_ok_and(|n| !n.is_dir()) {
                    lines.push((Icon::Copy, "Make a copy", &copy));
                }
                lines.push((Icon::Info, "Details", &details));
                lines.push((Icon::Trash, "Delete", &delete));
                Some(Overlay::Sheet(parts::sheet(name, &lines)))
            }
            "rename" => Some(ask(
                "Rename",
                Node::field("file_name", "Name").with_text(name),
                &format!("renamed/{name}"),
            )),
            "mkdir" => Some(ask("New folder", Node::field("folder_name", "Folder name"), "made")),
            "details" => {
                let path = join(&folder(at), name);
                let node = cx.files.stat(&path).ok()?;
                let size = if node.is_dir() { count(cx, &path) } else { size_text(node.size()) };
                let line = |id: &str, label: &str, value: String| {
                    Node::column(vec![
                        Node::text(label).sp(13.0).tone(Tone::Muted),
                        Node::text(value).id(id).sp(16.0),
                    ])
                    .pad(0.0, 5.0)
                };
                Some(Overlay::Dialog(kit::dialog(
                    "Details",
                    vec![
                        line("details_name", "Name", name.to_owned()),
                        line("details_type", "Type", kind_of(name, node).2.to_owned()),
                        line("details_size", "Size", size),
                        line("details_modified", "Modified", parts::moment(node.mtime)),
                        line("details_path", "Location", trail(&folder(at))),
                    ],
                    &[("android:id/button1", "Close", "cancel")],
                )))
            }
            "delete" => Some(Overlay::Dialog(kit::confirm(
                "Delete?",
                &format!("\u{201c}{name}\u{201d} will be deleted for good."),
                "Delete",
                &format!("deleted/{name}"),
            ))),
            "sort" => {
                let rows = SortBy::ALL.iter().map(|(sort, word, label)| {
                    let mine = *sort == self.sort;
                    let arrow = if self.descending { " (descending)" } else { " (ascending)" };
                    let label = if mine { format!("{label}{arrow}") } else { (*label).to_owned() };
                    kit::radio("android:id/text1", mine, &label, format!("by/{word}")).pad(0.0, 0.0)
                });
                Some(Overlay::Dialog(kit::dialog(
                    "Sort by",
                    rows.collect(),
                    &[("android:id/button2", "Cancel", "cancel")],
                )))
            }
            _ => None,
        }
    }

    pub(super) fn pick(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let dir = folder(at);
        let from = at.extra("from");
        let rows: Vec<Node> = self
            .listed(&dir, cx)
            .iter()
            .filter(|(_, n)| n.is_dir())
            .map(|(name, _)| {
                let front = kit::badge(Icon::Folder, Tone::Rgb(0x2f, 0x5d, 0xa8), 42.0);
                kit::row(Some(front), name, "", None).id("item_root").tap(format!("open/{name}"))
            })
            .collect();
        let list = if rows.is_empty() {
            kit::nothing(Icon::Folder, "No folders here")
        } else {
            Node::list("dir_list", rows)
        };
        let here = crate::files::parent(&from) == dir;
        let body = Node::column(vec![
            Node::text(trail(&dir))
                .id("breadcrumb")
                .sp(13.5)
                .lines(1)
                .tone(Tone::Muted)
                .pad(20.0, 6.0)
                .fill(),
            list,
            Node::row(vec![
                kit::text_button("cancel", "Cancel", "close"),
                Node::spring().h(Len::Dp(1.0)),
                kit::button("move_here", "Move here", "here").disabled_if(|| here),
            ])
            .pad(16.0, 12.0)
            .bg(Tone::Card),
        ])
        .h(Len::Fill(1.0));
        let head = format!("Move {}", base_name(&from));
        Screen::new(kit::page(kit::app_bar(&head, Some("up"), vec![]), body, None))
    }

    pub(super) fn content(at: &Activity, cx: &Cx<'_>) -> Screen {
        let path = at.extra("path");
        let name = base_name(&path);
        let bar = kit::app_bar(name, Some("up"), vec![]);
        let Ok(node) = cx.files.stat(&path) else {
            return Screen::new(kit::page(bar, kit::nothing(Icon::Warning, "File not found"), None));
        };
        let text = match &node.kind {
            Kind::File(bytes) if bytes.len() <= 20_000 => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        let (icon, _, kind) = kind_of(name, node);
        let body = match text {
            Some(text) => Node::scroll(
                "text_scroll",
                vec![Node::text(text).id("text_view").sp(15.5).pad(20.0, 12.0).fill()],
            ),
            None => kit::nothing(icon, &format!("{kind} · {}\nNo preview", size_text(node.size()))),
        };
        Screen::new(kit::page(bar, body, None))
    }
}
