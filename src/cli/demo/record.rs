use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use waldo_agents::View;
use waldo_agents::appagent::Mode;
use waldo_devices::count::count;
use waldo_devices::{Approver, Deadline, Device, Element, Proposal};
use waldo_tasks::demo::{Demo, DemoAction, DemoActionOutcome, DemoFolder, DemoInfo, Recording};
use waldo_tasks::episode::Timeouts;
use waldo_tasks::events::Observed;

use super::super::guard::GuardArgs;
use super::super::label::Style;
use super::super::secrets::SecretArgs;
use super::super::start::{Start, StartArgs};
use super::super::{CliError, Result, fresh, print_json};
use super::terminal::{self, Typed};
use crate::exit;
use crate::live::{Demonstrator as AtPage, LivePage, PersonRequest};
use crate::numbers::port;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs};
use crate::session::Opening;
use crate::stop;

/// Drive a device yourself, and keep each step.
///
/// You act by commands at the terminal (help lists them), or with --live by clicking on a local page. The
/// guard holds for you as for an agent: only the origins or apps that are allowed can be acted on. Each
/// step is on disk before the next; a demonstration that was not stopped goes on with the same --out.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task that you demonstrate, in words [default: that of --task].
    #[arg(default_value = "")]
    goal: String,
    #[command(flatten)]
    start: StartArgs,
    /// Act on the live page in your browser instead of the terminal [default PORT: a free one].
    #[arg(
        long,
        visible_alias = "web",
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0"
    )]
    live: Option<u16>,
    /// The page's port, as --live=PORT.
    #[arg(long, requires = "live", hide = true, value_parser = port)]
    port: Option<u16>,
    /// Number a phone's screen as AppAgent does.
    #[arg(long)]
    compat: bool,
    /// How tags look [default: boxes; with --compat on a phone appagent].
    #[arg(long, value_enum)]
    style: Option<Style>,
    /// The demonstration's folder [default: demos/APP/demo_APP_TIME].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    browser: BrowserArgs,
    #[command(flatten)]
    guard: GuardArgs,
    #[command(flatten)]
    secrets: SecretArgs,
}

struct Demonstrator;

