//! The key that a phone knows a computer by: RSA of 2048 bits, as adb keeps it.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, LineEnding};
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, Pkcs1v15Sign, RsaPrivateKey};

use waldo_devices::error::{DeviceError, Result};

const BITS: usize = 2048;
/// The modulus in words of 32 bits.
const WORDS: usize = BITS / 32;
/// The DER bytes that say "SHA-1 of 20 bytes" before the token, which is signed as if it were one.
const SHA1: [u8; 15] =
    [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14];

pub(super) struct AdbKey(RsaPrivateKey);

fn unusable(path: &Path, message: &dyn std::fmt::Display) -> DeviceError {
    let what = format!("the adb key {}", path.display());
    DeviceError::start(what, message, "remove it to have a new one made, or name another")
}

impl AdbKey {
    pub(super) fn load(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Self::random() };
        match std::fs::read_to_string(path) {
            Ok(pem) => RsaPrivateKey::from_pkcs8_pem(&pem).map(Self).map_err(|error| unusable(path, &error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let key = Self::random()?;
                let pem = key.0.to_pkcs8_pem(LineEnding::LF).map_err(|error| unusable(path, &error))?;
                let mut file = std::fs::OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(path)
                    .map_err(|error| unusable(path, &error))?;
                file.write_all(pem.as_bytes()).map_err(|error| unusable(path, &error))?;
                Ok(key)
            }
            Err(error) => Err(unusable(path, &error)),
        }
    }

    /// As [`Self::load`], where making a key holds nobody up.
    pub(super) async fn load_apart(path: Option<&Path>) -> Result<Self> {
        let path = path.map(Path::to_owned);
        let made = tokio::task::spawn_blocking(move || Self::load(path.as_deref()));
        made.await?
    }

    pub(super) fn der(&self) -> Result<rsa::pkcs8::SecretDocument> {
        self.0.to_pkcs8_der().map_err(|error| unusable(Path::new("(in use)"), &error))
    }

    fn random() -> Result<Self> {
        RsaPrivateKey::new(&mut rsa::rand_core::OsRng, BITS)
            .map(Self)
            .map_err(|error| unusable(Path::new("(new)"), &error))
    }

    pub(super) fn sign(&self, token: &[u8]) -> Result<Vec<u8>> {
        let scheme = Pkcs1v15Sign { hash_len: Some(20), prefix: SHA1.into() };
        self.0.sign(scheme, token).map_err(|error| unusable(Path::new("(in use)"), &error))
    }

    /// The public key as phones store it: modulus, its Montgomery constants and the exponent in little
    /// endian words, in base64, then a name and a zero byte.
    pub(super) fn public(&self) -> Vec<u8> {
        let n = self.0.n();
        let r = BigUint::from(1u8) << BITS;
        let rr = (&r * &r) % n;
        // -1/n mod 2^32 by Newton's method: each round doubles the bits that are right.
        let low = n.to_bytes_le().iter().take(4).rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        let mut inverse = 1u32;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u32.wrapping_sub(low.wrapping_mul(inverse)));
        }
        let exponent = self.0.e().to_bytes_le();
        let mut bytes = Vec::with_capacity(12 + WORDS * 8);
        bytes.extend((WORDS as u32).to_le_bytes());
        bytes.extend(inverse.wrapping_neg().to_le_bytes());
        for (number, length) in [(n.to_bytes_le(), WORDS * 4), (rr.to_bytes_le(), WORDS * 4), (exponent, 4)] {
            let mut padded = number;
            padded.resize(length, 0);
            bytes.extend(padded);
        }
        format!("{} waldo\0", STANDARD.encode(bytes)).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_and_its_public_form_is_as_phones_have_it() {
        let dir = std::env::temp_dir().join(format!("waldo-key-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("adbkey");
        let first = AdbKey::load(Some(&path)).unwrap();
        let again = AdbKey::load(Some(&path)).unwrap();
        assert_eq!(first.public(), again.public());
        let text = String::from_utf8(first.public()).unwrap();
        let bytes = STANDARD.decode(text.split(' ').next().unwrap()).unwrap();
        assert_eq!(bytes.len(), 524);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((word(0), word(520)), (64, 65537));
        assert_eq!(word(4).wrapping_mul(word(8)), u32::MAX, "n0inv * n = -1 mod 2^32");
        let token = [7u8; 20];
        let scheme = Pkcs1v15Sign { hash_len: Some(20), prefix: SHA1.into() };
        first.0.to_public_key().verify(scheme, &token, &first.sign(&token).unwrap()).unwrap();
        std::fs::remove_dir_all(dir).unwrap();
    }
}
