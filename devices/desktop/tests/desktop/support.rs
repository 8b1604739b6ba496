use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use waldo_desktop::{DesktopDevice, DesktopOptions, DisplayChoice};
use waldo_devices::{
    Action, ActionReport, AppRule, Capture, Deadline, DesktopSetup, Device, Effect, GuardPolicy, Launch,
    Observation, ResetTo, StateProbe, StateValue, WindowInfo,
};
use x11rb::errors::ConnectError;
use x11rb::rust_connection::{DefaultStream, RustConnection};

pub fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

pub fn allow(apps: &[&str]) -> GuardPolicy {
    GuardPolicy {
        apps: apps.iter().map(|app| AppRule((*app).to_owned())).collect(),
        ..GuardPolicy::default()
    }
}

/// A start with this program, which may be acted on.
pub fn with(line: &str) -> ResetTo {
    ResetTo { start: line.to_owned(), policy: allow(&["*"]), ..ResetTo::default() }
}

pub fn with_all(lines: &[&[&str]], apps: &[&str]) -> ResetTo {
    let line = |words: &&[&str]| Launch::Window(words.iter().map(|word| (*word).to_owned()).collect());
    let programs = lines.iter().map(line).collect();
    ResetTo {
        policy: allow(apps),
        desktop: DesktopSetup { programs, ..DesktopSetup::default() },
        ..ResetTo::default()
    }
}

pub fn small() -> DesktopOptions {
    DesktopOptions { screen: DisplayChoice::Own { width: 800, height: 600 }, ..DesktopOptions::default() }
}

pub async fn desk(to: &ResetTo) -> DesktopDevice {
    let mut device = DesktopDevice::new(small());
    device.reset(to, soon()).await.unwrap();
    device
}

pub async fn look(device: &mut DesktopDevice) -> Observation {
    device.observe(Capture::All, soon()).await.unwrap()
}

pub async fn act(device: &mut DesktopDevice, action: Action) -> ActionReport {
    device.perform(&action, soon()).await.unwrap()
}

pub async fn press(device: &mut DesktopDevice, chord: &str) -> ActionReport {
    act(device, Action::Key { chord: chord.to_owned() }).await
}

pub async fn type_text(device: &mut DesktopDevice, text: &str) -> ActionReport {
    act(device, Action::Type { text: text.to_owned() }).await
}

pub fn refusal(report: &ActionReport) -> Option<&str> {
    match &report.effect {
        Effect::Refused { reason, .. } => Some(reason),
        _ => None,
    }
}

pub fn confirmed(report: &ActionReport) -> bool {
    matches!(report.effect, Effect::Confirmed { .. })
}

pub async fn file(device: &mut DesktopDevice, path: &str) -> Option<Vec<u8>> {
    match device.probe(&StateProbe::File(path.into()), soon()).await.unwrap() {
        StateValue::Bytes(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

/// Waits until a file of HOME holds `content`; what it holds when that does not come.
pub async fn file_becomes(
    device: &mut DesktopDevice,
    path: &str,
    content: &[u8],
) -> Result<(), Option<Vec<u8>>> {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let now = file(device, path).await;
        if now.as_deref() == Some(content) {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(now);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub async fn shell(device: &mut DesktopDevice, line: &str) -> String {
    match device.probe(&StateProbe::Shell(line.to_owned()), soon()).await.unwrap() {
        StateValue::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

pub async fn windows(device: &mut DesktopDevice) -> Vec<WindowInfo> {
    match device.probe(&StateProbe::Windows, soon()).await.unwrap() {
        StateValue::Json(windows) => serde_json::from_value(windows).unwrap(),
        other => panic!("{other:?}"),
    }
}

pub async fn windows_become(
    device: &mut DesktopDevice,
    condition: impl Fn(&[WindowInfo]) -> bool,
) -> Vec<WindowInfo> {
    let end = Instant::now() + Duration::from_secs(15);
    loop {
        let now = windows(device).await;
        if condition(&now) {
            return now;
        }
        assert!(Instant::now() < end, "{now:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Processes whose environment bears the mark of `folder`, with their names.
fn marked_pids(folder: &Path) -> Vec<(u32, String)> {
    let mark = format!("WALDO_DESKTOP={}\0", folder.display()).into_bytes();
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            environ.windows(mark.len()).any(|part| part == mark).then(|| (pid, name.trim().to_owned()))
        })
        .collect()
}

/// The names of processes whose environment bears the mark of `folder`.
pub fn marked(folder: &Path) -> Vec<String> {
    marked_pids(folder).into_iter().map(|(_, name)| name).collect()
}

pub fn signal(device: &DesktopDevice, program: &str, signal: Signal) {
    let found = marked_pids(&device.folder().unwrap()).into_iter().find(|(_, name)| name == program);
    let (pid, _) = found.unwrap_or_else(|| panic!("{program} does not run"));
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
}

pub fn environment(device: &DesktopDevice) -> Vec<(String, String)> {
    let found = marked_pids(&device.folder().unwrap()).into_iter().find(|(_, name)| name == "openbox");
    let (pid, _) = found.unwrap_or_else(|| panic!("openbox does not run"));
    let all = String::from_utf8(std::fs::read(format!("/proc/{pid}/environ")).unwrap()).unwrap();
    let pair = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    all.split('\0').filter_map(pair).collect()
}

/// A connection to a private display, with the cookie that lies in its folder.
pub fn connect(device: &DesktopDevice) -> RustConnection {
    let entry = std::fs::read(device.folder().unwrap().join("Xauthority")).unwrap();
    let cookie = entry[entry.len() - 16..].to_vec();
    let stream = UnixStream::connect(socket(&device.display().unwrap())).unwrap();
    enter(stream, b"MIT-MAGIC-COOKIE-1".to_vec(), cookie).unwrap()
}

pub fn enter(stream: UnixStream, way: Vec<u8>, proof: Vec<u8>) -> Result<RustConnection, ConnectError> {
    let (stream, _) = DefaultStream::from_unix_stream(stream).unwrap();
    RustConnection::connect_to_stream_with_auth_info(stream, 0, way, proof)
}

pub fn socket(display: &str) -> std::path::PathBuf {
    format!("/tmp/.X11-unix/X{}", display.trim_start_matches(':')).into()
}

/// What tells a display's socket from that of the next server to get its number; empty when there is none.
pub fn stamp(display: &str) -> String {
    let found = std::fs::metadata(socket(display));
    found.map(|s| format!("{}.{}.{}", s.ino(), s.mtime(), s.mtime_nsec())).unwrap_or_default()
}

pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
