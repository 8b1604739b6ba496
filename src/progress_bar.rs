//! A line on the terminal that tells how far something is.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const BAR: u64 = 24;
/// How often the time in the line is brought up to date.
const TICK: Duration = Duration::from_millis(250);
const ERASE: &str = "\r\u{1b}[K";

/// A bar on standard error, gone when it is dropped; nothing is shown where that is no terminal.
pub struct ProgressBar {
    state: Arc<Mutex<BarState>>,
    pub hidden: bool,
}

struct BarState {
    total: u64,
    done: u64,
    message: String,
    began: Instant,
    ended: bool,
}

impl ProgressBar {
    /// For `total` things; 0 where nobody knows how many there are.
    pub fn new(total: usize) -> Self {
        let (began, hidden) = (Instant::now(), !std::io::stderr().is_terminal());
        let state = BarState { total: total as u64, done: 0, message: String::new(), began, ended: hidden };
        let state = Arc::new(Mutex::new(state));
        let watched = Arc::downgrade(&state);
        let ticks = move || {
            while let Some(state) = watched.upgrade() {
                lock(&state).draw();
                drop(state);
                std::thread::sleep(TICK);
            }
        };
        if !hidden {
            // Without the thread the line shows how it was at the last change.
            let _ = std::thread::Builder::new().name("waldo-progress".to_owned()).spawn(ticks);
        }
        Self { state, hidden }
    }

    pub fn position(&self) -> u64 {
        lock(&self.state).done
    }

    pub fn set_total(&self, total: usize) {
        lock(&self.state).total = total as u64;
    }

    /// Counts one more, with what is told behind the bar.
    pub fn advance(&self, message: &str) {
        let mut state = lock(&self.state);
        state.done += 1;
        state.message = crate::out::plain(message, 400);
        state.draw();
    }

    pub fn suspend(&self, print: impl FnOnce()) {
        let state = lock(&self.state);
        state.erase();
        print();
        state.draw();
    }

    pub fn clear(&self) {
        let mut state = lock(&self.state);
        state.erase();
        state.ended = true;
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.clear();
    }
}

fn lock(state: &Mutex<BarState>) -> MutexGuard<'_, BarState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BarState {
    fn draw(&self) {
        if !self.ended {
            // A terminal that does not know its width says 0.
            let told = rustix::termios::tcgetwinsize(std::io::stderr()).map_or(0, |size| size.ws_col);
            let width = if told == 0 { 80 } else { told };
            let line = self.line(self.began.elapsed());
            let shown: String = line.chars().take(usize::from(width) - 1).collect();
            let _ = std::io::stderr().lock().write_all(format!("{ERASE}{shown}").as_bytes());
        }
    }

    fn erase(&self) {
        if !self.ended {
            let _ = std::io::stderr().lock().write_all(ERASE.as_bytes());
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let Self { total, done, message, .. } = self;
        if *total == 0 {
            return format!("{} {message}", clock(elapsed.as_secs()));
        }
        let full = (done * BAR / total).min(BAR);
        let bar: String = (0..BAR).map(|at| if at < full { '\u{2588}' } else { '\u{2591}' }).collect();
        // How long it takes is not known before something has ended.
        let left = |done: u64| elapsed.as_secs() * total.saturating_sub(done) / done;
        let eta = if *done == 0 { String::new() } else { format!("eta {} ", clock(left(*done))) };
        format!("{} {bar} {done}/{total} {eta}{message}", clock(elapsed.as_secs()))
    }
}

/// Seconds as hours, minutes and seconds.
fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_how_far_it_is_and_for_how_long() {
        let state = |total, done| BarState {
            total,
            done,
            message: "a 50 %".into(),
            began: Instant::now(),
            ended: true,
        };
        let line = |total, done| state(total, done).line(Duration::from_secs(3_700));
        assert_eq!(line(0, 7), "01:01:40 a 50 %");
        assert!(line(4, 0).ends_with(&format!(" {} 0/4 a 50 %", "\u{2591}".repeat(24))));
        let half = format!("{}{}", "\u{2588}".repeat(12), "\u{2591}".repeat(12));
        assert_eq!(line(4, 2), format!("01:01:40 {half} 2/4 eta 01:01:40 a 50 %"));
        assert!(line(4, 5).ends_with("5/4 eta 00:00:00 a 50 %"));
    }
}
