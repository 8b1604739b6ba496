//! What reading and judging the files of others may cost.
//!
//! One [`Budget`] covers a whole judgement: every sheet, range, part, page and picture that it looks at takes from
//! the same account, which belongs to the thread that judges. Once an account is overdrawn it stays so, whoever
//! ignores the error: [`judged`] hands that out beside the result, which then counts for nothing.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::error::OfficeError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    Cells,
    /// Nodes of XML and HTML, attributes included.
    Nodes,
    Pixels,
    /// Bytes of text that is copied out of a file.
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub cells: u64,
    pub nodes: u64,
    /// Of [`Cost::Pixels`].
    pub pixels: u64,
    /// Of [`Cost::Bytes`].
    pub bytes: u64,
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            cells: 2_000_000,
            nodes: 20_000_000,
            pixels: 64_000_000,
            bytes: 256 << 20,
            time: Duration::from_secs(30),
        }
    }
}

impl Budget {
    fn of(&mut self, cost: Cost) -> (&mut u64, &'static str) {
        match cost {
            Cost::Cells => (&mut self.cells, "cells"),
            Cost::Nodes => (&mut self.nodes, "nodes"),
            Cost::Pixels => (&mut self.pixels, "pixels"),
            Cost::Bytes => (&mut self.bytes, "bytes of text"),
        }
    }
}

struct Account {
    whole: Budget,
    left: Budget,
    end: Instant,
    overdrawn: Option<String>,
}

thread_local! {
    static ACCOUNT: RefCell<Option<Account>> = const { RefCell::new(None) };
}

/// Runs `judge` under `budget`, and says beside its result what it cost too much of, if anything. Inside of another
/// judgement that one's budget holds.
pub fn judged<T>(budget: Budget, judge: impl FnOnce() -> T) -> (T, Option<String>) {
    let inside = ACCOUNT.with_borrow(Option::is_some);
    if !inside {
        let end = Instant::now() + budget.time;
        let account = Account { whole: budget, left: budget, end, overdrawn: None };
        ACCOUNT.set(Some(account));
    }
    let result = judge();
    let overdrawn = match inside {
        true => ACCOUNT.with_borrow(|account| account.as_ref().and_then(|account| account.overdrawn.clone())),
        false => ACCOUNT.take().and_then(|account| account.overdrawn),
    };
    (result, overdrawn)
}

/// Runs `judge` under the usual budget; what costs more is an error.
pub(crate) fn read<T>(judge: impl FnOnce() -> Result<T, OfficeError>) -> Result<T, OfficeError> {
    match judged(Budget::default(), judge) {
        (_, Some(what)) => Err(OfficeError::Unsupported(what)),
        (result, None) => result,
    }
}

/// Takes `amount` from the account. Outside of a judgement a single amount may be as large as a whole budget.
pub fn spend(cost: Cost, amount: u64) -> Result<(), OfficeError> {
    ACCOUNT.with_borrow_mut(|account| {
        let Some(account) = account else {
            let mut usual = Budget::default();
            let (&mut most, name) = usual.of(cost);
            return if amount > most { Err(OfficeError::Unsupported(too_many(most, name))) } else { Ok(()) };
        };
        let (left, name) = account.left.of(cost);
        match left.checked_sub(amount) {
            Some(rest) => *left = rest,
            None => {
                let most = *account.whole.of(cost).0;
                account.overdrawn.get_or_insert_with(|| too_many(most, name));
            }
        }
        account.in_time();
        if let Some(what) = &account.overdrawn { Err(OfficeError::Unsupported(what.clone())) } else { Ok(()) }
    })
}

/// Whether there is something left of the account, time included. Loops that cannot fail end where there is not.
pub fn goes_on() -> bool {
    ACCOUNT.with_borrow_mut(|account| {
        account.as_mut().is_none_or(|account| {
            account.in_time();
            account.overdrawn.is_none()
        })
    })
}

/// Overdraws the account for another reason, which follows "a judgement of".
pub fn refuse<T>(what: &str) -> Result<T, OfficeError> {
    let what = format!("a judgement of {what}");
    ACCOUNT.with_borrow_mut(|account| {
        if let Some(account) = account {
            account.overdrawn.get_or_insert_with(|| what.clone());
        }
    });
    Err(OfficeError::Unsupported(what))
}

fn too_many(most: u64, name: &str) -> String {
    format!("a judgement of more than {most} {name}")
}

impl Account {
    fn in_time(&mut self) {
        if self.overdrawn.is_none() && Instant::now() > self.end {
            let most = self.whole.time.as_secs_f64();
            self.overdrawn = Some(format!("a judgement of more than {most} seconds"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overdrawn_account_stays_so_whoever_ignores_it() {
        let small = Budget { cells: 10, ..Budget::default() };
        let (result, overdrawn) = judged(small, || {
            assert!(spend(Cost::Cells, 6).is_ok() && goes_on());
            let ((), inner) = judged(Budget::default(), || {
                assert!(spend(Cost::Cells, 6).is_err() && !goes_on());
            });
            assert!(inner.is_some() && spend(Cost::Nodes, 1).is_err());
            "a score"
        });
        assert_eq!((result, overdrawn.as_deref()), ("a score", Some("a judgement of more than 10 cells")));
        assert_eq!(judged(small, || spend(Cost::Cells, 10)), (Ok(()), None));
    }

    #[test]
    fn time_is_an_amount_too() {
        let none = Budget { time: Duration::ZERO, ..Budget::default() };
        let ((), overdrawn) = judged(none, || while goes_on() {});
        assert_eq!(overdrawn.as_deref(), Some("a judgement of more than 0 seconds"));
        assert!(goes_on() && spend(Cost::Pixels, 1).is_ok());
        assert!(spend(Cost::Pixels, u64::MAX).is_err());
        let (refused, overdrawn) = judged(Budget::default(), || refuse::<()>("too deep a tree"));
        assert!(refused.is_err() && overdrawn.is_some());
    }
}
