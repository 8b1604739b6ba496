//! A private display for one test.

use std::fs;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use waldo_desktop::{AccessReading, ScreenReader, SeenWindow};
use waldo_devices::{Affordance, Deadline, Element};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConfigureWindowAux, ConnectionExt as _, StackMode};

/// How long a program may take to show itself on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
pub const CAP: usize = 2000;
/// What has programs tell of what they show, and leave alone what is not the display's.
const SETTINGS: &str = "GSETTINGS_BACKEND=memory GTK_USE_PORTAL=0 GTK_A11Y=atspi GTK_MODULES=gail:atk-bridge \
     GSK_RENDERER=cairo GVFS_DISABLE_FUSE=1 LANG=C.UTF-8 XCOMPOSEFILE=/dev/null \
     QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 ACCESSIBILITY_ENABLED=1 SAL_USE_VCLPLUGIN=gtk3";

pub fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

/// Fails where a program is missing: a test that ran without it would prove nothing.
pub fn needs(programs: &[&str]) {
    for program in programs {
        let found = std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).exists()));
        assert!(found, "{program} is not installed: run scripts/setup tests");
    }
}

/// A display with a session bus and a window manager; all of it ends with this.
pub struct Desk {
    folder: tempfile::TempDir,
    display: String,
    children: Vec<Child>,
}

impl Desk {
    /// A display with a reader of it, where these programs are installed.
    pub async fn with(programs: &[&str]) -> (Self, ScreenReader) {
        needs(programs);
        let desk = Self::start();
        let reader = desk.reader().await;
        (desk, reader)
    }

