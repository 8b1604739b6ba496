//! The tree of what is on the screen, from `uiautomator dump`.
//!
//! [`parse`] reads a dump however damaged it is; [`appagent_elements`] lists it as AppAgent does;
//! [`elements`] turns it into the contract's elements.

mod appagent;
mod dump;
mod element;
mod hit;
mod numbered;
mod parse;
mod role;

pub use appagent::{AppAgentElement, AppAgentVia, appagent_elements};
pub(crate) use dump::{Dump, DumpError};
pub use element::{TreeView, tree_elements};
pub(crate) use numbered::as_appagent;
pub use parse::{Bounds, DumpNode, UiDump};

pub(crate) use waldo_devices::screen_text::clean;
