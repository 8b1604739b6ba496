//! `waldo compare`: contestants of several runs, task by task.

use super::support::*;

/// Plays tasks of l3-web with agents into a folder.
fn play(dir: &Path, out: &str, agents: &[&str], tasks: &[&str], seed: &str) {
    let mut args = vec!["eval", "l3-web", "--out", out, "--seed", seed, "--workers", "2"];
    args.extend(agents.iter().flat_map(|agent| ["--agent", agent]));
    args.extend(tasks.iter().flat_map(|task| ["--task", task]));
    waldo(dir, &args).ok();
}

#[test]
fn contestants_of_two_runs_are_paired_by_task() {
    let dir = tempdir();
    let both = ["register-form", "modal-confirm"];
    play(&dir, "a", &["noop"], &both, "0");
    play(&dir, "b", &["reference", "noop"], &["modal-confirm", "kanban-drag"], "0");
    waldo(&dir, "compare a b --base 'noop (a)' --out c.html")
        .ok()
        .prints("differences are to noop (a)")
        .prints("reference is better than noop (a) on 1 task:\n  modal-confirm  0/1 \u{2192} 1/1")
        .prints("a/report.html#noop/modal-confirm/r0")
        .prints("2 tasks were scored for only one of noop (a) and reference");

    let got = waldo(&dir, "compare a b --base 'noop (a)' --json").json();
    let reference = got["pairs"].as_array().unwrap().iter().find(|p| p["name"] == "reference").unwrap();
    assert_eq!((&reference["difference"]["tasks"], &reference["difference"]["sr"]), (&1.into(), &1.0.into()));
    assert_eq!(reference["verdict"], "better");
    let other = got["pairs"].as_array().unwrap().iter().find(|p| p["name"] == "noop (b)").unwrap();
    assert_eq!((&other["verdict"], &other["flips"]), (&"undecided".into(), &json!([])));

    // Each link of the page leads to a player that is there.
    let page = text_in(dir.join("c.html")).replace("&#x2f;", "/");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.contains(&"./b/report.html#reference/modal-confirm/r0"), "{links:?}");
    for link in links {
        let (file, episode) = link.split_once('#').unwrap_or((link, ""));
        let report = text_in(dir.join(file)).replace("&#x2f;", "/");
        assert!(report.contains(episode), "{link}");
    }
}

#[test]
fn what_runs_do_not_share_is_said() {
    let dir = tempdir();
    play(&dir, "a", &["noop"], &["register-form"], "0");
    play(&dir, "b", &["noop"], &["register-form"], "1");
    waldo(&dir, "compare a b").ok().prints("another --seed");
    waldo(&dir, "compare a").exits(4).warns("only one contestant, noop");
    waldo(&dir, "compare a b --contestant planer")
        .exits(4)
        .warns("no contestant planer; there are noop (a), noop (b)");
    waldo(&dir, "compare a ./a").exits(4).warns("a and ./a are the same run: name another one");
    waldo(&dir, "compare a gone").exits(4).warns("gone");
    std::fs::create_dir(dir.join("x")).unwrap();
    write(dir.join("x/manifest.json"), "{}");
    waldo(&dir, "compare a x").exits(4);
}
