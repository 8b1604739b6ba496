use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(feature = "android")]
use waldo_android::UiDump;
use waldo_devices::{Capture, Deadline, Observation, ResetTo, Settled, labels};

use super::guard::GuardArgs;
use super::label::Style;
#[cfg(feature = "android")]
use super::read;
use super::start::at_page;
use super::{CliError, Result, print_json};
use crate::exit;
use crate::screens::{BrowserArgs, Concurrency, DeviceArgs};
use crate::session::Opening;

/// How long a start and a look may take.
const WITHIN: Duration = Duration::from_secs(60);
const MOST: usize = 1_000;

/// List the elements of a screen, or of a uiautomator dump as AppAgent numbers them.
///
/// Of a screen: what an agent is shown, by tag, after the start that --url or --open names. Of a dump:
/// clickable elements come first, then focusable ones, each in document order; one whose middle is within
/// 30 pixels of another's is left out. The uid is what AppAgent's documentation is keyed by.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The dump.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "open", "device", "picture"])]
    xml: Option<PathBuf>,
    /// The page to look at.
    #[arg(long, conflicts_with = "open")]
    url: Option<String>,
    /// The app to look at: on a phone its package, or its name; on a desktop a program with its arguments.
    #[arg(long, value_name = "APP")]
    open: Option<String>,
    /// Where the picture with the tags goes.
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,
    /// How tags look.
    #[arg(long, value_enum, default_value = "boxes")]
    style: Style,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    guard: GuardArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

pub async fn run(args: &Args) -> Result<u8> {
    if let Some(file) = &args.xml { dump(file, args.json) } else { screen(args).await }
}

/// Text of the screen, without control characters that could drive the terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn start(args: &Args) -> Result<ResetTo> {
    args.device.starts_with(args.url.as_deref(), args.open.as_deref())?;
    let Some(url) = &args.url else {
        // To look, nothing has to be named that may be touched.
        let mut guard = args.guard.clone();
        guard.allow_app.push("*".to_owned());
        let family = args.device.family();
        return family.start(args.open.as_deref(), guard.policy(None)).map_err(|error| {
            match family.has_origins() {
                true => CliError::Input(format!("{error}; --xml reads a dump")),
                false => error.into(),
            }
        });
    };
    at_page(url, &args.guard)
}

async fn screen(args: &Args) -> Result<u8> {
    let to = start(args)?;
    let session = Opening::on(&args.device, &args.browser).open(Concurrency::One).await?;
    let mut device = session.device().await?;
    let seen = match device.reset(&to, Deadline::after(WITHIN)).await {
        Ok(()) => device.observe(Capture::All, Deadline::after(WITHIN)).await,
        Err(error) => Err(error),
    };
    let closed = session.close(device).await;
    let seen: Observation = seen?;
    closed?;
    let tagged = labels::select(&seen.elements, MOST);
    if let Some(out) = &args.picture {
        let painted = labels::paint(&seen.picture, &seen.elements, &tagged, args.style.into());
        std::fs::write(out, painted.encode_png()?)
            .map_err(|source| CliError::Io { what: format!("cannot write {}", out.display()), source })?;
    }
    if args.json {
        print_json(&serde_json::json!({
            "elements": seen.elements,
            "texts": seen.texts,
            "tagged": tagged,
            "context": seen.context,
            "settled": seen.settled,
            "picture": args.picture,
        }))?;
        return Ok(exit::OK);
    }
    for line in labels::screen_list(&seen.elements, &tagged, &seen.texts).lines() {
        println!("{}", clean(line));
    }
    if seen.settled == Settled::StillLoading {
        eprintln!("the screen is still loading");
    }
    if seen.elements.is_empty() {
        eprintln!("nothing on this screen can be touched");
    }
    Ok(exit::OK)
}

#[cfg(not(feature = "android"))]
fn dump(_: &Path, _: bool) -> Result<u8> {
    Err(crate::absent::Absent { what: "phones", feature: "android" }.into())
}

#[cfg(feature = "android")]
fn dump(file: &Path, json: bool) -> Result<u8> {
    let bytes = read(file)?;
    let xml = UiDump::text_of(&bytes);
    if !xml.contains("<hierarchy") {
        let told = xml.lines().map(str::trim).find(|line| line.starts_with("ERROR"));
        let why = told.map_or_else(
            || "it has no <hierarchy>".to_owned(),
            |line| format!("uiautomator said: {}", clean(line)),
        );
        return Err(CliError::Input(format!("{} is not a uiautomator dump: {why}", file.display())));
    }
    let tree = UiDump::parse(&xml);
    let elements = tree.appagent_elements();
    let incomplete = tree.incomplete();
    if let Some(what) = &incomplete {
        eprintln!("{} was not read whole: {what}; these are the elements of what was read", file.display());
    }
    if tree.nodes.is_empty() {
        eprintln!("{} is an empty dump: its <hierarchy> holds no node", file.display());
    } else if elements.is_empty() {
        eprintln!("nothing in {} can be touched", file.display());
    }
    if json {
        let list: Vec<serde_json::Value> = elements
            .iter()
            .zip(1..)
            .map(|(e, tag)| serde_json::json!({ "tag": tag, "uid": e.uid, "bounds": e.bounds, "via": e.via }))
            .collect();
        print_json(&list)?;
        return Ok(exit::OK);
    }
    for (element, tag) in elements.iter().zip(1..) {
        let [x1, y1, x2, y2] = element.bounds;
        println!("{tag:>3}  [{x1},{y1}][{x2},{y2}]  {}", clean(&element.uid));
    }
    Ok(exit::OK)
}
