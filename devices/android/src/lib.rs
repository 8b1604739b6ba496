//! The Android driver: a phone over ADB.
//!
//! Invariants: every call ends by its deadline; text reaches the phone's shell in single quotes only;
//! fingers and keys reach allowed apps only; what is changed on the phone (animations, keyboard,
//! rotation, files) is put back on close and on drop; one waldo per phone.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

mod adb;
mod apps;
mod device;
mod display;
mod effect;
mod film;
mod fingers;
mod glance;
mod input;
mod lock;
mod observe;
mod options;
mod perform;
mod restore;
mod screen;
mod state;
mod tree;
mod typing;
mod wake;

pub use adb::{Adb, AdbDevice, AdbOptions, AdbState, pair, probe_transport};
pub use device::AndroidDevice;
pub use options::{AndroidOptions, Animations, Locks, PhoneTarget};
pub use screen::{PictureWay, decode_raw, picture_elements};
pub use tree::{
    AppAgentElement, AppAgentVia, Bounds, DumpNode, TreeView, UiDump, appagent_elements, tree_elements,
};

pub use waldo_devices::secrets::Secrets;
