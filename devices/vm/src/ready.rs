//! When a machine that starts is ready.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::time::Instant;
use waldo_devices::{Deadline, DeviceError, Result, foreign};

use super::command_line::{SCREEN, SERVER};
use super::machine::{Hands, Machine};
use super::settings::Wanted;

/// Between two looks at a machine that starts.
const LOOK: Duration = Duration::from_millis(500);
/// How long one answer of the server may take.
const ANSWER: Duration = Duration::from_secs(90);
/// How long a screen has to stay as it is to be the end of a start.
const STILL: Duration = Duration::from_secs(6);
/// How long a screen behind a server that answers may go on moving: a clock with seconds never stops.
const MOVES: Duration = Duration::from_secs(90);
/// The bytes of a picture, three for each point, that may change on a screen that is still.
const SMALL: usize = 3 * 1_000;
/// The most bytes of a picture.
const PICTURE: u64 = 256 << 20;

/// Waits until the server inside shows its screen, or where none is wanted or comes, until the screen is still.
///
/// # Errors
/// Where the machine ends meanwhile, or the server that is wanted does not come.
pub(crate) async fn ready(machine: &Machine, wanted: Wanted, deadline: Deadline) -> Result<Hands> {
    let mut hands = Hands::Vnc;
    if wanted != Wanted::Vnc {
        let mut looks = tokio::time::interval(LOOK);
        loop {
            looks.tick().await;
            machine.lives()?;
            if shows(&machine.folder().join(SERVER)).await {
                hands = Hands::Server;
                break;
            }
            if deadline.passed() && wanted == Wanted::Server {
                return Err(super::image::start_error(
                    "no server answered inside in time",
                    "see that the image has OSWorld's server, give it longer with --vm boot=SECONDS, or take \
                     --vm hands=vnc",
                ));
            }
            if deadline.passed() {
                break;
            }
        }
    }
    let end = match hands {
        Hands::Server => Deadline::after(MOVES),
        Hands::Vnc => Deadline::after(deadline.left().max(MOVES)),
    };
    still(machine, end).await?;
    Ok(hands)
}

/// Whether the server tells its system and shows its screen.
async fn shows(socket: &Path) -> bool {
    for path in ["platform", "screenshot"] {
        if !matches!(tokio::time::timeout(ANSWER, answers(socket, path)).await, Ok(Ok(true))) {
            return false;
        }
    }
    true
}

pub(crate) async fn answers(socket: &Path, path: &str) -> io::Result<bool> {
    let mut stream = UnixStream::connect(socket).await?;
    stream.write_all(format!("GET /{path} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes()).await?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).await?;
    Ok(head.starts_with(b"HTTP/1.") && &head[9..] == b"200")
}

/// Whether more of the picture is another than a text cursor or the seconds of a clock.
fn moved(before: &[u8], now: &[u8]) -> bool {
    before.len() != now.len() || before.iter().zip(now).filter(|(a, b)| a != b).count() > SMALL
}

/// Waits until the screen has not changed for a while; at `end` it is taken as it is.
async fn still(machine: &Machine, end: Deadline) -> Result<()> {
    let (mut last, mut since) = (Vec::new(), Instant::now());
    let mut looks = tokio::time::interval(LOOK);
    let file = machine.folder().join(SCREEN);
    while !end.passed() && since.elapsed() < STILL {
        looks.tick().await;
        machine.lives()?;
        machine.qmp.ask("screendump", json!({ "filename": file }), Deadline::after(ANSWER)).await?;
        let seen = foreign::read(machine.folder(), &file, PICTURE);
        let seen = seen.map_err(|error| DeviceError::call("the screen of the virtual machine", error))?;
        if moved(&last, &seen) {
            (last, since) = (seen, Instant::now());
        }
    }
    let _ = std::fs::remove_file(&file);
    Ok(())
}
