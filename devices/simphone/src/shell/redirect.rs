//! Where input comes from and what is printed goes.

use super::exec::Shell;
use super::parse::RedirectTarget;
use super::pipes::{Chunk, CommandInput, Fds, OutputSink};
use crate::files::{FsError, Kind, normalise};
use crate::phone::Phone;
use std::sync::PoisonError;
use tokio::sync::mpsc;

/// What the shell calls itself in messages.
pub(super) const NAME: &str = "/system/bin/sh";

impl Shell {
    /// The descriptors after the redirections; nothing where one failed, after saying so.
    pub(super) async fn redirect(
        &mut self,
        redirections: &[(u8, RedirectTarget)],
        outer: &Fds,
    ) -> Option<Fds> {
        let mut fds = outer.clone();
        for (fd, to) in redirections {
            let sink = match to {
                RedirectTarget::Same(same) => match same {
                    2 => fds.err.clone(),
                    _ => fds.out.clone(),
                },
                RedirectTarget::Read(word) => {
                    let name = self.expand_one(word, outer).await;
                    let path = normalise(&self.cwd, &name);
                    match super::files(&self.phone, |fs| fs.as_shell().read(&path)) {
                        Ok(bytes) => fds.input = CommandInput::bytes(bytes.to_vec()),
                        Err(error) => {
                            self.complain(&fds.err, &format!("can't open {name}: {error}")).await;
                            return None;
                        }
                    }
                    continue;
                }
                RedirectTarget::Write(word) | RedirectTarget::Append(word) => {
                    let name = self.expand_one(word, outer).await;
                    let keep = matches!(to, RedirectTarget::Append(_));
                    match self.open(&name, keep) {
                        Ok(sink) => sink,
                        Err(error) => {
                            self.complain(&fds.err, &format!("can't create {name}: {error}")).await;
                            return None;
                        }
                    }
                }
            };
            match fd {
                1 => fds.out = sink,
                2 => fds.err = sink,
                _ => {}
            }
        }
        Some(fds)
    }

    fn open(&self, name: &str, keep: bool) -> Result<OutputSink, FsError> {
        let path = normalise(&self.cwd, name);
        match path.as_str() {
            "/dev/null" => return Ok(OutputSink::Null),
            "/dev/tty" | "/dev/stdout" => return Ok(OutputSink::Out),
            "/dev/stderr" => return Ok(OutputSink::Err),
            _ => {}
        }
        super::files(&self.phone, |fs| {
            fs.as_shell().may_write(&path)?;
            match fs.stat(&path) {
                Ok(node) if node.kind == Kind::Device => return Ok(()),
                Ok(_) if keep => return Ok(()),
                _ => {}
            }
            fs.as_shell().write(&path, Vec::new())
        })?;
        Ok(OutputSink::File(path))
    }

    /// Says what went wrong, in the shell's name.
    pub(super) async fn complain(&self, to: &OutputSink, text: &str) {
        let _ = self.write(to, format!("{NAME}: {text}\n").into_bytes()).await;
    }

    pub(super) async fn write(&self, to: &OutputSink, bytes: Vec<u8>) -> Result<(), FsError> {
        to.take(&self.phone, &self.out, bytes).await
    }
}

impl OutputSink {
    /// Carries bytes where they belong.
    pub(super) async fn take(
        &self,
        phone: &Phone,
        host: &mpsc::Sender<Chunk>,
        bytes: Vec<u8>,
    ) -> Result<(), FsError> {
        if bytes.is_empty() {
            return Ok(());
        }
        match self {
            // A host that left ends the shell at its next write, as SIGPIPE does; here the text is just lost.
            Self::Out => {
                let _ = host.send(Chunk::Out(bytes)).await;
            }
            Self::Err => {
                let _ = host.send(Chunk::Err(bytes)).await;
            }
            Self::Memory(all) => {
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                if all.is_empty() { *all = bytes } else { all.extend(bytes) }
            }
            Self::File(path) => return super::files(phone, |fs| fs.as_shell().append(path, &bytes)),
            Self::Null => {}
        }
        Ok(())
    }
}
