//! What an agent may do, as data: origins, apps, denied actions, limits.
//!
//! Invariant: a [`GuardPolicy`] comes from the task or the command line; nothing a model says widens it.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::effects::GuardName;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of an address; `None` for schemes that have none (`data:`, `blob:`, `file:`,
    /// `javascript:`, `about:`), which the guard treats as the escapes they are.
    pub fn of(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        // A socket belongs to the origin of the page that may open it.
        let scheme = match url.scheme() {
            "http" | "ws" => "http",
            "https" | "wss" => "https",
            _ => return None,
        };
        let default = if scheme == "http" { 80 } else { 443 };
        let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
        Some(Self { scheme: scheme.to_owned(), host, port: url.port().unwrap_or(default) })
    }
}

impl Origin {
    /// The host, in lower case; an IPv6 address stands in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// As a page's `location.origin` says it: without the port that is the scheme's own.
    pub fn address(&self) -> String {
        match (self.scheme.as_str(), self.port) {
            ("http", 80) | ("https", 443) => format!("{}://{}", self.scheme, self.host),
            (scheme, port) => format!("{scheme}://{}:{port}", self.host),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

/// A rule that allows origins: `https://shop.example`, `http://127.0.0.1:8080`, `https://*.example.org`
/// (subdomains only), or `*` for any http and https origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OriginRule {
    text: String,
    kind: RuleKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RuleKind {
    Any,
    Exact(Origin),
    Subdomains(Origin),
}

#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not an origin: write scheme://host[:port], scheme://*.host[:port], or *")]
pub struct BadOriginRule(pub String);

impl OriginRule {
    pub fn parse(text: &str) -> Result<Self, BadOriginRule> {
        let bad = || BadOriginRule(text.to_owned());
        let kind = if text == "*" {
            RuleKind::Any
        } else if let Some((scheme, host)) = text.split_once("://*.") {
            let base = format!("{scheme}://{host}");
            RuleKind::Subdomains(Self::bare(&base).ok_or_else(bad)?)
        } else {
            RuleKind::Exact(Self::bare(text).ok_or_else(bad)?)
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    fn bare(text: &str) -> Option<Origin> {
        let url = Url::parse(text).ok()?;
        let plain = matches!(url.path(), "" | "/") && url.query().is_none() && url.username().is_empty();
        if plain { Origin::of(text) } else { None }
    }

    pub fn exact(&self) -> Option<&Origin> {
        match &self.kind {
            RuleKind::Exact(origin) => Some(origin),
            RuleKind::Any | RuleKind::Subdomains(_) => None,
        }
    }

    /// The origin below whose host all are allowed, where the rule is of subdomains.
    pub fn below(&self) -> Option<&Origin> {
        match &self.kind {
            RuleKind::Subdomains(base) => Some(base),
            RuleKind::Any | RuleKind::Exact(_) => None,
        }
    }

    /// Whether the rule allows an origin of this host, whatever its scheme and port.
    pub fn covers_host(&self, host: &str) -> bool {
        let is_below = |base: &Origin| host.strip_suffix(base.host()).is_some_and(|sub| sub.ends_with('.'));
        match &self.kind {
            RuleKind::Any => true,
            RuleKind::Exact(origin) => origin.host() == host,
            RuleKind::Subdomains(base) => is_below(base),
        }
    }

    pub fn allows(&self, origin: &Origin) -> bool {
        match &self.kind {
            RuleKind::Any => true,
            RuleKind::Exact(allowed) => allowed == origin,
            RuleKind::Subdomains(base) => {
                base.scheme == origin.scheme
                    && base.port == origin.port
                    && origin.host.strip_suffix(&base.host).is_some_and(|sub| sub.ends_with('.'))
            }
        }
    }
}

impl TryFrom<String> for OriginRule {
    type Error = BadOriginRule;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<OriginRule> for String {
    fn from(rule: OriginRule) -> Self {
        rule.text
    }
}

/// A rule that allows apps by package or program name: `com.example.notes`, `com.example.*` (what starts
/// with `com.example.`), or `*` for any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AppRule(pub String);

impl AppRule {
    /// Whether the rule allows the app of this package or program name.
    pub fn allows(&self, app: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(start) => app.starts_with(start),
            None => self.0 == app,
        }
    }
}

/// Limits of one episode; `None` is not a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    pub steps: Option<u32>,
    /// Tokens, prompt and reply together.
    pub tokens: Option<u64>,
    /// Money in millionths of a US dollar.
    pub micro_usd: Option<u64>,
    pub wall: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellUse {
    #[default]
    Refused,
    Allowed,
}

/// What an agent may do. The default allows nothing but what needs no network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuardPolicy {
    /// Origins that any frame, worker or socket may talk to.
    pub origins: Vec<OriginRule>,
    pub apps: Vec<AppRule>,
    /// What is refused, whatever action does it.
    pub deny: BTreeSet<GuardName>,
    /// What a person must approve first, whatever action does it.
    pub ask: BTreeSet<GuardName>,
    pub shell: ShellUse,
    /// Key chords that are refused, in any spelling, besides those that a desktop always refuses.
    pub deny_chords: Vec<String>,
    /// Key chords that are allowed although a desktop would refuse them.
    pub allow_chords: Vec<String>,
    pub budget: Budget,
}

impl GuardPolicy {
    /// Whether the app of this package or program name may be acted on.
    pub fn allows_app(&self, app: &str) -> bool {
        self.apps.iter().any(|rule| rule.allows(app))
    }

    /// Whether every http and https origin is allowed: nothing is kept from anybody.
    pub fn allows_any_origin(&self) -> bool {
        self.origins.iter().any(|rule| rule.kind == RuleKind::Any)
    }

    /// Whether `url` may be loaded. `about:blank` and `about:srcdoc` hold nothing of their own and
    /// are allowed; every other address without an http origin is not.
    pub fn allows_url(&self, url: &str) -> bool {
        if matches!(url, "" | "about:blank" | "about:srcdoc") {
            return true;
        }
        Origin::of(url).is_some_and(|origin| self.origins.iter().any(|rule| rule.allows(&origin)))
    }
}

/// The origin of `url` for a message, or its scheme where it has none; never its path or query.
pub fn shown_origin(url: &str) -> String {
    Origin::of(url).map_or_else(
        || format!("{}: (no origin)", url.split(':').next().unwrap_or_default()),
        |origin| origin.to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(rules: &[&str]) -> GuardPolicy {
        GuardPolicy {
            origins: rules.iter().map(|r| OriginRule::parse(r).unwrap()).collect(),
            ..GuardPolicy::default()
        }
    }

    #[test]
    fn only_the_named_origin_is_allowed() {
        let p = policy(&["http://127.0.0.1:8080"]);
        assert!(p.allows_url("http://127.0.0.1:8080/a?b#c"));
        assert!(p.allows_url("ws://127.0.0.1:8080/socket"));
        for escape in "http://127.0.0.1:8081/|https://127.0.0.1:8080/|http://127.0.0.1:8080@evil.test/|\
            http://127.0.0.1.evil.test:8080/|data:text/html,hi|blob:http://127.0.0.1:8080/x|\
            file:///etc/passwd|javascript:alert(1)|view-source:http://127.0.0.1:8080/|chrome://settings|\
            about:config|filesystem:http://127.0.0.1:8080/x"
            .split('|')
        {
            assert!(!p.allows_url(escape), "{escape}");
        }
    }

    #[test]
    fn a_subdomain_rule_needs_a_label_and_the_dot() {
        let p = policy(&["https://*.example.org"]);
        assert!(p.allows_url("https://a.b.example.org/"));
        assert!(!p.allows_url("https://example.org/"));
        assert!(!p.allows_url("https://evilexample.org/"));
        assert!(!p.allows_url("https://a.example.org:8443/"));
    }

    #[test]
    fn a_rule_with_a_path_or_without_a_host_is_no_rule() {
        for bad in ["", "example.org", "http://", "http://a/b", "http://u@a", "file:///x", "*.a.org"] {
            assert!(OriginRule::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_default_allows_nothing() {
        assert!(!GuardPolicy::default().allows_url("http://127.0.0.1/"));
    }
}
