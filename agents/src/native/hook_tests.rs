use std::time::{Duration, Instant};

use super::*;
use crate::program::HEARD_BYTES;

/// What every program of these tests begins with.
const HEAD: &str = "import json, os, sys, time\n";

fn hook(dir: &Path, program: &str) -> Hook {
    std::fs::write(dir.join("hook.py"), format!("{HEAD}{program}")).unwrap();
    let stages = vec![HookStage::Generate];
    Hook::new(HookRule { exec: vec!["python3".into(), "hook.py".into()], stages }, dir)
}

async fn ask(hook: &Hook, limit: Duration) -> Result<Value, NoAnswer> {
    hook.ask(HookStage::Generate, &json!({"a": "\u{e4}"}), Deadline::after(limit)).await
}

const AMPLE: Duration = Duration::from_secs(20);

/// Answers with its process, what it was asked and what it finds in its environment.
const GOOD: &str = "
for line in sys.stdin:
    q = json.loads(line)
    print('asked', q['stage'], file=sys.stderr, flush=True)
    out = {'pid': os.getpid(), 'group': os.getpgrp(), 'input': q['input'], 'key': os.environ.get('CARGO_PKG_NAME'), 'path': 'PATH' in os.environ}
    print(json.dumps({'id': q['id'], 'output': out}), flush=True)
";

#[tokio::test]
async fn a_program_is_kept_alive_in_a_group_and_an_environment_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let hook = hook(dir.path(), GOOD);
    let first = ask(&hook, AMPLE).await.unwrap();
    let second = ask(&hook, AMPLE).await.unwrap();
    assert_eq!((&first["pid"], &first["input"]), (&second["pid"], &json!({"a": "\u{e4}"})));
    assert_eq!((&first["group"], &first["key"], &first["path"]), (&first["pid"], &Value::Null, &true.into()));
    let mut heard = String::new();
    while heard.matches("asked generate").count() < 2 {
        heard += &hook.heard().unwrap_or_default();
        tokio::task::yield_now().await;
    }
    // It ends with whoever started it.
    let pid = first["pid"].as_i64().unwrap();
    drop(hook);
    let started = Instant::now();
    while alive(pid) {
        assert!(started.elapsed() < AMPLE);
        tokio::task::yield_now().await;
    }
}

/// Whether a process runs: one that ended and waits to be reaped does not.
fn alive(pid: i64) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[tokio::test]
async fn one_that_hangs_is_killed_with_its_children_and_started_anew() {
    let dir = tempfile::tempdir().unwrap();
    let program = "
import subprocess
if not os.path.exists('once'):
    child = subprocess.Popen(['sleep', '300'])
    open('once', 'w').write(str(child.pid))
    time.sleep(300)
for line in sys.stdin:
    print(json.dumps({'id': json.loads(line)['id'], 'output': 'here'}), flush=True)
";
    let hook = hook(dir.path(), program);
    let waits = ask(&hook, Duration::from_secs(3)).await.unwrap_err();
    assert!(
        matches!(&waits, NoAnswer::Failed(why) if why.contains("no answer by its deadline")),
        "{waits:?}"
    );
    let child: i64 = std::fs::read_to_string(dir.path().join("once")).unwrap().parse().unwrap();
    let started = Instant::now();
    while alive(child) {
        assert!(started.elapsed() < AMPLE, "its child lives on");
        tokio::task::yield_now().await;
    }
    assert_eq!(ask(&hook, AMPLE).await, Ok(json!("here")));
}

#[tokio::test]
async fn floods_exits_and_bad_answers_are_told_and_no_answer() {
    for (program, part) in [
        ("sys.stdin.readline()\nraise ValueError('no weights')", "it printed last: ValueError: no weights"),
        (
            "sys.stdin.readline()\nprint('{\"id\": 1}', flush=True)\ntime.sleep(300)",
            "neither output nor error",
        ),
        ("while True: sys.stderr.write('x' * 65536)", "no answer by its deadline"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let hook = Hook { most: 1 << 20, ..hook(dir.path(), program) };
        let limit = if part.contains("deadline") { Duration::from_secs(2) } else { AMPLE };
        let error = ask(&hook, limit).await.unwrap_err();
        assert!(matches!(&error, NoAnswer::Failed(why) if why.contains(part)), "{part}: {error:?}");
        assert!(hook.heard().is_none_or(|heard| heard.len() <= HEARD_BYTES));
    }
    let dir = tempfile::tempdir().unwrap();
    let said = "
for line in sys.stdin:
    print(json.dumps({'id': json.loads(line)['id'], 'error': 'I see no call'}), flush=True)
";
    let hook = hook(dir.path(), said);
    for _ in 0..2 {
        assert_eq!(ask(&hook, AMPLE).await, Err(NoAnswer::Said("I see no call".into())));
    }
    let none = Hook::new(HookRule { exec: vec!["no-such-program".into()], stages: vec![] }, dir.path());
    assert!(
        matches!(ask(&none, AMPLE).await, Err(NoAnswer::Failed(why)) if why.contains("cannot be started"))
    );
}

#[tokio::test]
async fn one_that_ended_between_two_questions_is_started_anew() {
    let dir = tempfile::tempdir().unwrap();
    let once = "
q = json.loads(sys.stdin.readline())
print(json.dumps({'id': q['id'], 'output': os.getpid()}), flush=True)
";
    let hook = hook(dir.path(), once);
    let first = ask(&hook, AMPLE).await.unwrap();
    let started = Instant::now();
    while alive(first.as_i64().unwrap()) {
        assert!(started.elapsed() < AMPLE);
        tokio::task::yield_now().await;
    }
    assert_ne!(ask(&hook, AMPLE).await.unwrap(), first);
}
