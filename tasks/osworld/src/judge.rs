//! Judging (`desktop_env/desktop_env.py`, `evaluate`): the steps before it, the infeasible shortcut, the
//! getters, the metrics, and how their scores are put together.

use std::time::Duration;

use serde_json::Value;
use waldo_tasks::TaskError;

use super::error::{OsworldError, Result};
use super::fault::{OsworldFault, Score};
use super::getters::GetterContext;
use super::metrics::{self, MetricCall};
use super::ooxml::budget::Budget;
use super::setup::SetupRunner;
use super::task::{Conj, MetricUse, OsTask};

/// Bytes of stack that a metric has.
pub(crate) const STACK: usize = 16 << 20;
/// How long a metric may go on after its time: it looks at the clock now and then only.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its last act was to declare the task impossible (`FAIL`).
    Failed,
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MetricPart {
    pub func: String,
    pub score: f64,
    /// Why it is what it is, where the original would have failed.
    pub note: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// From 0 to 1.
    pub score: f64,
    pub parts: Vec<MetricPart>,
}

/// Judges the state that `world` is in.
///
/// # Errors
/// When a part of the benchmark is not ported, when the expected value cannot be had, when the machine does
/// not answer: the attempt is invalid.
pub async fn judge(task: &OsTask, world: &mut GetterContext<'_>, ending: Ending) -> Result<Judgement> {
    let evaluator = &task.evaluator;
    SetupRunner {
        machine: &mut *world.machine,
        cache: world.cache,
        task: world.task,
        scratch: world.scratch,
        deadline: world.deadline,
    }
    .run(&evaluator.postconfig)
    .await?;
    let shortcut = |score: f64, note: &str| Judgement {
        score,
        parts: vec![MetricPart { func: "infeasible".into(), score, note: note.into() }],
    };
    match (evaluator.infeasible, ending) {
        (true, Ending::Failed) => return Ok(shortcut(1.0, "declared impossible, as it is")),
        (true, Ending::Other) => return Ok(shortcut(0.0, "not declared impossible, though it is")),
        (false, Ending::Failed) => return Ok(shortcut(0.0, "declared impossible, though it is not")),
        (false, Ending::Other) => {}
    }
    if let Some(problem) = task.problems.first() {
        return Err(TaskError::record(&task.path, problem).into());
    }
    let mut parts = Vec::new();
    for (i, one) in evaluator.uses.iter().enumerate() {
        let (score, note) = match ask(one, world, i).await {
            Ok(score) => (score, String::new()),
            Err(OsworldFault::Raised(note)) => (0.0, note),
            Err(fault) => return Err(invalid(&one.func, &fault)),
        };
        parts.push(MetricPart { func: one.func.clone(), score, note });
        if evaluator.several {
            match evaluator.conj {
                Conj::And if score == 0.0 => return Ok(Judgement { score: 0.0, parts }),
                Conj::Or if score == 1.0 => return Ok(Judgement { score: 1.0, parts }),
                _ => {}
            }
        }
    }
    let scores = parts.iter().map(|part| part.score);
    #[expect(clippy::cast_precision_loss, reason = "there are few metrics")]
    let score = match evaluator.conj {
        Conj::And => scores.sum::<f64>() / parts.len().max(1) as f64,
        Conj::Or => scores.fold(f64::NEG_INFINITY, f64::max),
    };
    Ok(Judgement { score, parts })
}

fn invalid(func: &str, fault: &OsworldFault) -> OsworldError {
    match fault {
        OsworldFault::Unsupported(name) => {
            OsworldError::Unsupported { what: "a part of the judgement", name: format!("{func}: {name}") }
        }
        other => OsworldError::machine(format!("judge {func}"), other),
    }
}

