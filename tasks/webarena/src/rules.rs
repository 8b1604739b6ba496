//! The versions of the benchmark, each with rules of its own.

use std::fmt;
use std::str::FromStr;

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

impl Rules {
    /// Those that judge by answers, addresses and pages.
    #[cfg(test)]
    pub(crate) const BY_PAGES: [Self; 3] = [Self::Upstream, Self::Lite, Self::V2];
    pub const ALL: [Self; 4] = [Self::Upstream, Self::Lite, Self::V2, Self::Verified];

    pub fn name(self) -> &'static str {
        match self {
            Self::Upstream => "upstream",
            Self::Lite => "lite",
            Self::V2 => "v2",
            Self::Verified => "verified",
        }
    }

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

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|rules| rules.name() == text);
        found.ok_or_else(|| format!("'{text}' is none of: upstream, lite, v2, verified"))
    }
}
