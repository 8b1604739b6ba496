//! Systems that do not say whose a socket is.

use std::net::SocketAddr;

use rustix::io::Errno;

use super::SocketOwner;

pub fn can_tell() -> bool {
    false
}

pub(super) fn connected(_: SocketAddr, _: SocketAddr) -> Result<Option<SocketOwner>, Errno> {
    Err(Errno::NOSYS)
}

pub(super) fn listener(_: SocketAddr) -> Result<Option<SocketOwner>, Errno> {
    Err(Errno::NOSYS)
}
