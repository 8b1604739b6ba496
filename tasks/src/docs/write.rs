//! Changing an element's documentation.
//!
//! Invariant: a change starts from what is on the disk at that moment, with what a person wrote into the
//! Markdown taken in, and is on the disk before anybody else's begins. So nobody's words are lost, however
//! long ago a store was opened.

use jiff::Timestamp;
use waldo_agents::appagent::docs::differ;
use waldo_agents::appagent::{Slot, TextLayer};
use waldo_devices::foreign;

use super::lock::Turn;
use super::store::{read_json, stem};
use super::{DocsStore, ElementDoc, ElementNote, NoteOutcome, TextChange, markdown};
use crate::error::{Result, TaskError};
use crate::record::{write_json, write_whole};

impl DocsStore {
    /// Writes a note. The same note (run, step, slot) is written once, however often it is given.
    pub fn document(&mut self, note: &ElementNote) -> Result<NoteOutcome> {
        let key = self.home(&note.key);
        let written = self.change(&key, |doc| add(doc, note))?;
        self.learnt |= written != NoteOutcome::Already;
        Ok(written)
    }

    /// Sets a text in a person's name; an empty one makes the slot forgotten in every layer.
    pub fn edit(&mut self, key: &str, slot: Slot, text: &str) -> Result<()> {
        if self.element(key).is_none() {
            return Err(TaskError::record(&self.path, format!("knows no element '{key}'")));
        }
        self.change(key, |doc| set_by_hand(doc, slot, text.trim()))
    }

    /// Changes an element as it is on the disk now; one that is not there begins empty.
    pub fn change<T>(&mut self, key: &str, change: impl FnOnce(&mut ElementDoc) -> T) -> Result<T> {
        self.found()?;
        let _turn = Turn::take(&self.path)?;
        let mut doc = self.fresh(key)?;
        let out = change(&mut doc);
        self.save(&doc)?;
        self.elements.insert(key.to_owned(), doc);
        Ok(out)
    }

    pub(super) fn absorb(&mut self) -> Result<()> {
        let keys: Vec<String> = self.elements.keys().cloned().collect();
        for key in keys {
            if !self.edits(&key)?.is_empty() {
                // Taking its turn reads the edits again: somebody else may have taken them in by now.
                self.change(&key, |_| ())?;
            }
        }
        Ok(())
    }

    /// An element as it is on the disk, with what a person changed.
    fn fresh(&self, key: &str) -> Result<ElementDoc> {
        let file = self.json_path(key);
        let mut doc = if file.exists() { read_json(&file)? } else { ElementDoc::default() };
        key.clone_into(&mut doc.key);
        for (slot, text) in self.edits(key)? {
            set_by_hand(&mut doc, slot, &text);
        }
        Ok(doc)
    }

    fn edits(&self, key: &str) -> Result<Vec<markdown::Edit>> {
        let file = self.markdown_path(key);
        match foreign::read_text(self.path(), &file, foreign::TEXT_BYTES) {
            Ok(text) => Ok(markdown::edits(&text)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(TaskError::io("read", &file)(e)),
        }
    }

    fn save(&self, doc: &ElementDoc) -> Result<()> {
        let key = &doc.key;
        write_json(&self.json_path(key), doc)?;
        let picture = self.picture_path(key).exists().then(|| format!("../pictures/{}.png", stem(key)));
        write_whole(&self.markdown_path(key), markdown::write(doc, picture.as_deref()).as_bytes())
    }
}

fn add(doc: &mut ElementDoc, note: &ElementNote) -> NoteOutcome {
    let before = |c: &TextChange| {
        note.run.is_some()
            && c.run == note.run
            && c.step == note.step
            && c.slot == note.slot
            && c.layer == note.layer
    };
    // A crash may have come between the two files, so even then both are written again.
    if doc.history.iter().any(before) {
        return NoteOutcome::Already;
    }
    let blank = doc.layers == waldo_agents::appagent::Layers::default();
    if !note.role.is_empty() {
        doc.role.clone_from(&note.role);
        // What is known without a name, from AppAgent say, is meant for any; it does not become one's own.
        if blank || (!doc.name.is_empty() && !differ(&doc.name, &note.name)) {
            doc.name.clone_from(&note.name);
        }
    }
    if note.uid != doc.key {
        doc.uid.clone_from(&note.uid);
    }
    if let Some(seen) = note.seen.as_ref().filter(|s| !doc.seen.iter().any(|d| d.place == s.place)) {
        doc.seen.push(seen.clone());
    }
    let layer = doc.layers.layer_mut(note.layer);
    let written = if layer.get(note.slot).is_empty() { NoteOutcome::New } else { NoteOutcome::Refined };
    layer.set(note.slot, note.text.trim());
    doc.history.push(TextChange {
        at: Timestamp::now(),
        layer: note.layer,
        slot: note.slot,
        text: note.text.trim().to_owned(),
        run: note.run.clone(),
        step: note.step,
        why: note.why.clone(),
    });
    written
}

fn set_by_hand(doc: &mut ElementDoc, slot: Slot, text: &str) {
    if text.is_empty() {
        for layer in TextLayer::ALL {
            doc.layers.layer_mut(layer).set(slot, "");
        }
    } else {
        doc.layers.hand.set(slot, text);
    }
    doc.history.push(TextChange {
        at: Timestamp::now(),
        layer: TextLayer::Hand,
        slot,
        text: text.to_owned(),
        run: None,
        step: None,
        why: String::new(),
    });
}
