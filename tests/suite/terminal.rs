//! Text of others, as it reaches a terminal.

use super::support::*;

/// Sets the title of a window, clears the screen, turns text around, hides.
const EVIL: &str = "\u{1b}]0;PWNED\u{7}\u{1b}[2J\u{9b}31m\u{202e}evil\u{2066}\u{200b}\u{e0041}\r";

fn is_evil(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{200b}'..='\u{200f}' | '\u{e0000}'..='\u{e007f}')
        || (c.is_control() && !matches!(c, '\n' | '\t'))
}

fn assert_clean(what: &str, text: &str) {
    assert!(!text.contains(is_evil), "{what}: {text:?}");
}

#[test]
fn what_a_model_claims_and_a_goal_says_drives_no_terminal() {
    let dir = tempdir();
    let site = Server::start(|_, _| {
        let name = EVIL.replace('\r', "");
        Answer::page(&format!(
            "<meta charset=utf-8><title>x{name}</title><button aria-label=\"{name}\">b</button>"
        ))
    });
    let reply = format!("Observation: o\nThought: t{EVIL}\nAction: infeasible(\"{EVIL}\")\nSummary: s{EVIL}");
    let model = Server::start(move |_, _| Answer::chat(&reply));
    let (url, base, goal) = (site.url("/"), model.url("/v1"), format!("do{EVIL}it"));
    let args = filled("run --url {} --agent appagent --model m --base-url {} --max-steps 2", &[&url, &base]);
    for more in [&["--watch", "--out", "a"][..], &["-vv", "--out", "b"], &["--json", "--out", "c"]] {
        let ended = waldo(&dir, &[&args[..], more, &[&goal]].concat()).run();
        assert_clean("stdout", &ended.stdout);
        assert_clean("stderr", &ended.stderr);
        if more.contains(&"--json") {
            // Escaped, and nothing of it lost.
            let claim = ended.json()["result"]["claim"].to_string();
            assert!(claim.contains('\u{202e}'), "{claim}");
        } else if more.contains(&"--watch") {
            assert!(ended.stderr.contains("goal: do") && ended.stderr.contains("evil"), "{}", ended.stderr);
        }
    }
    let shown = waldo(&dir, "report a").run();
    assert_clean("report", &shown.stdout);
    let elements = waldo(&dir, &["elements", "--url", &url]).ok();
    assert_clean("elements", &elements.stdout);
    assert!(elements.stdout.contains("evil"), "{}", elements.stdout);
}

#[test]
fn errors_of_an_endpoint_and_foreign_configuration_drive_no_terminal() {
    let dir = tempdir();
    let model = Server::start(|_, _| Answer::new("400 Bad Request", "text/plain", EVIL));
    let site = Server::start(|_, _| Answer::page("<title>x</title>"));
    let (url, base) = (site.url("/"), model.url("/v1"));
    let args = format!("run --url {url} --agent appagent --model m --base-url {base} goal");
    let ended = waldo(&dir, &args).run();
    assert_ne!(ended.code, 0);
    assert_clean("stderr", &ended.stderr);
    assert!(ended.stderr.contains("evil"), "{}", ended.stderr);
    let escaped = "[model]\nmodel = \"m\"\n\"\\u001b[2J\\u202e\" = 1\n";
    write(dir.join("waldo.toml"), escaped);
    let ended = waldo(&dir, "tasks").exits(4);
    assert_clean("stderr", &ended.stderr);
    let ended = waldo(&dir, &[&format!("--no{EVIL}")]).exits(2);
    assert_clean("stderr", &ended.stderr);
}
