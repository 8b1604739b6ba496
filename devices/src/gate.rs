//! The origin gate: a fence around a device for agents that may act on verified pages only.
//!
//! Invariants: what is allowed is fixed by [`Gated::reset`], from the task's or the command line's policy,
//! before any model has spoken; nothing widens it afterwards. It is checked at the network (the policy that
//! reaches the driver holds exact origins only), on every observation, and again before every action; what
//! cannot be verified is refused. Once shut it stays shut until the next reset.

use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;

use crate::action::{Action, ActionReport, Effect, RefusalKind};
use crate::device::{Deadline, Device, ResetTo};
use crate::error::{DeviceError, Result};
use crate::hit_test::{Focus, HitTest};
use crate::layer::DeviceLayer;
use crate::observation::{Capture, Observation};
use crate::person;
use crate::policy::{Origin, OriginRule, shown_origin};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OriginGate {
    allowed: Vec<Origin>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateClosed {
    /// Not a browser: nothing tells where such a screen comes from.
    #[error("no origin can be verified on {0}; use a web device")]
    NoOrigin(&'static str),
    #[error("{0} is not an origin that the task or the command line allows")]
    Foreign(String),
    #[error("the page reached for {0}, which is not allowed")]
    Reached(String),
    /// A page of another origin, or one that cannot be verified, lies under the pointer.
    #[error("{0} covers the place that the action is aimed at")]
    Covered(String),
    #[error("another tab ({0}) is open")]
    Tab(String),
    /// The page asks for proof of a person: a person has to go on.
    #[error("the page asks for a person (\"{0}\"): a person has to continue from here")]
    Person(String),
}

impl OriginGate {
    /// What a policy allows exactly, and the start page's own origin where it is a loopback one. Rules for
    /// any origin or for subdomains allow nothing here.
    pub fn of(rules: &[OriginRule], start: &str) -> Self {
        let mut allowed: Vec<Origin> = rules.iter().filter_map(|rule| rule.exact().cloned()).collect();
        if let Some(own) = Origin::of(start)
            && is_loopback(&own)
            && !allowed.contains(&own)
            && rules.iter().any(|rule| rule.allows(&own))
        {
            allowed.push(own);
        }
        Self { allowed }
    }

    /// Whether a page of this address may be acted on. No address without an http origin may, `about:blank`
    /// and those of local data included.
    pub fn page(&self, url: &str) -> Result<(), GateClosed> {
        match Origin::of(url) {
            Some(origin) if self.allowed.contains(&origin) => Ok(()),
            _ => Err(GateClosed::Foreign(shown_origin(url))),
        }
    }

    pub fn observed(&self, observation: &Observation) -> Result<(), GateClosed> {
        let context = &observation.context;
        let tabs = context.tabs.iter().map(|tab| tab.url.as_str());
        self.place(&context.location, tabs, &context.blocked)?;
        match &context.person {
            Some(words) => Err(GateClosed::Person(words.clone())),
            None => Ok(()),
        }
    }

    /// Whether an input may be made where this was found out right before it. What lies at its places is
    /// not looked at.
    pub fn aimed(&self, aimed: &HitTest) -> Result<(), GateClosed> {
        self.place(&aimed.location, aimed.tabs.iter().map(String::as_str), &aimed.blocked)?;
        match person::asks_in_pieces(&aimed.text) {
            Some(words) => Err(GateClosed::Person(words.to_owned())),
            None => Ok(()),
        }
    }

    fn place<'a>(
        &self,
        location: &str,
        tabs: impl Iterator<Item = &'a str>,
        blocked: &[String],
    ) -> Result<(), GateClosed> {
        self.page(location)?;
        for url in tabs {
            if self.page(url).is_err() {
                return Err(GateClosed::Tab(shown_origin(url)));
            }
        }
        match blocked.first() {
            Some(origin) => Err(GateClosed::Reached(origin.clone())),
            None => Ok(()),
        }
    }
}

fn is_loopback(origin: &Origin) -> bool {
    let host = origin.host().trim_start_matches('[').trim_end_matches(']');
    // Names below `localhost` never leave this machine (RFC 6761), and browsers hold to that.
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

pub struct Gated<D> {
    inner: D,
    gate: OriginGate,
    shut: Option<GateClosed>,
}

impl<'a> Gated<&'a mut dyn Device> {
    /// Wraps a device. Until its first reset nothing is allowed.
    pub fn new(inner: &'a mut dyn Device) -> Self {
        Self { inner, gate: OriginGate::default(), shut: None }
    }

    /// Wraps a device for inputs of an episode. A reset puts its own policy in place of `gate`.
    pub fn behind(inner: &'a mut dyn Device, gate: OriginGate) -> Self {
        Self { inner, gate, shut: None }
    }

    /// Asks the browser, at the last moment before an input.
    async fn verify(&mut self, action: &Action, deadline: Deadline) -> Result<(), Unverified> {
        if let Some(shut) = &self.shut {
            return Err(shut.clone().into());
        }
        let info = self.inner.info();
        if !info.platform.has_pages() {
            return Err(GateClosed::NoOrigin(info.platform.as_str()).into());
        }
        let target = action.placed(info.platform).target;
        let Ok(aimed) = self.inner.hit_test(&target, deadline).await else {
            return Err(GateClosed::Foreign("a page that does not say what it is".to_owned()).into());
        };
        self.gate.aimed(&aimed)?;
        let wanted = target.points.len() + usize::from(target.focus == Focus::Used);
        if aimed.dialog {
            // The page cannot be asked, and no input would reach it.
            return if wanted == 0 { Ok(()) } else { Err(Unverified::Dialog) };
        }
        // Fewer than were asked for say nothing of the others.
        let mut told: Vec<_> = (0..wanted).map(|n| aimed.origins.get(n).cloned().flatten()).collect();
        if target.pressed && aimed.way.is_empty() {
            told.push(None);
        }
        for origin in told.into_iter().chain(aimed.way) {
            match origin {
                Some(origin) => {
                    self.gate.page(&origin).map_err(|_| GateClosed::Covered(shown_origin(&origin)))?
                }
                None => {
                    return Err(GateClosed::Covered("something that cannot be verified".to_owned()).into());
                }
            }
        }
        Ok(())
    }
}

/// Why an input is not made.
enum Unverified {
    GateClosed(GateClosed),
    Dialog,
}

impl From<GateClosed> for Unverified {
    fn from(shut: GateClosed) -> Self {
        Self::GateClosed(shut)
    }
}

#[async_trait]
impl DeviceLayer for Gated<&mut dyn Device> {
    crate::device_inside!(inner);

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        self.gate = OriginGate::of(&to.policy.origins, &to.start);
        self.shut = None;
        let mut to = to.clone();
        to.policy.origins =
            self.gate.allowed.iter().filter_map(|o| OriginRule::parse(&o.to_string()).ok()).collect();
        self.inner.reset(&to, deadline).await
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let seen = self.inner.observe(want, deadline).await?;
        if self.shut.is_none() {
            let platform = self.inner.info().platform;
            self.shut = match platform.has_pages() {
                true => self.gate.observed(&seen).err(),
                false => Some(GateClosed::NoOrigin(platform.as_str())),
            };
        }
        Ok(seen)
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        match self.verify(action, deadline).await {
            Ok(()) => self.inner.perform(action, deadline).await,
            Err(Unverified::Dialog) => {
                Err(DeviceError::bad_argument("dialog", "a dialog holds up the page: answer it first"))
            }
            Err(Unverified::GateClosed(shut)) => {
                let reason = shut.to_string();
                self.shut = Some(shut);
                let effect = Effect::Refused { kind: RefusalKind::Origin, reason };
                Ok(ActionReport { effect, took: Duration::ZERO })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(rules: &[&str], start: &str) -> OriginGate {
        let rules: Vec<OriginRule> = rules.iter().map(|r| OriginRule::parse(r).unwrap()).collect();
        OriginGate::of(&rules, start)
    }

    #[test]
    fn only_exact_origins_are_allowed() {
        let open = gate(&["http://127.0.0.1:8080"], "http://127.0.0.1:8080/x");
        assert_eq!(open.page("http://127.0.0.1:8080/y?z"), Ok(()));
        for url in "http://127.0.0.1:8081/|https://127.0.0.1:8080/|about:blank|about:srcdoc|\
            data:text/html,x|blob:http://127.0.0.1:8080/x|chrome-error://chromewebdata/|"
            .split('|')
        {
            assert!(open.page(url).is_err(), "{url}");
        }
    }

    #[test]
    fn wide_rules_allow_the_loopback_start_page_alone() {
        let own = gate(&["*"], "http://localhost:9000/");
        assert_eq!(own.page("http://localhost:9000/a"), Ok(()));
        assert!(own.page("http://localhost:9001/").is_err());
        let below = gate(&["*"], "http://e1.localhost:9000/");
        assert_eq!(below.page("http://e1.localhost:9000/a"), Ok(()));
        assert!(below.page("http://e2.localhost:9000/a").is_err());
        assert!(gate(&["*"], "http://notlocalhost:9000/").allowed.is_empty());
        assert!(gate(&["*"], "https://shop.example/").page("https://shop.example/").is_err());
        assert!(gate(&["https://*.shop.example"], "https://a.shop.example/").allowed.is_empty());
        assert!(gate(&[], "http://127.0.0.1/").allowed.is_empty());
    }
}
