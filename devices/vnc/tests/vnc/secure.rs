//! TLS: real servers with certificates, and some that are none.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, PKCS_RSA_SHA256};
use rsa::RsaPrivateKey;
use rsa::pkcs8::{EncodePrivateKey as _, LineEnding};
use waldo_devices::{Action, Device as _, DeviceError};
use waldo_vnc::{VncAddress, VncDevice, VncOptions, VncTrust};

use super::double::double;
use super::machine::{Machine, PASSWORD, Server};
use super::{everything, options, see, soon};

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate with its key, in PEM.
struct Own {
    certificate: String,
    key: String,
}

fn vouched(authority: &CertifiedIssuer<'_, KeyPair>, names: &[&str]) -> Own {
    vouched_with(KeyPair::generate().unwrap(), authority, names)
}

fn vouched_with(key: KeyPair, authority: &CertifiedIssuer<'_, KeyPair>, names: &[&str]) -> Own {
    let params =
        CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
    Own { certificate: params.signed_by(&key, authority).unwrap().pem(), key: key.serialize_pem() }
}

/// One as people make them: for no name, out of date, and an authority by mistake.
fn self_made() -> Own {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    Own { certificate: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() }
}

/// A machine whose server has this certificate, and a password if the way asks for one.
fn machine(way: &str, own: &Own) -> (Machine, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let (certificate, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
    std::fs::write(&certificate, &own.certificate).unwrap();
    std::fs::write(&key, &own.key).unwrap();
    let password = way.contains("Vnc").then_some(PASSWORD);
    let ways = [
        "-SecurityTypes",
        way,
        "-X509Cert",
        certificate.to_str().unwrap(),
        "-X509Key",
        key.to_str().unwrap(),
    ];
    (Machine::with(Server::Tiger, password, &ways), dir)
}

fn trusting(pem: &str, password: Option<&str>) -> VncOptions {
    VncOptions { trust: VncTrust::from_pem(pem.as_bytes()).unwrap(), ..options(password) }
}

async fn taken(address: &VncAddress, options: VncOptions) -> VncDevice {
    let mut device = VncDevice::new(address.clone(), options);
    device.reset(&everything(), soon()).await.unwrap();
    device
}

async fn refused(address: &VncAddress, options: VncOptions) -> String {
    let error = VncDevice::new(address.clone(), options).reset(&everything(), soon()).await.unwrap_err();
    assert!(matches!(error, DeviceError::Start { .. }), "{error}");
    error.to_string()
}

async fn used(mut device: VncDevice) {
    assert_eq!(see(&mut device).await.picture.size(), (800, 600));
    device.perform(&Action::Key { chord: "a".to_owned() }, soon()).await.unwrap();
    device.health(soon()).await.unwrap();
}

#[tokio::test]
async fn a_certificate_is_believed_by_who_vouches_for_it_or_by_itself() {
    let authority = authority();
    let ca = authority.pem();
    let own = vouched(&authority, &["127.0.0.1", "box.example"]);
    let (vnc, _files) = machine("X509Vnc", &own);
    used(taken(&vnc.address, trusting(&ca, Some(PASSWORD))).await).await;
    used(taken(&vnc.address, trusting(&own.certificate, Some(PASSWORD))).await).await;
    let wrong = refused(&vnc.address, trusting(&ca, Some("another1"))).await;
    assert!(wrong.contains("refuses") && !wrong.contains("another1"), "{wrong}");
    let none = refused(&vnc.address, trusting(&ca, None)).await;
    assert!(none.contains("asks for a password"), "{none}");
    let strangers = self::authority();
    // Nobody vouches for it here, and somebody else there.
    for stranger in [options(Some(PASSWORD)), trusting(&strangers.pem(), Some(PASSWORD))] {
        let error = refused(&vnc.address, stranger).await;
        assert!(error.contains("not trusted") && error.contains("--tls-ca FILE"), "{error}");
    }
    let self_made = self_made();
    let (open, _own_files) = machine("X509None", &self_made);
    used(taken(&open.address, trusting(&self_made.certificate, None)).await).await;
    let error = refused(&open.address, options(None)).await;
    assert!(error.contains("not trusted"), "{error}");
}

#[tokio::test]
async fn a_certificate_of_another_machine_is_not_believed() {
    let authority = authority();
    let (machine, _files) = machine("X509None", &vouched(&authority, &["other.example"]));
    let error = refused(&machine.address, trusting(&authority.pem(), None)).await;
    assert!(error.contains("not trusted") && error.contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn x11vnc_speaks_tls_too() {
    let dir = tempfile::tempdir().unwrap();
    let authority = authority();
    // x11vnc takes RSA alone.
    let key =
        RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 2048).unwrap().to_pkcs8_pem(LineEnding::LF).unwrap();
    let key = KeyPair::from_pkcs8_pem_and_sign_algo(&key, &PKCS_RSA_SHA256).unwrap();
    let own = vouched_with(key, &authority, &["127.0.0.1"]);
    let pem = dir.path().join("server.pem");
    std::fs::write(&pem, format!("{}{}", own.key, own.certificate)).unwrap();
    let ways = ["-ssl", pem.to_str().unwrap(), "-vencrypt", "nodh:only", "-anontls", "never"];
    for password in [None, Some(PASSWORD)] {
        let machine = Machine::with(Server::X11vnc, password, &ways);
        used(taken(&machine.address, trusting(&authority.pem(), password)).await).await;
        let error = refused(&machine.address, options(password)).await;
        assert!(error.contains("not trusted"), "{error}");
    }
}

#[tokio::test]
async fn tls_without_a_certificate_and_no_tls_are_refused_by_name() {
    let anonymous = Machine::with(Server::Tiger, Some(PASSWORD), &["-SecurityTypes", "TLSVnc"]);
    let error = refused(&anonymous.address, options(Some(PASSWORD))).await;
    assert!(error.contains("anonymous TLS") && error.contains("X509Vnc"), "{error}");
    let (accounts, _files) = machine("X509Plain", &self_made());
    let error = refused(&accounts.address, options(None)).await;
    assert!(error.contains("X509Plain"), "{error}");
    // What asks for a certificate, or is elsewhere, gets none in the clear.
    let plain = Machine::new(Server::Tiger, None);
    let error = refused(&plain.address, trusting(&authority().pem(), None)).await;
    assert!(error.contains("offers no TLS") && error.contains("tunnel"), "{error}");
    let elsewhere = plain.address.to_string().replace("127.0.0.1", "0.0.0.0").parse().unwrap();
    let error = refused(&elsewhere, options(None)).await;
    assert!(error.contains("offers no TLS") && error.contains("--insecure"), "{error}");
    let insecure = VncOptions { clear: waldo_vnc::PlainVnc::Accepted, ..options(None) };
    used(taken(&elsewhere, insecure).await).await;
}

#[tokio::test]
async fn a_server_on_this_machine_may_offer_both() {
    // As TigerVNC is without arguments.
    let both = Machine::with(Server::Tiger, Some(PASSWORD), &["-SecurityTypes", "TLSVnc,VncAuth"]);
    used(taken(&both.address, options(Some(PASSWORD))).await).await;
    let authority = authority();
    let (both, _files) = machine("X509Vnc,VncAuth", &vouched(&authority, &["127.0.0.1"]));
    used(taken(&both.address, trusting(&authority.pem(), Some(PASSWORD))).await).await;
    used(taken(&both.address, options(Some(PASSWORD))).await).await;
}

#[tokio::test]
async fn servers_that_do_not_keep_vencrypt_are_refused() {
    let said = |bytes: &'static [u8], version: u8| async move {
        let address = double(move |_, peer| {
            peer.offer(&[19])?;
            peer.say(&[0, version])?;
            peer.read::<2>()?;
            peer.say(bytes)?;
            // One that ended with something unread would take back what it said.
            while peer.read::<1>().is_ok() {}
            Ok(())
        });
        refused(&address, options(None)).await
    };
    assert!(said(&[], 1).await.contains("VeNCrypt 0.1"));
    assert!(said(&[1], 2).await.contains("does not take VeNCrypt"));
    assert!(said(&[0, 0], 2).await.contains("without a way"));
    assert!(said(&[0, 1, 0, 0, 1, 0], 2).await.contains("in the clear"));
    assert!(said(&[0, 1, 9, 9, 9, 9], 2).await.contains("VeNCrypt's type"));
    assert!(said(&[0, 1, 0, 0, 1, 4, 0], 2).await.contains("server's log"));
    let plain = said(b"\0\x01\0\0\x01\x04\x01HTTP/1.1 200 OK\r\n\r\n", 2).await;
    assert!(plain.contains("TLS with the VNC server"), "{plain}");
}
