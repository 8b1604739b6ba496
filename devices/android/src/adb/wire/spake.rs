//! The exchange by which two sides that know the same code agree on a key: SPAKE2 over edwards25519, in the form of
//! adb's own library (BoringSSL), which differs from the RFC's in its points, its transcript and its hash.
//!
//! That form multiplies scalars of 256 bits by eight to be rid of the curve's cofactor. Here points are multiplied by
//! eight and scalars divided by it, which comes to the same and stays within what the curve's library has.

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use ring::digest::{SHA512, digest};

/// The point by which who asks hides its message; each follows from a sentence by SHA-256.
const M: [u8; 32] = [
    0x5a, 0xda, 0x7e, 0x4b, 0xf6, 0xdd, 0xd9, 0xad, 0xb6, 0x62, 0x6d, 0x32, 0x13, 0x1c, 0x6b, 0x5c, 0x51,
    0xa1, 0xe3, 0x47, 0xa3, 0x47, 0x8f, 0x53, 0xcf, 0xcf, 0x44, 0x1b, 0x88, 0xee, 0xd1, 0x2e,
];
/// The point by which who is asked does.
const N: [u8; 32] = [
    0x10, 0xe3, 0xdf, 0x0a, 0xe3, 0x7d, 0x8e, 0x7a, 0x99, 0xb5, 0xfe, 0x74, 0xb4, 0x46, 0x72, 0x10, 0x3d,
    0xbd, 0xdc, 0xbd, 0x06, 0xaf, 0x68, 0x0d, 0x71, 0x32, 0x9a, 0x11, 0x69, 0x3b, 0xc7, 0x78,
];
/// What the two sides are called, with the zero byte that adb counts in.
const HOST: &[u8] = b"adb pair client\0";
const PHONE: &[u8] = b"adb pair server\0";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpakeSide {
    Host,
    #[cfg(test)]
    Phone,
}

pub(super) struct Spake {
    side: SpakeSide,
    /// An eighth of the private key.
    secret: Scalar,
    mask: Scalar,
    password: Vec<u8>,
    pub(super) message: [u8; 32],
}

fn eight_times(point: &[u8; 32]) -> Option<EdwardsPoint> {
    Some(CompressedEdwardsY(*point).decompress()?.mul_by_cofactor())
}

impl SpakeSide {
    /// The point that hides this side's message, and the one that hides the other's.
    fn points(self) -> (&'static [u8; 32], &'static [u8; 32]) {
        match self {
            Self::Host => (&M, &N),
            #[cfg(test)]
            Self::Phone => (&N, &M),
        }
    }
}

impl Spake {
    pub(super) fn new(side: SpakeSide, password: &[u8], chance: &[u8; 64]) -> Option<Self> {
        let hashed = digest(&SHA512, password).as_ref().to_vec();
        let wide: [u8; 64] = hashed.as_slice().try_into().ok()?;
        let mask = Scalar::from_bytes_mod_order_wide(&wide) * Scalar::from(8u8).invert();
        let secret = Scalar::from_bytes_mod_order_wide(chance);
        let hidden = EdwardsPoint::mul_base(&secret).mul_by_cofactor() + eight_times(side.points().0)? * mask;
        Some(Self { side, secret, mask, password: hashed, message: hidden.compress().to_bytes() })
    }

    /// The key that follows from the other side's message; `None` where that is not a point of the curve.
    pub(super) fn key(&self, theirs: &[u8]) -> Option<[u8; 64]> {
        let theirs: [u8; 32] = theirs.try_into().ok()?;
        let hidden = CompressedEdwardsY(theirs).decompress()?;
        let plain = hidden - eight_times(self.side.points().1)? * self.mask;
        let shared = (plain.mul_by_cofactor() * self.secret).compress().to_bytes();
        let (first, second) = match self.side {
            SpakeSide::Host => (&self.message, &theirs),
            #[cfg(test)]
            SpakeSide::Phone => (&theirs, &self.message),
        };
        let mut said = Vec::new();
        for part in [HOST, PHONE, first, second, &shared, &self.password] {
            said.extend((part.len() as u64).to_le_bytes());
            said.extend_from_slice(part);
        }
        digest(&SHA512, &said).as_ref().try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::digest::SHA256;

    fn pair(host: &[u8], phone: &[u8]) -> (Spake, Spake) {
        (
            Spake::new(SpakeSide::Host, host, &[0x11; 64]).unwrap(),
            Spake::new(SpakeSide::Phone, phone, &[0x22; 64]).unwrap(),
        )
    }

    #[test]
    fn the_points_follow_from_their_sentences() {
        for (name, point) in [("M", M), ("N", N)] {
            let sentence = format!("edwards25519 point generation seed ({name})");
            let mut bytes: [u8; 32] = digest(&SHA256, sentence.as_bytes()).as_ref().try_into().unwrap();
            let found = loop {
                match CompressedEdwardsY(bytes).decompress() {
                    Some(found) => break found,
                    None => bytes = digest(&SHA256, &bytes).as_ref().try_into().unwrap(),
                }
            };
            assert_eq!(found.compress().to_bytes(), point, "{name}");
        }
    }

    #[test]
    fn both_sides_agree_where_their_codes_do_in_the_librarys_form() {
        let (host, phone) = pair(b"123456", b"123456");
        assert_eq!(host.key(&phone.message).unwrap(), phone.key(&host.message).unwrap());
        let (host, phone) = pair(b"123456", b"123457");
        assert_ne!(host.key(&phone.message).unwrap(), phone.key(&host.message).unwrap());
        let mut off = [0; 32];
        off[0] = 2;
        assert_eq!(host.key(&off), None);
        assert_eq!(host.key(b"short"), None);
        // Worked out by whole numbers in another language, with scalars of 256 bits as the library has them.
        let password: Vec<u8> = b"204816".iter().copied().chain((192..=255).rev()).collect();
        let host = Spake::new(SpakeSide::Host, &password, &[0x33; 64]).unwrap();
        let phone = Spake::new(SpakeSide::Phone, &password, &[0x44; 64]).unwrap();
        let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
        assert_eq!(hex(&host.message), "02a78d165c01bb4f4c65308e144430b41896ac41c87d031b2ea0b2df6fa88e9c");
        assert_eq!(hex(&phone.message), "bd3a1628969a33f3d1ce4b78de267d36033b0439aada20fb5e700f3154b66fda");
        assert!(hex(&host.key(&phone.message).unwrap()).starts_with("0194619d852cf25759e429d8f0cd80f5"));
    }
}
