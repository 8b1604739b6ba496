//! Learning what elements do: exploring an app, looking back on each action, documenting it.
//!
//! An [`Explorer`] proposes an action ([`Proposal`]) and afterwards judges it ([`Reflection`]); what follows
//! from a verdict is a table ([`consequence`]). The [`Graph`] of screens says what is left to try and how to
//! get there; the [`StopRule`] keeps an exploration from paying, sending and deleting; a [`Difference`] of
//! nothing is INEFFECTIVE without asking a model. Loop, clock and disk are in `waldo-tasks`.
//!
//! Invariant: under [`Mode::Compat`](super::Mode) all is AppAgent's, its defects included.

mod crop;
mod demo;
mod difference;
mod explorer;
mod graph;
mod look_back;
mod reflect;
mod stop;
mod table;

pub use super::docs::place;
pub use crop::{crop, places, portrait};
pub use demo::{Demonstrated, Described, action_of};
pub use difference::Difference;
pub use explorer::{ExploreOptions, ExploreTurn, Explorer, Proposal, Tried, focused, without};
pub use graph::{Edge, Graph, GraphScreen, ScreenId, lessons};
pub use look_back::{ReflectedAction, Reflection};
pub use reflect::{
    ActionVerdict, Sensitive, parse_compat as parse_reflection_compat, parse_tolerant as parse_reflection,
};
pub use stop::{StopHit, StopPlace, StopRule};
pub use table::{Consequence, IneffectivePolicy, NextTurn, SummaryUpdate, consequence};
