//! Sockets of this machine by their addresses, asked of the kernel (`sock_diag(7)`): one question for one socket, where
//! `/proc/net/tcp` has to be read whole.

use std::net::{IpAddr, SocketAddr};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

use super::SocketOwner;

/// `SOCK_DIAG_BY_FAMILY` of `linux/sock_diag.h`: the type of the question and of its answer.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST` of `linux/netlink.h`.
const REQUEST: u16 = 1;
/// The lengths of `struct nlmsghdr`, `struct inet_diag_req_v2` and `struct inet_diag_msg`.
const HEADER: usize = 16;
const QUESTION: usize = 56;
const ANSWER: usize = 72;
const TCP: u8 = 6;

/// Whether this system says whose a connection is.
pub fn can_tell() -> bool {
    diagnose(SocketAddr::from(([127, 0, 0, 1], 1)), SocketAddr::from(([127, 0, 0, 1], 1))).is_ok()
}

/// The socket at the other end of a connection from `peer` to `own`; none where no process has it open any more.
pub(super) fn connected(peer: SocketAddr, own: SocketAddr) -> Result<Option<SocketOwner>, Errno> {
    // The kernel answers with the socket that listens where nothing is connected.
    Ok(diagnose(peer, own)?.filter(|(_, to)| *to == own.port()).map(|(owner, _)| owner))
}

pub(super) fn listener(address: SocketAddr) -> Result<Option<SocketOwner>, Errno> {
    let nobody = match address.ip().to_canonical() {
        IpAddr::V4(_) => SocketAddr::from(([0; 4], 0)),
        IpAddr::V6(_) => SocketAddr::from(([0_u16; 8], 0)),
    };
    Ok(diagnose(address, nobody)?.filter(|(_, to)| *to == 0).map(|(owner, _)| owner))
}

/// Asks for the socket from `from` to `to`; gives its owner and the port that it is connected to.
fn diagnose(from: SocketAddr, to: SocketAddr) -> Result<Option<(SocketOwner, u16)>, Errno> {
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    send(&socket, &question(from, to), SendFlags::empty())?;
    let mut answer = [0_u8; 1024];
    // The answer is there when the question has been taken.
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::DONTWAIT)?;
    read(answer.get(..length).unwrap_or_default())
}

fn question(from: SocketAddr, to: SocketAddr) -> Vec<u8> {
    let (source, target) = (from.ip().to_canonical(), to.ip().to_canonical());
    let family = if source.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let padded = |ip: IpAddr| {
        let mut bytes = match ip {
            IpAddr::V4(ip) => ip.octets().to_vec(),
            IpAddr::V6(ip) => ip.octets().to_vec(),
        };
        bytes.resize(16, 0);
        bytes
    };
    let length = (HEADER + QUESTION) as u32;
    [
        &length.to_ne_bytes()[..],
        &BY_FAMILY.to_ne_bytes(),
        &REQUEST.to_ne_bytes(),
        // Sequence and port number: one question for each socket.
        &[0; 8],
        &[family.as_raw() as u8, TCP, 0, 0],
        // In any state.
        &u32::MAX.to_ne_bytes(),
        &from.port().to_be_bytes(),
        &to.port().to_be_bytes(),
        &padded(source),
        &padded(target),
        // On any interface; known by no cookie.
        &0_u32.to_ne_bytes(),
        &[0xff; 8],
    ]
    .concat()
}

fn read(answer: &[u8]) -> Result<Option<(SocketOwner, u16)>, Errno> {
    let word = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    let half = |at: usize| Some(u16::from_ne_bytes(answer.get(at..at + 2)?.try_into().ok()?));
    if half(4) == Some(BY_FAMILY) && answer.len() >= HEADER + ANSWER {
        let message = HEADER;
        let port = answer.get(message + 6..message + 8).and_then(|bytes| bytes.try_into().ok());
        let (Some(user), Some(inode), Some(port)) = (word(message + 64), word(message + 68), port) else {
            return Err(Errno::BADMSG);
        };
        // A socket that its process closed has no inode.
        return Ok((inode != 0).then_some((SocketOwner { user, inode }, u16::from_be_bytes(port))));
    }
    match word(HEADER).map(u32::cast_signed) {
        Some(code) if code == -Errno::NOENT.raw_os_error() => Ok(None),
        // No error of the system's is larger.
        Some(code @ -4095..0) => Err(Errno::from_raw_os_error(-code)),
        _ => Err(Errno::BADMSG),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_answer_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }
    }
}
