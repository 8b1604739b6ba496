//! What the elements of real programs cost: `cargo bench -p waldo-desktop --bench desktop_elements`.
//!
//! Each program runs on a private display. A page of about 3,000 objects is read by our way and, in the
//! same run, object by object with one call after the other, as a plain client does. The figures to
//! reach: the page in 80 ms and 20 times faster than the plain walk, a GTK window in 15 ms, a sheet in
//! 200 ms with at most 50 MB more memory in either process.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "a bench fails as tests do"
)]

#[path = "../tests/desktop_access/support.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod support;

use std::time::{Duration, Instant};

use support::{CAP, Desk, clickable, has, needs, soon, until, window_of};
use waldo_desktop::ScreenReader;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};

const CHROMIUM: &str = "/usr/lib/chromium/chromium";
const ROUNDS: usize = 25;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    // Test runners ask benches for nothing but a list.
    if std::env::args().any(|arg| arg == "--list" || arg == "--test") {
        return;
    }
    // Names of programs on the command line leave out the others.
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let runs = |program: &str| named.is_empty() || named.iter().any(|name| name == program);
    println!("load {}", std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim());
    for (program, least) in
        [("zenity", 3), ("galculator", 25), ("mousepad", 6), ("gnumeric", 60), ("featherpad", 6)]
    {
        if runs(program) {
            needs(&[program]);
            small(program, least).await;
        }
    }
    if runs("soffice") {
        needs(&["soffice"]);
        sheet().await;
    }
    if runs("chromium") {
        page().await;
    }
    println!("load {}", std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim());
}

/// Median and the slowest but one of readings, and how many elements.
async fn time(reader: &ScreenReader) -> (Duration, Duration, usize) {
    let mut took = Vec::new();
    let mut count = 0;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let reading = reader.read(CAP, soon()).await.unwrap();
        took.push(began.elapsed());
        count = reading.elements.len();
    }
    took.sort();
    (took[ROUNDS / 2], took[ROUNDS - 2], count)
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

async fn small(program: &str, least: usize) {
    let mut desk = Desk::start();
    let reader = desk.reader().await;
    let args: &[&str] =
        if program == "zenity" { &["--forms", "--add-entry=Name", "--add-password=Secret"] } else { &[] };
    desk.run(program, args);
    until(&reader, program, |r| clickable(r) >= least).await;
    let (median, slow, count) = time(&reader).await;
    println!("{program:11} {:7.1} ms median {:7.1} slowest but one {count:5} elements", ms(median), ms(slow));
}

async fn sheet() {
    let mut desk = Desk::start();
    let reader = desk.reader().await;
    let profile = format!("-env:UserInstallation=file://{}", desk.path("office").display());
    desk.run("soffice", &["--norestore", "--nologo", "--nofirststartwizard", "--calc", &profile]);
    until(&reader, "the sheet", |r| has(r, "cell", "C4")).await;
    let office = window_of(&reader, "Calc").pid.expect("the process of the sheet");
    let before = (memory(office), memory(std::process::id()));
    let (median, slow, count) = time(&reader).await;
    let after = (memory(office), memory(std::process::id()));
    println!(
        "{:11} {:7.1} ms median {:7.1} slowest but one {count:5} elements",
        "Calc",
        ms(median),
        ms(slow)
    );
    println!(
        "            {ROUNDS} readings: office {:+.1} MB, own {:+.1} MB",
        after.0 - before.0,
        after.1 - before.1
    );
}

