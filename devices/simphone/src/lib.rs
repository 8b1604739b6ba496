//! A phone in a process: it speaks the ADB wire protocol and runs a small Android of its own.
//!
//! It exists so that code proven on it holds on a phone: screens, windows, keyboard, settings and the answers
//! of the shell follow what a real device does, warts included. Its contents come from a seed.
//!
//! - `ui`: widgets, layout, gestures, painting, the tree's XML
//! - `apps`: the apps, each pure over its own state
//! - [`world`]: what holds them together: activities, windows, settings, providers, input
//! - [`phone`]: one phone, to be shared between the threads that talk to it

pub(crate) mod apps;
pub(crate) mod clock;
pub mod fault;
pub(crate) mod files;
pub(crate) mod lists;
pub mod options;
pub mod phone;
pub mod shell;
pub(crate) mod ui;
pub mod wire;
pub mod world;

pub use fault::{Faults, Lock, PhoneFault, Stay};
pub use options::{ColorScheme, IdleWait, PhoneOptions, SecondScreen, ShellControl};
pub use phone::Phone;
pub use world::World;
