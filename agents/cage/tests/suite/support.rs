//! The host of the tests and its ways of running scripts; `twin.py` is the same host for CPython.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use async_trait::async_trait;
use waldo_cage::{
    CageError, ClassSpec, ExcKind, Handle, HostCall, HostError, Script, ScriptEngine as _, ScriptLimits,
    ScriptOutcome, StopCause, Surface, ToolHost, Val, WorkerEngine,
};

pub fn engine() -> WorkerEngine {
    WorkerEngine::with_program(env!("CARGO_BIN_EXE_waldo-cage-worker"))
}

/// Limits short enough for tests, long enough for a busy machine.
pub fn limits() -> ScriptLimits {
    ScriptLimits { wall: Duration::from_secs(20), ..ScriptLimits::default() }
}

/// A host that notes every call, and whether something is held.
#[derive(Debug, Default)]
pub struct Toy {
    pub trace: Vec<String>,
    pub held: bool,
    pub released: Vec<StopCause>,
    /// How long the tool `wait` takes.
    pub wait: Duration,
}

const TOOLS: &str = "ask rank compare match slide_x explore drag show_keypoints count items echo boom wait";

pub fn thing(class: &str, id: u64) -> Handle {
    let n = i64::try_from(id).unwrap();
    let handle = Handle::new(class, id).with("id", n).with("x", n * 7 % 100).with("y", n * 13 % 100);
    match class {
        "Frame" => {
            let row =
                |r: u64| Val::List((0..3).map(|c| thing("Element", id * 10 + r * 3 + c).into()).collect());
            handle
                .with("size", Val::Tuple(vec![120.into(), 80.into()]))
                .with("grid", Val::List((0..2).map(row).collect()))
        }
        "Element" => {
            handle.with("kind", ["DRAGGABLE", "CLICKABLE", "NEXT"][usize::try_from(id % 3).unwrap()])
        }
        _ => handle,
    }
}

fn many(class: &str, from: u64, count: u64) -> Val {
    Val::List((from..from + count).map(|id| thing(class, id).into()).collect())
}

fn text(value: &Val) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn weight(text: &str) -> i64 {
    text.chars().zip(1..).map(|(c, i): (char, i64)| i * i64::from(u32::from(c))).sum::<i64>() % 17
}

impl Toy {
    async fn perform(&mut self, me: Option<&Handle>, name: &str, args: &[Val]) -> Result<Val, HostError> {
        let missing = || HostError::raise(ExcKind::Type, format!("{name}() misses an argument"));
        let first = || args.first().ok_or_else(missing);
        let number = |most: i64, what: &str| match first()?.as_int() {
            Some(n) if n < most => Ok(u64::try_from(n).unwrap_or(0)),
            Some(_) => Err(HostError::raise(ExcKind::Index, format!("there are {most} {what}"))),
            None => Err(HostError::raise(ExcKind::Type, "a number is needed")),
        };
        let id = me.map_or(0, |h| h.id) * 10;
        let handle = || first()?.as_handle().cloned().ok_or_else(missing);
        Ok(match name {
            "get_interactable" => thing("Element", id + number(3, "interactables")?).into(),
            "get_keypoint" => thing("Point", id + number(5, "keypoints")?).into(),
            "get_neighbours" => many("Point", id, 3),
            "refine" => many("Choice", id, 3),
            "release" | "drop" | "swap" => {
                self.held = false;
                true.into()
            }
            "ask" => {
                let question = args.get(1).and_then(Val::as_str).ok_or_else(missing)?;
                let one = std::slice::from_ref(first()?);
                let images = first()?.as_items().unwrap_or(one);
                let answer = |i: &Val| match weight(&format!("{}{question}", text(i))) % 3 {
                    0 => Val::from("yes"),
                    _ => Val::from("no"),
                };
                Val::List(images.iter().map(answer).collect())
            }
            "rank" => {
                let items = first()?.as_items().ok_or_else(missing)?;
                let mut ids: Vec<usize> = (0..items.len()).collect();
                ids.sort_by_key(|&i| weight(&text(&items[i])));
                ids.into_iter().map(|i| i64::try_from(i).unwrap()).collect::<Vec<_>>().into()
            }
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            "compare" => (weight(&text(first()?)) as f64 / 17.0).into(),
            "match" => {
                let other = args.get(1).and_then(Val::as_handle).ok_or_else(missing)?;
                (handle()?.id % 3 == other.id % 3).into()
            }
            "slide_x" => {
                self.held = true;
                many("Choice", handle()?.id * 10, 6)
            }
            "explore" => {
                let count = args.first().and_then(Val::as_int);
                many("Choice", 100, count.map_or(9, |n| u64::try_from(n).unwrap_or(0)))
            }
            "drag" => many("Choice", handle()?.id * 10, 9),
            "show_keypoints" => picture(&handle()?),
            "count" => weight(&text(first()?)).into(),
            "items" => many("Element", 0, number(1_000_000, "items")?),
            "echo" => args.first().cloned().unwrap_or(Val::None),
            "boom" => {
                let kind = match first()?.as_str() {
                    Some("IndexError") => ExcKind::Index,
                    Some("KeyError") => ExcKind::Key,
                    _ => ExcKind::Value,
                };
                return Err(HostError::raise(kind, "boom"));
            }
            "wait" => {
                tokio::time::sleep(self.wait).await;
                Val::None
            }
            _ => Val::None,
        })
    }
}