async fn page() {
    let mut desk = Desk::start();
    let reader = desk.reader().await;
    let rows: String = (0..300)
        .map(|i| format!("<div><label>Field {i} <input value=v{i}></label> <button>Press {i}</button> <a href='#{i}'>Link {i}</a></div>"))
        .collect();
    let file = desk.path("page.html");
    std::fs::write(&file, format!("<!doctype html><meta charset=utf-8><title>Controls</title>{rows}"))
        .unwrap();
    let profile = format!("--user-data-dir={}", desk.path("profile").display());
    let address = format!("file://{}", file.display());
    let flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--force-renderer-accessibility"];
    desk.run(CHROMIUM, &[&flags[..], &["--window-size=1200,760", &profile, &address]].concat());
    until(&reader, "the page", |r| has(r, "link", "Link 3")).await;
    // Its own figures settle down after a moment.
    let (..) = time(&reader).await;
    let (median, slow, count) = time(&reader).await;
    let mut walks = Vec::new();
    let mut nodes = 0;
    for _ in 0..3 {
        let began = Instant::now();
        nodes = walk(&desk.bus(), "Chromium").await;
        walks.push(began.elapsed());
    }
    walks.sort();
    println!(
        "{:11} {:7.1} ms median {:7.1} slowest but one {count:5} elements",
        "Chromium",
        ms(median),
        ms(slow)
    );
    println!(
        "            plain walk of {nodes} objects {:.0} ms median: {:.1} times slower",
        ms(walks[1]),
        walks[1].as_secs_f64() / median.as_secs_f64()
    );
}

fn memory(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches(" kB").trim().parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}

/// Every object of a program, one call after the other: its facts, children, and the place of what is drawn.
async fn walk(session: &str, program: &str) -> usize {
    let session = zbus::connection::Builder::address(session).unwrap().build().await.unwrap();
    let bus = Some("org.a11y.Bus");
    let address = session.call_method(bus, "/org/a11y/bus", bus, "GetAddress", &()).await.unwrap();
    let address: String = address.body().deserialize().unwrap();
    let bus = zbus::connection::Builder::address(address.as_str()).unwrap().build().await.unwrap();
    let root = "/org/a11y/atspi/accessible/root";
    let programs = children(&bus, "org.a11y.atspi.Registry", root).await;
    let mut count = 0;
    for (name, path) in programs {
        if self::name(&bus, &name, &path).await != program {
            continue;
        }
        let mut stack = vec![(name, path)];
        let mut seen = std::collections::HashSet::new();
        while let Some((name, path)) = stack.pop() {
            if path.as_str().ends_with("/null") || !seen.insert((name.clone(), path.clone())) {
                continue;
            }
            count += 1;
            let face = Some("org.a11y.atspi.Accessible");
            let _ = bus.call_method(Some(name.as_str()), &path, face, "GetRole", &()).await;
            self::name(&bus, &name, &path).await;
            let states = bus.call_method(Some(name.as_str()), &path, face, "GetState", &()).await;
            let _ = bus.call_method(Some(name.as_str()), &path, face, "GetInterfaces", &()).await;
            let states: Vec<u32> = states.ok().and_then(|s| s.body().deserialize().ok()).unwrap_or_default();
            if states.first().is_some_and(|low| low & (1 << 25) != 0) {
                let face = Some("org.a11y.atspi.Component");
                let _ = bus.call_method(Some(name.as_str()), &path, face, "GetExtents", &0u32).await;
            }
            stack.extend(children(&bus, &name, path.as_str()).await);
        }
    }
    count
}

async fn name(bus: &zbus::Connection, name: &str, path: &OwnedObjectPath) -> String {
    let face = Some("org.freedesktop.DBus.Properties");
    let body = ("org.a11y.atspi.Accessible", "Name");
    let answer = bus.call_method(Some(name), path, face, "Get", &body).await;
    let value: Option<OwnedValue> = answer.ok().and_then(|answer| answer.body().deserialize().ok());
    value.and_then(|value| String::try_from(value).ok()).unwrap_or_default()
}

async fn children(bus: &zbus::Connection, name: &str, path: &str) -> Vec<(String, OwnedObjectPath)> {
    let face = Some("org.a11y.atspi.Accessible");
    let answer = bus.call_method(Some(name), path, face, "GetChildren", &()).await;
    answer.ok().and_then(|answer| answer.body().deserialize().ok()).unwrap_or_default()
}
