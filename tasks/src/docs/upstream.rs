//! AppAgent's own folders: `apps/APP/auto_docs/UID.txt`, `demo_docs/UID.txt`, and the demos beside them.
//!
//! What is imported and not changed is exported byte for byte. A person's edits go into the file of the
//! layer that they corrected: the demonstrated one where there is one, else the explored one. AppAgent knows
//! an element by its uid alone, so what is known of several of one uid goes into one file, text by text with
//! their names.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;
use waldo_agents::appagent::docs::{common, logs, python};
use waldo_agents::appagent::{Slot, Slots, TextLayer};
use waldo_devices::foreign::{self, EntryKind, FolderEntry};

use super::{DocsStore, ElementDoc, TextChange};
use crate::error::{Result, TaskError};

const BASES: [(&str, TextLayer); 2] = [("auto_docs", TextLayer::Auto), ("demo_docs", TextLayer::Demo)];

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    pub docs: usize,
    /// Demonstrations (`record.txt`), with their actions.
    pub records: usize,
    pub actions: usize,
    pub log_lines: usize,
    /// Files that could not be taken, with the reason.
    pub left_out: Vec<String>,
}

/// Looks whether a folder is AppAgent's of an app, before a store is made for it.
pub fn check(from: &Path) -> Result<()> {
    if ["auto_docs", "demo_docs", "demos"].iter().any(|part| from.join(part).is_dir()) {
        return Ok(());
    }
    let message = "holds nothing of AppAgent's: no auto_docs, demo_docs or demos".to_owned();
    Err(TaskError::record(from, message))
}

/// Imports AppAgent's folder of an app into a store. What cannot be read is left out and told.
pub fn import(from: &Path, store: &mut DocsStore) -> Result<Moved> {
    check(from)?;
    let mut moved = Moved::default();
    for (base, layer) in BASES {
        let dir = from.join(base);
        if !dir.is_dir() {
            continue;
        }
        for FolderEntry { path: file, .. } in files(from, &dir)? {
            let Some(uid) = file.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_suffix(".txt"))
            else {
                moved.left_out.push(format!("{}: no UID.txt", file.display()));
                continue;
            };
            let text = match foreign::read(from, &file, foreign::TEXT_BYTES).map(String::from_utf8) {
                Ok(Ok(text)) => text,
                Ok(Err(_)) => {
                    moved.left_out.push(format!("{}: not UTF-8", file.display()));
                    continue;
                }
                Err(e) => return Err(TaskError::io("read", &file)(e)),
            };
            match python::read(&text) {
                Ok(slots) => {
                    take(store, uid, base, layer, &slots, text)?;
                    moved.docs += 1;
                }
                Err(e) => moved.left_out.push(format!("{}: {e}", file.display())),
            }
        }
    }
    let demos = from.join("demos");
    if demos.is_dir() {
        store.found()?;
        let to = store.path().join("upstream").join("demos");
        keep((from, &demos), (store.path(), &to), &mut moved)?;
    }
    Ok(moved)
}

fn take(
    store: &mut DocsStore,
    uid: &str,
    base: &str,
    layer: TextLayer,
    slots: &Slots,
    text: String,
) -> Result<()> {
    store.change(uid, |doc| {
        for slot in Slot::ALL {
            let new = slots.get(slot);
            if !new.is_empty() && doc.layers.layer(layer).get(slot) != new {
                doc.history.push(TextChange {
                    at: Timestamp::now(),
                    layer,
                    slot,
                    text: new.to_owned(),
                    run: None,
                    step: None,
                    why: "import".to_owned(),
                });
            }
        }
        *doc.layers.layer_mut(layer) = slots.clone();
        // Also a file that documents nothing comes back, and one that was written by hand.
        if python::write(slots) != text || slots.is_empty() {
            doc.raw.insert(base.to_owned(), text);
        } else {
            doc.raw.remove(base);
        }
    })
}

