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
struct Case {
    name: &'static str,
    start: Start,
    texts: &'static str,
}

enum Start {
    Program(&'static str, &'static [&'static str]),
    /// The script of a page with a canvas of 800 by 560.
    Canvas(&'static str),
}

const CASES: [Case; 5] = [
    Case {
        name: "pcmanfm",
        start: Start::Program(
            "env GTK_MODULES= pcmanfm {HOME}/stock",
            &["stock/Invoices 2026.txt", "stock/budget.csv", "stock/holiday plan.txt", "stock/Readme.md"],
        ),
        texts: "File|Edit|View|Bookmarks|Go|Tools|Help|Places|Home Folder|Desktop|Trash Can|Applications|\
            Invoices 2026.txt|budget.csv|holiday plan.txt|Readme.md|stock|4 items|Free space",
    },
    Case {
        name: "xterm",
        start: Start::Program(
            "xterm -fa Monospace -fs 11 -geometry 90x20 -e sh -c 'printf \"Welcome to the depot\\n\\n  1  Receive goods\\n  2  Send a parcel\\n  3  Print labels\\n  4  Leave\\n\\nYour choice: \"; sleep 900'",
            &[],
        ),
        texts: "Welcome to the depot|1 Receive goods|2 Send a parcel|3 Print labels|4 Leave|Your choice:",
    },
    Case {
        name: "canvas, buttons",
        start: Start::Canvas(
            "x.fillStyle='#fff';x.fillRect(0,0,800,560);const b=(t,X,Y)=>{x.fillStyle='#e4e7ec';x.fillRect(X,Y,150,36);\
             x.strokeStyle='#889';x.strokeRect(X+.5,Y+.5,149,35);x.fillStyle='#223';x.font='15px sans-serif';\
             x.textAlign='center';x.textBaseline='middle';x.fillText(t,X+75,Y+18)};\
             b('New order',60,60);b('Open order',260,60);b('Print',460,60);b('Customers',60,140);b('Stock',260,140);\
             b('Sign out',460,140);x.textAlign='left';x.font='22px sans-serif';x.fillText('Orders of today',60,260);\
             x.font='14px sans-serif';x.fillText('No order is open.',60,300)",
        ),
        texts: "New order|Open order|Print|Customers|Stock|Sign out|Orders of today|No order is open.",
    },
    Case {
        name: "canvas, dark game",
        start: Start::Canvas(
            "x.fillStyle='#14181f';x.fillRect(0,0,800,560);const b=(t,X,Y,c)=>{x.fillStyle=c;x.fillRect(X,Y,200,52);\
             x.fillStyle='#f4f4f4';x.font='bold 20px sans-serif';x.textAlign='center';x.textBaseline='middle';\
             x.fillText(t,X+100,Y+26)};x.textAlign='center';x.fillStyle='#ffd34d';x.font='bold 40px sans-serif';\
             x.fillText('Star Miner',400,110);b('Play',300,180,'#2a6f4f');b('High scores',300,260,'#2f4a7d');\
             b('Settings',300,340,'#2f4a7d');b('Quit',300,420,'#7d2f3a');x.fillStyle='#9aa';x.font='13px sans-serif';\
             x.textAlign='left';x.fillText('Level 7',40,530);x.fillText('Lives: 3',680,530)",
        ),
        texts: "Star Miner|Play|High scores|Settings|Quit|Level 7|Lives: 3",
    },
    Case {
        name: "canvas, small print",
        start: Start::Canvas(
            "x.fillStyle='#f6f3ea';x.fillRect(0,0,800,560);x.fillStyle='#333';x.font='12px sans-serif';\
             ['Layers','Brush','Eraser','Fill','Text tool','Undo','Redo','Export'].forEach((t,i)=>x.fillText(t,24+i*92,30));\
             x.font='11px serif';['Width 640','Height 480','Zoom 100%','Grid off'].forEach((t,i)=>x.fillText(t,24,90+i*34));\
             x.fillStyle='#888';x.font='12px monospace';x.fillText('saved 12:45',680,540)",
        ),
        texts: "Layers|Brush|Eraser|Fill|Text tool|Undo|Redo|Export|Width 640|Height 480|Zoom 100%|Grid off|\
            saved 12:45",
    },
];

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
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    Ok(address)
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

async fn open(case: &Case, browser: &Browser) -> Result<Box<dyn Device>, Box<dyn Error>> {
    match case.start {
        Start::Program(line, files) => {
            let mut device = Box::new(DesktopDevice::new(DesktopOptions::default()));
            let files = files.iter().map(|path| HomeFile::new(*path, *path)).collect();
            let to = ResetTo {
                start: line.to_owned(),
                policy: GuardPolicy { apps: vec![AppRule("*".to_owned())], ..GuardPolicy::default() },
                desktop: DesktopSetup { files, ..DesktopSetup::default() },
                ..ResetTo::default()
            };
            device.reset(&to, soon()).await?;
            Ok(device)
        }
        Start::Canvas(script) => {
            let mut device = Box::new(browser.new_device(&WebOptions::default())?);
            let policy = GuardPolicy { origins: vec![OriginRule::parse("*")?], ..GuardPolicy::default() };
            device.reset(&ResetTo { start: serve(script)?, policy, ..ResetTo::default() }, soon()).await?;
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
    for case in &CASES {
        let mut device = open(case, &browser).await?;
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
        let texts: Vec<String> = case.texts.split('|').map(plain).collect();
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
