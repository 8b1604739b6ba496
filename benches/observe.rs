//! What an observation costs over the bare picture: `cargo bench --bench observe`.
//!
//! One page, one browser, one run: each round takes a bare `Page.captureScreenshot` (plain, then as fast as
//! it goes; the answer as it comes, not decoded) and a whole observation (picture, elements, tags, drawn
//! and encoded for a model), in turn. Prints medians in milliseconds and their ratio. `--json` prints JSON,
//! `--rounds N` takes more rounds, `--url URL` observes another page, `--parts` times the parts of tagging,
//! `--full` also fetches the full accessibility tree and a DOM snapshot, to compare equal content with
//! harnesses that take both.

use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use waldo_agents::View;
use waldo_devices::{Capture, Deadline, Device as _, GuardPolicy, LabelStyle, OriginRule, ResetTo, labels};
use waldo_web::{Browser, BrowserOptions, ScreenCapture, WebOptions};

/// The page: 1,000 controls of four kinds, as many as fit on the screen.
fn page() -> String {
    let mut html = String::from(
        "<!doctype html><meta charset=utf-8><title>1,000 controls</title>\
         <style>body{font:12px sans-serif;margin:4px}.i{display:inline-block;margin:1px}input[type=text]{width:52px}</style>",
    );
    for n in 0..250 {
        html.push_str(&format!(
            "<span class=i><button>Go {n}</button></span><span class=i><input type=text aria-label='Field {n}' value={n}></span>\
             <span class=i><a href='#{n}'>Link {n}</a></span><span class=i><label><input type=checkbox>Box {n}</label></span>"
        ));
    }
    html
}

fn serve() -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        let body = page();
        for mut stream in listener.incoming().flatten() {
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    Ok(address)
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |t| t.as_secs_f64() * 1000.0)
}

fn flag(name: &str) -> Option<String> {
    std::env::args().skip_while(|arg| arg != name).nth(1)
}

fn print_parts(view: &View) -> Result<(), waldo_devices::DeviceError> {
    let (picture, elements) = (&view.observation.picture, &view.observation.elements);
    let style = LabelStyle::Boxes;
    let time = |name: &str, part: &mut dyn FnMut()| {
        let mut all: Vec<Duration> = (0..30)
            .map(|_| {
                let start = Instant::now();
                part();
                start.elapsed()
            })
            .collect();
        println!("  {name:<12} {:8.2}", median(&mut all));
    };
    let tagged = labels::select(elements, 400);
    let plates = labels::layout_on(picture, elements, &tagged, style);
    let bare = labels::encode_png(picture)?;
    time("select", &mut || drop(black_box(labels::select(elements, 400))));
    time("list", &mut || drop(black_box(labels::text_list(elements, &tagged))));
    time("layout", &mut || drop(black_box(labels::layout_on(picture, elements, &tagged, style))));
    time("paint", &mut || drop(black_box(labels::paint_plates(picture, &plates, style))));
    let painted = labels::paint_plates(picture, &plates, style);
    time("encode", &mut || drop(black_box(painted.encode_png())));
    time("decode", &mut || drop(black_box(labels::decode(&bare))));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds: usize = flag("--rounds").and_then(|n| n.parse().ok()).unwrap_or(60);
    let url = if let Some(url) = flag("--url") { url } else { serve()? };
    let soon = || Deadline::after(Duration::from_secs(30));
    let browser = Browser::launch(&BrowserOptions::default(), soon()).await?;
    let mut device = browser.new_device(&WebOptions::default())?;
    let policy = GuardPolicy { origins: vec![OriginRule::parse("*")?], ..GuardPolicy::default() };
    device.reset(&ResetTo { start: url, policy, ..ResetTo::default() }, soon()).await?;

    let full = std::env::args().any(|arg| arg == "--full");
    let mut times: [Vec<Duration>; 10] = Default::default();
    let (mut tags, mut bytes) = (0, 0);
    for round in 0..rounds + 5 {
        let start = Instant::now();
        device.bare_picture(ScreenCapture::Plain, soon()).await?;
        let bare = start.elapsed();
        let start = Instant::now();
        device.bare_picture(ScreenCapture::Fast, soon()).await?;
        let fast = start.elapsed();
        let observation = device.observe(Capture::All, soon()).await?;
        let timings = observation.timings;
        let view = View::new(observation, LabelStyle::Boxes)?;
        (tags, bytes) = (view.tagged.len(), view.png.len());
        if round + 1 == rounds + 5 && std::env::args().any(|arg| arg == "--parts") {
            print_parts(&view)?;
        }
        let start = Instant::now();
        if full {
            device.whole_page(soon()).await?;
        }
        let more = start.elapsed();
        if round < 5 {
            continue;
        }
        let whole = timings.total + view.label_time;
        let found = [
            bare,
            whole,
            timings.settle,
            timings.picture,
            timings.elements,
            timings.total,
            view.label_time,
            whole + timings.settle,
            whole + more,
            fast,
        ];
        for (all, one) in times.iter_mut().zip(found) {
            all.push(one);
        }
    }
    device.close(soon()).await?;
    browser.close(soon()).await?;

    let [bare, whole, settle, picture, elements, device, label, settled, with_more, fast] =
        times.map(|mut all| median(&mut all));
    let ratio = whole / bare;
    if std::env::args().any(|arg| arg == "--json") {
        println!(
            "{}",
            serde_json::json!({
                "rounds": rounds, "tags": tags, "png_bytes": bytes, "bare_ms": bare, "observation_ms": whole,
                "ratio": ratio,
                "fast_ms": fast, "fast_ratio": whole / fast, "settle_ms": settle, "picture_ms": picture, "elements_ms": elements,
                "device_ms": device, "label_ms": label, "settled_ms": settled, "full_ms": with_more
            })
        );
    } else {
        println!("{rounds} rounds, {tags} tags, {bytes} bytes of PNG; medians in ms");
        println!("bare Page.captureScreenshot        {bare:8.2}");
        println!("  the same, optimised for speed   {fast:8.2}");
        println!(
            "observation, tagged and encoded    {whole:8.2}   ratio {ratio:.2}, to the fast one {:.2}",
            whole / fast
        );
        println!(
            "  device {device:.2} (picture {picture:.2} beside elements {elements:.2}), tags and PNG {label:.2}"
        );
        println!("  settling before it, apart        {settle:8.2}   both {settled:.2}");
        if full {
            println!("with AX tree and DOM snapshot      {with_more:8.2}");
        }
    }
    Ok(())
}
