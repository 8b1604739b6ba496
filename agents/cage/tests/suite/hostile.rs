//! A thousand generated scripts that mean harm, from one seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::{Rng, RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use waldo_cage::{CageError, Script, ScriptEngine as _, ScriptLimits};

use super::support::{Toy, engine};

const SCRIPTS: u64 = 1_000;
/// At a time: the machine has other work.
const AT_ONCE: u64 = 3;

fn limits() -> ScriptLimits {
    ScriptLimits {
        interpreter: Duration::from_millis(60),
        wall: Duration::from_millis(2_500),
        memory: 24 << 20,
        recursion: 100,
        host_calls: 60,
        print: 8 << 10,
        source: 64 << 10,
        ..ScriptLimits::default()
    }
}

/// Statements that the engine runs, and some that are refused at first sight, parted by `~`.
const SLY: &str = "while True: pass~print(\"x\" * 10 ** 5)~x = [x] * 10 ** 8~assert x, x~import re~\
    x = re.sub(\"(x+x+)+y\", \"\", \"x\" * 3000)~def solve(x): return solve([x])\nsolve(1)~while True: echo(x)~\
    items(9)[8].click(x)~x = \"%s\" % x";
const PLAIN: &str = "import os~import socket~__import__(\"os\")~open(\"/etc/passwd\")~exec(\"x=1\")~del x~yield 1~\
    globals()~while True: pass~print(\"x\" * 10 ** 5)~x = [x] * 10 ** 8~from ctypes import *~\
    class A(object): pass~assert x, x";

struct Writer {
    rng: ChaCha8Rng,
    text: String,
    names: usize,
    /// Leaves out what is refused at first sight.
    sly: bool,
}

impl Writer {
    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.rng.random_range(0..all.len())]
    }

    fn number(&mut self) -> String {
        let digits = self.rng.random_range(1..9);
        match self.rng.random_range(0..6) {
            0 => format!("10 ** {digits}"),
            1 => format!("2 ** {}", digits * 7),
            2 => "-1".into(),
            3 => format!("{digits} ** {digits} ** {digits}"),
            _ => digits.to_string(),
        }
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            let n = self.number();
            return match self.rng.random_range(0..8) {
                0 => "x".into(),
                1 => "\"ab\"".into(),
                2 => "items(3)".into(),
                3 => "[x, x]".into(),
                _ => n,
            };
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        let n = self.number();
        match self.rng.random_range(0..26) {
            0 => format!("[{a}] * ({n})"),
            1 => format!("({a}) + ({b})"),
            2 => format!("({a}) * ({b})"),
            3 => format!("str({a}) * ({n})"),
            4 => format!("[x for x in range({n}) if {b}]"),
            5 => format!("sorted([{a}, {b}], key=lambda x: echo(x))"),
            6 => format!("echo({a})"),
            7 => format!("f\"{{{n}:>{n}}}\"").replace(" ** ", ""),
            8 => format!("{{ {a}: {b} }}"),
            9 => format!("(lambda x: {a})({b})"),
            10 => format!("list(map(echo, [{a}, {b}]))"),
            11 => format!("repr({a})"),
            12 if !self.sly => format!("({a}).__class__.__bases__"),
            13 => format!("getattr({a}, \"__\" + \"class__\")"),
            14 if !self.sly => "eval(\"1\")".into(),
            12 | 14 => format!("getattr({a}, \"__ba\" + \"ses__\", {b})"),
            15 => format!("any(count(str(x)) for x in range({n}))"),
            16 => format!("\"{{0.__class__}}\".format({a})"),
            17 => "items(2)[0].image".into(),
            18 => format!("items(2)[{n}].score"),
            19 => format!("({a}) ** ({b})"),
            20 => format!("({a}) << ({n})"),
            21 => format!("\",\".join([str({a})] * ({n}))"),
            22 => format!("(x, {a}, *[{b}])[{n}]"),
            23 => format!("frozenset([{a}])"),
            24 => format!("slide_x(items(1)[0])[0].refine()[{n}].release()"),
            _ => format!("{}{a}{}", "(".repeat(20), ")".repeat(20)),
        }
    }

    fn statement(&mut self, indent: usize) {
        let pad = "    ".repeat(indent);
        let e = self.expression(2);
        let n = self.number();
        let kind = if indent > 3 { self.rng.random_range(0..9) } else { self.rng.random_range(0..20) };
        let line = match kind {
            0 => format!("x = {e}"),
            1 => format!("print({e})"),
            2 => format!("slide_x(items(1)[0]); x = {e}"),
            3 => format!("x = [x, {e}]"),
            4 => format!("echo({e})"),
            5 => format!("boom({:?})", self.pick(&["IndexError", "ValueError", "KeyError"])),
            6 => format!(
                "raise {}(\"x\" * ({n}))",
                self.pick(&["ValueError", "MemoryError", "SystemExit", "RecursionError"])
            ),
            7 => {
                let all = if self.sly { SLY } else { PLAIN };
                let all: Vec<&str> = all.split('~').collect();
                self.pick(&all).replace('\n', &format!("\n{pad}"))
            }
            8 => format!("x = x if {e} else {n}"),
            kind => {
                self.names += 1;
                let head = match kind {
                    9 => "while True:".to_owned(),
                    10 => format!("for x in range({n}):"),
                    11 | 12 => "try:".to_owned(),
                    13 => format!("def f{}(x):", self.names),
                    14 => format!("if {e}:"),
                    15 => "for x in iter([1] * 1000):".to_owned(),
                    16 => format!("while ({e}) or True:"),
                    _ => "for x in items(5):".to_owned(),
                };
                let name = self.names;
                self.text.push_str(&format!("{pad}{head}\n"));
                for _ in 0..self.rng.random_range(1..4) {
                    self.statement(indent + 1);
                }
                if kind == 11 || kind == 12 {
                    let what = self.pick(&["except BaseException", "except", "except Exception", "finally"]);
                    self.text.push_str(&format!("{pad}{what}:\n{pad}    x = 1\n"));
                } else if kind == 13 {
                    let call = self.pick(&["f(x)", "f(f)", "f([x])"]).replacen('f', &format!("f{name}"), 1);
                    self.text.push_str(&format!("{pad}    {call}\n{pad}f{name}(1)\n"));
                }
                return;
            }
        };
        self.text.push_str(&format!("{pad}{line}\n"));
    }
}

