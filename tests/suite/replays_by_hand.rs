//! Replays of what people and clients did: driven by hand, demonstrated, called over MCP, taken over in an eval.

use std::sync::atomic::{AtomicBool, Ordering};

use super::live::{Page, ended, started};
use super::mcp_client::Client;
use super::replays::{PAY, shop};
use super::support::*;
use super::to_task::{drive, tap};

/// A form whose button can come late and under another name.
fn form(changed: &'static AtomicBool) -> Server {
    Server::start(move |_, request| {
        let (more, button, late) = match changed.load(Ordering::SeqCst) {
            true => ("<button>Close</button><p style='height:150px'>News</p>", "Send it", 1500),
            false => ("", "Send", 0),
        };
        match request.path.as_str() {
            "/form.html" => Answer::page(&format!(
                "<!doctype html><title>Shop</title>{more}<label>Name <input id=n></label><p id=at></p><p id=out></p>\
                 <a href='/two'>More</a><script>setTimeout(() => {{ at.innerHTML = '<button>{button}</button>';\
                 at.firstChild.onclick = () => {{ out.textContent = 'Thank you, ' + n.value; fetch('/sent/' + n.value); }}; }}, {late})\
                 </script>"
            )),
            path if path.starts_with("/sent/") => Answer::new("200 OK", "text/plain", ""),
            _ => Answer::new("404 Not Found", "text/plain", ""),
        }
    })
}

fn sent(site: &Server) -> usize {
    site.requests().iter().filter(|request| request.path == "/sent/Ada").count()
}

fn replay(dir: &Path, args: &str, code: i32) -> Value {
    waldo(dir, &format!("replay {args} --json")).exits(code).json()
}

#[test]
fn what_a_person_drove_is_carried_out_again_and_is_nobodys_score() {
    static CHANGED: AtomicBool = AtomicBool::new(false);
    let dir = tempdir();
    let at = &dir;
    let site = form(&CHANGED);
    let url = site.url("/form.html");
    let calls: [&dyn Fn(&Value) -> Value; 3] =
        [&|_| tap(1), &|_| json!({ "tool": "type", "args": { "text": "Ada" } }), &|_| tap(2)];
    drive(at, &["--url", &url, "--out", "run", "send the name"], &calls);
    assert_eq!(sent(&site), 1);
    let got = replay(at, "run", 0);
    assert_eq!(sent(&site), 2);
    has(&got, json!({ "steps_by_person": 3, "replayed_steps": 4, "drifts": [], "not_done": [] }));
    has(&got, json!({ "success": null, "judged": false, "assisted": true }));
    waldo(at, "replay run person/by-hand/r0")
        .ok()
        .prints("carried out again in 4 steps; nothing was checked")
        .prints("3 actions were done by hand: it does not count as an agent's score");

    // Later, elsewhere and under another name: waited for, found, told, and checked by whoever asks.
    CHANGED.store(true, Ordering::SeqCst);
    let got = replay(at, "run --check 'text contains \"Thank you, Ada\"' --keep kept", 0);
    has(&got, json!({ "checks/0/passed": true, "success": null }));
    has(&got, json!({ "drifts/0/step": 3, "drifts/0/after": "button \"Send it\"", "drifts/1": null }));
    let said = waldo(at, "replay kept").said().says("all checks hold after").says("  ok   text");
    assert!(!said.contains("is now"), "nothing drifted from what was kept: {said}");
    let unpaid = waldo(at, "replay run --check 'text contains \"Paid\"'").exits(1);
    unpaid.prints("not solved").prints("FAIL");

    // The same pages elsewhere; and what is gone.
    static PLAIN: AtomicBool = AtomicBool::new(false);
    let moved = form(&PLAIN);
    replay(at, &format!("run --url {}", moved.url("/form.html")), 0);
    assert_eq!(sent(&moved), 1);
    let other = Server::start(|_, _| Answer::page("<title>Other</title><p>Nothing is here.</p>"));
    let got = replay(at, &format!("run --url {}", other.url("/")), 8);
    assert!(got["drifted"].as_str().unwrap().contains("Name"), "{got}");
}

