//! The apps. Each is a plain struct: its state, kept by serde; a view of it; and what events do to it.
//!
//! To add an app: write the struct in a file of its own in the words of `prelude`, implement [`App`], and name it in
//! `installed::install`. Declare what its widgets send with `messages!` of `ui::message`, and likewise what may lie
//! over its screens; leaving a screen or an editor, closing a dialog and searching are messages of all apps (`Common`).
//! What it holds on a new phone stands in `assets/contents.txt`.

pub mod launcher;
pub mod settings;

pub mod calendar;
pub mod clock;
pub mod contacts;
pub(crate) mod contents;
mod installed;
pub mod messages;
pub mod pickers;

pub(crate) mod dialogs;
#[cfg(test)]
pub(crate) mod drive;
pub mod files;
pub mod lights;
pub mod music;
pub mod notes;
pub mod parts;
pub mod photos;
pub(crate) mod prelude;
pub mod shop;

pub use crate::ui::kit;
pub(crate) use installed::PHONE;

pub use crate::world::app::{App, AppScreen, LauncherEntry, Manifest};
pub(crate) use crate::world::app::{Cx, IntentFilter, Overlay, Sys};
pub(crate) use crate::world::seed::Seed;
