//! The logged-in state of a browser as Playwright writes it: cookies, and what origins keep in local storage.
//!
//! Invariants: it is secret as a whole, and never shown, not even by `Debug`; only what belongs to allowed origins is
//! given to a page (`StorageState::of`), and what is a key to somebody's account is masked from then on (`values`); a
//! file of it that others could read is refused, and one that is written is its owner's alone (`file`).

mod file;
mod values;

use std::fmt;

use serde::{Deserialize, Serialize};
use waldo_devices::guard::{GuardPolicy, Origin, OriginRule};

pub use file::StateFileError;

const COOKIES_MAX: usize = 3_000;
const ORIGINS_MAX: usize = 200;

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageState {
    #[serde(default)]
    pub(crate) cookies: Vec<Cookie>,
    #[serde(default)]
    pub(crate) origins: Vec<OriginStorage>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cookie {
    pub(crate) name: String,
    pub(crate) value: String,
    /// A host, or with a dot before it a domain and all below it.
    pub(crate) domain: String,
    #[serde(default = "root")]
    pub(crate) path: String,
    /// Seconds since 1970; below 0 for a cookie of the session.
    #[serde(default = "session")]
    pub(crate) expires: f64,
    #[serde(default)]
    pub(crate) http_only: bool,
    #[serde(default)]
    pub(crate) secure: bool,
    /// `Strict`, `Lax` or `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) same_site: Option<String>,
    /// The site under which it is kept, of one that is kept apart by site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) partition_key: Option<String>,
    /// Whether it was set below a page of another site.
    #[serde(default, rename = "_crHasCrossSiteAncestor", skip_serializing_if = "Option::is_none")]
    pub(crate) has_cross_site_ancestor: Option<bool>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OriginStorage {
    /// Scheme, host, and port where it is not the scheme's own.
    pub(crate) origin: String,
    #[serde(default)]
    pub(crate) local_storage: Vec<StorageItem>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StorageItem {
    pub(crate) name: String,
    pub(crate) value: String,
}

fn root() -> String {
    "/".to_owned()
}

fn session() -> f64 {
    -1.0
}

impl Cookie {
    /// Whether a page of this origin is sent it, whatever its path.
    fn reaches(&self, origin: &Origin) -> bool {
        let host = origin.host().trim_matches(['[', ']']);
        let domain = self.domain.trim_matches(['[', ']']).to_ascii_lowercase();
        match domain.strip_prefix('.') {
            None => host == domain,
            Some(above) => {
                host == above || host.strip_suffix(above).is_some_and(|below| below.ends_with('.'))
            }
        }
    }

    fn is_of(&self, rule: &OriginRule) -> bool {
        let domain = self.domain.trim_start_matches('.');
        match rule.exact() {
            Some(origin) => self.reaches(origin),
            // A rule of subdomains names no host: what is sent to any of them is theirs, and so is what comes from above.
            None => {
                let from_above = |base: &Origin| self.domain.starts_with('.') && self.reaches(base);
                rule.covers_host(domain) || rule.below().is_some_and(from_above)
            }
        }
    }
}

impl StorageState {
    pub(crate) fn new(cookies: Vec<Cookie>, origins: Vec<OriginStorage>) -> Self {
        Self { cookies, origins }
    }

    pub fn is_empty(&self) -> bool {
        self.cookies.is_empty() && self.origins.is_empty()
    }

    /// What belongs to origins that are allowed, and the rest.
    pub(crate) fn of(&self, policy: &GuardPolicy) -> (Self, Self) {
        let (cookies, other_cookies) = self
            .cookies
            .iter()
            .cloned()
            .partition(|cookie| policy.origins.iter().any(|rule| cookie.is_of(rule)));
        let (origins, other_origins) =
            self.origins.iter().cloned().partition(|kept| policy.allows_url(&kept.origin));
        (Self { cookies, origins }, Self { cookies: other_cookies, origins: other_origins })
    }

    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.cookies.extend(other.cookies);
        self.origins.extend(other.origins);
        self
    }

    fn fault(&self) -> Option<String> {
        if self.cookies.len() > COOKIES_MAX {
            return Some(format!("it has more than {COOKIES_MAX} cookies"));
        }
        if self.origins.len() > ORIGINS_MAX {
            return Some(format!("it has local storage of more than {ORIGINS_MAX} origins"));
        }
        let bad = self.origins.iter().find(|kept| Origin::of(&kept.origin).is_none())?;
        // An origin is no secret, but what stands in its place may be.
        let at = self.origins.iter().position(|kept| kept == bad).unwrap_or_default();
        Some(format!("origins[{at}].origin is not an origin: write scheme://host[:port]"))
    }
}

impl fmt::Debug for StorageState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StorageState({} cookies, {} origins)", self.cookies.len(), self.origins.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(rules: &[&str]) -> GuardPolicy {
        GuardPolicy {
            origins: rules.iter().map(|rule| OriginRule::parse(rule).unwrap()).collect(),
            ..GuardPolicy::default()
        }
    }

    fn state() -> StorageState {
        serde_json::from_value(serde_json::json!({
            "cookies": [
                { "name": "host", "value": "1", "domain": "shop.example" },
                { "name": "domain", "value": "2", "domain": ".example" },
                { "name": "below", "value": "3", "domain": ".a.shop.example" },
                { "name": "other", "value": "4", "domain": "evilshop.example" },
            ],
            "origins": [
                { "origin": "https://shop.example", "localStorage": [{ "name": "k", "value": "v" }] },
                { "origin": "http://shop.example", "localStorage": [] },
            ],
        }))
        .unwrap()
    }

    fn names(rules: &[&str]) -> (Vec<String>, Vec<String>) {
        let (own, _) = state().of(&policy(rules));
        let names = own.cookies.iter().map(|cookie| cookie.name.clone()).collect();
        (names, own.origins.iter().map(|kept| kept.origin.clone()).collect())
    }

    #[test]
    fn only_what_allowed_origins_are_sent_is_taken() {
        assert_eq!(
            names(&["https://shop.example"]),
            (vec!["host".into(), "domain".into()], vec!["https://shop.example".into()])
        );
        assert_eq!(names(&["https://a.shop.example"]).0, ["domain", "below"]);
        assert_eq!(names(&["https://*.shop.example"]).0, ["domain", "below"]);
        assert_eq!(names(&["https://shop.test"]), (vec![], vec![]));
        assert_eq!(names(&[]), (vec![], vec![]));
        assert_eq!(names(&["*"]).0.len(), 4);
    }

    #[test]
    fn nothing_is_lost_between_what_is_taken_and_what_is_left() {
        let (own, rest) = state().of(&policy(&["https://shop.example"]));
        assert_eq!((rest.cookies.len(), rest.origins.len()), (2, 1));
        let both = own.and(rest);
        assert!(state().cookies.iter().all(|cookie| both.cookies.contains(cookie)));
        assert_eq!(both.cookies.len(), 4);
    }

    #[test]
    fn it_is_never_shown() {
        assert_eq!(format!("{:?}", state()), "StorageState(4 cookies, 2 origins)");
    }
}
