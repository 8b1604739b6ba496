//! Pairing with a phone that shows a code: both prove that they know it, then each tells who it is.

use std::net::SocketAddr;
use std::path::Path;

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::key::AdbKey;
use super::spake::{Spake, SpakeSide};
use super::tls;
use crate::adb::{gone, lost, within};
use waldo_devices::{Deadline, DeviceError, Result};

const VERSION: u8 = 1;
const EXCHANGE: u8 = 0;
const WHO: u8 = 1;
/// The longest packet that is read.
const PACKET_MAX: usize = 1 << 14;
/// What a side tells of itself: a byte for its kind, then text, then zeros.
const WHO_LENGTH: usize = 8192;
/// The kinds: a computer's public key, and a phone's name.
const PUBLIC_KEY: u8 = 0;
/// Where TLS keys that both sides add to the code come from; the zero byte belongs to it.
const LABEL: &[u8] = b"adb-label\0";
/// What the key of the last packets is derived for; no zero byte here.
const PURPOSE: &[u8] = b"adb pairing_auth aes-128-gcm key";

/// Has the phone that shows `code` at `address` know the key in `key`, which may be new. Returns its name.
pub async fn pair(address: SocketAddr, code: &str, key: &Path, deadline: Deadline) -> Result<String> {
    let name = format!("the phone at {address}");
    within(&format!("pairing with {name}"), deadline, async {
        let key = AdbKey::load_apart(Some(key)).await?;
        let stream = TcpStream::connect(address).await.map_err(|error| DeviceError::Absent {
            what: format!("no phone waits to be paired at {address}: {error}"),
            hint: "use the address and port that it shows beside the code, while it shows them".to_owned(),
        })?;
        let mut stream = tls::upgrade(Box::new(stream), &name, &key).await?;
        let mut shared = [0; 64];
        stream
            .get_ref()
            .1
            .export_keying_material(&mut shared, LABEL, None)
            .map_err(|error| gone(format!("{name}: {error}")))?;
        let theirs =
            exchange(&mut stream, SpakeSide::Host, code, &shared, (PUBLIC_KEY, &key.public()), &name).await?;
        let told = theirs.get(1..).unwrap_or_default();
        let told = told.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(told).into_owned())
    })
    .await
}

/// Proves the code, and tells and learns who the sides are.
async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    side: SpakeSide,
    code: &str,
    shared: &[u8; 64],
    who: (u8, &[u8]),
    name: &str,
) -> Result<Vec<u8>> {
    let broken = || gone(format!("{name}: pairing failed here"));
    let mut chance = [0; 64];
    SystemRandom::new().fill(&mut chance).map_err(|_| broken())?;
    let password = [code.as_bytes(), shared].concat();
    let spake = Spake::new(side, &password, &chance).ok_or_else(broken)?;
    write(stream, EXCHANGE, &spake.message).await?;
    let theirs = read(stream, EXCHANGE, name).await?;
    let key =
        spake.key(&theirs).ok_or_else(|| gone(format!("{name}: its message is not a point of the curve")))?;
    let cipher = cipher(&key).ok_or_else(broken)?;
    let mut sealed = vec![0; WHO_LENGTH];
    let text = sealed.get_mut(1..=who.1.len()).ok_or_else(broken)?;
    text.copy_from_slice(who.1);
    sealed[0] = who.0;
    cipher
        .seal_in_place_append_tag(Nonce::assume_unique_for_key([0; 12]), Aad::empty(), &mut sealed)
        .map_err(|_| broken())?;
    write(stream, WHO, &sealed).await?;
    // A phone that could not read ours ends the connection, or sends what we cannot read.
    let hint = "type the code that it shows now; after a failure it shows another, at another port";
    let wrong = || DeviceError::start(name, "it did not take the code", hint);
    let mut theirs = read(stream, WHO, name).await.map_err(|error| match error {
        DeviceError::Gone { .. } => wrong(),
        other => other,
    })?;
    // The same number: either side counts what it sends itself.
    let plain = cipher
        .open_in_place(Nonce::assume_unique_for_key([0; 12]), Aad::empty(), &mut theirs)
        .map_err(|_| wrong())?;
    Ok(plain.to_vec())
}

struct SixteenBytes;

impl KeyType for SixteenBytes {
    fn len(&self) -> usize {
        16
    }
}

fn cipher(key: &[u8; 64]) -> Option<LessSafeKey> {
    let mut bytes = [0; 16];
    let derived = Salt::new(HKDF_SHA256, &[]).extract(key);
    derived.expand(&[PURPOSE], SixteenBytes).and_then(|material| material.fill(&mut bytes)).ok()?;
    UnboundKey::new(&AES_128_GCM, &bytes).ok().map(LessSafeKey::new)
}

async fn write(to: &mut (impl AsyncWrite + Unpin), kind: u8, data: &[u8]) -> Result<()> {
    let mut bytes = vec![VERSION, kind];
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend_from_slice(data);
    let sent = async {
        to.write_all(&bytes).await?;
        to.flush().await
    };
    sent.await.map_err(|error| lost("pairing", &error))
}

async fn read(from: &mut (impl AsyncRead + Unpin), kind: u8, name: &str) -> Result<Vec<u8>> {
    let mut head = [0; 6];
    from.read_exact(&mut head).await.map_err(|error| lost(name, &error))?;
    let [version, is, length @ ..] = head;
    let length = u32::from_be_bytes(length) as usize;
    if version != VERSION || is != kind || length > PACKET_MAX {
        let hint = "use the port that it shows beside the code, not the one of \"IP address & port\"";
        return Err(DeviceError::start(name, "it does not speak adb's pairing", hint));
    }
    let mut data = vec![0; length];
    from.read_exact(&mut data).await.map_err(|error| lost(name, &error))?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::Arc;
    use std::time::Duration;

    use rustls::ServerConfig;
    use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    use tokio::net::TcpListener;
    use tokio::task::JoinHandle;
    use tokio_rustls::TlsAcceptor;

    use super::*;

    /// A phone that shows this code to the next who comes, and what it learns.
    async fn phone(code: &'static str) -> (SocketAddr, JoinHandle<Result<Vec<u8>>>) {
        let own = rcgen::generate_simple_self_signed(["adbd".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let learnt = tokio::spawn(async move {
            let (socket, _) = listener.accept().await.unwrap();
            let mut stream = TlsAcceptor::from(Arc::new(config)).accept(socket).await.unwrap();
            let mut shared = [0; 64];
            stream.get_ref().1.export_keying_material(&mut shared, LABEL, None).unwrap();
            exchange(&mut stream, SpakeSide::Phone, code, &shared, (1, b"adb-WALDO0001-x"), "the host").await
        });
        (address, learnt)
    }

    #[tokio::test]
    async fn a_phone_learns_the_key_of_who_knows_its_code() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("adbkey");
        let deadline = Deadline::after(Duration::from_secs(60));
        let (address, learnt) = phone("923001").await;
        assert_eq!(pair(address, "923001", &path, deadline).await.unwrap(), "adb-WALDO0001-x");
        let learnt = learnt.await.unwrap().unwrap();
        let public = AdbKey::load(Some(&path)).unwrap().public();
        assert_eq!(learnt.len(), WHO_LENGTH);
        assert_eq!((learnt[0], &learnt[1..=public.len()]), (PUBLIC_KEY, public.as_slice()));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

        let (address, learnt) = phone("923001").await;
        let told = pair(address, "923002", &path, deadline).await.unwrap_err().to_string();
        assert!(told.contains("did not take the code"), "{told}");
        assert!(learnt.await.unwrap().is_err());
    }
}
