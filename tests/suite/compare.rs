//! `waldo compare`: contestants of several runs, task by task.

use super::support::*;

/// Plays tasks of l3-web with agents into a folder.
fn play(dir: &Path, out: &str, agents: &[&str], tasks: &[&str], seed: &str) {
    let mut args = vec!["eval", "l3-web", "--out", out, "--seed", seed, "--workers", "2"];
    args.extend(agents.iter().flat_map(|agent| ["--agent", agent]));
    args.extend(tasks.iter().flat_map(|task| ["--task", task]));
    waldo(dir, &args).run().expect_code(0);
}

#[test]
fn contestants_of_two_runs_are_paired_by_task() {
    let dir = tempfile::tempdir().unwrap();
    let both = ["register-form", "modal-confirm"];
    play(dir.path(), "a", &["noop"], &both, "0");
    play(dir.path(), "b", &["reference", "noop"], &["modal-confirm", "kanban-drag"], "0");
    let args = ["compare", "a", "b", "--base", "noop (a)", "--out", "c.html"];
    let said = waldo(dir.path(), &args).run().expect_code(0).stdout;
    assert!(said.contains("differences are to noop (a)"), "{said}");
    assert!(
        said.contains("reference is better than noop (a) on 1 task:\n  modal-confirm  0/1 \u{2192} 1/1"),
        "{said}"
    );
    assert!(said.contains("a/report.html#noop/modal-confirm/r0"), "{said}");
    assert!(said.contains("2 tasks were scored for only one of noop (a) and reference"), "{said}");

    let got =
        waldo(dir.path(), &["compare", "a", "b", "--base", "noop (a)", "--json"]).run().expect_code(0).json();
    let reference = got["pairs"].as_array().unwrap().iter().find(|p| p["name"] == "reference").unwrap();
    assert_eq!((&reference["difference"]["tasks"], &reference["difference"]["sr"]), (&1.into(), &1.0.into()));
    assert_eq!(reference["verdict"], "better");
    let other = got["pairs"].as_array().unwrap().iter().find(|p| p["name"] == "noop (b)").unwrap();
    assert_eq!((&other["verdict"], &other["flips"]), (&"undecided".into(), &json!([])));

    // Each link of the page leads to a player that is there.
    let page = std::fs::read_to_string(dir.path().join("c.html")).unwrap().replace("&#x2f;", "/");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.contains(&"./b/report.html#reference/modal-confirm/r0"), "{links:?}");
    for link in links {
        let (file, episode) = link.split_once('#').unwrap_or((link, ""));
        let report = std::fs::read_to_string(dir.path().join(file)).unwrap().replace("&#x2f;", "/");
        assert!(report.contains(episode), "{link}");
    }
}

#[test]
fn what_runs_do_not_share_is_said() {
    let dir = tempfile::tempdir().unwrap();
    play(dir.path(), "a", &["noop"], &["register-form"], "0");
    play(dir.path(), "b", &["noop"], &["register-form"], "1");
    let said = waldo(dir.path(), &["compare", "a", "b"]).run().expect_code(0).stdout;
    assert!(said.contains("another --seed"), "{said}");
    let said = waldo(dir.path(), &["compare", "a"]).run().expect_code(4).stderr;
    assert!(said.contains("only one contestant, noop"), "{said}");
    let said =
        waldo(dir.path(), &["compare", "a", "b", "--contestant", "planer"]).run().expect_code(4).stderr;
    assert!(said.contains("no contestant planer; there are noop (a), noop (b)"), "{said}");
    let said = waldo(dir.path(), &["compare", "a", "./a"]).run().expect_code(4).stderr;
    assert!(said.contains("a and ./a are the same run: name another one"), "{said}");
    let said = waldo(dir.path(), &["compare", "a", "gone"]).run().expect_code(4).stderr;
    assert!(said.contains("gone"), "{said}");
    std::fs::create_dir(dir.path().join("x")).unwrap();
    std::fs::write(dir.path().join("x/manifest.json"), "{}").unwrap();
    waldo(dir.path(), &["compare", "a", "x"]).run().expect_code(4);
}
