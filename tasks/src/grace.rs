//! Checks that are put again for a moment: a program that was told to save writes its file when it gets to it.

use std::time::Duration;

use async_trait::async_trait;
use waldo_devices::Deadline;

use crate::error::Result;
use crate::record::Outcome;
use crate::suite::{Judgement, Looks};
use crate::task::Verdict;

/// How long checks that do not hold yet are put again.
const GRACE: Duration = Duration::from_secs(5);
/// Between two rounds of checks; after a round that read the whole state in vain, twice as long each time.
const ROUND: Duration = Duration::from_millis(250);

/// What can be judged more than once.
#[async_trait]
pub(crate) trait Rejudged: Send {
    async fn judge(&mut self, looks: Looks) -> Result<Judgement>;
}

/// What is found of `judged`, asked again while it is not a success. The whole state is read at once, then only where all else
/// holds, and when the grace is over: what is told in the end is how it is then.
pub(crate) async fn with_grace(
    outcome: &Outcome,
    deadline: Deadline,
    judged: &mut dyn Rejudged,
) -> Result<Verdict> {
    // What the agent itself said does not change by waiting.
    let grace = if *outcome == Outcome::Finished { GRACE } else { Duration::ZERO };
    in_rounds(grace, ROUND, deadline, judged).await
}

async fn in_rounds(
    grace: Duration,
    mut pause: Duration,
    deadline: Deadline,
    judged: &mut dyn Rejudged,
) -> Result<Verdict> {
    let end = deadline.at_most(grace);
    loop {
        let last = end.passed();
        let verdict = Verdict::from(judged.judge(Looks::All).await?);
        if verdict.success == 1.0 || last {
            return Ok(verdict);
        }
        loop {
            tokio::time::sleep(pause.min(end.left())).await;
            if deadline.passed() {
                return Ok(verdict);
            }
            let holds = |found: Judgement| found.checks.iter().all(|check| check.passed);
            if end.passed() || judged.judge(Looks::WithoutState).await.map(holds)? {
                break;
            }
        }
        pause *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::CheckResult;

    /// A file that is saved after so many rounds, on a state that is right from that reading on; how often each was looked at.
    struct Saving {
        saved_at: u32,
        right_at: u32,
        rounds: u32,
        readings: u32,
    }

    #[async_trait]
    impl Rejudged for Saving {
        async fn judge(&mut self, looks: Looks) -> Result<Judgement> {
            let check = |passed| CheckResult::new("", passed, "");
            let mut checks = vec![check(self.rounds >= self.saved_at)];
            match looks {
                Looks::WithoutState => self.rounds += 1,
                Looks::All => {
                    self.readings += 1;
                    checks.push(check(self.readings >= self.right_at));
                }
            }
            Ok(Judgement { checks, changes: Vec::new() })
        }
    }

    /// The success, the rounds without the state, and the readings of it.
    async fn played(grace_ms: u64, saved_at: u32, right_at: u32) -> (f64, u32, u32) {
        let (grace, pause) = (Duration::from_millis(grace_ms), Duration::from_millis(10));
        let mut saving = Saving { saved_at, right_at, rounds: 0, readings: 0 };
        let deadline = Deadline::after(Duration::from_secs(90));
        let success = in_rounds(grace, pause, deadline, &mut saving).await.unwrap().success;
        (success, saving.rounds, saving.readings)
    }

    #[tokio::test]
    async fn the_whole_state_is_read_again_only_where_all_else_holds() {
        let (long, short, never) = (60_000, 200, u32::MAX);
        assert_eq!(played(long, 0, 0).await, (1.0, 0, 1));
        assert_eq!(played(long, 7, 0).await, (1.0, 8, 2));
        assert_eq!(played(long, 0, 3).await, (1.0, 2, 3));
        // Never saved: at the start and at the end.
        let (success, rounds, readings) = played(short, never, 0).await;
        assert!(success == 0.0 && rounds > 0 && readings == 2, "{rounds} {readings}");
        // Saved, and never right: pauses grow.
        let (success, _, readings) = played(short, 0, never).await;
        assert!(success == 0.0 && (2..=7).contains(&readings), "{readings}");
        assert_eq!(played(0, 7, 0).await, (0.0, 0, 1));
    }
}
