//! Scripts that mean harm: none escapes, hangs, or leaves something held, and the parent lives on.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use waldo_cage::{CageError, Limit, Script, ScriptLimits};

use super::probes::probes;
use super::support::{Toy, data, engine, run, run_with};
use waldo_cage::ScriptEngine as _;

/// Short limits: a script that only stops at one costs little.
pub fn short() -> ScriptLimits {
    ScriptLimits {
        interpreter: Duration::from_millis(400),
        wall: Duration::from_secs(8),
        memory: 32 << 20,
        host_calls: 300,
        print: 64 << 10,
        ..ScriptLimits::default()
    }
}

/// How a run ended, without what depends on the moment.
fn kind(result: &Result<waldo_cage::ScriptOutcome, CageError>) -> String {
    match result {
        Ok(_) => "done".into(),
        Err(CageError::Refused(refusals)) => format!("refused, {}", refusals[0].what),
        Err(CageError::Raised(error)) => {
            let message: String = error.message.chars().take(60).collect();
            format!("raised {}: {}", error.kind, message.lines().next().unwrap_or_default())
        }
        // Which of the two is reached first depends on the machine.
        Err(CageError::Limit { limit: Limit::Interpreter | Limit::Memory, .. }) => {
            "limit of time or memory".into()
        }
        Err(CageError::Limit { limit, .. }) => format!("limit of {limit}"),
        Err(CageError::Died { .. }) => "died".into(),
        Err(other) => format!("{other}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abuse_ends_in_the_cage() {
    let file = data("abuse.py");
    let probes = probes(&file);
    assert!(probes.len() >= 34);
    let mut table = String::new();
    for (name, source) in probes {
        let mut toy = Toy { held: true, ..Toy::default() };
        let started = Instant::now();
        let result = engine().run(&Script::plain(source), &mut toy, &short()).await;
        let took = started.elapsed();
        assert!(took < Duration::from_secs(20), "{name} took {took:?}");
        assert!(!toy.held, "{name} leaves something held");
        assert_eq!(toy.released.len(), 1, "{name}: {:?}", toy.released);
        assert!(toy.trace.len() <= 300, "{name} called {} times", toy.trace.len());
        if !matches!(result, Err(CageError::Protocol(_) | CageError::Start(_))) {
            let _ = writeln!(table, "{name}: {}", kind(&result));
        } else {
            panic!("{name}: {result:?}");
        }
    }
    insta::assert_snapshot!(table);
    let (after, _) = run("print(1)").await;
    assert_eq!(after.unwrap().printed, "1\n");
}

#[tokio::test]
async fn deep_nesting_is_refused_without_a_crash() {
    for source in [
        format!("x = {}1{}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("x = {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("x = {}1", "-".repeat(30_000)),
        format!("x = {}1", "not ".repeat(10_000)),
        format!("x = {}1", "lambda: ".repeat(5_000)),
        format!("x = 1{}", " + 1".repeat(10_000)),
        format!("x = a{}", ".b".repeat(20_000)),
        format!("x = a{}", "()".repeat(20_000)),
        format!("x = {}", "1 if 1 else ".repeat(3_000)),
        format!("x = {}", "{".repeat(20_000)),
        format!("x = f\"{}\"", "{f'".repeat(5_000)),
        (0..900).map(|i| format!("{}if 1:\n", " ".repeat(i.min(60)))).collect(),
        format!("if 1: pass\n{}", "elif 1: pass\n".repeat(4_000)),
    ] {
        let (result, toy) = run_with(&Script::plain(source.clone()), &short()).await;
        let start: String = source.chars().take(30).collect();
        match result {
            Err(CageError::Refused(refusals)) => assert!(!refusals.is_empty()),
            // The engine's own parser refuses the rest.
            Err(CageError::Raised(error)) => {
                assert!(
                    matches!(error.kind.as_str(), "SyntaxError" | "RecursionError" | "MemoryError"),
                    "{start}: {error}"
                );
            }
            other => panic!("{start}: {other:?}"),
        }
        assert!(toy.trace.is_empty());
    }
}
