//! What an agent may do, decided before any model has spoken.
//!
//! Invariant: a [`GuardPolicy`] comes from the task or the command line; nothing a model says widens
//! it. Origins are enforced by the driver at its network layer (every frame, redirect, popup, worker,
//! socket and beacon) and fail closed; denied and ask-first actions and the budget are enforced here,
//! around any device.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::action::{Action, ActionReport, Effect, RefusalKind};
use crate::aim::{Aimed, Target};
use crate::device::{Deadline, Device, Platform, ResetTo, StateProbe, StateValue};
use crate::effects::{Effects, GuardName, Placed};
use crate::error::DeviceError;
use crate::layer::DeviceLayer;
use crate::observation::{Observation, Want};
use crate::proposal::{self, Approver, Proposal};

/// A scheme, a host and a port.
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
        Some(Self {
            scheme: scheme.to_owned(),
            host: url.host_str()?.trim_end_matches('.').to_ascii_lowercase(),
            port: url.port().unwrap_or(default),
        })
    }
}

impl Origin {
    /// The host, in lower case; an IPv6 address stands in brackets.
    pub fn host(&self) -> &str {
        &self.host
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

/// A rule that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is no origin: write scheme://host[:port], scheme://*.host[:port], or *")]
pub struct BadOriginRule(pub String);

impl OriginRule {
    /// Reads a rule.
    ///
    /// # Errors
    /// [`BadOriginRule`] when it is none of the forms above.
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

    /// The origin, where the rule names exactly one.
    pub fn exact(&self) -> Option<&Origin> {
        match &self.kind {
            RuleKind::Exact(origin) => Some(origin),
            RuleKind::Any | RuleKind::Subdomains(_) => None,
        }
    }

    /// Whether the rule allows `origin`.
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

/// Limits of one episode; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Decisions of the agent.
    pub steps: Option<u32>,
    /// Tokens, prompt and reply together.
    pub tokens: Option<u64>,
    /// Money in millionths of a US dollar.
    pub micro_usd: Option<u64>,
    /// Wall time.
    pub wall: Option<Duration>,
}

/// Whether an agent may run shell commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellUse {
    /// It may not.
    #[default]
    Refused,
    /// It may, with all that the shell can do.
    Allowed,
}

/// What an agent may do. The default allows nothing but what needs no network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuardPolicy {
    /// Origins that any frame, worker or socket may talk to.
    pub origins: Vec<OriginRule>,
    /// Apps or programs that may be acted on.
    pub apps: Vec<AppRule>,
    /// What is refused, whatever action does it.
    pub deny: BTreeSet<GuardName>,
    /// What a person must approve first, whatever action does it.
    pub ask: BTreeSet<GuardName>,
    /// Shell commands.
    pub shell: ShellUse,
    /// Key chords that are refused, in any spelling, besides those that a desktop always refuses.
    pub deny_chords: Vec<String>,
    /// Key chords that are allowed although a desktop would refuse them.
    pub allow_chords: Vec<String>,
    /// Limits.
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

/// A device with the guard around it: denied and unapproved actions never reach the driver, and no value that it
/// types by name comes back from it.
pub struct Guarded {
    inner: Box<dyn Device>,
    policy: GuardPolicy,
    approver: Option<Arc<dyn Approver>>,
}

impl Guarded {
    /// Wraps `inner`. Without an approver every ask-first action is refused.
    pub fn new(inner: Box<dyn Device>, approver: Option<Arc<dyn Approver>>) -> Self {
        Self { inner, policy: GuardPolicy::default(), approver }
    }

