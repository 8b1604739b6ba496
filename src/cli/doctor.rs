//! `waldo doctor`.

use serde::Serialize;
use waldo_tasks::suite::{Suite, builtin_ids};
use waldo_tasks::widgets::{self, Control, Widgets};

use super::browser::BrowserArgs;
use super::device::DeviceArgs;
use super::{CliError, print_json};
use crate::config::{ConfigError, Settings};
use crate::exit;
use crate::serve::Sites;

/// Say what is missing here and how to mend it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  waldo doctor\n  waldo doctor --browser /opt/chromium/chrome --json")]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    ok: bool,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<&'static str>,
}

impl Finding {
    fn of<T: ToString, E: ToString>(what: &'static str, found: Result<T, E>, mend: &'static str) -> Self {
        match found {
            Ok(found) => Self { what, ok: true, found: found.to_string(), mend: None },
            Err(e) => Self { what, ok: false, found: e.to_string(), mend: Some(mend) },
        }
    }
}

pub async fn run(args: &Args, settings: Result<Settings, ConfigError>) -> Result<u8, CliError> {
    let mut findings = vec![
        Finding::of(
            "configuration",
            settings.map(|settings| configuration(&settings)),
            "mend the file or the variable; waldo config schema tells what can be set",
        ),
        Finding::of(
            "prompts",
            crate::prompts::open(None).map(|all| format!("{} templates", all.names().count())),
            "this waldo is damaged: build it again",
        ),
        Finding::of(
            "browser",
            super::devices::web(&args.browser).await.map(|info| info.product),
            "install Chromium (Debian: apt-get install chromium), or name one with --browser PATH",
        ),
        sandbox(&args.browser),
        Finding::of(
            "page server",
            Sites::start().await.map(|_| "listens on loopback"),
            "allow waldo to listen on 127.0.0.1",
        ),
        Finding::of(
            "built-in suites",
            builtin_ids()
                .into_iter()
                .map(|id| Suite::builtin(id).map(|s| format!("{} ({} tasks)", s.id, s.tasks.len())))
                .chain([Widgets::open(Control::Oracle)
                    .map(|w| format!("{} ({} tasks)", widgets::SUITE, w.archetypes().len()))])
                .collect::<Result<Vec<_>, _>>()
                .map(|all| all.join(", ")),
            "this waldo is damaged: build it again",
        ),
        Finding::of("run folder", writable(), "run waldo in a folder that you may write to, or give --out"),
    ];
    findings.extend(adb(&args.device).await);
    findings.extend(desktop().await);
    let all_ok = findings.iter().all(|finding| finding.ok);
    if args.json {
        print_json(&findings)?;
    } else {
        for finding in &findings {
            println!("{} {:<16} {}", if finding.ok { "ok  " } else { "FAIL" }, finding.what, finding.found);
            if let Some(mend) = finding.mend {
                println!("     mend: {mend}");
            }
        }
    }
    Ok(if all_ok { exit::OK } else { exit::ENVIRONMENT })
}

/// A browser without its sandbox is no fault, but a risk that somebody should know of.
fn sandbox(browser: &BrowserArgs) -> Finding {
    let found = match (&browser.cdp, waldo_web::is_sandboxed()) {
        (Some(_), _) => "as the browser at --cdp was started",
        (None, true) => "on",
        (None, false) => {
            "off: browsers refuse it to root, and get --no-sandbox; run waldo as another user for pages of strangers"
        }
    };
    Finding { what: "browser sandbox", ok: true, found: found.to_owned(), mend: None }
}

/// Phones need adb; nothing else does, so that its absence is no fault.
#[cfg(feature = "android")]
async fn adb(device: &DeviceArgs) -> Option<Finding> {
    let found = super::devices::adb(device).await;
    let mend = found.is_err().then_some("set ANDROID_ADB_SERVER_PORT or --adb-server right");
    let (ok, found) = match found {
        Ok((_, told)) => (true, told),
        Err(e) => (false, e.to_string()),
    };
    Some(Finding { what: "adb", ok, found, mend })
}

#[cfg(not(feature = "android"))]
async fn adb(_: &DeviceArgs) -> Option<Finding> {
    None
}

