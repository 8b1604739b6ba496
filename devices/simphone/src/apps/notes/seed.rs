//! The notes on a new phone.

use super::{Folder, Note, Notes};
use crate::apps::prelude::*;

pub(super) fn fresh(seed: &mut Seed) -> Notes {
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