impl Approver for Demonstrator {
    fn approve(&self, _proposal: &Proposal<'_>) -> bool {
        true
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DriveEnd {
    Stopped,
    /// Something else did, or the person for now; it can go on.
    Broken,
    /// The person did not want it: nothing of it is there.
    Discarded,
}

pub async fn run(mut args: Args) -> Result<u8> {
    let secrets = args.secrets.read()?;
    args.goal = secrets.mask(args.goal);
    let mut start = args.start.start(&args.device, &args.guard).await?;
    let app = start.app.clone();
    if let (true, Some(goal)) = (args.goal.is_empty(), &start.goal) {
        args.goal.clone_from(goal);
    }
    let slug: String =
        app.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let time = Timestamp::now().strftime("%Y-%m-%d_%H-%M-%S");
    if let Some(out) = &args.out {
        let what = (app.as_str(), args.goal.as_str(), args.device.platform());
        DemoFolder::found(out, what, &args.start.parameters())?;
    }
    let cancel = CancellationToken::new();
    let opening = Opening::on(&args.device, &args.browser).secrets(secrets).approver(Demonstrator);
    let session = opening.stopped_by(cancel.clone()).open(Concurrency::One).await?;
    let mut device = session.device().await?;
    start.find_app(device.as_mut(), Deadline::after(Duration::from_secs(60))).await?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => fresh::folder(PathBuf::from("demos").join(&slug).join(format!("demo_{slug}_{time}")))?,
    };
    // A signal is seen within, so that what is under way is kept.
    session.listen();
    let done = drive(&args, &start, &out, device.as_mut(), &cancel).await;
    let closed = session.close(device).await;
    let end = done?;
    closed?;
    if end == DriveEnd::Discarded {
        if args.json {
            print_json(&json!({
                "demo": out, "app": app, "steps": 0, "lines": 0, "stopped": false, "discarded": true,
            }))?;
        } else {
            println!("discarded: nothing is kept in {}", out.display());
        }
        return Ok(exit::NOT_DONE);
    }
    let demo = Demo::open(&out)?;
    let lines = demo.steps.iter().filter(|s| s.recorded.is_some()).count();
    if args.json {
        print_json(&json!({
            "demo": out, "app": app, "steps": demo.steps.len(), "lines": lines,
            "stopped": end == DriveEnd::Stopped, "discarded": false,
        }))?;
    } else {
        println!("{}, {lines} on elements: {}", count(demo.steps.len(), "step"), out.display());
    }
    if end == DriveEnd::Broken {
        let more = if args.out.is_none() { format!(" --out {}", out.display()) } else { String::new() };
        eprintln!(
            "the demonstration so far is saved, but not finished; continue with:\n  {}{more}",
            stop::command_line()
        );
        return Ok(exit::STOPPED);
    }
    if !args.json {
        let out = out.display();
        println!("learn from it: waldo demo learn {out} --docs docs --model NAME");
        println!("make a task of it: waldo demo to-task {out} --suite DIR; see it again: waldo replay {out}");
    }
    Ok(exit::OK)
}

async fn drive(
    args: &Args,
    start: &Start,
    out: &std::path::Path,
    device: &mut dyn Device,
    cancel: &CancellationToken,
) -> Result<DriveEnd> {
    let name = out.file_name().map_or_else(|| "demo".to_owned(), |n| n.to_string_lossy().into_owned());
    let info = device.info();
    let mode = if args.compat { Mode::Compat } else { Mode::Tolerant };
    let numbering = mode.numbering(&info);
    let style = numbering.style(args.style.map(Into::into));
    let mut info = DemoInfo::new(&name, &start.app, &args.goal, info.platform, &info.product);
    info.start = args.start.parameters();
    let mut folder = DemoFolder::create_or_resume(out, info)?;
    let page = match args.live {
        Some(port) => Some(LivePage::demonstrate(args.port.unwrap_or(port)).await?),
        None => None,
    };
    let person = match &page {
        Some(page) => {
            let person = page.demonstrator(&folder, &format!("Demonstration of {}", start.app));
            folder.follow(page.sink())?;
            Some(person)
        }
        None => None,
    };
    let mut stopped_at = None;
    if folder.steps > 0 {
        eprintln!("going on after step {}", folder.steps);
        stopped_at = Demo::open(out)?.steps.pop().and_then(|step| step.after?.seen);
    }
    let begin = Recording::begin(device, folder, &start.stage, (numbering, style), Timeouts::default());
    let mut recording = tokio::select! {
        begun = begin => begun?,
        () = cancel.cancelled() => return Ok(DriveEnd::Broken),
    };
    if let Some(page) = &page {
        recording.film(&page.frames(&recording.folder.key()));
    }
    if let Some(seen) = stopped_at {
        tell_another_screen(&seen, &recording.view);
    }
    let driven = match &person {
        Some(person) => on_page(person, &mut recording, cancel).await,
        None => by_commands(&mut recording, cancel).await,
    };
    let ended = match driven {
        Ok(DriveEnd::Stopped) => recording.finish().map(|_| DriveEnd::Stopped).map_err(CliError::from),
        Ok(DriveEnd::Discarded) => recording.discard().map(|()| DriveEnd::Discarded).map_err(CliError::from),
        other => other,
    };
    if let Some(page) = page {
        let said = match &ended {
            Ok(DriveEnd::Stopped) => "The demonstration is kept. You can close this page.",
            Ok(DriveEnd::Discarded) => "The demonstration is discarded. You can close this page.",
            Ok(DriveEnd::Broken) => "The recording has stopped; the same command goes on with it.",
            Err(_) => "The recording has failed: see what waldo says at the terminal.",
        };
        page.end(said).await;
    }
    ended
}

/// Says so where the device, which was started anew, does not show the screen at which the recording stopped.
fn tell_another_screen(then: &Observed, now: &View) {
    let (before, after) = (&then.context, &now.observation.context);
    if before.title == after.title && same_elements(&then.elements, &now.observation.elements) {
        return;
    }
    eprintln!(
        "the device was restarted, and this is not the screen at which you stopped: that was {} \"{}\", this is {} \
         \"{}\".\nGo back there first, as you did before (what you do is kept as further steps); or start again \
         with another --out",
        clean(&before.location),
        clean(&before.title),
        clean(&after.location),
        clean(&after.title)
    );
}

fn same_elements(then: &[Element], now: &[Element]) -> bool {
    let named = |e: &Element| (e.role.as_str().to_owned(), e.name.clone());
    then.len() == now.len() && then.iter().zip(now).all(|(a, b)| named(a) == named(b))
}

async fn by_commands(recording: &mut Recording<'_>, cancel: &CancellationToken) -> Result<DriveEnd> {
    let mut lines = terminal::lines();
    list(recording);
    loop {
        eprint!("> ");
        let line = tokio::select! {
            line = lines.recv() => line,
            () = cancel.cancelled() => None,
        };
        let Some(line) = line else { return Ok(DriveEnd::Broken) };
        match terminal::read(&line) {
            Ok(Typed::Blank) => {}
            Ok(Typed::Help) => eprintln!("{}", terminal::HELP),
            Ok(Typed::Stop) => return Ok(DriveEnd::Stopped),
            Ok(Typed::Look) => {
                recording.look().await?;
                list(recording);
            }
            Ok(Typed::Do(deed)) => match act(recording, &deed, cancel).await? {
                None => return Ok(DriveEnd::Broken),
                Some(DemoActionOutcome::Done { call, note, .. }) => {
                    let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
                    eprintln!("[{}] {}{note}", recording.folder.steps, clean(&call));
                    list(recording);
                }
                Some(DemoActionOutcome::Not { reason }) => eprintln!("not done: {}", clean(&reason)),
            },
            Err(reason) => eprintln!("{}", clean(&reason)),
        }
    }
}

/// Does something unless the process is told to stop first.
async fn act(
    recording: &mut Recording<'_>,
    deed: &DemoAction,
    cancel: &CancellationToken,
) -> Result<Option<DemoActionOutcome>> {
    tokio::select! {
        said = recording.act(deed) => Ok(Some(said?)),
        () = cancel.cancelled() => Ok(None),
    }
}

fn list(recording: &Recording<'_>) {
    let view = &recording.view;
    let context = &view.observation.context;
    eprintln!("\n{} \"{}\"", clean(&context.location), clean(&context.title));
    if let Some(dialog) = &context.dialog {
        eprintln!("a dialog asks: {} (ok or cancel)", clean(&dialog.message));
    }
    if let Some(picture) = recording.folder.last_picture() {
        eprintln!("picture: {}", picture.display());
    }
    for line in view.list.lines() {
        eprintln!("{}", clean(line));
    }
    eprintln!("tap N, text N WORDS, long_press N, swipe N DIRECTION, back, enter, look, stop, help");
}

/// Text of the screen, without control characters that could drive the terminal.
fn clean(text: &str) -> String {
    crate::out::plain(text, 300)
}

async fn on_page(
    person: &AtPage,
    recording: &mut Recording<'_>,
    cancel: &CancellationToken,
) -> Result<DriveEnd> {
    loop {
        let wanted = tokio::select! {
            wanted = person.wants(&recording.view, &recording.info) => wanted,
            () = cancel.cancelled() => return Ok(DriveEnd::Broken),
        };
        match wanted {
            PersonRequest::Keep => return Ok(DriveEnd::Stopped),
            PersonRequest::Discard => return Ok(DriveEnd::Discarded),
            PersonRequest::Stop => return Ok(DriveEnd::Broken),
            PersonRequest::Look => recording.look().await?,
            PersonRequest::Do(deed) => person.says(match act(recording, &deed, cancel).await? {
                None => return Ok(DriveEnd::Broken),
                Some(DemoActionOutcome::Done { note, .. }) => note,
                Some(DemoActionOutcome::Not { reason }) => Some(format!("Not done: {reason}")),
            }),
        }
    }
}
