//! Simple commands: those that the shell does by itself, and the way to the others.

use super::cmd::{self, Ctx};
use super::exec::{Shell, ShellFuture};
use super::pipes::Fds;
use super::redirect::NAME;
use crate::files::{FsError, normalise};

impl Shell {
    /// Boxed, for some commands run others.
    pub(super) fn simple<'a>(&'a mut self, argv: Vec<String>, fds: &'a Fds) -> ShellFuture<'a> {
        Box::pin(self.simple_now(argv, fds))
    }

    async fn simple_now(&mut self, argv: Vec<String>, fds: &Fds) {
        let args: Vec<&str> = argv.iter().map(String::as_str).collect();
        match args.as_slice() {
            ["exit", rest @ ..] => {
                let code = rest.first().and_then(|n| n.parse::<i64>().ok());
                self.exit = Some(code.map_or(self.status, |n| u8::try_from(n & 0xff).unwrap_or(0)));
            }
            ["cd", rest @ ..] => {
                let to = rest.first().copied().unwrap_or("/");
                let path = normalise(&self.cwd, to);
                let found = super::files(&self.phone, |fs| fs.stat(&path).map(|n| n.is_dir()));
                match found {
                    Ok(true) => {
                        self.cwd = path;
                        self.status = 0;
                    }
                    other => {
                        let why = other.err().unwrap_or(FsError::NotDir);
                        self.complain(&fds.err, &format!("cd: {to}: {why}")).await;
                        self.status = 2;
                    }
                }
            }
            ["export" | "set" | "wait", rest @ ..] => {
                for (name, value) in rest.iter().filter_map(|a| a.split_once('=')) {
                    self.vars.insert(name.to_owned(), value.to_owned());
                }
                self.status = 0;
            }
            ["sh" | "/system/bin/sh", "-c", line, ..] => {
                let mut child = Self { exit: None, status: 0, ..self.clone() };
                child.line(line, fds).await;
                self.status = child.exit_code();
            }
            _ => {
                let mut ctx = Ctx {
                    phone: self.phone.clone(),
                    cwd: self.cwd.clone(),
                    input: fds.input.clone(),
                    gone: self.gone.clone(),
                    args: argv,
                    out: Vec::new(),
                    err: Vec::new(),
                    order: Vec::new(),
                    host: self.out.clone(),
                    ends: (fds.out.clone(), fds.err.clone()),
                };
                self.status = match cmd::run(&mut ctx).await {
                    Some(code) => code,
                    None => {
                        let name = &ctx.args[0];
                        let text = format!("{NAME}: {name}: inaccessible or not found\n");
                        ctx.err.extend(text.into_bytes());
                        127
                    }
                };
                if let Err(error) = ctx.deliver().await {
                    let text = format!("{}: write: {error}\n", ctx.args[0]);
                    let _ = self.write(&fds.err, text.into_bytes()).await;
                    self.status = 1;
                }
            }
        }
    }
}
