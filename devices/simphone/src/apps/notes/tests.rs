use crate::{apps::drive::AppDriver, fault::Stay};

const NOTES: &str = "content://notes/notes";

#[test]
fn a_note_is_written_found_and_kept() {
    let mut d = AppDriver::of(super::PACKAGE);
    d.tap("fab_add").type_into("title", "Dentist").type_into("body", "Bring the card").back().back();
    assert!(d.shows("Dentist"), "{}", d.xml());
    d.again();
    let row = d.rows(NOTES, "title='Dentist'").remove(0);
    assert_eq!((row.text("body"), row.text("folder")), ("Bring the card".into(), "Personal".into()));
    d.tap("action_search").type_into("search_src_text", "the CARD");
    assert_eq!(d.texts("note_title"), ["Dentist"]);
    d.back().back();
    assert!(d.texts("note_title").len() > 3, "back ends the search, not the app");
}

#[test]
fn a_note_moves_is_pinned_and_deleted() {
    let mut d = AppDriver::of(super::PACKAGE);
    let title = d.texts("note_title").remove(1);
    d.hold_text(&title).tap_text("Move to folder").tap_text("New folder");
    d.type_into("folder_name", "Archive").tap("android:id/button1");
    assert_eq!(d.rows(NOTES, "folder='Archive'").remove(0).text("title"), title);
    d.tap_text(&title).tap("action_move").tap_text("Travel").tap("action_pin");
    let row = d.rows(NOTES, &format!("title='{title}'")).remove(0);
    assert_eq!((row.text("folder"), row.int("pinned")), ("Travel".into(), Some(1)));
    d.tap("action_delete").tap_text("Delete");
    assert!(d.rows(NOTES, &format!("title='{title}'")).is_empty());
    assert!(d.w.foreground().short().ends_with(".MainActivity") && !d.shows(&title));
}

#[test]
fn a_folder_is_renamed_and_deleted_and_its_notes_stay() {
    let mut d = AppDriver::of(super::PACKAGE);
    let before = d.rows(NOTES, "").len();
    d.tap("action_folders").tap_beside("Work", "folder_more").tap_text("Rename");
    d.type_into("folder_name", "Office").tap("android:id/button1").tap_beside("Office", "folder_more");
    d.tap_text("Delete folder").tap_text("Delete");
    assert!(!d.shows("Office"));
    assert_eq!(d.rows(NOTES, "").len(), before);
    assert!(d.rows(NOTES, "folder=''").is_empty());
    d.tap_text("Recipes");
    assert!(d.shows("Recipes"));
}

#[test]
fn an_empty_note_is_none_and_a_full_phone_keeps_nothing() {
    let mut d = AppDriver::of(super::PACKAGE);
    let before = d.rows(NOTES, "").len();
    d.tap("fab_add").back();
    assert_eq!(d.rows(NOTES, "").len(), before);
    d.w.faults_mut().set("low-storage".parse().unwrap(), Stay::Always);
    d.tap("fab_add").type_into("title", "Lost");
    assert_eq!(d.toast(), crate::apps::parts::FULL);
    assert_eq!(d.rows(NOTES, "").len(), before);
}

#[test]
fn rows_can_be_put_and_taken() {
    use crate::world::providers::ProviderRow;
    let mut d = AppDriver::of(super::PACKAGE);
    let uri =
        d.w.insert(NOTES, &ProviderRow::default().with("title", "From outside").with("folder", "Work"))
            .unwrap();
    assert!(d.shows("From outside"));
    d.w.update(&uri, &ProviderRow::default().with("folder", "Recipes"), None).unwrap();
    assert_eq!(d.rows(&uri, "").remove(0).text("folder"), "Recipes");
    assert_eq!(d.w.delete(&uri, None).unwrap(), 1);
    assert!(!d.shows("From outside"));
}
