//! The upgrade to TLS that phones with wireless debugging ask for.
//!
//! The phone knows this computer by the key of its certificate, which it learnt when both were paired. Nothing is
//! checked of the phone's own certificate, which it makes for itself: adb has no more to compare it with than we have.

use std::io;
use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair, PKCS_RSA_SHA256};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::key::AdbKey;
use crate::adb::{ServiceStream, lost};
use waldo_devices::error::{DeviceError, Result};

/// The name that is sent where a certificate would need one.
const NAME: &str = "adb";

/// Speaks TLS 1.3 on a stream whose other end has asked for it.
pub(super) async fn upgrade(
    stream: ServiceStream,
    name: &str,
    key: &AdbKey,
) -> Result<TlsStream<ServiceStream>> {
    let hint = "remove ~/.android/adbkey to have a new key made, and pair again";
    let unusable =
        |error: &dyn std::fmt::Display| DeviceError::start(format!("TLS with {name}"), error, hint);
    let config = config(key, &unusable)?;
    let server = ServerName::try_from(NAME).map_err(|error| unusable(&error))?;
    TlsConnector::from(Arc::new(config)).connect(server, stream).await.map_err(|error| refused(name, &error))
}

fn config(key: &AdbKey, unusable: &dyn Fn(&dyn std::fmt::Display) -> DeviceError) -> Result<ClientConfig> {
    let der = key.der()?;
    let private = PrivatePkcs8KeyDer::from(der.as_bytes().to_vec());
    let pair = KeyPair::from_pkcs8_der_and_sign_algo(&private, &PKCS_RSA_SHA256)
        .map_err(|error| unusable(&error))?;
    let certificate = CertificateParams::default().self_signed(&pair).map_err(|error| unusable(&error))?;
    // Named here, for a process may have none set up, or two to choose from.
    let provider = Arc::new(ring::default_provider());
    ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| unusable(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyPhone(provider)))
        .with_client_auth_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(private))
        .map_err(|error| unusable(&error))
}

/// What it means that a phone ends TLS before its first packet: an alert is its word about our certificate.
pub(super) fn refused(name: &str, error: &io::Error) -> DeviceError {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    match tls {
        None => lost(name, error),
        Some(rustls::Error::AlertReceived(alert)) => DeviceError::Start {
            what: name.to_owned(),
            message: format!("it is not paired with this computer (TLS alert {alert:?})"),
            hint: NOT_PAIRED.to_owned(),
        },
        Some(error) => DeviceError::Start {
            what: format!("TLS with {name}"),
            message: error.to_string(),
            hint: "check that the port is the one of \"IP address & port\" under Wireless debugging"
                .to_owned(),
        },
    }
}

const NOT_PAIRED: &str = "on the phone open Developer options, Wireless debugging, Pair device with pairing code; here \
     run `waldo pair HOST:PORT CODE` with the port and the code shown there; then use the port of \"IP address & port\"";

/// Takes any certificate of the other end, but has it prove that the key in it is its own.
#[derive(Debug)]
struct AnyPhone(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyPhone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
