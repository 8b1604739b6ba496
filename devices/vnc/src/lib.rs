//! Any machine that a VNC server shows: its picture by RFB's framebuffer updates, its pointer and its keys.
//!
//! Invariants: nobody vouches for the server: pictures have a most, lengths are judged before anything is read or reserved,
//! and what it says beside the picture (clipboard, bell) is dropped; which program gets an input cannot be told, so a screen
//! is taken only where all may be touched; the password is never in an address, a message or a record.

mod address;
mod device;
mod elements;
mod film;
mod hands;
mod options;
mod perform;
mod rfb;
mod screen;
mod settle;
mod trust;

pub use address::{BadVncAddress, PlainVnc, VncAddress};
pub use device::VncDevice;
pub use options::{PASSWORD, VncEncoding, VncOptions};
pub use screen::VncTraffic;
pub use trust::{BadCertificates, VncCertificates, VncTrust};
