//! The adb server's device list.

use serde::{Deserialize, Serialize};

/// What the server can say of a device's connection.
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

/// One line of the device list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdbDevice {
    /// What it is addressed by.
    pub serial: String,
    pub state: AdbState,
    /// The model, where the server knows it.
    pub model: Option<String>,
    /// The product, where the server knows it.
    pub product: Option<String>,
}

/// The words that a state can start with; a serial itself may hold spaces (mDNS names do).
const STATES: [&str; 13] = [
    "device",
    "offline",
    "unauthorized",
    "authorizing",
    "connecting",
    "bootloader",
    "recovery",
    "sideload",
    "rescue",
    "host",
    "no permissions",
    "detached",
    "unknown",
];

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
                .iter()
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
        assert_eq!((&seen[3].state, &seen[4].state), (&AdbState::Offline, &AdbState::Unauthorized));
    }
}
