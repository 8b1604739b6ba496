//! Text of others, as it reaches a terminal.

use super::support::*;

/// Sets the title of a window, clears the screen, turns text around, hides.
const EVIL: &str = "\u{1b}]0;PWNED\u{7}\u{1b}[2J\u{9b}31m\u{202e}evil\u{2066}\u{200b}\u{e0041}\r";

fn is_evil(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{200b}'..='\u{200f}' | '\u{e0000}'..='\u{e007f}')
        || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[track_caller]
fn is_clean(ended: &Ended) {
    for text in [&ended.stdout, &ended.stderr] {
        assert!(!text.contains(is_evil), "{text:?}");
    }
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
        is_clean(&ended);
        if more.contains(&"--json") {
            // Escaped, and nothing of it lost.
            ended.json()["result"]["claim"].to_string().says("\u{202e}");
        } else if more.contains(&"--watch") {
            ended.warns("goal: do").warns("evil");
        }
    }
    is_clean(&waldo(&dir, "report a").run());
    is_clean(&waldo(&dir, &["elements", "--url", &url]).ok().prints("evil"));
}

#[test]
fn errors_of_an_endpoint_and_foreign_configuration_drive_no_terminal() {
    let dir = tempdir();
    let model = Server::start(|_, _| Answer::new("400 Bad Request", "text/plain", EVIL));
    let site = Server::start(|_, _| Answer::page("<title>x</title>"));
    let (url, base) = (site.url("/"), model.url("/v1"));
    let args = format!("run --url {url} --agent appagent --model m --base-url {base} goal");
    is_clean(&waldo(&dir, &args).fails().warns("evil"));
    let escaped = "[model]\nmodel = \"m\"\n\"\\u001b[2J\\u202e\" = 1\n";
    write(dir.join("waldo.toml"), escaped);
    is_clean(&waldo(&dir, "tasks").exits(4));
    is_clean(&waldo(&dir, &[&format!("--no{EVIL}")]).exits(2));
}
