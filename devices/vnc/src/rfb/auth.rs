//! VNC's password: a challenge that is encrypted with it (RFC 6143, 7.2.2).

use des::Des;
use des::cipher::{BlockCipherEncrypt as _, KeyInit as _};

/// The bytes of a password that count.
const LENGTH: usize = 8;

/// What is answered to a challenge. Each byte of the key has its bits in the other order, as all servers expect.
pub(crate) fn answer(challenge: [u8; 16], password: &str) -> [u8; 16] {
    let mut key = [0; LENGTH];
    for (to, from) in key.iter_mut().zip(password.bytes()) {
        *to = from.reverse_bits();
    }
    let cipher = Des::new(&key.into());
    let mut answer = challenge;
    for half in answer.as_chunks_mut::<8>().0 {
        let mut block = (*half).into();
        cipher.encrypt_block(&mut block);
        *half = block.into();
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cipher_is_des_and_eight_bytes_of_a_password_count() {
        let challenge = [7; 16];
        assert_eq!(answer(challenge, "longer than"), answer(challenge, "longer t"));
        assert_ne!(answer(challenge, "longer t"), answer(challenge, "longer u"));
        assert_eq!(answer(challenge, "x")[..8], answer(challenge, "x")[8..]);
        // A vector of FIPS 81: key 0123456789abcdef, "Now is t". The password has each byte's bits turned round.
        let key = [0x01_u8, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
        let cipher = Des::new(&key.into());
        let mut block = (*b"Now is t").into();
        cipher.encrypt_block(&mut block);
        let block: [u8; 8] = block.into();
        assert_eq!(block, [0x3f, 0xa4, 0x0e, 0x8a, 0x98, 0x4d, 0x48, 0x15]);
    }
}
