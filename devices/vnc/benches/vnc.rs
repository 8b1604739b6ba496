//! What an open screen costs while it moves: `cargo bench -p waldo-vnc --bench vnc`, or `scripts/bench vnc`.
//!
//! On TigerVNC's Xvnc of 1280x800 a program draws 20 times a second: an area of 400x300 that wanders, the whole screen as
//! text that scrolls, and the whole screen as noise, which nothing packs. A device is open meanwhile; told are the updates a
//! second that it got, their megabytes, and the processor time of this process and of Xvnc, as shares of a core. First every
//! encoding alone with nobody looking, then the encodings as the device asks for them: with nobody looking, filmed, and
//! observed without a pause. `--seconds N` measures each for longer.

#![allow(clippy::unwrap_used, reason = "a bench ends where it cannot go on")]
#![allow(clippy::disallowed_methods, reason = "a bench starts programs as it needs them")]

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use waldo_devices::{AppRule, Capture, Deadline, Device as _, Frames, GuardPolicy, ResetTo};
use waldo_vnc::{VncDevice, VncEncoding, VncOptions};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, CreateWindowAux, ImageFormat, WindowClass};
use x11rb::wrapper::ConnectionExt as _;

const SIZE: (u16, u16) = (1280, 800);
const FRAMES_A_SECOND: u32 = 20;
const DAMAGES: [&str; 3] = ["area", "text", "noise"];

/// Pixels of a tall page, four bytes each: letters in lines with coloured blocks, or noise.
fn page(noise: bool, width: usize, height: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let letters: Vec<u64> = (0..64).map(|_| next() & next()).collect();
    let rows: Vec<Vec<usize>> =
        (0..height / 12 + 1).map(|_| (0..width / 8 + 1).map(|_| next() as usize % 90).collect()).collect();
    let mut pixels = Vec::with_capacity(width * height * 4);
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let [r, g, b] = if noise {
            let n = next();
            [n as u8, (n >> 8) as u8, (n >> 16) as u8]
        } else if x < 40 || y % 240 < 24 {
            [(60 + y / 8 % 80) as u8, 90, 140]
        } else {
            let letter = letters.get(rows[y / 12][x / 8]).copied().unwrap_or_default();
            let ink = y % 12 < 8 && letter >> (y % 12 * 8 + x % 8) & 1 == 1;
            if ink { [20, 20, 30] } else { [250, 250, 248] }
        };
        pixels.extend([b, g, r, 0]);
    }
    pixels
}

