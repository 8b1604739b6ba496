//! What an exploration finds there when it begins: a run, notes, AppAgent's bases. On real pages in a real
//! browser, with the stand-in `reader` or a model that answers from a list.

use super::support::*;

const PAGE: &str = "<!doctype html><title>Page</title>\
    <button onclick=\"document.title='opened'\">Open</button>\
    <button onclick=\"document.title='closed'\">Close</button>\
    <button onclick=\"document.title='sorted'\">Sort</button>";

fn site() -> Server {
    Server::start(|_, request| match request.path.ends_with('/') {
        true => Answer::page(PAGE),
        false => Answer::new("404 Not Found", "text/plain", ""),
    })
}

fn explore(dir: &Path, url: &str, more: &str) -> Ended {
    waldo(dir, &format!("explore --url {url} --model reader --out run --json {more}")).run()
}

#[test]
fn another_start_app_goal_or_documentation_is_another_exploration() {
    let dir = &*tempdir();
    let site = site();
    let url = site.url("/");
    explore(dir, &url, "--app shop --steps 2").expect_code(0);
    let state = dir.join("run/episodes/appagent+reader/shop/r0/explore.json");
    let before = text_in(&state);
    let other = site.url("/other/");
    for (url, more, told) in [
        (&other, "--app shop", format!("start was \"{url}\", now \"{other}\"")),
        (&url, "--app mail", "the app was shop, now mail".to_owned()),
        (&url, "--app shop --goal 'Find the lamps'", "now \"Find the lamps\"".to_owned()),
        (&url, "--app shop --docs elsewhere", "give the --docs that it began with".to_owned()),
    ] {
        explore(dir, url, more).expect_code(4).warns(told).warns("another --out");
    }
    assert_eq!(text_in(&state), before, "nothing was touched");
    assert!(!dir.join("elsewhere/shop").exists(), "nor made");
    let got = explore(dir, &url, "--app shop --steps 20").expect_code(0).json();
    assert_eq!(got["explored"]["why"], "nothing is left to try", "{got}");
}

#[test]
fn what_was_forgotten_is_learnt_again_in_a_folder_of_the_same_name() {
    let dir = &*tempdir();
    let site = site();
    let learn = || {
        explore(dir, &site.url("/"), "--app shop --steps 1").expect_code(0);
        waldo(dir, "docs show docs open --json").json()
    };
    let first = learn();
    let text = first["layers"]["auto"]["tap"].as_str().unwrap();
    assert!(text.contains("opened"), "{first}");
    waldo(dir, &["docs", "edit", "docs", "open", "--slot", "tap", "--text", ""]).ok();
    std::fs::remove_dir_all(dir.join("run")).unwrap();
    let again = learn();
    // What does nothing is not tried again; what a person took out is.
    assert_eq!(again["layers"]["auto"]["tap"], text, "the same step of another exploration: {again}");
}

fn chats(server: &Server) -> Vec<Request> {
    server.requests().into_iter().filter(|r| r.path.contains("chat/completions")).collect()
}

const TAP: &str = "Observation: o\nThought: t\nAction: tap(1)\nSummary: I tapped.";
const OPENS: &str = "Decision: SUCCESS\nThought: t\nDocumentation: Opens a panel.";
const FINISH: &str = "Observation: o\nThought: t\nAction: FINISH\nSummary: s";

