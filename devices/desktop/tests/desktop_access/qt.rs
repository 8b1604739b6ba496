//! Programs that list no objects, and those that have none.

use super::support::*;
use waldo_devices::Affordance;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_qt_editor_is_walked() {
    let (mut desk, reader) = Desk::with(&["featherpad"]).await;
    desk.run("featherpad", &[]);
    let seen = until(&reader, "the editor", |r| clickable(r) > 6).await;
    is_sound(&seen);
    let client = window_of(&reader, "Untitled").client;
    for name in ["File", "Edit", "Search"] {
        assert!(client.contains(get(&seen, "menuitem", name).hit), "{client:?}");
    }
    let page = seen.elements.iter().find(|e| e.can(Affordance::Edit) && e.bounds.h > 200.0).expect("a text");
    assert!(client.contains(page.hit));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_exposes_nothing_and_is_told_so() {
    let (mut desk, reader) = Desk::with(&["xterm", "galculator"]).await;
    desk.run("galculator", &[]);
    until(&reader, "the calculator", |r| clickable(r) > 25).await;
    desk.run("xterm", &["-title", "Shell"]);
    let seen = until(&reader, "the terminal", |r| !r.silent.is_empty()).await;
    assert_eq!(seen.silent, [window_of(&reader, "Shell").id]);
    is_sound(&seen);
}
