//! The services a host may open, and the console forms of a shell.

use super::stream::{Stream, StreamClosed};
use super::terminal::{Terminal, Typed};
use super::{ServerOptions, framebuffer, shell_v2, sync};
use crate::phone::Phone;
use crate::shell::{self, Chunk, Foreground, Pipes};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Pieces of output that may wait for the wire.
const OUTPUT: usize = 4;
/// Pieces of input that may wait for a command.
const INPUT: usize = 16;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PipeForm {
    /// Packets, with separate error output and exit status; else both outputs in one, as they come.
    packets: bool,
    /// A terminal: both outputs in one, line feeds turned into CR LF.
    terminal: bool,
}

#[derive(Debug)]
pub(super) enum Service {
    Shell {
        command: String,
        form: PipeForm,
    },
    Sync {
        second_form: sync::Stats,
    },
    Framebuffer,
    Reboot,
    /// A fixed answer, then the end.
    Say(&'static str),
}

impl Service {
    /// The service of that name; nothing where the phone has none.
    pub(super) fn parse(name: &str, options: &ServerOptions) -> Option<Self> {
        let (head, rest) = name.split_once(':')?;
        let mut words = head.split(',');
        let has = |feature: &str| options.features.iter().any(|f| f == feature);
        match words.next()? {
            "shell" => {
                let mut form = PipeForm { packets: false, terminal: rest.is_empty() };
                for word in words {
                    match word {
                        "v2" => form.packets = true,
                        "pty" => form.terminal = true,
                        "raw" => form.terminal = false,
                        // TERM=…, and what newer hosts may add.
                        _ => {}
                    }
                }
                Some(Self::Shell { command: rest.to_owned(), form })
            }
            "exec" => Some(Self::Shell { command: rest.to_owned(), form: PipeForm::default() }),
            "sync" => {
                let second_form = if has("stat_v2") { sync::Stats::Both } else { sync::Stats::First };
                Some(Self::Sync { second_form })
            }
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
            Self::Shell { command, form } => shell(phone, stream, &command, form).await,
            Self::Sync { second_form } => sync::serve(&phone, &stream, second_form).await,
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

async fn shell(phone: Arc<Phone>, stream: Stream, command: &str, form: PipeForm) -> Result<(), StreamClosed> {
    let gone = CancellationToken::new();
    let (out, mut chunks) = mpsc::channel(OUTPUT);
    let (input, stdin) = mpsc::channel(INPUT);
    let echo = form.terminal.then(|| out.clone());
    let tty = if form.terminal { shell::Tty::Yes } else { shell::Tty::No };
    let pipes = Pipes::new(out, stdin, gone.clone(), tty);
    let front = pipes.foreground();
    let keyboard = echo.map(|echo| Keyboard { terminal: Terminal::default(), echo, front });
    let run = async move { shell::run(phone, command, pipes).await };
    let work = async {
        let mut run = std::pin::pin!(run);
        let mut code = None;
        loop {
            tokio::select! {
                biased;
                chunk = chunks.recv() => match chunk {
                    Some(chunk) => send(&stream, form, chunk).await?,
                    None => code = Some((&mut run).await),
                },
                done = &mut run, if code.is_none() => code = Some(done),
            }
            // The feeding task's echo keeps the channel open: an ended shell has nothing more to say.
            if code.is_some() {
                while let Ok(chunk) = chunks.try_recv() {
                    send(&stream, form, chunk).await?;
                }
                break;
            }
        }
        if form.packets {
            let code = code.unwrap_or(255);
            stream.write_packet(shell_v2::encode(shell_v2::EXIT, &[code])).await?;
        }
        Ok(())
    };
    let feed = async {
        // Side by side: a command that reads nothing must still learn that its host left.
        tokio::join!(feed(&stream, form, input, keyboard), gone_when_closed(&stream, &gone));
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

struct Keyboard {
    terminal: Terminal,
    echo: mpsc::Sender<Chunk>,
    front: Foreground,
}

impl Keyboard {
    /// What the shell is to read of the keys; ctrl-C has done its work.
    async fn take(&mut self, keys: &[u8]) -> Vec<Vec<u8>> {
        let (typed, echo) = self.terminal.take(keys);
        if !echo.is_empty() {
            let _ = self.echo.send(Chunk::Out(echo)).await;
        }
        let mut pieces = Vec::new();
        for one in typed {
            match one {
                Typed::Text(text) => pieces.push(text),
                Typed::End => pieces.push(Vec::new()),
                Typed::Interrupt => self.front.interrupt(),
            }
        }
        pieces
    }
}

async fn feed(stream: &Stream, form: PipeForm, input: mpsc::Sender<Vec<u8>>, mut keyboard: Option<Keyboard>) {
    let mut decoder = shell_v2::Decoder::default();
    while let Some(data) = stream.read().await {
        let mut pieces = Vec::new();
        let mut end = false;
        if form.packets {
            decoder.push(&data);
            loop {
                match decoder.next_packet() {
                    Ok(Some((shell_v2::STDIN, data))) => pieces.push(data),
                    Ok(Some((shell_v2::CLOSE_STDIN, _))) | Err(_) => {
                        end = true;
                        break;
                    }
                    // Window sizes and what newer hosts may send.
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                }
            }
        } else {
            pieces.push(data);
        }
        for piece in pieces {
            let read = match &mut keyboard {
                Some(keyboard) => keyboard.take(&piece).await,
                None if piece.is_empty() => continue,
                None => vec![piece],
            };
            for piece in read {
                if input.send(piece).await.is_err() {
                    return;
                }
            }
        }
        if end {
            return;
        }
    }
}

async fn send(stream: &Stream, form: PipeForm, chunk: Chunk) -> Result<(), StreamClosed> {
    let (id, mut data) = match chunk {
        Chunk::Out(data) => (shell_v2::STDOUT, data),
        Chunk::Err(data) if form.packets && !form.terminal => (shell_v2::STDERR, data),
        Chunk::Err(data) => (shell_v2::STDOUT, data),
    };
    if form.terminal {
        data = with_carriage_returns(&data);
    }
    if !form.packets {
        return stream.write(&data).await;
    }
    // A packet never spans two transport writes: some hosts cannot put the pieces together.
    for piece in data.chunks((stream.max() - shell_v2::HEAD).max(1)) {
        stream.write_packet(shell_v2::encode(id, piece)).await?;
    }
    Ok(())
}

fn with_carriage_returns(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + data.len() / 16);
    for byte in data {
        if *byte == b'\n' {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}
