//! Addresses of sites, and the names that stand for them in task files.

use crate::fault::{Result, WebarenaFault};
use crate::site::{Site, Sites};

/// The sites of a task with their addresses, in the task's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places(Vec<(String, String)>);

impl Places {
    /// `None` where an address is missing.
    pub(super) fn new(own: &[Site], sites: &Sites) -> Option<Self> {
        let place = |site: &Site| Some((site.placeholder(), sites.address(*site)?.to_owned()));
        own.iter().map(place).collect::<Option<Vec<_>>>().map(Self)
    }

    /// With the name of the site whose address is in it, the longest address first; `None` where none is.
    pub(super) fn derender(&self, url: &str) -> Option<String> {
        let mut by_length: Vec<_> = self.0.iter().collect();
        by_length.sort_by_key(|(_, address)| std::cmp::Reverse(address.chars().count()));
        let (name, address) = by_length.into_iter().find(|(_, address)| url.contains(address.as_str()))?;
        Some(url.replace(address.trim_end_matches('/'), name))
    }

    /// With the address of the site whose name it begins with.
    ///
    /// # Errors
    /// [`WebarenaFault::Raised`] where it begins with no name of the task's sites.
    pub(super) fn render(&self, url: &str) -> Result<String> {
        let found = self.0.iter().find(|(name, _)| url.starts_with(name.as_str()));
        let (name, address) =
            found.ok_or_else(|| WebarenaFault::raised(format!("{url} is on no site of the task")))?;
        Ok(url.replace(name.as_str(), address))
    }
}
