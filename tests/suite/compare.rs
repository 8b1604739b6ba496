//! `waldo compare`: contestants of several runs, task by task.

use super::support::*;

/// Plays tasks of l3-web into a folder, as the rest of the line says.
fn play(dir: &Path, out: &str, line: &str) {
    waldo(dir, &format!("eval l3-web --workers 2 --out {out} {line}")).ok();
}

#[test]
fn contestants_of_two_runs_are_paired_by_task() {
    let dir = tempdir();
    play(&dir, "a", "--agent noop --seed 0 --task register-form --task modal-confirm");
    play(&dir, "b", "--agent reference --agent noop --seed 0 --task modal-confirm --task kanban-drag");
    waldo(&dir, "compare a b --base 'noop (a)' --out c.html")
        .ok()
        .prints("differences are to noop (a)")
        .prints("reference is better than noop (a) on 1 task:\n  modal-confirm  0/1 \u{2192} 1/1")
        .prints("a/report.html#noop/modal-confirm/r0")
        .prints("2 tasks were scored for only one of noop (a) and reference");

    let got = waldo(&dir, "compare a b --base 'noop (a)' --json").json();
    let pair = |name: &str| got["pairs"].as_array().unwrap().iter().find(|p| p["name"] == name).unwrap();
    has(pair("reference"), json!({ "difference/tasks": 1, "difference/sr": 1.0, "verdict": "better" }));
    has(pair("noop (b)"), json!({ "verdict": "undecided", "flips": [] }));

    // Each link of the page leads to a player that is there.
    let page = text_in(dir.join("c.html")).replace("&#x2f;", "/");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.contains(&"./b/report.html#reference/modal-confirm/r0"), "{links:?}");
    for link in links {
        let (file, episode) = link.split_once('#').unwrap_or((link, ""));
        text_in(dir.join(file)).replace("&#x2f;", "/").says(episode);
    }
}

#[test]
fn what_runs_do_not_share_is_said() {
    let dir = tempdir();
    play(&dir, "a", "--agent noop --task register-form --seed 0");
    play(&dir, "b", "--agent noop --task register-form --seed 1");
    waldo(&dir, "compare a b").ok().prints("another --seed");
    waldo(&dir, "compare a").exits(4).warns("only one contestant, noop");
    waldo(&dir, "compare a b --contestant planer")
        .exits(4)
        .warns("no contestant planer; there are noop (a), noop (b)");
    waldo(&dir, "compare a ./a").exits(4).warns("a and ./a are the same run: name another one");
    waldo(&dir, "compare a gone").exits(4).warns("gone");
    write(dir.join("x/manifest.json"), "{}");
    waldo(&dir, "compare a x").exits(4);
}
