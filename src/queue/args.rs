//! Flags of commands that speak to a queue.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use url::{Host, Url};

use super::error::{QueueError, Result};

const KEY_BYTES: u64 = 64 << 10;

/// Which queue, and how it is reached.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Queue")]
pub struct QueueArgs {
    /// The NATS server (with JetStream) that hands out episodes, as nats://HOST[:PORT] or tls://HOST[:PORT].
    #[arg(long, value_name = "URL")]
    pub queue: Option<String>,
    /// NATS credentials: a file with the seed of an nkey.
    #[arg(long, value_name = "FILE", requires = "queue", conflicts_with = "queue_creds")]
    pub queue_nkey: Option<PathBuf>,
    /// NATS credentials: a .creds file, as nsc writes it.
    #[arg(long, value_name = "FILE", requires = "queue")]
    pub queue_creds: Option<PathBuf>,
    /// Certificates (PEM) that sign the server's certificate, besides the system's.
    #[arg(long, value_name = "FILE", requires = "queue")]
    pub queue_ca: Option<PathBuf>,
    /// Connect to a server on another machine even without TLS or a key: anyone on the network path can read and change
    /// what is played.
    #[arg(long, requires = "queue")]
    pub queue_insecure: bool,
    /// A folder that all machines share, for the folders of episodes, in place of the server.
    #[arg(long, value_name = "DIR", requires = "queue")]
    pub artifacts: Option<PathBuf>,
}

#[derive(Debug)]
pub(super) struct Address {
    pub(super) url: String,
    pub(super) tls: bool,
    pub(super) nkey: Option<String>,
    pub(super) creds: Option<String>,
    pub(super) ca: Option<PathBuf>,
}

impl QueueArgs {
    pub fn address(&self) -> &str {
        self.queue.as_deref().unwrap_or_default()
    }

    /// Judges the address, and reads the key.
    ///
    /// # Errors
    /// When it is none, has a password in it, or leads to another machine without TLS and a key; when the file of a key is
    /// open to others.
    pub(super) fn judged(&self) -> Result<Address> {
        let text = self.address();
        let url = Url::parse(text)
            .ok()
            .filter(|url| matches!(url.scheme(), "nats" | "tls") && url.has_host())
            .ok_or_else(|| {
                QueueError::Input(format!(
                    "--queue {text}: write nats://HOST or tls://HOST, such as nats://127.0.0.1:4222"
                ))
            })?;
        if !url.username().is_empty() || url.password().is_some() {
            let message = "--queue: names and passwords in an address are read by everybody on this machine: give \
                           --queue-nkey FILE or --queue-creds FILE";
            return Err(QueueError::Input(message.to_owned()));
        }
        let tls = url.scheme() == "tls" || self.queue_ca.is_some();
        let has_key = self.queue_nkey.is_some() || self.queue_creds.is_some();
        let held = is_loopback(&url) || (tls && has_key);
        if !held && !self.queue_insecure {
            return Err(QueueError::Input(format!(
                "--queue {text} is another machine: give tls://HOST and --queue-nkey FILE (or --queue-creds FILE), or, \
                 where everybody in between may read and change what is played, --queue-insecure"
            )));
        }
        Ok(Address {
            url: url.to_string(),
            tls,
            nkey: self.queue_nkey.as_deref().map(key).transpose()?,
            creds: self.queue_creds.as_deref().map(key).transpose()?,
            ca: self.queue_ca.clone(),
        })
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    // Of an unknown scheme the parser leaves numbers as text.
    let name = match url.host() {
        Some(Host::Domain(name)) => name,
        Some(Host::Ipv4(ip)) => return ip.is_loopback(),
        Some(Host::Ipv6(ip)) => return ip.is_loopback(),
        None => return false,
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn key(path: &Path) -> Result<String> {
    let found = std::fs::metadata(path).map_err(QueueError::io("read", path))?;
    if found.mode() & 0o077 != 0 {
        let path = path.display();
        return Err(QueueError::Input(format!("{path} is open to others: chmod 600 {path}")));
    }
    let bytes = waldo_devices::foreign::read_named(path, KEY_BYTES).map_err(QueueError::io("read", path))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| QueueError::Input(format!("{} holds no key: it is not text", path.display())))?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(queue: &str, change: impl FnOnce(&mut QueueArgs)) -> Result<Address, String> {
        let mut args = QueueArgs { queue: Some(queue.to_owned()), ..QueueArgs::default() };
        change(&mut args);
        args.judged().map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_no_address_is_refused_and_another_machine_wants_tls_and_a_key() {
        for here in ["nats://127.0.0.1:4222", "nats://localhost", "nats://[::1]:4222", "nats://127.9.9.9"] {
            assert!(judged(here, |_| {}).is_ok(), "{here}");
        }
        for there in ["nats://10.0.0.1", "tls://10.0.0.1", "nats://localhost.example.org", "nats://0.0.0.0"] {
            assert!(judged(there, |_| {}).unwrap_err().contains("--queue-insecure"), "{there}");
            assert!(judged(there, |args| args.queue_insecure = true).is_ok(), "{there}");
        }
        for bad in ["", "nats", "127.0.0.1:4222", "http://127.0.0.1", "nats://"] {
            assert!(judged(bad, |_| {}).unwrap_err().contains("nats://"), "{bad}");
        }
    }

    #[test]
    fn a_key_is_in_a_file_of_ones_own() {
        use std::os::unix::fs::PermissionsExt as _;
        assert!(judged("nats://me:secret@127.0.0.1", |_| {}).unwrap_err().contains("--queue-nkey"));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "SUAKEY\n").unwrap();
        let with = |mode| {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            judged("tls://10.0.0.1", |args| args.queue_nkey = Some(file.path().to_owned()))
        };
        assert!(with(0o644).unwrap_err().contains("chmod 600"));
        assert_eq!(with(0o600).unwrap().nkey.as_deref(), Some("SUAKEY"));
    }
}
