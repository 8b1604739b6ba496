//! How a phone can be told to misbehave. A fault stays until it is cleared, or for so many uses.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhoneFault {
    /// The transport is cut at the next command.
    DropConnection,
    /// The phone does not answer on its port.
    Offline,
    /// A shell command whose line contains this never ends.
    HangCommand(String),
    /// A shell command whose line contains this does nothing.
    IgnoreCommand(String),
    /// The tree has no root: `null root node returned by UiTestAutomationBridge`.
    NullRoot,
    StaleDump,
    /// The screen is never quiet, so the dump gives up at its limit.
    NeverIdle,
    /// The tree's text ends in the middle.
    CutDump,
    /// The tree is about ten megabytes long.
    HugeDump,
    /// So many milliseconds more for each picture.
    SlowScreen(u64),
    /// So many milliseconds more for each PNG: the encoder of a weak phone.
    SlowPng(u64),
    /// A picture's bytes end in the middle.
    HalfPicture,
    /// Writes to storage fail for want of space.
    LowStorage,
    /// Pictures are black, as of a window with `FLAG_SECURE`.
    SecureScreen,
    /// The shell may not open `/dev/uinput`.
    UinputDenied,
    /// The lock screen is in front, guarded so. Putting it away ends the fault.
    Locked(Lock),
    /// Raw pictures have red and blue in each other's place, whatever their header says.
    SwappedColours,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lock {
    /// Nothing: a swipe puts it away.
    Swipe,
    Pin,
}

/// The word for a fault was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown fault {0:?}; known: drop-connection, offline, hang-command TEXT, ignore-command TEXT, null-root, stale-dump, never-idle, \
     cut-dump, huge-dump, slow-screen MS, slow-png MS, half-picture, low-storage, secure-screen, uinput-denied, \
     locked [pin], swapped-colours"
)]
pub struct UnknownFault(pub String);

impl PhoneFault {
    pub fn name(&self) -> String {
        match serde_json::to_value(self) {
            Ok(Value::String(name)) => name,
            Ok(Value::Object(named)) => named.into_iter().next().map(|(name, _)| name).unwrap_or_default(),
            _ => String::new(),
        }
    }
}

impl FromStr for PhoneFault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, UnknownFault> {
        let (name, arg) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let arg = arg.trim();
        let fault = match (name, arg) {
            ("slow-screen" | "slow-png", ms) => json!({ name: ms.parse::<u64>().ok() }),
            ("locked", "") => json!({ name: Lock::Swipe }),
            ("locked" | "hang-command" | "ignore-command", arg) => json!({ name: arg }),
            (name, _) => json!(name),
        };
        let unknown = if fault.is_object() { format!("{name} {arg}") } else { name.to_owned() };
        serde_json::from_value(fault).map_err(|_| UnknownFault(unknown))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stay {
    Always,
    Times(u32),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults(Vec<(PhoneFault, Stay)>);

impl Faults {
    /// Puts a fault in force, in place of one of the same name.
    pub fn set(&mut self, fault: PhoneFault, stay: Stay) {
        self.clear(&fault.name());
        self.0.push((fault, stay));
    }

    pub fn clear(&mut self, name: &str) {
        self.0.retain(|(f, _)| f.name() != name);
    }

    pub fn clear_all(&mut self) {
        self.0.clear();
    }

    pub fn iter(&self) -> impl Iterator<Item = &PhoneFault> {
        self.0.iter().map(|(f, _)| f)
    }

    pub fn has(&self, name: &str) -> bool {
        self.iter().any(|f| f.name() == name)
    }

    /// The first fault that `wanted` takes, counting one use of it.
    pub fn take(&mut self, wanted: impl Fn(&PhoneFault) -> bool) -> Option<PhoneFault> {
        let at = self.0.iter().position(|(f, _)| wanted(f))?;
        let (fault, stay) = self.0.get_mut(at)?;
        let found = fault.clone();
        if let Stay::Times(left) = stay {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.0.remove(at);
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_two_uses_is_gone_after_two() {
        let mut faults = Faults::default();
        faults.set(PhoneFault::NullRoot, Stay::Times(2));
        faults.set("slow-screen 30".parse().unwrap(), Stay::Always);
        assert!(faults.take(|f| f.name() == "null-root").is_some());
        assert!(faults.take(|f| f.name() == "null-root").is_some());
        assert!(faults.take(|f| f.name() == "null-root").is_none());
        assert_eq!(faults.take(|f| f.name() == "slow-screen"), Some(PhoneFault::SlowScreen(30)));
        assert!(faults.has("slow-screen"));
        assert!("slow-screen x".parse::<PhoneFault>().is_err());
    }
}
