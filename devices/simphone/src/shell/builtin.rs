//! Simple commands: those that the shell does by itself, and the way to the others.

use super::cmd::{self, Ctx};
use super::exec::{Shell, ShellFuture};
use super::pipes::{CommandInput, Fds, Tty};
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
            [
                "export" | "typeset" | "local" | "readonly" | "set" | "umask" | "trap" | "wait" | "alias",
                rest @ ..,
            ] => {
                for (name, value) in rest.iter().filter_map(|a| a.split_once('=')) {
                    self.vars.insert(name.to_owned(), value.to_owned());
                }
                self.status = 0;
            }
            ["unset", names @ ..] => {
                for name in names {
                    self.vars.remove(*name);
                }
                self.status = 0;
            }
            ["eval", rest @ ..] => {
                let text = rest.join(" ");
                self.line(&text, fds).await;
            }
            ["exec" | "command" | "nohup" | "builtin", rest @ ..]
                if !rest.is_empty() && !rest[0].starts_with('-') =>
            {
                let exec = args[0] == "exec";
                let argv = owned(rest);
                self.simple(argv, fds).await;
                if exec {
                    self.exit = Some(self.status);
                }
            }
            ["sh" | "/system/bin/sh" | "/bin/sh", "-c", line, rest @ ..] => {
                let mut child = self.child(owned(rest));
                child.line(line, fds).await;
                self.status = child.exit_code();
            }
            ["sh" | "/system/bin/sh" | "/bin/sh", "-i", ..] | ["sh" | "/system/bin/sh" | "/bin/sh"]
                if self.tty == Tty::Yes && matches!(fds.input, CommandInput::Console(_)) =>
            {
                let mut child = self.child(Vec::new());
                self.status = child.interactive(fds).await;
            }
            ["sh" | "/system/bin/sh" | "/bin/sh", rest @ ..] => {
                let text = match rest.first() {
                    Some(file) => {
                        let path = normalise(&self.cwd, file);
                        match super::files(&self.phone, |fs| fs.as_shell().read(&path)) {
                            Ok(bytes) => bytes.to_vec(),
                            Err(error) => {
                                self.complain(&fds.err, &format!("{file}: {error}")).await;
                                self.status = 127;
                                return;
                            }
                        }
                    }
                    None => fds.input.all().await,
                };
                let mut child = self.child(owned(rest));
                let text = String::from_utf8_lossy(&text).into_owned();
                child.line(&text, fds).await;
                self.status = child.exit_code();
            }
            ["read", names @ ..] => {
                let line = fds.input.line().await;
                self.status = u8::from(line.as_ref().is_none_or(|line| line.last() != Some(&b'\n')));
                let text = String::from_utf8_lossy(&line.unwrap_or_default()).into_owned();
                let mut names: Vec<&str> = names.iter().filter(|n| !n.starts_with('-')).copied().collect();
                if names.is_empty() {
                    names.push("REPLY");
                }
                let mut rest = text.trim();
                for (n, name) in names.iter().enumerate() {
                    // The last name takes what is left.
                    let end = if n + 1 == names.len() { None } else { rest.find([' ', '\t']) };
                    let (value, after) = rest.split_at(end.unwrap_or(rest.len()));
                    self.vars.insert((*name).to_owned(), value.to_owned());
                    rest = after.trim_start();
                }
            }
            ["time", rest @ ..] if !rest.is_empty() => {
                let begun = self.phone.uptime_ms();
                let argv = owned(rest);
                self.simple(argv, fds).await;
                let ms = self.phone.uptime_ms() - begun;
                let text = format!(
                    "    {}m{:02}.{:02}s real     0m00.00s user     0m00.00s system\n",
                    ms / 60_000,
                    ms / 1000 % 60,
                    ms % 1000 / 10
                );
                let _ = self.write(&fds.err, text.into_bytes()).await;
            }
            _ => {
                let mut ctx = Ctx {
                    phone: self.phone.clone(),
                    cwd: self.cwd.clone(),
                    vars: self.vars.clone(),
                    input: fds.input.clone(),
                    gone: self.gone.clone(),
                    tty: self.tty,
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

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}
