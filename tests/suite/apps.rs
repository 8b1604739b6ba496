//! Applications that are installed from packages, played in a sandbox and judged in their database.
//!
//! One folder of caches serves these tests, one of them at a time; the first begins by removing what is there.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::support::*;

/// Kills the application on its first turn, or stops it, and says that it has finished.
const KILLER: &str = include_str!("apps.py");

/// The right to use the folder that applications are installed into, and the folder.
fn cache() -> (MutexGuard<'static, ()>, String) {
    static LOCK: Mutex<()> = Mutex::new(());
    let lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/apps-cache");
    folder(path);
    (lock, path.to_owned())
}

fn apps(cache: &str, args: &str) -> Waldo {
    waldo(Path::new(cache), &format!("apps {args}")).env("XDG_CACHE_HOME", cache)
}

/// The folders of instances, and processes of theirs.
fn left() -> Vec<String> {
    let folders =
        std::fs::read_dir("/dev/shm").unwrap().flatten().map(|entry| entry.path().display().to_string());
    let folders = folders.filter(|path| path.contains("waldo-app-"));
    let of_them = ["waldo-app-", "trac.web.standalone"].into_iter().flat_map(processes);
    folders.chain(of_them.map(|(_, line)| line)).collect()
}

#[test]
fn an_installation_is_whole_or_none_and_one_at_a_time() {
    let (_cache, cache) = cache();
    apps(&cache, "remove trac").ok();
    let root = Path::new(&cache).join("waldo/apps");
    let half = || std::fs::read_dir(&root).unwrap().flatten().any(|one| one.path().join("app/venv").exists());
    let mut killed = apps(&cache, "install trac").start();
    until("an installation under way", 60, half);
    // While one is under way there is no other.
    apps(&cache, "install trac").exits(4).warns("waldo apps install (process ");
    assert!(!processes(&cache).is_empty());
    kill(&mut killed);
    until("pip to end with it", 5, || processes(&cache).is_empty());
    let listed = apps(&cache, "list --json trac").json();
    assert_eq!(listed[0]["installed"], false, "{listed}");
    // A folder of the right name without the record of a whole installation is none either.
    let dir = tempdir();
    let play = "eval apps-web --task trac-milestone-count --agent noop --dry-run";
    let not = waldo(&dir, play).env("XDG_CACHE_HOME", &cache).run();
    format!("{}{}", not.stdout, not.stderr).says("waldo apps install trac");
    let done = apps(&cache, "install trac --json").json();
    has(&done[0], json!({ "ok": true, "new": true }));
    assert!(!half(), "what was half is gone");
    let again = apps(&cache, "install trac --json").json();
    assert_eq!(again[0]["new"], false, "{again}");
    let well = apps(&cache, "doctor trac --json").json();
    assert!(well[0]["entries"].as_u64().unwrap() > 20, "{well}");
    apps(&cache, "install trak").exits(4).warns("did you mean 'trac'?");
}

#[test]
fn tasks_are_played_in_the_application_and_judged_in_its_database() {
    let (_cache, cache) = cache();
    apps(&cache, "install trac").ok();
    let dir = tempdir();
    let tasks = "--task trac-close-ticket --task trac-milestone-count --task trac-no-estimates";
    let play = format!("eval apps-web --agent reference --agent noop --workers 2 --out run --json {tasks}");
    let said = waldo(&dir, &play).env("XDG_CACHE_HOME", &cache).json();
    has(&said, json!({ "table/0/sr": 1.0, "table/1/sr": 0.0 }));
    let manifest = json_in(dir.join("run/manifest.json"));
    assert!(manifest.to_string().contains(r#""trac":"1.6""#), "{manifest}");
    let closed = json_in(dir.join("run/episodes/reference/trac-close-ticket/r0/result.json"));
    let stores: Vec<&Value> = closed["changes"].as_array().unwrap().iter().map(|one| &one["store"]).collect();
    let changes = "trac/ticket_change";
    assert_eq!(stores, ["trac/ticket", changes, changes, changes], "{closed}");
    until("nothing is left", 10, || left().is_empty());
}

#[test]
fn a_task_goes_from_a_phone_to_an_application_and_is_judged_on_both() {
    let (_cache, cache) = cache();
    apps(&cache, "install trac").ok();
    let dir = tempdir();
    let play =
        "eval l4-apps --task note-to-ticket --agent reference --agent noop --max-steps 16 --out run --json";
    let said = waldo(&dir, play).env("XDG_CACHE_HOME", &cache).json();
    has(&said, json!({ "table/0/sr": 1.0, "table/1/sr": 0.0 }));
    let solved = json_in(dir.join("run/episodes/reference/note-to-ticket/r0/result.json"));
    let checks: Vec<&Value> = solved["checks"].as_array().unwrap().iter().map(|one| &one["what"]).collect();
    for unchanged in ["tracker: nothing else changed", "phone: nothing else changed"] {
        assert!(checks.iter().any(|what| **what == unchanged), "{checks:?}");
    }
    assert_eq!(solved["changes"][0]["store"], "tracker: trac/ticket", "{solved}");
    until("nothing is left", 10, || left().is_empty());
}

#[test]
fn an_application_that_dies_makes_the_attempt_invalid_and_ends_with_a_waldo_that_is_killed() {
    let (_cache, cache) = cache();
    apps(&cache, "install trac").ok();
    let dir = tempdir();
    let play =
        "eval apps-web --task trac-new-ticket --agent exec --json --attempts 1 --command 'python3 killer.py'";
    for (signal, why) in
        [("SIGKILL", "ended in the middle of the episode"), ("SIGSTOP", "gave no answer at the end")]
    {
        write(dir.join("killer.py"), KILLER.replace("SIGKILL", signal));
        let said = waldo(&dir, &format!("{play} --out {signal}")).env("XDG_CACHE_HOME", &cache).exits(3);
        said.json().to_string().says(why);
    }
    let mut served = apps(&cache, "serve trac").start();
    let address = first_line(&mut served);
    assert!(address.contains(".localhost:") && !left().is_empty(), "{address}");
    kill(&mut served);
    until("nothing is left", 10, || left().is_empty());
}
