//! `waldo` without arguments: what can be done here.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Parser as _;
use futures::future::join_all;
use waldo_devices::count::{count, noun};
use waldo_tasks::RunFolder;
use waldo_tasks::suite::Suite;

use super::CliError;
use crate::exit;
use crate::out::plain;
use crate::screens::{BrowserArgs, DeviceArgs, FAMILIES, listed};
use crate::suites::PROVIDERS;

/// How long a kind of device is looked for.
const LOOKS_FOR: Duration = Duration::from_secs(8);
/// Suites of this folder, and runs, that are listed at the most.
const MOST: usize = 5;
/// Entries of a folder that are looked at.
const ENTRIES: usize = 500;

/// Flags of devices as they are where none is given.
#[derive(clap::Parser)]
struct Plain {
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

pub async fn run() -> Result<u8, CliError> {
    let here = Plain::try_parse_from(["waldo"]).map_err(|error| CliError::Internal(error.to_string()))?;
    println!("waldo {}: an agent on a real screen, watched and scored", env!("WALDO_VERSION"));
    println!("\nDevices here");
    let (flags, browser) = (&here.device.flags, &here.browser);
    let lists = FAMILIES.iter().map(|family| async move {
        let list = family.list(flags, browser);
        let mut found = tokio::time::timeout(LOOKS_FOR, list).await.unwrap_or_default();
        found.extend(listed(*family));
        found
    });
    for entry in join_all(lists).await.into_iter().flatten() {
        // What it can do, `waldo devices` tells.
        let mut parts = entry.text.split("  ").filter(|part| !part.is_empty());
        let name = parts.next().unwrap_or_default().to_owned();
        let flag = parts.find(|part| part.starts_with("--device")).map(|flag| format!("  {flag}"));
        println!("  {:<8} {}{}", entry.platform, plain(&name, 90), flag.unwrap_or_default());
    }
    println!("\nSuites");
    for provider in PROVIDERS {
        for suite in provider.summaries()?.into_iter().filter(|suite| suite.tasks.is_some()) {
            println!(
                "  {:<14} {:<8} {:>3} {:<5}  {}",
                suite.id,
                suite.platform,
                suite.tasks.unwrap_or(0),
                noun(suite.tasks.unwrap_or(0), "task"),
                suite.text
            );
        }
    }
    for (path, suite) in suites() {
        let name = format!("./{}", path.display());
        let (platform, title) = (suite.platform.as_str(), plain(&suite.title, 60));
        let (n, tasks) = (suite.tasks.len(), noun(suite.tasks.len(), "task"));
        println!("  {:<14} {platform:<8} {n:>3} {tasks:<5}  {title}", plain(&name, 60));
    }
    let runs = runs();
    if !runs.is_empty() {
        println!("\nLast runs");
    }
    for (path, folder) in &runs {
        println!("  {}  {}", path.display(), summary(folder));
    }
    println!("\nNext");
    let mut next = vec![
        ("waldo drive --device simphone".to_owned(), "drive a phone by hand, on a local page"),
        ("waldo eval l3-web --agent reference --agent noop".to_owned(), "play a suite without a model"),
        (
            "waldo run --url http://127.0.0.1:8080 --agent appagent --model NAME --live \"GOAL\"".to_owned(),
            "let a model try, and watch",
        ),
    ];
    if let Some((path, _)) = runs.first() {
        next.push((format!("waldo report {} --serve", path.display()), "look at the last run"));
    }
    next.push(("waldo doctor".to_owned(), "what is missing here"));
    next.push(("waldo --help".to_owned(), "all commands"));
    for (command, why) in next {
        println!("  {command}\n      {why}");
    }
    Ok(exit::OK)
}

fn newest(folder: &Path, holds: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .take(ENTRIES)
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .filter_map(|entry| {
            let path = if folder == Path::new(".") { entry.file_name().into() } else { entry.path() };
            let changed = path.join(holds).symlink_metadata().ok()?.modified().ok()?;
            Some((changed, path))
        })
        .collect();
    found.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    found.into_iter().map(|(_, path)| path).take(MOST).collect()
}

/// Suites of people, in this folder. `waldo tasks` says what is wrong with a broken one.
fn suites() -> Vec<(PathBuf, Suite)> {
    let paths = newest(Path::new("."), "suite.toml").into_iter();
    paths.filter_map(|path| Suite::open(&path).ok().map(|suite| (path, suite))).collect()
}

fn runs() -> Vec<(PathBuf, RunFolder)> {
    let mut paths = newest(Path::new("runs"), "manifest.json");
    paths.extend(newest(Path::new("."), "manifest.json"));
    paths.truncate(MOST);
    paths.into_iter().filter_map(|path| RunFolder::open(&path).ok().map(|run| (path, run))).collect()
}

fn summary(folder: &RunFolder) -> String {
    let manifest = &folder.manifest;
    let who: Vec<&str> = manifest.contestants.iter().map(|who| who.name.as_str()).collect();
    let who = plain(&who.join(", "), 60);
    let when = manifest.started.strftime("%Y-%m-%d %H:%M");
    let results = folder.results().unwrap_or_default();
    let what = match (manifest.tasks.as_slice(), results.as_slice()) {
        ([task], [result]) => format!("\"{}\": {}", plain(&task.title, 60), result.outcome.name()),
        ([task], _) => format!("\"{}\": {}", plain(&task.title, 60), count(results.len(), "result")),
        (tasks, results) => {
            let (tasks, results) = (count(tasks.len(), "task"), count(results.len(), "result"));
            format!("{}: {tasks}, {results}", plain(&manifest.suite, 40))
        }
    };
    format!("{when}  {who}  {what}")
}
