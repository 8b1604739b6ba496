use super::*;
use crate::apps::drive::AppDriver;

fn all(h: &AppDriver) -> Vec<ProviderRow> {
    h.rows("content://sms", "")
}

#[test]
fn a_reply_is_sent_and_the_thread_is_read() {
    let mut h = AppDriver::of(PACKAGE);
    let fresh = |h: &AppDriver| h.rows("content://sms/inbox", "read=0").len();
    let before = fresh(&h);
    assert!(before >= 2, "the seed leaves some unread");
    h.tap("unread_badge");
    assert_eq!(fresh(&h), before - 1);
    let count = all(&h).len();
    h.tap("send_message_button_icon");
    assert_eq!(all(&h).len(), count, "nothing to send yet");
    h.fill("compose_message_text", "On my way").tap("send_message_button_icon");
    assert!(h.shows("On my way") && h.shows("Text message"));
    h.again();
    assert!(h.shows("You: On my way"), "the thread stands first");
    let last = all(&h).remove(0);
    assert_eq!((last.text("body"), last.int("type")), ("On my way".to_owned(), Some(2)));
    let inbox = h.rows("content://sms/inbox", &format!("thread_id={}", last.int("thread_id").unwrap()));
    assert_eq!(inbox[0].text("address"), last.text("address"));
}

#[test]
fn a_new_message_goes_to_a_contact_by_name_and_to_a_bare_number() {
    let mut h = AppDriver::of(PACKAGE);
    let used: Vec<String> =
        h.rows("content://mms-sms/canonical-addresses", "").iter().map(|r| key(&r.text("address"))).collect();
    let phones = h.rows("content://com.android.contacts/data/phones", "");
    let who = phones.iter().find(|r| !used.contains(&key(&r.text("data1")))).unwrap();
    h.tap("start_new_conversation_button").fill("recipient_text_view", &who.text("display_name"));
    h.tap("contact_name").fill("compose_message_text", "Hello there").tap("send_message_button_icon");
    assert_eq!(h.rows("content://sms/sent", "body='Hello there'")[0].text("address"), who.text("data1"));
    h.back();
    h.tap("start_new_conversation_button").fill("recipient_text_view", "555 0000 77").tap("send_to_number");
    h.fill("compose_message_text", "Who is this?").tap("send_message_button_icon").again();
    assert!(h.shows("555 0000 77"));
    assert_eq!(h.rows("content://mms-sms/conversations", "snippet='Who is this?'").len(), 1);
}

#[test]
fn a_held_thread_is_deleted_after_asking() {
    let mut h = AppDriver::of(PACKAGE);
    let threads = |h: &AppDriver| h.rows("content://mms-sms/conversations", "");
    let (before, first) = (threads(&h).len(), threads(&h).remove(0));
    let xml = h.xml();
    let name = xml.split("conversation_name").next().unwrap().rsplit("text=\"").next().unwrap();
    let name = name.split('"').next().unwrap().to_owned();
    h.hold_text(&name);
    assert!(h.xml().contains("action_mode_bar"));
    h.back();
    assert!(!h.xml().contains("action_mode_bar"), "back ends the selection alone");
    h.hold_text(&name).tap("action_delete").tap_text("Cancel").tap("action_delete").tap_text("Delete");
    assert_eq!(threads(&h).len(), before - 1);
    assert!(threads(&h).iter().all(|t| t.int("_id") != first.int("_id")));
    assert!(h.rows("content://sms", &format!("thread_id={}", first.int("_id").unwrap())).is_empty());
}

#[test]
fn a_row_put_in_shows_up() {
    let mut h = AppDriver::of(PACKAGE);
    let row = ProviderRow::default()
        .with("address", "555-7000")
        .with("body", "Gate B12")
        .with("date", 1_772_445_600_000_i64);
    h.w.insert("content://sms/inbox", &row).unwrap();
    assert!(h.shows("Gate B12") && h.shows("555-7000"));
    assert_eq!(h.w.delete("content://sms", Some("body='Gate B12'")).unwrap(), 1);
    assert!(!h.shows("555-7000"));
}
