//! What guard and gate have to know of an action.

use super::ActionKind;
use crate::effect_set::Effects;
use crate::hit_test::InputTarget;
use crate::placing::Placing;

/// All that guard and gate have to know of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<'a> {
    pub kind: ActionKind,
    pub effects: Effects,
    pub target: InputTarget,
    pub address: Option<&'a str>,
}

impl<'a> Placed<'a> {
    pub(crate) fn of(kind: ActionKind, placing: Placing<'a>) -> Self {
        let Placing { effects, target, address } = placing;
        Self { kind, effects, target, address }
    }
}
