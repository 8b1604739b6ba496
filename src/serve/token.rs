//! Tokens, which only who was given the address of a page or server has.

use waldo_devices::random;
use waldo_tasks::TaskError;

pub fn token() -> Result<String, TaskError> {
    random::token().map_err(|source| TaskError::Io { what: "read", path: "/dev/urandom".into(), source })
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
    fn only_the_token_itself_is_it() {
        let (a, b) = (token().unwrap(), token().unwrap());
        assert!(
            is_token(&a, &a) && ["", &b, &a[1..], &format!("{a}0")].iter().all(|other| !is_token(other, &a))
        );
    }
}
