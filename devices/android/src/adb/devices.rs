//! The adb server's device list.

use serde::{Deserialize, Serialize};
use waldo_devices::error::DeviceError;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdbState {
    Device,
    /// Known, but it does not answer.
    Offline,
    /// It has not been told to trust this computer.
    Unauthorized,
    /// Any other, in the server's words (`recovery`, `no permissions …`).
    Other(String),
}

impl AdbState {
    pub fn words(&self) -> &str {
        match self {
            Self::Device => "ready",
            Self::Offline => "offline",
            Self::Unauthorized => "unauthorized",
            Self::Other(words) => words,
        }
    }

    /// Why a phone in this state needs a person to do something first; none where it may come by itself.
    pub(crate) fn trouble(&self, serial: &str) -> Option<DeviceError> {
        let (message, hint) = match self {
            Self::Device | Self::Offline => return None,
            Self::Unauthorized => {
                ("it does not trust this computer".to_owned(), "unlock it and allow USB debugging".to_owned())
            }
            Self::Other(words) => match words.split_whitespace().next().unwrap_or_default() {
                "authorizing" | "connecting" | "detached" | "unknown" => return None,
                "no" => (
                    format!("this user may not use its USB port ({words})"),
                    "add a udev rule for it (Debian, Ubuntu: sudo apt install android-sdk-platform-tools-common), \
                     or be in the group plugdev, and plug it in again"
                        .to_owned(),
                ),
                mode => (
                    format!("it is in the mode '{mode}', where Android does not run"),
                    format!("start Android on it: adb -s {serial} reboot"),
                ),
            },
        };
        Some(DeviceError::Start { what: format!("device {serial}"), message, hint })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdbDevice {
    pub serial: String,
    pub state: AdbState,
    pub model: Option<String>,
    pub product: Option<String>,
}

/// The words that a state can start with; a serial itself may hold spaces (mDNS names do).
const STATES: &str = "device|offline|unauthorized|authorizing|connecting|bootloader|recovery|sideload|rescue|host|\
    no permissions|detached|unknown";

/// Reads `devices` and `devices-l` lists alike. A line that makes no sense is left out.
pub(super) fn parse(list: &str) -> Vec<AdbDevice> {
    list.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<AdbDevice> {
    let (serial, rest) = match line.split_once('\t') {
        Some(parts) => parts,
        // Padded with spaces: the state is the first known word after two or one of them.
        None => {
            STATES
                .split('|')
                .filter_map(|state| {
                    let at = line.find(&format!(" {state}"))?;
                    let after = &line[at + 1 + state.len()..];
                    (after.is_empty() || after.starts_with([' ', ';', ':']))
                        .then(|| (at, (&line[..at], &line[at + 1..])))
                })
                .min_by_key(|(at, _)| *at)?
                .1
        }
    };
    let (serial, rest) = (serial.trim(), rest.trim());
    if serial.is_empty() {
        return None;
    }
    let fact = |name: &str| {
        rest.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix(':')).map(str::to_owned)
    };
    let state = match rest.split_whitespace().next()? {
        "device" => AdbState::Device,
        "offline" => AdbState::Offline,
        "unauthorized" => AdbState::Unauthorized,
        _ => AdbState::Other(rest.to_owned()),
    };
    Some(AdbDevice { serial: serial.to_owned(), state, model: fact("model"), product: fact("product") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_read() {
        let list = "emulator-5554          device product:sdk model:Pixel_7 device:x transport_id:1\n\
                    0123456789ABCDEF       no permissions (user in plugdev group; are your udev rules wrong?); see [http://x]\n\
                    adb-X (2)._adb-tls-connect._tcp. device product:p model:Q transport_id:3\n\
                    127.0.0.1:5601\toffline\n\
                    R5CT\tunauthorized\n\n";
        let seen = parse(list);
        let serials: Vec<&str> = seen.iter().map(|d| d.serial.as_str()).collect();
        assert_eq!(
            serials,
            [
                "emulator-5554",
                "0123456789ABCDEF",
                "adb-X (2)._adb-tls-connect._tcp.",
                "127.0.0.1:5601",
                "R5CT"
            ]
        );
        assert_eq!(seen[0].model.as_deref(), Some("Pixel_7"));
        assert!(matches!(&seen[1].state, AdbState::Other(why) if why.starts_with("no permissions")));
        assert_eq!(seen[2].state, AdbState::Device);
        let trouble = |state: &AdbState| state.trouble("R5CT").map(|error| error.to_string());
        assert!(
            trouble(&seen[1].state).is_some_and(|said| said.contains("USB port") && said.contains("udev"))
        );
        let recovery = &parse("R5CT\trecovery")[0].state;
        assert!(trouble(recovery).is_some_and(|said| said.contains("mode 'recovery'")), "{recovery:?}");
        assert!(trouble(&AdbState::Unauthorized).is_some() && trouble(&AdbState::Offline).is_none());
        assert_eq!(trouble(&AdbState::Other("authorizing".to_owned())), None);
        assert_eq!((&seen[3].state, &seen[4].state), (&AdbState::Offline, &AdbState::Unauthorized));
    }
}
