//! A door: the first process in a sandbox with a network of its own. It starts the program there (an application, a virtual
//! machine), and carries connections from sockets that waldo sees to ports of the program, which nothing outside can reach.
//!
//! Invariant: it ends with its standard input (its owner's) and with the program, and the whole sandbox with it.

use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::{ExitCode, Stdio};

use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpStream, UnixListener};

use crate::child;
use crate::connections::next_connection;

/// The argument that makes this program a door. Sockets follow, each with its port, then `--` and the application's command.
pub const DOOR_ARG: &str = "app-door";

/// Runs as a door; `arguments` follow [`DOOR_ARG`].
pub fn door_main(arguments: &[String]) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = runtime.map_err(|error| error.to_string()).and_then(|runtime| {
        let ended = runtime.block_on(serve(arguments));
        // The standard input may be waited for still.
        runtime.shutdown_background();
        ended
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: &[String]) -> Result<(), String> {
    let mut parts = arguments.splitn(2, |word| word == "--");
    let (Some(doors), Some([program, rest @ ..])) = (parts.next(), parts.next()) else {
        return Err("the door has too few arguments".to_owned());
    };
    let said = std::io::stderr().as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
    let mut command = tokio::process::Command::from(child::command(program));
    command.args(rest).stdin(Stdio::null()).stdout(said);
    let mut app = command.spawn().map_err(|error| format!("{program} cannot be started: {error}"))?;
    for door in doors.chunks(2) {
        let [socket, port] = door else { return Err("a socket of the door has no port".to_owned()) };
        let port: u16 = port.parse().map_err(|_| format!("'{port}' is not a port"))?;
        let listener = UnixListener::bind(Path::new(socket)).map_err(|error| format!("{socket}: {error}"))?;
        tokio::spawn(carry(listener, port));
    }
    let mut owner = tokio::io::stdin();
    let mut byte = [0];
    tokio::select! {
        _ = owner.read(&mut byte) => Ok(()),
        ended = app.wait() => {
            let ended = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
            Err(format!("the application ended: {ended}"))
        }
    }
}

async fn carry(listener: UnixListener, port: u16) {
    loop {
        let (mut outside, _) = next_connection(|| listener.accept()).await;
        tokio::spawn(async move {
            if let Ok(mut inside) = TcpStream::connect(("127.0.0.1", port)).await {
                // Whichever side lets go ends it.
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            }
        });
    }
}
