//! Codes of the moment, for logins with a second factor (RFC 6238).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::BASE32_NOPAD;
use ring::hmac;
use url::Url;

use super::forms::SecretFinder;

/// A key that codes are made of, and the codes that were handed out, which are masked from then on.
pub struct OneTimeCodes {
    key: hmac::Key,
    digits: u32,
    /// Seconds that a code is good for.
    period: u64,
    told: Mutex<BTreeMap<String, Arc<SecretFinder>>>,
}

impl OneTimeCodes {
    /// Reads a key: in base32, as sites show it, or as the `otpauth://totp/` address that their QR codes hold.
    ///
    /// # Errors
    /// What is wrong with it; nothing of the key is in the words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if !text.starts_with("otpauth:") {
            return Self::new(text, hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, 6, 30);
        }
        let address =
            Url::parse(text).map_err(|error| format!("its otpauth address cannot be read ({error})"))?;
        if address.host_str() != Some("totp") {
            return Err("its otpauth address is not of the kind totp".to_owned());
        }
        let given: BTreeMap<_, _> = address.query_pairs().collect();
        let number = |name: &str, usual: u64| match given.get(name) {
            Some(text) => text.parse().map_err(|_| format!("its {name} is not a number")),
            None => Ok(usual),
        };
        let algorithm = match given.get("algorithm").map(|name| name.to_ascii_uppercase()).as_deref() {
            None | Some("SHA1") => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            Some("SHA256") => hmac::HMAC_SHA256,
            Some("SHA512") => hmac::HMAC_SHA512,
            Some(_) => return Err("its algorithm is none of SHA1, SHA256 and SHA512".to_owned()),
        };
        let digits = u32::try_from(number("digits", 6)?).unwrap_or(u32::MAX);
        let key = given.get("secret").ok_or("its otpauth address has no secret")?;
        Self::new(key, algorithm, digits, number("period", 30)?)
    }

    fn new(key: &str, algorithm: hmac::Algorithm, digits: u32, period: u64) -> Result<Self, String> {
        if !(6..=8).contains(&digits) || period == 0 {
            return Err("its codes must have 6 to 8 digits and a period of at least 1 s".to_owned());
        }
        let plain: String = key
            .chars()
            .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '='))
            .collect::<String>()
            .to_uppercase();
        match BASE32_NOPAD.decode(plain.as_bytes()) {
            Ok(key) if !key.is_empty() => {
                Ok(Self { key: hmac::Key::new(algorithm, &key), digits, period, told: Mutex::default() })
            }
            _ => Err("its key is not base32 (letters A to Z and digits 2 to 7)".to_owned()),
        }
    }

    /// The code of now; it is masked from here on.
    pub(super) fn hand_out(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let code = self.at(now);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.entry(code.clone()).or_insert_with(|| Arc::new(SecretFinder::new(&code)));
        code
    }

    pub(super) fn finders(&self) -> Vec<Arc<SecretFinder>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// The code at a time in seconds since 1970 (RFC 6238, section 4; RFC 4226, section 5.3).
    fn at(&self, seconds: u64) -> String {
        let counter = (seconds / self.period).to_be_bytes();
        let hash = hmac::sign(&self.key, &counter);
        let hash = hash.as_ref();
        let offset = usize::from(hash.last().map_or(0, |byte| byte & 15));
        let four = hash.iter().skip(offset).take(4).fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte));
        let digits = self.digits as usize;
        format!("{:0digits$}", (four & 0x7fff_ffff) % 10_u32.pow(self.digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6238, appendix B: the keys are the digits 1 to 0 again and again, 20, 32 and 64 bytes.
    #[test]
    fn codes_are_those_of_the_standard() {
        let key = |bytes: usize| BASE32_NOPAD.encode(&b"1234567890".repeat(7)[..bytes]);
        for (seconds, sha1, sha256, sha512) in [
            (59, "94287082", "46119246", "90693936"),
            (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"),
            (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"),
            (20_000_000_000, "65353130", "77737706", "47863826"),
        ] {
            for (algorithm, bytes, code) in
                [("SHA1", 20, sha1), ("sha256", 32, sha256), ("SHA512", 64, sha512)]
            {
                let address =
                    format!("otpauth://totp/a:b?secret={}&algorithm={algorithm}&digits=8", key(bytes));
                assert_eq!(OneTimeCodes::parse(&address).unwrap().at(seconds), code, "{algorithm} {seconds}");
            }
        }
        let plain = OneTimeCodes::parse(" gezd gnbv-gy3t qojq GEZDGNBVGY3TQOJQ ").unwrap();
        assert_eq!(plain.at(59), "287082");
    }

    #[test]
    fn what_is_no_key_is_refused_without_showing_it() {
        for bad in [
            "",
            "8190",
            "otpauth://hotp/a?secret=GEZDGNBV",
            "otpauth://totp/a",
            "otpauth://totp/a?secret=GEZDGNBV&digits=4",
            "otpauth://totp/a?secret=GEZDGNBV&period=0",
            "otpauth://totp/a?secret=GEZDGNBV&algorithm=MD5",
        ] {
            let error = OneTimeCodes::parse(bad).err().unwrap();
            assert!(!error.contains("GEZD") && !error.contains("8190"), "{error}");
        }
    }
}
