//! How runs end: limits, stops, kills, and what the host is told.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use waldo_cage::{
    CageError, Handle, HostCall, HostError, Limit, Script, ScriptEngine as _, ScriptLimits, Stop, StopCause,
    Surface, ToolHost, Val, WorkerEngine,
};

use super::support::{Toy, engine, frames, limits, run, run_with};

#[tokio::test]
async fn a_script_calls_tools_and_returns() {
    let source = "def solve(frames):\n    e = frames[0].get_interactable(1)\n    print(e.kind, e.image)\n    \
                  return ask([e.image], 'is it?')\n";
    let (result, toy) = run_with(&Script::calling(source, "solve", frames()), &limits()).await;
    let outcome = result.unwrap();
    assert_eq!(outcome.printed, "NEXT img-Element-11\n");
    assert_eq!(toy.trace.len(), 4, "{:?}", toy.trace);
    assert!(matches!(outcome.value, Val::List(_)), "{:?}", outcome.value);
    assert_eq!(toy.released, [StopCause::Finished]);
    assert_eq!(outcome.usage.host_calls, 4);
}

#[tokio::test]
async fn an_exception_has_its_line_and_what_was_printed() {
    let source =
        "# first\nprint('so far')\ndef f(xs):\n    return sorted(xs, key=lambda x: [][x])\n\nf([3])\n";
    let (result, toy) = run(source).await;
    let error = result.unwrap_err();
    insta::assert_snapshot!(error.advice(), @r"
    IndexError: list index out of range at line 4
      line 4: return sorted(xs, key=lambda x: [][x])
      line 4 in f: return sorted(xs, key=lambda x: [][x])
      line 6: f([3])
    ");
    assert_eq!(error.printed(), "so far\n");
    assert!(error.is_repairable());
    assert_eq!(toy.released, [StopCause::Raised]);
}

#[tokio::test]
async fn refusals_come_before_any_call_with_place_and_advice() {
    let source = "count('a')\nclass A(B):\n    pass\nfor x in frame: conut(x)\nitems(1)[0].scroe\nyield 1\n";
    let (result, toy) = run(source).await;
    insta::assert_snapshot!(result.unwrap_err().advice(), @r"
    Nothing of the script has run. Mend this:
    - line 2, column 7: the class A inherits; write plain functions, or a class without a base
    - line 2, column 9: the name B is not defined; define it first; only the listed tools exist
    - line 4, column 10: the name frame is not defined; did you mean Frame?
    - line 4, column 17: the name conut is not defined; did you mean count?
    - line 5, column 13: nothing here has an attribute scroe; did you mean score?
    - line 6, column 1: yield; collect the values in a list and return it
    ");
    assert!(toy.trace.is_empty());
    assert_eq!(toy.released, [StopCause::Refused]);
}

#[tokio::test]
async fn the_standard_library_needs_no_import() {
    let source = "print(math.floor(math.hypot(3, 4)), Counter('aab')['a'], sqrt(16), hypot(3, 4))\n\
                  print(list(itertools.combinations([1, 2], 2)), list(permutations('ab')), f'{statistics.mean([1, 3]):.1f}')\n";
    let (result, _) = run(source).await;
    assert_eq!(result.unwrap().printed, "5 2 4.0 5.0\n[(1, 2)] [('a', 'b'), ('b', 'a')] 2.0\n");
}

#[tokio::test]
async fn a_missing_entry_is_refused() {
    let (result, _) = run_with(&Script::calling("x = 1", "solve", frames()), &limits()).await;
    assert!(matches!(result, Err(CageError::Refused(_))), "{result:?}");
}

#[tokio::test]
async fn the_clock_stands_still_while_a_tool_works() {
    let mut toy = Toy { wait: Duration::from_millis(700), ..Toy::default() };
    let limits = ScriptLimits { interpreter: Duration::from_millis(1_200), ..limits() };
    let result = engine().run(&Script::plain("wait()\nwait()\nprint('done')"), &mut toy, &limits).await;
    let outcome = result.unwrap();
    assert_eq!(outcome.printed, "done\n");
    assert!(outcome.usage.wall > Duration::from_millis(1_400), "{:?}", outcome.usage);
    assert!(outcome.usage.interpreter < Duration::from_millis(1_200), "{:?}", outcome.usage);
}

#[tokio::test]
async fn a_tool_that_hangs_is_cut_at_the_wall_limit() {
    let mut toy = Toy { wait: Duration::from_secs(60), held: true, ..Toy::default() };
    let limits = ScriptLimits { wall: Duration::from_millis(600), ..limits() };
    let started = Instant::now();
    let result = engine().run(&Script::plain("print('go')\n\nwait()"), &mut toy, &limits).await;
    assert!(started.elapsed() < Duration::from_secs(15));
    let error = result.unwrap_err();
    assert!(matches!(error, CageError::Limit { limit: Limit::Wall, line: Some(3), .. }), "{error:?}");
    assert_eq!(error.printed(), "go\n");
    assert_eq!(toy.released, [StopCause::Limit(Limit::Wall)]);
    assert!(!toy.held);
}

#[tokio::test]
async fn limits_have_their_line() {
    let limits = ScriptLimits { host_calls: 5, ..limits() };
    let often = "for i in range(9):\n    try:\n        count('a')\n    except: pass";
    let (result, toy) = run_with(&Script::plain(often), &limits).await;
    let error = result.unwrap_err();
    assert!(matches!(error, CageError::Limit { limit: Limit::HostCalls, line: Some(3), .. }), "{error:?}");
    assert_eq!(toy.trace.len(), 5);

    let limits = ScriptLimits { interpreter: Duration::from_millis(200), ..limits };
    let (result, _) = run_with(&Script::plain("x = 1\nwhile True:\n    x = 1 - x"), &limits).await;
    let error = result.unwrap_err();
    assert!(matches!(error, CageError::Limit { limit: Limit::Interpreter, .. }), "{error:?}");

    let limits = ScriptLimits { memory: 16 << 20, ..super::support::limits() };
    let (result, _) = run_with(&Script::plain("x = []\nwhile True: x.append('a' * 10000)"), &limits).await;
    let error = result.unwrap_err();
    assert!(matches!(error, CageError::Limit { limit: Limit::Memory, .. }), "{error:?}");
}

#[tokio::test]
async fn dropping_the_run_lets_go() {
    let mut toy = Toy { wait: Duration::from_secs(60), held: true, ..Toy::default() };
    let script = Script::plain("wait()");
    let limits = limits();
    let engine = engine();
    let run = engine.run(&script, &mut toy, &limits);
    assert!(tokio::time::timeout(Duration::from_millis(400), run).await.is_err());
    assert_eq!(toy.released, [StopCause::Dropped]);
    assert!(!toy.held);
}

/// A host whose only tool ends the run, or panics.
#[derive(Default)]
struct Ender {
    stop: Option<Stop>,
    released: Arc<Mutex<Vec<StopCause>>>,
}

#[async_trait]
impl ToolHost for Ender {
    fn surface(&self) -> Surface {
        Surface::default().functions(&["act"])
    }

    async fn call(&mut self, _: HostCall<'_>) -> Result<Val, HostError> {
        match self.stop.clone() {
            Some(stop) => Err(HostError::Stop(stop)),
            None => panic!("the tool panics"),
        }
    }

    async fn attr(&mut self, _receiver: &Handle, _name: &str) -> Result<Val, HostError> {
        Ok(Val::None)
    }

    fn released(&mut self, why: StopCause) {
        self.released.lock().unwrap().push(why);
    }
}

const CATCHES_ALL: &str = "while True:\n    try:\n        act()\n    except BaseException:\n        pass\n";

#[tokio::test]
async fn the_host_ends_a_run_and_the_script_cannot_catch_it() {
    let ended = async |stop: Stop| {
        let mut host = Ender { stop: Some(stop), ..Ender::default() };
        let result = engine().run(&Script::plain(CATCHES_ALL), &mut host, &limits()).await;
        (result.unwrap_err(), host.released.lock().unwrap().clone())
    };
    let (error, released) = ended(Stop::Host("a person has to take over".into())).await;
    assert!(matches!(&error, CageError::Stopped { line: Some(3), .. }), "{error:?}");
    assert!(error.advice().contains("a person has to take over"), "{}", error.advice());
    assert_eq!(released, [StopCause::Stopped]);
    let (error, released) = ended(Stop::Limit(Limit::ModelCalls)).await;
    assert!(matches!(error, CageError::Limit { limit: Limit::ModelCalls, line: Some(3), .. }), "{error:?}");
    assert_eq!(released, [StopCause::Limit(Limit::ModelCalls)]);
}

#[tokio::test]
async fn a_panicking_tool_lets_go() {
    let mut host = Ender::default();
    let released = host.released.clone();
    let task = tokio::spawn(async move { engine().run(&Script::plain("act()"), &mut host, &limits()).await });
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!(*released.lock().unwrap(), [StopCause::Dropped]);
}

#[tokio::test]
async fn a_worker_that_is_none_is_told() {
    for (program, starts) in [("/bin/true", true), ("/bin/cat", true), ("/nowhere/worker", false)] {
        let mut toy = Toy::default();
        let engine = WorkerEngine::with_program(program);
        let error = engine.run(&Script::plain("x = 1"), &mut toy, &limits()).await.unwrap_err();
        assert_eq!(!starts, matches!(error, CageError::Start(_)), "{program}: {error:?}");
        assert!(!error.is_repairable() || matches!(error, CageError::Died { .. }), "{program}: {error:?}");
        assert_eq!(toy.released, [StopCause::Broken]);
    }
}

#[tokio::test]
async fn a_source_that_is_too_long_starts_nothing() {
    let mut toy = Toy::default();
    let engine = WorkerEngine::with_program("/nowhere/worker");
    let result = engine.run(&Script::plain("x = 1\n".repeat(20_000)), &mut toy, &limits()).await;
    assert!(matches!(result, Err(CageError::Refused(_))), "{result:?}");
    assert_eq!(toy.released, [StopCause::Refused]);
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_goes_through_the_fences() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_waldo-cage-worker"))
        .arg("escapes")
        .env_clear()
        .current_dir("/")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Ok([])\n", "{output:?}");
}

/// The bench measures it closely; this notices when it is off by far.
#[tokio::test]
async fn runs_and_calls_cost_little() {
    let started = Instant::now();
    let (result, _) = run("x = 1").await;
    assert!(result.is_ok());
    let one = started.elapsed();
    let started = Instant::now();
    let (result, toy) = run("for i in range(1000): count('a')").await;
    assert!(result.is_ok());
    let thousand = started.elapsed().saturating_sub(one);
    assert_eq!(toy.trace.len(), 1_000);
    eprintln!("a run {one:?}, a hundred calls {:?}", thousand / 10);
    assert!(one < Duration::from_secs(15) && thousand < Duration::from_secs(15), "{one:?} {thousand:?}");
}
