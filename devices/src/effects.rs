//! What actions do, whatever they are called: what the guard judges, and where a gate has to look.
//!
//! Invariant: the [catalogue](crate::catalogue) is the one place that says so, in the action's own row: an action
//! that is not placed does not compile. Where it cannot be told what an input does, it does everything.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::catalogue::Action;
pub use crate::catalogue::{ActionKind, Placed};
pub use crate::effect_set::{ActionEffect, Effects};
use crate::geometry::{Physical, Point};
use crate::hit_test::InputTarget;
use crate::platform::Platform;

/// A name of `--deny` or `--ask`: of an action, for what is characteristic of it, or of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "String")]
pub struct GuardName {
    name: &'static str,
    effect: ActionEffect,
}

/// A name that is neither an action nor an effect; it would guard against nothing.
#[derive(Debug, thiserror::Error)]
#[error("there is no action and no effect '{0}'")]
pub struct BadGuardName(pub String);

impl GuardName {
    /// All that there are: the actions in their order, then the effects that no action is named after.
    pub fn all() -> Vec<Self> {
        let actions =
            ActionKind::ALL.iter().map(|kind| Self { name: kind.name(), effect: kind.characteristic() });
        let mut all: Vec<Self> = actions.collect();
        for effect in ActionEffect::ALL {
            if !all.iter().any(|known| known.name == effect.name()) {
                all.push(Self { name: effect.name(), effect: *effect });
            }
        }
        all
    }

    pub fn parse(text: &str) -> Result<Self, BadGuardName> {
        Self::all().into_iter().find(|known| known.name == text).ok_or_else(|| BadGuardName(text.to_owned()))
    }

    pub fn name(self) -> &'static str {
        self.name
    }

    pub fn effect(self) -> ActionEffect {
        self.effect
    }
}

impl fmt::Display for GuardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<'de> Deserialize<'de> for GuardName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl From<GuardName> for String {
    fn from(name: GuardName) -> Self {
        name.name.to_owned()
    }
}

impl Action {
    pub fn effects(&self, on: Platform) -> Effects {
        self.placed(on).effects
    }

    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Whether it turns to the task's person or tools and does nothing on the screen.
    pub fn is_beside_the_screen(&self) -> bool {
        matches!(self, Self::AskUser { .. } | Self::CallTool { .. })
    }

    /// The point that the action was aimed at, where it has one; a drag's last point.
    pub fn point(&self) -> Option<Point<Physical>> {
        self.target().points.last().copied()
    }

    pub fn target(&self) -> InputTarget {
        self.placed(Platform::Web).target
    }
}

#[cfg(test)]
pub(crate) mod tests;
