use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use waldo_agents::reference::ReferenceAgent;
use waldo_devices::count::count;
use waldo_devices::{DeviceInfo, Origin, Platform};
use waldo_tasks::demo::Demo;
use waldo_tasks::draft::{Done, DraftEntry, Folder, Snapshot, Solution, StartPage, id_of};
use waldo_tasks::episode::{self, EpisodeSpec, Timeouts};
use waldo_tasks::suite::{InstanceContext, SiteHost, Suite, instance_seed};
use waldo_tasks::{
    Contestant, Emitter, EpisodeKey, Event, EventKind, EventSink, Manifest, RunFolder, Task as _,
};

use super::super::check::{bounds, episodes, fault::Checked};
use super::super::real_phone::RealPhoneArgs;
use super::super::{CliError, Result, print_json};
use super::watched::{Ear, Host, Seen, SharedSeen, Watched, lock};
use crate::exit;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs, family};
use crate::serve::Sites;
use crate::session::{self, Opening};

/// Turn a demonstration, or a run driven by hand, into a task of a suite.
///
/// Goal and start are the record's, the steps become the reference solution. The solution is then played on a device of
/// its own: what changed in what pages, apps or programs keep, in files, in the address or on the screen is proposed as
/// checks. A check stays when it holds after the solution and not after doing nothing. What the task's author still has
/// to do is listed, and stands at the top of the task's file.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of a demonstration (demo record), or of a run (drive, run, mcp).
    source: PathBuf,
    /// The suite's folder; it is made where there is none.
    #[arg(long, value_name = "DIR")]
    suite: PathBuf,
    /// The task's id [default: the goal's words].
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// The goal in words [default: the record's].
    #[arg(long, value_name = "WORDS")]
    goal: Option<String>,
    /// The folder of the pages that it was done on: the suite gets them as its own.
    #[arg(long, value_name = "DIR")]
    site: Option<PathBuf>,
    /// Which episode of a run, as CONTESTANT/TASK/rN, where it has several.
    #[arg(long, value_name = "EPISODE")]
    episode: Option<String>,
    /// Propose checks from the recorded screens alone, without playing the solution.
    #[arg(long)]
    no_play: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    real_phone: RealPhoneArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

struct DemoRecord {
    goal: String,
    platform: Platform,
    /// An address, an app, a program, or `suite`, `task` and the instance's seed; null is the home screen.
    start: Value,
    device: Option<DeviceInfo>,
    events: Vec<Event>,
}

impl DemoRecord {
    fn read(args: &Args) -> Result<Self> {
        if args.source.join("demo.json").exists() || args.source.join("record.txt").exists() {
            let demo = Demo::open(&args.source)?;
            if demo.steps.iter().all(|step| step.before.seen.is_none()) {
                let message = "it does not contain the screens: only demonstrations that waldo recorded do";
                return Err(CliError::Input(format!("{}: {message}", args.source.display())));
            }
            let mut start = demo.info.start;
            if let Some(task) = start["task"].as_str().map(str::to_owned) {
                start["instance"] = instance_seed(start["seed"].as_u64().unwrap_or(0), &task, 0).into();
            }
            let (goal, platform) = (demo.info.goal, demo.info.platform);
            return Ok(Self { goal, platform, start, device: None, events: Demo::events(&args.source)? });
        }
        let folder = RunFolder::open(&args.source)?;
        let keys: Vec<EpisodeKey> = folder.keys().collect();
        let key = match (&args.episode, keys.as_slice()) {
            (Some(name), _) => keys.iter().find(|key| key.to_string() == name.trim_matches('/')),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let Some(key) = key else {
            let known: Vec<String> = keys.iter().take(5).map(ToString::to_string).collect();
            return Err(CliError::Input(format!("say which episode: --episode {}", known.join(", or "))));
        };
        let events = folder.episode(key).events()?;
        let manifest = &folder.manifest;
        let begun = events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Started { seed, goal, .. } => Some((*seed, goal.clone())),
            _ => None,
        });
        let (Some((seed, goal)), Some(entry)) =
            (begun, manifest.tasks.iter().find(|task| task.id == key.task))
        else {
            return Err(CliError::Input(format!("{} holds no record of {key}", args.source.display())));
        };
        let start = match manifest.is_judged() && manifest.suite != "by-hand" {
            true => json!({
                "suite": entry.suite.as_ref().unwrap_or(&manifest.suite), "task": entry.id, "instance": seed,
            }),
            false => manifest.parameters["start"].clone(),
        };
        Ok(Self { goal, platform: entry.platform, start, device: manifest.device.clone(), events })
    }
}