#[test]
fn under_compat_an_exploration_knows_its_own_base_alone() {
    let dir = &*tempdir();
    let theirs = dir.join("apps/shop/demo_docs");
    let text = "{'tap': 'Demonstrated.', 'text': '', 'v_swipe': '', 'h_swipe': '', 'long_press': ''}";
    write(theirs.join("button|Open.txt"), text);
    waldo(dir, "docs import apps/shop").ok();
    let site = site();
    let model = Server::start(|n, _| Answer::chat([TAP, OPENS, FINISH][n.min(2)]));
    let (url, base) = (site.url("/"), model.url("/v1"));
    let flags = "--app shop --compat --request-interval 0 --out run --json";
    let args = format!("explore --url {url} --model m --base-url {base} {flags}");
    let got = waldo(dir, &args).json();
    assert_eq!(got["explored"]["documented"], 1, "{got}");
    let doc = waldo(dir, "docs show docs button|Open --json").run().json();
    has(&doc["layers"], json!({ "demo/tap": "Demonstrated.", "auto/tap": "Opens a panel." }));
    // As AppAgent keeps an exploration: logs, and the pictures that they name.
    let moved = waldo(dir, "docs export docs --to their --with run --json").json();
    has(&moved, json!({ "docs": 2, "log_lines": 3 }));
    let their = std::fs::read_dir(dir.join("their/demos")).unwrap().next().unwrap().unwrap();
    let name = their.file_name().into_string().unwrap();
    assert!(name.starts_with("self_explore_20"), "{name}");
    for (kind, keys) in [
        ("explore", &["step", "prompt", "image", "response"][..]),
        ("reflect", &["step", "prompt", "image_before", "image_after", "response"]),
    ] {
        let log = text_in(their.path().join(format!("log_{kind}_{name}.txt")));
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let fields = line.as_object().unwrap();
            assert!(fields.keys().eq(keys), "{line}");
            for (_, image) in fields.iter().filter(|(key, _)| key.starts_with("image")) {
                assert!(their.path().join(image.as_str().unwrap()).exists(), "{line}");
            }
        }
    }
    assert_eq!(waldo(dir, "docs import their --docs again --json").json(), moved);
    let refused = waldo(dir, "docs export docs --to their --with apps").exits(4);
    refused.warns("neither a demonstration nor a run folder");
    // Deployed with one base or the other.
    for (chosen, told) in [("auto", "Opens a panel."), ("demo", "Demonstrated.")] {
        let flags = format!("--docs docs --docs-base {chosen} --out {chosen} --json");
        let agent = format!("--agent appagent --model m --base-url {} --compat", model.url("/v1"));
        waldo(dir, &format!("run 'Open it.' --url {url} {agent} {flags}")).ok();
        let asked = chats(&model).last().unwrap().body.clone().says(told);
        let both = asked.contains("Opens a panel.") && asked.contains("Demonstrated.");
        assert!(!both, "{chosen}: {asked}");
    }
}

/// What it loads late, it loads long after the screen was quiet.
const LATE: &str = "<!doctype html><title>Page</title><button onclick=\"\
    fetch('/clicked'); setTimeout(() => fetch('/late'), 2500)\">Open</button>";

#[test]
fn under_compat_the_screen_has_the_interval_to_come_to_rest() {
    let dir = tempdir();
    let server = Server::start(|_, request| match request.path.as_str() {
        "/" => Answer::page(LATE),
        path if path.contains("chat/completions") => {
            Answer::chat(if request.body.contains("Decision") { OPENS } else { TAP })
        }
        _ => Answer::new("200 OK", "text/plain", ""),
    });
    let (url, base) = (server.url("/"), server.url("/v1"));
    let flags = "--app shop --compat --request-interval 5 --out run --json --steps 1";
    waldo(&dir, &format!("explore --url {url} --model m --base-url {base} {flags}")).ok();
    let paths: Vec<String> = server.requests().into_iter().map(|r| r.path).collect();
    let at = |path: &str| paths.iter().position(|p| p == path);
    let asked: Vec<usize> = (0..paths.len()).filter(|i| paths[*i].contains("chat/completions")).collect();
    assert_eq!(asked.len(), 2, "{paths:?}");
    assert!(at("/clicked") > Some(asked[0]), "{paths:?}");
    assert!(at("/late").is_some_and(|late| late < asked[1]), "looked back at the screen at rest: {paths:?}");
}

const FIELD: &str = "<!doctype html><title>Page</title><input aria-label=Search autofocus \
    oninput=\"document.title='searched'\">";

#[test]
fn a_field_that_a_tap_does_nothing_to_is_typed_into() {
    let dir = tempdir();
    let site = Server::start(|_, _| Answer::page(FIELD));
    let got = explore(&dir, &site.url("/"), "--app shop").expect_code(0).json();
    assert_eq!(got["explored"]["why"], "nothing is left to try", "{got}");
    let doc = waldo(&dir, "docs show docs search --json").json();
    doc["layers"]["auto"]["text"].as_str().unwrap().says("searched");
}

#[test]
fn a_note_that_a_killed_process_could_not_write_any_more_is_written_once() {
    let dir = &*tempdir();
    let site = site();
    let step = || explore(dir, &site.url("/"), "--app shop --steps 1").expect_code(0);
    step();
    // The state is on the disk before the note is: as a kill between the two leaves it.
    std::fs::remove_dir_all(dir.join("docs/shop/elements")).unwrap();
    for _ in 0..2 {
        step();
        let doc = waldo(dir, "docs show docs open --json").json();
        assert!(doc["layers"]["auto"]["tap"].as_str().unwrap().contains("opened"), "{doc}");
        assert_eq!(doc["history"].as_array().unwrap().len(), 1, "{doc}");
    }
    // Half of it: the words for people are those for machines again.
    let md = dir.join("docs/shop/elements");
    let md = std::fs::read_dir(md).unwrap().flatten().map(|e| e.path());
    let md = md.into_iter().find(|p| p.extension().is_some_and(|e| e == "md")).unwrap();
    let whole = text_in(&md);
    std::fs::remove_file(&md).unwrap();
    step();
    assert_eq!(text_in(&md), whole);
}
