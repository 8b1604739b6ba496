//! The commands: one function each, grouped by what they are about.
//!
//! A command fills [`Ctx::out`] and [`Ctx::err`] and gives its exit status; the shell carries both where they belong
//! when it has ended. Texts and statuses are a device's, checked against the notes where they say how it behaves.

mod am;
mod content;
mod dumpsys;
mod evdev;
mod filter;
mod fs;
mod input;
mod ls;
mod media;
mod pm;
mod settings;
mod simctl;
mod sys;
mod text;
mod wm;

use super::pipes::{Chunk, CommandInput, OutputSink};
use crate::files::{FsError, normalise};
use crate::options::ShellControl;
use crate::phone::Phone;
use crate::world::World;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(super) struct Ctx {
    pub phone: Arc<Phone>,
    pub cwd: String,
    pub input: CommandInput,
    pub gone: CancellationToken,
    pub args: Vec<String>,
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    /// How long both were when each error line came, so that they go out in that order.
    pub order: Vec<(usize, usize)>,
    pub host: mpsc::Sender<Chunk>,
    pub ends: (OutputSink, OutputSink),
}

impl Ctx {
    /// The arguments as text slices, without the name.
    pub fn words(&self) -> Vec<String> {
        self.args.get(1..).unwrap_or_default().to_vec()
    }

    pub fn say(&mut self, line: impl AsRef<str>) {
        self.out.extend_from_slice(line.as_ref().as_bytes());
        self.out.push(b'\n');
    }

    pub fn warn(&mut self, line: impl AsRef<str>) {
        self.order.push((self.out.len(), self.err.len()));
        self.err.extend_from_slice(line.as_ref().as_bytes());
        self.err.push(b'\n');
    }

    /// Prints a line; gives 0.
    pub fn answer(&mut self, line: impl AsRef<str>) -> u8 {
        self.say(line);
        0
    }

    /// Prints a line about what is not understood; gives 255.
    fn reject(&mut self, line: impl AsRef<str>) -> u8 {
        self.say(line);
        255
    }

    /// Has the phone do something; gives 0.
    pub fn done<R>(&self, f: impl FnOnce(&mut World) -> R) -> u8 {
        self.phone.with(f);
        0
    }

    /// Prints an error line; gives the status.
    pub fn refuse(&mut self, status: u8, line: impl AsRef<str>) -> u8 {
        self.warn(line);
        status
    }

    /// Prints an error line with the command's name before it, as toybox does; gives 1.
    pub fn fail(&mut self, line: impl AsRef<str>) -> u8 {
        let line = format!("{}: {}", self.args[0], line.as_ref());
        self.warn(line);
        1
    }

    /// Sends off what was printed, each line in its turn.
    pub async fn deliver(&mut self) -> Result<(), FsError> {
        let (out, err) = (std::mem::take(&mut self.out), std::mem::take(&mut self.err));
        let mut order = std::mem::take(&mut self.order);
        // What was added without its turn being noted comes first.
        order.insert(0, (0, 0));
        let mut done = 0;
        let mut written = Ok(());
        for (n, (out_then, err_then)) in order.iter().enumerate() {
            let err_end = order.get(n + 1).map_or(err.len(), |(_, then)| *then);
            let piece = out.get(done..*out_then).unwrap_or_default().to_vec();
            done = done.max(*out_then);
            written = written.and(self.ends.0.take(&self.phone, &self.host, piece).await);
            let piece = err.get(*err_then..err_end).unwrap_or_default().to_vec();
            let _ = self.ends.1.take(&self.phone, &self.host, piece).await;
        }
        let rest = out.get(done..).unwrap_or_default().to_vec();
        written.and(self.ends.0.take(&self.phone, &self.host, rest).await)
    }

    /// The command's options as [`Options::read`] takes them; nothing where one is not known, after saying so.
    pub fn options(&mut self, known: &str, with_value: &str) -> Option<Options> {
        let read = Options::read(&self.words(), known, with_value);
        if let Err(c) = &read {
            self.fail(format!("Unknown option '{c}' (see \"{} --help\")", self.args[0]));
        }
        read.ok()
    }

    pub fn path(&self, name: &str) -> String {
        let path = normalise(&self.cwd, name);
        // A slash at the end means what the link leads to.
        if name.ends_with('/') && path != "/" { format!("{path}/") } else { path }
    }

    pub fn files<R>(&self, f: impl FnOnce(&mut crate::files::Vfs) -> R) -> R {
        super::files(&self.phone, f)
    }

    /// A file's bytes, or the input for `-`.
    pub async fn read(&self, name: &str) -> Result<Vec<u8>, FsError> {
        if name == "-" || name == "/dev/stdin" {
            return Ok(self.input.all().await);
        }
        let path = self.path(name);
        self.files(|fs| fs.as_shell().read(&path)).map(|bytes| bytes.to_vec())
    }

    /// Waits; true when the host left meanwhile.
    pub async fn wait(&self, time: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(time) => false,
            () = self.gone.cancelled() => true,
        }
    }
}