fn contents(platform: Platform, seed: u32) -> Vec<String> {
    let quick = ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];
    let quick: String = quick.iter().map(|name| format!(" && settings put global {name} 0")).collect();
    let line = format!("if simctl time >/dev/null 2>&1; then simctl reset {seed}{quick}; fi");
    if platform.has_packages() { vec![line] } else { Vec::new() }
}

fn begins(record: &DemoRecord, done: &Done) -> Result<(StartPage, Option<String>)> {
    let start = &record.start;
    if let (Some(suite), Some(task)) = (start["suite"].as_str(), start["task"].as_str()) {
        let suite = Suite::find(suite)?;
        let def = suite.task(task)?.clone();
        let place = done.screens.as_ref().map(|(first, _)| first.context.location.clone());
        let origin = place.as_deref().and_then(Origin::of).map(|origin| origin.to_string());
        // Addresses of its pages are drawn anew wherever it is played.
        let marks = |name: &str| format!("{{{{ {name} }}}}");
        let context = InstanceContext { origin: marks("origin"), other_origin: marks("other_origin") };
        let instance = def.instance(start["instance"].as_u64().unwrap_or_default(), &context)?;
        let setup = contents(record.platform, instance.page_seed);
        let (def, instance) = (Box::new(def), Box::new(instance));
        return Ok((StartPage::AsTask { def, instance, parts: suite.parts(), setup }, origin));
    }
    let given = start.as_str();
    if record.platform.has_pages() {
        let url =
            given.ok_or_else(|| CliError::Input("the record does not say on which page it began".into()))?;
        let origin = super::super::start::origin_of(url)?.to_string();
        let path = url.get(origin.len()..).filter(|path| path.starts_with('/')).unwrap_or("/");
        let page = StartPage::Plain { start: path.to_owned(), apps: Vec::new(), setup: Vec::new() };
        return Ok((page, Some(origin)));
    }
    let place = |location: &str| location.split('/').next().unwrap_or_default().to_owned();
    let seen = done.deeds.iter().map(|deed| place(&deed.seen.context.location));
    let mut apps: BTreeSet<String> = seen.filter(|app| !app.is_empty()).collect();
    let first = done.screens.as_ref().map(|(first, _)| place(&first.context.location)).unwrap_or_default();
    let start = match given {
        // By the name that people know it by.
        Some(name) if record.platform.has_packages() && !name.contains('.') => first,
        Some(given) => given.to_owned(),
        None if record.platform.has_packages() => "home".to_owned(),
        None => "desktop".to_owned(),
    };
    let own = start.split_whitespace().next().unwrap_or_default();
    let own = own.rsplit('/').next().unwrap_or(own).to_owned();
    if apps.iter().all(|app| *app == own) {
        apps.clear();
    } else if given.is_some() {
        apps.insert(own);
    }
    let setup = contents(record.platform, 0);
    Ok((StartPage::Plain { start, apps: apps.into_iter().collect(), setup }, None))
}

struct Played {
    kept: Vec<DraftEntry>,
    weaker: Vec<DraftEntry>,
    /// What is wrong with it, for its author.
    left: Vec<String>,
}

