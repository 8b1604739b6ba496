//! The kinds of screens that `--device` names.
//!
//! Invariants: what differs from kind to kind is said by its `ScreenKind`, what differs from platform to platform by its
//! `Family`; both are registered once, in `registry`, and nothing else asks which one it has.

mod args;
mod bridge;
mod browser_args;
mod desktops;
mod error;
mod finding;
mod flags;
mod kind;
mod phones;
mod registry;
mod remote;
mod routed;
mod sandbox_choice;
mod several;
mod spec;
mod text;
mod text_choice;
mod vm;
mod vnc;
mod web;

pub use args::DeviceArgs;
pub use bridge::named as environment_named;
#[cfg(feature = "bridge")]
pub use bridge::server as environment_server;
pub use browser_args::{BrowserArgs, HarArgs};
pub use desktops::is_there;
pub use error::ScreenError;
pub use finding::Finding;
#[cfg(feature = "fleet")]
pub use flags::DeviceFlags;
pub use flags::{Concurrency, DisplaySize};
pub use kind::{DeviceSpec, Family, NamedScreen, STARTS_WITHIN, ScreenSource};
#[cfg(feature = "android")]
pub use phones::adb_key;
pub use registry::{FAMILIES, family, listed};
#[cfg(all(feature = "remote", feature = "osworld"))]
pub use remote::server as machine_server;
pub use routed::Routed;
pub use spec::together;
pub use text::TEXT_RECOGNITION;
#[cfg(feature = "vm")]
pub use vm::findings as vm_findings;
#[cfg(all(feature = "vm", feature = "osworld"))]
pub use vm::{pool as vm_pool, server as vm_server};
