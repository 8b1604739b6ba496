use std::io;

use data_encoding::HEXLOWER;
use ring::rand::{SecureRandom as _, SystemRandom};

pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| io::Error::other("the system has no random bytes"))?;
    Ok(bytes)
}

/// 128 random bits as hexadecimal digits: who was given it, may come in.
pub fn token() -> io::Result<String> {
    Ok(HEXLOWER.encode(&random_bytes::<16>()?))
}