pub async fn run(mut args: Args) -> Result<u8> {
    let record = DemoRecord::read(&args)?;
    if record.platform.has_several_screens() {
        let message = "it was done on several screens: such a task is written by hand, see docs/l4.md";
        return Err(CliError::Input(format!("{}: {message}", args.source.display())));
    }
    let goal = args.goal.clone().unwrap_or_else(|| record.goal.clone());
    if goal.trim().is_empty() {
        return Err(CliError::Input("the record has no goal: give it with --goal".into()));
    }
    let id = args.id.clone().unwrap_or_else(|| id_of(&goal));
    let done = Done::of(record.events.clone());
    let (page, origin) = begins(&record, &done)?;
    let solution = Solution::of(&done, record.platform, origin.as_deref());
    let folder = Folder::new(&args.suite, (&id, &goal), record.platform, &page, args.site.as_deref())?;
    let mut left = solution.left.clone();
    if solution.steps.is_empty() {
        left.push("the record has no step that a solution can have: write [[reference]] steps".to_owned());
    }
    let mut start_is_there = true;
    if let (StartPage::Plain { start, .. }, true) = (&page, record.platform.has_pages()) {
        start_is_there = folder.has_page(start);
        if !start_is_there {
            let whence = record.start.as_str().unwrap_or_default();
            left.push(format!(
                "copy the pages that it was done on ({whence}) into {}, or give --site DIR: waldo serves them itself",
                args.suite.join("site").display()
            ));
        }
    }
    let plays = !args.no_play && start_is_there && !solution.steps.is_empty();
    let played = match plays {
        true => play(&mut args, &record, &folder, &solution, &id).await?,
        false => recorded(&done, &record, &solution, &mut left),
    };
    left.extend(played.left);
    if played.kept.is_empty() {
        left.push("say what must hold at the end: write a [[check]] (docs/tasks.md lists them)".to_owned());
    }
    folder.write(&solution.steps, &played.kept, &played.weaker, &left)?;
    tell(&args, &folder, &solution, &played.kept, &left, plays)?;
    Ok(if left.is_empty() { exit::OK } else { exit::FAILED })
}

fn recorded(done: &Done, record: &DemoRecord, solution: &Solution, left: &mut Vec<String>) -> Played {
    left.push("the solution was not played: check it with 'waldo check'".to_owned());
    let (mut kept, weaker) = match &done.screens {
        Some((first, last)) => {
            let (before, after) = (Snapshot::recorded(first), Snapshot::recorded(last));
            (before.changes(&after, record.platform).1, Vec::new())
        }
        None => (Vec::new(), Vec::new()),
    };
    kept.extend(answer(solution));
    Played { kept, weaker, left: Vec::new() }
}

