//! The adb server's smart sockets: a length in four hex digits, a request, OKAY or FAIL.
//!
//! One connection serves one request, or one service of one device.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{failed, gone, lost};
use waldo_devices::error::{DeviceError, Result};

/// The longest answer that is read, in bytes.
const ANSWER_MAX: usize = 0xffff;

pub(super) async fn dial(server: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(server)
        .await
        .map_err(|error| gone(format!("no adb server answers at {server}: {error}")))?;
    // A request is one small write; waiting to fill a packet would only cost time.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

pub(super) async fn request(stream: &mut TcpStream, what: &str) -> Result<()> {
    if what.len() > ANSWER_MAX {
        return Err(failed(what, "longer than the 65,535 bytes that adb takes"));
    }
    let message = format!("{:04x}{what}", what.len());
    stream.write_all(message.as_bytes()).await.map_err(|error| lost("adb server", &error))?;
    let mut status = [0; 4];
    stream.read_exact(&mut status).await.map_err(|error| lost("adb server", &error))?;
    match &status {
        b"OKAY" => Ok(()),
        b"FAIL" => Err(refused(what, &text(stream).await?)),
        other => Err(gone(format!("no adb server: it answered {:?}", String::from_utf8_lossy(other)))),
    }
}

pub(super) async fn text(stream: &mut (impl AsyncRead + Unpin)) -> Result<String> {
    let mut digits = [0; 4];
    stream.read_exact(&mut digits).await.map_err(|error| lost("adb server", &error))?;
    let length = std::str::from_utf8(&digits).ok().and_then(|hex| usize::from_str_radix(hex, 16).ok());
    let length = length.ok_or_else(|| gone("adb server: a length that is not a number"))?;
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.map_err(|error| lost("adb server", &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) async fn query(server: SocketAddr, what: &str) -> Result<String> {
    let mut stream = dial(server).await?;
    request(&mut stream, what).await?;
    text(&mut stream).await
}

pub(super) async fn open(server: SocketAddr, serial: &str, service: &str) -> Result<TcpStream> {
    let mut stream = dial(server).await?;
    request(&mut stream, &format!("host:transport:{serial}")).await?;
    request(&mut stream, service).await?;
    Ok(stream)
}

/// What a FAIL means to the caller.
fn refused(what: &str, message: &str) -> DeviceError {
    let low = message.to_ascii_lowercase();
    if low.contains("unauthorized") || low.contains("authorizing") {
        let hint = "unlock it and allow USB debugging for this computer";
        return DeviceError::start("the phone", message.trim(), hint);
    }
    let lost =
        ["not found", "offline", "no devices", "closed", "device still", "cannot connect", "protocol fault"];
    if lost.iter().any(|part| low.contains(part)) {
        return gone(message.trim());
    }
    failed(what, message.trim())
}
