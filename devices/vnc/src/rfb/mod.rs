//! A client of RFB (RFC 6143), as much of it as a screen needs: versions 3.3 to 3.8, no password or VNC's, TLS by
//! VeNCrypt with certificates, Raw, CopyRect, Hextile, Tight and ZRLE, and the pseudo encodings for the size of the desktop and for a cursor that is not painted.
//!
//! Invariant: whatever a server says, what is reserved for it and what is read of it is bounded.

mod auth;
mod certificate;
mod client;
mod error;
mod handshake;
mod hextile;
mod link;
mod packed;
mod pixels;
#[cfg(test)]
mod tests;
mod tight;
mod traffic;
mod updates;
mod vencrypt;
mod zrle;

pub(crate) use client::RfbClient;
