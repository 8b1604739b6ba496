//! The desktop driver's figures, on a private display with a real editor: how long a display takes to come
//! up, an observation, tagged and encoded, beside a bare picture by xcap (in a process of its own, which
//! takes 50 for each of five turns), an action, and how many of many strings of mixed scripts are typed
//! exactly while both cores are busy.
//!
//! `cargo bench -p waldo-portable --bench desktop -- [STRINGS]` (1,000 if not said).

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "benches may panic")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use waldo_desktop::{DesktopDevice, DesktopOptions};
use waldo_devices::{
    Action, AppRule, Capture, Deadline, Device, GuardPolicy, HomeFile, LabelStyle, Observation, Point,
    ResetTo, StateProbe, StateValue, labels,
};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

const ROUNDS: usize = 50;
/// Takes bare pictures with the portable library; it finds its display in the environment alone.
const BARE: &str = "--bare-pictures";

fn bare_pictures() {
    let screens = xcap::Monitor::all().unwrap();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        std::hint::black_box(screens[0].capture_image().unwrap());
        println!("{}", began.elapsed().as_nanos());
    }
}

fn bare_pictures_of(display: &str, cookies: &Path) -> Vec<Duration> {
    let own = std::env::current_exe().unwrap();
    let out = std::process::Command::new(own)
        .arg(BARE)
        .env("DISPLAY", display)
        .env("XAUTHORITY", cookies)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let lines = String::from_utf8(out.stdout).unwrap();
    lines.lines().map(|nanos| Duration::from_nanos(nanos.parse().unwrap())).collect()
}

fn median(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// Tags, list, drawing and PNG, as an agent gets them.
fn tag(seen: &Observation) -> Duration {
    let began = Instant::now();
    let select = |elements: &[_]| labels::select(elements, 400);
    let drawn = labels::label(&seen.picture, &seen.elements, select, LabelStyle::Boxes);
    std::hint::black_box((
        drawn.picture.encode_png().unwrap(),
        labels::text_list(&seen.elements, &drawn.tagged),
    ));
    began.elapsed()
}

fn print_times(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!("{what:34} median {:8.2} ms   95 % {:8.2} ms   n {}", at(50), at(95), times.len());
}

async fn key(device: &mut DesktopDevice, chord: &str) {
    device.perform(&Action::Key { chord: chord.to_owned() }, soon()).await.unwrap();
}

/// A string of several scripts, another for every `n`.
fn string(n: u32) -> String {
    let pick = |base: u32, span: u32, i: u32| char::from_u32(base + (n * 131 + i * 37) % span).unwrap();
    let mut text = format!("{n}: ");
    for i in 0..8 {
        text.push(pick(0x41, 26, i));
        text.push(pick(0x430, 32, i));
        text.push(pick(0x3b1, 17, i));
        text.push(pick(0x4e00, 8_000, i));
    }
    text.push_str(" Ünïcödé, (ASCII) too! ");
    text.push(pick(0x1f600, 60, 1));
    text
}

async fn typed(device: &mut DesktopDevice, text: &str) -> bool {
    key(device, "ctrl+a").await;
    device.perform(&Action::Type { text: text.to_owned() }, soon()).await.unwrap();
    key(device, "ctrl+s").await;
    let end = Instant::now() + Duration::from_secs(5);
    loop {
        let now = device.probe(&StateProbe::File("t.txt".into()), soon()).await.unwrap();
        let StateValue::Bytes(Some(now)) = now else { panic!("no file") };
        let now = String::from_utf8_lossy(&now).into_owned();
        if now.strip_suffix('\n').unwrap_or(&now) == text {
            return true;
        }
        if Instant::now() > end {
            println!("wrong: {text:?}\n   was {now:?}");
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::main]
async fn main() {
    // Test runners ask benches for nothing but a list.
    if std::env::args().any(|arg| arg == "--list" || arg == "--test") {
        return;
    }
    if std::env::args().any(|arg| arg == BARE) {
        return bare_pictures();
    }
    let strings = std::env::args().find_map(|arg| arg.parse::<u32>().ok()).unwrap_or(1_000);
    let to = ResetTo {
        start: "mousepad {HOME}/t.txt".to_owned(),
        policy: GuardPolicy { apps: vec![AppRule("*".to_owned())], ..GuardPolicy::default() },
        desktop: waldo_devices::DesktopSetup {
            files: vec![HomeFile::new("t.txt", "")],
            ..waldo_devices::DesktopSetup::default()
        },
        ..ResetTo::default()
    };
    let mut device = DesktopDevice::new(DesktopOptions::default());
    let (mut bare, mut ends, mut full) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..8 {
        let began = Instant::now();
        device.reset(&ResetTo::default(), soon()).await.unwrap();
        bare.push(began.elapsed());
        let began = Instant::now();
        device.close(soon()).await.unwrap();
        ends.push(began.elapsed());
        let began = Instant::now();
        device.reset(&to, soon()).await.unwrap();
        full.push(began.elapsed());
        device.close(soon()).await.unwrap();
    }
    print_times("private display, up", bare);
    print_times("private display, gone", ends);
    print_times("private display with an editor", full);

    device.reset(&to, soon()).await.unwrap();
    let (mut settle, mut picture, mut elements, mut total) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut tags, mut xcap) = (Vec::new(), Vec::new());
    let display = device.display().unwrap();
    let cookies = device.folder().unwrap().join("Xauthority");
    for _ in 0..5 {
        xcap.extend(bare_pictures_of(&display, &cookies));
        for _ in 0..ROUNDS / 5 {
            let seen = device.observe(Capture::All, soon()).await.unwrap();
            tags.push(tag(&seen));
            settle.push(seen.timings.settle);
            picture.push(seen.timings.picture);
            elements.push(seen.timings.elements);
            total.push(seen.timings.total);
        }
    }
    let ratio = (median(&total) + median(&tags)) / (median(&xcap) + median(&elements));
    print_times("a bare picture by xcap", xcap);
    print_times("tags, list, drawing, PNG", tags);
    print_times("observation: settling", settle);
    print_times("observation: picture", picture);
    print_times("observation: elements", elements);
    print_times("observation: whole, settled", total);
    println!("whole and tagged over bare picture and tree: {ratio:.2}");
    let mut hover = Vec::new();
    for n in 0..20 {
        let at = Point::new(200.0 + f64::from(n) * 10.0, 300.0);
        let began = Instant::now();
        device.perform(&Action::Hover { at }, soon()).await.unwrap();
        hover.push(began.elapsed());
    }
    print_times("hover, with its effect looked for", hover);

    let stop = Arc::new(AtomicBool::new(false));
    let burners: Vec<_> = (0..2)
        .map(|_| {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        })
        .collect();
    let (mut exact, mut times) = (0, Vec::new());
    for n in 0..strings {
        let began = Instant::now();
        exact += u32::from(typed(&mut device, &string(n)).await);
        times.push(began.elapsed());
    }
    stop.store(true, Ordering::Relaxed);
    burners.into_iter().for_each(|burner| burner.join().unwrap());
    if strings > 0 {
        print_times("a string typed and saved, loaded", times);
        println!("typed exactly, both cores busy: {exact} of {strings}");
    }
    device.close(soon()).await.unwrap();
}
