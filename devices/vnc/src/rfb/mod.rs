//! A client of RFB (RFC 6143), as much of it as a screen needs: versions 3.3 to 3.8, no password or VNC's, Raw, CopyRect
//! and ZRLE, and the pseudo encodings for the size of the desktop and for a cursor that is not painted.
//!
//! Invariant: whatever a server says, what is reserved for it and what is read of it is bounded.

mod auth;
mod client;
mod error;
mod handshake;
mod pixels;
#[cfg(test)]
mod tests;
mod updates;
mod zrle;

pub(crate) use client::RfbClient;
