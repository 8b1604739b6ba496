//! VeNCrypt (security type 19 of the RFB protocol's registry, which the community's specification describes): TLS, and a
//! way in inside of it. Of its ways those with a certificate are spoken.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;

use waldo_devices::screen_text::clean;

use super::certificate::config;
use super::error::{Result, RfbError, broken};
use super::link::{Inside, LinkOptions, RfbLink};

/// Ways in, by their numbers.
const X509_NONE: u32 = 260;
const X509_VNC: u32 = 261;

/// Agrees on a way, and on TLS; gives the way in that is left to go inside of it.
pub(super) async fn secure(mut stream: RfbLink, options: &LinkOptions<'_>) -> Result<(RfbLink, Inside)> {
    let inside = agree(&mut stream, options.password.is_some()).await?;
    let name = ServerName::try_from(options.host.to_owned());
    let name =
        name.map_err(|_| RfbError::Tls(format!("no certificate can have the name {}", options.host)))?;
    let config = config(options.trust).map_err(|error| RfbError::Tls(error.to_string()))?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.map_err(failed)?;
    Ok((Box::new(stream), inside))
}

async fn agree<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, has_password: bool) -> Result<Inside> {
    let version = [stream.read_u8().await?, stream.read_u8().await?];
    if version < [0, 2] {
        return Err(RfbError::NoWayIn(format!("VeNCrypt {}.{}", version[0], version[1])));
    }
    stream.write_all(&[0, 2]).await?;
    stream.flush().await?;
    if stream.read_u8().await? != 0 {
        return broken("it does not take VeNCrypt 0.2, which it offered");
    }
    let mut offered = Vec::new();
    for _ in 0..stream.read_u8().await? {
        offered.push(stream.read_u32().await?);
    }
    let order = if has_password { [X509_VNC, X509_NONE] } else { [X509_NONE, X509_VNC] };
    let Some(way) = order.into_iter().find(|way| offered.contains(way)) else {
        return Err(match offered.iter().any(|way| (257..=259).contains(way)) {
            true => RfbError::Anonymous,
            false => RfbError::NoWayIn(named(&offered)),
        });
    };
    if way == X509_VNC && !has_password {
        return Err(RfbError::WantsPassword);
    }
    stream.write_u32(way).await?;
    stream.flush().await?;
    if stream.read_u8().await? != 1 {
        return Err(RfbError::Tls(
            "it cannot begin: see the server's log, and its certificate and key".into(),
        ));
    }
    Ok(if way == X509_VNC { Inside::Password } else { Inside::Open })
}

fn named(ways: &[u32]) -> String {
    let name = |way: &u32| match way {
        256 => "VeNCrypt's Plain (a password in the clear)".to_owned(),
        262 => "VeNCrypt's X509Plain (accounts of the system)".to_owned(),
        263 | 264 => "VeNCrypt's SASL".to_owned(),
        other => format!("VeNCrypt's type {other}"),
    };
    let mut names: Vec<String> = ways.iter().map(name).collect();
    names.dedup();
    names.truncate(6);
    if names.is_empty() { "VeNCrypt, without a way to speak it".to_owned() } else { names.join(", ") }
}

/// What it means that TLS is not agreed on.
fn failed(error: std::io::Error) -> RfbError {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    match tls {
        // Names in it are the server's.
        Some(rustls::Error::InvalidCertificate(why)) => RfbError::Unverified(clean(&why.to_string(), 300)),
        Some(other) => RfbError::Tls(clean(&other.to_string(), 300)),
        None => RfbError::Io(error),
    }
}
