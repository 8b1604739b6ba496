//! Running what was read: lists, pipelines, compounds. Where what is printed goes is told in `redirect`, what the shell does
//! without a program in `builtin`.
//!
//! A pipeline's stages run one after the other, each on the whole output before: no command prints without end.

use super::parse::{self, Body, Joint, Pipeline, ShellCommand, ShellScript};
use super::pipes::{Chunk, CommandInput, Fds, OutputSink, taken};
use crate::phone::Phone;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Something that is run; boxed, for some of it runs more of its kind.
pub(super) type ShellFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

#[derive(Clone)]
pub(super) struct Shell {
    pub(super) phone: Arc<Phone>,
    pub(super) cwd: String,
    pub(super) status: u8,
    pub(super) vars: BTreeMap<String, String>,
    pub(super) exit: Option<u8>,
    pub(super) out: mpsc::Sender<Chunk>,
    pub(super) gone: CancellationToken,
}

impl Shell {
    pub(super) fn new(phone: Arc<Phone>, out: mpsc::Sender<Chunk>, gone: CancellationToken) -> Self {
        let vars = [
            ("EXTERNAL_STORAGE", "/sdcard"),
            ("HOME", "/"),
            ("TMPDIR", "/data/local/tmp"),
            ("USER", "shell"),
        ];
        let vars = vars.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        Self { phone, cwd: "/".to_owned(), status: 0, vars, exit: None, out, gone }
    }

    pub(super) fn exit_code(&self) -> u8 {
        self.exit.unwrap_or(self.status)
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        match name {
            "?" => Some(self.status.to_string()),
            "PWD" => Some(self.cwd.clone()),
            _ => self.vars.get(name).cloned(),
        }
    }

    pub(super) async fn line(&mut self, text: &str, fds: &Fds) {
        match parse::parse(text) {
            Ok(script) => self.script(&script, fds).await,
            Err(error) => {
                self.complain(&fds.err, &format!("{error}")).await;
                self.status = 1;
            }
        }
    }

    pub(super) fn script<'a>(&'a mut self, script: &'a ShellScript, fds: &'a Fds) -> ShellFuture<'a> {
        Box::pin(async move {
            for pipeline in script.0.iter().flatten() {
                let runs = match pipeline.joint {
                    Joint::First => true,
                    Joint::And => self.status == 0,
                    Joint::Or => self.status != 0,
                };
                if runs && self.exit.is_none() {
                    self.pipeline(pipeline, fds).await;
                }
            }
        })
    }

    async fn pipeline(&mut self, pipeline: &Pipeline, fds: &Fds) {
        if let [only] = pipeline.stages.as_slice() {
            self.command(only, fds).await;
        } else {
            let mut input = fds.input.clone();
            let last = pipeline.stages.len() - 1;
            for (i, stage) in pipeline.stages.iter().enumerate() {
                let mut sub = self.clone();
                if i == last {
                    let fds = Fds { input: input.clone(), ..fds.clone() };
                    sub.command(stage, &fds).await;
                    self.status = sub.exit_code();
                } else {
                    let (out, bytes) = OutputSink::memory();
                    let fds = Fds { input, out, err: fds.err.clone() };
                    sub.command(stage, &fds).await;
                    input = CommandInput::bytes(taken(&bytes));
                }
            }
        }
    }

    async fn command(&mut self, command: &ShellCommand, outer: &Fds) {
        let Some(fds) = self.redirect(&command.redirections, outer).await else {
            self.status = 1;
            return;
        };
        match &command.body {
            Body::Simple(assignments, words) => {
                let mut argv = Vec::new();
                for word in words {
                    argv.extend(self.expand(word, &fds).await);
                }
                let mut set = Vec::new();
                for (name, word) in assignments {
                    let value = self.expand_one(word, &fds).await;
                    set.push((name.clone(), value));
                }
                if argv.is_empty() {
                    self.vars.extend(set);
                    // `$(…)` in the value has set the status; without one it is 0.
                    if words.is_empty() && !assignments.iter().any(|(_, w)| has_output(w)) {
                        self.status = 0;
                    }
                    return;
                }
                let saved = self.vars.clone();
                self.vars.extend(set);
                self.simple(argv, &fds).await;
                if !assignments.is_empty() {
                    self.vars = saved;
                }
            }
            Body::Group(script) => self.script(script, &fds).await,
            Body::Subshell(script) => {
                let mut sub = self.clone();
                sub.script(script, &fds).await;
                self.status = sub.exit_code();
            }
            Body::If(branches, last) => {
                for (condition, branch) in branches {
                    self.script(condition, &fds).await;
                    if self.exit.is_some() {
                        return;
                    }
                    if self.status == 0 {
                        return self.script(branch, &fds).await;
                    }
                }
                self.status = 0;
                self.script(last, &fds).await;
            }
            Body::For(name, words, body) => {
                let mut values = Vec::new();
                for word in words {
                    values.extend(self.expand(word, &fds).await);
                }
                self.status = 0;
                for value in values {
                    self.vars.insert(name.clone(), value);
                    self.script(body, &fds).await;
                    if self.exit.is_some() {
                        return;
                    }
                }
            }
        }
    }
}

fn has_output(word: &parse::ShellWord) -> bool {
    word.iter().any(|part| matches!(part, parse::WordPart::Output(..)))
}
