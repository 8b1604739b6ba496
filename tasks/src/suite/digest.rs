//! What is computed from the bytes of a suite: the hash of a folder, and the seeds of streams.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::Parts;

/// SHA-256 over names and contents, each behind its length so that no two folders run together.
pub(super) fn hash_of(files: &Parts) -> String {
    let mut hash = Sha256::new();
    for part in files.iter().flat_map(|(path, content)| [path.as_bytes(), content]) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    HEXLOWER.encode(&hash.finalize())
}

/// The first eight bytes (big-endian) of a text's SHA-256.
pub(super) fn first_eight(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}
