//! Every kind of suite: what is not here cannot be played.

use super::args::SuiteArgs;
use super::provider::{LeftOut, SuiteError, SuiteProvider};
use super::{bridge, files, miniwob, osworld, webarena, widgets};

/// Every kind, in the order in which they are listed. The first takes every name that is no other's.
pub static PROVIDERS: &[&dyn SuiteProvider] = &[
    &files::FileSuites,
    &widgets::OwnWidgets,
    &miniwob::MiniwobSuite,
    &osworld::Osworld,
    &webarena::Webarena,
    &bridge::Environments,
];

pub fn provider(suite: &str) -> &'static dyn SuiteProvider {
    PROVIDERS.iter().find(|provider| provider.has(suite)).copied().unwrap_or(PROVIDERS[0])
}

/// Every suite that can be played with what `place` names, and the others with what they lack.
///
/// # Errors
/// When a built-in suite is damaged.
pub fn playable_here(place: &SuiteArgs) -> Result<(Vec<String>, Vec<LeftOut>), SuiteError> {
    let (mut names, mut left_out) = (Vec::new(), Vec::new());
    for provider in PROVIDERS {
        for suite in provider.summaries()? {
            match provider.lacks(&suite.id, place) {
                None => names.push(suite.id),
                Some(why) => {
                    left_out.push(LeftOut { task: "*".to_owned(), domain: suite.id, why: why.to_owned() })
                }
            }
        }
    }
    Ok((names, left_out))
}
