//! What text recognition gives and costs: `cargo bench -p waldo-text --bench text`, or `scripts/bench text`.
//!
//! A file manager of GTK 2 and a terminal, which tell assistive technology nothing, and three pages that draw on a canvas: each
//! is looked at without words, then with them, first with nothing kept, then again. Prints how many of the words that stand on
//! the screen are names (rightly, or in part), how many names are wrong, and the median milliseconds of an observation,
//! waiting for a quiet screen excluded. `--rounds N` takes more looks, `--names` lists the names.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use waldo_desktop::settle::settle;
use waldo_desktop::{DesktopDevice, DesktopOptions};
use waldo_devices::{
    AppRule, Capture, Deadline, DesktopSetup, Device, DeviceError, GuardPolicy, HomeFile, OriginRule,
    ResetTo, Settled, Source,
};
use waldo_text::{KeptWords, NamedByText, Tesseract, TextReader};
use waldo_web::{Browser, BrowserOptions, WebOptions};

/// A screen, what opens it, and all that can be read on it.
#[derive(Default)]
struct Case {
    name: &'static str,
    texts: Vec<&'static str>,
    program: Option<&'static str>,
    files: Vec<&'static str>,
    /// Where there is no program: the script of a page with a canvas of 800 by 560.
    script: String,
}

fn cases() -> impl Iterator<Item = Case> {
    include_str!("screens.txt").split("== ").skip(1).map(|part| {
        let mut lines = part.lines();
        let mut case = Case { name: lines.next().unwrap_or_default(), ..Case::default() };
        for line in lines {
            match line.split_once(": ") {
                Some(("texts", texts)) => case.texts = texts.split('|').collect(),
                Some(("program", line)) => case.program = Some(line),
                Some(("files", files)) => case.files = files.split('|').collect(),
                _ => case.script.push_str(line),
            }
        }
        case
    })
}

fn serve(script: &str) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    let body = format!(
        "<!doctype html><meta charset=utf-8><title>canvas</title><body style='margin:0'><canvas id=c width=800 height=560>\
         </canvas><script>const x=c.getContext('2d');{script}</script>"
    );
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let head =
                format!("content-type: text/html\r\ncontent-length: {}\r\nconnection: close", body.len());
            let _ = write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}");
        }
    });
    Ok(address)
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

async fn open(case: &Case, browser: &Browser) -> Result<Box<dyn Device>, Box<dyn Error>> {
    match case.program {
        Some(line) => {
            let mut device = Box::new(DesktopDevice::new(DesktopOptions::default()));
            let files = case.files.iter().map(|path| HomeFile::new(*path, *path)).collect();
            let to = ResetTo {
                start: line.to_owned(),
                policy: GuardPolicy { apps: vec![AppRule("*".to_owned())], ..GuardPolicy::default() },
                desktop: DesktopSetup { files, ..DesktopSetup::default() },
                ..ResetTo::default()
            };
            device.reset(&to, soon()).await?;
            Ok(device)
        }
        None => {
            let mut device = Box::new(browser.new_device(&WebOptions::default())?);
            let policy = GuardPolicy { origins: vec![OriginRule::parse("*")?], ..GuardPolicy::default() };
            let start = serve(&case.script)?;
            device.reset(&ResetTo { start, policy, ..ResetTo::default() }, soon()).await?;
            Ok(device)
        }
    }
}

/// Looks until two pictures in a row are the same: programs draw their icons late.
async fn rested(device: &mut dyn Device) -> Result<(), Box<dyn Error>> {
    let device = &tokio::sync::Mutex::new(device);
    let take = || async move {
        let seen = device.lock().await.observe(Capture::All, soon()).await?;
        Ok::<_, DeviceError>((**seen.picture.pixels()).clone())
    };
    let (_, settled) = settle(take, Deadline::after(Duration::from_secs(10))).await?;
    match settled {
        Settled::Quiet => Ok(()),
        moving => Err(format!("a screen that does not come to rest cannot be measured: {moving:?}").into()),
    }
}

fn ms(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args();
    let rounds: usize =
        args.by_ref().skip_while(|arg| arg != "--rounds").nth(1).and_then(|n| n.parse().ok()).unwrap_or(9);
    let lists = std::env::args().any(|arg| arg == "--names");
    let reader = Tesseract::find(None, soon())
        .await?
        .ok_or("tesseract is missing: scripts/setup tests installs it")?;
    println!("{}, {rounds} looks each", reader.name());
    println!(
        "{:<22} {:>5} {:>6} {:>7} {:>6}   {:>8} {:>8} {:>8}",
        "screen", "texts", "names", "in part", "wrong", "without", "first", "later"
    );
    let reader: Arc<dyn TextReader> = Arc::new(reader);
    let browser = Browser::launch(&BrowserOptions::default(), soon()).await?;
    for case in cases() {
        let mut device = open(&case, &browser).await?;
        rested(device.as_mut()).await?;
        let mut without = Vec::new();
        for _ in 0..rounds {
            without.push(device.observe(Capture::All, soon()).await?.timings.total);
        }
        let (mut first, mut later) = (Vec::new(), Vec::new());
        let mut seen = None;
        for _ in 0..rounds {
            // Nothing is kept from round to round.
            let mut named = NamedByText::new(device, reader.clone(), Arc::new(KeptWords::default()));
            first.push(Device::observe(&mut named, Capture::All, soon()).await?.timings.total);
            let again = Device::observe(&mut named, Capture::All, soon()).await?;
            later.push(again.timings.total);
            seen = Some(again);
            device = named.into_inner();
        }
        let found: Vec<String> = seen
            .into_iter()
            .flat_map(|seen| seen.elements)
            .filter(|e| e.source == Source::Picture && !e.name.is_empty() && e.role.as_str() != "canvas")
            .map(|e| e.name)
            .collect();
        let texts: Vec<String> = case.texts.iter().map(|text| plain(text)).collect();
        let names: Vec<String> = found.iter().map(|name| plain(name)).collect();
        let right = texts.iter().filter(|text| names.contains(text)).count();
        let in_part = |text: &&String| !names.contains(text) && names.iter().any(|name| name.contains(*text));
        let partly = texts.iter().filter(in_part).count();
        let is_wrong = |name: &&String| {
            !texts.iter().any(|text| name.contains(text.as_str()) || text.contains(name.as_str()))
        };
        let wrong: Vec<&String> = names.iter().filter(is_wrong).collect();
        println!(
            "{:<22} {:>5} {right:>6} {partly:>7} {:>6}   {:>8.0} {:>8.0} {:>8.0}",
            case.name,
            texts.len(),
            wrong.len(),
            ms(&mut without),
            ms(&mut first),
            ms(&mut later),
        );
        if lists {
            println!("    names: {found:?}\n    wrong: {wrong:?}");
        }
        device.close(soon()).await?;
    }
    Ok(())
}
