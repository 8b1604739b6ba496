//! Environments for training: episodes are played over a socket, by the Python package.

use std::os::unix::fs::PermissionsExt as _;

use super::agents::documented;
use super::support::*;

const SOON: u64 = 120;

const ACTS: &str = include_str!("envs.py");

/// Python that has the package, and finds this waldo.
fn python(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.arg("-B").args(args).current_dir(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/python"));
    command.env("TMPDIR", dir).env("WALDO_PROGRAM", env!("CARGO_BIN_EXE_waldo"));
    command
}

fn said(dir: &Path, act: &str) -> Value {
    let out = python(dir, &["-c", ACTS, act]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{e}: {text}{}", String::from_utf8_lossy(&out.stderr)))
}

#[test]
fn episodes_are_rewarded_on_pages_a_phone_a_display_and_several_screens() {
    let dir = tempdir();
    let told = said(&dir, "rewards");
    for (nth, suite) in ["l3-web", "l3-android", "l3-desktop"].iter().enumerate() {
        let row = told[nth].as_array().unwrap();
        let wanted = [json!(1.0), json!("finished"), json!(1.0), json!(3), json!(true), json!(true)];
        assert_eq!(row[..6], wanted, "{suite}");
        let started = events_of(&dir.join(suite), "started");
        assert!(started.iter().any(|event| event["goal"] == row[7]), "{suite}: {started:?}");
    }
    assert_eq!(told[0][6], json!(false), "another seed is another instance: {told}");
    assert_eq!(told[3], json!([true, [0.0, true, false]]), "{told}");
    // The instance is the one of the same repeat of a run.
    waldo(&dir, "eval l3-web --task confirm-dialog --repeats 4 --agent noop --out run").ok();
    let goals = events(&dir.join("run/episodes/noop/confirm-dialog/r3"));
    assert_eq!(goals[0]["goal"], told[0][7], "{goals:?}");
    // What was recorded is a run like any other.
    waldo(&dir, "report l3-web --json").ok().prints("env");
    assert!(dir.join("l3-web/report.html").exists());
}

#[test]
fn agents_of_browsergym_and_osworld_play_by_their_own_actions() {
    let dir = tempdir();
    let out = python(&dir, &["-c", include_str!("adaptors.py")]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let told = said(&dir, "adaptors");
    let browsergym =
        ["finished", "finished", "declared_infeasible"].map(|outcome| json!([1.0, true, true, outcome]));
    assert_eq!(told, json!([browsergym, vec![json!([1.0, true, true, []]); 3]]), "{told:#}");
}

const PAGE: &str =
    "<!doctype html><title>t</title><button onclick=\"document.title='pressed'\">Save</button>";
const PRESSED: &str = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"pressed\"\n";

#[test]
fn the_collection_of_the_documentation_plays_groups_of_one_instance() {
    let dir = tempdir();
    let program = documented(include_str!("../../docs/python.md"), "import json, random");
    let out = python(&dir, &["-c", &program]).output().unwrap();
    let told = String::from_utf8_lossy(&out.stdout).into_owned();
    let rows: Vec<&str> = told.lines().collect();
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(rows.len(), 4, "{told}{errors}");
    assert!(rows[0].starts_with("confirm-dialog 0 [") && rows[3].starts_with("prompt-dialog 1 ["), "{told}");
}

#[test]
fn sessions_do_not_see_each_other_and_what_is_wrong_is_said_without_loss() {
    let dir = tempdir();
    suite(&dir, "s", &[("one", PAGE, PRESSED), ("two", PAGE, PRESSED)]);
    let told = said(&dir, "sessions");
    let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
    for (name, parts) in [
        ("mode", &["0o140600"][..]),
        ("full", &["3 sessions are open already"]),
        ("unbegun", &["reset first"]),
        ("unknown", &["no task 'tow'"]),
        ("bad", &["ActionError", "is not JSON"]),
        ("over", &["the episode has ended"]),
        ("seed", &["the seed -1"]),
        ("fork", &["make an environment in each process"]),
        ("killed", &["ServerEnded", "create the environment again"]),
        ("gone", &["ServerEnded"]),
    ] {
        assert!(parts.iter().all(|part| text(name).contains(part)), "{name}: {told:#}");
    }
    assert_eq!(told["titles"], json!(["pressed", "t", "t"]), "{told:#}");
    assert_eq!(told["last"], json!(["changed", "failed", "failed"]), "{told:#}");
    assert_eq!(told["tags"], json!([[1], [1], [1]]), "{told:#}");
    let both = json!([[1.0, 1.0, 0.0], [true, true, false], "finished"]);
    assert_eq!(told["rewards"], both, "{told:#}");
    assert_eq!(told["cut"], json!([[false, false, true], "step_limit", [false, false, true]]), "{told:#}");
    assert_eq!((&told["mask"], &told["after"]), (&json!("two"), &json!(["pressed", "t"])), "{told:#}");
    until("browsers of a killed server end", SOON, || processes(dir.to_str().unwrap()).is_empty());
}

#[test]
fn a_server_ends_with_the_program_that_started_it_and_an_episode_with_its_connection() {
    let dir = tempdir();
    suite(&dir, "s", &[("one", PAGE, PRESSED)]);
    let mut client = python(&dir, &["-c", ACTS, "owned"]).spawn().unwrap();
    let pid = first_line(&mut client);
    let runs = || Path::new("/proc").join(pid.trim()).exists();
    assert!(runs() && !processes(dir.to_str().unwrap()).is_empty(), "{pid}");
    kill(&mut client);
    until("the server ends", SOON, || !runs());
    until("its browsers end", SOON, || processes(dir.to_str().unwrap()).is_empty());

    // One that runs for itself serves those that come, and outlives them.
    let mut server = waldo(&dir, "env ./s --sessions 1 --socket socket --out run").start();
    let ready = first_line(&mut server);
    let mode = std::fs::metadata(dir.join("socket")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{ready}");
    let mut killed = python(&dir, &["-c", ACTS, "waiting"]).spawn().unwrap();
    first_line(&mut killed);
    kill(&mut killed);
    let first = dir.join("run/episodes/env/one/r0/result.json");
    until("its episode ends", SOON, || first.exists());
    assert_eq!(said(&dir, "connected"), json!(["pressed", 1.0]));
    assert_eq!(json_in(first)["outcome"], "agent_failed");
    signal(server.id(), "-TERM");
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(!dir.join("socket").exists());
}
