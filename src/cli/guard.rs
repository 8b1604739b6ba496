//! Flags that say what an agent may do.

use std::collections::BTreeSet;

use waldo_devices::{AppRule, GuardName, GuardPolicy, OriginRule, ShellUse};
use waldo_tasks::suite::problem::suggest;

/// What an agent may do.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Guard")]
pub struct GuardArgs {
    #[allow(rustdoc::broken_intra_doc_links, reason = "the text is also that of the help or the schema")]
    /// An allowed origin, beside that of the page to start on: scheme://host[:port], scheme://*.host (without the host
    /// itself), or * for any; may be given several times.
    #[arg(long, value_name = "ORIGIN", value_parser = rule)]
    pub allow: Vec<OriginRule>,
    /// A package (on a phone) or program (on a desktop) that may be touched; com.example.* for all that begin
    /// so, * for any; may be given several times.
    #[arg(long, value_name = "APP")]
    pub allow_app: Vec<String>,
    /// An action (tap, type, navigate, ...) or effect (press, leave_app, ...) that is refused, by whatever
    /// action or keys; may be given several times.
    #[arg(long, value_name = "ACTION", value_parser = guarded)]
    pub deny: Vec<GuardName>,
    /// An action or effect that you are asked about first; may be given several times.
    #[arg(long, value_name = "ACTION", value_parser = guarded)]
    pub ask: Vec<GuardName>,
    /// Allow shell commands, with all that the shell can do, on devices that have one.
    #[arg(long)]
    pub allow_shell: bool,
}

impl GuardArgs {
    /// The policy; `own` is the start's origin, which is allowed beside those that are named.
    pub fn policy(&self, own: Option<OriginRule>) -> GuardPolicy {
        let own = own.filter(|own| !self.allow.contains(own));
        let origins = own.into_iter().chain(self.allow.iter().cloned()).collect();
        GuardPolicy {
            origins,
            apps: self.allow_app.iter().cloned().map(AppRule).collect(),
            deny: self.deny.iter().copied().collect::<BTreeSet<_>>(),
            ask: self.ask.iter().copied().collect::<BTreeSet<_>>(),
            shell: if self.allow_shell { ShellUse::Allowed } else { ShellUse::Refused },
            ..GuardPolicy::default()
        }
    }
}

pub fn rule(text: &str) -> Result<OriginRule, String> {
    OriginRule::parse(text).map_err(|e| e.to_string())
}

/// What to deny or to ask about; a misspelt name would guard against nothing.
fn guarded(text: &str) -> Result<GuardName, String> {
    GuardName::parse(text).map_err(|bad| {
        let known: Vec<String> = GuardName::all().into_iter().map(String::from).collect();
        format!("{bad}; {}", suggest(text, &known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_safety_page_has_every_name() {
        let page = include_str!("../../docs/safety.md");
        for name in GuardName::all() {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn the_own_origin_stays_allowed_beside_those_that_are_named() {
        let own = || rule("http://a.test").ok();
        assert_eq!(GuardArgs::default().policy(own()).origins.len(), 1);
        let named = GuardArgs { allow: vec![rule("http://b.test").unwrap()], ..GuardArgs::default() };
        assert_eq!(named.policy(own()).origins, [own().unwrap(), named.allow[0].clone()]);
        assert_eq!(named.policy(rule("http://b.test").ok()).origins, named.allow);
        assert!(GuardArgs::default().policy(None).origins.is_empty());
        assert_eq!(GuardArgs::default().policy(None).shell, ShellUse::Refused);
    }
}