/// Copies demos as they are, and reads what can be read to tell what was found. Each folder is given behind the one
/// that was named, below which no link is followed.
pub(crate) fn keep((root, from): (&Path, &Path), (out, to): (&Path, &Path), moved: &mut Moved) -> Result<()> {
    foreign::make_folder(out, to).map_err(TaskError::io("make", to))?;
    for FolderEntry { name, path: file, kind } in files(root, from)? {
        match kind {
            EntryKind::Folder => keep((root, &file), (out, &to.join(name)), moved)?,
            EntryKind::File => keep_file((root, &file), (out, to), moved)?,
            EntryKind::Other(what) => moved.left_out.push(format!("{}: it is {what}", file.display())),
        }
    }
    Ok(())
}

/// Copies a file of a demo into the folder `to`.
pub(crate) fn keep_file(
    (root, file): (&Path, &Path),
    (out, to): (&Path, &Path),
    moved: &mut Moved,
) -> Result<()> {
    let Some(name) = file.file_name() else { return Ok(()) };
    let target = to.join(name);
    let bytes = foreign::read(root, file, foreign::LARGE_BYTES).map_err(TaskError::io("read", file))?;
    let name = name.to_string_lossy();
    let text = || String::from_utf8_lossy(&bytes).into_owned();
    if name == "record.txt" {
        match logs::read_record(&text()) {
            Ok(actions) => {
                moved.records += 1;
                moved.actions += actions.iter().filter(|a| **a != logs::Recorded::Stop).count();
            }
            Err(e) => moved.left_out.push(format!("{}: kept, but {e}", file.display())),
        }
    } else if name.starts_with("log_") && name.ends_with(".txt") {
        match logs::read_log(&text()) {
            Ok(lines) => moved.log_lines += lines.len(),
            Err((line, e)) => moved.left_out.push(format!("{}: kept, but line {line}: {e}", file.display())),
        }
    }
    put(out, &target, &bytes)
}

/// Writes a file below the folder `out`, through no link.
pub(crate) fn put(out: &Path, file: &Path, bytes: &[u8]) -> Result<()> {
    foreign::write(out, file, bytes).map_err(TaskError::io("write", file))
}

pub(crate) fn files(root: &Path, dir: &Path) -> Result<Vec<FolderEntry>> {
    foreign::list(root, dir).map_err(TaskError::io("read", dir))
}

