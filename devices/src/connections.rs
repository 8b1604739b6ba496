use std::io;
use std::time::Duration;

/// How long is waited after a connection that could not be obtained.
const RESTS: Duration = Duration::from_millis(100);

/// The next connection. One that cannot be had (it went at once, or too many files are open) does not end a server, nor
/// keep it busy.
pub async fn next_connection<T, F: Future<Output = io::Result<T>>>(mut accept: impl FnMut() -> F) -> T {
    loop {
        match accept().await {
            Ok(connection) => return connection,
            Err(error) => {
                tracing::warn!(%error, "a client could not connect");
                tokio::time::sleep(RESTS).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_that_cannot_be_had_is_rested_after() {
        let began = std::time::Instant::now();
        let mut came =
            [Err(io::ErrorKind::Other.into()), Err(io::ErrorKind::Other.into()), Ok(7)].into_iter();
        let next = next_connection(|| std::future::ready(came.next().unwrap())).await;
        assert_eq!(next, 7);
        assert!(began.elapsed() >= RESTS * 2);
    }
}
