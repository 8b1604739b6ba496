//! From a connection to a screen: version, way in, and what the server says of its display.

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use waldo_devices::screen_text::clean;

use super::auth::answer;
use super::error::{Result, RfbError, broken};
use super::link::{Inside, LinkOptions, RfbLink};
use super::vencrypt::secure;

pub(crate) const PIXELS_MAX: u64 = 64_000_000;
/// The longest words of a server that are read, in bytes.
const WORDS_MAX: u32 = 4_096;
/// Ways in, by their numbers.
const NO_PASSWORD: u8 = 1;
const VNC_PASSWORD: u8 = 2;
const VENCRYPT: u8 = 19;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServerInit {
    pub(crate) size: (u16, u16),
    pub(crate) name: String,
}

pub(crate) fn check_size(width: u16, height: u16) -> Result<()> {
    if width == 0 || height == 0 {
        return broken(format!("its screen has no pixels ({width}x{height})"));
    }
    if u64::from(width) * u64::from(height) > PIXELS_MAX {
        return broken(format!("its screen of {width}x{height} has more than 64 megapixels"));
    }
    Ok(())
}

pub(crate) async fn greet(mut stream: RfbLink, options: &LinkOptions<'_>) -> Result<(ServerInit, RfbLink)> {
    let minor = version(&mut stream).await?;
    let has_password = options.password.is_some();
    let way = match minor {
        3 => told_way(&mut stream, options.clear).await?,
        _ => chosen_way(&mut stream, has_password, options.clear).await?,
    };
    let (mut stream, inside) = match way {
        VENCRYPT => secure(stream, options).await?,
        VNC_PASSWORD => (stream, Inside::Password),
        _ => (stream, Inside::Open),
    };
    if inside == Inside::Password {
        let password = options.password.ok_or(RfbError::WantsPassword)?;
        let mut challenge = [0; 16];
        stream.read_exact(&mut challenge).await?;
        stream.write_all(&answer(challenge, password)).await?;
        stream.flush().await?;
    }
    // Before 3.8 who needs no password is told nothing.
    if (way != NO_PASSWORD || minor == 8) && stream.read_u32().await? != 0 {
        let why = match minor {
            8 => words(&mut stream).await?,
            _ => "the password is wrong".to_owned(),
        };
        return Err(RfbError::Refused(why));
    }
    // Whoever else looks at the screen may go on.
    stream.write_all(&[1]).await?;
    stream.flush().await?;
    Ok((display(&mut stream).await?, stream))
}

/// Agrees on a version; gives its minor number.
async fn version<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> Result<u8> {
    let mut said = [0; 12];
    stream.read_exact(&mut said).await?;
    let digits = |part: &[u8]| std::str::from_utf8(part).ok().and_then(|text| text.parse::<u16>().ok());
    let (major, minor) = match (said.strip_prefix(b"RFB "), said[7], said[11]) {
        (Some(rest), b'.', b'\n') => (digits(&rest[..3]), digits(&rest[4..7])),
        _ => (None, None),
    };
    let (Some(3), Some(theirs)) = (major, minor) else {
        return broken("it does not greet as a VNC server of version 3 does");
    };
    // Numbers that no standard has are 3.3 below 3.7, and 3.8 above (macOS says 3.889).
    let minor = match theirs {
        ..=6 => 3,
        7 => 7,
        8.. => 8,
    };
    stream.write_all(format!("RFB 003.00{minor}\n").as_bytes()).await?;
    stream.flush().await?;
    Ok(minor)
}

/// The way in that a server of version 3.3 decides on.
async fn told_way<S: AsyncRead + Unpin>(stream: &mut S, clear: bool) -> Result<u8> {
    match stream.read_u32().await? {
        0 => Err(RfbError::Refused(words(stream).await?)),
        1 | 2 if !clear => Err(RfbError::InTheClear("version 3.3".to_owned())),
        1 => Ok(NO_PASSWORD),
        2 => Ok(VNC_PASSWORD),
        other => Err(RfbError::NoWayIn(named(&[u8::try_from(other).unwrap_or(u8::MAX)]))),
    }
}

/// Chooses a way in from those that are offered: one in the clear where it may be, for TLS needs a certificate that is
/// believed; with the password where there is one, else without.
async fn chosen_way<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    has_password: bool,
    clear: bool,
) -> Result<u8> {
    let count = stream.read_u8().await?;
    if count == 0 {
        return Err(RfbError::Refused(words(stream).await?));
    }
    let mut offered = vec![0; usize::from(count)];
    stream.read_exact(&mut offered).await?;
    let order = if has_password { [VNC_PASSWORD, NO_PASSWORD] } else { [NO_PASSWORD, VNC_PASSWORD] };
    let plain = order.into_iter().find(|way| offered.contains(way));
    let secure = offered.contains(&VENCRYPT).then_some(VENCRYPT);
    let Some(way) = plain.filter(|_| clear).or(secure) else {
        return Err(match plain {
            Some(_) => RfbError::InTheClear(named(&offered)),
            None => RfbError::NoWayIn(named(&offered)),
        });
    };
    if way == VNC_PASSWORD && !has_password {
        return Err(RfbError::WantsPassword);
    }
    stream.write_all(&[way]).await?;
    stream.flush().await?;
    Ok(way)
}

fn named(ways: &[u8]) -> String {
    let name = |way: &u8| match way {
        1 => "no password".to_owned(),
        2 => "VNC's password".to_owned(),
        5 | 6 | 13 | 129 => "RealVNC's RSA-AES".to_owned(),
        16 => "Tight's security".to_owned(),
        18 => "anonymous TLS".to_owned(),
        19 => "VeNCrypt (TLS)".to_owned(),
        20 => "SASL".to_owned(),
        30 | 33 | 35 | 36 => "Apple's accounts".to_owned(),
        other => format!("type {other}"),
    };
    let mut names: Vec<String> = ways.iter().map(name).collect();
    names.dedup();
    names.truncate(6);
    names.join(", ")
}

async fn words<S: AsyncRead + Unpin>(stream: &mut S) -> Result<String> {
    let length = stream.read_u32().await?;
    if length > WORDS_MAX {
        return broken(format!("its words have {length} bytes"));
    }
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes).await?;
    Ok(clean(&String::from_utf8_lossy(&bytes), 300))
}

async fn display<S: AsyncRead + Unpin>(stream: &mut S) -> Result<ServerInit> {
    let size = (stream.read_u16().await?, stream.read_u16().await?);
    check_size(size.0, size.1)?;
    // Its own form of pixels: another is asked for.
    let mut form = [0; 16];
    stream.read_exact(&mut form).await?;
    Ok(ServerInit { size, name: words(stream).await? })
}
