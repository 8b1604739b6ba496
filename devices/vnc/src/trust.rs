//! Whose certificates are believed, where a server speaks TLS.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use waldo_devices::foreign;

const FILE_MAX: u64 = 4 << 20;

#[derive(Clone, Default)]
pub enum VncTrust {
    #[default]
    System,
    /// These and those that they vouch for, no others: a server that has none of them is not spoken to.
    These(VncCertificates),
}

#[derive(Clone)]
pub struct VncCertificates(pub(crate) Arc<[CertificateDer<'static>]>);

#[derive(Debug, thiserror::Error)]
pub enum BadCertificates {
    #[error("the certificates cannot be read: {0}")]
    Io(#[from] std::io::Error),
    #[error(
        "no certificates in PEM (-----BEGIN CERTIFICATE-----) are in it{0}; \
         `openssl x509 -inform der -in FILE` makes one of DER"
    )]
    NotPem(String),
}

impl VncTrust {
    pub fn from_file(path: &Path) -> Result<Self, BadCertificates> {
        Self::from_pem(&foreign::read_named(path, FILE_MAX)?)
    }

    pub fn from_pem(pem: &[u8]) -> Result<Self, BadCertificates> {
        let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        match all {
            Ok(all) if all.is_empty() => Err(BadCertificates::NotPem(String::new())),
            Ok(all) => Ok(Self::These(VncCertificates(all.into()))),
            Err(error) => Err(BadCertificates::NotPem(format!(" ({error})"))),
        }
    }
}

impl fmt::Debug for VncTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => f.write_str("System"),
            Self::These(these) => write!(f, "These({})", these.0.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_certificates_or_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ca.pem");
        assert!(matches!(VncTrust::from_file(&path), Err(BadCertificates::Io(_))));
        for wrong in [&b""[..], b"words", b"-----BEGIN CERTIFICATE-----\nAA"] {
            std::fs::write(&path, wrong).unwrap();
            let error = VncTrust::from_file(&path).unwrap_err().to_string();
            assert!(error.contains("PEM"), "{error}");
        }
        let pem = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        std::fs::write(&path, pem.repeat(2)).unwrap();
        assert_eq!(format!("{:?}", VncTrust::from_file(&path).unwrap()), "These(2)");
    }
}