async fn play(
    args: &mut Args,
    record: &DemoRecord,
    folder: &Folder,
    solution: &Solution,
    id: &str,
) -> Result<Played> {
    let temporary = tempfile::tempdir()
        .map_err(|source| CliError::Io { what: "cannot make a temporary folder".into(), source })?;
    let alone = temporary.path().join("suite");
    // Holds of anything: what changes is not known yet.
    let any = json!({ "kind": "text", "matches": "" }).as_object().cloned().unwrap_or_default();
    let answered = answer(solution);
    let first: Vec<DraftEntry> = std::iter::once(any).chain(answered.clone()).collect();
    folder.alone(&alone, &solution.steps, &first)?;
    let suite = Arc::new(Suite::open(&alone)?);
    let recorded = record.device.as_ref().and_then(|on| family(record.platform).nobodys(&on.product));
    if let (None, Some(spec)) = (&args.device.device, recorded) {
        args.device.device = Some(spec.parse().map_err(CliError::Input)?);
    }
    args.device.for_suite(record.platform, &[], &[])?;
    args.device.fits(&suite.id, suite.platform)?;
    let real = args.real_phone.on(&args.device)?;
    let host = Host::new(Arc::new(Sites::start().await?));
    let pages: Arc<dyn SiteHost> = host.clone();
    let seen: SharedSeen = Arc::new(Mutex::new(Seen::default()));
    let none = || CliError::Internal("a suite of one task has none".into());
    let inner = suite.tasks(&pages, real).into_iter().next().ok_or_else(none)?;
    let task = Watched { inner, host, seen: seen.clone() };
    if !args.json {
        eprintln!("playing the solution on {} ...", args.device.spec());
    }
    let ended = alone_once(args, &task, temporary.path(), &seen).await;
    if let Err(error) = ended {
        let left = vec![format!("the solution could not be played: {error}")];
        return Ok(Played { kept: Vec::new(), weaker: Vec::new(), left });
    }
    let (before, after, stuck) = {
        let mut seen = lock(&seen);
        (seen.before.take(), seen.after.take(), seen.stuck.take())
    };
    if let Some(stuck) = stuck {
        let left = vec![format!("the solution does not go through: {stuck}")];
        return Ok(Played { kept: Vec::new(), weaker: Vec::new(), left });
    }
    let (Some(before), Some(after)) = (before, after) else {
        return Err(CliError::Internal("a task was played and its end was not seen".into()));
    };
    let (firm, soft) = before.changes(&after, record.platform);
    let all: Vec<DraftEntry> = firm.iter().chain(&soft).cloned().chain(answered).collect();
    if all.is_empty() {
        let left = vec!["nothing changed between start and end".to_owned()];
        return Ok(Played { kept: Vec::new(), weaker: Vec::new(), left });
    }
    if !args.json {
        eprintln!("trying {} ...", count(all.len(), "proposed check"));
    }
    let proposed = temporary.path().join("proposed");
    folder.alone(&proposed, &solution.steps, &all)?;
    let (solved, idle) = tried(args, &proposed, temporary.path(), id).await?;
    let mut left = Vec::new();
    for fault in [&solved.1, &idle.1].into_iter().flatten() {
        left.push(format!("playing it again failed: {}", fault.trim().replace('\n', "; ")));
    }
    let holds =
        |(n, _): &(usize, &DraftEntry)| solved.0.get(*n) == Some(&true) && idle.0.get(*n) == Some(&false);
    let of = |range: std::ops::Range<usize>| -> Vec<DraftEntry> {
        let some = all.iter().enumerate().filter(|(n, _)| range.contains(n)).filter(holds);
        some.map(|(_, check)| check.clone()).collect()
    };
    let (a, b) = (firm.len(), firm.len() + soft.len());
    let (mut kept, weak, told) = (of(0..a), of(a..b), of(b..all.len()));
    kept.extend(told);
    let (kept, weaker) = if kept.is_empty() { (weak, Vec::new()) } else { (kept, weak) };
    Ok(Played { kept, weaker, left })
}

fn answer(solution: &Solution) -> Option<DraftEntry> {
    let last = solution.steps.last().filter(|step| step.get("do").is_some_and(|verb| verb == "answer"))?;
    let check = json!({ "kind": "answer", "equals": last.get("text")? });
    check.as_object().cloned()
}

