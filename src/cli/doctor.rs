mod model;

use clap::ArgMatches;
use clap::parser::ValueSource;
use futures::future::join_all;
use serde_json::json;
use waldo_devices::count::count;

pub(super) use self::model::{Measure, examine as examine_model};
use super::{CliError, print_json};
use crate::agents::ModelArgs;
use crate::config::{ConfigError, Settings, without_keys};
use crate::exit;
pub(super) use crate::screens::Finding;
use crate::screens::{BrowserArgs, DeviceArgs, FAMILIES, Family, TEXT_RECOGNITION};
use crate::serve::Sites;
use crate::suites::{PROVIDERS, SuiteError};

/// Say what is missing here, what cannot be done without it, and how to fix it; with --model, what a model's endpoint can, with --device or --queue, what a
/// machine elsewhere can. What is named is examined alone: the other screens of this machine are not.
///
/// A screen elsewhere that --device names (osworld:URL, bridge:URL, vnc:URL) is asked who it is, for its picture and elements, what it
/// offers and what cannot be enforced there; nothing is pressed, typed or set back. So is the server that --queue names,
/// in builds with a fleet.
///
/// A model that is named here, and not in a configuration alone, is asked a few short questions about a picture with three
/// numbers: whether it answers, sees, reads WebP, calls tools and caches, and what a picture takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// With --model, also find out how large a picture may be, with one to three questions about large ones, which may
    /// cost a few thousand tokens each.
    #[arg(long, requires = "model")]
    picture_sizes: bool,
    /// The model whose endpoint is asked.
    #[arg(skip)]
    asked: Option<String>,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    browser: BrowserArgs,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    queue: crate::queue::QueueArgs,
    #[cfg(not(feature = "fleet"))]
    #[command(flatten)]
    queue: crate::absent::NoQueue,
}

impl Args {
    /// Asks the model only where the command line names it: each question has its price.
    pub fn named_in(&mut self, matches: &ArgMatches) {
        let own = matches.subcommand().and_then(|(_, own)| own.value_source("model"));
        self.asked = self.model.model.clone().filter(|_| own == Some(ValueSource::CommandLine));
    }

    /// The kinds of screens of this machine that are examined, by what was found of the device: all, unless something else is
    /// named, which is then examined alone.
    fn families(&self, device: &[Finding]) -> Vec<&'static dyn Family> {
        let stands_elsewhere = device.iter().any(|finding| finding.what != TEXT_RECOGNITION);
        #[cfg(feature = "fleet")]
        let queue = self.queue.queue.is_some();
        #[cfg(not(feature = "fleet"))]
        let queue = false;
        match self.device.device.is_some() {
            true if stands_elsewhere => Vec::new(),
            true => vec![self.device.family()],
            false if queue || self.asked.is_some() => Vec::new(),
            false => FAMILIES.to_vec(),
        }
    }
}

pub async fn run(args: &Args, settings: Result<Settings, ConfigError>) -> Result<u8, CliError> {
    #[cfg(not(feature = "fleet"))]
    args.queue.refuse()?;
    let mut findings = vec![
        Finding::of(
            "configuration",
            settings.map(|settings| configuration(&settings)),
            "correct the file or the variable; waldo config schema shows what can be set",
        ),
        Finding::of(
            "prompts",
            crate::prompts::open(None).map(|all| count(all.names().count(), "template")),
            "this waldo is damaged: build it again",
        ),
        Finding::of(
            "page server",
            Sites::start().await.map(|_| match waldo_devices::peer::can_tell() {
                true => "listens on loopback, for this process alone",
                false => {
                    "listens on loopback, for every process of this machine: this system does not say which \
                     process made a connection"
                }
            }),
            "allow waldo to listen on 127.0.0.1",
        ),
        Finding::of("built-in suites", suites(), "this waldo is damaged: build it again"),
        Finding::of("run folder", writable(), "run waldo in a folder that you may write to, or give --out"),
    ];
    let device = args.device.examine(&args.browser).await;
    // A browser, a display and a phone are started at once: each takes seconds, and mostly waits.
    let families = args.families(&device).into_iter();
    let families = families.map(|family| family.examine(&args.device.flags, &args.browser));
    findings.extend(join_all(families).await.into_iter().flatten().chain(device));
    let mut asked = None;
    #[cfg(feature = "fleet")]
    if args.queue.queue.is_some() {
        findings.extend(crate::queue::examine(&args.queue).await);
    }
    if let Some(name) = &args.asked {
        let measure = if args.picture_sizes { Measure::Sizes } else { Measure::Nothing };
        let found = model::examine(&args.model, name, measure).await?;
        findings.extend(found.findings());
        asked = Some(json!({
            "model": name, "wire": args.model.wire, "base_url": without_keys(&args.model.address()), "found": found,
        }));
    }
    let faulty = findings.iter().any(Finding::is_fault);
    if args.json {
        match asked {
            Some(asked) => print_json(&json!({ "findings": findings, "endpoint": asked }))?,
            None => print_json(&findings)?,
        }
    } else {
        findings.iter().for_each(print_finding);
    }
    Ok(if faulty { exit::ENVIRONMENT } else { exit::OK })
}

pub(super) fn print_finding(finding: &Finding) {
    let state = match finding.costs {
        _ if finding.ok => "ok",
        Some(_) => "missing",
        None => "FAIL",
    };
    println!("{state:<7} {:<16} {}", finding.what, finding.found);
    if let Some(costs) = finding.costs {
        println!("        without it: {costs}");
    }
    if let Some(hint) = &finding.hint {
        println!("        fix: {hint}");
    }
}

/// The suites that need no further flags, with their tasks counted.
fn suites() -> Result<String, SuiteError> {
    let mut all = Vec::new();
    for provider in PROVIDERS {
        for suite in provider.summaries()? {
            all.extend(suite.tasks.map(|tasks| format!("{} ({})", suite.id, count(tasks, "task"))));
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
