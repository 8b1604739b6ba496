//! What this agent refuses to touch: screens without a verifiable origin, and pages that want a person.
//!
//! The origins themselves are kept by [`waldo_devices::gate`], around the device and on the network. Here is
//! the agent's own look at every view before a decision leaves it, and the stop in front of pages that ask
//! whether somebody is human. Nothing here tries to pass such a page; there is no switch for it.

use waldo_devices::person::asks;
use waldo_devices::{DeviceInfo, GateClosed, Observation, OriginGate};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stop {
    #[error("{0}")]
    Origin(GateClosed),
    #[error("the page asks for a person (\"{0}\"): a person has to continue from here")]
    Person(String),
}

impl From<GateClosed> for Stop {
    fn from(shut: GateClosed) -> Self {
        match shut {
            GateClosed::Person(words) => Self::Person(words),
            other => Self::Origin(other),
        }
    }
}

/// Whether this device can be played at all.
pub(crate) fn device(info: &DeviceInfo) -> Result<(), Stop> {
    if info.platform.has_pages() { Ok(()) } else { Err(GateClosed::NoOrigin(info.platform.as_str()).into()) }
}

/// Whether a view may be acted on.
pub(crate) fn view(gate: &OriginGate, seen: &Observation) -> Result<(), Stop> {
    gate.observed(seen)?;
    let texts = seen.elements.iter().map(|e| e.name.as_str());
    let dialog = seen.context.dialog.iter().map(|d| d.message.as_str());
    // What the page shows besides was looked through when it was observed: `observed` has told of it.
    match texts.chain(dialog).chain([seen.context.title.as_str()]).find_map(asks) {
        Some(found) => Err(Stop::Person(found.to_owned())),
        None => Ok(()),
    }
}

/// Whether texts that a model wrote of a page say that it asks for a person.
pub(crate) fn described<'a>(mut texts: impl Iterator<Item = &'a str>) -> Result<(), Stop> {
    match texts.find_map(asks) {
        Some(found) => Err(Stop::Person(found.to_owned())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use waldo_devices::{Affordance, OriginRule, Picture};

    use super::*;
    use crate::appagent::testing::{device as web, element, observation, phone};

    fn gate() -> OriginGate {
        OriginGate::of(&[OriginRule::parse("http://127.0.0.1:8080").unwrap()], "")
    }

    #[test]
    fn only_browsers_are_played() {
        assert!(device(&web()).is_ok());
        assert!(device(&phone()).unwrap_err().to_string().contains("android"));
    }

    #[test]
    fn a_page_that_asks_for_a_person_is_handed_over() {
        let mut seen =
            observation(vec![element("button", "Go on", 0, &[Affordance::Click])], Picture::empty());
        assert_eq!(view(&gate(), &seen), Ok(()));
        seen.elements[0].name = "I\u{2019}m  not a\nRobot".into();
        assert_eq!(view(&gate(), &seen), Err(Stop::Person("not a robot".into())));
        seen.elements.clear();
        seen.context.title = "Verify you are human".into();
        assert!(view(&gate(), &seen).is_err());
        seen.context.title = "How humans move".into();
        assert_eq!(view(&gate(), &seen), Ok(()));
        seen.context.person = Some("are you human".into());
        assert_eq!(view(&gate(), &seen), Err(Stop::Person("are you human".into())));
    }

    #[test]
    fn what_was_blocked_or_came_up_besides_stops_it() {
        let mut seen = observation(Vec::new(), Picture::empty());
        seen.context.blocked = vec!["http://127.0.0.1:9:".into()];
        assert!(view(&gate(), &seen).is_err());
        seen.context.blocked.clear();
        seen.context.tabs[1].url = "about:blank".into();
        assert!(view(&gate(), &seen).is_err());
        seen.context.tabs.pop();
        seen.context.location = "data:text/html,hello".into();
        assert!(view(&gate(), &seen).is_err());
    }
}