fn picture(handle: &Handle) -> Val {
    format!("img-{}-{}", handle.class, handle.id).into()
}

#[async_trait]
impl ToolHost for Toy {
    fn surface(&self) -> Surface {
        let thing =
            |name: &str, fields: &[&str]| ClassSpec::new(name).fields(&["id", "x", "y"]).fields(fields);
        Surface::default()
            .functions(&TOOLS.split(' ').collect::<Vec<_>>())
            .class(
                thing("Frame", &["size", "grid"])
                    .methods(&["get_interactable", "get_keypoint", "get_neighbours"])
                    .live(&["image", "score"]),
            )
            .class(thing("Element", &["kind"]).methods(&["click"]).live(&["image", "score"]))
            .class(thing("Point", &[]).live(&["score"]))
            .class(
                thing("Choice", &[])
                    .methods(&["refine", "release", "select", "drop", "swap"])
                    .live(&["image"]),
            )
            .constants("Kind", &["DRAGGABLE", "CLICKABLE", "NEXT"])
    }

    async fn call(&mut self, call: HostCall<'_>) -> Result<Val, HostError> {
        let HostCall { receiver, function, args, kwargs } = call;
        let mut shown: Vec<String> = args.iter().map(Val::to_string).collect();
        shown.extend(kwargs.iter().map(|(name, value)| format!("{name}={value}")));
        let shown = shown.join(", ");
        let owner = receiver.map_or_else(String::new, |h| format!("{}#{}.", h.class, h.id));
        self.trace.push(format!("{owner}{function}({shown})"));
        self.perform(receiver, function, &args).await
    }

    async fn attr(&mut self, receiver: &Handle, name: &str) -> Result<Val, HostError> {
        self.trace.push(format!("{}#{}.{name}", receiver.class, receiver.id));
        Ok(match name {
            "image" => picture(receiver),
            _ => i64::try_from(receiver.id * 31 % 11).unwrap().into(),
        })
    }

    fn released(&mut self, why: StopCause) {
        self.held = false;
        self.released.push(why);
    }
}

pub fn frames() -> Vec<Val> {
    vec![Val::List(vec![thing("Frame", 1).into(), thing("Frame", 2).into()])]
}

pub async fn run_with(script: &Script, limits: &ScriptLimits) -> (Result<ScriptOutcome, CageError>, Toy) {
    let mut toy = Toy::default();
    let result = engine().run(script, &mut toy, limits).await;
    (result, toy)
}

pub async fn run(source: &str) -> (Result<ScriptOutcome, CageError>, Toy) {
    run_with(&Script::plain(source), &limits()).await
}

/// What CPython makes of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Twin {
    pub printed: String,
    pub trace: Vec<String>,
    pub error: Option<String>,
}

/// Runs scripts under CPython, none where there is no CPython.
pub fn twins(scripts: &[(&str, Option<&str>)]) -> Option<Vec<Twin>> {
    let case = |(source, entry)| serde_json::json!({ "source": source, "entry": entry });
    let cases: Vec<_> = scripts.iter().copied().map(case).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/twin.py");
    let mut python = Command::new("python3");
    python.args(["-I", path]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().ok()?;
    child.stdin.take()?.write_all(serde_json::to_string(&cases).ok()?.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    assert!(output.status.success(), "the twin failed");
    let results: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let twin = |value: &serde_json::Value| Twin {
        printed: value["printed"].as_str().unwrap().to_owned(),
        trace: value["trace"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect(),
        error: value["error"].as_str().map(str::to_owned),
    };
    Some(results.iter().map(twin).collect())
}

/// A file of the tests' data, read when the test runs: changing it needs no build.
pub fn data(name: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}
