use serde::{Deserialize, Serialize};
use waldo_devices::Platform;

/// A platform, in the order of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OfflinePlatform {
    #[serde(rename = "os_windows")]
    Windows,
    #[serde(rename = "os_mac")]
    Mac,
    #[serde(rename = "os_linux")]
    Linux,
    #[serde(rename = "os_ios")]
    Ios,
    #[serde(rename = "os_android")]
    Android,
    #[serde(rename = "os_web")]
    Web,
}

waldo_devices::named!(OfflinePlatform {
    Windows = "os_windows", Mac = "os_mac", Linux = "os_linux", Ios = "os_ios", Android = "os_android", Web = "os_web"
});

impl OfflinePlatform {
    /// What a suite is played on here, as the benchmark names it; `None` for several screens at once.
    pub fn of(platform: Platform) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.title().eq_ignore_ascii_case(platform.benchmark_name()))
    }

    pub fn screen(self) -> Platform {
        match self {
            Self::Windows | Self::Mac | Self::Linux => Platform::Desktop,
            Self::Ios => Platform::Ios,
            Self::Android => Platform::Android,
            Self::Web => Platform::Web,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_the_benchmarks() {
        for platform in [Platform::Web, Platform::Android, Platform::Ios, Platform::Desktop] {
            let named = OfflinePlatform::of(platform).unwrap();
            assert_eq!(named.screen(), platform, "{named}");
        }
        assert_eq!(OfflinePlatform::of(Platform::Desktop), Some(OfflinePlatform::Linux));
        assert_eq!(OfflinePlatform::of(Platform::Devices), None);
    }
}
