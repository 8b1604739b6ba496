//! WebArena, WebArena-Lite, WebArena-Lite-v2 and WebArena-Verified: task files loaded, played and judged by the rules of each.
//!
//! The files are read from a folder that is not part of waldo. What the original does is reproduced from its behaviour;
//! each version has rules of its own ([`Rules`]), with their defects. Invariant: a score is the one that the original
//! gives, or there is none.

mod fault;
pub mod interface;
pub mod judge;
mod judgement;
mod load;
pub mod locator;
pub mod login;
pub mod play;
#[cfg(test)]
mod properties;
pub mod question;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod recorded_verified;
mod rules;
pub mod site;
pub mod survey;
pub mod task;
pub mod text;
pub mod url;
pub mod verified;

pub use fault::WebarenaFault;
pub use load::{Loaded, TaskSet, load, load_set};
pub use play::{PlayedTask, WebarenaStage};
pub use rules::Rules;
pub use site::{Site, SiteAddress, Sites};
pub use task::WebTask;
