//! The phone's end of the ADB wire: a TCP adbd that a stock `adb` server and `adb_client` take for a device.
//!
//! Invariants: a server ends, with every connection and command of it, when its [`PhoneServer`] is dropped; phones
//! served in one process share nothing but the runtime.
//!
//! Every adb server on the machine scans ports 5555 to 5585 and shows a second phone: bind elsewhere.

mod connection;
mod framebuffer;
mod packet;
mod server;
mod service;
mod shell_v2;
mod stream;
mod sync;

use std::net::SocketAddr;

pub use server::{BindError, HeldPort, PhoneServer, bind_all};
pub use stream::{Stream, StreamClosed};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Auth {
    #[default]
    Off,
    /// The host is asked for a signature, then for its public key, which is accepted as if the owner had tapped
    /// "allow".
    AnyKey,
    /// The host is asked and nobody taps "allow": it stays unauthorised.
    Refuse,
}

#[derive(Debug, Clone)]
pub struct ServerOptions {
    pub auth: Auth,
    /// The features told to the host: without `stat_v2` and `ls_v2`, for the phone speaks the first form of sync.
    pub features: Vec<String>,
    /// Whether the connection from the first address to the second is served; by default every one is, and a port of
    /// loopback is open to all users of the computer. An adb handshake would not tell them apart.
    pub admits: fn(SocketAddr, SocketAddr) -> bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { auth: Auth::Off, features: vec!["shell_v2".to_owned(), "cmd".to_owned()], admits: |_, _| true }
    }
}
