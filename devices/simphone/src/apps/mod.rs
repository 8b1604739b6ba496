//! The apps. Each is a plain struct: its state, kept by serde; a view of it; and what events do to it.
//!
//! To add an app: write the struct in a file of its own, implement [`App`], and name it in `installed::install`.
//! Declare what its widgets send with `messages!` of `ui::message`, as the calculator and the photos do.

pub mod launcher;
pub mod settings;

pub mod calendar;
pub mod clock;
pub mod contacts;
mod installed;
pub mod messages;
pub mod pickers;

pub mod calculator;
#[cfg(test)]
mod drive;
pub mod files;
pub mod lights;
pub mod music;
pub mod notes;
pub mod parts;
pub mod photos;
pub mod shop;

pub use crate::ui::kit;
pub(crate) use installed::PHONE;

pub use crate::world::app::{
    App, Bars, Cx, Entry, Filter, Manifest, Overlay, Screen, Secrecy, Sys, TaskCard,
};
pub use crate::world::seed::Seed;
