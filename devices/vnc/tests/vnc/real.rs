//! x11vnc on an Xvfb and TigerVNC's Xvnc, with GTK programs on them: what is typed is what the programs got.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use waldo_devices::{Action, Button, Clicks, Device as _, Effect, Observation, Point, ScrollNotches};
use waldo_vnc::{VncAddress, VncDevice};

use super::{device, everything, refused, see, soon, taken};

/// The programs of a display; they end with it, the last first.
struct Machine {
    display: String,
    home: tempfile::TempDir,
    address: VncAddress,
    programs: Vec<Child>,
}

impl Drop for Machine {
    fn drop(&mut self) {
        for program in self.programs.iter_mut().rev() {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Server {
    X11vnc,
    Tiger,
}

const PASSWORD: &str = "hunter22";

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts an X server that says on its output which display it is.
fn x_server(program: &str, arguments: &[&str], home: &Path) -> (Child, String) {
    let started = Command::new(program)
        .args(["-displayfd", "1"])
        .args(arguments)
        .env("HOME", home)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child =
        started.unwrap_or_else(|error| panic!("{program}: {error}; scripts/setup tests installs it"));
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, format!(":{}", line.trim()))
}

impl Machine {
    fn new(server: Server, password: Option<&str>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let port = free_port();
        let address = format!("vnc://127.0.0.1:{port}").parse().unwrap();
        let secret = home.path().join("passwd");
        if let Some(password) = password {
            let made =
                Command::new("tigervncpasswd").arg("-f").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
            let mut made = made.expect("tigervncpasswd; scripts/setup tests installs it");
            std::io::Write::write_all(&mut made.stdin.take().unwrap(), format!("{password}\n").as_bytes())
                .unwrap();
            std::fs::write(&secret, made.wait_with_output().unwrap().stdout).unwrap();
        }
        let port = port.to_string();
        let (x, display) = match server {
            Server::X11vnc => {
                x_server("Xvfb", &["-screen", "0", "800x600x24", "-nolisten", "tcp"], home.path())
            }
            Server::Tiger => {
                let mut arguments =
                    vec!["-rfbport", &port, "-localhost", "1", "-geometry", "800x600", "-depth", "24"];
                match password {
                    Some(_) => arguments.extend([
                        "-SecurityTypes",
                        "VncAuth",
                        "-PasswordFile",
                        secret.to_str().unwrap(),
                    ]),
                    None => arguments.extend(["-SecurityTypes", "None"]),
                }
                x_server("Xtigervnc", &arguments, home.path())
            }
        };
        let mut machine = Self { display, home, address, programs: vec![x] };
        machine.run("openbox", &[]);
        if server == Server::X11vnc {
            let mut arguments = vec![
                "-display",
                &machine.display,
                "-rfbport",
                &port,
                "-localhost",
                "-forever",
                "-shared",
                "-quiet",
            ];
            match password {
                Some(_) => arguments.extend(["-rfbauth", secret.to_str().unwrap()]),
                None => arguments.push("-nopw"),
            }
            let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
            machine.run("x11vnc", &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        }
        machine.wait_for_server();
        machine
    }

    /// Waits until the port listens, by the system's own list: a server counts who connects and asks for nothing.
    fn wait_for_server(&self) {
        let port: u16 = self.address.to_string().rsplit(':').next().unwrap().parse().unwrap();
        let wanted = format!(":{port:04X} ");
        wait("the server to listen", || {
            let listens = |line: &str| line.contains(&wanted) && line.contains(" 0A ");
            std::fs::read_to_string("/proc/net/tcp").unwrap().lines().any(listens)
        });
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.home.path())
            .env("DISPLAY", &self.display)
            .env("LANG", "C.UTF-8")
            .env("NO_AT_BRIDGE", "1")
            .env("GSETTINGS_BACKEND", "memory")
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn run(&mut self, program: &str, arguments: &[&str]) -> usize {
        let child = self.command(program, arguments).stdout(Stdio::piped()).spawn();
        self.programs.push(
            child.unwrap_or_else(|error| panic!("{program}: {error}; scripts/setup tests installs it")),
        );
        self.programs.len() - 1
    }

    /// Runs a program with a window, and waits until it is there.
    fn show(&mut self, program: &str, arguments: &[&str], title: &str) -> usize {
        let at = self.run(program, arguments);
        self.wait_for_window(title);
        at
    }

    fn wait_for_window(&self, title: &str) {
        wait(title, || {
            let found =
                self.command("xdotool", &["search", "--onlyvisible", "--name", title]).output().unwrap();
            !found.stdout.is_empty()
        });
    }

    /// What a program said until its end.
    fn said(&mut self, at: usize) -> String {
        let mut said = String::new();
        self.programs[at].stdout.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

fn wait(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < Duration::from_secs(30), "no {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

async fn perform(device: &mut VncDevice, action: Action) -> Effect {
    device.perform(&action, soon()).await.unwrap().effect
}

async fn keys(device: &mut VncDevice, chord: &str) -> Effect {
    perform(device, Action::Key { chord: chord.to_owned() }).await
}

async fn click(device: &mut VncDevice, x: f64, y: f64, button: Button) -> Effect {
    perform(device, Action::Tap { at: Point::new(x, y), clicks: Clicks::Single, button }).await
}

/// Whether something is seen of what was done.
fn shows(effect: &Effect) -> bool {
    matches!(effect, Effect::Confirmed { .. })
}

/// Looks until so many elements are there: a window is there before it is painted, and x11vnc looks at its screen now
/// and then.
async fn sees(device: &mut VncDevice, elements: usize) {
    let began = Instant::now();
    while see(device).await.elements.len() < elements {
        assert!(began.elapsed() < Duration::from_secs(20), "no {elements} elements");
    }
}

/// Characters of keyboards, and of none: two alphabets, a sign of money, ideographs, one beyond the first plane.
const TEXT: &str = "Grüße, WORLD! 100% [x] {y} ~^`\"'\\ €–ł Привет 漢字 😀 é";

async fn typed_exactly(server: Server) {
    let mut machine = Machine::new(server, None);
    let mut device = taken(&machine.address).await;
    let empty = see(&mut device).await;
    assert_eq!(empty.picture.size(), (800, 600));
    let zenity = machine.show("zenity", &["--entry", "--title", "Question", "--text", "Say it"], "Question");
    sees(&mut device, 3).await;
    assert!(shows(&perform(&mut device, Action::Type { text: TEXT.to_owned() }).await));
    assert!(shows(&keys(&mut device, "Return").await), "the window closes");
    assert_eq!(machine.said(zenity).trim_end_matches('\n'), TEXT, "{server:?}");
}

#[tokio::test]
async fn x11vnc_types_every_text_exactly() {
    typed_exactly(Server::X11vnc).await;
}

#[tokio::test]
async fn tigervnc_types_every_text_exactly() {
    typed_exactly(Server::Tiger).await;
}

/// A file is written in an editor, by pointer, keys, chords and the wheel.
async fn an_editor_is_used(server: Server) {
    let mut machine = Machine::new(server, None);
    let file = machine.home.path().join("notes.txt");
    let lines: String = (0..200).map(|n| format!("line {n}\n")).collect();
    std::fs::write(&file, &lines).unwrap();
    machine.show("mousepad", &["--disable-server", file.to_str().unwrap()], "notes.txt");
    let mut device = taken(&machine.address).await;
    sees(&mut device, 4).await;
    let middle = Point::new(400.0, 350.0);
    assert!(shows(
        &perform(&mut device, Action::Scroll { at: middle, by: ScrollNotches { right: 0, down: 5 } }).await
    ));
    assert!(shows(&click(&mut device, 400.0, 350.0, Button::Right).await), "a menu opens");
    see(&mut device).await;
    assert!(shows(&keys(&mut device, "Escape").await), "and closes");
    click(&mut device, 400.0, 350.0, Button::Left).await;
    assert!(shows(&keys(&mut device, "ctrl+a").await));
    perform(&mut device, Action::Type { text: "Zeile eins\n\tZwei: ÄÖÜ ✓\n".to_owned() }).await;
    keys(&mut device, "ctrl+s").await;
    let wanted = "Zeile eins\n\tZwei: ÄÖÜ ✓\n";
    wait("file", || std::fs::read_to_string(&file).unwrap() == wanted);
    // A drag marks, what is typed then takes its place.
    keys(&mut device, "ctrl+Home").await;
    see(&mut device).await;
    perform(
        &mut device,
        Action::TapAt {
            at: Point::new(400.0, 350.0),
            clicks: Clicks::Single,
            button: Button::Left,
            modifiers: waldo_devices::Modifiers { shift: true, ..Default::default() },
        },
    )
    .await;
    perform(&mut device, Action::Type { text: "gone".to_owned() }).await;
    keys(&mut device, "ctrl+s").await;
    wait("second file", || std::fs::read_to_string(&file).unwrap().trim_end() == "gone");
}

#[tokio::test]
async fn an_editor_is_used_through_x11vnc() {
    an_editor_is_used(Server::X11vnc).await;
}

#[tokio::test]
async fn an_editor_is_used_through_tigervnc() {
    an_editor_is_used(Server::Tiger).await;
}

#[tokio::test]
async fn passwords_let_in_and_wrong_ones_do_not() {
    for server in [Server::X11vnc, Server::Tiger] {
        let machine = Machine::new(server, Some(PASSWORD));
        let none = refused(&machine.address, None).await.to_string();
        assert!(none.contains("asks for a password"), "{server:?}: {none}");
        let wrong = refused(&machine.address, Some("another1")).await.to_string();
        assert!(wrong.contains("refuses") && !wrong.contains("another1"), "{server:?}: {wrong}");
        let mut device = device(&machine.address, Some(PASSWORD));
        device.reset(&everything(), soon()).await.unwrap();
        assert_eq!(see(&mut device).await.picture.size(), (800, 600));
        device.health(soon()).await.unwrap();
    }
}

#[tokio::test]
async fn a_screen_may_change_its_size() {
    let machine = Machine::new(Server::Tiger, None);
    let mut device = taken(&machine.address).await;
    assert_eq!(see(&mut device).await.picture.size(), (800, 600));
    let resized = machine.command("xrandr", &["-s", "640x480"]).status().unwrap();
    assert!(resized.success());
    let (mut seen, began) = (see(&mut device).await, Instant::now());
    while seen.picture.size() != (640, 480) {
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", seen.picture.size());
        seen = see(&mut device).await;
    }
    assert_eq!(seen.geometry.physical.w, 640.0);
    click(&mut device, 320.0, 240.0, Button::Left).await;
    let error = device.perform(&Action::Hover { at: Point::new(700.0, 100.0) }, soon()).await.unwrap_err();
    assert!(error.is_agents_mistake(), "{error}");
}

#[tokio::test]
async fn a_server_that_is_started_again_is_found_again_and_one_that_is_gone_is_told() {
    let mut machine = Machine::new(Server::X11vnc, None);
    let mut device = taken(&machine.address).await;
    see(&mut device).await;
    let mut server = machine.programs.pop().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    let address = machine.address.to_string();
    let port = address.rsplit(':').next().unwrap();
    let display = machine.display.clone();
    let arguments =
        ["-display", &display, "-rfbport", port, "-localhost", "-forever", "-shared", "-quiet", "-nopw"];
    machine.run("x11vnc", &arguments);
    machine.wait_for_server();
    let seen: Observation = see(&mut device).await;
    assert!(
        seen.context.notices.iter().any(|notice| notice.contains("made anew")),
        "{:?}",
        seen.context.notices
    );
    device.health(soon()).await.unwrap();
    let mut server = machine.programs.pop().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    let error = device.observe(waldo_devices::Capture::All, soon()).await.unwrap_err();
    assert!(matches!(error, waldo_devices::DeviceError::Gone { .. }), "{error}");
}
