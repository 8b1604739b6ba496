use serde_json::{Value, json};

use super::{Files, ROOT, SortBy, folder};
use crate::{
    apps::prelude::*,
    files::{Inode, Kind, base_name, join, parent},
};

pub(super) fn title(path: &str) -> &str {
    if path == ROOT { "Internal storage" } else { base_name(path) }
}

fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn kind_of(name: &str, node: &Inode) -> (Icon, &'static str, &'static str) {
    if node.is_dir() {
        return (Icon::Folder, "#2f5da8", "Folder");
    }
    match name.rsplit_once('.').map(|(_, e)| e.to_lowercase()).as_deref() {
        Some("jpg" | "jpeg" | "png" | "webp") => (Icon::Image, "#7b3f98", "Image"),
        Some("mp3" | "ogg" | "m4a" | "wav") => (Icon::Music, "#b02a5b", "Audio"),
        Some("pdf") => (Icon::File, "#a84b2f", "PDF document"),
        Some("csv") => (Icon::File, "#2e7d4f", "Spreadsheet"),
        Some("txt" | "md" | "xml" | "json") => (Icon::File, "#0f7680", "Text"),
        _ => (Icon::File, "#4a5568", "File"),
    }
}

/// What a layout is told of an item; of a folder, how much is in it.
fn item(path: &str, node: &Inode, cx: &Cx<'_>) -> Value {
    let name = base_name(path);
    let (icon, colour, kind) = kind_of(name, node);
    let size = if node.is_dir() {
        let inside = cx.files.list(path).unwrap_or_default();
        parts::count(inside.iter().filter(|(name, _)| !name.starts_with('.')).count(), "item")
    } else {
        size_text(node.size())
    };
    json!({
        "name": name, "folder": node.is_dir(), "icon": icon, "colour": colour, "kind": kind, "size": size,
        "modified": node.mtime,
    })
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

    pub(super) fn shown(&self, at: &Activity, cx: &Cx<'_>) -> Value {
        let dir = folder(at);
        // What the screen is about: the file that is viewed, or else the item that a dialog is about.
        let about = match (at.name(), at.overlay.as_deref().and_then(|over| over.split_once('/'))) {
            ("ViewActivity", _) => at.extra("path"),
            ("PickActivity", _) => at.extra("from"),
            (_, Some((_, name))) => join(&dir, name),
            _ => String::new(),
        };
        let node = cx.files.stat(&about).ok();
        let text = match node.map(|node| &node.kind) {
            Some(Kind::File(bytes)) if bytes.len() <= 20_000 => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        let items = self.listed(&dir, cx);
        let items: Vec<Value> = items.iter().map(|(name, node)| item(&join(&dir, name), node, cx)).collect();
        let below = dir.strip_prefix(ROOT).unwrap_or(&dir).replace('/', " > ");
        let room = cx.files.room();
        json!({
            "items": items, "item": node.map(|node| item(&about, node, cx)), "text": text, "name": base_name(&about),
            "here": parent(&about) == dir, "root": dir == ROOT, "title": title(&dir), "trail": format!("Internal storage{below}"),
            "room": format!("{} of {} used", size_text(room.used), size_text(room.total)), "dir": dir,
        })
    }
}
