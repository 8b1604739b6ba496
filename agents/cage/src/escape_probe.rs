//! A try of the fences from inside: what a script would do that had got out of the engine.

use std::io::Read as _;
use std::time::Duration;

use crate::fence::{self, Fence, MemoryGauge};

/// Puts up the fences in this process, then tries what they forbid. The names of what went through; to be
/// called first thing in a process of its own.
#[doc(hidden)]
#[allow(clippy::disallowed_methods, reason = "it is tried in vain")]
pub fn escapes() -> Result<Vec<&'static str>, String> {
    let mut open_before = std::fs::File::open("/etc/hostname").map_err(|e| e.to_string())?;
    let parent = rustix::process::getppid();
    let memory = MemoryGauge::open();
    let fence = Fence { memory: 32 << 20, interpreter: Duration::from_secs(1) };
    fence::install_sandbox(fence, &memory).map_err(|e| e.to_string())?;
    let mut through = Vec::new();
    let mut went = |name, ok: bool| {
        if ok {
            through.push(name);
        }
    };
    went("read a file", std::fs::read("/etc/passwd").is_ok());
    went("write a file", std::fs::write("/tmp/waldo-cage-escape", "x").is_ok());
    went("list a directory", std::fs::read_dir("/").is_ok());
    went("remove a file", std::fs::remove_file("/tmp/waldo-cage-none").is_ok_and(|()| true));
    went("read a file opened before", open_before.read(&mut [0; 4]).is_ok());
    went("connect", std::net::TcpStream::connect("127.0.0.1:9").is_ok_and(|_| true));
    went("open a socket", std::net::UdpSocket::bind("127.0.0.1:0").is_ok());
    went("start a program", std::process::Command::new("/bin/true").spawn().is_ok());
    went("start a thread", std::thread::Builder::new().spawn(|| ()).is_ok());
    went("see the environment", std::env::vars_os().next().is_some());
    went("leave the directory", std::env::set_current_dir("/tmp").is_ok());
    went("signal the parent", parent.is_some_and(|p| rustix::process::test_kill_process(p).is_ok()));
    let raised = rustix::process::setrlimit(
        rustix::process::Resource::As,
        rustix::process::Rlimit { current: None, maximum: None },
    );
    went("raise a limit", raised.is_ok());
    let mut hoard: Vec<u8> = Vec::new();
    went("take memory", hoard.try_reserve_exact(400 << 20).is_ok());
    Ok(through)
}
