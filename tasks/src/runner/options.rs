//! How a run is carried out, and what an attempt may use up.

use std::collections::BTreeMap;
use std::time::Duration;

use waldo_devices::labels::PicturePacking;
use waldo_devices::{Budget, LabelStyle};

use crate::episode::Timeouts;
use crate::events::KeptPictures;

/// How a run is carried out. Nothing here changes a result.
#[derive(Clone, Debug)]
pub struct Options {
    pub workers: usize,
    /// Attempts at an episode before it counts as invalid.
    pub attempts: u32,
    pub budget: Budget,
    /// How tags look; `None` for the style that belongs to the agent's tag scheme.
    pub style: Option<LabelStyle>,
    pub packing: PicturePacking,
    pub pictures: KeptPictures,
    pub timeouts: Timeouts,
    /// The watchdog: no attempt lasts longer.
    pub watchdog: Duration,
    /// Episodes of a contestant in a row that its model's endpoint may fail before the run stops.
    pub endpoint_failures: u32,
    /// Limits of contestants that have limits of their own, by name, in place of those above.
    pub own: BTreeMap<String, Limits>,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub budget: Budget,
    pub timeouts: Timeouts,
    pub watchdog: Duration,
    pub packing: PicturePacking,
}

impl Options {
    pub fn limits(&self, contestant: &str) -> Limits {
        let common = || Limits {
            budget: self.budget,
            timeouts: self.timeouts,
            watchdog: self.watchdog,
            packing: self.packing,
        };
        self.own.get(contestant).copied().unwrap_or_else(common)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workers: 1,
            attempts: 3,
            budget: Budget::default(),
            style: None,
            packing: PicturePacking::default(),
            pictures: KeptPictures::default(),
            timeouts: Timeouts::default(),
            watchdog: Duration::from_secs(30 * 60),
            endpoint_failures: 3,
            own: BTreeMap::new(),
        }
    }
}

pub(super) fn tighter(a: Budget, b: Budget) -> Budget {
    fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
    Budget {
        steps: least(a.steps, b.steps),
        tokens: least(a.tokens, b.tokens),
        micro_usd: least(a.micro_usd, b.micro_usd),
        wall: least(a.wall, b.wall),
    }
}
