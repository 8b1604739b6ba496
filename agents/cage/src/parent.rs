//! The parent's side: starts the worker, carries its calls to the host, and ends it.
//!
//! Invariants: the worker sees no environment variable and no directory of ours; no wait is without an end;
//! whatever happens, the worker is killed and the host told once. What comes from the worker is not believed:
//! a call that the surface does not declare, or a handle that was never given out, breaks the protocol.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, Command};
use tokio::task::coop::consume_budget;
use tokio::time::{Instant as Until, timeout, timeout_at};

use crate::engine::{
    HostCall, HostError, LiteralCall, Script, ScriptEngine, ScriptOutcome, Stop, StopCause, Surface,
    ToolHost, Usage,
};
use crate::error::{CageError, Refusal};
use crate::limits::{Limit, ScriptLimits};
use crate::link::WorkerLink;
use crate::straight::literal_calls;
use crate::val::{Handle, Val};
use crate::wire::{self, FlatValue, HostAnswer, Start, ToParent, ToWorker, WorkerEvent};

pub const WORKER_ARG: &str = "cage-worker";
/// Beyond the interpreter's time, for starting and for a busy machine; the worker itself is stricter.
const GRACE: Duration = Duration::from_secs(3);
/// How long a worker may take to end once it has nothing left to do.
const ENDING: Duration = Duration::from_millis(500);

#[derive(Debug, Clone)]
pub struct WorkerEngine {
    program: PathBuf,
    args: Vec<OsString>,
}

impl WorkerEngine {
    /// The worker is this very program, called with [`WORKER_ARG`].
    pub fn of_this_program() -> Result<Self, CageError> {
        let program = std::env::current_exe().map_err(|e| CageError::Start(e.to_string()))?;
        Ok(Self::with_program(program))
    }

    /// The worker is another program, which must call [`crate::worker_main`] on [`WORKER_ARG`].
    pub fn with_program(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), args: vec![WORKER_ARG.into()] }
    }

    #[allow(clippy::disallowed_methods, reason = "the worker gets no environment at all")]
    fn spawn(&self) -> Result<Worker, CageError> {
        let failed = |why: &str| CageError::Start(why.to_owned());
        let (link, input, output) = WorkerLink::pair().map_err(|e| CageError::Start(e.to_string()))?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .env_clear()
            .current_dir("/")
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(|e| CageError::Start(e.to_string()))?;
        let errors = child.stderr.take().ok_or_else(|| failed("no standard error"))?;
        Ok(Worker { child, link, errors })
    }
}

#[async_trait]
impl ScriptEngine for WorkerEngine {
    async fn run(
        &self,
        script: &Script,
        host: &mut dyn ToolHost,
        limits: &ScriptLimits,
    ) -> Result<ScriptOutcome, CageError> {
        let started = Instant::now();
        let surface = host.surface();
        let mut watch = Watch { host, told: false };
        if let Some(refusal) = oversized(script, limits) {
            watch.tell(StopCause::Refused);
            return Err(CageError::Refused(vec![refusal]));
        }
        let result = match self.spawn() {
            Ok(worker) => {
                let mut run = WorkerRun {
                    worker,
                    surface,
                    limits,
                    deadline: Until::from_std(started + limits.wall),
                    known: HashSet::new(),
                    printed: String::new(),
                    calls: 0,
                    spent: Duration::ZERO,
                };
                let result = run.through(script, watch.host).await;
                if result.is_err() {
                    run.worker.kill();
                }
                run.worker.end().await;
                let usage = Usage { host_calls: run.calls, interpreter: run.spent, wall: started.elapsed() };
                result.map(|value| ScriptOutcome { value, printed: std::mem::take(&mut run.printed), usage })
            }
            Err(e) => Err(e),
        };
        watch.tell(result.as_ref().map_or_else(CageError::released, |_| StopCause::Finished));
        result
    }

    fn literal_calls(&self, source: &str, most: usize) -> Result<Vec<LiteralCall>, Vec<Refusal>> {
        literal_calls(source, most)
    }
}

fn oversized(script: &Script, limits: &ScriptLimits) -> Option<Refusal> {
    (script.source.len() > limits.source).then(|| Refusal {
        line: 1,
        column: 1,
        what: format!("the script has {} bytes", script.source.len()),
        advice: format!("at most {} are allowed: write less", limits.source),
    })
}

/// Sees to it that the host is told of the end, whichever it is.
struct Watch<'a> {
    host: &'a mut dyn ToolHost,
    told: bool,
}

impl Watch<'_> {
    fn tell(&mut self, why: StopCause) {
        if !self.told {
            self.told = true;
            self.host.released(why);
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.tell(StopCause::Dropped);
    }
}

struct Worker {
    child: Child,
    link: WorkerLink,
    errors: ChildStderr,
}

impl Worker {
    /// Ends the worker and waits until it is gone.
    async fn end(&mut self) {
        // After its last frame it ends by itself; everything else is killed.
        if timeout(ENDING, self.child.wait()).await.is_err() {
            self.kill();
            let _ = timeout(ENDING, self.child.wait()).await;
        }
    }

