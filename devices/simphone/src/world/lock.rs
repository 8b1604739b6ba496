//! The lock screen, and what tells one boot of a phone from another.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use super::World;
use crate::fault::{Lock, PhoneFault};

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// The keys that a lock screen leaves as they are: volume, power, sleep, wake up.
const PASSED_ON: [u32; 5] = [24, 25, 26, 223, 224];
const MENU: u32 = 82;

impl World {
    pub fn lock(&self) -> Option<Lock> {
        self.faults.iter().find_map(|fault| match fault {
            PhoneFault::Locked(lock) => Some(*lock),
            _ => None,
        })
    }

    /// `wm dismiss-keyguard`: puts a lock screen away that nothing guards; any other stays.
    pub(crate) fn dismiss_keyguard(&mut self) {
        if self.lock() == Some(Lock::Swipe) {
            self.faults.clear("locked");
            self.moved();
        }
    }

    /// Takes a key that is pressed at the lock screen; false where it is passed on.
    pub(super) fn key_at_lock(&mut self, keycode: u32) -> bool {
        if keycode == MENU && self.interactive {
            self.dismiss_keyguard();
        }
        !PASSED_ON.contains(&keycode) && (keycode != MENU || self.interactive)
    }

    pub(super) fn boot_id(&self) -> String {
        let bytes = self.files.read(BOOT_ID).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    pub(super) fn put_boot_id(&mut self, id: &str) {
        // The directory is laid with the phone.
        let _ = self.files.write(BOOT_ID, format!("{id}\n").into_bytes());
    }
}

/// Another for each phone: two of one seed and serial are two all the same.
pub(super) fn new_boot_id() -> String {
    let [a, b] = [(); 2].map(|()| RandomState::new().build_hasher().finish());
    let text = format!("{a:016x}{b:016x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| text.get(part).unwrap_or_default());
    parts.join("-")
}
