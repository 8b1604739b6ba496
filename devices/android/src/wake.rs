//! The screen woken, and its lock put away where nothing guards it; named where something does.

use std::time::Duration;

use super::adb::RepeatRule;
use super::device::AndroidDevice;
use waldo_devices::{Deadline, DeviceError, Result};

/// How long a lock screen may take to go away.
const AWAY_WITHIN: Duration = Duration::from_secs(3);
/// How long `wm dismiss-keyguard` is trusted to work; phones before Android 6 do not know it.
const ASKED: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(80);

const WAKE: &str = "input keyevent KEYCODE_WAKEUP";
const QUESTION: &str = "dumpsys window policy | grep -E \
     'showing=|mIsShowing=|secure=|mDreamingLockscreen=|isStatusBarKeyguard=|mShowingLockscreen='";

/// The lock screen, in the words of `dumpsys window policy`, which differ by version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Keyguard {
    shown: bool,
    /// A PIN, a pattern or a password guards it.
    secure: bool,
}

impl Keyguard {
    fn parse(text: &str) -> Self {
        let told = |name: &str| {
            let mut words = text.split_whitespace();
            words.find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse::<bool>().ok())
        };
        // The monitor is told by the lock screen itself; what stands before it is what was asked of it.
        let shown = told("mIsShowing").or_else(|| told("showing")).or_else(|| told("mDreamingLockscreen"));
        let shown = shown.or_else(|| told("isStatusBarKeyguard")).or_else(|| told("mShowingLockscreen"));
        Self { shown: shown.unwrap_or_default(), secure: told("secure").unwrap_or_default() }
    }
}

impl AndroidDevice {
    pub(crate) async fn wake(&self, deadline: Deadline) -> Result<()> {
        let mut keyguard = self.keyguard(&format!("{WAKE}; {QUESTION}"), deadline).await?;
        if !keyguard.shown {
            return Ok(());
        }
        let (bound, asked) = (deadline.at_most(AWAY_WITHIN), Deadline::after(ASKED));
        self.link.shell("wm dismiss-keyguard", RepeatRule::Safe, deadline).await?;
        let mut by_key = false;
        loop {
            keyguard = self.keyguard(QUESTION, deadline).await?;
            if !keyguard.shown {
                return Ok(());
            }
            if bound.left() < LOOK {
                return Err(self.locked(keyguard));
            }
            if asked.passed() && !keyguard.secure && !by_key {
                by_key = true;
                self.link.shell("input keyevent KEYCODE_MENU", RepeatRule::Never, deadline).await?;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn keyguard(&self, question: &str, deadline: Deadline) -> Result<Keyguard> {
        Ok(Keyguard::parse(&self.link.shell(question, RepeatRule::Safe, deadline).await?.text()))
    }

    fn locked(&self, keyguard: Keyguard) -> DeviceError {
        let (message, hint) = match keyguard.secure {
            true => (
                "it is locked with a PIN, a pattern or a password",
                "unlock it by hand and keep its screen on, or set Settings, Security, Screen lock to none",
            ),
            false => (
                "its lock screen stays in front",
                "swipe it away by hand, or set Settings, Security, Screen lock to none",
            ),
        };
        DeviceError::start(format!("the phone {}", self.name()), message, hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_screen_is_read_in_the_words_of_many_versions() {
        let now = Keyguard::parse(
            "      showing=true\n      secure=true\n      KeyguardStateMonitor\n        mIsShowing=true\n",
        );
        assert_eq!(now, Keyguard { shown: true, secure: true });
        assert!(!Keyguard::parse("showing=true secure=false\n mIsShowing=false mSimSecure=false").shown);
        assert!(Keyguard::parse("  mShowingDream=false mDreamingLockscreen=true mTopFullscreen=null").shown);
        assert!(Keyguard::parse("    isStatusBarKeyguard=true mNavigationBar=x").shown);
        assert_eq!(Keyguard::parse("occluded=true\nshowingAndNotOccluded=true"), Keyguard::default());
    }
}
