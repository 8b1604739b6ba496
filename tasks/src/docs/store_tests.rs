use std::fs;

use waldo_agents::appagent::TextLayer;

use super::*;
use crate::docs::compare;

fn note(key: &str, slot: Slot, layer: TextLayer, text: &str, step: u32) -> ElementNote {
    ElementNote {
        key: key.into(),
        uid: String::new(),
        slot,
        layer,
        text: text.into(),
        role: "button".into(),
        name: "Save".into(),
        seen: Some(ScreenSighting { place: "/a".into(), title: "A".into() }),
        run: Some("r1".into()),
        step: Some(step),
        why: "SUCCESS".into(),
    }
}

#[test]
fn what_is_written_is_read_and_a_note_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = DocsStore::create(dir.path(), "Mail & more", "a test").unwrap();
    let first = note("k", Slot::Tap, TextLayer::Auto, "Saves.", 1);
    assert_eq!(store.document(&first).unwrap(), NoteOutcome::New);
    assert_eq!(store.document(&first).unwrap(), NoteOutcome::Already);
    assert_eq!(
        store.document(&note("k", Slot::Tap, TextLayer::Auto, "Saves all.", 2)).unwrap(),
        NoteOutcome::Refined
    );
    let again = DocsStore::open(dir.path(), None).unwrap();
    assert_eq!(again.element("k"), store.element("k"));
    assert_eq!(again.element("k").unwrap().history.len(), 2);
    assert_eq!(again.text("k", Slot::Tap), Some("Saves all."));
    assert_eq!(again.app(), "Mail & more");
    let docs = again.docs(None);
    assert_eq!(docs.iter().next(), Some(("k", "It can be tapped. Saves all.".to_owned())));
    assert!(again.docs(Some(TextLayer::Demo)).is_empty());
}

#[test]
fn a_persons_words_are_read_back_and_outlive_learning() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = DocsStore::create(dir.path(), "mail", "a test").unwrap();
    store.document(&note("k", Slot::Tap, TextLayer::Auto, "Saves.", 1)).unwrap();
    let file = store.markdown_path("k");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("Saves.\n\n<!--", "Saves the draft.\n\n<!--")).unwrap();
    // The store is open and does not know of it yet.
    store.document(&note("k", Slot::Tap, TextLayer::Auto, "Keeps it.", 2)).unwrap();
    assert_eq!(store.text("k", Slot::Tap), Some("Saves the draft."));
    let again = DocsStore::open(dir.path(), Some("mail")).unwrap();
    let doc = again.element("k").unwrap();
    assert_eq!(
        (doc.layers.hand.tap.as_str(), doc.layers.auto.tap.as_str()),
        ("Saves the draft.", "Keeps it.")
    );
    assert_eq!(doc.history.len(), 3);
    // An outdated Markdown is not an edit.
    fs::write(&file, text).unwrap();
    assert_eq!(DocsStore::open(dir.path(), None).unwrap().text("k", Slot::Tap), Some("Saves the draft."));
}

#[test]
fn keys_of_any_kind_get_files_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = DocsStore::create(dir.path(), "../x", "a test").unwrap();
    assert!(store.path().starts_with(dir.path()) && store.path().parent() == Some(dir.path()));
    let long = "x".repeat(255);
    let keys = ["a/b", "a:b", "A", "a", "..", "", long.as_str(), &format!("{long}y"), "\u{1f600}\n\"*?"];
    for (i, key) in (1..).zip(keys) {
        store.document(&note(key, Slot::Tap, TextLayer::Demo, key, i)).unwrap();
        store.picture(key, b"png").unwrap();
    }
    let again = DocsStore::open(dir.path(), None).unwrap();
    assert_eq!(again.elements().count(), keys.len());
    for key in keys {
        assert_eq!(again.element(key).map(|e| e.key.as_str()), Some(key));
        assert!(again.picture_path(key).exists());
    }
}

#[test]
fn stores_are_compared_and_wrong_ones_refused() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut first = DocsStore::create(a.path(), "x", "a test").unwrap();
    let mut second = DocsStore::create(b.path(), "x", "a test").unwrap();
    first.document(&note("k", Slot::Tap, TextLayer::Auto, "One.", 1)).unwrap();
    second.document(&note("k", Slot::Tap, TextLayer::Demo, "Two.", 1)).unwrap();
    second.document(&note("l", Slot::Text, TextLayer::Demo, "Three.", 2)).unwrap();
    let found = compare(&first, &second);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].before.as_str(), found[0].after.as_str()), ("One.", "Two."));
    assert_ne!(first.hash(None), second.hash(None));
    second.edit("k", Slot::Tap, "").unwrap();
    assert_eq!(second.text("k", Slot::Tap), None);
    assert!(second.edit("nope", Slot::Tap, "x").is_err());
    let mut third = DocsStore::create(a.path(), "y", "a test").unwrap();
    third.document(&note("k", Slot::Tap, TextLayer::Auto, "One.", 1)).unwrap();
    let message = DocsStore::open(a.path(), None).unwrap_err().to_string();
    assert!(message.contains("several apps") && message.contains("x, y"), "{message}");
    assert!(DocsStore::open(a.path(), Some("z")).unwrap_err().to_string().contains("it holds x, y"));
}

