//! The engine: everything that knows `monty`'s types, and nothing else does.
//!
//! Invariants: a name, method or attribute reaches the bridge only if the surface declares it; operating-
//! system calls are refused; a value that cannot leave the script becomes a `TypeError` inside it.

mod values;

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use monty::{MontyRun, RunProgress};
use monty_types::{
    AssertMessageAnnotations, BASELINE_MEMORY, CompileOptions, ExcType, ExtFunctionResult, LIVE_MEMORY,
    MontyException, MontyObject, MontyType, MontyUuid, NameLookupResult, PrintWriter, PrintWriterCallback,
    ResourceLimits, ResourceTracker,
};

use crate::engine::{ExcKind, Surface};
use crate::error::{Refusal, ScriptError, TraceLine};
use crate::limits::{Limit, ScriptLimits};
use crate::prep::Prepared;
use crate::val::{Handle, Val};
use values::{class_type, handle_of, inside, outside};

/// The name of the entry function's arguments inside a script.
const ARGS: &str = "_w_args";
/// Between class and method in the name of a bound method; no identifier can have it.
const BOUND: char = '#';

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HostRequest {
    Call { receiver: Option<Handle>, function: String, args: Vec<Val>, kwargs: Vec<(String, Val)> },
    Attr { receiver: Handle, name: String },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HostReply {
    Value(Val),
    Raise(ExcKind, String),
    Abort,
    /// It never got there: the values were too large.
    TooLarge,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    Done(Val),
    /// Before it began: the engine cannot compile it.
    Unfit(Refusal),
    Raised(ScriptError),
    Limit(Limit, Option<u32>),
    /// By [`HostReply::Abort`], at this line.
    Aborted(Option<u32>),
}

/// The way to the host. Blocks until it answers.
pub trait Bridge {
    /// Takes what is wanted, what was printed since the last time, and the interpreter's time so far.
    fn ask(&mut self, want: HostRequest, printed: String, spent: Duration) -> HostReply;
}

/// Tells the engine how many bytes are in use; it compares them with its limit from time to time.
pub(crate) fn memory_in_use(bytes: usize) {
    BASELINE_MEMORY.store(0, Ordering::Relaxed);
    // What a flood of prints has set to the highest value stays: it ends the script.
    let _ = LIVE_MEMORY
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| (old != usize::MAX).then_some(bytes));
}

pub(crate) fn interpret(
    prepared: &Prepared,
    entry: Option<&str>,
    args: Vec<Val>,
    surface: &Surface,
    limits: &ScriptLimits,
    bridge: &mut dyn Bridge,
) -> (Ending, String, Duration) {
    let mut run = ScriptRun {
        prepared,
        surface,
        ending: None,
        started: Instant::now(),
        waited: Duration::ZERO,
        print: Printed { text: String::new(), total: 0, limit: limits.print, over: false },
    };
    let ending = run.through(entry, args, limits, bridge);
    let spent = run.spent();
    (ending, run.print.text, spent)
}

struct Printed {
    text: String,
    total: usize,
    limit: usize,
    over: bool,
}

impl PrintWriterCallback for Printed {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.add(&output)
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.add(end.encode_utf8(&mut [0; 4]))
    }

    fn poll_flush(&mut self) -> Result<(), MontyException> {
        Ok(())
    }
}

impl Printed {
    fn add(&mut self, text: &str) -> Result<(), MontyException> {
        self.total = self.total.saturating_add(text.len());
        if self.total <= self.limit {
            self.text.push_str(text);
            return Ok(());
        }
        self.over = true;
        // A script may catch this exception, but not what the engine raises when its memory is used up.
        LIVE_MEMORY.store(usize::MAX, Ordering::Relaxed);
        BASELINE_MEMORY.store(0, Ordering::Relaxed);
        Err(MontyException::new(ExcType::MemoryError, Some("printed too much".into())))
    }
}

struct ScriptRun<'a> {
    prepared: &'a Prepared,
    surface: &'a Surface,
    /// Set where the run is ended on purpose: the exception that the engine then reports says less.
    ending: Option<Ending>,
    started: Instant,
    waited: Duration,
    print: Printed,
}

