//! Profiles of models that were trained on an action space.
//!
//! A profile says, as data, how such a model is shown a screen and what it answers: how the picture is resized, which
//! messages it gets, what its actions are called and what they come to, the form of its reply, and what its coordinates
//! count. A profile is a folder with a `profile.toml` and the templates of its messages; several are built in.
//!
//! Invariant: data in, data out. Nothing here asks a model, reads a file or knows a driver; what a reply comes to are
//! calls of the catalogue of actions ([`waldo_devices::catalogue`]), so that guard and record see them as any others.

mod args;
mod builtin;
mod call;
mod carry;
mod error;
mod expression;
mod hook;
mod json;
mod message_rule;
mod messages;
mod picture;
mod profile;
mod reply;
mod rule;
mod scale;
mod tool;
mod tool_rule;
mod trial;
mod write;

pub use builtin::{builtin, names, of_model};
pub use call::Call;
pub use carry::{CallStage, InputState, Resolved};
pub use error::ProfileError;
pub use hook::{HookRule, HookStage};
pub use message_rule::MessageRole;
pub use messages::{ContentPart, Material, PastStep, ProfileMessage};
pub use picture::SizeError;
pub use profile::{MANIFEST, Profile, ProfileUse};
pub use reply::{Reply, ReplyForm};
pub use scale::Scale;
pub use tool_rule::ToolRule;
pub use write::{PlaceShares, Wish, WriteError};