/// Exports a store as AppAgent's folder of an app.
pub fn export(store: &DocsStore, to: &Path) -> Result<Moved> {
    let mut moved = Moved::default();
    let mut by_uid: BTreeMap<&str, Vec<&ElementDoc>> = BTreeMap::new();
    for doc in store.elements() {
        by_uid.entry(doc.uid()).or_default().push(doc);
    }
    for (uid, docs) in by_uid {
        for (base, layer) in BASES {
            let slots = common(docs.iter().map(|doc| (doc.name.as_str(), doc.layers.base(layer))));
            let raw = docs.iter().find_map(|doc| doc.raw.get(base));
            let raw = raw.filter(|raw| python::read(raw).is_ok_and(|read| read == slots));
            if slots.is_empty() && raw.is_none() {
                continue;
            }
            let name = format!("{uid}.txt");
            let fits = name.len() <= 255 && !uid.is_empty() && !uid.contains(['/', '\0']);
            if !fits {
                moved.left_out.push(format!("{uid}: AppAgent cannot keep a file of this name"));
                continue;
            }
            let text = raw.cloned().unwrap_or_else(|| python::write(&slots));
            put(to, &to.join(base).join(name), text.as_bytes())?;
            moved.docs += 1;
        }
    }
    let demos = store.path().join("upstream").join("demos");
    if demos.is_dir() {
        keep((store.path(), &demos), (to, &to.join("demos")), &mut moved)?;
    }
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use waldo_agents::appagent::docs::named;

    use super::*;

    #[test]
    fn appagents_folder_comes_back_byte_for_byte() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("apps/mail");
        let long = "u".repeat(251);
        let write = |path: &str, text: &str| {
            let file = from.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let canonical = "{'tap': \"It's sent.\", 'text': '', 'v_swipe': '', 'h_swipe': '', 'long_press': ''}";
        let by_hand = "{\"tap\": 'Opens\\x20it',\n 'text': \"\"}\n";
        let empty = "{'tap': '', 'text': '', 'v_swipe': '', 'h_swipe': '', 'long_press': ''}";
        write("auto_docs/com.app.id_send_2.txt", canonical);
        write("auto_docs/x y?.txt", by_hand);
        write(&format!("auto_docs/{long}.txt"), empty);
        write("demo_docs/com.app.id_send_2.txt", by_hand);
        write("demos/demo_1/record.txt", "tap(3):::com.app.id_send_2\nstop\n");
        write("demos/demo_1/log_mail_demo_1.txt", "{\"step\": 1, \"prompt\": \"\\u00e9\"}\n");
        write("demos/demo_1/xml/demo_1_1.xml", "<hierarchy/>");
        let mut store = DocsStore::create(&dir.path().join("docs"), "mail", "a test").unwrap();
        let moved = import(&from, &mut store).unwrap();
        assert_eq!((moved.docs, moved.records, moved.actions, moved.log_lines), (4, 1, 1, 1), "{moved:?}");
        assert!(moved.left_out.is_empty(), "{moved:?}");
        assert_eq!(store.text("com.app.id_send_2", Slot::Tap), Some("Opens it"), "demo wins");
        let to = dir.path().join("out");
        let store = DocsStore::open(&dir.path().join("docs"), None).unwrap();
        export(&store, &to).unwrap();
        let mut folders = vec![from.clone()];
        let mut compared = 0;
        while let Some(folder) = folders.pop() {
            for FolderEntry { path: file, kind, .. } in files(&from, &folder).unwrap() {
                if matches!(kind, EntryKind::Folder) {
                    folders.push(file);
                } else {
                    let twin = to.join(file.strip_prefix(&from).unwrap());
                    assert_eq!(fs::read(&file).unwrap(), fs::read(&twin).unwrap(), "{}", file.display());
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 7);
    }

    #[test]
    fn edits_are_exported_and_damaged_files_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("a");
        fs::create_dir_all(from.join("auto_docs")).unwrap();
        fs::write(from.join("auto_docs/k.txt"), "{'tap': 'Old.'}").unwrap();
        fs::write(from.join("auto_docs/bad.txt"), "{'tap': ").unwrap();
        let mut store = DocsStore::create(&dir.path().join("docs"), "a", "a test").unwrap();
        let moved = import(&from, &mut store).unwrap();
        assert_eq!((moved.docs, moved.left_out.len()), (1, 1));
        store.edit("k", Slot::Tap, "New.").unwrap();
        export(&store, &dir.path().join("out")).unwrap();
        let text = fs::read_to_string(dir.path().join("out/auto_docs/k.txt")).unwrap();
        assert_eq!(python::read(&text).unwrap().tap, "New.");
        assert!(import(&dir.path().join("docs"), &mut store).is_err());
    }

    #[test]
    fn what_shares_a_uid_is_one_file_for_appagent() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = DocsStore::create(&dir.path().join("docs"), "a", "a test").unwrap();
        for (name, text) in [("Display", "Opens the display."), ("Sound", "Opens the sound.")] {
            store
                .change(&named("L_3", name), |doc| {
                    (doc.uid, doc.name) = ("L_3".to_owned(), name.to_owned());
                    doc.layers.auto.set(Slot::Tap, text);
                })
                .unwrap();
        }
        let to = dir.path().join("out");
        assert_eq!(export(&store, &to).unwrap().docs, 1);
        let read = python::read(&fs::read_to_string(to.join("auto_docs/L_3.txt")).unwrap()).unwrap();
        assert_eq!(
            read.tap,
            "\u{201c}Display\u{201d}: Opens the display. \u{201c}Sound\u{201d}: Opens the sound."
        );
        // Taken back in, it speaks for every name.
        let mut again = DocsStore::create(&dir.path().join("again"), "a", "a test").unwrap();
        import(&to, &mut again).unwrap();
        assert_eq!(again.text(&named("L_3", "Battery"), Slot::Tap), Some(read.tap.as_str()));
    }
}
