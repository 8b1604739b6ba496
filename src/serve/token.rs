//! Tokens, which only who was given the address of a page or server has.

use std::io::Read as _;
use std::path::Path;

use data_encoding::HEXLOWER;
use waldo_tasks::TaskError;

/// 128 bits of the system's chance, as hexadecimal digits.
///
/// # Errors
/// When the system gives none.
pub fn token() -> Result<String, TaskError> {
    let source = Path::new("/dev/urandom");
    let mut bytes = [0_u8; 16];
    std::fs::File::open(source)
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|e| TaskError::Io { what: "read", path: source.to_owned(), source: e })?;
    Ok(HEXLOWER.encode(&bytes))
}

/// Whether `given` is `token`, compared in a time that says nothing of it.
pub fn is_token(given: &str, token: &str) -> bool {
    let differ = given.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == token.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::{is_token, token};

    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (token().unwrap(), token().unwrap());
        assert!(a.len() == 32 && a != b, "{a} {b}");
        assert!(
            is_token(&a, &a) && ["", &b, &a[1..], &format!("{a}0")].iter().all(|other| !is_token(other, &a))
        );
    }
}
