//! One phone, to be shared between the threads and tasks that talk to it.
//!
//! The world stands behind one lock, held for no longer than one question takes; nothing awaits under it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use crate::{
    apps,
    fault::PhoneFault,
    options::PhoneOptions,
    world::{DumpError, World},
};

#[derive(Debug)]
pub struct Phone {
    world: Mutex<World>,
    born: Instant,
    pub options: PhoneOptions,
    boot: Mutex<CancellationToken>,
}

impl Phone {
    /// A phone just switched on, showing its home screen.
    pub fn new(options: PhoneOptions) -> Arc<Self> {
        Arc::new(Self {
            world: Mutex::new(World::new(&options, apps::PHONE)),
            born: Instant::now(),
            options,
            boot: Mutex::default(),
        })
    }

    /// Milliseconds since it was switched on.
    pub(crate) fn uptime_ms(&self) -> u64 {
        u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Asks or tells the world something; it is first brought up to the present.
    pub fn with<R>(&self, f: impl FnOnce(&mut World) -> R) -> R {
        // A panic under the lock leaves a world that is at worst half drawn; the next frame mends it.
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        world.tick(self.uptime_ms());
        f(&mut world)
    }

    pub fn boot(&self) -> CancellationToken {
        self.boot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Switches the phone off and on again: what is stored stays, what ran is gone, and whoever is connected is cut off.
    pub fn reboot(&self) {
        self.with(World::reboot);
        let mut boot = self.boot.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *boot).cancel();
    }

    /// `uiautomator dump`: waits for a quiet screen, then writes the active window's tree.
    pub async fn dump(&self) -> Result<String, DumpError> {
        let wait = self.options.idle;
        let begun = self.uptime_ms();
        loop {
            let (quiet_for, never, now) =
                self.with(|w| (w.quiet_for_ms(), w.faults.has("never-idle"), w.now_ms));
            if !never && quiet_for >= wait.quiet_ms {
                return self.with(|w| w.dump());
            }
            let left = wait.limit_ms.saturating_sub(now.saturating_sub(begun));
            if left == 0 {
                self.with(|w| w.take_fault(|f| *f == PhoneFault::NeverIdle));
                return Err(DumpError::NotIdle);
            }
            let need = if never { left } else { wait.quiet_ms - quiet_for };
            tokio::time::sleep(Duration::from_millis(need.min(left).max(1))).await;
        }
    }
}
