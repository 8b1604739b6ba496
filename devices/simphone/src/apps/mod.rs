//! The apps. Each is a plain struct: its state, kept by serde, and what it does that its layout cannot say.
//!
//! Most of an app is data. `assets/apps.txt` has what its package says of itself, `assets/layouts` its screens and what their
//! widgets do to the app's state (`world::actions`), `assets/tables.txt` what its content providers show, and
//! `assets/contents.txt` what it holds on a new phone.
//!
//! To add an app: write the struct in a file of its own in the words of `prelude`, implement [`App`], name it in
//! `installed::install`, and name its layout in `ui::markup`. What its layout leaves to it comes as a message, declared
//! with `messages!` of `ui::message`; leaving a screen or an editor, closing a dialog and searching are messages of all
//! apps (`Common`). `tests/walks` has what a person does in it, step by step.

pub mod launcher;
pub mod settings;

pub mod calendar;
pub mod clock;
pub mod contacts;
pub(crate) mod contents;
mod installed;
pub mod messages;

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
#[cfg(test)]
mod walks;

pub(crate) use installed::PHONE;

pub use crate::world::app::{App, Manifest};
pub(crate) use crate::world::app::{Cx, Sys};
pub(crate) use crate::world::seed::Seed;
