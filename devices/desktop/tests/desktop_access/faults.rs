//! Programs that hang or end, and a bus that goes.

use std::time::{Duration, Instant};

use super::support::*;
use rustix::process::Signal;
use waldo_devices::{DeviceError, ElementRef};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_hangs_costs_its_own_elements_only() {
    let (mut desk, reader) = Desk::with(&["galculator", "zenity"]).await;
    let calculator = desk.run("galculator", &[]);
    until(&reader, "the calculator", |r| has(r, "button", "7")).await;
    desk.place(window_of(&reader, "galculator").id, 20, 20);
    desk.run("zenity", &["--entry", "--title=Ask", "--text=Your name"]);
    let seen = until(&reader, "both", |r| has(r, "button", "7") && has(r, "button", "OK")).await;
    let key = get(&seen, "button", "7").handle.clone();
    signal(calculator, Signal::STOP);
    let began = Instant::now();
    let seen = reader.read(CAP, soon()).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    assert!(has(&seen, "button", "OK") && !has(&seen, "button", "7"));
    assert!(seen.silent.contains(&window_of(&reader, "galculator").id) && seen.truncated > 0);
    let answer = reader.do_action(&key, soon()).await;
    assert!(matches!(answer, Err(DeviceError::Timeout { .. })), "{answer:?}");
    signal(calculator, Signal::CONT);
    until(&reader, "the calculator again", |r| has(r, "button", "7")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_element_of_a_program_that_ended_is_stale() {
    let (mut desk, reader) = Desk::with(&["galculator"]).await;
    let calculator = desk.run("galculator", &[]);
    let seen = until(&reader, "the calculator", |r| has(r, "button", "7")).await;
    let key = get(&seen, "button", "7").handle.clone();
    desk.end(calculator);
    let answer = reader.do_action(&key, soon()).await;
    assert!(matches!(answer, Err(DeviceError::StaleElement { .. })), "{answer:?}");
    let picture = reader.do_action(&ElementRef("w12.3".to_owned()), soon()).await;
    assert!(matches!(picture, Err(DeviceError::BadArgument { .. })), "{picture:?}");
    until(&reader, "an empty screen", |r| r.elements.is_empty() && r.silent.is_empty()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bus_that_goes_leaves_the_windows_to_the_picture() {
    let (mut desk, reader) = Desk::with(&["galculator"]).await;
    desk.run("galculator", &[]);
    until(&reader, "the calculator", |r| has(r, "button", "7")).await;
    for id in processes_of(&desk, "at-spi") {
        let _ = rustix::process::kill_process(id, Signal::KILL);
    }
    let seen = until(&reader, "the loss", |r| r.elements.is_empty()).await;
    assert_eq!(seen.silent, [window_of(&reader, "galculator").id]);
    let began = Instant::now();
    for _ in 0..5 {
        let seen = reader.read(CAP, soon()).await.unwrap();
        assert!(seen.elements.is_empty() && !seen.silent.is_empty());
    }
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}

/// Processes whose command line names `what` and this display's folder or bus.
fn processes_of(desk: &Desk, what: &str) -> Vec<rustix::process::Pid> {
    let run = desk.bus().trim_start_matches("unix:path=").trim_end_matches("/bus").to_owned();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            let read = |name: &str| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            let (line, env) = (read("cmdline"), read("environ"));
            String::from_utf8_lossy(&line).contains(what) && String::from_utf8_lossy(&env).contains(&run)
        })
        .filter_map(rustix::process::Pid::from_raw)
        .collect()
}

#[test]
fn a_private_bus_starts_accessibility_alone_and_leaves_no_folder() {
    needs(&["dbus-send"]);
    let desk = Desk::start();
    let ask = std::process::Command::new("dbus-send")
        .arg(format!("--bus={}", desk.bus()))
        .args(["--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"])
        .arg("org.freedesktop.DBus.ListActivatableNames")
        .output()
        .unwrap();
    let told = String::from_utf8(ask.stdout).unwrap();
    let names: Vec<&str> = told.split('"').skip(1).step_by(2).collect();
    assert_eq!(names, ["org.freedesktop.DBus", "org.a11y.Bus"]);
    let folder = desk.path("").parent().unwrap().to_owned();
    assert!(folder.is_dir());
    drop(desk);
    assert!(!folder.exists(), "{}", folder.display());
}
