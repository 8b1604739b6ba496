//! What actions do, whatever they are called: what the guard judges, and where a gate has to look.
//!
//! Invariant: the [catalogue](crate::catalogue) is the one place that says so, in the action's own row: an action
//! that is not placed does not compile. Where it cannot be told what an input does, it does everything.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::action::{Action, Button, DialogReply, Modifiers};
pub use crate::catalogue::ActionKind;
use crate::chords;
pub use crate::effect_set::{ActionEffect, Effects};
use crate::geometry::{Physical, Point};
use crate::hit_test::{Focus, InputTarget};
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

    /// Reads a name.
    ///
    /// # Errors
    /// [`BadGuardName`] where there is none such.
    pub fn parse(text: &str) -> Result<Self, BadGuardName> {
        Self::all().into_iter().find(|known| known.name == text).ok_or_else(|| BadGuardName(text.to_owned()))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// What it stands for.
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

/// All that guard and gate have to know of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<'a> {
    /// Which it is.
    pub kind: ActionKind,
    /// What it does.
    pub effects: Effects,
    /// Where it acts.
    pub target: InputTarget,
    /// The address that it opens.
    pub address: Option<&'a str>,
}

/// What an action does and where, as its row of the catalogue says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Placing<'a> {
    effects: Effects,
    target: InputTarget,
    address: Option<&'a str>,
}

/// An action that does this.
pub(crate) fn does<'a>(effects: &[ActionEffect]) -> Placing<'a> {
    Placing { effects: Effects::of(effects), ..Placing::default() }
}

impl<'a> Placing<'a> {
    /// A press of a button. The middle one opens links in tabs, and pastes what is selected.
    pub(crate) fn by(button: Button) -> Self {
        use ActionEffect as E;
        match button {
            Button::Left | Button::Right => does(&[E::Press]),
            Button::Middle => does(&[E::Press, E::NewTab, E::Paste, E::Type]),
        }
    }

    fn and(mut self, effects: Effects) -> Self {
        self.effects = self.effects.and(effects);
        self
    }

    /// With these keys held: links open in tabs and windows or are saved, and what a desktop makes of its own
    /// key is anybody's guess.
    pub(crate) fn held(self, modifiers: Modifiers) -> Self {
        use ActionEffect as E;
        let also: &[(bool, &[E])] = &[
            (modifiers.ctrl || modifiers.shift, &[E::Key, E::NewTab]),
            (modifiers.alt, &[E::Key, E::Save]),
            (modifiers.meta, ActionEffect::ALL),
        ];
        also.iter().filter(|(held, _)| *held).fold(self, |all, (_, more)| all.and(Effects::of(more)))
    }

    /// At these places.
    pub(crate) fn at(mut self, points: &[Point<Physical>]) -> Self {
        self.target.points = points.to_vec();
        self
    }

    /// With the pointer pressed on its way.
    pub(crate) fn pressed(mut self) -> Self {
        self.target.pressed = true;
        self
    }

    /// It goes to what has the focus.
    pub(crate) fn keyed(mut self) -> Self {
        self.target.focus = Focus::Used;
        self
    }

    /// It opens this address.
    pub(crate) fn opens(mut self, address: &'a str) -> Self {
        self.address = Some(address);
        self
    }

    /// On a phone it does this besides.
    pub(crate) fn on_phone(self, on: Platform, effects: &[ActionEffect]) -> Self {
        if on.has_packages() { self.and(Effects::of(effects)) } else { self }
    }

    /// On a phone whatever touches is a finger, and a finger that stays within a control presses it.
    pub(crate) fn finger(self, on: Platform) -> Self {
        self.on_phone(on, &[ActionEffect::Press, ActionEffect::Drag])
    }

    /// It presses these keys.
    pub(crate) fn chord(self, chord: &str, on: Platform) -> Self {
        self.and(chords::effects(chord, on))
    }

    /// It types this text: its keys go to what has the focus, and there a blank or the Enter key presses.
    pub(crate) fn typing(self, text: &str) -> Self {
        self.and(typed(text))
    }

    /// It pastes this text: a pasted line is carried out by a terminal.
    pub(crate) fn pasting(self, text: &str) -> Self {
        if text.contains(['\n', '\r']) { self.and(Effects::of(&[ActionEffect::Press])) } else { self }
    }

    /// It answers a dialog like this.
    pub(crate) fn answering(self, reply: &DialogReply) -> Self {
        self.and(answered(reply))
    }
}

impl<'a> Placed<'a> {
    pub(crate) fn of(kind: ActionKind, placing: Placing<'a>) -> Self {
        let Placing { effects, target, address } = placing;
        Self { kind, effects, target, address }
    }
}

impl Action {
    /// What it does on a device of this platform.
    pub fn effects(&self, on: Platform) -> Effects {
        self.placed(on).effects
    }

    /// The action's name as it is serialised.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// The point that the action was aimed at, where it has one; a drag's last point.
    pub fn point(&self) -> Option<Point<Physical>> {
        self.target().points.last().copied()
    }

    /// Where it acts, which is the same on every platform.
    pub fn target(&self) -> InputTarget {
        self.placed(Platform::Web).target
    }
}

/// What typing a text does besides entering it: its keys go to what has the focus, and there a blank or the
/// Enter key presses.
fn typed(text: &str) -> Effects {
    let of_char = |c: char| match c {
        '\n' | '\r' => Effects::of(&[ActionEffect::Key, ActionEffect::Press]),
        '\t' => Effects::of(&[ActionEffect::Key]),
        c if c.is_control() => Effects::all(),
        c if c.is_whitespace() => Effects::of(&[ActionEffect::Press]),
        _ => Effects::default(),
    };
    text.chars().map(of_char).fold(Effects::default(), Effects::and)
}

fn answered(reply: &DialogReply) -> Effects {
    match reply {
        DialogReply::Accept { text: Some(_) } => Effects::of(&[ActionEffect::Press, ActionEffect::Type]),
        DialogReply::Accept { text: None } => Effects::of(&[ActionEffect::Press]),
        DialogReply::Dismiss => Effects::default(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
