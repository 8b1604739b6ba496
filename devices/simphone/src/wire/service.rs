//! The services a host may open, and the two forms of a shell.

use super::stream::{Stream, StreamClosed};
use super::{framebuffer, shell_v2, sync};
use crate::phone::Phone;
use crate::shell::{self, Chunk, Pipes};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Pieces of output that may wait for the wire.
const OUTPUT: usize = 4;
/// Pieces of input that may wait for a command.
const INPUT: usize = 16;

/// What is run for a host that asks for a shell at a terminal.
const NO_TERMINAL: &str =
    "echo 'a simulated phone has no terminal; run: adb shell COMMAND, or: adb shell <SCRIPT' >&2; exit 1";

#[derive(Debug)]
pub(super) enum Service {
    Shell {
        command: String,
        /// Packets, with separate error output and exit status; else both outputs in one, as they come.
        packets: bool,
    },
    Sync,
    Framebuffer,
    Reboot,
    /// A fixed answer, then the end.
    Say(&'static str),
}

impl Service {
    /// The service of that name; nothing where the phone has none.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (head, rest) = name.split_once(':')?;
        let words: Vec<&str> = head.split(',').collect();
        match *words.first()? {
            "shell" => {
                // A host whose input is no terminal says "raw", and sends a script.
                let command = if rest.is_empty() && !words.contains(&"raw") { NO_TERMINAL } else { rest };
                Some(Self::Shell { command: command.to_owned(), packets: words.contains(&"v2") })
            }
            "exec" => Some(Self::Shell { command: rest.to_owned(), packets: false }),
            "sync" => Some(Self::Sync),
            "framebuffer" => Some(Self::Framebuffer),
            "root" => Some(Self::Say("adbd cannot run as root in production builds\n")),
            "unroot" => Some(Self::Say("adbd not running as root\n")),
            "reboot" => Some(Self::Reboot),
            "tcpip" | "usb" => Some(Self::Say("this phone stays on the port that it is served at\n")),
            "remount" => Some(Self::Say("Not running as root. Try \"adb root\" first.\n")),
            _ => None,
        }
    }

    /// Serves until the service or the host ends it.
    pub(super) async fn run(self, phone: Arc<Phone>, stream: Stream) {
        // A service ends early only because the host left: there is nobody to tell.
        let _ = match self {
            Self::Shell { command, packets } => shell(phone, stream, &command, packets).await,
            Self::Sync => sync::serve(&phone, &stream).await,
            Self::Framebuffer => framebuffer::serve(phone, &stream).await,
            Self::Reboot => {
                // The connection ends with the boot; closing the stream is the last that the host hears of it.
                drop(stream);
                phone.reboot();
                Ok(())
            }
            Self::Say(text) => stream.write(text.as_bytes()).await,
        };
    }
}

async fn shell(phone: Arc<Phone>, stream: Stream, command: &str, packets: bool) -> Result<(), StreamClosed> {
    let gone = CancellationToken::new();
    let (out, mut chunks) = mpsc::channel(OUTPUT);
    let (input, stdin) = mpsc::channel(INPUT);
    let pipes = Pipes { out, stdin, gone: gone.clone() };
    let run = async { Ok::<_, StreamClosed>(shell::run(phone, command, pipes).await) };
    let carry = async {
        while let Some(chunk) = chunks.recv().await {
            send(&stream, packets, chunk).await?;
        }
        Ok(())
    };
    let work = async {
        let (code, ()) = tokio::try_join!(run, carry)?;
        if packets {
            stream.write_packet(shell_v2::encode(shell_v2::EXIT, &[code])).await?;
        }
        Ok(())
    };
    let feed = async {
        // Side by side: a command that reads nothing must still learn that its host left.
        tokio::join!(feed(&stream, packets, input), gone_when_closed(&stream, &gone));
        std::future::pending::<()>().await;
    };
    tokio::select! {
        result = work => result,
        () = feed => Err(StreamClosed),
    }
}

/// Tells the command that its host left: what waits for something gives up, what works goes on to its end.
async fn gone_when_closed(stream: &Stream, gone: &CancellationToken) {
    stream.closed().await;
    gone.cancel();
}

async fn feed(stream: &Stream, packets: bool, input: mpsc::Sender<Vec<u8>>) {
    let mut decoder = shell_v2::Decoder::default();
    while let Some(data) = stream.read().await {
        if !packets {
            if input.send(data).await.is_err() {
                return;
            }
            continue;
        }
        decoder.push(&data);
        loop {
            match decoder.next_packet() {
                Ok(Some((shell_v2::STDIN, data))) => {
                    if input.send(data).await.is_err() {
                        return;
                    }
                }
                Ok(Some((shell_v2::CLOSE_STDIN, _))) | Err(_) => return,
                // Window sizes and what newer hosts may send.
                Ok(Some(_)) => {}
                Ok(None) => break,
            }
        }
    }
}

async fn send(stream: &Stream, packets: bool, chunk: Chunk) -> Result<(), StreamClosed> {
    let (id, data) = match chunk {
        Chunk::Out(data) => (shell_v2::STDOUT, data),
        Chunk::Err(data) => (shell_v2::STDERR, data),
    };
    if !packets {
        return stream.write(&data).await;
    }
    // A packet never spans two transport writes: some hosts cannot put the pieces together.
    for piece in data.chunks((stream.max() - shell_v2::HEAD).max(1)) {
        stream.write_packet(shell_v2::encode(id, piece)).await?;
    }
    Ok(())
}
