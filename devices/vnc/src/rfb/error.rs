//! What goes wrong on the wire.

pub(crate) type Result<T, E = RfbError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum RfbError {
    #[error("the connection to the VNC server ended: {0}")]
    Io(#[from] std::io::Error),
    #[error("waldo cannot talk to the VNC server: {0}")]
    Broken(String),
    #[error("the VNC server refuses: {0}")]
    Refused(String),
    #[error("the VNC server asks for a password")]
    WantsPassword,
    #[error("the VNC server offers only {0}")]
    NoWayIn(String),
    /// It connects without encryption, which it may not.
    #[error(
        "everybody on the network path could see the screen and everything that is typed: the VNC server offers no TLS, only {0}"
    )]
    InTheClear(String),
    #[error(
        "the VNC server offers only anonymous TLS (TLSNone, TLSVnc), which anybody in between can offer too"
    )]
    Anonymous,
    #[error("the VNC server's certificate is not trusted: {0}")]
    Unverified(String),
    #[error("TLS with the VNC server fails: {0}")]
    Tls(String),
}

/// A server that does not keep the protocol.
pub(crate) fn broken<T>(what: impl Into<String>) -> Result<T, RfbError> {
    Err(RfbError::Broken(what.into()))
}