impl ScriptRun<'_> {
    fn through(
        &mut self,
        entry: Option<&str>,
        args: Vec<Val>,
        limits: &ScriptLimits,
        bridge: &mut dyn Bridge,
    ) -> Ending {
        let mut source = self.prepared.text.clone();
        match entry {
            Some(entry) => source.push_str(&format!("\n{entry}(*{ARGS})\n")),
            None => source.push_str("\nNone\n"),
        }
        let options = CompileOptions { assert_message_annotations: AssertMessageAnnotations::Off };
        let run = match MontyRun::new(source, "script", vec![ARGS.to_owned()], options) {
            Ok(run) => run,
            Err(e) => return self.unfit(&e),
        };
        let tracker = ResourceTracker::new(
            ResourceLimits::default()
                .max_duration(limits.interpreter)
                .max_memory(usize::try_from(limits.memory).unwrap_or(usize::MAX))
                .max_recursion_depth(limits.recursion as usize),
        );
        let args = args.into_iter().map(|arg| self.inside(arg)).collect();
        let mut progress =
            run.start(vec![MontyObject::List(args)], tracker, PrintWriter::Callback(&mut self.print));
        loop {
            let step = match progress {
                Ok(step) => step,
                Err(e) => return self.raised(&e),
            };
            progress = match step {
                RunProgress::Complete(value) => {
                    return if self.print.over {
                        Ending::Limit(Limit::Print, None)
                    } else {
                        Ending::Done(self.result(value))
                    };
                }
                RunProgress::FunctionCall(mut call) => {
                    let (args, kwargs) = (std::mem::take(&mut call.args), std::mem::take(&mut call.kwargs));
                    let said = self.call(call.object_id, &call.function_name, args, kwargs, bridge);
                    let print = PrintWriter::Callback(&mut self.print);
                    match said {
                        Some(result) => call.resume(result, print),
                        None => call.abort(aborted(), print),
                    }
                }
                RunProgress::NameLookup(lookup) => {
                    let said = match lookup.object_id() {
                        Some(id) => self.attr(id, &lookup.name, bridge),
                        None => Some(self.global(&lookup.name)),
                    };
                    let print = PrintWriter::Callback(&mut self.print);
                    match said {
                        Some(result) => lookup.resume(result, print),
                        None => lookup.abort(aborted(), print),
                    }
                }
                RunProgress::OsCall(call) => {
                    let refusal = exception(ExcKind::Permission, "files and the system cannot be reached");
                    call.resume(ExtFunctionResult::Error(refusal), PrintWriter::Callback(&mut self.print))
                }
                RunProgress::ResolveFutures(_) => {
                    return Ending::Raised(ScriptError {
                        kind: "RuntimeError".into(),
                        message: "tools are called without await".into(),
                        trace: Vec::new(),
                        printed: String::new(),
                    });
                }
            };
        }
    }

    /// A call out of the script; none ends the run.
    fn call(
        &mut self,
        object: Option<MontyUuid>,
        name: &str,
        args: Vec<MontyObject>,
        kwargs: Vec<(MontyObject, MontyObject)>,
        bridge: &mut dyn Bridge,
    ) -> Option<ExtFunctionResult> {
        let raise = |kind, text: String| Some(ExtFunctionResult::Error(exception(kind, &text)));
        let (receiver, function) = match object {
            None => match self.bound(name) {
                Some((handle, method)) => (Some(handle), method),
                None if self.surface.functions.iter().any(|f| f == name) => (None, name.to_owned()),
                None if self.surface.find_class(name).is_some() => {
                    return raise(ExcKind::Type, format!("a {name} comes from a tool; it cannot be made"));
                }
                None => return Some(ExtFunctionResult::NotFound(name.to_owned())),
            },
            Some(id) => match self.handle_of(id) {
                Some(handle) if self.has_method(&handle.class, name) => (Some(handle), name.to_owned()),
                Some(handle) => {
                    return raise(
                        ExcKind::Attribute,
                        format!("'{}' object has no method '{name}'", handle.class),
                    );
                }
                None => {
                    return raise(
                        ExcKind::Type,
                        "objects of tools come from tools; they cannot be made".into(),
                    );
                }
            },
        };
        let outside = |value: MontyObject| outside(self.surface, value, 0);
        let args: Result<Vec<_>, _> = args.into_iter().map(outside).collect();
        let kwargs: Result<Vec<_>, _> = kwargs
            .into_iter()
            .map(|(key, value)| match key {
                MontyObject::String(key) => Ok((key, outside(value)?)),
                _ => Err("names of arguments are text".to_owned()),
            })
            .collect();
        let (args, kwargs) = match (args, kwargs) {
            (Ok(args), Ok(kwargs)) => (args, kwargs),
            (Err(e), _) | (_, Err(e)) => return raise(ExcKind::Type, format!("{function}(): {e}")),
        };
        let want = HostRequest::Call { receiver, function, args, kwargs };
        match self.ask(want, bridge) {
            HostReply::Value(value) => Some(ExtFunctionResult::Return(self.inside(value))),
            HostReply::Raise(kind, text) => raise(kind, text),
            HostReply::Abort | HostReply::TooLarge => None,
        }
    }

    /// A reading of an attribute that was not sent along; none ends the run.
    fn attr(&mut self, id: MontyUuid, name: &str, bridge: &mut dyn Bridge) -> Option<NameLookupResult> {
        let Some(receiver) = self.handle_of(id) else { return Some(NameLookupResult::Undefined) };
        let class = self.surface.find_class(&receiver.class);
        if class.is_some_and(|c| c.methods.iter().any(|m| m == name)) {
            let bound = format!("{}{BOUND}{}{BOUND}{name}", receiver.class, receiver.id);
            return Some(NameLookupResult::Value(MontyObject::Function { name: bound, docstring: None }));
        }
        if !class.is_some_and(|c| c.live.iter().any(|a| a == name)) {
            return Some(NameLookupResult::Undefined);
        }
        match self.ask(HostRequest::Attr { receiver, name: name.to_owned() }, bridge) {
            HostReply::Value(value) => Some(NameLookupResult::Value(self.inside(value))),
            HostReply::Raise(kind, text) => Some(NameLookupResult::Error(exception(kind, &text))),
            HostReply::Abort | HostReply::TooLarge => None,
        }
    }

    fn ask(&mut self, want: HostRequest, bridge: &mut dyn Bridge) -> HostReply {
        if self.print.over {
            self.ending = Some(Ending::Limit(Limit::Print, None));
            return HostReply::Abort;
        }
        let printed = std::mem::take(&mut self.print.text);
        let spent = self.spent();
        let asked = Instant::now();
        let said = bridge.ask(want, printed, spent);
        self.waited += asked.elapsed();
        match said {
            HostReply::Abort => self.ending = Some(Ending::Aborted(None)),
            HostReply::TooLarge => self.ending = Some(Ending::Limit(Limit::Value, None)),
            _ => {}
        }
        said
    }

    fn spent(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.waited)
    }

    fn global(&self, name: &str) -> NameLookupResult {
        if self.surface.functions.iter().any(|f| f == name) {
            return MontyObject::Function { name: name.to_owned(), docstring: None }.into();
        }
        if let Some(index) = self.surface.classes.iter().position(|c| c.name == name) {
            return MontyObject::Type(MontyType::Instance(Box::new(class_type(name, index)))).into();
        }
        if let Some(index) = self.surface.constants.iter().position(|c| c.group == name) {
            let group = &self.surface.constants[index];
            let text = |member: &String| MontyObject::String(member.clone());
            let mut class = class_type(name, self.surface.classes.len() + index);
            class.attrs = group.members.iter().map(|m| (text(m), text(m))).collect();
            return MontyObject::Type(MontyType::Instance(Box::new(class))).into();
        }
        NameLookupResult::Undefined
    }

    fn has_method(&self, class: &str, name: &str) -> bool {
        self.surface.find_class(class).is_some_and(|c| c.methods.iter().any(|m| m == name))
    }

    /// The receiver and method of a name made by [`Self::attr`].
    fn bound(&self, name: &str) -> Option<(Handle, String)> {
        let mut parts = name.split(BOUND);
        let (class, id, method) = (parts.next()?, parts.next()?, parts.next()?);
        let handle = Handle::new(class, id.parse().ok()?);
        self.has_method(class, method).then(|| (handle, method.to_owned()))
    }

    fn handle_of(&self, id: MontyUuid) -> Option<Handle> {
        handle_of(self.surface, id)
    }

    /// A value of the host's, as the engine holds it.
    fn inside(&self, value: Val) -> MontyObject {
        inside(self.surface, value)
    }

    /// What the script returned; what cannot leave it is shown.
    fn result(&self, value: MontyObject) -> Val {
        const SHOWN: usize = 2_000;
        outside(self.surface, value.clone(), 0)
            .unwrap_or_else(|_| Val::Str(value.py_repr().chars().take(SHOWN).collect()))
    }

    /// What the engine's compiler refuses, which the preparation has let pass.
    fn unfit(&self, error: &MontyException) -> Ending {
        let line = self.trace(error).last().map_or(1, |t| t.line);
        let text = error.message().unwrap_or_default();
        let what = text.rsplit("does not yet support ").next().unwrap_or(text);
        Ending::Unfit(Refusal {
            line,
            column: 1,
            what: format!("this cannot be run: {}", what.chars().take(200).collect::<String>()),
            advice: "write it with simpler statements".into(),
        })
    }

    fn raised(&mut self, error: &MontyException) -> Ending {
        let trace = self.trace(error);
        let line = trace.last().map(|t| t.line);
        if self.print.over {
            return Ending::Limit(Limit::Print, line);
        }
        match self.ending.take() {
            Some(Ending::Aborted(_)) => return Ending::Aborted(line),
            Some(Ending::Limit(limit, _)) => return Ending::Limit(limit, line),
            _ => {}
        }
        let message = error.message().unwrap_or_default();
        match error.exc_type() {
            ExcType::TimeoutError if message.starts_with("time limit exceeded") => {
                Ending::Limit(Limit::Interpreter, line)
            }
            ExcType::MemoryError if message.starts_with("memory limit exceeded") => {
                Ending::Limit(Limit::Memory, line)
            }
            kind => Ending::Raised(ScriptError {
                kind: kind.to_string(),
                message: message.chars().take(2_000).collect(),
                trace,
                printed: String::new(),
            }),
        }
    }

    fn trace(&self, error: &MontyException) -> Vec<TraceLine> {
        const KEPT: usize = 20;
        let own = error.traceback().iter().filter_map(|frame| {
            let line = self.prepared.own_line(frame.start.line)?;
            let function = frame.frame_name.clone().filter(|name| !name.starts_with('<'));
            let text = self.prepared.original_line(line).chars().take(160).collect();
            Some(TraceLine { line, function, text })
        });
        let all: Vec<_> = own.collect();
        all[all.len().saturating_sub(KEPT)..].to_vec()
    }
}

fn aborted() -> MontyException {
    MontyException::new(ExcType::RuntimeError, Some("stopped".into()))
}

fn exception(kind: ExcKind, message: &str) -> MontyException {
    let kind = match kind {
        ExcKind::Value => ExcType::ValueError,
        ExcKind::Type => ExcType::TypeError,
        ExcKind::Index => ExcType::IndexError,
        ExcKind::Key => ExcType::KeyError,
        ExcKind::Attribute => ExcType::AttributeError,
        ExcKind::Runtime => ExcType::RuntimeError,
        ExcKind::Timeout => ExcType::TimeoutError,
        ExcKind::Permission => ExcType::PermissionError,
        ExcKind::NotImplemented => ExcType::NotImplementedError,
    };
    MontyException::new(kind, Some(message.to_owned()))
}
