//! What goes wrong on the wire.

/// What goes wrong on the wire.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RfbError {
    /// The connection.
    #[error("the connection to the VNC server ended: {0}")]
    Io(#[from] std::io::Error),
    /// The server does not keep the protocol, or a bound.
    #[error("the VNC server is not to be spoken with: {0}")]
    Broken(String),
    /// The server lets nobody in.
    #[error("the VNC server refuses: {0}")]
    Refused(String),
    /// It wants a password, and there is none.
    #[error("the VNC server asks for a password")]
    WantsPassword,
    /// It offers only ways in that are not spoken here.
    #[error("the VNC server offers only {0}")]
    NoWayIn(String),
}

/// A server that does not keep the protocol.
pub(crate) fn broken<T>(what: impl Into<String>) -> Result<T, RfbError> {
    Err(RfbError::Broken(what.into()))
}
