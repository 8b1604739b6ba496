use super::table::Tool;
use crate::platform::DeviceInfo;

impl Tool {
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tool| tool.name() == name)
    }

    /// The tool that somebody means by a word, however it is spelt.
    pub fn meant(written: &str) -> Option<Self> {
        let word = super::bare(written);
        let is = |tool: &Self| super::bare(tool.name()) == word;
        let also = |tool: &Self| tool.spec().aliases.contains(&word.as_str());
        Self::ALL.iter().copied().find(is).or_else(|| Self::ALL.iter().copied().find(also))
    }

    pub fn offered(self, device: &DeviceInfo) -> bool {
        self.spec().need.met_by(device)
    }
}
