//! Models that were trained on an action space: the bare picture, their own prompt, their own reply.
//!
//! What such a model is shown and how it is read is said by a [`Profile`] of [`waldo_native`]. A reply may hold several
//! calls; each is a step of its own, and what was not carried out is dropped as soon as one of them fails.
//!
//! Invariant: a reply that cannot be used is asked for again once, with the reason; after that the step is passed over.

mod agent;
mod by_tool;
mod ground;
mod hook;
mod pictures;
mod scene;
mod staged;
#[cfg(feature = "prompt-readers")]
mod stand_in;
mod talk;

pub use agent::{Native, NativeOptions};
pub use ground::ProfileGrounder;
pub use hook::Hook;
pub use scene::{CallStep, steps};
pub use staged::HookModel;
#[cfg(feature = "prompt-readers")]
pub use stand_in::ReferenceNative;
pub use waldo_native::{
    ContentPart, HookRule, HookStage, InputState, Material, Profile, ProfileError, ProfileUse, ReplyForm,
    Scale, builtin, names, of_model,
};