/// Demonstrates on a phone, in the folder `night`, what the suite's own solution presses.
pub(super) fn dark_theme(at: &Path, open: &str) {
    let task = "--task dark-theme --no-report --out r";
    waldo(at, &format!("eval l3-android --device simphone --agent reference {task}")).ok();
    let played = events(&at.join("r/episodes/reference/dark-theme/r0"));
    let tags: Vec<u64> = played.iter().filter_map(|event| event["decision"]["tag"].as_u64()).collect();
    let [display, theme] = tags[..] else { panic!("{tags:?}") };
    let start = ["turn the dark theme on", "--device", "simphone", "--open", open, "--out", "night"];
    demonstrated(at, &start, &format!("tap {display}\nlook\ntap {theme}\nstop\n")).expect_code(0);
}

#[test]
fn what_was_demonstrated_on_a_phone_is_carried_out_on_another() {
    let dir = tempdir();
    let at = &dir;
    dark_theme(at, "Settings");
    let got = replay(at, "night --check 'shell \"settings get secure ui_night_mode\" equals 2'", 0);
    has(&got, json!({ "steps_by_person": 2, "checks/0/passed": true }));
    waldo(at, "replay night person/night/r0").exits(4).warns("is a demonstration");
}

#[test]
fn a_clients_session_is_carried_out_again_within_what_flags_allow() {
    let dir = tempdir();
    let at = &dir;
    let two = Server::start(|_, _| Answer::page("<title>Two</title><button>Deep</button>"));
    let there = two.url("/");
    let one =
        Server::start(move |_, _| Answer::page(&format!("<title>One</title><a href='{there}'>More</a>")));
    let url = one.url("/");
    let (own, other) =
        (one.url("").trim_end_matches('/').to_owned(), two.url("").trim_end_matches('/').to_owned());
    let mut client = Client::start(at, &["--url", &url, "--allow", &own, "--allow", &other, "--out", "r"]);
    let more = client.number("\"More\"");
    client.call("tap", json!({ "element": more })).ok();
    client.call("wait_for", json!({ "text": "Deep" })).ok();
    let deep = client.number("\"Deep\"");
    client.call("tap", json!({ "element": deep })).ok();
    client.end();
    let asked = |site: &Server| site.requests().iter().filter(|request| request.path == "/").count();
    let before = asked(&two);
    let stopped = replay(at, "r", 8);
    assert!(stopped["drifted"].as_str().unwrap().contains("Deep"), "{stopped}");
    assert_eq!(asked(&two), before, "its origin was not allowed");
    let got = replay(at, &format!("r --allow {own} --allow {other}"), 0);
    has(&got, json!({ "drifted": null, "recorded_steps": 3 }));
    assert!(got["passed_over"]["looks"].as_u64().unwrap() >= 3, "{got}");
    assert_eq!(asked(&two), before + 1);
}

#[test]
fn an_episode_that_a_person_took_over_is_replayed_with_their_steps() {
    let dir = tempdir();
    let at = &dir;
    shop(at, "Add lamp", PAY, "");
    let args =
        ["eval", "./s", "--agent", "reference", "--live", "--approve", "--no-report", "--json", "--out", "r"];
    let (child, url) = started(at, &args);
    let key = "reference/two/r0";
    let mut page = Page::open(&url, "one", Some(key));
    page.until("the question", |line| line["wheel"]["question"].is_object());
    page.does(key, json!({ "do": "take" }));
    let mut step = page.until("it is taken", |line| line["wheel"]["taken"] == true)["step"].as_u64().unwrap();
    for n in 1..3 {
        page.does(key, json!({ "do": "act", "step": step, "tool": "tap", "args": { "element": n } }));
        step += 1;
        page.until("the next screen", |line| line["step"] == step && line["phase"] == "deciding");
    }
    page.does(key, json!({ "do": "look" }));
    step += 1;
    page.until("the same screen", |line| line["step"] == step && line["phase"] == "deciding");
    page.does(key, json!({ "do": "finish" }));
    ended(child, 0);
    let got = replay(at, &format!("r {key} --suite ./s"), 0);
    has(
        &got,
        json!({ "success": null, "steps_by_person": 2, "checks/0/passed": true, "passed_over/looks": 1 }),
    );
    let said = waldo(at, "replay r --suite ./s").ok();
    said.prints("passed over: 1 look at the screen").prints("all checks hold");
    waldo(at, "replay r --suite ./s --allow http://a.test").exits(4).warns("a task of a suite");
}