fn script(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    if rng.random_range(0..20) == 0 {
        return garbage(&mut rng);
    }
    let sly = rng.random_range(0..4) > 0;
    let mut writer = Writer { rng, text: "import re\nx = 1\n".into(), names: 0, sly };
    for _ in 0..writer.rng.random_range(1..6) {
        writer.statement(0);
    }
    writer.text
}

fn garbage(rng: &mut impl Rng) -> String {
    let parts: Vec<&str> =
        "(~)~[~]~{~}~:~def f~lambda x~\n~    ~x~=~f\"{~\"~'''~if ~else~*~**~@~\\~1~é~\0~\t~\
        import ~_w_any~for x in ~yield ~await "
            .split('~')
            .collect();
    (0..rng.random_range(1..400)).map(|_| parts[rng.random_range(0..parts.len())]).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_hostile_scripts() {
    let next = Arc::new(AtomicUsize::new(0));
    let counts: Arc<[AtomicUsize; 5]> = Arc::default();
    let tasks: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (next, counts) = (Arc::clone(&next), Arc::clone(&counts));
            tokio::spawn(async move {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed) as u64;
                    if seed >= SCRIPTS {
                        return;
                    }
                    let source = script(seed);
                    let mut toy = Toy { held: true, ..Toy::default() };
                    let started = Instant::now();
                    let result = engine().run(&Script::plain(source.clone()), &mut toy, &limits()).await;
                    let took = started.elapsed();
                    let case = || format!("seed {seed}, {took:?}, {result:?}:\n{source}");
                    assert!(took < Duration::from_secs(15), "hangs: {}", case());
                    assert!(
                        !toy.held && toy.released.len() == 1,
                        "not let go: {:?} {}",
                        toy.released,
                        case()
                    );
                    assert!(toy.trace.len() <= 60, "too many calls: {}", case());
                    let index = match &result {
                        Ok(_) => 0,
                        Err(CageError::Refused(_)) => {
                            assert!(toy.trace.is_empty(), "refused too late: {}", case());
                            1
                        }
                        Err(CageError::Raised(_)) => 2,
                        Err(CageError::Limit { .. }) => 3,
                        Err(CageError::Died { .. }) => 4,
                        Err(_) => panic!("neither of the ends: {}", case()),
                    };
                    counts[index].fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let counts: Vec<usize> = counts.iter().map(|c| c.load(Ordering::Relaxed)).collect();
    eprintln!("done, refused, raised, limit, died: {counts:?}");
    assert_eq!(counts.iter().sum::<usize>() as u64, SCRIPTS);
    // The generator reaches every kind of end.
    assert!(counts[..4].iter().all(|&n| n >= 20), "{counts:?}");
    let mut toy = Toy::default();
    assert!(engine().run(&Script::plain("count('a')"), &mut toy, &limits()).await.is_ok());
}
