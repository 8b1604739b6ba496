//! The versions of the benchmark, each with rules of its own.

/// The file of WebArena-Verified's tasks. An older list lies beside it.
pub(crate) const VERIFIED_LIST: &str = "webarena-verified.json";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rules {
    #[default]
    Upstream,
    Lite,
    /// WebArena-Lite-v2 (OpenGVLab/ScaleCUA).
    V2,
    /// WebArena-Verified, whose judging is another ([`crate::verified`]).
    Verified,
}

waldo_devices::named!(Rules { Upstream = "upstream", Lite = "lite", V2 = "v2", Verified = "verified" });

impl Rules {
    /// Those that judge by answers, addresses and pages.
    #[cfg(test)]
    pub(crate) const BY_PAGES: [Self; 3] = [Self::Upstream, Self::Lite, Self::V2];

    pub fn tasks(self) -> usize {
        match self {
            Self::Upstream | Self::Verified => 812,
            Self::Lite => 165,
            Self::V2 => 154,
        }
    }

    /// Steps of an episode, as the original runs it.
    pub fn max_steps(self) -> u32 {
        match self {
            Self::Upstream | Self::Lite | Self::Verified => 30,
            Self::V2 => 15,
        }
    }

    /// Where the list lies in a checkout, counted from its root and from each folder on the way to it.
    pub(crate) fn list(self) -> &'static [&'static str] {
        match self {
            Self::Upstream => &["config_files", "test.raw.json"],
            Self::Lite => &["VAB-WebArena-Lite", "new", "test_webarena_lite.raw.json"],
            Self::V2 => {
                &["evaluation", "WebArenaLiteV2", "config", "envs", "webarena", "tasks", "test.raw.json"]
            }
            Self::Verified => &["webarena_verified", "assets", "dataset", VERIFIED_LIST],
        }
    }
}
