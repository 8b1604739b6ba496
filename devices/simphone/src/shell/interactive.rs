//! A shell that takes its commands from its input, line by line: at a terminal with a prompt, or a script that is sent.
//!
//! Invariants: a command that is not over at the end of a line goes on in the next; ctrl-C ends what runs in front, or
//! the line that is typed, never the shell.

use super::exec::Shell;
use super::parse::{self, SyntaxError};
use super::pipes::{Fds, Tty};

/// What the shell gives for a command that ctrl-C ended.
const INTERRUPTED: u8 = 130;

enum ShellInput {
    Line(String),
    End,
    Interrupted,
}

impl Shell {
    /// Takes commands from the input until it ends.
    pub(super) async fn interactive(&mut self, fds: &Fds) -> u8 {
        let device = self.phone.with(|w| w.props.get("ro.product.device").unwrap_or("sim").to_owned());
        let mut command = String::new();
        while self.exit.is_none() {
            if self.tty == Tty::Yes {
                let prompt = match (command.is_empty(), self.status) {
                    (false, _) => "> ".to_owned(),
                    (true, 0) => format!("{device}:{} $ ", self.cwd),
                    (true, status) => format!("{status}|{device}:{} $ ", self.cwd),
                };
                let _ = self.write(&fds.out, prompt.into_bytes()).await;
            }
            match self.next_line(fds).await {
                ShellInput::Line(line) => command.push_str(&line),
                ShellInput::Interrupted => {
                    let _ = self.write(&fds.out, b"\n".to_vec()).await;
                    (self.status, command) = (INTERRUPTED, String::new());
                    continue;
                }
                ShellInput::End => {
                    // What is not over never will be: the shell says why.
                    if !command.is_empty() {
                        self.in_front(&command, fds).await;
                    }
                    break;
                }
            }
            if !goes_on(&command) {
                self.in_front(&std::mem::take(&mut command), fds).await;
            }
        }
        self.exit_code()
    }

    pub(super) async fn in_front(&mut self, text: &str, fds: &Fds) {
        let interrupted = self.front.next();
        let ended = {
            let mut line = std::pin::pin!(self.line(text, fds));
            tokio::select! {
                biased;
                () = interrupted.cancelled() => false,
                () = &mut line => true,
            }
        };
        if !ended {
            self.status = INTERRUPTED;
            let _ = self.write(&fds.out, b"\n".to_vec()).await;
        }
    }

    async fn next_line(&self, fds: &Fds) -> ShellInput {
        let waiting = self.front.next();
        tokio::select! {
            biased;
            () = waiting.cancelled() => ShellInput::Interrupted,
            line = fds.input.line() => match line {
                Some(line) => ShellInput::Line(String::from_utf8_lossy(&line).into_owned()),
                None => ShellInput::End,
            },
        }
    }
}

/// Whether the command is not over: a quote or a bracket is open, or a backslash ends the line.
fn goes_on(command: &str) -> bool {
    let open = matches!(parse::parse(command), Err(SyntaxError::End | SyntaxError::Quote));
    open || command.trim_end_matches('\n').ends_with('\\') && command.ends_with('\n')
}