async fn alone_once(args: &Args, task: &Watched, folder: &Path, seen: &SharedSeen) -> Result<()> {
    let at = folder.join("play");
    std::fs::create_dir_all(at.join("downloads"))
        .map_err(|source| CliError::Io { what: "cannot make a temporary folder".into(), source })?;
    let entry = task.entry();
    let key = EpisodeKey { contestant: "reference".into(), task: entry.id.clone(), repeat: 0 };
    let spec = EpisodeSpec {
        seed: instance_seed(0, &entry.id, 0),
        key,
        attempt: 1,
        max_steps: entry.max_steps,
        budget: waldo_devices::Budget::default(),
        style: None,
        packing: waldo_devices::labels::PicturePacking::default(),
        pictures: waldo_tasks::events::KeptPictures::Tagged,
        timeouts: args.device.family().timeouts(Timeouts::default()),
        frames: None,
    };
    let session = Opening::on(&args.device, &args.browser).open(Concurrency::One).await?;
    let mut device = session.device().await?;
    let sinks: Vec<Arc<dyn EventSink>> = vec![Arc::new(Ear(seen.clone()))];
    let events = Emitter::start(Arc::new(sinks))?;
    let mut agent = ReferenceAgent::default();
    let play = episode::play(task, device.as_mut(), &mut agent, &spec, &at, &events, &|_| {});
    let played = session.unless_stopped(play).await;
    events.finish().await;
    session.close(device).await?;
    if let Some(played) = played { Ok(played.map(drop)?) } else { Err(CliError::Input("stopped".into())) }
}

/// Which checks held, and what was wrong with the play as a whole.
type Held = (Vec<bool>, Option<String>);

/// Plays the solution and doing nothing, and says which checks held.
async fn tried(args: &Args, suite: &Path, folder: &Path, id: &str) -> Result<(Held, Held)> {
    let suite = Arc::new(Suite::open(suite)?);
    let host: Arc<dyn SiteHost> = Arc::new(Sites::start().await?);
    let real = args.real_phone.on(&args.device)?;
    let tasks = suite.tasks(&host, real);
    let session = Opening::on(&args.device, &args.browser).open(Concurrency::One).await?;
    let manifest = Manifest {
        suite: suite.id.clone(),
        suite_hash: suite.hash.clone(),
        tasks: tasks.iter().map(|task| task.entry()).collect(),
        contestants: vec![Contestant::new("reference", None), Contestant::new("noop", None)],
        parameters: json!({ "check": true }),
        device: Some(session.info().await?),
        ..session::manifest()
    };
    let run = RunFolder::create_or_resume(&folder.join("tried"), manifest)?;
    session.play(&run, episodes(&run, tasks, bounds(&run)?)).await?;
    let held = |agent: &str| -> Result<Held> {
        let key = EpisodeKey { contestant: agent.into(), task: id.to_owned(), repeat: 0 };
        let episode = run.episode(&key);
        let Some(result) = episode.result()? else { return Ok((Vec::new(), Some("it was stopped".into()))) };
        let checked = Checked::of(&result, &episode.events()?, false);
        let fault = checked.is_invalid().then(|| checked.text());
        Ok((result.checks.iter().map(|check| check.passed).collect(), fault))
    };
    Ok((held("reference")?, held("noop")?))
}

fn tell(
    args: &Args,
    folder: &Folder,
    solution: &Solution,
    checks: &[DraftEntry],
    left: &[String],
    played: bool,
) -> Result<()> {
    let file = folder.file();
    if args.json {
        return print_json(&json!({
            "suite": args.suite, "task": file, "steps": solution.steps, "checks": checks,
            "played": played, "sound": left.is_empty(), "to_do": left,
        }));
    }
    println!("{}", file.display());
    println!("  solution:");
    solution.words().iter().for_each(|words| println!("    {}", crate::out::plain(words, 120)));
    println!("  checks:");
    for check in checks {
        println!("    {}", crate::out::plain(&words(check), 160));
    }
    if left.is_empty() {
        println!("played: the solution solves it, doing nothing does not");
        println!("next: waldo check {0}; waldo eval {0} --agent NAME", args.suite.display());
    } else {
        println!("for you to do:");
        left.iter().for_each(|line| println!("  - {}", crate::out::plain(line, 300)));
        println!("then: waldo check {}", args.suite.display());
    }
    Ok(())
}

fn words(check: &DraftEntry) -> String {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let all = check.iter().map(|(name, value)| match name.as_str() {
        "kind" | "command" | "pointer" | "path" | "name" => word(value),
        name => format!("{name} {value}"),
    });
    all.collect::<Vec<_>>().join(" ")
}
