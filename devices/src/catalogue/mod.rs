//! The catalogue of actions: everything that is known of an action is said once, in `table`.
//!
//! The table has two parts. A row of `actions!` is what a device carries out: its name and parameters on the wire,
//! what it does (guard and origin gate ask), where it acts, and how a report says it. A row of `tools!` is what a
//! player can ask for: name and other names, parameters with kinds and units, the capability it needs, one
//! sentence, an example, and the action it comes to. [`Tool`] lists the rows, [`ToolCall`] is a call of one of
//! them, and [`ground`](ToolCall::ground) turns the call into an [`Action`] on what is on the screen.
//!
//! Invariants: an action without effects does not compile, nor does one that says nothing in a report; a tool's
//! example is a call that its own row accepts.

#[macro_use]
mod macros;
mod call;
mod ground;
mod json;
mod made;
mod param;
mod placed;
mod table;
mod told;
mod tool;
mod value;
mod words;

#[cfg(test)]
mod tests;

pub use call::{Arg, CallTarget, Percent, Spot, ToolCall};
pub use ground::{ActionPlace, GroundContext, WAIT_MS, address};
pub use json::unknown_parameter;
pub use param::{DeviceNeed, Example, Param, ParamKind, ToolSpec};
pub use placed::Placed;
pub use table::{Action, ActionKind, Tool};
pub use value::Values;
pub use words::{Direction, Distance, Reply, bare};
