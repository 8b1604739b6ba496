//! Machines: x11vnc on an Xvfb, and TigerVNC's Xvnc.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::net::TcpSocket;
use waldo_vnc::VncAddress;

/// The programs of a display; they end with it, the last first.
pub struct Machine {
    pub display: String,
    pub home: tempfile::TempDir,
    pub address: VncAddress,
    pub programs: Vec<Child>,
    _held: TcpSocket,
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
pub enum Server {
    X11vnc,
    Tiger,
}

pub const PASSWORD: &str = "hunter22";

/// What x11vnc says, and its port once it serves there, in the machine's home.
const X11VNC_LOG: &str = "x11vnc.log";
const X11VNC_SERVES: &str = "x11vnc.port";

/// A free port that stays the machine's, also while no server listens at it.
fn hold_port() -> TcpSocket {
    let held = TcpSocket::new_v4().unwrap();
    held.set_reuseaddr(true).unwrap();
    held.bind(([127, 0, 0, 1], 0).into()).unwrap();
    held
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
    pub fn new(server: Server, password: Option<&str>) -> Self {
        let ways = match (server, password) {
            (Server::Tiger, Some(_)) => &["-SecurityTypes", "VncAuth"][..],
            (Server::Tiger, None) => &["-SecurityTypes", "None"],
            (Server::X11vnc, _) => &[],
        };
        Self::with(server, password, ways)
    }

    /// A machine whose server gets these arguments for the ways in.
    pub fn with(server: Server, password: Option<&str>, ways: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let held = hold_port();
        let port = held.local_addr().unwrap().port();
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
                if password.is_some() {
                    arguments.extend(["-PasswordFile", secret.to_str().unwrap()]);
                }
                arguments.extend(ways);
                x_server("Xtigervnc", &arguments, home.path())
            }
        };
        let mut machine = Self { display, home, address, programs: vec![x], _held: held };
        machine.run("openbox", &[]);
        match server {
            Server::Tiger => machine.wait_for_port(),
            Server::X11vnc => {
                let auth = match password {
                    Some(_) => vec!["-rfbauth", secret.to_str().unwrap()],
                    None => vec!["-nopw"],
                };
                machine.start_x11vnc(&[&auth[..], ways].concat());
            }
        }
        machine
    }

    /// Starts x11vnc at the machine's address, and waits until it serves there: with TLS it listens, stops and listens
    /// again, so a port that listens is not enough. Without memory that it shares with the X server: one that is killed
    /// leaves that behind, and there is only so much of it.
    pub fn start_x11vnc(&mut self, ways: &[&str]) {
        let (display, port) = (self.display.clone(), self.port().to_string());
        let log = self.home.path().join(X11VNC_LOG);
        let serves = self.home.path().join(X11VNC_SERVES);
        let _ = std::fs::remove_file(&serves);
        let place = ["-display", &display, "-rfbport", &port, "-o", log.to_str().unwrap()];
        let own = ["-localhost", "-forever", "-shared", "-noshm", "-flag", serves.to_str().unwrap()];
        self.run("x11vnc", &[&place[..], &own, ways].concat());
        wait("x11vnc that serves", || std::fs::read_to_string(&serves).is_ok_and(|text| text.contains('\n')));
    }

    fn port(&self) -> u16 {
        self.address.to_string().rsplit(':').next().unwrap().parse().unwrap()
    }

    /// Waits until the port listens, by the system's own list: a server counts who connects and asks for nothing.
    fn wait_for_port(&self) {
        let wanted = format!(":{:04X} ", self.port());
        let listens = |line: &str| line.contains(&wanted) && line.contains(" 0A ");
        wait("server that listens", || {
            std::fs::read_to_string("/proc/net/tcp").unwrap().lines().any(listens)
        });
    }

    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
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

    pub fn run(&mut self, program: &str, arguments: &[&str]) -> usize {
        let child = self.command(program, arguments).stdout(Stdio::piped()).spawn();
        self.programs.push(
            child.unwrap_or_else(|error| panic!("{program}: {error}; scripts/setup tests installs it")),
        );
        self.programs.len() - 1
    }

    /// Runs a program with a window, and waits until it is there.
    pub fn show(&mut self, program: &str, arguments: &[&str], title: &str) -> usize {
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
    pub fn said(&mut self, at: usize) -> String {
        let mut said = String::new();
        self.programs[at].stdout.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

pub fn wait(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < Duration::from_secs(30), "no {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
