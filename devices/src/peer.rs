//! Which process is at the other end of a connection on this machine.
//!
//! A port of the loopback interface is open to every process of the machine, whoever's it is. What listens there asks the
//! system for the process at the other end, before anything is read from the connection.
//!
//! Invariants: a connection whose other end cannot be attributed to an admitted process is refused, also when its
//! process closed it or ended meanwhile (which is not counted); nothing is asked of the other end itself. Where the system gives no such
//! information at all ([`can_tell`] says so) every connection is admitted.

#[cfg(target_os = "linux")]
mod diag;
#[cfg(not(target_os = "linux"))]
#[path = "peer/nowhere.rs"]
mod diag;

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

pub use diag::can_tell;

/// The generations that are followed from a process up to its ancestor.
const GENERATIONS: usize = 64;

/// Connections that all listeners of this process have refused so far.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// How many connections of other processes this process has refused so far.
pub fn refused() -> usize {
    REFUSED.load(Ordering::Relaxed)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerRule {
    ThisProcess,
    Tree(u32),
    User(u32),
    Anybody,
}

impl PeerRule {
    pub fn this_user() -> Self {
        Self::User(rustix::process::geteuid().as_raw())
    }

    /// Those of the process that listens at `address`, with its descendants; of its user where the process cannot be
    /// seen from here, and all where nothing of this machine listens there.
    pub fn listener(address: SocketAddr) -> Self {
        let Ok(Some(socket)) = diag::listener(address) else { return Self::Anybody };
        let holder = processes().find(|pid| holds(*pid, socket.inode).unwrap_or_default());
        holder.map_or(Self::User(socket.user), Self::Tree)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SocketOwner {
    user: u32,
    inode: u32,
}

/// Decides for one listener which connections it serves, and counts those that it does not.
#[derive(Debug)]
pub struct PeerCheck {
    what: &'static str,
    rule: PeerRule,
    /// The process that the last admitted connection came from, which the next one mostly comes from as well.
    last: AtomicU32,
    /// Whether it has refused one, which is told once.
    has_refused: AtomicBool,
}

impl PeerCheck {
    /// A check for the listener called `what` in messages, such as "the guard's proxy".
    pub fn new(what: &'static str, rule: PeerRule) -> Self {
        Self { what, rule, last: AtomicU32::new(0), has_refused: AtomicBool::new(false) }
    }

    /// Whether the connection from `peer` to this machine's `own` address is served. One from another machine is, where
    /// the rule is about users: such an address is listened on only because somebody asked for it.
    pub fn admits(&self, peer: SocketAddr, own: SocketAddr) -> bool {
        let is_far =
            !peer.ip().to_canonical().is_loopback() && peer.ip().to_canonical() != own.ip().to_canonical();
        let admitted = match self.rule {
            PeerRule::Anybody => true,
            PeerRule::User(_) if is_far => true,
            rule => match diag::connected(peer, own) {
                Ok(Some(socket)) => self.is_of(rule, socket),
                // Closed again, as browsers do with connections that they made ahead: nobody waits for an answer.
                Ok(None) => return false,
                Err(error) => {
                    tracing::debug!(%error, "the system does not say whose connections these are");
                    true
                }
            },
        };
        if !admitted {
            REFUSED.fetch_add(1, Ordering::Relaxed);
            let what = self.what;
            if self.has_refused.swap(true, Ordering::Relaxed) {
                tracing::debug!(%peer, "{what} refused a connection of another process");
            } else {
                tracing::warn!(%peer, "{what} refused a connection of another process");
            }
        }
        admitted
    }

    fn is_of(&self, rule: PeerRule, socket: SocketOwner) -> bool {
        let holds = |pid: u32| holds(pid, socket.inode).unwrap_or_default();
        match rule {
            PeerRule::Anybody => true,
            PeerRule::User(user) => socket.user == user || socket.user == 0,
            PeerRule::ThisProcess => holds(std::process::id()),
            PeerRule::Tree(root) => {
                let last = self.last.load(Ordering::Relaxed);
                if last != 0 && holds(last) && is_below(last, root) {
                    return true;
                }
                // Most children of a process have the numbers that follow its own.
                let mut near: Vec<u32> = processes().collect();
                near.sort_unstable_by_key(|pid| pid.wrapping_sub(root));
                let found = near.into_iter().find(|pid| is_below(*pid, root) && holds(*pid));
                self.last.store(found.unwrap_or_default(), Ordering::Relaxed);
                found.is_some()
            }
        }
    }
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn place(pid: u32, file: &str) -> PathBuf {
    // Its own files are shown to a process that hides them from others of its user, too.
    match pid == std::process::id() {
        true => PathBuf::from("/proc/self").join(file),
        false => PathBuf::from(format!("/proc/{pid}")).join(file),
    }
}

fn holds(pid: u32, inode: u32) -> std::io::Result<bool> {
    let wanted = format!("socket:[{inode}]");
    Ok(fs::read_dir(place(pid, "fd"))?
        .flatten()
        .any(|entry| fs::read_link(entry.path()).is_ok_and(|link| link.as_os_str() == wanted.as_str())))
}

fn is_below(pid: u32, root: u32) -> bool {
    let mut now = pid;
    for _ in 0..GENERATIONS {
        if now == root {
            return true;
        }
        match parent(now) {
            Some(parent) if parent > 1 || parent == root => now = parent,
            _ => return false,
        }
    }
    false
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(place(pid, "stat")).ok()?;
    // The name before may hold anything, brackets too.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::Read as _;
    use std::net::{TcpListener, TcpStream};
    use std::process::{Command, Stdio};

    use super::*;

    fn connection_of_another(listener: &TcpListener) -> (std::process::Child, TcpStream) {
        let port = listener.local_addr().unwrap().port();
        let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; read -r _ <&3");
        let child = Command::new("bash").args(["-c", &script]).stderr(Stdio::null()).spawn().unwrap();
        (child, listener.accept().unwrap().0)
    }

    #[test]
    fn a_connection_belongs_to_the_process_that_made_it() {
        assert!(can_tell());
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let own = listener.local_addr().unwrap();
            let client = TcpStream::connect(own).unwrap();
            let (mut server, peer) = listener.accept().unwrap();
            let me = std::process::id();
            let parent = parent(me).unwrap();
            for rule in
                [PeerRule::ThisProcess, PeerRule::Tree(me), PeerRule::Tree(parent), PeerRule::this_user()]
            {
                assert!(PeerCheck::new("a test", rule).admits(peer, own), "{rule:?}");
            }
            assert_eq!(PeerRule::listener(own), PeerRule::Tree(me));
            // One that was closed belongs to nobody.
            drop(client);
            assert_eq!(server.read(&mut [0]).unwrap(), 0);
            assert!(!PeerCheck::new("a test", PeerRule::ThisProcess).admits(peer, own));
        }
    }

    #[test]
    fn other_processes_of_the_same_user_are_refused_and_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap();
        let (mut child, server) = connection_of_another(&listener);
        let peer = server.peer_addr().unwrap();
        let check = PeerCheck::new("a test", PeerRule::ThisProcess);
        let before = refused();
        assert!(!check.admits(peer, own));
        assert!(refused() > before);
        // It is a child of this process, and in its own tree; it is in no tree beside.
        assert!(PeerCheck::new("a test", PeerRule::Tree(std::process::id())).admits(peer, own));
        let own_tree = PeerCheck::new("a test", PeerRule::Tree(child.id()));
        assert!(own_tree.admits(peer, own) && own_tree.admits(peer, own), "at first, and remembered");
        let mut other = Command::new("sleep").arg("30").spawn().unwrap();
        assert!(!PeerCheck::new("a test", PeerRule::Tree(other.id())).admits(peer, own));
        let user = rustix::process::geteuid().as_raw();
        assert!(!PeerCheck::new("a test", PeerRule::User(user + 1)).admits(peer, own) || user == 0);
        for child in [&mut child, &mut other] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
