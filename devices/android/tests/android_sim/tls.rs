//! A phone with wireless debugging: it speaks through TLS alone, and only to computers that it knows.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rsa::RsaPrivateKey;
use rsa::pkcs8::DecodePrivateKey as _;
use rsa::traits::PublicKeyParts as _;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, ServerConfig, SignatureScheme};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use waldo_devices::error::DeviceError;

use super::*;

#[derive(Debug, Default)]
struct Paired(Mutex<Vec<Vec<u8>>>);

impl Paired {
    fn with(&self, key: &Path) {
        let key = RsaPrivateKey::from_pkcs8_pem(&std::fs::read_to_string(key).unwrap()).unwrap();
        self.0.lock().unwrap().push(key.n().to_bytes_be());
    }
}

impl ClientCertVerifier for Paired {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        let holds = |modulus: &Vec<u8>| end_entity.windows(modulus.len()).any(|part| part == modulus);
        match self.0.lock().unwrap().iter().any(holds) {
            true => Ok(ClientCertVerified::assertion()),
            false => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        panic!("adb speaks TLS 1.3")
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        let known = ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, &known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

fn start_tls() -> Vec<u8> {
    let word = u32::from_le_bytes(*b"STLS");
    [word, 0x0100_0000, 0, 0, 0, !word].into_iter().flat_map(u32::to_le_bytes).collect()
}

/// A whole packet's bytes.
async fn packet(from: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; 24];
    from.read_exact(&mut bytes).await?;
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    bytes.resize(24 + length, 0);
    from.read_exact(&mut bytes[24..]).await?;
    Ok(bytes)
}

/// The phone's daemon: it asks for TLS, ends it, and hands what comes through it to a phone that speaks plainly.
struct Adbd {
    address: SocketAddr,
    paired: Arc<Paired>,
    /// Connections whose computer proved to be a known one.
    encrypted: Arc<AtomicUsize>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Adbd {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Adbd {
    async fn before(phone: SocketAddr) -> Self {
        let own = rcgen::generate_simple_self_signed(["adbd".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
        let paired = Arc::new(Paired::default());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_client_cert_verifier(paired.clone())
            .with_single_cert(vec![own.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let encrypted = Arc::new(AtomicUsize::new(0));
        let count = encrypted.clone();
        let serving = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (acceptor, count) = (acceptor.clone(), count.clone());
                tokio::spawn(async move { serve(socket, acceptor, phone, &count).await });
            }
        });
        Self { address, paired, encrypted, serving }
    }
}

async fn serve(
    mut socket: TcpStream,
    acceptor: TlsAcceptor,
    phone: SocketAddr,
    encrypted: &AtomicUsize,
) -> std::io::Result<()> {
    let hello = packet(&mut socket).await?;
    assert_eq!(&hello[..4], b"CNXN");
    socket.write_all(&start_tls()).await?;
    assert_eq!(packet(&mut socket).await?, start_tls());
    let mut host = acceptor.accept(socket).await?;
    encrypted.fetch_add(1, Ordering::SeqCst);
    let mut phone = TcpStream::connect(phone).await?;
    phone.write_all(&hello).await?;
    tokio::io::copy_bidirectional(&mut host, &mut phone).await.map(drop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phone_that_speaks_through_tls_is_seen_and_touched() {
    let sim = Sim::start().await;
    let adbd = Adbd::before(sim.address()).await;
    let key = sim.dir.join("adbkey");
    let mut options = sim.options();
    options.target = PhoneTarget::Tcp(adbd.address);
    options.adb.key = Some(key.clone());

    // Not paired: told with what to do. The key that was made for it is the user's alone.
    let told = AndroidDevice::open(options.clone(), soon()).await.err().unwrap();
    assert!(matches!(told, DeviceError::Start { .. }), "{told}");
    let told = told.to_string();
    assert!(told.contains("not paired") && told.contains("pair HOST:PORT CODE"), "{told}");
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(adbd.encrypted.load(Ordering::SeqCst), 0);

    adbd.paired.with(&key);
    let mut device = AndroidDevice::open(options.clone(), soon()).await.unwrap();
    reset(&mut device).await;
    let seen = look(&mut device).await;
    assert_eq!(seen.picture.size(), (1080, 2400));
    assert!(!is_blind(&seen));
    let row = seen.elements.iter().find(|e| e.name.contains("Display")).unwrap();
    let report = device.perform(&tap(row.hit), soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
    assert_ne!(texts(&look(&mut device).await), texts(&seen));
    assert_eq!(adbd.encrypted.load(Ordering::SeqCst), 1);

    // A command's own exit code and standard error come over it, which only version 2 of the shell has.
    let failed = device.probe(&StateProbe::Shell("echo no >&2; exit 3".to_owned()), soon()).await;
    let failed = failed.unwrap_err().to_string();
    assert!(failed.contains("exit code 3: no"), "{failed}");

    // Files of several pieces, both ways.
    let (there, back) = (sim.dir.join("there"), sim.dir.join("back"));
    let bytes: Vec<u8> = (0..200_001_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(&there, &bytes).unwrap();
    device.push(&there, "/data/local/tmp/file", soon()).await.unwrap();
    device.pull("/data/local/tmp/file", &back, soon()).await.unwrap();
    assert!(std::fs::read(&back).unwrap() == bytes);
    let missing = device.pull("/data/local/tmp/none", &sim.dir.join("none"), soon()).await.unwrap_err();
    assert!(matches!(missing, DeviceError::Call { .. }), "{missing}");
    assert!(!sim.dir.join("none").exists());

    // Unplugged and back.
    sim.server.unplug();
    let (seen, ()) = tokio::join!(device.observe(Capture::All, soon()), async {
        sim.server.plug_in().await.unwrap();
    });
    assert!(!is_blind(&seen.unwrap()));
    device.close(soon()).await.unwrap();
}

async fn asks_for_tls_and_says(what: Option<&'static [u8]>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                packet(&mut socket).await?;
                socket.write_all(&start_tls()).await?;
                packet(&mut socket).await?;
                if let Some(what) = what {
                    socket.write_all(what).await?;
                }
                // Held open until the other side leaves.
                tokio::io::copy(&mut socket, &mut tokio::io::sink()).await
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_speaks_no_tls_after_all_is_told_of_in_time() {
    let sim = Sim::start().await;
    let mut options = sim.options();
    options.adb.key = Some(sim.dir.join("adbkey"));
    options.target = PhoneTarget::Tcp(asks_for_tls_and_says(Some(b"HTTP/1.1 400 Bad Request\r\n\r\n")).await);
    let told = AndroidDevice::open(options.clone(), soon()).await.err().unwrap();
    assert!(matches!(told, DeviceError::Start { .. }), "{told}");
    options.target = PhoneTarget::Tcp(asks_for_tls_and_says(None).await);
    let told = AndroidDevice::open(options, Deadline::after(Duration::from_secs(1))).await.err().unwrap();
    assert!(matches!(told, DeviceError::Timeout { .. }), "{told}");
}