/// Desktops need programs that nothing else does, so that their absence is no fault; a display that does not
/// start although all are here is one.
#[cfg(all(feature = "desktop", target_os = "linux"))]
async fn x_displays() -> Vec<Finding> {
    use crate::desktop::{is_there, missing, try_out};
    let gone = missing();
    let mut findings = Vec::new();
    if gone.is_empty() {
        let deadline = waldo_devices::Deadline::after(std::time::Duration::from_secs(30));
        let tried = try_out(deadline).await;
        findings.push(Finding::of(
            "desktop",
            tried,
            "look into the message; scripts/setup installs all parts",
        ));
    } else {
        let told: Vec<String> = gone.iter().map(|(program, _, use_)| format!("{program} ({use_})")).collect();
        let packages: Vec<&str> = gone.iter().map(|(_, package, _)| *package).collect();
        let found = format!(
            "no private display: missing {}; Debian, Ubuntu: sudo apt install {}",
            told.join(", "),
            packages.join(" ")
        );
        findings.push(Finding { what: "desktop", ok: true, found, mend: None });
    }
    findings.push(Finding { what: "desktop suites", ok: true, found: desktop_suites(), mend: None });
    let video = match is_there("ffmpeg") {
        true => "ffmpeg is here".to_owned(),
        false => "--record needs ffmpeg (Debian, Ubuntu: sudo apt install ffmpeg)".to_owned(),
    };
    findings.push(Finding { what: "desktop video", ok: true, found: video, mend: None });
    findings
}

/// What of the built-in desktop suites cannot be played here, and why: that is no fault, and better known before.
#[cfg(all(feature = "desktop", target_os = "linux"))]
fn desktop_suites() -> String {
    let mut missing: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let (mut tasks, mut gone) = (0, 0);
    for suite in builtin_ids().into_iter().filter_map(|id| Suite::builtin(id).ok()) {
        for task in suite.tasks.iter().filter(|task| task.platform == waldo_devices::Platform::Desktop) {
            tasks += 1;
            let lacks: Vec<String> =
                task.programs().into_iter().filter(|name| !crate::desktop::is_there(name)).collect();
            gone += usize::from(!lacks.is_empty());
            lacks.into_iter().for_each(|name| *missing.entry(name).or_default() += 1);
        }
    }
    if gone == 0 {
        return format!("all {tasks} tasks can be played");
    }
    let named: Vec<String> = missing.iter().map(|(name, n)| format!("{name} ({n} tasks)")).collect();
    format!("{gone} of {tasks} tasks are left out for want of {}; install what is named", named.join(", "))
}

#[cfg(all(feature = "desktop", not(target_os = "linux")))]
async fn x_displays() -> Vec<Finding> {
    let found = "private displays, --record and --panic-key are Linux's alone".to_owned();
    vec![Finding { what: "desktop", ok: true, found, mend: None }]
}

/// A session without a screen is no fault where there are private ones.
#[cfg(feature = "desktop")]
async fn desktop() -> Vec<Finding> {
    #[cfg_attr(not(feature = "portable"), allow(unused_mut))]
    let mut findings = x_displays().await;
    #[cfg(feature = "portable")]
    findings.push(portable().await);
    findings
}

#[cfg(feature = "portable")]
async fn portable() -> Finding {
    let screens = crate::desktop::screens().await;
    let ok = screens.is_ok() || cfg!(target_os = "linux");
    // A session that waldo is not within is no fault.
    let found = screens.unwrap_or_else(|error| format!("not here: {error}"));
    Finding { what: "desktop::portable", ok, found, mend: None }
}

#[cfg(not(feature = "desktop"))]
async fn desktop() -> Vec<Finding> {
    Vec::new()
}

fn configuration(settings: &Settings) -> String {
    let mut said: Vec<String> =
        settings.files.iter().map(|(role, path)| format!("{} {}", role.as_str(), path.display())).collect();
    if said.is_empty() {
        said.push("defaults only".into());
    }
    said.extend(settings.strangers.iter().cloned());
    said.join("; ")
}

fn writable() -> std::io::Result<String> {
    let dir = tempfile::tempdir_in(".")?;
    dir.close()?;
    Ok("writable".into())
}
