use serde::{Deserialize, Serialize};

use crate::geometry::Geometry;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    Web,
    Android,
    /// An iPhone or an iPad: pictures of one in collections and in records. No driver is of it.
    Ios,
    Desktop,
    /// Several screens at once; each is of one of the kinds above.
    Devices,
}

impl Platform {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Android => "android",
            Self::Ios => "ios",
            Self::Desktop => "desktop",
            Self::Devices => "devices",
        }
    }

    /// The name of its column in MMBench-GUI's tables, of what it is here: desktops are Linux ones.
    pub fn benchmark_name(self) -> &'static str {
        match self {
            Self::Desktop => "linux",
            other => other.as_str(),
        }
    }

    /// Whether it shows pages, which have addresses and origins.
    pub const fn has_pages(self) -> bool {
        matches!(self, Self::Web)
    }

    pub const fn has_packages(self) -> bool {
        matches!(self, Self::Android | Self::Ios)
    }

    pub const fn has_programs(self) -> bool {
        matches!(self, Self::Desktop)
    }

    pub const fn has_several_screens(self) -> bool {
        matches!(self, Self::Devices)
    }

    /// Whether it is one screen whose tasks can be set up and judged: an iPhone's apps are closed from outside.
    pub const fn is_staged(self) -> bool {
        matches!(self, Self::Web | Self::Android | Self::Desktop)
    }

    /// What devices of this kind can do, the best of them.
    pub const fn capabilities(self) -> &'static [Capability] {
        use Capability::{
            Apps, Clipboard, Dialogs, Keyboard, Mouse, Navigation, Rotation, Screens, Select, Shell,
            SystemKeys, Tabs, Touch, Upload, Windows,
        };
        match self {
            Self::Web => &[Mouse, Keyboard, Navigation, Tabs, Dialogs, Select, Upload],
            Self::Android => &[Keyboard, Navigation, SystemKeys, Touch, Apps, Rotation],
            Self::Ios => &[Keyboard, Dialogs, SystemKeys, Touch, Apps, Rotation],
            Self::Desktop => &[Mouse, Keyboard, Apps, Windows, Clipboard, Shell],
            Self::Devices => &[Screens],
        }
    }

    /// The same, without what one device cannot do, or not now.
    pub fn capabilities_but(self, missing: &[Capability]) -> Vec<Capability> {
        self.capabilities().iter().copied().filter(|can| !missing.contains(can)).collect()
    }
}

/// Something that not every device can do. Prompts offer only what a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Double, triple and right clicks, hovering.
    Mouse,
    Keyboard,
    Navigation,
    Tabs,
    Dialogs,
    /// Option lists that are set by name.
    Select,
    Upload,
    SystemKeys,
    Touch,
    /// Apps or programs that are started and ended by name.
    Apps,
    Rotation,
    /// Windows that are listed, brought to the front and closed.
    Windows,
    /// Shell commands, where the guard's policy allows them.
    Shell,
    Clipboard,
    Screens,
    /// A person who answers questions: of a task, whatever its screen is.
    User,
    /// Tools beside the screen: of a task, whatever its screen is.
    Tools,
}

impl Capability {
    /// What a task gives and no device has.
    pub const OF_TASKS: [Self; 2] = [Self::User, Self::Tools];
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    pub platform: Platform,
    /// Product and version, such as `Chromium 156.0.8078.79`.
    pub product: String,
    pub geometry: Geometry,
    pub capabilities: Vec<Capability>,
}

impl DeviceInfo {
    pub fn new(
        platform: Platform,
        product: impl Into<String>,
        geometry: Geometry,
        capabilities: &[Capability],
    ) -> Self {
        Self { platform, product: product.into(), geometry, capabilities: capabilities.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Tool;

    #[test]
    fn every_tool_is_known_where_a_device_can_do_what_it_needs() {
        let all = [Platform::Web, Platform::Android, Platform::Ios, Platform::Desktop, Platform::Devices];
        for tool in Tool::ALL {
            let known: Vec<_> = all.into_iter().filter(|on| tool.spec().need.known_on(*on)).collect();
            assert!(!known.is_empty(), "{} is for no device", tool.name());
            let offering = all.into_iter().filter(|on| {
                let (product, geometry) = (String::new(), Geometry::new(9.0, 9.0, 1.0));
                let capabilities = [on.capabilities(), &Capability::OF_TASKS].concat();
                tool.offered(&DeviceInfo { platform: *on, product, geometry, capabilities })
            });
            assert_eq!(offering.collect::<Vec<_>>(), known, "{}", tool.name());
        }
        assert!(Platform::Android.capabilities().contains(&Capability::Rotation));
        assert!(!Platform::Android.capabilities_but(&[Capability::Rotation]).contains(&Capability::Rotation));
    }
}
