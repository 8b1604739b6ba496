use super::*;
use crate::apps::drive::AppDriver;

const CONTACTS: &str = "content://com.android.contacts/contacts";
const DATA: &str = "content://com.android.contacts/data";

#[test]
fn a_contact_is_created_end_to_end_and_stays() {
    let mut h = AppDriver::of(PACKAGE);
    let before = h.rows(CONTACTS, "").len();
    h.tap("floating_action_button");
    h.fill("first_name", "Wanda").fill("last_name", "Quill").fill("phone", "555-0177x");
    h.tap("phone_type").tap_text("Work");
    h.scroll_to("More fields").fill("email", "wanda@example.com").scroll_to("More fields").tap("more_fields");
    h.scroll_to("Notes").fill("notes", "Plays chess").tap("editor_menu_save_button");
    assert!(h.shows("Wanda Quill") && h.shows("555-0177") && h.shows("Work"), "{}", h.xml());
    h.again();
    let row = h.rows(CONTACTS, "display_name='Wanda Quill'").remove(0);
    assert_eq!(row.int("has_phone_number"), Some(1));
    assert_eq!(h.rows(CONTACTS, "").len(), before + 1);
    let id = row.int("_id").unwrap();
    let data = h.rows(DATA, &format!("contact_id={id}"));
    let of = |kind: &str, column: &str| {
        data.iter().find(|r| r.text("mimetype").ends_with(kind)).map(|r| r.text(column)).unwrap_or_default()
    };
    assert_eq!((of("phone_v2", "data1"), of("phone_v2", "data2")), ("555-0177".into(), "3".into()));
    assert_eq!((of("/name", "data2"), of("/name", "data3")), ("Wanda".into(), "Quill".into()));
    assert_eq!(
        (of("email_v2", "data1"), of("note", "data1")),
        ("wanda@example.com".into(), "Plays chess".into())
    );
}

#[test]
fn search_star_edit_and_delete() {
    let mut h = AppDriver::of(PACKAGE);
    let who = h.rows(CONTACTS, "starred=0").remove(0);
    let (id, name) = (who.int("_id").unwrap(), who.text("display_name"));
    h.fill("search_view", &name).tap("cliv_name_textview").tap("menu_star");
    let starred = |h: &AppDriver| h.rows(CONTACTS, "starred=1").len();
    assert_eq!(starred(&h), 4);
    h.tap("menu_edit").fill("company", "Acme").tap("editor_menu_save_button");
    assert!(h.shows("Acme"));
    h.tap("menu_edit").fill("company", "Other").back();
    assert!(h.shows("Discard your changes?"));
    h.tap_text("Discard");
    assert!(h.shows("Acme"));
    let all = h.rows(CONTACTS, "").len();
    h.tap("menu_overflow").tap_text("Delete");
    assert!(h.shows("Delete contact?"));
    h.tap_text("Cancel");
    assert_eq!(h.rows(CONTACTS, "").len(), all);
    h.tap("menu_overflow").tap_text("Delete").tap("android:id/button1");
    assert_eq!(h.rows(CONTACTS, "").len(), all - 1);
    assert!(h.rows(DATA, "").iter().all(|r| r.int("contact_id") != Some(id)));
    h.again().tap("menu_more").tap_text("Sort by").tap_text("Last name");
    assert!(h.xml().contains(", "), "last names first");
}

#[test]
fn a_call_is_logged_and_a_text_goes_to_the_messages() {
    let mut h = AppDriver::of(PACKAGE);
    h.tap("cliv_name_textview").tap("verb_call");
    assert!(h.shows("Calling…"));
    h.w.tick(h.w.now_ms() + 5_000);
    h.tap_desc("End call");
    let calls = h.rows("content://call_log/calls", "");
    assert_eq!(calls.len(), 1);
    assert!(calls[0].int("duration").unwrap() >= 5 && !calls[0].text("name").is_empty());
    h.tap("icon_alternate");
    assert_eq!(h.w.foreground().package, "com.android.messaging");
}

#[test]
fn the_seed_brings_duplicates_and_a_namesake() {
    let mut seed = Seed::of(5, PACKAGE, 0);
    let people = people::people(&mut seed);
    assert_eq!(people.len(), 27);
    let twice = people
        .iter()
        .filter(|p| people.iter().any(|q| q.id < p.id && q.name() == p.name()))
        .collect::<Vec<_>>();
    assert_eq!(twice.len(), 3);
    let same = |p: &Person, q: &Person| people::digits(&p.phone) == people::digits(&q.phone);
    let real = twice.iter().filter(|p| people.iter().any(|q| q.id < p.id && same(p, q))).count();
    assert_eq!(real, 2, "one of the three only has the same name");
}

#[test]
fn rows_are_put_and_deleted_as_on_a_device() {
    let mut h = AppDriver::of(PACKAGE);
    assert!(h.w.insert(CONTACTS, &ProviderRow::default().with("display_name", "No")).is_err());
    let raw = h.w.insert("content://com.android.contacts/raw_contacts", &ProviderRow::default()).unwrap();
    let id: i64 = raw.rsplit('/').next().unwrap().parse().unwrap();
    for (kind, value) in [("name", "Bo Li Marsh"), ("phone_v2", "555-0999")] {
        let row = ProviderRow::default()
            .with("raw_contact_id", id)
            .with("mimetype", format!("vnd.android.cursor.item/{kind}"))
            .with("data1", value);
        h.w.insert(DATA, &row).unwrap();
    }
    let row = h.rows("content://com.android.contacts/data/phones", "data4='5550999'").remove(0);
    assert_eq!(row.text("display_name"), "Bo Li Marsh");
    let star = ProviderRow::default().with("starred", 1);
    assert_eq!(h.w.update(CONTACTS, &star, Some(&format!("_id={id}"))).unwrap(), 1);
    assert_eq!(h.rows(&format!("{CONTACTS}/{id}"), "")[0].int("starred"), Some(1));
    assert_eq!(h.w.delete(CONTACTS, Some(&format!("_id={id}"))).unwrap(), 1);
    assert!(h.rows(CONTACTS, &format!("_id={id}")).is_empty());
}
