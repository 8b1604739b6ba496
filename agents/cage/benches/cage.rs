//! What the cage costs: a whole run, spawn included, and what calls of the host add, beside the bare way
//! there and back between two processes.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench fails as tests do"
)]

use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::process::Command;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use criterion::{Criterion, criterion_group, criterion_main};
use waldo_cage::{
    ClassSpec, Handle, HostCall, HostError, Script, ScriptEngine as _, ScriptLimits, StopCause, Surface,
    ToolHost, Val, WorkerEngine,
};

struct Idle;

#[async_trait]
impl ToolHost for Idle {
    fn surface(&self) -> Surface {
        Surface::default()
            .functions(&["see"])
            .class(ClassSpec::new("Frame").fields(&["id", "x"]).live(&["score"]))
    }

    async fn call(&mut self, call: HostCall<'_>) -> Result<Val, HostError> {
        let HostCall { args, .. } = call;
        Ok(args.into_iter().next().unwrap_or(Val::None))
    }

    async fn attr(&mut self, _receiver: &Handle, _name: &str) -> Result<Val, HostError> {
        Ok(Val::Int(3))
    }

    fn released(&mut self, why: StopCause) {
        assert_eq!(why, StopCause::Finished);
    }
}

const CALLS: u32 = 1_000;

fn fastest(mut run: impl FnMut() -> Duration) -> Duration {
    (0..20).map(|_| run()).min().unwrap_or_default() / CALLS
}

/// What this machine takes for so many bytes to another process and back: two writes, two reads, two
/// changes of the process that runs.
fn bare() -> Duration {
    let (input, mut to) = std::io::pipe().unwrap();
    let (mut from, output) = std::io::pipe().unwrap();
    let mut echo = Command::new("cat").stdin(input).stdout(output).spawn().unwrap();
    let mut bytes = [7; 24];
    let found = fastest(|| {
        let started = Instant::now();
        for _ in 0..CALLS {
            to.write_all(&bytes).unwrap();
            from.read_exact(&mut bytes).unwrap();
        }
        started.elapsed()
    });
    drop(to);
    echo.wait().unwrap();
    found
}

fn cage(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let engine = WorkerEngine::with_program(env!("CARGO_BIN_EXE_waldo-cage-worker"));
    let frames = || vec![Val::List(vec![Handle::new("Frame", 1).with("id", 1).with("x", 2).into()])];
    let run = |source: &str| {
        let script = Script::calling(source, "solve", frames());
        runtime
            .block_on(async { engine.run(&script, &mut Idle, &ScriptLimits::default()).await })
            .expect("a normal end")
    };
    // The difference of the two is what a thousand calls cost.
    c.bench_function("cage/round trip", |b| b.iter(|| black_box(run("def solve(frames): return 1"))));
    c.bench_function("cage/round trip and 1000 calls", |b| {
        b.iter(|| black_box(run("def solve(frames):\n    for i in range(1000): see(i)\n    return 1")));
    });
    let calls = format!("def solve(frames):\n    for i in range({CALLS}): see(i)\n    return 1");
    let timed = |source: &str| {
        let started = Instant::now();
        black_box(run(source));
        started.elapsed()
    };
    let with = fastest(|| timed(&calls));
    let without = fastest(|| timed("def solve(frames): return 1"));
    let (call, bare) = (with.saturating_sub(without), bare());
    println!(
        "a call of the host: {call:.1?}; the bare way to another process and back: {bare:.1?}; ratio {:.1}",
        call.as_secs_f64() / bare.as_secs_f64()
    );
    c.bench_function("cage/round trip, a script of 70 lines", |b| {
        let source = format!(
            "{}def solve(frames): return 1",
            "def f(x): return sorted([x], key=lambda v: -v)\n".repeat(70)
        );
        b.iter(|| black_box(run(&source)));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = cage
}
criterion_main!(benches);
