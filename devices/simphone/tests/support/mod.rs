//! A phone on a free port, and an adb server of the test's own that ends with it.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use waldo_simphone::wire::{PhoneServer, ServerOptions};
use waldo_simphone::{IdleWait, Phone, PhoneOptions};

pub const DEADLINE: Duration = Duration::from_secs(60);

/// What `timeout` ends with when the time was up.
const LATE: i32 = 124;

#[derive(Debug)]
pub struct Out {
    pub stdout: Vec<u8>,
    pub stderr: String,
    /// `None` when it was ended at the deadline.
    pub code: Option<i32>,
}

impl Out {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Both outputs: adb's own messages go now to one, now to the other.
    pub fn all(&self) -> String {
        self.text() + &self.stderr
    }
}

/// Phones served from a runtime of their own, so that tests may block.
pub struct Phones {
    pub server: PhoneServer,
    pub runtime: tokio::runtime::Runtime,
}

impl Phones {
    pub fn one() -> Self {
        Self::with(ServerOptions::default())
    }

    /// One, with an adb that is connected to it, and its serial there.
    pub fn connected() -> (Self, Adb, String) {
        let phones = Self::one();
        let (adb, serial) = Adb::connected(&phones);
        (phones, adb, serial)
    }

    pub fn with(server: ServerOptions) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let phone = Phone::new(PhoneOptions { idle: IdleWait::SHORT, ..PhoneOptions::default() });
        let bind = PhoneServer::bind_with("127.0.0.1:0".parse().unwrap(), phone, server);
        Self { server: runtime.block_on(bind).unwrap(), runtime }
    }

    pub fn addr(&self) -> SocketAddr {
        self.server.local_addr()
    }

    pub fn phone(&self) -> &Arc<Phone> {
        self.server.phone()
    }
}

pub struct Adb {
    port: u16,
    child: Child,
    home: tempfile::TempDir,
}

impl Adb {
    pub fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = command(&["adb"], &home, port)
            .args(["nodaemon", "server"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("cannot run adb ({e}); install it: apt-get install adb"));
        let adb = Self { port, child, home };
        until("the adb server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        adb
    }

    pub fn connected(phones: &Phones) -> (Self, String) {
        let adb = Self::start();
        let serial = adb.connect(phones.addr());
        (adb, serial)
    }

    pub fn connect(&self, addr: SocketAddr) -> String {
        let serial = addr.to_string();
        let out = self.run(&["connect", &serial], b"", DEADLINE);
        assert!(out.text().contains("connected to"), "{out:?}");
        until("the phone is online", || self.state(&serial) == "device");
        serial
    }

    /// Disconnects and connects until the phone is online: the server's own attempts cross with ours, and a phone
    /// may stay "offline" after the first.
    pub fn reconnect(&self, serial: &str) {
        until("the phone is online again", || {
            self.run(&["disconnect", serial], b"", DEADLINE);
            self.run(&["connect", serial], b"", DEADLINE);
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(3) {
                if self.state(serial) == "device" {
                    return true;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            false
        });
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn state(&self, serial: &str) -> String {
        let out = self.run(&["devices"], b"", DEADLINE).text();
        let line = out.lines().find_map(|l| l.strip_prefix(serial));
        line.unwrap_or_default().trim().to_owned()
    }

    pub fn run(&self, args: &[&str], stdin: &[u8], deadline: Duration) -> Out {
        let seconds = deadline.as_secs_f64().to_string();
        let mut child = command(&["timeout", &seconds, "adb"], &self.home, self.port)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut to, bytes) = (child.stdin.take().unwrap(), stdin.to_vec());
        std::thread::spawn(move || to.write_all(&bytes));
        let out = child.wait_with_output().unwrap();
        let code = out.status.code().filter(|code| *code != LATE);
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        Out { stdout: out.stdout, stderr, code }
    }

    pub fn on(&self, serial: &str, args: &[&str]) -> Out {
        let all: Vec<&str> = ["-s", serial].into_iter().chain(args.iter().copied()).collect();
        self.run(&all, b"", DEADLINE)
    }
}

fn command(words: &[&str], home: &tempfile::TempDir, port: u16) -> Command {
    let mut command = Command::new(words[0]);
    // Keys and the log stay in the test's directory.
    command.env("HOME", home.path()).env("TMPDIR", home.path()).env_remove("ADB_VENDOR_KEYS");
    command.args(&words[1..]).args(["-P", &port.to_string()]);
    command
}

impl Drop for Adb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Bytes that no coding makes short.
pub fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut out = Vec::with_capacity(len + 8);
    while out.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.extend_from_slice(&state.to_le_bytes());
    }
    out.truncate(len);
    out
}