/// Draws for some seconds, and tells how often it did.
fn draw(display: &str, damage: &str, seconds: u32) {
    let (connection, screen) = x11rb::connect(Some(display)).unwrap();
    let root = connection.setup().roots[screen].root;
    let [window, pen, page_id] = [(); 3].map(|()| connection.generate_id().unwrap());
    let own = CreateWindowAux::new().override_redirect(1).background_pixel(0x00_40_50_60);
    connection
        .create_window(24, window, root, 0, 0, SIZE.0, SIZE.1, 0, WindowClass::INPUT_OUTPUT, 0, &own)
        .unwrap();
    connection.create_gc(pen, window, &CreateGCAux::new()).unwrap();
    let tall = SIZE.1 * 2;
    connection.create_pixmap(24, page_id, root, SIZE.0, tall).unwrap();
    let pixels = page(damage == "noise", SIZE.0.into(), tall.into());
    for (n, lines) in pixels.chunks(usize::from(SIZE.0) * 4 * 50).enumerate() {
        let height = lines.len() / (usize::from(SIZE.0) * 4);
        connection
            .put_image(
                ImageFormat::Z_PIXMAP,
                page_id,
                pen,
                SIZE.0,
                height as u16,
                0,
                n as i16 * 50,
                0,
                24,
                lines,
            )
            .unwrap();
    }
    connection.map_window(window).unwrap();
    connection.sync().unwrap();
    println!("ready");
    let began = Instant::now();
    let (mut drawn, mut old) = (0_u32, (0_i16, 0_i16));
    while began.elapsed() < Duration::from_secs(seconds.into()) {
        let scrolled = (drawn * 7 % u32::from(SIZE.1)) as i16;
        if damage == "area" {
            let at = ((drawn * 5 % 880) as i16, (drawn * 3 % 500) as i16);
            connection.clear_area(false, window, old.0, old.1, 400, 300).unwrap();
            connection.copy_area(page_id, window, pen, 0, scrolled, at.0, at.1, 400, 300).unwrap();
            old = at;
        } else {
            connection.copy_area(page_id, window, pen, 0, scrolled, 0, 0, SIZE.0, SIZE.1).unwrap();
        }
        connection.sync().unwrap();
        drawn += 1;
        let next = began + Duration::from_secs(1) * drawn / FRAMES_A_SECOND;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    println!("{drawn}");
}

struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(command: &mut Command) -> (Program, BufReader<std::process::ChildStdout>, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    (Program(child), said, line.trim().to_owned())
}

fn spent(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |n: usize| fields[n].parse::<f64>().unwrap();
    // A hundred ticks are a second on Linux.
    (ticks(11) + ticks(12)) / 100.0
}

#[derive(Clone, Copy, PartialEq)]
enum Looks {
    Nobody,
    Filmed,
    Observed,
}

async fn measure(encoding: Option<VncEncoding>, damage: &str, looks: Looks, seconds: u32) {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let arguments = "-displayfd 1 -localhost 1 -geometry 1280x800 -depth 24 -SecurityTypes None".split(' ');
    let (server, _server_says, number) =
        start(Command::new("Xtigervnc").args(arguments).args(["-rfbport", &port.to_string()]));
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let options = VncOptions { encoding, ..VncOptions::default() };
    let mut device = VncDevice::new(format!("vnc://127.0.0.1:{port}").parse().unwrap(), options);
    let policy = GuardPolicy { apps: vec![AppRule("*".to_owned())], ..GuardPolicy::default() };
    let deadline = || Deadline::after(Duration::from_secs(60));
    device.reset(&ResetTo { policy, ..ResetTo::default() }, deadline()).await.unwrap();
    let frames = Frames::default();
    let mut watcher = (looks == Looks::Filmed).then(|| frames.watch());
    device.film(watcher.is_some().then(|| frames.clone()));
    let myself = std::env::current_exe().unwrap();
    let (_drawer, mut drawer_says, _) = start(Command::new(myself).args([
        "--draw",
        &format!(":{number}"),
        damage,
        &(seconds + 2).to_string(),
    ]));
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = (device.traffic(), spent(std::process::id()), spent(server.0.id()), Instant::now());
    let end = Instant::now() + Duration::from_secs(seconds.into());
    let mut looked = 0;
    match (&mut watcher, looks) {
        (Some(watcher), _) => {
            let until = tokio::time::Instant::from_std(end);
            while tokio::time::timeout_at(until, watcher.next()).await.is_ok() {
                looked += 1;
            }
        }
        (None, Looks::Observed) => {
            while Instant::now() < end {
                device.observe(Capture::All, deadline()).await.unwrap();
                looked += 1;
            }
        }
        (None, _) => tokio::time::sleep_until(tokio::time::Instant::from_std(end)).await,
    }
    let (now, took) = (device.traffic(), before.3.elapsed().as_secs_f64());
    let own = (spent(std::process::id()) - before.1) / took;
    let servers = (spent(server.0.id()) - before.2) / took;
    let mut drawn = String::new();
    drawer_says.read_line(&mut drawn).unwrap();
    let drawn = drawn.trim().parse::<f64>().unwrap() / f64::from(seconds + 2);
    let asked = encoding.map_or("as asked for".to_owned(), |encoding| format!("{encoding:?}"));
    let looks = match looks {
        Looks::Nobody => "nobody".to_owned(),
        Looks::Filmed => format!("filmed, {:.0} frames/s", f64::from(looked) / took),
        Looks::Observed => format!("observed, {looked} times"),
    };
    println!(
        "| {asked} | {damage} | {looks} | {drawn:.1} | {:.1} | {:.2} | {:.0} % | {:.0} % |",
        (now.updates - before.0.updates) as f64 / took,
        (now.bytes - before.0.bytes) as f64 / took / 1e6,
        own * 100.0,
        servers * 100.0,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [draws, display, damage, seconds] = arguments.as_slice()
        && draws == "--draw"
    {
        return draw(display, damage, seconds.parse().unwrap());
    }
    let at = arguments.iter().position(|argument| argument == "--seconds");
    let seconds = at.and_then(|at| arguments.get(at + 1)).map_or(5, |text| text.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    println!("| encoding | damage | looks | drawn/s | updates/s | MB/s | a core, here | a core, Xvnc |");
    println!("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |");
    let alone = [VncEncoding::Raw, VncEncoding::Hextile, VncEncoding::Tight, VncEncoding::Zrle];
    for (damage, encoding) in DAMAGES.iter().flat_map(|damage| alone.map(|encoding| (damage, encoding))) {
        runtime.block_on(measure(Some(encoding), damage, Looks::Nobody, seconds));
    }
    for (damage, looks) in DAMAGES
        .iter()
        .flat_map(|damage| [Looks::Nobody, Looks::Filmed, Looks::Observed].map(|looks| (damage, looks)))
    {
        runtime.block_on(measure(None, damage, looks, seconds * 2));
    }
}
