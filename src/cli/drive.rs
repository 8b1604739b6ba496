use std::path::PathBuf;

use super::CliError;
use super::by_hand::NamedStart;
use super::guard::GuardArgs;
use super::run;
use super::secrets::SecretArgs;
use crate::numbers::port;
use crate::screens::{BrowserArgs, DeviceArgs, NamedScreen};

/// Drive a guarded device by hand, on a local page.
///
/// The page shows the screen with its numbers; you press, type and swipe on it. The guard holds for you as for an agent:
/// only the origins, apps or programs that are allowed can be acted on. What you do is recorded as a run: see it with
/// waldo report, play it again with waldo replay.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What you are about to do, in words, for the record.
    #[arg(default_value = "drive by hand")]
    goal: String,
    /// The page to start on.
    #[arg(long, conflicts_with = "open")]
    url: Option<String>,
    /// The app to start in: on a phone its package, or its name (the home screen when absent); on a desktop
    /// a program with its arguments.
    #[arg(long, value_name = "APP")]
    open: Option<String>,
    /// A screen among several, as NAME=DEVICE; given at least twice, the first is in front at the start.
    #[arg(long = "on", value_name = "NAME=DEVICE", conflicts_with_all = ["device", "url", "open"])]
    on: Vec<NamedScreen>,
    /// Where a screen of --on starts, as NAME=WHAT: the page of a browser, the package of an app, a program.
    #[arg(long = "start", value_name = "NAME=WHAT", requires = "on")]
    starts: Vec<NamedStart>,
    /// What must hold at the end, as checks of suites in a line; may be given several times.
    #[arg(long = "check", value_name = "CHECK")]
    checks: Vec<String>,
    /// The page's port [default: a free one].
    #[arg(long, default_value_t = 0, hide_default_value = true, value_parser = port)]
    port: u16,
    /// The run folder [default: runs/run-TIME].
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

pub async fn run(args: Args) -> Result<u8, CliError> {
    let Args { goal, url, open, on, starts, checks, port, out, json, device, browser, guard, secrets } = args;
    let begun = run::Args::driven(port)?;
    run::run(run::Args {
        goal,
        url,
        open,
        on,
        starts,
        checks,
        out,
        json,
        device,
        browser,
        guard,
        secrets,
        ..begun
    })
    .await
}
