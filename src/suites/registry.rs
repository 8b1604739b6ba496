//! Every kind of suite: what is not here cannot be played.

use super::provider::SuiteProvider;
use super::{files, miniwob, osworld, widgets};

/// Every kind, in the order in which they are listed. The first takes every name that is no other's.
pub static PROVIDERS: &[&dyn SuiteProvider] =
    &[&files::Files, &widgets::OwnWidgets, &miniwob::Pages, &osworld::Osworld];

/// The kind that `suite` names.
pub fn provider(suite: &str) -> &'static dyn SuiteProvider {
    PROVIDERS.iter().find(|provider| provider.has(suite)).copied().unwrap_or(PROVIDERS[0])
}
