//! What a person did becomes a task of a suite: on a phone, on pages, and where something is left to do.

use super::live::{Page, started};
use super::support::*;

const PAGE: &str = "<!doctype html><title>Shop</title><label>Name <input id=n></label>
<button id=b>Send</button><p id=out></p><script>b.onclick = async () => {
  out.textContent = 'Thank you, ' + n.value;
  const w = await (await fetch('/_waldo/state')).json();
  await fetch('/_waldo/state', { method: 'PUT', body: JSON.stringify({ ...w.state, sent: n.value }) }); };</script>";

/// Drives `calls` on the live page, each once the screen after the one before is there, and says that the goal is reached.
pub(super) fn drive(dir: &std::path::Path, args: &[&str], calls: &[&dyn Fn(&Value) -> Value]) {
    let (child, url) = started(dir, &[&["drive"], args, &["--json"]].concat());
    let key = "person/by-hand/r0";
    let mut page = Page::open(&url, "one", Some(key));
    for (n, call) in (1..).zip(calls) {
        let now = page.until("a screen", |line| line["step"] == n && line["phase"] == "deciding");
        page.does(key, with(json!({ "do": "act", "step": n }), &call(&now)));
    }
    let last = calls.len() + 1;
    page.until("the last screen", |line| line["step"] == last && line["phase"] == "deciding");
    page.does(key, json!({ "do": "finish" }));
    super::live::ended(child, 0);
}

pub(super) fn tap(n: u32) -> Value {
    json!({ "tool": "tap", "args": { "element": n } })
}

#[test]
fn a_run_on_pages_becomes_a_task_that_is_sound() {
    let dir = tempdir();
    let at = &dir;
    let shop = Server::start(|_, request| match request.path.as_str() {
        "/form.html" => Answer::page(PAGE),
        "/_waldo/state" => Answer::new("200 OK", "application/json", "{\"state\":{}}"),
        _ => Answer::new("404 Not Found", "text/plain", ""),
    });
    let pages = at.join("pages");
    folder(&pages);
    write(pages.join("form.html"), PAGE);
    let url = shop.url("/form.html");
    let calls: [&dyn Fn(&Value) -> Value; 3] =
        [&|_| tap(1), &|_| json!({ "tool": "type", "args": { "text": "Ada" } }), &|_| tap(2)];
    drive(at, &["--url", &url, "--out", "run", "send your {{ name }}"], &calls);
    // Without the pages it says what is left to do, and writes the task all the same.
    let left = waldo(at, "demo to-task run --suite bare --json").exits(1).json();
    has(&left, json!({ "sound": false, "played": false }));
    assert!(left["to_do"].to_string().contains("--site DIR"), "{left}");
    assert_eq!(left["steps"][2], json!({ "do": "tap", "role": "button", "name": "Send" }));
    assert!(text_in(at.join("bare/tasks/send-your-name.toml")).contains("# to do: "));

    let made = waldo(at, "demo to-task run --suite my-shop --site pages --json").json();
    assert_eq!(made["checks"], json!([{ "kind": "state", "pointer": "/sent", "equals": "Ada" }]), "{made}");
    text_in(at.join("my-shop/tasks/send-your-name.toml"))
        .says("start = \"/form.html\"")
        .says("# contains = \"Thank you, Ada\"");
    let sound = waldo(at, "check my-shop --json").json();
    has(&sound, json!({ "sound": true, "episodes": 2 }));
    // A second one goes to the end of the same suite; the first name is taken.
    waldo(at, "demo to-task run --suite my-shop").exits(4).warns("give --id");
    let more = "demo to-task run --suite my-shop --id again --goal 'Send Ada'";
    waldo(at, more).ok().prints("the solution solves it, doing nothing does not");
    let tasks = waldo(at, "tasks ./my-shop --json").json();
    has(&tasks, json!({ "0/id": "send-your-name", "1/id": "again" }));
}

#[test]
fn a_typed_demonstration_on_a_phone_becomes_a_task_with_the_setting_it_changed() {
    let dir = tempdir();
    let at = &dir;
    super::replays_by_hand::dark_theme(at, "com.android.settings");
    let made = waldo(at, "demo to-task night --suite my-phone --json").json();
    let checks = made["checks"].to_string();
    assert!(checks.contains("settings/secure") && checks.contains("ui_night_mode"), "{made}");
    assert_eq!(made["steps"].as_array().unwrap().len(), 2, "{made}");
    text_in(at.join("my-phone/tasks/turn-the-dark-theme-on.toml")).says("start = \"com.android.settings\"");
    waldo(at, "check my-phone").ok();
}
