//! Whether a server's certificate is believed.
//!
//! Invariant: whoever is believed has proven to hold the key of its certificate.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;

use crate::trust::{VncCertificates, VncTrust};

/// How TLS is spoken with a server whose certificate has to be believed.
pub(super) fn config(trust: &VncTrust) -> Result<ClientConfig, Error> {
    // Named here, for a process may have none set up, or two to choose from.
    let provider = Arc::new(ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match trust {
        VncTrust::System => Arc::new(Verifier::new(provider.clone())?),
        VncTrust::These(these) => Arc::new(NamedCertificates::new(these, &provider)?),
    };
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth())
}

/// Believes certificates that somebody named, and what they vouch for. A server's own is believed whatever its name and its
/// dates say: people make them with neither right, and it is that one.
#[derive(Debug)]
struct NamedCertificates {
    named: VncCertificates,
    vouched: Arc<WebPkiServerVerifier>,
}

impl std::fmt::Debug for VncCertificates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} certificates", self.0.len())
    }
}

impl NamedCertificates {
    fn new(named: &VncCertificates, provider: &Arc<CryptoProvider>) -> Result<Self, Error> {
        let mut roots = RootCertStore::empty();
        for certificate in named.0.iter() {
            roots.add(certificate.clone())?;
        }
        let vouched = WebPkiServerVerifier::builder_with_provider(roots.into(), provider.clone()).build();
        let vouched = vouched.map_err(|error| Error::General(error.to_string()))?;
        Ok(Self { named: named.clone(), vouched })
    }
}

impl ServerCertVerifier for NamedCertificates {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.named.0.iter().any(|named| named == own) {
            return Ok(ServerCertVerified::assertion());
        }
        self.vouched.verify_server_cert(own, intermediates, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.vouched.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.vouched.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.vouched.supported_verify_schemes()
    }
}
