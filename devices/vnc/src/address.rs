//! Where a server is: `vnc://HOST:PORT`, or a socket of this machine.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

const FIRST: u16 = 5900;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VncAddress {
    /// A name or an address, without brackets.
    host: String,
    port: u16,
    socket: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write vnc://HOST:5900, the machine and its port, with nothing before or behind them; a password goes by \
     --secret vnc-password=VARIABLE"
)]
pub struct BadVncAddress;

impl FromStr for VncAddress {
    type Err = BadVncAddress;

    fn from_str(text: &str) -> Result<Self, BadVncAddress> {
        let rest = text.strip_prefix("vnc://").ok_or(BadVncAddress)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.strip_prefix('[') {
            Some(inner) => {
                let (host, behind) = inner.split_once(']').ok_or(BadVncAddress)?;
                host.parse::<std::net::Ipv6Addr>().map_err(|_| BadVncAddress)?;
                let port = if behind.is_empty() {
                    None
                } else {
                    Some(behind.strip_prefix(':').ok_or(BadVncAddress)?)
                };
                (host, port)
            }
            None => match rest.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            },
        };
        // A name with a password in it would stand in every manifest.
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
        if host.is_empty() || !host.chars().all(plain) {
            return Err(BadVncAddress);
        }
        let port = match port {
            None => FIRST,
            Some(digits) if digits.chars().all(|c| c.is_ascii_digit()) => {
                digits.parse().ok().filter(|port| *port != 0).ok_or(BadVncAddress)?
            }
            Some(_) => return Err(BadVncAddress),
        };
        Ok(Self { host: host.to_owned(), port, socket: None })
    }
}

impl fmt::Display for VncAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(socket) = &self.socket {
            return write!(f, "the socket {}", socket.display());
        }
        match self.host.contains(':') {
            true => write!(f, "vnc://[{}]:{}", self.host, self.port),
            false => write!(f, "vnc://{}:{}", self.host, self.port),
        }
    }
}

/// Whether a server off this machine is spoken to in the clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainVnc {
    #[default]
    Refused,
    /// Somebody asked for it: `--insecure`.
    Accepted,
}

impl VncAddress {
    /// A server that listens at a Unix socket, which whoever made it keeps from others.
    pub fn at_socket(socket: PathBuf) -> Self {
        Self { host: "localhost".to_owned(), port: FIRST, socket: Some(socket) }
    }

    /// The Unix socket at which it listens, where it listens at one.
    pub(crate) fn socket(&self) -> Option<&std::path::Path> {
        self.socket.as_deref()
    }

    pub(crate) fn parts(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    pub fn is_loopback(&self) -> bool {
        match self.host.parse::<IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => self.host == "localhost" || self.host.ends_with(".localhost"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_a_machine_and_a_port() {
        let read = |text: &str| text.parse::<VncAddress>().map(|address| address.to_string());
        assert_eq!(read("vnc://box").unwrap(), "vnc://box:5900");
        assert_eq!(read("vnc://127.0.0.1:5901/").unwrap(), "vnc://127.0.0.1:5901");
        assert_eq!(read("vnc://[::1]:5902").unwrap(), "vnc://[::1]:5902");
        for bad in "box:5900 vnc:// vnc://:5900 vnc://me:pass@box vnc://box:0 vnc://box:99999 vnc://box:+5 \
             vnc://box/path vnc://box?x vnc://[::1 vnc://[box] vnc://::1"
            .split(' ')
        {
            assert!(read(bad).is_err(), "{bad}");
        }
        let said = "vnc://me:hunter22@box".parse::<VncAddress>().unwrap_err().to_string();
        assert!(!said.contains("hunter22"));
    }
}
