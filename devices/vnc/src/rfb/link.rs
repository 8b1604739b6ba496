//! A connection, and how it is to be made.

use tokio::io::{AsyncRead, AsyncWrite};

use crate::trust::VncTrust;

/// A connection, in the clear or not.
pub(crate) trait RfbStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> RfbStream for S {}
pub(crate) type RfbLink = Box<dyn RfbStream>;

pub(crate) struct LinkOptions<'a> {
    /// Its machine, as it was named: what a certificate has to say.
    pub(crate) host: &'a str,
    pub(crate) password: Option<&'a str>,
    pub(crate) clear: bool,
    pub(crate) trust: &'a VncTrust,
}

/// What is left to be done to get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inside {
    Open,
    Password,
}