async fn ask(one: &MetricUse, world: &mut GetterContext<'_>, index: usize) -> Score {
    let name = one.func.clone();
    if metrics::find(&name).is_none() {
        return Err(OsworldFault::Unsupported(format!("metric '{name}'")));
    }
    let result = if let Some(getter) = &one.result { world.ask(getter).await? } else { Value::Null };
    let expected = match &one.expected {
        // What goes wrong with the expected value is nothing that the agent did, unless it asks the machine.
        Some(getter) => Some(world.ask(getter).await?),
        None => None,
    };
    let scratch = world.scratch.join(format!("metric-{index}"));
    std::fs::create_dir_all(&scratch)
        .map_err(|e| OsworldFault::Machine(format!("make {}: {e}", scratch.display())))?;
    let call = MetricCall { result, expected, options: one.options.clone(), scratch };
    let (send, receive) = tokio::sync::oneshot::channel();
    let judge = move || {
        let score = metrics::answer(&name, &call);
        let _ = send.send(score.unwrap_or(Err(OsworldFault::Unsupported(format!("metric '{name}'")))));
    };
    // Documents and pictures take their time; other episodes must not wait for it, and nobody for its end.
    let thread = std::thread::Builder::new().name("judge".to_owned()).stack_size(STACK);
    let failed = |e| OsworldFault::Machine(format!("start a thread that judges: {e}"));
    thread.spawn(judge).map_err(failed)?;
    let most = Budget::default().time + GRACE;
    match tokio::time::timeout(most, receive).await {
        Ok(score) => score.map_err(|_| OsworldFault::Machine("the metric did not end".to_owned()))?,
        Err(_) => {
            let most = most.as_secs();
            Err(OsworldFault::Unsupported(format!("a judgement of more than {most} seconds")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use serde_json::json;
    use waldo_devices::Deadline;

    use super::super::cache::Cache;
    use super::super::machine::Local;
    use super::*;

    /// Judges an evaluator with files in the home, and gives the score and the number of metrics asked.
    async fn score(evaluator: Value, files: &[(&str, &str)], ending: Ending) -> Result<(f64, usize)> {
        let (home, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (name, content) in files {
            std::fs::write(home.path().join(name), content).unwrap();
        }
        let task = json!({ "id": "t", "instruction": "x", "evaluator": evaluator });
        let task = OsTask::parse(&task, Path::new("/d/t.json")).unwrap();
        let mut machine = Local::new(home.path().to_owned());
        let cache = Cache::offline(scratch.path().join("cache"));
        let mut world = GetterContext {
            machine: &mut machine,
            cache: &cache,
            task: "t",
            scratch: scratch.path(),
            deadline: Deadline::after(Duration::from_secs(30)),
        };
        judge(&task, &mut world, ending).await.map(|found| (found.score, found.parts.len()))
    }

    fn command(line: &str) -> Value {
        json!({ "type": "vm_command_line", "command": line, "shell": true })
    }

    fn rule(text: &str) -> Value {
        json!({ "type": "rule", "rules": { "expected": text } })
    }

    #[tokio::test]
    async fn infeasible_tasks_want_to_be_declared() {
        let task = || json!({ "func": "infeasible" });
        assert_eq!(score(task(), &[], Ending::Failed).await.unwrap().0, 1.0);
        assert_eq!(score(task(), &[], Ending::Other).await.unwrap().0, 0.0);
        let feasible = json!({ "func": "exact_match", "result": command("printf x"), "expected": rule("x") });
        assert_eq!(score(feasible.clone(), &[], Ending::Failed).await.unwrap().0, 0.0);
        assert_eq!(score(feasible, &[], Ending::Other).await.unwrap().0, 1.0);
    }

    #[tokio::test]
    async fn scores_are_put_together() {
        let several = |conj: &str, found: [&str; 3]| {
            json!({ "func": ["fuzzy_match", "fuzzy_match", "exact_match"], "conj": conj,
                "result": found.map(|text| command(&format!("printf {text}"))),
                "expected": [rule("abcd"), rule("abcd"), rule("abcd")] })
        };
        let of = async |conj: &str, found: [&str; 3]| {
            score(several(conj, found), &[], Ending::Other).await.unwrap()
        };
        assert_eq!(of("and", ["abcd", "abxd", "abcd"]).await, ((1.0 + 0.75 + 1.0) / 3.0, 3));
        assert_eq!(of("and", ["abcd", "wxyz", "abcd"]).await, (0.0, 2));
        assert_eq!(of("or", ["abxd", "wxyz", "x"]).await, (0.75, 3));
        assert_eq!(of("or", ["abxd", "abcd", "x"]).await, (1.0, 2));
    }

    #[tokio::test]
    async fn steps_run_before_judging() {
        let task = json!({ "func": "exact_match", "result": command("cat /home/user/a"), "expected": rule("x\n"),
            "postconfig": [{ "type": "execute", "parameters": { "command": "echo x > /home/user/a", "shell": true } }] });
        assert_eq!(score(task, &[], Ending::Other).await.unwrap().0, 1.0);
    }

    #[tokio::test]
    async fn what_cannot_be_judged_is_no_zero() {
        let missing = json!({ "func": "compare_audios", "result": command("true"), "expected": rule("") });
        assert!(matches!(score(missing, &[], Ending::Other).await, Err(OsworldError::Unsupported { .. })));
        let gold = json!({ "func": "compare_text_file", "result": { "type": "vm_file", "path": "/home/user/a", "dest": "a" },
            "expected": { "type": "cloud_file", "path": "https://x.org/gold", "dest": "gold" } });
        let error = score(gold, &[("a", "x")], Ending::Other).await.unwrap_err().to_string();
        assert!(error.contains("not in the cache"), "{error}");
        let raised = json!({ "func": "check_text_enlarged", "result": command("echo none") });
        assert_eq!(score(raised, &[], Ending::Other).await.unwrap(), (0.0, 1));
    }

    #[tokio::test]
    async fn files_and_folders_are_answered() {
        let files = [("a.txt", "one\n"), ("b.txt", "two\n")];
        let several = json!({ "func": "exact_match",
            "result": { "type": "vm_file", "path": ["/home/user/a.txt", "/home/user/none"], "dest": ["a", "n"], "multi": true, "gives": [1] },
            "expected": { "type": "rule", "rules": { "expected": null } } });
        assert_eq!(score(several, &files, Ending::Other).await.unwrap().0, 1.0);
        let folder = json!({ "func": "check_moved_jpgs", "result": { "type": "list_directory", "path": "/home/user" },
            "expected": { "type": "rule", "rules": { "expected": ["b.txt", "a.txt"] } } });
        assert_eq!(score(folder, &files, Ending::Other).await.unwrap().0, 1.0);
        let alike = json!({ "func": "diff_text_file", "result": { "type": "vm_file", "path": "/home/user/a.txt", "dest": "a" },
            "expected": { "type": "vm_file", "path": "~/b.txt", "dest": "b" } });
        assert_eq!(score(alike, &files, Ending::Other).await.unwrap().0, 0.0);
        let errors = json!({ "func": "check_include_exclude", "result": { "type": "vm_command_error", "command": "echo no >&2", "shell": true },
            "expected": { "type": "rule", "rules": { "include": ["no"] } } });
        assert_eq!(score(errors, &[], Ending::Other).await.unwrap().0, 1.0);
    }
}