#[test]
fn what_others_change_meanwhile_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let mut learning = DocsStore::create(dir.path(), "mail", "a test").unwrap();
    learning.document(&note("k", Slot::Tap, TextLayer::Auto, "Saves.", 1)).unwrap();
    // As `waldo docs edit` does: both files are written at once, so that the Markdown shows no edit.
    let mut person = DocsStore::open(dir.path(), None).unwrap();
    person.edit("k", Slot::Tap, "Saves the draft.").unwrap();
    learning.document(&note("k", Slot::LongPress, TextLayer::Auto, "Shows more.", 2)).unwrap();
    let doc = DocsStore::open(dir.path(), None).unwrap().element("k").unwrap().clone();
    assert_eq!(
        (doc.layers.hand.tap.as_str(), doc.layers.auto.long_press.as_str()),
        ("Saves the draft.", "Shows more.")
    );
    assert_eq!(learning.element("k"), Some(&doc));
    assert_eq!(doc.history.len(), 3);
    // The other way round, and with an edit in the Markdown that an import meets.
    let file = learning.markdown_path("k");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("Shows more.\n\n<!--", "Shows all.\n\n<!--")).unwrap();
    learning.change("k", |doc| doc.layers.demo.set(Slot::Text, "Takes a name.")).unwrap();
    person.edit("k", Slot::Tap, "Saves it.").unwrap();
    let merged = person.element("k").unwrap().layers.merged();
    assert_eq!(
        (merged.tap.as_str(), merged.text.as_str(), merged.long_press.as_str()),
        ("Saves it.", "Takes a name.", "Shows all.")
    );
}

#[test]
fn many_write_at_once_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    DocsStore::create(dir.path(), "mail", "a test")
        .unwrap()
        .document(&note("k", Slot::Tap, TextLayer::Auto, "Saves.", 0))
        .unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let dir = dir.path();
            scope.spawn(move || {
                let mut store = DocsStore::open(dir, None).unwrap();
                for step in 1..=10 {
                    let step = thread * 100 + step;
                    store
                        .document(&note("k", Slot::Tap, TextLayer::Auto, &format!("Text {step}."), step))
                        .unwrap();
                }
            });
        }
    });
    let store = DocsStore::open(dir.path(), None).unwrap();
    assert_eq!(store.element("k").unwrap().history.len(), 41);
}

#[test]
fn two_do_not_learn_into_one_folder() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = DocsStore::create(dir.path(), "mail", "waldo explore").unwrap();
    let message = DocsStore::create(dir.path(), "mail", "waldo demo learn").unwrap_err().to_string();
    let who = format!("waldo explore (process {}, since ", std::process::id());
    assert!(message.contains(&who) && message.contains("--docs"), "{message}");
    DocsStore::create(dir.path(), "notes", "waldo explore").unwrap();
    first.document(&note("k", Slot::Tap, TextLayer::Auto, "Saves.", 1)).unwrap();
    DocsStore::open(dir.path(), Some("mail")).unwrap();
    drop(first);
    DocsStore::create(dir.path(), "mail", "waldo docs import").unwrap();
}

#[test]
fn what_one_uid_does_under_another_name_is_not_known() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = DocsStore::create(dir.path(), "settings", "a test").unwrap();
    let row = |name: &str, text: &str, step| ElementNote {
        key: waldo_agents::appagent::docs::named("L_1080_189_3", name),
        uid: "L_1080_189_3".into(),
        name: name.into(),
        ..note("", Slot::Tap, TextLayer::Auto, text, step)
    };
    let key = |name: &str| row(name, "", 0).key;
    store.document(&row("Display, Dark theme", "Opens the display's page.", 1)).unwrap();
    assert!(store.knows(&key("Display, Light theme"), Slot::Tap), "its state is another");
    assert!(!store.knows(&key("Sound"), Slot::Tap));
    store.document(&row("Sound", "Opens the sound's page.", 2)).unwrap();
    let text = fs::read_to_string(store.markdown_path(&key("Sound"))).unwrap();
    assert!(
        text.starts_with("# button \u{201c}Sound\u{201d}\n\nKey: `L_1080_189_3 \u{201c}Sound\u{201d}`\n"),
        "{text}"
    );
    // What is known of the uid alone, from AppAgent or from a screen where it had no name, holds for any.
    store.change("L_1080_189_4", |doc| doc.layers.demo.set(Slot::Tap, "Opens a page.")).unwrap();
    let other = "L_1080_189_4 \u{201c}Sound\u{201d}";
    assert_eq!(store.text(other, Slot::Tap), Some("Opens a page."));
    // What an earlier waldo wrote by the uid alone, or `--compat` does, holds where the name is the same.
    store.change("L_1080_189_4", |doc| doc.name = "Battery, 80 %".into()).unwrap();
    assert_eq!(store.text(other, Slot::Tap), None);
    let battery = "L_1080_189_4 \u{201c}Battery\u{201d}";
    assert_eq!(store.text(battery, Slot::Tap), Some("Opens a page."));
    let note = ElementNote { key: battery.into(), ..row("Battery", "Opens the battery's page.", 3) };
    assert_eq!(store.document(&note).unwrap(), NoteOutcome::New);
    assert_eq!(store.element("L_1080_189_4").unwrap().layers.auto.tap, "Opens the battery's page.");
    assert!(store.element(battery).is_none());
    assert_eq!(DocsStore::open(dir.path(), None).unwrap().elements().count(), 3);
}

#[test]
fn nothing_is_left_of_a_store_in_which_nothing_was_kept() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    let mut store = DocsStore::create(&docs, "mail", "a test").unwrap();
    store.set_graph(&Graph::default()).unwrap();
    assert!(DocsStore::open(&docs, None).is_err() && DocsStore::create(&docs, "mail", "a test").is_err());
    drop(store);
    assert_eq!(fs::read_dir(&docs).unwrap().count(), 0);
    store = DocsStore::create(&docs, "mail", "a test").unwrap();
    assert!(!store.learnt);
    store.document(&note("k", Slot::Tap, TextLayer::Auto, "Saves.", 1)).unwrap();
    assert!(store.learnt);
    drop(store);
    assert_eq!(DocsStore::open(&docs, None).unwrap().app(), "mail");
}
