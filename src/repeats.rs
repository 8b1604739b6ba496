//! Warnings that are logged again and again, told once and then counted.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// The most lines that are remembered; further ones pass each time.
const REMEMBERED: usize = 1000;

/// Makes writers that let an equal line pass the first time only; the tenth, the hundredth and so on say how many there
/// were. What is written at once is taken for one line of the log.
pub struct Repeats<F> {
    make: F,
    seen: Mutex<HashMap<Vec<u8>, u64>>,
}

impl<F> Repeats<F> {
    pub fn new(make: F) -> Self {
        Self { make, seen: Mutex::default() }
    }
}

impl<'a, F: Fn() -> W + 'a, W: Write + 'a> MakeWriter<'a> for Repeats<F> {
    type Writer = RepeatsWriter<'a, W>;

    fn make_writer(&'a self) -> Self::Writer {
        RepeatsWriter { to: (self.make)(), seen: &self.seen }
    }
}

pub struct RepeatsWriter<'a, W> {
    to: W,
    seen: &'a Mutex<HashMap<Vec<u8>, u64>>,
}

impl<W: Write> Write for RepeatsWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            match seen.get_mut(bytes) {
                Some(count) => {
                    *count += 1;
                    *count
                }
                None => {
                    if seen.len() < REMEMBERED {
                        seen.insert(bytes.to_owned(), 1);
                    }
                    1
                }
            }
        };
        if count == 1 {
            self.to.write_all(bytes)?;
        } else if 10_u64.checked_pow(count.ilog10()) == Some(count) {
            let line = bytes.trim_ascii_end();
            self.to.write_all(&[line, format!(" ({count} times)\n").as_bytes()].concat())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn equal_warnings_of_the_log_are_told_once_and_counted() {
        let to = Shared::default();
        let made = to.clone();
        let log = tracing_subscriber::fmt().with_ansi(false).without_time().with_target(false);
        let log = log.with_writer(Repeats::new(move || made.clone())).finish();
        tracing::subscriber::with_default(log, || {
            for _ in 0..123 {
                tracing::warn!("no accessibility");
            }
            tracing::warn!(episode = 1, "invalid attempt");
            tracing::warn!(episode = 2, "invalid attempt");
        });
        let said = String::from_utf8(to.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = said.lines().map(str::trim_start).collect();
        let want = [
            "WARN no accessibility",
            "WARN no accessibility (10 times)",
            "WARN no accessibility (100 times)",
            "WARN invalid attempt episode=1",
            "WARN invalid attempt episode=2",
        ];
        assert_eq!(lines, want);
    }
}
