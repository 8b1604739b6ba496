//! iPhones and iPads through WebDriverAgent, the server of Appium's that XCTest runs on them: W3C WebDriver, and its own routes
//! under `wda/`.
//!
//! **Not proven on hardware**: it follows WebDriverAgent's published protocol, and was seen against a double of it alone.
//!
//! Invariants: nobody vouches for the server: pictures have a most, trees are counted while they are read, every call ends by
//! its deadline; it counts in points and its picture in pixels, and only [`waldo_devices::geometry`] converts; fingers and keys
//! reach allowed apps only, asked for by bundle id before and after each action; what a secure field holds is never told.

mod active;
mod agent;
mod check;
mod command;
mod device;
mod elements;
mod fields;
mod keys;
mod names;
mod options;
mod perform;
mod role;
mod touch;
mod tree;

pub use agent::WdaServer;
pub use check::{PhoneCheck, check};
pub use device::WdaDevice;
pub use options::WdaOptions;
