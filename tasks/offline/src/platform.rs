//! The platforms of the benchmark.

use serde::{Deserialize, Serialize};

/// A platform, in the order of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OfflinePlatform {
    /// Windows.
    #[serde(rename = "os_windows")]
    Windows,
    /// macOS.
    #[serde(rename = "os_mac")]
    Mac,
    /// Linux.
    #[serde(rename = "os_linux")]
    Linux,
    /// iOS.
    #[serde(rename = "os_ios")]
    Ios,
    /// Android.
    #[serde(rename = "os_android")]
    Android,
    /// Pages in a browser.
    #[serde(rename = "os_web")]
    Web,
}

impl OfflinePlatform {
    /// All of them, in the order of the paper's tables.
    pub const ALL: [Self; 6] = [Self::Windows, Self::Mac, Self::Linux, Self::Ios, Self::Android, Self::Web];

    /// The name that files and folders of the benchmark use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Windows => "os_windows",
            Self::Mac => "os_mac",
            Self::Linux => "os_linux",
            Self::Ios => "os_ios",
            Self::Android => "os_android",
            Self::Web => "os_web",
        }
    }

    /// The name for people, as in the paper's tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::Windows => "Windows",
            Self::Mac => "macOS",
            Self::Linux => "Linux",
            Self::Ios => "iOS",
            Self::Android => "Android",
            Self::Web => "Web",
        }
    }
}

impl std::fmt::Display for OfflinePlatform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_name_platforms_as_we_do() {
        for platform in OfflinePlatform::ALL {
            assert_eq!(serde_json::to_value(platform).unwrap(), platform.name());
        }
    }
}
