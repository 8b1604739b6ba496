use crate::apps::drive::AppDriver;

#[test]
fn sizes_order_and_times_are_the_phones() {
    let mut d = AppDriver::of(super::PACKAGE);
    let now = d.w.wall();
    d.w.files.write("/sdcard/Documents/aa_small.txt", b"short".to_vec()).unwrap();
    d.w.files.write("/sdcard/Documents/ab_large.txt", vec![b'x'; 90_000]).unwrap();
    assert_eq!(d.w.files.stat("/sdcard/Documents/aa_small.txt").unwrap().mtime, now);
    d.tap_text("Documents").tap("option_menu_sort").tap_text("Size").tap("option_menu_sort");
    d.tap_text("Size (ascending)");
    let first_file = d.texts("android:id/title").into_iter().find(|t| t.contains('.'));
    assert_eq!(first_file.as_deref(), Some("ab_large.txt"));
    d.tap_beside("ab_large.txt", "item_more").tap_text("Details");
    assert_eq!(d.text("details_size"), "90.0 kB");
    d.tap("android:id/button1").tap_beside("ab_large.txt", "item_more").tap_text("Make a copy");
    assert!(d.w.files.stat("/sdcard/Documents/ab_large (1).txt").unwrap().mtime > now);
}
