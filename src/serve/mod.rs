//! What waldo serves on loopback: the pages of suites, instances of applications, and a stand-in model.
//!
//! Invariant: a server ends with the value that started it; nothing is served to other machines
//! unless an address of theirs was asked for.

mod apps;
mod episode;
pub mod http;
mod model;
mod report;
mod sites;
mod token;

pub use apps::{AppLease, apps};
#[cfg(feature = "mcp")]
pub use http::text;
pub use model::{ReferenceModel, Registry};
pub use report::ReportServer;
pub use sites::Sites;
pub use token::{is_token, token};
