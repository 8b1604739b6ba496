//! Who is at the other end of a connection on this computer.
//!
//! Invariant: a phone serves the user that runs it, and root; a port of the loopback is everybody's to knock at.
//! An adb handshake would not tell them apart: any key is as good as another to a phone that asks nobody.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Where the system lists the sockets of this computer, and whose they are.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// Whether a connection from `peer` to `own` may be served. One from another computer may: such an address was
/// bound on purpose.
pub(super) fn is_welcome(peer: SocketAddr, own: SocketAddr) -> bool {
    if !plain(peer.ip()).is_loopback() || !cfg!(target_os = "linux") {
        return true;
    }
    let user = rustix::process::geteuid().as_raw();
    TABLES
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .any(|table| owner(&table, peer, own).is_some_and(|owner| owner == user || owner == 0))
}

/// The user whose socket `from` is connected to `to`; `None` where there is none, or its owner let go of it: such
/// a socket is listed as root's.
fn owner(table: &str, from: SocketAddr, to: SocketAddr) -> Option<u32> {
    table.lines().skip(1).find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, local, remote, _, _, _, _, user, _, inode, ..] = words.as_slice() else { return None };
        let is = |text: &str, at: SocketAddr| {
            address(text).is_some_and(|found| (found.0, found.1) == (plain(at.ip()), at.port()))
        };
        (inode != "0" && is(local, from) && is(remote, to)).then(|| user.parse().ok()).flatten()
    })
}

/// An address as the table writes it: words of four bytes in this machine's order, then the port.
fn address(text: &str) -> Option<(IpAddr, u16)> {
    let (ip, port) = text.split_once(':')?;
    let mut bytes = Vec::with_capacity(16);
    for at in (0..ip.len()).step_by(8) {
        bytes.extend(u32::from_str_radix(ip.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    }
    let ip = match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(four) => IpAddr::V4(Ipv4Addr::from(four)),
        Err(_) => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes.as_slice()).ok()?)),
    };
    Some((plain(ip), u16::from_str_radix(port, 16).ok()?))
}

/// An address of the older kind, where it only wears the form of the newer.
fn plain(ip: IpAddr) -> IpAddr {
    ip.to_canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_of_a_socket_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap();
        let client = std::net::TcpStream::connect(own).unwrap();
        let peer = client.local_addr().unwrap();
        let (server, _) = listener.accept().unwrap();
        let user = rustix::process::geteuid().as_raw();
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        assert_eq!(owner(&table, peer, own), Some(user));
        assert!(is_welcome(peer, own));
        // One that is gone already is listed as root's.
        drop(client);
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        assert_eq!(owner(&table, peer, own), None);
        assert!(!is_welcome(peer, own));
        drop(server);
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn others_and_addresses_of_both_kinds_are_told() {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let four =
            "   1: 0100007F:9C40 0100007F:15E1 01 00000000:00000000 00:00000000 00000000 65534 0 77 1 0\n";
        let six = "   2: 0000000000000000FFFF00000100007F:9C41 0000000000000000FFFF00000100007F:15E1 01 \
                   00000000:00000000 00:00000000 00000000  1000 0 78 1 0\n";
        let table = format!("{head}{four}{six}");
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let own = at("127.0.0.1:5601");
        assert_eq!(owner(&table, at("127.0.0.1:40000"), own), Some(65534));
        assert_eq!(owner(&table, at("127.0.0.1:40001"), own), Some(1000));
        assert_eq!(owner(&table, at("127.0.0.1:40002"), own), None);
        assert_eq!(owner(&table, own, at("127.0.0.1:40000")), None);
    }
}
