//! The rules of `url_match`.

use std::collections::{BTreeMap, BTreeSet};

use waldo_agents::python::url::UrlParts;

use crate::fault::{Result, WebarenaFault};
use crate::rules::Rules;
use crate::text::OR;

/// The note that both rules know; the other stands where a file has none.
const GOLD_IN_PRED: &str = "GOLD in PRED";
/// Equality, in the versions that know it.
pub(crate) const EXACT: &str = "EXACT";

/// The parts of an address.
///
/// # Errors
/// [`WebarenaFault::Refused`] for hosts that this port does not judge as Python would.
fn parts_of(url: &str) -> Result<UrlParts> {
    let parts = UrlParts::parse(url);
    if !parts.netloc.is_ascii() || parts.netloc.contains(['[', ']']) {
        return Err(WebarenaFault::refused(format!("a host like that of {url}")));
    }
    Ok(parts)
}

/// Whether `url`, where the episode ended, is one of those of `reference`.
///
/// # Errors
/// [`WebarenaFault::Raised`] for a note that the version does not know; [`WebarenaFault::Refused`].
pub fn is_there(rules: Rules, url: &str, reference: &str, note: Option<&str>) -> Result<bool> {
    match (rules, note) {
        (Rules::Upstream | Rules::Verified, None | Some(GOLD_IN_PRED)) => by_parts(url, reference),
        (Rules::Lite | Rules::V2, None | Some(EXACT)) => {
            let url = plain(url);
            Ok(reference.split(OR).any(|one| plain(one) == url))
        }
        (Rules::Lite | Rules::V2, Some(GOLD_IN_PRED)) => {
            let url = plain(url);
            Ok(reference.split(OR).any(|one| url.contains(&plain(one))))
        }
        (_, Some(note)) => Err(WebarenaFault::raised(format!("it knows no rule '{note}' for addresses"))),
    }
}

/// As the versions that compare whole addresses write them.
fn plain(url: &str) -> String {
    let url = url.replace("localhost", "127.0.0.1");
    url.strip_suffix('/').unwrap_or(&url).to_owned()
}

fn by_parts(url: &str, reference: &str) -> Result<bool> {
    let said = parts_of(url.trim_end_matches('/'))?;
    let place = format!("{}{}", said.netloc, said.path);
    let values: BTreeSet<(String, String)> = said.pairs().collect();
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut there = false;
    for one in reference.split(OR) {
        let one = parts_of(one.trim_end_matches('/'))?;
        there |= place.contains(&format!("{}{}", one.netloc, one.path));
        for (name, value) in one.pairs() {
            wanted.entry(name).or_default().push(value);
        }
    }
    let mut wanted = wanted.into_iter();
    Ok(there
        && wanted.all(|(name, any)| any.into_iter().any(|value| values.contains(&(name.clone(), value)))))
}

/// The address of a post on the forum, of an address of the post or of a comment below it; any other as it is.
pub(crate) fn post_of(url: &str) -> Result<String> {
    let parts = parts_of(url)?;
    let segments: Vec<&str> = parts.path.split('/').collect();
    match segments[..] {
        [_, "f", forum, post, ..] => Ok(format!("{}://{}/f/{forum}/{post}/", parts.scheme, parts.netloc)),
        _ => Ok(url.to_owned()),
    }
}