    /// The rule that refuses `action`, if one does.
    fn refusal(&self, action: &Action) -> Option<(RefusalKind, String)> {
        let placed = action.placed(self.inner.info().platform);
        if let Some(denied) = first(&self.policy.deny, &placed) {
            return Some((RefusalKind::Denied, denied_by(denied, action)));
        }
        // What is refused anyway is not asked about.
        if let Some(url) = placed.address.filter(|url| !self.policy.allows_url(url)) {
            return Some((RefusalKind::Origin, format!("{} is not an allowed origin", shown_origin(url))));
        }
        let asked = first(&self.policy.ask, &placed)?;
        let proposal = Proposal { action, effects: placed.effects, intent: &proposal::intended() };
        let approved = self.approver.as_ref().is_some_and(|approver| approver.approve(&proposal));
        (!approved)
            .then(|| (RefusalKind::NotApproved, format!("'{}' was not approved", asked_about(asked, action))))
    }
}

/// The name that an action goes by, else the first whose effect it has.
fn first(names: &BTreeSet<GuardName>, placed: &Placed<'_>) -> Option<GuardName> {
    let meets = |name: &&GuardName| placed.effects.contains(name.effect());
    let own = names.iter().filter(meets).find(|name| name.name() == placed.kind.name());
    own.or_else(|| names.iter().find(meets)).copied()
}

fn denied_by(denied: GuardName, action: &Action) -> String {
    if denied.name() == action.name() {
        return format!("the action '{denied}' is denied");
    }
    let what = described(action);
    if action.effects(Platform::Web) == Effects::all() {
        return format!("'{denied}' is denied, and {what} may do that: what it does is not known");
    }
    format!("'{denied}' is denied, and {what} does that: it {}", denied.effect().does())
}

fn asked_about(asked: GuardName, action: &Action) -> String {
    let own = asked.name() == action.name();
    if own { asked.to_string() } else { format!("{asked}: {}", described(action)) }
}

/// An action in a message; a chord by its keys.
fn described(action: &Action) -> String {
    match action {
        Action::Key { chord } => format!("key {}", chord.chars().take(40).collect::<String>()),
        other => other.name().to_owned(),
    }
}

/// The origin of `url` for a message, or its scheme where it has none; never its path or query.
pub fn shown_origin(url: &str) -> String {
    Origin::of(url).map_or_else(
        || format!("{}: (no origin)", url.split(':').next().unwrap_or_default()),
        |origin| origin.to_string(),
    )
}

#[async_trait]
impl DeviceLayer for Guarded {
    fn inner(&self) -> &dyn Device {
        self.inner.as_ref()
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        self.inner.as_mut()
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<(), DeviceError> {
        self.policy = to.policy.clone();
        let done = self.inner.reset(to, deadline).await;
        self.inner.secrets().told(done)
    }

    async fn observe(&mut self, want: Want, deadline: Deadline) -> Result<Observation, DeviceError> {
        let seen = self.inner.observe(want, deadline).await;
        self.inner.secrets().observed(seen)
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport, DeviceError> {
        // The time that a person takes to approve is not the device's.
        let left = deadline.left();
        let refusal = self.refusal(action);
        let deadline = Deadline::after(left);
        if let Some((kind, reason)) = refusal {
            return Ok(ActionReport { effect: Effect::Refused { kind, reason }, took: Duration::ZERO });
        }
        let done = self.inner.perform(action, deadline).await;
        match self.inner.secrets().reported(done) {
            Err(DeviceError::Refused { kind, reason }) => {
                Ok(ActionReport { effect: Effect::Refused { kind, reason }, took: Duration::ZERO })
            }
            other => other,
        }
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue, DeviceError> {
        // An answer is for checks, which need it as it is; what they found is masked.
        let answer = self.inner.probe(probe, deadline).await;
        self.inner.secrets().told(answer)
    }

    async fn aim(&mut self, target: &Target, deadline: Deadline) -> Result<Aimed, DeviceError> {
        let aimed = self.inner.aim(target, deadline).await;
        self.inner.secrets().told(aimed)
    }

    async fn close(&mut self, deadline: Deadline) -> Result<(), DeviceError> {
        let closed = self.inner.close(deadline).await;
        self.inner.secrets().told(closed)
    }
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
        for escape in [
            "http://127.0.0.1:8081/",
            "https://127.0.0.1:8080/",
            "http://127.0.0.1:8080@evil.test/",
            "http://127.0.0.1.evil.test:8080/",
            "data:text/html,hi",
            "blob:http://127.0.0.1:8080/x",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "view-source:http://127.0.0.1:8080/",
            "chrome://settings",
            "about:config",
            "filesystem:http://127.0.0.1:8080/x",
        ] {
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