/// Options of one letter each, as toybox reads them, and what is left.
pub(super) struct Options {
    letters: Vec<(char, String)>,
    pub rest: Vec<String>,
}

impl Options {
    /// Reads options; `with_value` names those that take one.
    pub fn read(args: &[String], known: &str, with_value: &str) -> Result<Self, char> {
        let mut letters = Vec::new();
        let mut rest = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if arg == "--" {
                rest.extend(args.by_ref().cloned());
            } else if arg.len() > 1 && arg.starts_with('-') {
                let mut chars = arg[1..].chars();
                while let Some(c) = chars.next() {
                    if with_value.contains(c) {
                        let value: String = chars.by_ref().collect();
                        let value =
                            if value.is_empty() { args.next().cloned().unwrap_or_default() } else { value };
                        letters.push((c, value));
                    } else if known.contains(c) {
                        letters.push((c, String::new()));
                    } else {
                        return Err(c);
                    }
                }
            } else {
                rest.push(arg.clone());
            }
        }
        Ok(Self { letters, rest })
    }

    pub fn has(&self, c: char) -> bool {
        self.letters.iter().any(|(l, _)| *l == c)
    }

    pub fn value(&self, c: char) -> Option<&str> {
        self.letters.iter().rfind(|(l, _)| *l == c).map(|(_, v)| v.as_str())
    }
}

type CommandFuture<'a> = Pin<Box<dyn Future<Output = Option<u8>> + Send + 'a>>;

pub(super) fn run(ctx: &mut Ctx) -> CommandFuture<'_> {
    Box::pin(dispatch(ctx))
}

async fn dispatch(ctx: &mut Ctx) -> Option<u8> {
    let name = ctx.args.first()?.clone();
    // A path into the system's directory names the same command.
    let name = name.strip_prefix("/system/bin/").unwrap_or(&name).to_owned();
    ctx.args[0].clone_from(&name);
    Some(match name.as_str() {
        "true" | ":" => 0,
        "false" => 1,
        "echo" => text::echo(ctx),
        "cat" => text::cat(ctx).await,
        "head" => text::head(ctx).await,
        "wc" => text::wc(ctx).await,
        "grep" => filter::grep(ctx).await,
        "cut" => filter::cut(ctx).await,
        "gzip" => filter::gzip(ctx).await,
        "ls" => ls::ls(ctx),
        "rm" => fs::rm(ctx),
        "mkdir" => fs::mkdir(ctx),
        "mv" => fs::mv(ctx),
        "pwd" => {
            let cwd = ctx.cwd.clone();
            ctx.answer(cwd)
        }
        "date" => sys::date(ctx),
        "id" | "whoami" => sys::id(ctx),
        "sleep" => sys::sleep(ctx).await,
        "which" => sys::which(ctx),
        "getprop" => sys::getprop(ctx),
        "setprop" => sys::setprop(ctx),
        "pidof" => sys::pidof(ctx),
        "reboot" => {
            ctx.phone.reboot();
            0
        }
        "kill" | "sync" => 0,
        "screencap" => media::screencap(ctx).await,
        "uiautomator" => media::uiautomator(ctx).await,
        "input" => input::input(ctx).await,
        "getevent" => evdev::getevent(ctx),
        "sendevent" => evdev::sendevent(ctx),
        "uinput" => return evdev::uinput(ctx).await,
        "wm" => wm::wm(ctx),
        "settings" => settings::settings(ctx),
        "ime" => settings::ime(ctx),
        "content" => content::content(ctx),
        "am" => am::am(ctx),
        "pm" => pm::pm(ctx),
        "dumpsys" => dumpsys::dumpsys(ctx),
        "simctl" if ctx.phone.options.control == ShellControl::Simctl => simctl::simctl(ctx).await,
        "cmd" => return Some(cmd(ctx).await),
        _ => return None,
    })
}

/// `cmd SERVICE …`: the same commands by their services' names.
async fn cmd(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let Some((service, rest)) = words.split_first() else {
        return ctx.refuse(255, "cmd: No service specified; use -l to list all services. Use -h for help.");
    };
    let name = match service.as_str() {
        "-l" => {
            ctx.say("Currently running services:");
            for name in ["activity", "input", "input_method", "package", "settings", "statusbar", "window"] {
                ctx.say(format!("  {name}"));
            }
            return 0;
        }
        "activity" => "am",
        "package" => "pm",
        "input" => "input",
        "input_method" => "ime",
        "settings" => "settings",
        "window" => "wm",
        "statusbar" => return wm::statusbar(ctx, rest),
        "notification" | "overlay" | "locale" | "appops" | "power" | "connectivity" | "wifi" => return 0,
        other => {
            let text = format!("cmd: Can't find service: {other}");
            return ctx.refuse(20, text);
        }
    };
    ctx.args = std::iter::once(name.to_owned()).chain(rest.iter().cloned()).collect();
    run(ctx).await.unwrap_or(255)
}
