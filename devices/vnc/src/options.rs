use std::time::Duration;

use super::address::{PlainVnc, VncAddress};
use super::trust::VncTrust;
use waldo_devices::secrets::Secrets;

/// The name of the secret that opens the connection. It is masked like all of them, and never typed.
pub const PASSWORD: &str = "vnc-password";

/// How pixels come from a server. None loses anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VncEncoding {
    /// As they are, four bytes each.
    Raw,
    Hextile,
    /// Palettes and pixels in four packed streams.
    Tight,
    /// Runs and palettes of tiles in a packed stream.
    Zrle,
}

impl VncEncoding {
    /// The dearest to us first: Tight costs servers half of ZRLE's time for little more bytes (docs/vnc.md has the figures).
    pub(crate) const ORDER: [Self; 4] = [Self::Tight, Self::Zrle, Self::Hextile, Self::Raw];
}

#[derive(Clone, Debug)]
pub struct VncOptions {
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for the server to let somebody in.
    pub connect: Duration,
    /// The most elements of one observation; the rest is counted.
    pub element_cap: usize,
    /// Whether a server off this machine is spoken to without TLS.
    pub clear: PlainVnc,
    /// Whose certificates are believed. Where some are named, nothing is spoken in the clear.
    pub trust: VncTrust,
    /// The one encoding of pixels that is asked for, to compare them; `None`: all, and the server chooses.
    pub encoding: Option<VncEncoding>,
    /// Values that are typed by name, and the server's password ([`PASSWORD`]).
    pub secrets: Secrets,
}

impl Default for VncOptions {
    fn default() -> Self {
        Self {
            settle: Duration::from_secs(2),
            connect: Duration::from_secs(15),
            element_cap: 300,
            clear: PlainVnc::Refused,
            trust: VncTrust::System,
            encoding: None,
            secrets: Secrets::default(),
        }
    }
}

impl VncOptions {
    /// Whether `address` may be spoken to without TLS: no certificate is named, and it is here or somebody asked for it.
    pub(crate) fn may_be_clear(&self, address: &VncAddress) -> bool {
        matches!(self.trust, VncTrust::System) && (address.is_loopback() || self.clear == PlainVnc::Accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_vnc_goes_no_further_than_this_machine_unless_asked_for() {
        let may = |text: &str, options: &VncOptions| options.may_be_clear(&text.parse().unwrap());
        let refused = VncOptions::default();
        let accepted = VncOptions { clear: PlainVnc::Accepted, ..VncOptions::default() };
        let pem = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let named = VncOptions { trust: VncTrust::from_pem(pem).unwrap(), ..accepted.clone() };
        for here in ["vnc://127.0.0.1", "vnc://localhost:1", "vnc://[::1]", "vnc://a.localhost"] {
            assert!(may(here, &refused) && may(here, &accepted) && !may(here, &named), "{here}");
        }
        for there in ["vnc://192.0.2.7", "vnc://localhost.example.org", "vnc://[2001:db8::1]"] {
            assert!(!may(there, &refused) && may(there, &accepted) && !may(there, &named), "{there}");
        }
    }
}