    pub fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("waldo-access").tempdir().unwrap();
        for name in ["home", "run"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs::set_permissions(folder.path().join("run"), mode).unwrap();
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]);
        let mut server =
            server.stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0).spawn().unwrap();
        let mut number = [0; 8];
        let read = server.stdout.as_mut().unwrap().read(&mut number).unwrap();
        let display = format!(":{}", String::from_utf8_lossy(&number[..read]).trim());
        let mut desk = Self { folder, display, children: vec![server] };
        let config = desk.bus_config();
        desk.run("dbus-daemon", &["--nofork", &format!("--config-file={}", config.display())]);
        let socket = desk.folder.path().join("run/bus");
        desk.wait("the session bus", || std::os::unix::net::UnixStream::connect(&socket).is_ok());
        let config = desk.path("openbox.xml");
        fs::write(&config, "<?xml version=\"1.0\"?><openbox_config xmlns=\"http://openbox.org/3.4/rc\"/>")
            .unwrap();
        desk.run("openbox", &["--sm-disable", "--config-file", config.to_str().unwrap()]);
        desk
    }

    /// A session bus that starts accessibility and nothing else: what else a system offers there mounts folders in
    /// ours, which then cannot be removed.
    fn bus_config(&self) -> PathBuf {
        let services = self.path("services");
        fs::create_dir(&services).unwrap();
        let name = "org.a11y.Bus.service";
        fs::copy(Path::new("/usr/share/dbus-1/services").join(name), services.join(name)).unwrap();
        let config = self.path("bus.xml");
        let text = format!(
            "<busconfig><type>session</type><listen>{}</listen><auth>EXTERNAL</auth><servicedir>{}</servicedir>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>\
             <allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
            self.bus(),
            services.display()
        );
        fs::write(&config, text).unwrap();
        config
    }

    pub fn bus(&self) -> String {
        format!("unix:path={}", self.folder.path().join("run/bus").display())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    fn wait(&self, what: &str, done: impl Fn() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !done() {
            assert!(Instant::now() < until, "{what} did not come");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn run(&mut self, program: impl AsRef<Path>, args: &[&str]) -> u32 {
        let home = self.folder.path().join("home");
        let child = Command::new(program.as_ref())
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("DISPLAY", &self.display)
            .env("HOME", &home)
            .env("XDG_RUNTIME_DIR", self.folder.path().join("run"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("DBUS_SESSION_BUS_ADDRESS", self.bus())
            .envs(SETTINGS.split(' ').filter_map(|set| set.split_once('=')))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let id = child.id();
        self.children.push(child);
        id
    }

    pub async fn reader(&self) -> ScreenReader {
        let reader = ScreenReader::connect(&self.display, &self.bus(), soon()).await.unwrap();
        reader.enable(soon()).await.unwrap();
        reader
    }

    pub fn place(&self, window: u32, x: i32, y: i32) {
        let (conn, _) = x11rb::connect(Some(&self.display)).unwrap();
        let to = ConfigureWindowAux::new().x(x).y(y).stack_mode(StackMode::ABOVE);
        conn.configure_window(window, &to).unwrap().check().unwrap();
        conn.flush().unwrap();
    }

    /// Ends a program and waits until it is gone.
    pub fn end(&mut self, id: u32) {
        if let Some(child) = self.children.iter_mut().find(|child| child.id() == id) {
            signal(id, rustix::process::Signal::KILL);
            child.wait().unwrap();
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // The server goes last, so that programs end as they would.
        for child in self.children.iter_mut().rev() {
            signal(child.id(), rustix::process::Signal::KILL);
            let _ = child.wait();
        }
        // What programs started by themselves hangs on the bus and the display, and ends with them.
    }
}

pub fn signal(id: u32, signal: rustix::process::Signal) {
    if let Some(pid) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// Reads until `done`, and gives that reading.
pub async fn until(
    reader: &ScreenReader,
    what: &str,
    done: impl Fn(&AccessReading) -> bool,
) -> AccessReading {
    let end = Instant::now() + PATIENCE;
    loop {
        let reading = reader.read(CAP, soon()).await.unwrap();
        if done(&reading) {
            return reading;
        }
        assert!(Instant::now() < end, "{what} did not come; seen: {:#?}", list(&reading));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub fn list(reading: &AccessReading) -> Vec<String> {
    reading
        .elements
        .iter()
        .map(|e| {
            let b = e.bounds;
            format!("{} '{}' {:?} {},{} {}x{}", e.role.as_str(), e.name, e.value, b.x, b.y, b.w, b.h)
        })
        .collect()
}

pub fn find<'a>(reading: &'a AccessReading, role: &str, name: &str) -> Option<&'a Element> {
    reading.elements.iter().find(|e| e.role.as_str() == role && e.name == name)
}

pub fn has(reading: &AccessReading, role: &str, name: &str) -> bool {
    find(reading, role, name).is_some()
}

#[track_caller]
pub fn get<'a>(reading: &'a AccessReading, role: &str, name: &str) -> &'a Element {
    find(reading, role, name).unwrap_or_else(|| panic!("no {role} '{name}' in {:#?}", list(reading)))
}

#[track_caller]
pub fn window_of(reader: &ScreenReader, title: &str) -> SeenWindow {
    let windows = reader.windows().unwrap();
    windows
        .iter()
        .rev()
        .find(|w| w.title.contains(title))
        .cloned()
        .unwrap_or_else(|| panic!("no window '{title}' in {windows:#?}"))
}

/// Asserts what holds for every reading: inside the screen, hit inside its bounds, unique handles.
#[track_caller]
pub fn is_sound(reading: &AccessReading) {
    let mut handles = std::collections::HashSet::new();
    for e in &reading.elements {
        let inside = e.bounds.x >= 0.0
            && e.bounds.y >= 0.0
            && e.bounds.right() <= 1280.0
            && e.bounds.bottom() <= 800.0
            && e.bounds.area() > 0.0;
        assert!(inside, "off the screen: {e:?}");
        assert!(e.bounds.contains(e.hit), "hit outside: {e:?}");
        assert!(handles.insert(e.handle.clone()), "twice: {e:?}");
        assert!(e.name.chars().count() <= 200 && e.uid.is_some(), "{e:?}");
        assert!(!e.affordances.is_empty() || !e.name.is_empty() || e.value.is_some(), "says nothing: {e:?}");
    }
}

pub fn clickable(reading: &AccessReading) -> usize {
    reading.elements.iter().filter(|e| e.can(Affordance::Click)).count()
}
