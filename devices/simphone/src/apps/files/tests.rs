use crate::{apps::drive::AppDriver, fault::Stay};

/// A drive whose Documents hold two files of known names.
fn drive() -> AppDriver {
    let mut d = AppDriver::of(super::PACKAGE);
    d.w.files.write("/sdcard/Documents/aa_small.txt", b"short".to_vec()).unwrap();
    d.w.files.write("/sdcard/Documents/ab_large.txt", vec![b'x'; 90_000]).unwrap();
    d.tap_text("Documents");
    d
}

#[test]
fn a_file_is_renamed_and_the_shell_sees_it() {
    let mut d = drive();
    d.tap_beside("aa_small.txt", "item_more").tap_text("Rename").type_into("file_name", "aa_tiny.txt");
    d.tap("android:id/button1");
    assert!(d.shows("aa_tiny.txt") && !d.shows("aa_small.txt"));
    assert_eq!(&*d.w.files.read("/sdcard/Documents/aa_tiny.txt").unwrap(), b"short");
    d.tap_beside("aa_tiny.txt", "item_more").tap_text("Rename").type_into("file_name", "ab_large.txt");
    d.tap("android:id/button1");
    assert_eq!(d.toast(), "An item of that name already exists");
    assert_eq!(d.w.files.read("/sdcard/Documents/ab_large.txt").unwrap().len(), 90_000);
}

#[test]
fn a_file_moves_into_a_new_folder_and_is_deleted_there() {
    let mut d = drive();
    d.tap("option_menu_create_dir").type_into("folder_name", "A new one").tap("android:id/button1");
    d.hold_text("aa_small.txt").tap_text("Move to…");
    assert!(d.w.foreground().short().ends_with(".PickActivity"));
    d.tap_text("Documents").tap_text("A new one").tap("move_here");
    assert!(d.w.files.exists("/sdcard/Documents/A new one/aa_small.txt"));
    assert!(!d.w.files.exists("/sdcard/Documents/aa_small.txt"));
    d.tap_text("A new one");
    assert_eq!(d.text("breadcrumb"), "Internal storage &gt; Documents &gt; A new one");
    d.hold_text("aa_small.txt").tap_text("Delete").tap("android:id/button1");
    assert!(!d.w.files.exists("/sdcard/Documents/A new one/aa_small.txt"));
    d.back().back();
    assert!(d.shows("Files"));
}

#[test]
fn sorting_stays_and_details_tell() {
    let mut d = drive();
    d.tap("option_menu_sort").tap_text("Size").tap("option_menu_sort").tap_text("Size (ascending)");
    let first_file = d.texts("android:id/title").into_iter().find(|t| t.contains('.'));
    assert_eq!(first_file.as_deref(), Some("ab_large.txt"));
    let prefs = d.rows("content://files/prefs", "").remove(0);
    assert_eq!((prefs.text("sort"), prefs.int("descending")), ("size".into(), Some(1)));
    d.again();
    assert_eq!(d.rows("content://files/prefs", "").remove(0).text("sort"), "size");
    d.tap_text("Documents").tap_beside("ab_large.txt", "item_more").tap_text("Details");
    assert_eq!(d.text("details_size"), "90.0 kB");
}

#[test]
fn a_full_phone_takes_no_folder_and_no_copy_and_times_are_the_phones() {
    let mut d = drive();
    let now = d.w.wall();
    assert_eq!(d.w.files.stat("/sdcard/Documents/aa_small.txt").unwrap().mtime, now);
    d.w.faults_mut().set("low-storage".parse().unwrap(), Stay::Always);
    d.tap("option_menu_create_dir").type_into("folder_name", "No room").tap("android:id/button1");
    assert_eq!(d.toast(), "No space left on device");
    d.tap("android:id/button2").tap_beside("aa_small.txt", "item_more").tap_text("Make a copy");
    assert_eq!(d.toast(), "No space left on device");
    d.w.faults_mut().clear_all();
    d.tap_beside("aa_small.txt", "item_more").tap_text("Make a copy");
    assert!(d.w.files.exists("/sdcard/Documents/aa_small (1).txt"));
    assert!(d.w.files.stat("/sdcard/Documents/aa_small (1).txt").unwrap().mtime > now);
    d.tap_text("aa_small.txt");
    assert_eq!(d.text("text_view"), "short");
}
