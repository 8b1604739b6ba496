//! The service that carries files: requests of four letters and a length, in little endian.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{ServiceStream, failed, gone, lost};
use waldo_devices::error::{DeviceError, Result};

/// What the phone calls it.
pub(super) const SERVICE: &str = "sync:";
/// The most bytes of a file in one piece, as the protocol has it.
const PIECE: usize = 64 * 1024;
/// The longest message of the phone that is read.
const MESSAGE_MAX: usize = 64 * 1024;
/// A plain file that its owner may write.
const MODE: u32 = 0o100_644;

fn cut(error: &std::io::Error) -> DeviceError {
    lost("the transfer broke off", error)
}

async fn say(stream: &mut ServiceStream, letters: &[u8; 4], data: &[u8], number: u32) -> Result<()> {
    let mut bytes = Vec::with_capacity(8 + data.len());
    bytes.extend_from_slice(letters);
    bytes.extend(number.to_le_bytes());
    bytes.extend_from_slice(data);
    stream.write_all(&bytes).await.map_err(|error| cut(&error))
}

async fn name(stream: &mut ServiceStream, letters: &[u8; 4], name: &str) -> Result<()> {
    say(stream, letters, name.as_bytes(), name.len() as u32).await
}

async fn answer(stream: &mut ServiceStream) -> Result<([u8; 4], usize)> {
    let mut head = [0; 8];
    stream.read_exact(&mut head).await.map_err(|error| cut(&error))?;
    let [a, b, c, d, number @ ..] = head;
    Ok(([a, b, c, d], u32::from_le_bytes(number) as usize))
}

async fn refusal(stream: &mut ServiceStream, call: &str, length: usize) -> DeviceError {
    let mut said = vec![0; length.min(MESSAGE_MAX)];
    match stream.read_exact(&mut said).await {
        Ok(_) => failed(call, String::from_utf8_lossy(&said).trim().to_owned()),
        Err(error) => cut(&error),
    }
}

pub(super) async fn push(mut stream: ServiceStream, from: &Path, to: &str) -> Result<()> {
    let io = |source| DeviceError::Io { what: from.display().to_string(), source };
    let mut file = File::open(from).await.map_err(io)?;
    name(&mut stream, b"SEND", &format!("{to},{MODE}")).await?;
    let mut piece = vec![0; PIECE];
    loop {
        let length = file.read(&mut piece).await.map_err(io)?;
        if length == 0 {
            break;
        }
        say(&mut stream, b"DATA", &piece[..length], length as u32).await?;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    say(&mut stream, b"DONE", &[], u32::try_from(now).unwrap_or(u32::MAX)).await?;
    let call = format!("push to {to}");
    match answer(&mut stream).await? {
        (letters, _) if &letters == b"OKAY" => Ok(()),
        (letters, length) if &letters == b"FAIL" => Err(refusal(&mut stream, &call, length).await),
        _ => Err(gone(format!("{call}: the phone's answer is not valid"))),
    }
}

/// Copies a file of the phone to the host; what is there already is written over once the phone sends.
pub(super) async fn pull(mut stream: ServiceStream, from: &str, to: &Path) -> Result<()> {
    let io = |source| DeviceError::Io { what: to.display().to_string(), source };
    let call = format!("pull {from}");
    name(&mut stream, b"RECV", from).await?;
    let mut file = None;
    loop {
        let (letters, length) = answer(&mut stream).await?;
        let is_data = match &letters {
            b"DATA" if length <= PIECE => true,
            b"DONE" => false,
            b"FAIL" => return Err(refusal(&mut stream, &call, length).await),
            _ => return Err(gone(format!("{call}: the phone's answer is not valid"))),
        };
        let into = match &mut file {
            Some(file) => file,
            None => file.insert(File::create(to).await.map_err(io)?),
        };
        if !is_data {
            return into.flush().await.map_err(io);
        }
        let mut piece = vec![0; length];
        stream.read_exact(&mut piece).await.map_err(|error| cut(&error))?;
        into.write_all(&piece).await.map_err(io)?;
    }
}
