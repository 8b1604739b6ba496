//! `waldo doctor`.

use super::{CliError, print_json};
use crate::config::{ConfigError, Settings};
use crate::exit;
use crate::screens::{BrowserArgs, DeviceArgs, FAMILIES, Finding};
use crate::serve::Sites;
use crate::suites::{PROVIDERS, SuiteError};

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
            "page server",
            Sites::start().await.map(|_| "listens on loopback"),
            "allow waldo to listen on 127.0.0.1",
        ),
        Finding::of("built-in suites", suites(), "this waldo is damaged: build it again"),
        Finding::of("run folder", writable(), "run waldo in a folder that you may write to, or give --out"),
    ];
    for family in FAMILIES {
        findings.extend(family.examine(&args.device.flags, &args.browser).await);
    }
    let all_ok = findings.iter().all(|finding| finding.ok);
    if args.json {
        print_json(&findings)?;
    } else {
        for finding in &findings {
            println!("{} {:<16} {}", if finding.ok { "ok  " } else { "FAIL" }, finding.what, finding.found);
            if let Some(hint) = finding.hint {
                println!("     mend: {hint}");
            }
        }
    }
    Ok(if all_ok { exit::OK } else { exit::ENVIRONMENT })
}

/// The suites that need no further flags, with their tasks counted.
fn suites() -> Result<String, SuiteError> {
    let mut all = Vec::new();
    for provider in PROVIDERS {
        for suite in provider.summaries()? {
            all.extend(suite.tasks.map(|tasks| format!("{} ({tasks} tasks)", suite.id)));
        }
    }
    Ok(all.join(", "))
}

fn configuration(settings: &Settings) -> String {
    let mut said: Vec<String> =
        settings.files.iter().map(|(role, path)| format!("{} {}", role.as_str(), path.display())).collect();
    if said.is_empty() {
        said.push("defaults only".into());
    }
    said.extend(settings.unknown_variables.iter().cloned());
    said.join("; ")
}

fn writable() -> std::io::Result<String> {
    let dir = tempfile::tempdir_in(".")?;
    dir.close()?;
    Ok("writable".into())
}