    fn kill(&mut self) {
        let _ = self.child.start_kill();
    }

    /// How a worker ended that said nothing more.
    async fn last_words(&mut self) -> (String, String) {
        let how = match timeout(ENDING, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(e)) => e.to_string(),
            Err(_) => "it hung".into(),
        };
        self.kill();
        let mut words = Vec::new();
        let mut said = (&mut self.errors).take(2_048);
        let _ = timeout(ENDING, said.read_to_end(&mut words)).await;
        (how, String::from_utf8_lossy(&words).trim().to_owned())
    }
}

struct WorkerRun<'a> {
    worker: Worker,
    surface: Surface,
    limits: &'a ScriptLimits,
    deadline: Until,
    known: HashSet<(String, u64)>,
    printed: String,
    calls: u32,
    spent: Duration,
}

impl WorkerRun<'_> {
    async fn through(&mut self, script: &Script, host: &mut dyn ToolHost) -> Result<Val, CageError> {
        let mut args = Vec::with_capacity(script.args.len());
        for arg in &script.args {
            self.learn(arg);
            args.push(FlatValue::of(arg).map_err(|e| CageError::Start(e.to_string()))?);
        }
        let start = Start {
            source: script.source.clone(),
            entry: script.entry.clone(),
            args,
            surface: self.surface.clone(),
            limits: *self.limits,
        };
        self.send(&ToWorker::Start(Box::new(start))).await?;
        loop {
            let answer = match self.receive().await? {
                WorkerEvent::Call { receiver, function, args, kwargs } => {
                    let receiver = receiver.map(|(class, id)| Handle::new(class, id));
                    self.check_call(receiver.as_ref(), &function)?;
                    let args = args.into_iter().map(|a| self.believe(a)).collect::<Result<Vec<_>, _>>()?;
                    let kwargs = kwargs
                        .into_iter()
                        .map(|(name, a)| Ok((name, self.believe(a)?)))
                        .collect::<Result<Vec<_>, CageError>>()?;
                    let call = host.call(HostCall {
                        receiver: receiver.as_ref(),
                        function: &function,
                        args,
                        kwargs,
                    });
                    self.counted(call).await?
                }
                WorkerEvent::Attr { receiver: (class, id), name } => {
                    let receiver = Handle::new(class, id);
                    self.check_attr(&receiver, &name)?;
                    self.counted(host.attr(&receiver, &name)).await?
                }
                WorkerEvent::Done(value) => return self.believe(value),
                WorkerEvent::Refused(refusals) => return Err(CageError::Refused(refusals)),
                WorkerEvent::Raised(mut error) => {
                    error.printed = std::mem::take(&mut self.printed);
                    return Err(CageError::Raised(error));
                }
                WorkerEvent::Limit(limit, line) => return Err(self.limit(limit, line)),
                WorkerEvent::Aborted(_) => return Err(protocol("it ended a run that nobody ended")),
                WorkerEvent::Fault(why) => {
                    return Err(CageError::Died { how: why, printed: std::mem::take(&mut self.printed) });
                }
            };
            self.send(&ToWorker::Answer(answer)).await?;
        }
    }

    /// Does a call of the host within the limits of calls and time.
    async fn counted(
        &mut self,
        call: impl Future<Output = Result<Val, HostError>>,
    ) -> Result<HostAnswer, CageError> {
        if self.calls >= self.limits.host_calls {
            let line = self.abort().await;
            return Err(self.limit(Limit::HostCalls, line));
        }
        self.calls += 1;
        match timeout_at(self.deadline, call).await {
            Ok(Ok(value)) => {
                self.learn(&value);
                match FlatValue::of(&value) {
                    Ok(flat) => Ok(HostAnswer::Value(flat)),
                    Err(e) => Err(self.stopped(format!("a tool gave back too much: {e}")).await),
                }
            }
            Ok(Err(HostError::Raise { kind, message })) => Ok(HostAnswer::Raise(kind, message)),
            Ok(Err(HostError::Stop(Stop::Limit(limit)))) => {
                let line = self.abort().await;
                Err(self.limit(limit, line))
            }
            Ok(Err(HostError::Stop(Stop::Host(why)))) => Err(self.stopped(why).await),
            Err(_) => {
                let line = self.abort().await;
                Err(self.limit(Limit::Wall, line))
            }
        }
    }

    async fn stopped(&mut self, why: String) -> CageError {
        let line = self.abort().await;
        CageError::Stopped { why, line, printed: std::mem::take(&mut self.printed) }
    }

    fn limit(&mut self, limit: Limit, line: Option<u32>) -> CageError {
        CageError::Limit { limit, line, printed: std::mem::take(&mut self.printed) }
    }

    /// Ends the script inside the worker, to learn the line it was at.
    async fn abort(&mut self) -> Option<u32> {
        let ended = async {
            self.send(&ToWorker::Answer(HostAnswer::Abort)).await.ok()?;
            match self.next_frame().await {
                Ok(ToParent { what: WorkerEvent::Aborted(line), .. }) => line,
                _ => None,
            }
        };
        timeout(ENDING, ended).await.ok().flatten()
    }

    fn check_call(&self, receiver: Option<&Handle>, function: &str) -> Result<(), CageError> {
        let declared = match receiver {
            None => self.surface.functions.iter().any(|f| f == function),
            Some(handle) => {
                self.check_known(handle)?;
                self.surface
                    .find_class(&handle.class)
                    .is_some_and(|c| c.methods.iter().any(|m| m == function))
            }
        };
        if declared { Ok(()) } else { Err(protocol("it called what is not declared")) }
    }

    fn check_attr(&self, receiver: &Handle, name: &str) -> Result<(), CageError> {
        self.check_known(receiver)?;
        let class = self.surface.find_class(&receiver.class);
        let declared = class.is_some_and(|c| c.live.iter().any(|a| a == name));
        if declared { Ok(()) } else { Err(protocol("it read what is not declared")) }
    }

    fn check_known(&self, handle: &Handle) -> Result<(), CageError> {
        if self.known.contains(&(handle.class.clone(), handle.id)) {
            Ok(())
        } else {
            Err(protocol("it used an object that it was never given"))
        }
    }

    fn learn(&mut self, value: &Val) {
        match value {
            Val::List(items) | Val::Tuple(items) => items.iter().for_each(|item| self.learn(item)),
            Val::Dict(pairs) => {
                for (key, value) in pairs {
                    self.learn(key);
                    self.learn(value);
                }
            }
            Val::Handle(handle) => {
                self.known.insert((handle.class.clone(), handle.id));
                handle.fields.iter().for_each(|(_, field)| self.learn(field));
            }
            Val::None | Val::Bool(_) | Val::Int(_) | Val::Float(_) | Val::Str(_) => {}
        }
    }

    fn believe(&self, flat: FlatValue) -> Result<Val, CageError> {
        let value = flat.raise().map_err(|e| protocol(&e.to_string()))?;
        self.check_handles(&value)?;
        Ok(value)
    }

    fn check_handles(&self, value: &Val) -> Result<(), CageError> {
        match value {
            Val::List(items) | Val::Tuple(items) => {
                items.iter().try_for_each(|item| self.check_handles(item))
            }
            Val::Dict(pairs) => pairs.iter().try_for_each(|(key, value)| {
                self.check_handles(key).and_then(|()| self.check_handles(value))
            }),
            Val::Handle(handle) => self.check_known(handle),
            Val::None | Val::Bool(_) | Val::Int(_) | Val::Float(_) | Val::Str(_) => Ok(()),
        }
    }

    async fn send(&mut self, frame: &ToWorker) -> Result<(), CageError> {
        let bytes = match wire::encode(frame) {
            Ok(bytes) => bytes,
            Err(e) => return Err(CageError::Start(format!("a value for the script is too large: {e}"))),
        };
        match timeout_at(self.deadline, self.worker.link.send(&bytes)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.died().await),
            Err(_) => Err(self.limit(Limit::Wall, None)),
        }
    }

    /// The next frame, within what is left of the interpreter's time and of the wall time.
    async fn receive(&mut self) -> Result<WorkerEvent, CageError> {
        // A script whose calls are answered at once would otherwise never let the runtime's other tasks on.
        consume_budget().await;
        let own = Until::now() + self.limits.interpreter.saturating_sub(self.spent) + GRACE;
        let frame = match timeout_at(own.min(self.deadline), self.next_frame()).await {
            Ok(frame) => frame?,
            Err(_) => {
                self.worker.kill();
                let limit = if own < self.deadline { Limit::Interpreter } else { Limit::Wall };
                return Err(self.limit(limit, None));
            }
        };
        self.printed.push_str(&frame.printed);
        if self.printed.len() > self.limits.print {
            return Err(self.limit(Limit::Print, None));
        }
        self.spent = self.spent.max(Duration::from_micros(frame.spent_us));
        Ok(frame.what)
    }

    async fn next_frame(&mut self) -> Result<ToParent, CageError> {
        match self.worker.link.receive().await {
            Ok(frame) => frame.map_err(|e| protocol(&e.to_string())),
            Err(_) => Err(self.died().await),
        }
    }

    async fn died(&mut self) -> CageError {
        let (how, words) = self.worker.last_words().await;
        if words.contains("memory allocation of") {
            return self.limit(Limit::Memory, None);
        }
        if how.contains("SIGXCPU") {
            return self.limit(Limit::Interpreter, None);
        }
        let how = if words.contains("overflowed its stack") {
            "its stack overflowed".to_owned()
        } else if words.is_empty() {
            how
        } else {
            format!("{how}: {words}")
        };
        CageError::Died { how, printed: std::mem::take(&mut self.printed) }
    }
}

fn protocol(why: &str) -> CageError {
    CageError::Protocol(why.to_owned())
}
